package join_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"pgregory.net/rapid"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/oracle"
	"github.com/onerow-go/onerow/join"
)

// TestSketchProperties runs the properties of sketches on random tables of every type of key, with samples so small that they fill.
func TestSketchProperties(t *testing.T) { sketchProperties(t) }

// TestSketchUnderOneHash runs them again while every hash is the same.
func TestSketchUnderOneHash(t *testing.T) {
	form.ConstantHash(true)
	defer form.ConstantHash(false)
	sketchProperties(t)
}

func sketchProperties(t *testing.T) {
	defer join.SetLeastSketchKeys(1)()
	for _, p := range []struct {
		name  string
		holds func(l *sketchLab)
	}{
		{"bounds", boundsHold},
		{"mirrored", mirroredBounds},
		{"exact", exactIsEstimate},
		{"forms", sameSketchForAllForms},
		{"permutation", sameSketchForAllOrders},
		{"merge", mergedIsWhole},
		{"disjoint", disjointIsWhole},
		{"stream", streamIsMerged},
	} {
		t.Run(p.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { p.holds(newSketchLab(t, drawnPairs{t})) })
		})
	}
}

// sketchLab is one trial: two random tables of different columns that can be joined.
type sketchLab struct {
	t     arrowtest.TB
	src   oracle.Source
	alloc *memory.CheckedAllocator

	on      join.Key
	nulls   join.Nulls
	columns [2][]string
	rows    [2][][]any
	sides   [2][]arrow.Record
}

func newSketchLab(t arrowtest.TB, src oracle.Source) *sketchLab {
	l := &sketchLab{t: t, src: src, alloc: arrowtest.Allocator(t), nulls: join.Nulls(src.Choose("nulls", 2))}
	nulls := []int{0, 3, 10}[src.Choose("nulls there", 3)]
	var samples []oracle.Sample
	for i := range 1 + max(0, src.Choose("columns", 5)-2) {
		names := [2]string{fmt.Sprint("key", i), fmt.Sprint([]string{"key", "ref"}[src.Choose("other name", 2)], i)}
		sample := oracle.ChooseSample(src, names[0]+" sample", false)
		samples = append(samples, sample)
		for side, name := range names {
			l.columns[side] = append(l.columns[side], name+":"+sample.ChooseType(src, name))
		}
		l.on = l.on.And(names[0], names[1])
	}
	for side := range l.sides {
		// Some rows come several times, so that there are heavy keys.
		for range src.Choose("rows", 16) {
			var row []any
			for i, s := range samples {
				row = append(row, s.ChooseCell(src, l.on.Left[i], nulls))
			}
			for range 1 + max(0, src.Choose("copies", 8)-4) {
				l.rows[side] = append(l.rows[side], row)
			}
		}
		l.sides[side] = l.table(side, l.rows[side])
	}
	return l
}

func (l *sketchLab) table(side int, rows [][]any) []arrow.Record {
	return arrowtest.Table(l.t, l.alloc, l.columns[side], rows)
}

func (l *sketchLab) key(side int) []string { return [2][]string{l.on.Left, l.on.Right}[side] }

func (l *sketchLab) String() string {
	text := fmt.Sprintf("on %v, nulls %v\n", l.on, l.nulls)
	for side, rows := range l.rows {
		text += fmt.Sprintf("%q\n", l.columns[side])
		for _, r := range rows {
			text += fmt.Sprintln(r...)
		}
	}
	return text
}

// sizes are numbers of keys in a sample: 1 to 20, and more than there are.
func (l *sketchLab) size() int { return []int{4, 2, 1, 8, 20, 1000}[l.src.Choose("size", 6)] }

func (l *sketchLab) sketch(side int, batches []arrow.Record, size int) *join.Sketch {
	l.t.Helper()
	opts := join.SketchOptions{Nulls: l.nulls, Keys: size, Resources: onerow.Resources{Workers: 1 + l.src.Choose("workers", 3)}}
	s, err := join.NewSketch(context.Background(), batches, l.key(side), opts)
	if err != nil {
		l.t.Fatalf("%v\n%v", err, l)
	}
	return s
}

func (l *sketchLab) bytes(s *join.Sketch) []byte {
	l.t.Helper()
	b, err := s.MarshalBinary()
	if err != nil {
		l.t.Fatalf("%v\n%v", err, l)
	}
	return b
}

