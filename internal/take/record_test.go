package take_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/google/go-cmp/cmp"

	"github.com/onerow-go/onerow/internal/take"
)

// table is a few batches over columns of the given types, and their cells by column.
type table struct {
	schema  *arrow.Schema
	batches []arrow.Record
	cells   [][]any
}

func newTable(e *encoder, types []arrow.DataType, sizes ...int) table {
	fields := make([]arrow.Field, len(types))
	for i, typ := range types {
		fields[i] = field(fmt.Sprint("c", i), typ)
	}
	t := table{schema: arrow.NewSchema(fields, nil), cells: make([][]any, len(types))}
	for _, n := range sizes {
		columns := make([]arrow.Array, len(types))
		for i, typ := range types {
			cells := e.cells(typ, n, true)
			t.cells[i] = append(t.cells[i], cells...)
			columns[i] = e.array(typ, cells)
		}
		rec := array.NewRecord(t.schema, columns, int64(n))
		e.owned = append(e.owned, rec)
		t.batches = append(t.batches, rec)
	}
	return t
}

func TestRecord(t *testing.T) {
	for _, workers := range []int{1, 2, 3, 100} {
		mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
		e := newEncoder(mem, 5)
		types := everyType()
		tab := newTable(e, types, 3, 0, 20, 1)
		rows := []uint32{0, 2, 3, 22, 23, 4, 4, 1}
		rec, err := take.Record(context.Background(), mem, tab.schema, tab.batches, rows, workers)
		if err != nil {
			t.Fatal(err)
		}
		if !rec.Schema().Equal(tab.schema) || rec.NumRows() != int64(len(rows)) {
			t.Errorf("%d rows of %v", rec.NumRows(), rec.Schema())
		}
		for i, cells := range tab.cells {
			want := make([]any, len(rows))
			for k, r := range rows {
				want[k] = cells[r]
			}
			if d := cmp.Diff(want, decode(rec.Column(i)), cmp.AllowUnexported(union{})); d != "" {
				t.Errorf("column %d of type %v (-want +got):\n%s", i, types[i], d)
			}
		}
		rec.Release()
		e.release()
		mem.AssertSize(t, 0)
	}
}

func TestRecordWithoutColumnsOrBatches(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	e := newEncoder(mem, 5)
	defer e.release()
	none := newTable(e, nil, 4)
	none.batches[0] = array.NewRecord(none.schema, nil, 4)
	rec, err := take.Record(context.Background(), mem, none.schema, none.batches, []uint32{3, 0}, 2)
	if err != nil || rec.NumRows() != 2 || rec.NumCols() != 0 {
		t.Errorf("%v, error %v", rec, err)
	}
	rec.Release()

	empty := newTable(e, everyType())
	rec, err = take.Record(context.Background(), mem, empty.schema, nil, nil, 2)
	if err != nil || rec.NumRows() != 0 || !rec.Schema().Equal(empty.schema) {
		t.Errorf("%v, error %v", rec, err)
	}
	rec.Release()
}

