package oracle

import (
	"cmp"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/join"
)

// joined is what is known of one key of a join: rows of the left and of the right side.
type joined struct {
	values []Value // of the first row, left rows first
	rows   [2][]uint32
}

func (k *joined) pairs() int64 { return int64(len(k.rows[0])) * int64(len(k.rows[1])) }

// joinSides is a call of Estimate.
type joinSides struct {
	opts    join.Options
	tables  [2]*table
	columns [2][]int
	keys    []*joined // in order of first appearance, left rows first
}

// Estimate answers what join.Estimate answers, by looking at each pair of rows. Lists of keys are all of them, without their values, but for
// the lists of the sides.
func Estimate(left, right []arrow.Record, on join.Key, opts join.Options) (*join.Size, error) {
	s := &joinSides{opts: opts}
	if err := s.setup([2][]arrow.Record{left, right}, on); err != nil {
		return nil, err
	}
	s.gather()
	size := &join.Size{On: on}
	count := func(n int64) join.Count { return join.CountOf(uint64(n)) }
	inner, matched := s.countPairs()
	sides := [2]*join.Side{&size.Left, &size.Right}
	for i, side := range sides {
		s.countSide(i, side)
		side.MatchedRows, side.UnmatchedRows = matched[i], side.Rows-matched[i]
		if matched[i] > 0 {
			side.FanOut = float64(inner) / float64(matched[i])
		}
	}
	l, r := size.Left.UnmatchedRows, size.Right.UnmatchedRows
	size.Rows = join.Sizes{Inner: count(inner), Left: count(inner + l), Right: count(inner + r), Full: count(inner + l + r),
		LeftSemi: count(matched[0]), LeftAnti: count(l), RightSemi: count(matched[1]), RightAnti: count(r)}
	many := [2]bool{}
	for _, k := range s.keys {
		if k.pairs() == 0 {
			continue
		}
		size.MatchedKeys++
		for i, side := range sides {
			side.MaxFanOut = max(side.MaxFanOut, int64(len(k.rows[1-i])))
			if len(k.rows[i]) > 1 {
				many[i] = true
				side.RepeatedKeys++
				side.Repeats = append(side.Repeats, k.match(inner))
			}
		}
		if k.pairs() > 1 {
			size.Worst = append(size.Worst, k.match(inner))
		}
	}
	switch {
	case inner == 0:
		size.Relationship = join.None
	case many == [2]bool{false, false}:
		size.Relationship = join.OneToOne
	case many == [2]bool{false, true}:
		size.Relationship = join.OneToMany
	case many == [2]bool{true, false}:
		size.Relationship = join.ManyToOne
	default:
		size.Relationship = join.ManyToMany
	}
	worstFirst(size.Worst)
	for _, side := range sides {
		worstFirst(side.Repeats)
		side.Repeats = side.Repeats[:min(len(side.Repeats), onerow.MaxSampleKeys)]
	}
	if err := s.placeholders(size, on, inner); err != nil {
		return nil, err
	}
	return size, nil
}

func worstFirst(list []join.KeySize) {
	slices.SortStableFunc(list, func(a, b join.KeySize) int { return b.Inner.Cmp(a.Inner) })
}

func (k *joined) match(inner int64) join.KeySize {
	m := join.KeySize{Left: int64(len(k.rows[0])), Right: int64(len(k.rows[1])), Inner: join.CountOf(uint64(k.pairs())), LeftRows: sampleRows(k.rows[0]), RightRows: sampleRows(k.rows[1])}
	if inner > 0 {
		m.Share = float64(k.pairs()) / float64(inner)
	}
	return m
}

func sampleRows(rows []uint32) onerow.Rows {
	return append(onerow.Rows(nil), rows[:min(len(rows), onerow.MaxSampleRows)]...)
}

