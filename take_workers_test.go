package onerow_test

import (
	"bytes"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
)

// manyRows are two batches, and a list of so many of their rows that several workers share them.
func manyRows(t *testing.T) (batches []arrow.Record, rows onerow.Rows) {
	t.Helper()
	var first, second [][]any
	for i := range 500 {
		first = append(first, []any{i, []any{"a", nil, "longer text"}[i%3], i%2 == 0, []any{"x", "y"}[i/250], []any{i, nil}[i%2]})
		second = append(second, []any{-i, "b", nil, []any{"z", "x", nil}[i%3], 7})
	}
	batches = arrowtest.Batches(t, arrowtest.Allocator(t), []string{"id:int64", "name:string", "flag:bool", "kind:dict<int8,string>", "n:int32"}, first, second)
	for i := range 70_000 {
		rows = append(rows, uint32(i*7919%1000))
	}
	return batches, rows
}

// TestTakeWorkers: one worker and more make the right cells, in the same bytes.
func TestTakeWorkers(t *testing.T) {
	mem := arrowtest.Allocator(t)
	batches, rows := manyRows(t)
	var want [][]byte
	for _, workers := range []int{1, 2, 8} {
		rec, err := onerow.Take(t.Context(), batches, rows, onerow.Resources{Workers: workers, Allocator: mem})
		if err != nil {
			t.Fatal(err)
		}
		var got [][]byte
		for _, col := range rec.Columns() {
			got = appendBuffers(got, col.Data())
		}
		if want == nil {
			want = got
			if d := arrowtest.DiffList(arrowtest.Rows(batches, rows), arrowtest.Cells(rec)); d != "" {
				t.Error(d)
			}
		}
		if len(got) != len(want) {
			t.Fatalf("%d workers: %d buffers, want %d", workers, len(got), len(want))
		}
		for i := range want {
			if !bytes.Equal(want[i], got[i]) {
				t.Errorf("%d workers: buffer %d differs", workers, i)
			}
		}
		defer rec.Release()
	}
}

// appendBuffers lists the buffers of an array and of those below it.
func appendBuffers(list [][]byte, d arrow.ArrayData) [][]byte {
	for _, b := range d.Buffers() {
		if b != nil {
			list = append(list, b.Bytes())
		}
	}
	if d.DataType().ID() == arrow.DICTIONARY {
		list = appendBuffers(list, d.Dictionary())
	}
	for _, child := range d.Children() {
		list = appendBuffers(list, child)
	}
	return list
}

// TestTakeGoroutines: one worker is the caller's goroutine; more are worth it for many cells only.
func TestTakeGoroutines(t *testing.T) {
	mem := arrowtest.Allocator(t)
	batches, rows := manyRows(t)
	for _, c := range []struct {
		workers, rows int
		some          bool
	}{{1, len(rows), false}, {8, 1000, false}, {3, len(rows), true}} {
		started := arrowtest.GoroutinesStarted(func() {
			rec, err := onerow.Take(t.Context(), batches, rows[:c.rows], onerow.Resources{Workers: c.workers, Allocator: mem})
			if err != nil {
				t.Fatal(err)
			}
			rec.Release()
		})
		// Those that find the batches of the rows come before those that gather: of either no more than there are workers.
		if some := started > 0; some != c.some || started > uint64(2*c.workers) {
			t.Errorf("%d rows, %d workers: %d goroutines", c.rows, c.workers, started)
		}
	}
}