// TestLong gathers more rows than fit a block, so that segments are cut inside a chunk.
func TestLong(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	e := newEncoder(mem, 5)
	defer e.release()
	p := arrow.PrimitiveTypes
	tab := newTable(e, []arrow.DataType{
		p.Int32, arrow.FixedWidthTypes.Boolean, arrow.BinaryTypes.String, arrow.BinaryTypes.StringView, arrow.ListOf(p.Int8),
		arrow.FixedSizeListOf(2, p.Int8), arrow.RunEndEncodedOf(p.Int32, p.Int8), dict(p.Int32, p.Int16),
		arrow.DenseUnionOf([]arrow.Field{field("a", p.Int8), field("b", p.Int16)}, []arrow.UnionTypeCode{0, 1}),
	}, 100, 50)
	rows := make([]uint32, 150_000)
	for i := range rows {
		rows[i] = uint32(i * 7 % 150)
	}
	rec, err := take.Record(context.Background(), mem, tab.schema, tab.batches, rows, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Release()
	for i, cells := range tab.cells {
		col := rec.Column(i)
		for k, r := range rows {
			if got := decodeCell(col, k); !cmp.Equal(cells[r], got, cmp.AllowUnexported(union{})) {
				t.Fatalf("column %v, row %d: %v, want %v", col.DataType(), k, got, cells[r])
			}
		}
	}
	rows = make([]uint32, 100_000) // one row of the first chunk: one run
	one, err := take.Column(context.Background(), mem, []arrow.Array{tab.batches[0].Column(6)}, rows)
	if err != nil {
		t.Fatal(err)
	}
	defer one.Release()
	if n := one.Data().Children()[0].Len(); n != 1 {
		t.Errorf("%d runs of one value", n)
	}
}

// TestFirstErrorWins tells the error of the first column that has one, for any number of workers.
func TestFirstErrorWins(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	e := newEncoder(mem, 5)
	defer e.release()
	runs := arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int8)
	tab := newTable(e, []arrow.DataType{arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int8, runs, arrow.BinaryTypes.Binary, runs, runs, runs}, 10)
	for _, workers := range []int{1, 2, 3, 7} {
		for range 20 {
			_, err := take.Record(context.Background(), mem, tab.schema, tab.batches, make([]uint32, 40_000), workers)
			var column *take.ColumnError
			var size *take.SizeError
			if !errors.As(err, &column) || column.Index != 2 || !errors.As(err, &size) {
				t.Fatalf("%d workers: error %v", workers, err)
			}
		}
	}
}

// cancelling cancels a context when the n-th buffer is asked for.
type cancelling struct {
	memory.Allocator
	n      atomic.Int64
	cancel context.CancelFunc
}

func (c *cancelling) Allocate(size int) []byte {
	if c.n.Add(-1) == 0 {
		c.cancel()
	}
	return c.Allocator.Allocate(size)
}

// TestCancel cancels the call at every buffer that it makes.
func TestCancel(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	e := newEncoder(mem, 5)
	defer e.release()
	tab := newTable(e, everyType(), 10, 10)
	rows := make([]uint32, 5000)
	for i := range rows {
		rows[i] = uint32(i * 3 % 20)
	}
	cancelAt := func(n int64) (canceled bool) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		c := &cancelling{Allocator: mem, cancel: cancel}
		c.n.Store(n)
		rec, err := take.Record(ctx, c, tab.schema, tab.batches, rows, 2)
		if err == nil {
			rec.Release()
			return false
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("error %v", err)
		}
		return true
	}
	for n := int64(1); cancelAt(n); n += 41 {
		if n > 10_000 {
			t.Fatal("the call never gets to its end")
		}
	}

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := take.Record(ctx, mem, tab.schema, tab.batches, rows, 2); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// panicking is an allocator out of memory.
type panicking struct {
	memory.Allocator
	n atomic.Int64
}

func (p *panicking) Allocate(size int) []byte {
	if p.n.Add(-1) == 0 {
		panic("out of memory")
	}
	return p.Allocator.Allocate(size)
}

// TestPanic lets a worker panic at every buffer that the call makes: an error, and no leak.
func TestPanic(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	e := newEncoder(mem, 5)
	defer e.release()
	tab := newTable(e, everyType(), 5, 5)
	for n := int64(1); ; n += 7 {
		if n > 10_000 {
			t.Fatal("the call never gets to its end")
		}
		p := &panicking{Allocator: mem}
		p.n.Store(n)
		rec, err := take.Record(context.Background(), p, tab.schema, tab.batches, []uint32{9, 1, 3, 3}, 3)
		if err == nil {
			rec.Release()
			break
		}
		var broken *take.DataError
		if !errors.As(err, &broken) {
			t.Fatalf("error %v", err)
		}
	}
}

// TestConcurrentCalls gathers from shared, sliced batches, whose number of NULLs Arrow counts on demand.
func TestConcurrentCalls(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	e := newEncoder(mem, 5)
	defer e.release()
	tab := newTable(e, everyType(), 5, 30)
	done := make(chan error)
	for range 4 {
		go func() {
			rec, err := take.Record(context.Background(), mem, tab.schema, tab.batches, []uint32{9, 1, 3, 3, 30}, 3)
			if err == nil {
				rec.Release()
			}
			done <- err
		}()
	}
	for range 4 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}