// same compares two sketches by their bytes.
func (l *sketchLab) same(what string, a, b *join.Sketch) {
	l.t.Helper()
	if x, y := l.bytes(a), l.bytes(b); !bytes.Equal(x, y) {
		l.t.Fatalf("%s:\n%q\n%q\n%v", what, x, y, l)
	}
}

// sent is the sketch written and read.
func (l *sketchLab) sent(s *join.Sketch) *join.Sketch {
	l.t.Helper()
	var read join.Sketch
	if err := read.UnmarshalBinary(l.bytes(s)); err != nil {
		l.t.Fatalf("%v\n%v", err, l)
	}
	l.same("sent", s, &read)
	return &read
}

// merge puts sketches together in any order.
func (l *sketchLab) merge(parts []*join.Sketch, merge func(s, o *join.Sketch) (*join.Sketch, error)) *join.Sketch {
	l.t.Helper()
	parts = slices.Clone(parts)
	for len(parts) > 1 {
		i := l.src.Choose("one part", len(parts))
		one := parts[i]
		parts = slices.Delete(parts, i, i+1)
		j := l.src.Choose("other part", len(parts))
		ab, err := merge(one, parts[j])
		if err != nil {
			l.t.Fatalf("%v\n%v", err, l)
		}
		ba, err := merge(parts[j], one)
		if err != nil {
			l.t.Fatalf("%v\n%v", err, l)
		}
		l.same("swapped", ab, ba)
		parts[j] = l.sent(ab)
	}
	return parts[0]
}

// parts are sketches of parts of a side, in all 1 to 4, each of any size; the whole is that of all rows.
func (l *sketchLab) parts(side int) (parts []*join.Sketch, least int) {
	rows := l.rows[side]
	n := 1 + l.src.Choose("parts", 4)
	least = 1000
	for i := range n {
		size := l.size()
		least = min(least, size)
		part := l.table(side, rows[len(rows)*i/n:len(rows)*(i+1)/n])
		parts = append(parts, l.sketch(side, part, size))
	}
	return parts, least
}

// truth is what an exact call says, and the rows of each key by its bytes.
type truth struct {
	size  *join.Size
	forms map[string]string // bytes of a key by its text
	rows  [2]map[string]uint64
}

func (l *sketchLab) truth() *truth {
	l.t.Helper()
	opts := join.Options{Nulls: l.nulls, Worst: -1}
	want, err := oracle.Estimate(l.sides[0], l.sides[1], l.on, opts)
	if err != nil {
		l.t.Fatalf("%v\n%v", err, l)
	}
	t := &truth{size: want, forms: map[string]string{}, rows: [2]map[string]uint64{{}, {}}}
	for side, batches := range l.sides {
		for _, b := range batches {
			for i := range b.NumRows() {
				row := b.NewSlice(i, i+1)
				if text, id, ok := l.sketch(side, []arrow.Record{row}, 1).Only(); ok {
					t.forms[text] = id
					t.rows[side][id]++
				}
				row.Release()
			}
		}
	}
	return t
}

// sizeNames go with sizes.
var sizeNames = []string{"inner", "left", "right", "full", "left semi", "left anti", "right semi", "right anti"}

// sizes lists sizes in one order.
func sizes(s join.Sizes) []join.Count {
	return []join.Count{s.Inner, s.Left, s.Right, s.Full, s.LeftSemi, s.LeftAnti, s.RightSemi, s.RightAnti}
}

func approxSizes(s join.SketchedSizes) []join.Approx {
	return []join.Approx{s.Inner, s.Left, s.Right, s.Full, s.LeftSemi, s.LeftAnti, s.RightSemi, s.RightAnti}
}

// holds says why a number and its bounds aren't those of a true one.
func holds(a join.Approx, want join.Count) string {
	switch {
	case a.Low.Cmp(want) > 0 || a.High.Cmp(want) < 0:
		return fmt.Sprintf("%v is not from %v to %v", want, a.Low, a.High)
	case a.Estimate.Cmp(a.Low) < 0 || a.Estimate.Cmp(a.High) > 0:
		return fmt.Sprintf("%v is not from %v to %v", a.Estimate, a.Low, a.High)
	case !(a.StdErr >= 0 && a.StdErr <= a.High.Float64()-a.Low.Float64()):
		return fmt.Sprintf("the error is %v", a.StdErr)
	}
	return ""
}

