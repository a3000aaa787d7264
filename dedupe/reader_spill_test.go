package dedupe_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/dedupe"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/spill/faultfs"
)

// spillRows are 1,200 rows of 400 keys, a third of which tie, and some have no key.
func spillRows(mem memory.Allocator) []arrow.Record {
	schema := arrow.NewSchema([]arrow.Field{{Name: "k", Type: arrow.BinaryTypes.String, Nullable: true}, {Name: "seq", Type: arrow.PrimitiveTypes.Int64},
		{Name: "v", Type: arrow.PrimitiveTypes.Int64}}, nil)
	b := array.NewRecordBuilder(mem, schema)
	defer b.Release()
	for i := range 1200 {
		if n := i % 400; n%50 == 49 {
			b.Field(0).AppendNull()
		} else {
			b.Field(0).(*array.StringBuilder).Append(fmt.Sprint("a key of some length, number ", n))
		}
		b.Field(1).(*array.Int64Builder).Append(int64(i % 400 % 3 * i))
		b.Field(2).(*array.Int64Builder).Append(int64(i))
	}
	rec := b.NewRecord()
	defer rec.Release()
	var out []arrow.Record
	for lo := int64(0); lo < rec.NumRows(); lo += 70 {
		out = append(out, rec.NewSlice(lo, min(rec.NumRows(), lo+70)))
	}
	return out
}

// spillOutcome is what a call came to.
type spillOutcome struct {
	rows, aside onerow.Rows
	report      dedupe.Report
}

