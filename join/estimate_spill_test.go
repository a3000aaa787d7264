package join_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/google/go-cmp/cmp"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/spill/faultfs"
	"github.com/onerow-go/onerow/join"
)

// spillCall estimates two streams that spill: 300 keys on the left, each twice, of which the right side has every third.
func spillCall(ctx context.Context, t *testing.T, mem memory.Allocator, fs *faultfs.FS, dir string) (*join.Size, error) {
	t.Helper()
	defer join.SetSpillFS(fs)()
	defer join.SetBufferRows(50)()
	var sides [2]array.RecordReader
	for i, keys := range [][]int{make([]int, 600), make([]int, 100)} {
		for j := range keys {
			keys[j] = []int{j % 300, 3 * j}[i]
		}
		cut := cutBatches(largeSide(t, mem, "long text", keys)[0], 37)
		defer arrowtest.Release(cut)
		sides[i] = readerOf(t, cut)
		defer sides[i].Release()
	}
	r := onerow.Resources{Memory: 12_000, Workers: 2, Allocator: mem, Dir: dir}
	return join.EstimateReaders(ctx, sides[0], sides[1], join.On("k"), join.Options{Resources: r})
}

// TestSpill: the call that the other tests break spills more than once over, and is right.
func TestSpill(t *testing.T) {
	mem := arrowtest.Allocator(t)
	dir := t.TempDir()
	fs := &faultfs.FS{}
	goroutines := runtime.NumGoroutine()
	s, err := spillCall(t.Context(), t, mem, fs, dir)
	if err != nil {
		t.Fatal(err)
	}
	if s.Left.Keys != 300 || s.Right.Keys != 100 || s.Rows.Inner != join.CountOf(200) || s.Relationship != join.ManyToOne {
		t.Errorf("%v", s)
	}
	if d := fs.Done; d[faultfs.Mkdir] != 1 || d[faultfs.RemoveAll] != 1 || d[faultfs.Create] <= 64 || d[faultfs.Remove] != d[faultfs.Create] {
		t.Errorf("%v: that's too few", d)
	}
	arrowtest.NothingLeft(t, "success", dir, fs.Handles(), goroutines)
}

// TestSpillProgress: the progress is that of the matching, over all partitions, and is counted in rows.
func TestSpillProgress(t *testing.T) {
	mem := arrowtest.Allocator(t)
	keys := spreadKeys("few, then many", 1, 5000)
	side := largeSide(t, mem, "int64", keys)
	for _, memory := range []int64{0, 30_000} {
		for nulls, total := range map[join.Nulls]int64{join.NullsEqual: 10_000, join.NullsNever: 0} {
			if total == 0 {
				for _, k := range keys {
					if k != nullNumber {
						total += 2
					}
				}
			}
			left, right := readerOf(t, side), readerOf(t, side)
			last := int64(0)
			r := onerow.Resources{Memory: memory, Workers: 2, Allocator: mem, Dir: t.TempDir(), Progress: func(done, all int64, stage onerow.Stage) {
				if done <= last || all != total || stage != onerow.StageGroup {
					t.Errorf("%s: %d of %d, after %d of %d", stage, done, all, last, total)
				}
				last = done
			}}
			_, err := join.EstimateReaders(t.Context(), left, right, join.On("k"), join.Options{Nulls: nulls, Resources: r})
			left.Release()
			right.Release()
			if err != nil || last != total {
				t.Errorf("%d bytes: the end is at %d of %d, error %v", memory, last, total, err)
			}
		}
	}
}

// spills is spillCall for trials with faults.
func spills(t *testing.T) faultfs.Call {
	mem := arrowtest.Allocator(t)
	return func(fs *faultfs.FS, dir string) (bool, error) {
		s, err := spillCall(t.Context(), t, mem, fs, dir)
		return s != nil, err
	}
}

// TestSpillFaults: whichever call of the file system fails, its error comes back, without a size, and nothing is left.
func TestSpillFaults(t *testing.T) { faultfs.Faults(t, spills(t)) }

// TestSpillDamage: files that were changed end the call with an error.
func TestSpillDamage(t *testing.T) { faultfs.Damages(t, spills(t), 5) }

// TestSpillCancel ends the context at each point at which the call looks at it, and, where it looks seldom, with each call of the file system.
func TestSpillCancel(t *testing.T) {
	mem := arrowtest.Allocator(t)
	dir := t.TempDir()
	goroutines := runtime.NumGoroutine()
	step := int64(3)
	if testing.Short() {
		step = 19
	}
	for points := int64(0); ; points += step {
		ctx := arrowtest.EndAt(t.Context(), points)
		fs := &faultfs.FS{}
		s, err := spillCall(ctx, t, mem, fs, dir)
		arrowtest.NothingLeft(t, points, dir, fs.Handles(), goroutines)
		if err == nil {
			if points < 200 {
				t.Errorf("the context is looked at %d times", points)
			}
			break
		}
		if s != nil || !errors.Is(err, context.Canceled) {
			t.Fatalf("at point %d: %v, error %v", points, s, err)
		}
		if points > 150 {
			step = 397
		}
	}
	for _, op := range []faultfs.Op{faultfs.Create, faultfs.Write, faultfs.Open, faultfs.Read, faultfs.Remove} {
		ctx, cancel := context.WithCancel(t.Context())
		fs := &faultfs.FS{Did: func(did faultfs.Op) {
			if did == op {
				cancel()
			}
		}}
		s, err := spillCall(ctx, t, mem, fs, dir)
		if s != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, error %v", op, s, err)
		}
		arrowtest.NothingLeft(t, op, dir, fs.Handles(), goroutines)
	}
}