// check compares the answer of sketches with the truth.
func (t *truth) check(got *join.SketchedSize) (wrong []string) {
	note := func(what string, a join.Approx, want join.Count) {
		if why := holds(a, want); why != "" {
			wrong = append(wrong, what+": "+why)
		}
	}
	want := sizes(t.size.Rows)
	for i, a := range approxSizes(got.Rows) {
		note(sizeNames[i], a, want[i])
	}
	count := func(n int64) join.Count { return join.CountOf(uint64(n)) }
	note("matched", got.MatchedKeys, count(t.size.MatchedKeys))
	note("left keys", got.Left.Keys, count(t.size.Left.Keys))
	note("right keys", got.Right.Keys, count(t.size.Right.Keys))
	for side, s := range []join.SketchedSide{got.Left, got.Right} {
		w := []join.Side{t.size.Left, t.size.Right}[side]
		if s.Rows != w.Rows || s.NullRows != w.NullRows {
			wrong = append(wrong, fmt.Sprintf("side %d has %d rows, %d NULL", side, s.Rows, s.NullRows))
		}
		for _, n := range t.rows[side] {
			if int64(n) > s.MaxRows {
				wrong = append(wrong, fmt.Sprintf("side %d has a key of %d rows, of at most %d", side, n, s.MaxRows))
			}
		}
	}
	for _, k := range got.Worst {
		text := strings.Join(k.Values, ", ")
		id, ok := t.forms[text]
		if !ok {
			wrong = append(wrong, "no key is "+text)
		}
		l, r := t.rows[0][id], t.rows[1][id]
		note(text+" left", k.Left, join.CountOf(l))
		note(text+" right", k.Right, join.CountOf(r))
		note(text+" inner", k.Inner, join.CountOf(l*r))
	}
	return wrong
}

// Bounds hold, whatever the sizes of the samples and however parts are merged.
func boundsHold(l *sketchLab) {
	truth := l.truth()
	var merged [2]*join.Sketch
	for side := range merged {
		parts, _ := l.parts(side)
		merged[side] = l.merge(parts, (*join.Sketch).Merge)
	}
	got, err := join.EstimateSketches(merged[0], merged[1])
	if err != nil {
		l.t.Fatalf("%v\n%v", err, l)
	}
	if wrong := truth.check(got); len(wrong) > 0 {
		l.t.Fatalf("%s\n%v\n%v", strings.Join(wrong, "\n"), got, l)
	}
}

// Swapped sides have the mirrored bounds.
func mirroredBounds(l *sketchLab) {
	a, b := l.sketch(0, l.sides[0], l.size()), l.sketch(1, l.sides[1], l.size())
	ab, err := join.EstimateSketches(a, b)
	if err != nil {
		l.t.Fatalf("%v\n%v", err, l)
	}
	ba, err := join.EstimateSketches(b, a)
	if err != nil {
		l.t.Fatalf("%v\n%v", err, l)
	}
	r := ba.Rows
	mirrored := join.SketchedSizes{Inner: r.Inner, Left: r.Right, Right: r.Left, Full: r.Full, LeftSemi: r.RightSemi, LeftAnti: r.RightAnti, RightSemi: r.LeftSemi, RightAnti: r.LeftAnti}
	for i, n := range approxSizes(mirrored) {
		if m := approxSizes(ab.Rows)[i]; m.Low != n.Low || m.High != n.High {
			l.t.Fatalf("%s: %v and %v\n%v", sizeNames[i], m, n, l)
		}
	}
}

