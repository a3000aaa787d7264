package form

import "github.com/apache/arrow/go/v15/arrow"

// PlainBytes is about how many bytes rows lo to hi take in an array without adaptors: their values, lengths and validity. It is quick for
// arrays of one width and for texts behind offsets, and walks the rows of others.
func (a *Array) PlainBytes(lo, hi int) int64 {
	n := int64(hi - lo)
	if n <= 0 {
		return 0
	}
	switch a.Kind {
	case KindBytes32:
		return n*5 + max(0, int64(a.i32[a.off+hi])-int64(a.i32[a.off+lo]))
	case KindBytes64:
		return n*9 + max(0, a.i64[a.off+hi]-a.i64[a.off+lo])
	case KindStruct:
		if a.valid != nil {
			break // under a NULL nothing may be read
		}
		sum := n
		for _, k := range a.kids {
			sum += k.PlainBytes(a.off+lo, a.off+hi)
		}
		return sum
	}
	if w := a.bottom().slotBytes(); w >= 0 {
		return n * int64(w+1)
	}
	var sum int64
	for i := lo; i < hi; i++ {
		sum += a.cellBytes(i)
	}
	return sum
}

// RowsBytes is [Array.PlainBytes] of some rows together, which are numbered from base on.
func (a *Array) RowsBytes(rows []uint32, base uint32) (sum int64) {
	if len(rows) == 0 { // an array of no rows may have no offsets
		return 0
	}
	switch a.Kind {
	case KindBytes32:
		ends := a.i32[a.off+1:]
		for _, r := range rows {
			sum += 5 + max(0, int64(ends[r-base])-int64(a.i32[a.off+int(r-base)]))
		}
		return sum
	case KindBytes64:
		ends := a.i64[a.off+1:]
		for _, r := range rows {
			sum += 9 + max(0, ends[r-base]-a.i64[a.off+int(r-base)])
		}
		return sum
	}
	if w := a.bottom().slotBytes(); w >= 0 {
		return int64(len(rows)) * int64(w+1)
	}
	for _, r := range rows {
		sum += a.PlainBytes(int(r-base), int(r-base)+1)
	}
	return sum
}

// MostBytes is what the largest of rows lo to hi takes.
func (a *Array) MostBytes(lo, hi int) (most int64) {
	if w := a.bottom().slotBytes(); w >= 0 {
		return int64(w + 1)
	}
	if a.Kind == KindBytes32 && lo < hi {
		last := a.i32[a.off+lo]
		for _, end := range a.i32[a.off+lo+1 : a.off+hi+1] {
			most = max(most, int64(end)-int64(last))
			last = end
		}
		return most + 5
	}
	for i := lo; i < hi; i++ {
		most = max(most, a.PlainBytes(i, i+1))
	}
	return most
}

// slotBytes is the width of a cell, -1 where cells differ.
func (a *Array) slotBytes() int {
	switch a.Kind {
	case KindNull:
		return int(nullBytes(a.Type))
	case KindBool, KindI8, KindU8:
		return 1
	case KindI16, KindU16, KindF16:
		return 2
	case KindI32, KindU32, KindF32:
		return 4
	case KindI64, KindU64, KindF64:
		return 8
	case KindDec128:
		return 16
	case KindDec256:
		return 32
	case KindFixed:
		return a.width
	}
	return -1
}

// nullBytes is what a NULL takes: its slot, and those of its children where they have as many slots.
func nullBytes(t arrow.DataType) int64 {
	switch t := Logical(t).(type) {
	case *arrow.NullType:
		return 0
	case *arrow.StructType:
		sum := int64(1)
		for _, f := range t.Fields() {
			sum += nullBytes(f.Type)
		}
		return sum
	case *arrow.FixedSizeListType:
		return 1 + int64(t.Len())*(1+nullBytes(t.Elem()))
	case arrow.UnionType:
		sum, most := int64(0), int64(0)
		for _, f := range t.Fields() {
			n := 1 + nullBytes(f.Type)
			sum, most = sum+n, max(most, n)
		}
		if t.Mode() == arrow.DenseMode {
			return 5 + most // a code, an offset, and a slot of one child
		}
		return 1 + sum
	case arrow.FixedWidthDataType:
		return int64(t.Bytes())
	}
	return viewBytes
}

// viewBytes is the width of the header of a view, and more than that of an offset and of a validity bit.
const viewBytes = 16

func (a *Array) cellBytes(i int) int64 {
	if a.Null(i) {
		return 1 + nullBytes(a.Type)
	}
	a, i = a.leaf(i)
	switch a.Kind {
	case KindBytes32, KindBytes64, KindView:
		return viewBytes + int64(len(a.bytes(i)))
	case KindStruct:
		sum := int64(1)
		for _, k := range a.kids {
			sum += k.PlainBytes(a.off+i, a.off+i+1)
		}
		return sum
	case KindSparse, KindDense:
		k, j := a.variant(i)
		return 1 + nullBytes(a.Type) + k.PlainBytes(j, j+1)
	case KindList32, KindList64, KindFixedList, KindListView32, KindListView64:
		lo, hi := a.span(i)
		return viewBytes + a.kids[0].PlainBytes(lo, hi)
	}
	return viewBytes + int64(max(0, a.slotBytes()))
}
