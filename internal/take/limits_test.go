package take_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow/internal/take"
)

// sizeError gathers and expects a *SizeError, and that the allocator gave no buffer of a size near the output's.
func sizeError(t *testing.T, a arrow.Array, rows []uint32, want take.SizeError) {
	t.Helper()
	mem := &largest{Allocator: memory.DefaultAllocator}
	got, err := take.Column(context.Background(), mem, []arrow.Array{a}, rows)
	if err == nil {
		got.Release()
	}
	var size *take.SizeError
	if !errors.As(err, &size) {
		t.Fatalf("error %v, want a *SizeError", err)
	}
	if !arrow.TypeEqual(size.Type, want.Type) || size.Size != want.Size || size.Limit != want.Limit || size.Unit != want.Unit {
		t.Errorf("%v, want %v", size, &want)
	}
	if mem.size > 1<<20 {
		t.Errorf("%d bytes were allocated for an output that can't be", mem.size)
	}
}

// largest notes the size of the largest buffer that was asked for.
type largest struct {
	memory.Allocator
	size int
}

func (l *largest) Allocate(n int) []byte {
	l.size = max(l.size, n)
	return l.Allocator.Allocate(n)
}

func TestTooManyBytes(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	b := array.NewStringBuilder(mem)
	defer b.Release()
	b.Append(strings.Repeat("x", 64<<20))
	b.Append("short")
	text := b.NewStringArray()
	defer text.Release()
	sizeError(t, text, make([]uint32, 40), take.SizeError{Type: text.DataType(), Size: 40 * 64 << 20, Limit: math.MaxInt32, Unit: take.Bytes})

	nested := array.NewData(arrow.ListOf(text.DataType()), 1, []*memory.Buffer{nil, memory.NewBufferBytes([]byte{0, 0, 0, 0, 2, 0, 0, 0})},
		[]arrow.ArrayData{text.Data()}, 0, 0)
	defer nested.Release()
	list := array.MakeFromData(nested)
	defer list.Release()
	sizeError(t, list, make([]uint32, 40), take.SizeError{Type: text.DataType(), Size: 40 * (64<<20 + 5), Limit: math.MaxInt32, Unit: take.Bytes})
}

// wideList returns one list, or list view, of n NULLs.
func wideList(t *testing.T, typ arrow.DataType, n int32, buffers ...*memory.Buffer) arrow.Array {
	t.Helper()
	elems := array.NewNull(int(n))
	defer elems.Release()
	data := array.NewData(typ, 1, append([]*memory.Buffer{nil}, buffers...), []arrow.ArrayData{elems.Data()}, 0, 0)
	defer data.Release()
	return array.MakeFromData(data)
}

func TestTooManyElements(t *testing.T) {
	const n = 1 << 30
	int32s := func(v ...int32) *memory.Buffer { return memory.NewBufferBytes(arrow.GetBytes(v)) }
	want := take.SizeError{Size: 3 * n, Limit: math.MaxInt32, Unit: take.Elements}

	list := wideList(t, arrow.ListOf(arrow.Null), n, int32s(0, n))
	defer list.Release()
	want.Type = list.DataType()
	sizeError(t, list, []uint32{0, 0, 0}, want)

	view := wideList(t, arrow.ListViewOf(arrow.Null), n, int32s(0), int32s(n))
	defer view.Release()
	want.Type = view.DataType()
	sizeError(t, view, []uint32{0, 0, 0}, want)
}

func TestTooManyRowsForRunEnds(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	e := newEncoder(mem, 1)
	defer e.release()
	runs := e.array(arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int16, arrow.BinaryTypes.String), []any{"a"})
	sizeError(t, runs, make([]uint32, 32768), take.SizeError{Type: runs.DataType(), Size: 32768, Limit: 32767, Unit: take.Rows})

	got, err := take.Column(context.Background(), mem, []arrow.Array{runs}, make([]uint32, 32767))
	if err != nil {
		t.Fatal(err)
	}
	defer got.Release()
	if d := got.Data().Children()[1]; d.Len() != 1 {
		t.Errorf("%d runs for one value", d.Len())
	}
}

func TestTooManyDictionaryValues(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	for _, c := range []struct {
		index arrow.DataType
		limit int64
	}{{arrow.PrimitiveTypes.Int8, 128}, {arrow.PrimitiveTypes.Uint8, 256}} {
		e := newEncoder(mem, 1)
		e.plain = true
		var chunks []arrow.Array
		var rows []uint32
		typ := dict(c.index, arrow.PrimitiveTypes.Int16)
		for i := range int(c.limit) + 1 { // a dictionary of one value for each chunk
			chunks = append(chunks, e.array(typ, []any{string([]byte{byte(i), byte(i >> 8)})}))
			rows = append(rows, uint32(i))
		}
		got, err := take.Column(context.Background(), mem, chunks, rows[:c.limit])
		if err != nil {
			t.Fatal(err)
		}
		if n := got.(*array.Dictionary).Dictionary().Len(); n != int(c.limit) {
			t.Errorf("%d values, want %d", n, c.limit)
		}
		if first, last := decodeCell(got, 0), decodeCell(got, int(c.limit)-1); first != "\x00\x00" || last != string([]byte{byte(c.limit - 1), byte((c.limit - 1) >> 8)}) {
			t.Errorf("%q and %q", first, last)
		}
		got.Release()
		_, err = take.Column(context.Background(), mem, chunks, rows)
		var size *take.SizeError
		if !errors.As(err, &size) || size.Size != c.limit+1 || size.Limit != c.limit || size.Unit != take.Values {
			t.Errorf("error %v, want %d values of at most %d", err, c.limit+1, c.limit)
		}
		e.release()
	}
}

func TestRowOutside(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	e := newEncoder(mem, 1)
	defer e.release()
	typ := arrow.PrimitiveTypes.Int32
	cells := e.cells(typ, 6, true)
	for _, chunks := range [][]arrow.Array{
		{e.array(typ, cells)}, {e.array(typ, cells[:2]), e.array(typ, nil), e.array(typ, cells[2:]), e.array(typ, nil)},
		{e.array(typ, nil)},
	} {
		total := int64(0)
		for _, c := range chunks {
			total += int64(c.Len())
		}
		for _, row := range []uint32{uint32(total), math.MaxUint32} {
			rows := []uint32{row}
			if total > 0 {
				rows = []uint32{0, 5, row, 1}
			}
			_, err := take.Column(context.Background(), mem, chunks, rows)
			var outside *take.RowError
			if !errors.As(err, &outside) || outside.Row != row || outside.Rows != total {
				t.Errorf("row %d of %d: error %v", row, total, err)
			}
		}
	}
}