// Sketches that hold all keys say what Estimate says.
func exactIsEstimate(l *sketchLab) {
	got, err := join.EstimateSketches(l.sketch(0, l.sides[0], 1000), l.sent(l.sketch(1, l.sides[1], 1000)))
	if err != nil {
		l.t.Fatalf("%v\n%v", err, l)
	}
	want, err := join.Estimate(context.Background(), l.sides[0], l.sides[1], l.on, join.Options{Nulls: l.nulls})
	if err != nil {
		l.t.Fatalf("%v\n%v", err, l)
	}
	for i, a := range approxSizes(got.Rows) {
		if !a.Exact() || a.Estimate != sizes(want.Rows)[i] || a.StdErr != 0 {
			l.t.Errorf("size %d is %v, not %v", i, a, sizes(want.Rows)[i])
		}
	}
	if !got.Exact || !got.Left.Exact || !got.Right.Exact || got.MatchedKeys.String() != fmt.Sprint(want.MatchedKeys) ||
		got.Left.Keys.String() != fmt.Sprint(want.Left.Keys) || got.Right.Keys.String() != fmt.Sprint(want.Right.Keys) ||
		want.Left.Unique != (got.Left.MaxRows <= 1) || want.Right.Unique != (got.Right.MaxRows <= 1) {
		l.t.Errorf("%v\n%v", got, want)
	}
	if len(got.Worst) != len(want.Worst) {
		l.t.Fatalf("worst %v, not %v\n%v", got.Worst, want.Worst, l)
	}
	inner := func(k join.KeySize) join.Count { return k.Inner }
	for i, k := range got.Worst {
		if k.Inner.Estimate != inner(want.Worst[i]) || k.Share != want.Worst[i].Share {
			l.t.Errorf("worst key %d is %v, not %v", i, k, want.Worst[i])
		}
	}
	if a, b := got.MaxGrowth(1), want.MaxGrowth(1); (a == nil) != (b == nil) {
		l.t.Errorf("growth %v, not %v", a, b)
	}
}

// Cuts, encodings, offsets and workers change nothing.
func sameSketchForAllForms(l *sketchLab) {
	forms := arrowtest.Variants(l.alloc, l.sides[0])
	defer forms.Release()
	size := l.size()
	want := l.sketch(0, l.sides[0], size)
	for range 4 {
		l.same("form", want, l.sketch(0, forms[l.src.Choose("form", len(forms))].Batches, size))
	}
}

// The order of the rows changes how keys of several forms are shown, and nothing else.
func sameSketchForAllOrders(l *sketchLab) {
	other := arrowtest.Shuffled(l.alloc, l.sides[0], uint64(l.src.Choose("order", 100)))
	defer other.Release()
	size := l.size()
	l.same("order", l.sketch(0, l.sides[0], size).Plain(), l.sketch(0, other.Batches, size).Plain())
}

// Merged sketches have the sample of one of all rows; those of parts that are exact are it.
func mergedIsWhole(l *sketchLab) {
	parts, least := l.parts(0)
	whole := l.sketch(0, l.sides[0], least).Plain()
	merged := l.merge(parts, (*join.Sketch).Merge).Plain()
	l.same("sample", whole.Sampled(), merged.Sampled())
	if len(parts) == 2 && parts[0].Side().Exact && parts[1].Side().Exact {
		l.same("exact parts", whole, merged)
	}
}

// Sketches of partitions make the sketch of all rows.
func disjointIsWhole(l *sketchLab) {
	n := 1 + l.src.Choose("partitions", 4)
	if form.IsConstantHash() {
		n = 1 // a partition goes by the hash
	}
	rows, err := onerow.Partition(context.Background(), l.sides[0], l.key(0), n)
	if err != nil {
		l.t.Fatalf("%v\n%v", err, l)
	}
	var parts []*join.Sketch
	least := 1000
	for _, r := range rows {
		var part [][]any
		for _, row := range r {
			part = append(part, l.rows[0][row])
		}
		size := l.size()
		least = min(least, size)
		parts = append(parts, l.sketch(0, l.table(0, part), size))
	}
	l.same("disjoint", l.sketch(0, l.sides[0], least), l.merge(parts, (*join.Sketch).MergeDisjoint))
}

// A stream makes the sketch that merging its pieces makes, from the first to the last.
func streamIsMerged(l *sketchLab) {
	n, size := 1+l.src.Choose("piece", 8), l.size()
	defer join.SetSketchRows(int64(n))()
	var pieces []arrow.Record
	want := l.sketch(0, nil, size)
	for rows := range slices.Chunk(l.rows[0], n) {
		piece := l.table(0, rows)
		pieces = append(pieces, piece...)
		var err error
		if want, err = want.Merge(l.sketch(0, piece, size)); err != nil {
			l.t.Fatalf("%v\n%v", err, l)
		}
	}
	if len(pieces) == 0 {
		return
	}
	reader, err := array.NewRecordReader(pieces[0].Schema(), pieces)
	if err != nil {
		l.t.Fatalf("%v\n%v", err, l)
	}
	defer reader.Release()
	got, err := join.ReadSketch(context.Background(), reader, l.key(0), join.SketchOptions{Nulls: l.nulls, Keys: size})
	if err != nil {
		l.t.Fatalf("%v\n%v", err, l)
	}
	l.same("stream", want, got)
}
