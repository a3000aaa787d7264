package form

import (
	"runtime"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// fuzzed makes an array of any bytes: what a type says of them may be wrong.
func fuzzed(kind, n byte, valid, first, second []byte) arrow.ArrayData {
	flat := []arrow.DataType{textType, arrow.BinaryTypes.LargeBinary, arrow.BinaryTypes.StringView, intType, arrow.PrimitiveTypes.Uint8, arrow.FixedWidthTypes.Float16,
		&arrow.Decimal128Type{Precision: 38, Scale: 2}, &arrow.Decimal256Type{Precision: 76, Scale: -3}, &arrow.FixedSizeBinaryType{ByteWidth: 3}, arrow.FixedWidthTypes.Timestamp_s,
		arrow.FixedWidthTypes.Boolean, arrow.FixedWidthTypes.Time32ms}
	if len(valid) == 0 {
		valid = nil
	}
	if int(kind) < len(flat) {
		return raw(flat[kind], int(n), [][]byte{valid, first, second})
	}
	kid := raw(arrow.PrimitiveTypes.Int8, len(second), [][]byte{nil, second})
	switch kind % 6 {
	case 0:
		return raw(arrow.ListOf(kid.DataType()), int(n), [][]byte{valid, first}, kid)
	case 1:
		return dictOf(arrow.PrimitiveTypes.Int8, first, int(n), kid)
	case 2:
		return runsOf(int(n), raw(arrow.PrimitiveTypes.Int32, len(first)/4, [][]byte{nil, first}), kid)
	case 3:
		return raw(arrow.ListViewOf(kid.DataType()), int(n), [][]byte{valid, first, second}, kid)
	case 4:
		return raw(arrow.LargeListOf(arrow.Null), int(n), [][]byte{valid, first}, nothings(len(second)))
	}
	return pairOf(kid, dictOf(arrow.PrimitiveTypes.Uint8, first, len(first), array.NewSliceData(kid, int64(len(second)/2), int64(len(second)))), int(n))
}

// Two arrays of any bytes: what reads them ends in an error or a bounds panic, or their cells have an order, and equal cells
// equal hashes; blocks say what the cells say.
func FuzzCompare(f *testing.F) {
	for kind := range byte(24) {
		f.Add(kind, byte(2), []byte{}, int32s(0, 1, 2), []byte("abc"), byte(2), []byte{1}, int32s(0, 2, 3), []byte("bcd"))
		f.Add(kind, byte(3), []byte{5}, []byte{}, []byte{}, byte(1), []byte{}, int64s(-1, 1<<62, 7, 0), []byte{0xff})
	}
	f.Fuzz(func(t *testing.T, kind, n byte, valid, first, second []byte, m byte, valid2, first2, second2 []byte) {
		defer func() {
			if p := recover(); p != nil {
				if _, ok := p.(runtime.Error); !ok {
					panic(p)
				}
			}
		}()
		a, err := OfData(fuzzed(kind, n, valid, first, second))
		if err != nil {
			return
		}
		b, err := OfData(fuzzed(kind, m, valid2, first2, second2))
		if err != nil {
			return
		}
		for i := range a.Len {
			Format(a, i)
			for j := range b.Len {
				c := Compare(a, i, b, j, ByValue)
				if Compare(b, j, a, i, ByValue) != -c {
					t.Fatalf("%s and %s compare %d", Format(a, i), Format(b, j), c)
				}
				if same := (hasher{}).cell(a, i) == (hasher{}).cell(b, j) && (hasher{secret: true}).cell(a, i) == (hasher{secret: true}).cell(b, j); c == 0 && !same {
					t.Fatalf("%s and %s are equal, their hashes aren't", Format(a, i), Format(b, j))
				}
			}
		}
		for _, mode := range modesOf([]*Array{a}) {
			r, block := NewReader([]*Array{a}, mode), dirtyBlock(a.Len)
			r.Read(0, 0, a.Len, block)
			for i := range a.Len {
				if null := block.Null[i] == 1; null != a.Null(i) || mode != Ordinal && block.H[i] != (hasher{}).cell(a, i) {
					t.Fatalf("mode %d, row %d, %s: NULL %v, hash %#x", mode, i, Format(a, i), null, block.H[i])
				}
			}
		}
	})
}
