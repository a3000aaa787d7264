package take_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/onerow-go/onerow/internal/take"
)

// TestEdited: elements are left out and replaced, of all types, whatever is NULL and however the arrays are cut.
func TestEdited(t *testing.T) {
	for n, typ := range everyType() {
		t.Run(fmt.Sprint(n, "=", typ), func(t *testing.T) {
			for seed := range uint64(20) {
				mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
				e := newEncoder(mem, seed)
				compareEdited(t, mem, e, typ)
				e.release()
				mem.AssertSize(t, 0)
				if t.Failed() {
					t.Fatalf("seed %d", seed)
				}
			}
		})
	}
}

func compareEdited(t *testing.T, mem memory.Allocator, e *encoder, typ arrow.DataType) {
	t.Helper()
	most := 30 // dictionaries with small indices have room for few
	if _, blocks := typ.(arrow.FixedWidthDataType); blocks && typ.ID() != arrow.DICTIONARY {
		most = 200
	}
	base, others := e.cells(typ, e.IntN(most), e.IntN(2) == 0), e.cells(typ, most, e.IntN(2) == 0)
	var left, replaced []uint32
	var want []any
	leaves, replaces := 1+e.IntN(5), 1+e.IntN(5)
	for i, cell := range base {
		switch {
		case e.IntN(leaves) > 1:
			left = append(left, uint32(i))
		case e.IntN(replaces) > 1:
			want = append(want, others[len(replaced)])
			replaced = append(replaced, uint32(i))
		default:
			want = append(want, cell)
		}
	}
	var by arrow.Array
	if replaced != nil {
		by = e.array(typ, others)
	}
	got, err := take.Edited(context.Background(), mem, e.array(typ, base), left, replaced, by)
	if err != nil {
		t.Errorf("%v", err)
		return
	}
	defer got.Release()
	if d := cmp.Diff(want, decode(got), cmp.AllowUnexported(union{}), cmpopts.EquateEmpty()); d != "" {
		t.Errorf("left %v, replaced %v: %s", left, replaced, d)
	}
	if nulls := got.Data().NullN(); typ.ID() < arrow.LIST && nulls != countNil(want) && typ.ID() != arrow.NULL {
		t.Errorf("%d NULLs, not %d", nulls, countNil(want))
	}
}

func countNil(cells []any) (n int) {
	for _, c := range cells {
		if c == nil {
			n++
		}
	}
	return n
}

// TestEditedWithoutBuffers: an array in which all is NULL may have no values.
func TestEditedWithoutBuffers(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	e := newEncoder(mem, 1)
	defer e.release()
	typ := arrow.PrimitiveTypes.Int64
	bare := array.NewData(typ, 3, []*memory.Buffer{memory.NewBufferBytes([]byte{0}), nil}, nil, 3, 0)
	defer bare.Release()
	nulls, cells := array.MakeFromData(bare), e.cells(typ, 1, false)
	defer nulls.Release()
	for _, c := range []struct {
		base, by       arrow.Array
		left, replaced []uint32
		want           []any
	}{{nulls, e.array(typ, cells), []uint32{0}, []uint32{2}, []any{nil, cells[0]}}, {e.array(typ, cells), nulls, nil, []uint32{0}, []any{nil}}} {
		got, err := take.Edited(context.Background(), mem, c.base, c.left, c.replaced, c.by)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(c.want, decode(got)); d != "" {
			t.Error(d)
		}
		got.Release()
	}
}

// TestEditedRefuses: an edit of a long array ends soon after the context, and what replaces must be of the type.
func TestEditedRefuses(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	e := newEncoder(mem, 1)
	defer e.release()
	made := func(typ arrow.DataType, n int) arrow.Array { return e.array(typ, e.cells(typ, n, true)) }
	ints, texts := made(arrow.PrimitiveTypes.Int64, 2), made(arrow.BinaryTypes.String, 1)
	if _, err := take.Edited(context.Background(), mem, ints, nil, []uint32{0}, texts); err == nil {
		t.Error("a text replaced an integer")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	long := made(arrow.PrimitiveTypes.Int64, 1<<16)
	if _, err := take.Edited(ctx, mem, long, nil, []uint32{0}, ints); err != context.Canceled {
		t.Errorf("got %v after the context's end", err)
	}
}