// spillCall reads the rows as a stream of which little has room, to the end of both streams.
func spillCall(ctx context.Context, t *testing.T, mem memory.Allocator, fs *faultfs.FS, dir string, workers int) (*spillOutcome, error) {
	t.Helper()
	defer dedupe.SetStreamFS(fs)()
	defer dedupe.SetLeastRoom(1)()
	batches := spillRows(mem)
	defer arrowtest.Release(batches)
	in, err := array.NewRecordReader(batches[0].Schema(), batches)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Release()
	opts := dedupe.Options{NullKey: onerow.SetAsideNullKeys, Ties: dedupe.SetAsideTies,
		Resources: onerow.Resources{Memory: 40_000, Workers: workers, Allocator: mem, Dir: dir}}
	r, err := dedupe.NewReader(ctx, in, []string{"k"}, []onerow.Order{onerow.Desc("seq")}, opts)
	if err != nil {
		return nil, err
	}
	defer r.Release()
	out := &spillOutcome{report: r.Report()}
	for _, from := range []struct {
		*dedupe.RowReader
		to *onerow.Rows
	}{{&r.RowReader, &out.rows}, {r.SetAside(), &out.aside}} {
		for from.Next() {
			*from.to = append(*from.to, from.Rows()...)
		}
		if err := from.Err(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// TestReaderSpills: the call that the other tests break deals rows out, deals some out again, merges runs of winners and of rows set aside, and is right.
func TestReaderSpills(t *testing.T) {
	for _, workers := range []int{1, 3} {
		mem := arrowtest.Allocator(t)
		dir := t.TempDir()
		fs := &faultfs.FS{}
		goroutines := runtime.NumGoroutine()
		got, err := spillCall(t.Context(), t, mem, fs, dir, workers)
		if err != nil {
			t.Fatal(err)
		}
		batches := spillRows(mem)
		want, err := dedupe.Latest(t.Context(), batches, []string{"k"}, []onerow.Order{onerow.Desc("seq")},
			dedupe.Options{NullKey: onerow.SetAsideNullKeys, Ties: dedupe.SetAsideTies})
		arrowtest.Release(batches)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.rows, want.Rows) || !slices.Equal(got.aside, want.SetAside) || got.report != want.Report || want.Report.TiedRows == 0 {
			t.Errorf("%d and %d rows, want %d and %d: %v", len(got.rows), len(got.aside), len(want.Rows), len(want.SetAside), got.report)
		}
		// Some 1,700 files; 400 where what is dealt out again goes by the same bits of the hash.
		if d := fs.Done; d[faultfs.Mkdir] != 1 || d[faultfs.RemoveAll] != 1 || d[faultfs.Create] <= 800 || d[faultfs.Remove] != d[faultfs.Create] {
			t.Errorf("%v: that's too few", d)
		}
		arrowtest.NothingLeft(t, "success", dir, fs.Handles(), goroutines)
	}
}

// spills is spillCall for trials with faults.
func spills(t *testing.T, workers int) faultfs.Call {
	mem := arrowtest.Allocator(t)
	return func(fs *faultfs.FS, dir string) (bool, error) {
		out, err := spillCall(t.Context(), t, mem, fs, dir, workers)
		return out != nil, err
	}
}

// TestReaderFaults: whichever call of the file system fails, with a worker that writes and without, its error comes back, and nothing is left.
func TestReaderFaults(t *testing.T) {
	for _, workers := range []int{1, 2} {
		faultfs.Faults(t, spills(t, workers))
	}
}

// TestReaderDamage: files that were changed end the call, or the reading, with an error.
func TestReaderDamage(t *testing.T) { faultfs.Damages(t, spills(t, 2), 5, 60) }

// TestReaderCancel ends the context at each point at which the call, or the reading, looks at it, and with each call of the file system.
func TestReaderCancel(t *testing.T) {
	mem := arrowtest.Allocator(t)
	dir := t.TempDir()
	goroutines := runtime.NumGoroutine()
	step := int64(7)
	if testing.Short() {
		step = 61
	}
	for points := int64(0); ; points += step {
		fs := &faultfs.FS{}
		out, err := spillCall(arrowtest.EndAt(t.Context(), points), t, mem, fs, dir, 2)
		arrowtest.NothingLeft(t, points, dir, fs.Handles(), goroutines)
		if err == nil {
			if points < 400 {
				t.Errorf("the context is looked at %d times", points)
			}
			break
		}
		if out != nil || !errors.Is(err, context.Canceled) {
			t.Fatalf("at point %d: %v, error %v", points, out, err)
		}
		step += step / 4
	}
	for _, op := range []faultfs.Op{faultfs.Create, faultfs.Write, faultfs.Open, faultfs.Read, faultfs.Remove} {
		ctx, cancel := context.WithCancel(t.Context())
		fs := &faultfs.FS{Did: func(did faultfs.Op) {
			if did == op {
				cancel()
			}
		}}
		out, err := spillCall(ctx, t, mem, fs, dir, 2)
		if out != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, error %v", op, out, err)
		}
		arrowtest.NothingLeft(t, op, dir, fs.Handles(), goroutines)
		cancel()
	}
}

// panics is a reader that panics after some batches.
type panics struct {
	array.RecordReader
	after int
}

func (p *panics) Next() bool {
	if p.after--; p.after < 0 {
		panic("mine")
	}
	return p.RecordReader.Next()
}

// TestReaderPanic: a panic of the caller's own code goes on, from the stream and from the file system, and nothing is left.
func TestReaderPanic(t *testing.T) {
	for name, fs := range map[string]*faultfs.FS{"stream": {}, "file system": {Did: func(op faultfs.Op) {
		if op == faultfs.Write {
			panic("mine")
		}
	}}} {
		mem := arrowtest.Allocator(t)
		dir := t.TempDir()
		goroutines := runtime.NumGoroutine()
		batches := spillRows(mem)
		in, err := array.NewRecordReader(batches[0].Schema(), batches)
		if err != nil {
			t.Fatal(err)
		}
		defer dedupe.SetLeastRoom(1)()
		restore := dedupe.SetStreamFS(fs)
		func() {
			defer func() {
				if p := recover(); p != "mine" {
					t.Errorf("%s: panic %v", name, p)
				}
			}()
			opts := dedupe.Options{NullKey: onerow.SetAsideNullKeys, Ties: dedupe.TiesByContent,
				Resources: onerow.Resources{Memory: 40_000, Workers: 2, Allocator: mem, Dir: dir}}
			_, err := dedupe.NewReader(t.Context(), &panics{in, 12}, []string{"k"}, []onerow.Order{onerow.Desc("seq")}, opts)
			t.Errorf("%s: error %v", name, err)
		}()
		restore()
		in.Release()
		arrowtest.Release(batches)
		if len(fs.Folders) == 0 {
			t.Errorf("%s: nothing went to files", name)
		}
		arrowtest.NothingLeft(t, name, dir, fs.Handles(), goroutines)
	}
}
