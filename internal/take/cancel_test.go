package take

import (
	"context"
	"errors"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// cancelLarge cancels a context when a large buffer is asked for.
type cancelLarge struct {
	memory.Allocator
	cancel context.CancelFunc
}

func (c *cancelLarge) Allocate(n int) []byte {
	if n > block {
		c.cancel()
	}
	return c.Allocator.Allocate(n)
}

// TestCancelInsideColumn cancels a column of few rows whose bytes alone are long work, and a column of many rows.
func TestCancelInsideColumn(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	for _, c := range []struct {
		typ  arrow.DataType
		size int
		rows int
	}{
		{arrow.BinaryTypes.Binary, 8 << 20, 2}, {arrow.BinaryTypes.BinaryView, 8 << 20, 2},
		{&arrow.FixedSizeBinaryType{ByteWidth: 1 << 20}, 1 << 20, 8}, {arrow.BinaryTypes.LargeBinary, 0, 3 * block},
		{&arrow.FixedSizeBinaryType{ByteWidth: 1}, 1, 3 * block},
	} {
		b := array.NewBuilder(mem, c.typ)
		switch b := b.(type) {
		case *array.FixedSizeBinaryBuilder:
			b.Append(make([]byte, c.size))
		case interface{ Append([]byte) }:
			b.Append(make([]byte, c.size))
		}
		col := b.NewArray()
		ctx, cancel := context.WithCancel(context.Background())
		p, err := locate([]int64{0, 1}, make([]uint32, c.rows), 1)
		if err != nil {
			t.Fatal(err)
		}
		got, err := gatherColumn(&gather{ctx: ctx, mem: &cancelLarge{mem, cancel}}, c.typ, []chunk{newChunk(col.Data())}, p)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%v: error %v", c.typ, err)
		}
		if got != nil {
			got.Release()
		}
		cancel()
		col.Release()
		b.Release()
	}
}

// TestFirstColumnsError lets columns fail out of order.
func TestFirstColumnsError(t *testing.T) {
	w := work{ctx: context.Background()}
	for _, i := range []int{5, 2, 4} {
		w.fail(i, errors.New("broken"))
	}
	var column *ColumnError
	if !errors.As(w.err, &column) || column.Index != 2 {
		t.Errorf("error %v", w.err)
	}
}
