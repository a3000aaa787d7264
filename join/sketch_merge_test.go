package join_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/join"
)

// sketchTable summarises all columns of a table.
func sketchTable(t testing.TB, columns []string, rows [][]any, opts join.SketchOptions) *join.Sketch {
	t.Helper()
	var key []string
	for _, c := range columns {
		name, _, _ := strings.Cut(c, ":")
		key = append(key, name)
	}
	s, err := join.NewSketch(context.Background(), arrowtest.Table(t, arrowtest.Allocator(t), columns, rows), key, opts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func sketchBytes(t testing.TB, s *join.Sketch) []byte {
	t.Helper()
	b, err := s.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func mustMerge(t testing.TB, s, o *join.Sketch) *join.Sketch {
	t.Helper()
	m, err := s.Merge(o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Parts that hold all their keys lose nothing when they are merged, though the whole has more keys than the sample.
func TestSketchOfExactParts(t *testing.T) {
	a, b := append(everyKey(50, 0), everyKey(10, 0)...), everyKey(60, 30)
	whole := sketchInts(t, append(a[:len(a):len(a)], b...), 64)
	if merged := mustMerge(t, sketchInts(t, a, 64), sketchInts(t, b, 64)); !bytes.Equal(sketchBytes(t, whole), sketchBytes(t, merged)) {
		t.Errorf("%v\n%v", whole.Side(), merged.Side())
	}
	small := sketchInts(t, append(everyKey(20, 0), everyKey(20, 10)...), 64)
	merged := mustMerge(t, sketchInts(t, everyKey(20, 0), 64), sketchInts(t, everyKey(20, 10), 64))
	if !bytes.Equal(sketchBytes(t, small), sketchBytes(t, merged)) {
		t.Errorf("%v\n%v", small.Side(), merged.Side())
	}
}

// A part without keys changes nothing but the number of NULLs.
func TestSketchOfEmptyParts(t *testing.T) {
	full := sketchInts(t, append(everyKey(500, 0), everyKey(100, 0)...), 64)
	none, err := join.NewSketch(context.Background(), nil, []string{"k"}, join.SketchOptions{Keys: 64})
	if err != nil {
		t.Fatal(err)
	}
	for _, merged := range []*join.Sketch{mustMerge(t, full, none), mustMerge(t, none, full)} {
		if !bytes.Equal(sketchBytes(t, full), sketchBytes(t, merged)) {
			t.Errorf("%v\n%v", full.Side(), merged.Side())
		}
	}
	nulls := sketchTable(t, []string{"k:int32"}, [][]any{{nil}, {nil}}, join.SketchOptions{Keys: 64})
	side := mustMerge(t, nulls, full).Side()
	if side.Rows != 602 || side.NullRows != 2 || !side.Keys.Exact() || side.MaxRows != 2 {
		t.Errorf("%+v", side)
	}
}

// The null type inside a nested one gives way to the other part's type.
func TestSketchOfNullFields(t *testing.T) {
	a := sketchTable(t, []string{"k:struct<a:null>"}, [][]any{{map[string]any{"a": nil}}}, join.SketchOptions{})
	b := sketchTable(t, []string{"k:struct<a:int32>"}, [][]any{{map[string]any{"a": 1}}}, join.SketchOptions{})
	c := sketchTable(t, []string{"k:struct<a:string>"}, nil, join.SketchOptions{})
	l := sketchTable(t, []string{"k:list<list<null>>"}, nil, join.SketchOptions{})
	m := sketchTable(t, []string{"k:list<list<date32>>"}, nil, join.SketchOptions{})
	n := sketchTable(t, []string{"k:list<list<bool>>"}, nil, join.SketchOptions{})
	for _, parts := range [][3]*join.Sketch{{a, b, c}, {b, a, c}, {l, m, n}, {m, l, n}} {
		ab := mustMerge(t, parts[0], parts[1])
		var te *onerow.TypeError
		if _, err := ab.Merge(parts[2]); !errors.As(err, &te) || te.Column != "k" {
			t.Errorf("%v", err)
		}
		if _, err := join.EstimateSketches(ab, parts[2]); !errors.As(err, &te) {
			t.Errorf("%v", err)
		}
	}
}

// Keys of several forms are shown alike whatever the order of merges, in the sample and among the heavy keys.
func TestSketchOfForms(t *testing.T) {
	forms := func(zero any, more int) *join.Sketch {
		var rows [][]any
		for range 50 {
			rows = append(rows, []any{zero})
		}
		for i := range more {
			rows = append(rows, []any{float64(i + 1)})
		}
		return sketchTable(t, []string{"k:float64"}, rows, join.SketchOptions{Keys: 64})
	}
	for _, more := range []int{3, 300} {
		plain, minus := forms(0.0, more), forms(map[string]any{"f": "-0"}, more)
		a, b := mustMerge(t, plain, minus), mustMerge(t, minus, plain)
		if !bytes.Equal(sketchBytes(t, a), sketchBytes(t, b)) {
			t.Errorf("%d more keys: the order of merges matters", more)
		}
	}
}

// Keys of several forms are shown as the first row has them, whichever worker reads it.
func TestSketchShowsFirst(t *testing.T) {
	b := array.NewFloat64Builder(arrowtest.Allocator(t))
	defer b.Release()
	for i := range 400_000 {
		b.Append(math.Copysign(0, float64(-min(i, 1))))
	}
	col := b.NewArray()
	defer col.Release()
	rec := array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "k", Type: col.DataType()}}, nil), []arrow.Array{col}, int64(col.Len()))
	defer rec.Release()
	for range 10 {
		s, err := join.NewSketch(context.Background(), []arrow.Record{rec}, []string{"k"}, join.SketchOptions{Resources: onerow.Resources{Workers: 4}})
		if err != nil {
			t.Fatal(err)
		}
		if text, _, ok := s.Only(); !ok || text != "0" {
			t.Fatalf("the key is shown as %q", text)
		}
	}
}

// A key that both parts are seen to have refutes that they have none in common.
func TestMergeDisjointRefuted(t *testing.T) {
	heavy := func(from int) *join.Sketch { // the key 77777 is heavy, and in no sample
		keys := everyKey(5000, from)
		for range 10 {
			keys = append(keys, 77777)
		}
		return sketchInts(t, keys, 64)
	}
	for _, parts := range [][2]*join.Sketch{
		{sketchInts(t, []int64{1, 2}, 64), sketchInts(t, []int64{2, 2, 3}, 64)},
		{heavy(0), heavy(10000)},
		{heavy(0), sketchInts(t, []int64{77777}, 64)},
		{sketchInts(t, []int64{77777}, 64), heavy(0)},
	} {
		_, err := parts[0].MergeDisjoint(parts[1])
		var ke *onerow.KeysError
		if !errors.As(err, &ke) || ke.Kind != onerow.ErrDuplicateKey || ke.Total != 1 || len(ke.Keys) != 1 || len(ke.Keys[0].Values) != 1 {
			t.Errorf("%v", err)
		}
	}
	if _, err := heavy(0).MergeDisjoint(sketchInts(t, everyKey(20, 9000), 64)); err != nil {
		t.Error(err)
	}
}

// Sketches that don't go together are refused, and say why.
func TestSketchesApart(t *testing.T) {
	ints := sketchInts(t, []int64{1}, 64)
	two := sketchTable(t, []string{"k:int64", "l:int64"}, [][]any{{1, 2}}, join.SketchOptions{})
	texts := sketchTable(t, []string{"k:string"}, nil, join.SketchOptions{})
	other := sketchTable(t, []string{"j:int8"}, nil, join.SketchOptions{})
	nulls := sketchTable(t, []string{"k:int64"}, nil, join.SketchOptions{Nulls: join.NullsEqual})
	naive := sketchTable(t, []string{"k:timestamp[s]"}, nil, join.SketchOptions{})
	zoned := sketchTable(t, []string{"k:timestamp[ns,UTC]"}, nil, join.SketchOptions{})
	for _, c := range []struct {
		a, b        *join.Sketch
		merge, join error // nil: they go
		why         string
	}{
		{ints, nil, onerow.ErrOption, onerow.ErrOption, "nil"},
		{ints, &join.Sketch{}, onerow.ErrNoKey, onerow.ErrNoKey, "no key columns"},
		{ints, two, onerow.ErrOption, onerow.ErrOption, "1 and 2 columns"},
		{ints, nulls, onerow.ErrOption, onerow.ErrOption, "NULLs meet in one"},
		{ints, texts, onerow.ErrType, onerow.ErrType, "never equal"},
		{naive, zoned, onerow.ErrType, onerow.ErrType, "zone"},
		{ints, other, onerow.ErrSchema, nil, `"k" in one part`},
	} {
		for _, pair := range [][2]*join.Sketch{{c.a, c.b}, {c.b, c.a}} {
			_, err := join.EstimateSketches(pair[0], pair[1])
			if !errors.Is(err, c.join) || c.join != nil && !strings.Contains(err.Error(), strings.Replace(c.why, "1 and 2", "", 1)) && c.b != two {
				t.Errorf("estimate: %v, not %v", err, c.join)
			}
			if pair[0] == nil {
				continue
			}
			for _, merge := range []func(a, b *join.Sketch) (*join.Sketch, error){(*join.Sketch).Merge, (*join.Sketch).MergeDisjoint} {
				if _, err := merge(pair[0], pair[1]); !errors.Is(err, c.merge) {
					t.Errorf("merge: %v, not %v", err, c.merge)
				}
			}
		}
		if _, err := c.a.Merge(c.b); !strings.Contains(fmt.Sprint(err), c.why) {
			t.Errorf("merge: %v, without %q", err, c.why)
		}
	}
	if _, err := (*join.Sketch)(nil).Merge(ints); !errors.Is(err, onerow.ErrOption) {
		t.Error(err)
	}
	if _, err := (*join.Sketch)(nil).MarshalBinary(); !errors.Is(err, onerow.ErrOption) {
		t.Error(err)
	}
	if _, err := new(join.Sketch).MarshalBinary(); !errors.Is(err, onerow.ErrNoKey) {
		t.Error(err)
	}
}

// A side of no batches goes with all types, and a null column too.
func TestSketchOfNothing(t *testing.T) {
	none, err := join.NewSketch(context.Background(), nil, []string{"k"}, join.SketchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	null := sketchTable(t, []string{"k:null"}, [][]any{{nil}, {nil}}, join.SketchOptions{})
	for _, typ := range []string{"int64", "string", "struct<a:int8>", "list<bool>", "decimal(5,2)", "null"} {
		some := sketchTable(t, []string{"k:" + typ}, [][]any{{nil}}, join.SketchOptions{})
		for _, empty := range []*join.Sketch{none, null} {
			e, err := join.EstimateSketches(some, empty)
			if err != nil || !e.Exact || e.Rows.Inner.String() != "0" || e.Rows.Left.String() != "1" {
				t.Errorf("%s: %v %v", typ, e, err)
			}
			if m := mustMerge(t, empty, some); m.Side().Rows != some.Side().Rows+empty.Side().Rows {
				t.Errorf("%s: %v", typ, m)
			}
		}
	}
}

// The keys of one partition are spread evenly over hashes as well: its sketches estimate as others do.
func TestSketchOfPartition(t *testing.T) {
	left, right := everyKey(200_000, 0), everyKey(200_000, 100_000)
	var part [2][]int64
	for side, keys := range [][]int64{left, right} {
		rows, err := onerow.Partition(context.Background(), intKeys(t, keys), []string{"k"}, 8)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows[3] {
			part[side] = append(part[side], keys[r])
		}
	}
	var sides [2]*join.Sketch
	for side, keys := range part {
		sides[side] = mustMerge(t, sketchInts(t, keys[:len(keys)/2], 256), sketchInts(t, keys[len(keys)/2:], 256))
	}
	e, err := join.EstimateSketches(sides[0], sides[1])
	if err != nil {
		t.Fatal(err)
	}
	rows, keys := joinCounts(part[0], part[1])
	for what, c := range map[string]struct {
		a    join.Approx
		want float64
	}{"inner": {e.Rows.Inner, rows[0]}, "left keys": {e.Left.Keys, keys[1]}, "right keys": {e.Right.Keys, keys[2]}, "matched keys": {e.MatchedKeys, keys[0]}} {
		if off := math.Abs(c.a.Estimate.Float64() - c.want); off > 3*c.a.StdErr || c.a.StdErr > 0.2*c.want {
			t.Errorf("%s: %v, not %v", what, c.a, c.want)
		}
	}
}

// Workers and cuts change nothing in a table of many partitions either; the heavy keys are exact.
func TestSketchOfManyRows(t *testing.T) {
	keys := make([]int64, 0, 400_000)
	for i := range int64(200_000) {
		keys = append(keys, i, i*i%5000)
	}
	rec := intKeys(t, keys)[0]
	var cut []arrow.Record
	for at := int64(0); at < rec.NumRows(); at += 77_777 {
		s := rec.NewSlice(at, min(at+77_777, rec.NumRows()))
		defer s.Release()
		cut = append(cut, s)
	}
	var want []byte
	for _, workers := range []int{1, 2, 5} {
		for _, batches := range [][]arrow.Record{{rec}, cut} {
			s, err := join.NewSketch(context.Background(), batches, []string{"k"}, join.SketchOptions{Keys: 300, Resources: onerow.Resources{Workers: workers}})
			if err != nil {
				t.Fatal(err)
			}
			if got := sketchBytes(t, s); want == nil {
				want = got
			} else if !bytes.Equal(want, got) {
				t.Errorf("%d workers, %d batches: other bytes", workers, len(batches))
			}
		}
	}
}

// collide makes pairs of integers of one stable hash: combine of their mix64, see internal/form.
func collide(n int) (rows [2][]int64) {
	const golden, by = 0x9e3779b97f4a7c15, 0xd1342543de82ef95
	inverse := func(m uint64) uint64 {
		x := m
		for range 6 {
			x *= 2 - m*x
		}
		return x
	}
	unshift := func(x uint64, n int) uint64 {
		y := x
		for range 64 / n {
			y = x ^ y>>n
		}
		return y
	}
	mix := func(x uint64) uint64 {
		x += golden
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		return x ^ x>>31
	}
	for i := range n {
		part := bits.RotateLeft64(^uint64(golden)^mix(uint64(i))*by, -29)
		part = unshift(part, 31) * inverse(0x94d049bb133111eb)
		part = unshift(part, 27) * inverse(0xbf58476d1ce4e5b9)
		rows[0], rows[1] = append(rows[0], int64(i)), append(rows[1], int64(unshift(part, 30)-golden))
	}
	return rows
}

// More keys of one hash than any sample holds cost no more than others, and ties go by their bytes, whatever the order of rows.
func TestSketchOfOneHash(t *testing.T) {
	n := 1<<20 + 100
	if testing.Short() {
		n = 1 << 16
	}
	cells := collide(n)
	sketch := func() *join.Sketch {
		typ := arrow.PrimitiveTypes.Int64
		b := array.NewRecordBuilder(arrowtest.Allocator(t), arrow.NewSchema([]arrow.Field{{Name: "a", Type: typ}, {Name: "b", Type: typ}}, nil))
		defer b.Release()
		for i, c := range cells {
			b.Field(i).(*array.Int64Builder).AppendValues(c, nil)
			b.Field(i).(*array.Int64Builder).AppendValues(c[n/2-500:n/2+500], nil) // keys that come twice
		}
		rec := b.NewRecord()
		defer rec.Release()
		if rows, err := onerow.Partition(context.Background(), []arrow.Record{rec}, []string{"a", "b"}, 1<<20); err != nil || len(rows[len(rows)-1]) != n+1000 {
			t.Fatalf("the hashes differ: %v", err)
		}
		s, err := join.NewSketch(context.Background(), []arrow.Record{rec}, []string{"a", "b"}, join.SketchOptions{Keys: 64})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	a := sketch()
	for _, c := range cells {
		slices.Reverse(c)
	}
	if !bytes.Equal(sketchBytes(t, a), sketchBytes(t, sketch())) {
		t.Error("the order of rows matters")
	}
	e, err := join.EstimateSketches(a, a)
	if err != nil {
		t.Fatal(err)
	}
	if why := holds(e.Rows.Inner, join.CountOf(uint64(n-1000+4*1000))); why != "" {
		t.Error(why)
	}
}

// Long keys are known by their digest, and shown cut.
func TestSketchOfLongKeys(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	rows := [][]any{{long + "a"}, {long + "b"}, {long + "a"}, {strings.Repeat("\x00", 119)}, {strings.Repeat("ü", 60)}}
	a := sketchTable(t, []string{"k:string"}, rows, join.SketchOptions{})
	b := sketchTable(t, []string{"k:large_string"}, rows[:1], join.SketchOptions{})
	if n := len(sketchBytes(t, a)); n > 2000 {
		t.Errorf("the sketch has %d bytes", n)
	}
	var read join.Sketch
	if err := read.UnmarshalBinary(sketchBytes(t, a)); err != nil {
		t.Fatal(err)
	}
	e, err := join.EstimateSketches(&read, b)
	if err != nil {
		t.Fatal(err)
	}
	if !e.Exact || e.Rows.Inner.String() != "2" || a.Side().Keys.String() != "4" || len(e.Worst) != 1 || len(e.Worst[0].Values[0]) > 160 {
		t.Errorf("%v", e)
	}
}
