package cases

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/join"
)

// Estimate is a call of join.Estimate.
type Estimate = func(ctx context.Context, left, right []arrow.Record, on join.Key, opts join.Options) (*join.Size, error)

// joinSize is a case of join.estimate.
type joinSize struct {
	left, right arrowtest.Spec
	shuffle     bool
	on          join.Key
	opts        join.Options
	want        sizeWant
	worst       []worstPair
}

type sizeWant struct {
	wantError
	Rows            map[string]join.Count `json:"rows"`
	Relationship    *join.Relationship    `json:"relationship"`
	Unique          map[string]bool       `json:"unique"`
	Worst           *[][]any              `json:"worst"`
	NullRows        counts                `json:"null_rows"`
	PlaceholderRows counts                `json:"placeholder_rows"`
}

// worstPair is a key of both sides, as text, and its numbers of rows.
type worstPair struct {
	key         string
	left, right int64
}

func (w worstPair) String() string { return fmt.Sprintf("%s %d times %d", w.key, w.left, w.right) }

func (w worstPair) swapped() worstPair { return worstPair{w.key, w.right, w.left} }

func newJoinSize(c Case) (test, error) {
	if err := c.inputs("left", "right"); err != nil {
		return nil, err
	}
	k := &joinSize{left: c.Input["left"], right: c.Input["right"], shuffle: !c.OrderMatters}
	if err := k.readOptions(c); err != nil {
		return nil, fmt.Errorf("options: %w", err)
	}
	if err := k.readWant(c); err != nil {
		return nil, fmt.Errorf("want: %w", err)
	}
	return k, nil
}

func (k *joinSize) readOptions(c Case) error {
	var o struct {
		On           *[]any `json:"on"`
		Nulls        string `json:"nulls"`
		Placeholders *[]any `json:"placeholders"`
	}
	if err := strict(c.Options, &o); err != nil {
		return err
	}
	if o.On == nil {
		return fmt.Errorf("no key, not even an empty one")
	}
	for _, pair := range *o.On {
		switch pair := pair.(type) {
		case string:
			k.on = k.on.And(pair, pair)
		case []any:
			if len(pair) != 2 {
				return fmt.Errorf("%v is no pair of columns", pair)
			}
			k.on = k.on.And(fmt.Sprint(pair[0]), fmt.Sprint(pair[1]))
		default:
			return fmt.Errorf("%v is neither a column nor a pair", pair)
		}
	}
	var err error
	if k.opts.Nulls, err = choose("nulls", o.Nulls, map[string]join.Nulls{"never": join.NullsNever, "equal": join.NullsEqual}); err != nil {
		return err
	}
	if o.Placeholders == nil || len(k.on.Left) == 0 {
		return nil
	}
	schema, err := arrowtest.Schema(k.left.Columns)
	if err != nil {
		return err
	}
	k.opts.Placeholders, err = optionValues(schema, k.on.Left[0], *o.Placeholders...)
	return err
}

func (k *joinSize) readWant(c Case) error {
	w := &k.want
	if err := strict(c.Want, w); err != nil {
		return err
	}
	answer := w.Rows != nil || w.Relationship != nil || w.Unique != nil || w.Worst != nil || w.NullRows != nil || w.PlaceholderRows != nil
	if err := w.check(answer); err != nil {
		return err
	}
	for name, have := range map[string]map[string]bool{
		"rows": names("inner left right full left_semi left_anti right_semi right_anti", keysOf(w.Rows)), "unique": names("left right", keysOf(w.Unique)),
		"null_rows": names("left right", keysOf(w.NullRows)), "placeholder_rows": names("left right inner", keysOf(w.PlaceholderRows)),
	} {
		for unknown := range have {
			return fmt.Errorf("%s: there is no %q", name, unknown)
		}
	}
	if w.Worst == nil {
		return nil
	}
	schema, err := arrowtest.Schema(k.left.Columns)
	if err != nil {
		return err
	}
	for _, row := range *w.Worst {
		pair, err := k.readWorst(schema, row)
		if err != nil {
			return fmt.Errorf("worst: %w", err)
		}
		k.worst = append(k.worst, pair)
	}
	return nil
}

func (k *joinSize) readWorst(schema *arrow.Schema, row []any) (worstPair, error) {
	n := len(k.on.Left)
	if len(row) != n+2 {
		return worstPair{}, fmt.Errorf("%d values for a key of %d and two counts", len(row), n)
	}
	var pair [2]int64
	for i, cell := range row[n:] {
		number, ok := cell.(json.Number)
		if !ok {
			return worstPair{}, fmt.Errorf("%v is no count", cell)
		}
		var err error
		if pair[i], err = number.Int64(); err != nil {
			return worstPair{}, err
		}
	}
	key := make([]any, n)
	for i, name := range k.on.Left {
		fields, ok := schema.FieldsByName(name)
		if !ok {
			return worstPair{}, fmt.Errorf("no column %q", name)
		}
		v, err := arrowtest.Value(fields[0].Type, row[i])
		if err != nil {
			return worstPair{}, err
		}
		key[i] = arrowtest.Key(v)
	}
	return worstPair{arrowtest.FormatRow(key), pair[0], pair[1]}, nil
}