func (s *joinSides) setup(in [2][]arrow.Record, on join.Key) error {
	if len(on.Left) == 0 {
		return onerow.ErrNoKey
	}
	for i, names := range [2][]string{on.Left, on.Right} {
		var err error
		if s.tables[i], err = readTable([]string{"left", "right"}[i], in[i]); err != nil {
			return err
		}
		if len(in[i]) == 0 {
			s.columns[i] = make([]int, len(names))
			continue
		}
		if s.columns[i], err = s.tables[i].columns(names, canBeKey); err != nil {
			return err
		}
	}
	for i := range on.Left {
		if len(in[0]) == 0 || len(in[1]) == 0 {
			break
		}
		a, b := s.tables[0].types[s.columns[0][i]], s.tables[1].types[s.columns[1][i]]
		if !canBeEqual(a, b) {
			return &onerow.TypeError{Column: on.Left[i], Type: a, Input: "left", OtherColumn: on.Right[i], OtherType: b, OtherInput: "right", Why: "never equal"}
		}
	}
	return nil
}

// takesPart says whether a row can meet another.
func (s *joinSides) takesPart(key []Value) bool {
	return s.opts.Nulls == join.NullsEqual || !anyNull(key)
}

func (s *joinSides) gather() {
	numbers := map[string]*joined{}
	for side, t := range s.tables {
		for row, values := range t.rows {
			key := cells(values, s.columns[side])
			if !s.takesPart(key) {
				continue
			}
			text := Canonical(key)
			k := numbers[text]
			if k == nil {
				k = &joined{values: key}
				numbers[text] = k
				s.keys = append(s.keys, k)
			}
			k.rows[side] = append(k.rows[side], uint32(row))
		}
	}
}

// countPairs looks at each row beside each row of the other side.
func (s *joinSides) countPairs() (inner int64, matched [2]int64) {
	met := make([]bool, len(s.tables[1].rows))
	for _, l := range s.tables[0].rows {
		one := false
		for j, r := range s.tables[1].rows {
			a, b := cells(l, s.columns[0]), cells(r, s.columns[1])
			if s.takesPart(a) && s.takesPart(b) && Canonical(a) == Canonical(b) {
				inner++
				one, met[j] = true, true
			}
		}
		matched[0] += int64(truth(one))
	}
	for _, m := range met {
		matched[1] += int64(truth(m))
	}
	return inner, matched
}

func (s *joinSides) countSide(i int, side *join.Side) {
	t := s.tables[i]
	side.Rows, side.Unique = int64(len(t.rows)), true
	for _, row := range t.rows {
		if anyNull(cells(row, s.columns[i])) {
			side.NullRows++
		}
	}
	if side.Rows > 0 {
		side.NullShare = float64(side.NullRows) / float64(side.Rows)
	}
	if len(t.names) > 0 {
		side.Nulls = t.countNulls(s.columns[i], func(int) bool { return false }, func(int) bool { return true })
	}
	for _, k := range s.keys {
		if len(k.rows[i]) > 0 {
			side.Keys++
		}
		side.Unique = side.Unique && len(k.rows[i]) < 2
	}
}

// placeholders adds the keys that stand for no value.
func (s *joinSides) placeholders(size *join.Size, on join.Key, inner int64) error {
	is, err := s.isPlaceholder(on)
	if err != nil {
		return err
	}
	p := &size.Placeholders
	for _, k := range s.keys {
		if !is(k) {
			continue
		}
		p.Left += int64(len(k.rows[0]))
		p.Right += int64(len(k.rows[1]))
		p.Keys = append(p.Keys, k.match(inner))
	}
	sum := int64(0)
	for _, m := range p.Keys {
		sum += m.Left * m.Right
	}
	p.Inner = join.CountOf(uint64(sum))
	slices.SortStableFunc(p.Keys, func(a, b join.KeySize) int { return cmp.Compare(b.Left+b.Right, a.Left+a.Right) })
	if size.Left.Rows > 0 {
		size.Left.PlaceholderShare = float64(p.Left) / float64(size.Left.Rows)
	}
	if size.Right.Rows > 0 {
		size.Right.PlaceholderShare = float64(p.Right) / float64(size.Right.Rows)
	}
	return nil
}
