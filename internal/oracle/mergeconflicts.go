package oracle

import (
	"cmp"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/grain"
)

// mergeKey is what is known of one key of an ON clause.
type mergeKey struct {
	target, source []int
	conflicts      []int // target rows
	hits           []int // source rows that act on the first of conflicts
}

// MergeConflicts answers what grain.MergeConflicts answers, by looking at each pair of rows. The worst keys are all of them, without their
// values.
func MergeConflicts(target, source []arrow.Record, on []string, opts grain.MergeOptions) (*grain.MergeReport, error) {
	if len(on) == 0 {
		return nil, onerow.ErrNoKey
	}
	t, s, columns, err := mergeInputs(target, source, append(slices.Clone(on), opts.Acts...))
	if err != nil {
		return nil, err
	}
	m := &merge{t: t, s: s, on: columns[:len(on)], acts: columns[len(on):], safe: opts.Nulls == grain.NullsEqual}
	r := &grain.MergeReport{On: on, Acts: opts.Acts, NullSafe: m.safe, TargetRows: int64(len(t.rows)), SourceRows: int64(len(s.rows))}
	if len(s.names) > 0 {
		inSource := make([]int, len(on))
		for i := range on {
			inSource[i] = m.on[i][1]
		}
		r.Nulls = s.countNulls(inSource, func(int) bool { return false }, func(int) bool { return true })
	}
	for _, k := range m.keys() {
		m.count(r, k)
	}
	slices.SortStableFunc(r.WorstConflicts, func(a, b grain.MergeConflict) int {
		return cmp.Or(cmp.Compare(b.Hits, a.Hits), cmp.Compare(a.Target[0], b.Target[0]))
	})
	slices.SortStableFunc(r.WorstDuplicates, func(a, b onerow.KeyRows) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Rows[0], b.Rows[0]))
	})
	return r, nil
}

// mergeInputs reads both tables, and finds the columns in both.
func mergeInputs(target, source []arrow.Record, names []string) (t, s *table, columns [][2]int, err error) {
	if t, err = readTable("target", target); err != nil {
		return nil, nil, nil, err
	}
	if s, err = readTable("source", source); err != nil {
		return nil, nil, nil, err
	}
	for _, name := range names {
		var at [2]int
		for i, in := range []*table{t, s} {
			if in.names == nil {
				continue
			}
			c, err := in.columns([]string{name}, canBeKey)
			if err != nil {
				return nil, nil, nil, err
			}
			at[i] = c[0]
		}
		if t.names != nil && s.names != nil && !canBeEqual(t.types[at[0]], s.types[at[1]]) {
			return nil, nil, nil, &onerow.TypeError{Column: name, Type: t.types[at[0]], OtherColumn: name, OtherType: s.types[at[1]]}
		}
		columns = append(columns, at)
	}
	return t, s, columns, nil
}

// merge is one call.
type merge struct {
	t, s     *table
	on, acts [][2]int // the numbers of a column in target and source
	safe     bool
}

func (m *merge) keys() (keys []*mergeKey) {
	byText := map[string]*mergeKey{}
	for side, in := range []*table{m.t, m.s} {
		for r, row := range in.rows {
			text := Canonical(m.pick(row, side))
			k := byText[text]
			if k == nil {
				k = &mergeKey{}
				byText[text] = k
				keys = append(keys, k)
			}
			if side == 0 {
				k.target = append(k.target, r)
			} else {
				k.source = append(k.source, r)
			}
		}
	}
	return keys
}

// pick picks the columns of the ON clause.
func (m *merge) pick(row []Value, side int) (key []Value) {
	for _, c := range m.on {
		key = append(key, row[c[side]])
	}
	return key
}

func (m *merge) acting(target, source int) bool {
	for _, c := range m.acts {
		if !equal(m.t.rows[target][c[0]], m.s.rows[source][c[1]]) {
			return true
		}
	}
	return len(m.acts) == 0
}

func (m *merge) count(r *grain.MergeReport, k *mergeKey) {
	if len(k.source) == 0 {
		return
	}
	n := int64(len(k.source))
	null := anyNull(m.pick(m.s.rows[k.source[0]], 1))
	if null {
		r.NullKeyRows += n
		if len(k.target) > 0 {
			r.NullKeyRepeats += n
		}
	}
	switch {
	case null && !m.safe:
		r.UnmatchedRows += n
	case len(k.target) == 0:
		r.UnmatchedRows += n
		if n > 1 {
			r.UnmatchedDuplicates += n - 1
			r.UnmatchedDuplicateKeys++
			r.WorstDuplicates = append(r.WorstDuplicates, onerow.KeyRows{Count: n, Rows: firstFew(k.source)})
		}
	default:
		r.MatchedRows += n
		m.findConflicts(k)
		if len(k.conflicts) > 0 {
			r.ConflictKeys++
			r.Conflicts += int64(len(k.conflicts))
			r.WorstConflicts = append(r.WorstConflicts, grain.MergeConflict{Conflicts: int64(len(k.conflicts)),
				Target: firstFew(k.conflicts), Hits: int64(len(k.hits)), Source: firstFew(k.hits)})
		}
	}
}

func (m *merge) findConflicts(k *mergeKey) {
	for _, t := range k.target {
		var hits []int
		for _, s := range k.source {
			if m.acting(t, s) {
				hits = append(hits, s)
			}
		}
		if len(hits) < 2 {
			continue
		}
		if k.conflicts == nil {
			k.hits = hits
		}
		k.conflicts = append(k.conflicts, t)
	}
}

func firstFew(rows []int) (out onerow.Rows) {
	for _, r := range rows[:min(len(rows), onerow.MaxSampleRows)] {
		out = append(out, uint32(r))
	}
	return out
}
