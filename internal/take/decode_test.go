package take_test

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// decode reads the cells of an array, one by one.
func decode(a arrow.Array) []any {
	out := make([]any, a.Len())
	for i := range out {
		out[i] = decodeCell(a, i)
	}
	return out
}

func decodeCell(a arrow.Array, i int) any {
	if a.DataType().ID() == arrow.NULL || a.IsNull(i) {
		return nil
	}
	switch a := a.(type) {
	case array.ExtensionArray:
		return decodeCell(a.Storage(), i)
	case *array.DenseUnion:
		return union{a.TypeCode(i), decodeCell(a.Field(a.ChildID(i)), int(a.ValueOffset(i)))}
	case *array.SparseUnion:
		return union{a.TypeCode(i), decodeCell(a.Field(a.ChildID(i)), i)}
	case *array.Dictionary:
		return decodeCell(a.Dictionary(), a.GetValueIndex(i))
	case *array.RunEndEncoded:
		return decodeCell(a.Values(), a.GetPhysicalIndex(i))
	case *array.Boolean:
		return a.Value(i)
	case interface{ Value(int) string }:
		return a.Value(i)
	case interface{ Value(int) []byte }:
		return string(a.Value(i))
	case array.ListLike:
		from, to := a.ValueOffsets(i)
		out := make([]any, 0, to-from)
		for k := from; k < to; k++ {
			out = append(out, decodeCell(a.ListValues(), int(k)))
		}
		return out
	case *array.Struct:
		out := make([]any, a.NumField())
		for f := range out {
			out[f] = decodeCell(a.Field(f), i)
		}
		return out
	}
	width := a.DataType().(arrow.FixedWidthDataType).Bytes()
	at := (a.Data().Offset() + i) * width
	return string(a.Data().Buffers()[1].Bytes()[at : at+width])
}

// checkArray checks what the package promises of every output array and its children: no offset, the exact number of
// NULLs, no validity bitmap without any, and zeros under them.
func checkArray(t *testing.T, a arrow.Array) {
	t.Helper()
	d := a.Data()
	if d.Offset() != 0 {
		t.Errorf("%v: offset %d", a.DataType(), d.Offset())
	}
	if a.DataType().ID() == arrow.NULL {
		return
	}
	nulls := 0
	for i := range a.Len() {
		if a.IsNull(i) {
			nulls++
			checkZero(t, a, i)
		}
	}
	if d.NullN() != nulls || a.NullN() != nulls {
		t.Errorf("%v: %d NULLs, counted as %d", a.DataType(), nulls, a.NullN())
	}
	if nulls == 0 && len(a.NullBitmapBytes()) > 0 {
		t.Errorf("%v: a validity bitmap without NULLs", a.DataType())
	}
	for _, c := range d.Children() {
		child := array.MakeFromData(c)
		checkArray(t, child)
		child.Release()
	}
	if u, ok := a.(*array.SparseUnion); ok {
		checkOtherChildren(t, u)
	}
	switch a := a.(type) {
	case interface{ ValidateFull() error }:
		if err := a.ValidateFull(); err != nil {
			t.Error(err)
		}
	case *array.Struct, *array.FixedSizeList:
		for _, c := range d.Children() {
			if l, ok := a.(*array.FixedSizeList); ok {
				if want := a.Len() * int(l.DataType().(*arrow.FixedSizeListType).Len()); c.Len() != want {
					t.Errorf("%v: %d elements, want %d", a.DataType(), c.Len(), want)
				}
			} else if c.Len() != a.Len() {
				t.Errorf("%v: a field of %d elements, want %d", a.DataType(), c.Len(), a.Len())
			}
		}
	}
}

// checkOtherChildren checks that the children that a row isn't of hold NULL for it.
func checkOtherChildren(t *testing.T, u *array.SparseUnion) {
	t.Helper()
	for i := range u.Len() {
		for c := range u.NumFields() {
			if c != u.ChildID(i) && !blank(u.Field(c), i) {
				t.Errorf("%v: row %d is of child %d, and child %d has a value", u.DataType(), i, u.ChildID(i), c)
			}
		}
	}
}

func checkZero(t *testing.T, a arrow.Array, i int) {
	t.Helper()
	zero := true
	switch a := a.(type) {
	case array.ExtensionArray:
		checkZero(t, a.Storage(), i)
	case *array.Boolean:
		zero = !a.Value(i)
	case *array.Struct:
		for f := range a.NumField() {
			zero = zero && blank(a.Field(f), i)
		}
	case *array.FixedSizeList:
		from, to := a.ValueOffsets(i)
		for k := from; k < to; k++ {
			zero = zero && blank(a.ListValues(), int(k))
		}
	case array.ListLike:
		from, to := a.ValueOffsets(i)
		zero = from == to
	case array.ViewLike:
		zero = *a.ValueHeader(i) == arrow.ViewHeader{}
	case array.BinaryLike:
		zero = a.ValueLen(i) == 0
	default:
		width := a.DataType().(arrow.FixedWidthDataType).Bytes()
		for _, b := range a.Data().Buffers()[1].Bytes()[i*width : (i+1)*width] {
			zero = zero && b == 0
		}
	}
	if !zero {
		t.Errorf("%v: row %d is NULL and not zeroed", a.DataType(), i)
	}
}

// blank says whether an element is as it must be under a NULL parent: NULL, which is, for a union, the NULL of its first
// child.
func blank(a arrow.Array, i int) bool {
	u, ok := a.(array.Union)
	if !ok {
		return decodeCell(a, i) == nil
	}
	at := i
	if d, ok := a.(*array.DenseUnion); ok {
		at = int(d.ValueOffset(i))
	}
	return u.ChildID(i) == 0 && blank(u.Field(0), at)
}