// run calls through all forms of each side beside the other as given, through forms of both, shuffled, and each with the sides swapped.
func (k *joinSize) run(r *runner) {
	left, err := k.left.Build(r.mem)
	if err != nil {
		r.fail("a table", err.Error())
		return
	}
	defer arrowtest.Release(left)
	right, err := k.right.Build(r.mem)
	if err != nil {
		r.fail("a table", err.Error())
		return
	}
	defer arrowtest.Release(right)
	lefts, rights := arrowtest.Variants(r.mem, left), arrowtest.Variants(r.mem, right)
	defer lefts.Release()
	defer rights.Release()
	for i := range max(len(lefts), len(rights)) {
		one, other := lefts[i%len(lefts)], rights[i%len(rights)]
		k.both(r, one, rights[0], false)
		k.both(r, lefts[0], other, false)
		k.both(r, one, other, false)
	}
	for seed := range uint64(seeds) {
		if !k.shuffle {
			break
		}
		one, other := arrowtest.Shuffled(r.mem, left, seed), arrowtest.Shuffled(r.mem, right, seed+1)
		k.both(r, one, other, true)
		one.Release()
		other.Release()
	}
}

// both calls with the sides as they are, and swapped.
func (k *joinSize) both(r *runner, left, right arrowtest.Variant, shuffled bool) {
	r.variant = fmt.Sprintf("left %s, right %s", left.Name, right.Name)
	r.call(func(_ memory.Allocator, res onerow.Resources) {
		k.call(r, [2][]arrow.Record{left.Batches, right.Batches}, false, shuffled, res)
	})
	r.variant = fmt.Sprintf("swapped, %s", r.variant)
	r.call(func(_ memory.Allocator, res onerow.Resources) {
		k.call(r, [2][]arrow.Record{right.Batches, left.Batches}, true, shuffled, res)
	})
}

// call makes a call and compares; swapped, the first side is the case's right one.
func (k *joinSize) call(r *runner, in [2][]arrow.Record, swapped, shuffled bool, res onerow.Resources) {
	opts, on := k.opts, k.on
	opts.Resources = res
	if swapped {
		on.Left, on.Right = on.Right, on.Left
	}
	size, err := r.api.Estimate(context.Background(), in[0], in[1], on, opts)
	if r.settled(k.want.wantError, err) {
		return
	}
	if size == nil {
		r.fail("a size", "nil")
		return
	}
	got, ok := r.soundSize(size, in)
	if swapped {
		size = mirrored(size)
		for i := range got {
			got[i] = got[i].swapped()
		}
		shuffled = true // keys of one rank come by the first row of the other side
	}
	k.compare(r, size)
	if !ok || k.want.Worst == nil {
		return
	}
	if len(got) < len(k.worst) || !samePairs(k.worst, got, shuffled) {
		r.fail(fmt.Sprint("worst ", k.worst), fmt.Sprint(got))
	}
}

// mirrored is a size with its sides swapped, but for the lists of keys.
func mirrored(s *join.Size) *join.Size {
	m := *s
	m.Left, m.Right = s.Right, s.Left
	a := s.Rows
	m.Rows = join.Sizes{Inner: a.Inner, Left: a.Right, Right: a.Left, Full: a.Full,
		LeftSemi: a.RightSemi, LeftAnti: a.RightAnti, RightSemi: a.LeftSemi, RightAnti: a.LeftAnti}
	switch s.Relationship {
	case join.OneToMany:
		m.Relationship = join.ManyToOne
	case join.ManyToOne:
		m.Relationship = join.OneToMany
	}
	m.Placeholders.Left, m.Placeholders.Right = s.Placeholders.Right, s.Placeholders.Left
	return &m
}

func (k *joinSize) compare(r *runner, size *join.Size) {
	w := &k.want
	a := size.Rows
	have := map[string]join.Count{"inner": a.Inner, "left": a.Left, "right": a.Right, "full": a.Full, "left_semi": a.LeftSemi, "left_anti": a.LeftAnti,
		"right_semi": a.RightSemi, "right_anti": a.RightAnti}
	for name, n := range w.Rows {
		if have[name] != n {
			r.fail(fmt.Sprintf("%s %v", name, n), have[name].String())
		}
	}
	if w.Relationship != nil && size.Relationship != *w.Relationship {
		r.fail(w.Relationship.String(), size.Relationship.String())
	}
	for name, unique := range w.Unique {
		if got := map[string]bool{"left": size.Left.Unique, "right": size.Right.Unique}[name]; got != unique {
			r.fail(fmt.Sprintf("unique %s %v", name, unique), fmt.Sprint(got))
		}
	}
	w.NullRows.compare(r, map[string]any{"left": size.Left.NullRows, "right": size.Right.NullRows})
	w.PlaceholderRows.compare(r, size.Placeholders)
}

// samePairs says whether the wanted keys come first, in order. Shuffled, keys that make as many rows may come in any order.
func samePairs(want, got []worstPair, shuffled bool) bool {
	for i, w := range want {
		if got[i].left*got[i].right != w.left*w.right || !shuffled && got[i] != w || !slices.Contains(got, w) {
			return false
		}
	}
	return true
}

// keysOf are the keys of a map.
func keysOf[V any](m map[string]V) (out []string) {
	for name := range m {
		out = append(out, name)
	}
	return out
}