// TestSpillMalformed: buffers that contradict their shape are an error under a budget too.
func TestSpillMalformed(t *testing.T) {
	values := array.NewData(arrow.BinaryTypes.String, 2, []*memory.Buffer{nil, memory.NewBufferBytes(make([]byte, 12)), memory.NewBufferBytes(nil)}, nil, 0, 0)
	defer values.Release()
	texts := func(offsets ...int32) arrow.Array {
		return array.MakeFromData(array.NewData(arrow.BinaryTypes.String, 2, []*memory.Buffer{nil, memory.NewBufferBytes(arrow.GetBytes(offsets)), memory.NewBufferBytes([]byte("ab"))}, nil, 0, 0))
	}
	index := func(i byte) arrow.Array {
		typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
		return array.MakeFromData(array.NewDataWithDictionary(typ, 2, []*memory.Buffer{nil, memory.NewBufferBytes([]byte{i, 0})}, 0, 0, values))
	}
	for name, col := range map[string]arrow.Array{"offsets beyond the data": texts(0, 1<<30, 2), "offsets that go back": texts(2, 0, 2), "negative": texts(0, -1, 2),
		"an index beyond the dictionary": index(2), "a negative index": index(0xff)} {
		rec := array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "k", Type: col.DataType()}}, nil), []arrow.Array{col}, 2)
		for _, n := range []int64{1000, 1 << 30} {
			left, right := readerOf(t, []arrow.Record{rec}), readerOf(t, []arrow.Record{rec})
			r := onerow.Resources{Memory: n, Allocator: arrowtest.Allocator(t), Dir: t.TempDir()}
			s, err := join.EstimateReaders(t.Context(), left, right, join.On("k"), join.Options{Resources: r})
			if s != nil || !errors.Is(err, onerow.ErrMalformed) {
				t.Errorf("%s, %d bytes: %v, error %v", name, n, s, err)
			}
		}
	}
}

// panicReader panics after its batches.
type panicReader struct{ array.RecordReader }

func (r panicReader) Next() bool {
	if !r.RecordReader.Next() {
		panic("mine")
	}
	return true
}

// TestSpillPanic: a panic of the caller's own code goes on, and nothing is left.
func TestSpillPanic(t *testing.T) {
	mem := arrowtest.Allocator(t)
	dir := t.TempDir()
	fs := &faultfs.FS{}
	defer join.SetSpillFS(fs)()
	keys := make([]int, 500)
	for i := range keys {
		keys[i] = i
	}
	side := largeSide(t, mem, "int64", keys)
	left, right := readerOf(t, side), readerOf(t, side)
	defer left.Release()
	defer right.Release()
	goroutines := runtime.NumGoroutine()
	func() {
		defer func() {
			if p := recover(); p != "mine" {
				t.Errorf("panic %v", p)
			}
		}()
		r := onerow.Resources{Memory: 10_000, Allocator: mem, Dir: dir}
		s, err := join.EstimateReaders(t.Context(), left, panicReader{right}, join.On("k"), join.Options{Resources: r})
		t.Errorf("%v, error %v", s, err)
	}()
	if len(fs.Folders) == 0 {
		t.Error("nothing spilled")
	}
	arrowtest.NothingLeft(t, "panic", dir, fs.Handles(), goroutines)
}

// TestSpillLongKeys has texts of 1 MiB, plain and behind dictionaries, far more than the budget: keys that repeat in every batch, and one key
// that all rows have.
func TestSpillLongKeys(t *testing.T) {
	const long = 1 << 20
	text := func(n int) string { return strings.Repeat(fmt.Sprint(n, " "), long)[:long] }
	for _, distinct := range []int{1, 12} {
		mem := arrowtest.Allocator(t)
		dir := t.TempDir()
		fs := &faultfs.FS{}
		restore := join.SetSpillFS(fs)
		plain := array.NewStringBuilder(mem)
		for n := range distinct {
			plain.Append(text(n))
		}
		values := plain.NewArray()
		plain.Release()
		typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
		index := array.NewInt8Builder(mem)
		for i := range 2000 {
			index.Append(int8(i % distinct))
		}
		indices := index.NewArray()
		index.Release()
		coded := array.NewDictionaryArray(typ, indices, values)
		record := func(col arrow.Array) arrow.Record {
			return array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "k", Type: col.DataType()}}, nil), []arrow.Array{col}, int64(col.Len()))
		}
		recs := [2]arrow.Record{record(values), record(coded)}
		sides := [2][]arrow.Record{{recs[0], recs[0], recs[0]}, {recs[1], recs[1]}}
		want, err := join.Estimate(t.Context(), sides[0], sides[1], join.On("k"), join.Options{})
		if err != nil {
			t.Fatal(err)
		}
		onlyFirstRows(want)
		left, right := readerOf(t, sides[0]), readerOf(t, sides[1])
		r := onerow.Resources{Memory: 3 * long, Allocator: mem, Dir: dir}
		got, err := join.EstimateReaders(t.Context(), left, right, join.On("k"), join.Options{Resources: r})
		restore()
		for _, o := range []interface{ Release() }{left, right, recs[0], recs[1], coded, indices, values} {
			o.Release()
		}
		if d := cmp.Diff(want, got, plainCounts); err != nil || d != "" {
			t.Errorf("%d keys (-want +got): %.3000s, error %v", distinct, d, err)
		}
		if (len(fs.Folders) > 0) != (distinct > 1) {
			t.Errorf("%d keys: %d folders", distinct, len(fs.Folders))
		}
	}
}
