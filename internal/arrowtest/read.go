package arrowtest

import (
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// Cells returns the values of a record, row by row.
func Cells(rec arrow.Record) [][]any { return mapCells(Bits(rec), canon) }

// Bits returns the values of a record, row by row, in which NaNs keep their bits: a float64 all of them, a narrower
// float the sign and the payload.
func Bits(rec arrow.Record) [][]any {
	rows := make([][]any, rec.NumRows())
	for i := range rows {
		rows[i] = make([]any, rec.NumCols())
	}
	for c, col := range rec.Columns() {
		for i := range rows {
			rows[i][c] = read(col, i)
		}
	}
	return rows
}

// All returns the values of all rows of the batches.
func All(batches []arrow.Record) [][]any {
	var rows [][]any
	for _, b := range batches {
		rows = append(rows, Cells(b)...)
	}
	return rows
}

// Rows returns the values of the rows of the given numbers, counted across the batches. It panics when there is no such
// row.
func Rows(batches []arrow.Record, numbers []uint32) [][]any {
	all := All(batches)
	rows := make([][]any, len(numbers))
	for i, n := range numbers {
		rows[i] = all[n]
	}
	return rows
}

// Column returns the values of an array.
func Column(arr arrow.Array) []any {
	out := make([]any, arr.Len())
	for i := range out {
		out[i] = canon(read(arr, i))
	}
	return out
}

func mapCells(rows [][]any, f func(any) any) [][]any {
	for _, r := range rows {
		for i, v := range r {
			r[i] = f(v)
		}
	}
	return rows
}

// read returns the value of one slot. It caches nothing in the array.
func read(arr arrow.Array, i int) any {
	switch a := arr.(type) {
	case *array.Null:
		return nil
	case *array.Dictionary:
		index := read(a.Indices(), i)
		if index == nil {
			return nil
		}
		dict := array.MakeFromData(a.Data().Dictionary())
		defer dict.Release()
		return read(dict, int(index.(int64)))
	case *array.RunEndEncoded:
		return readRun(a, i)
	case array.ExtensionArray:
		return read(a.Storage(), i)
	case *array.SparseUnion:
		return readUnion(a, i, i)
	case *array.DenseUnion:
		return readUnion(a, i, int(a.ValueOffset(i)))
	}
	if !valid(arr, i) {
		return nil
	}
	switch a := arr.(type) {
	case *array.Boolean:
		return a.Value(i)
	case *array.Float16:
		return widen16(a.Value(i).Uint16())
	case *array.Float32:
		return widen32(uint32(word(a, i, 4)))
	case *array.Float64:
		return Float(word(a, i, 8))
	case *array.String:
		return strings.Clone(a.Value(i))
	case *array.LargeString:
		return strings.Clone(a.Value(i))
	case *array.StringView:
		return strings.Clone(a.Value(i))
	case *array.Binary:
		return Bytes(a.Value(i))
	case *array.LargeBinary:
		return Bytes(a.Value(i))
	case *array.BinaryView:
		return Bytes(a.Value(i))
	case *array.FixedSizeBinary:
		return Bytes(a.Value(i))
	case *array.Decimal128:
		n := a.Value(i)
		return decimalOf(twosComplement(n.LowBits(), uint64(n.HighBits())), a.DataType().(arrow.DecimalType).GetScale())
	case *array.Decimal256:
		limbs := a.Value(i).Array()
		return decimalOf(twosComplement(limbs[:]...), a.DataType().(arrow.DecimalType).GetScale())
	case *array.Struct:
		return readStruct(a, i)
	case array.ListLike:
		return readList(a, i)
	}
	return readRaw(arr, i)
}

// valid reads the validity bitmap, without the count of NULLs that IsNull looks at and may compute.
func valid(arr arrow.Array, i int) bool {
	bitmap := arr.Data().Buffers()[0]
	if bitmap == nil || bitmap.Len() == 0 {
		return true
	}
	at := arr.Data().Offset() + i
	return bitmap.Bytes()[at/8]>>(at%8)&1 == 1
}

// word reads a little-endian value of so many bytes.
func word(arr arrow.Array, i, width int) uint64 {
	at := (arr.Data().Offset() + i) * width
	var w uint64
	for j, b := range arr.Data().Buffers()[1].Bytes()[at : at+width] {
		w |= uint64(b) << (8 * j)
	}
	return w
}

// readRaw reads a slot of a type whose column holds integers.
func readRaw(arr arrow.Array, i int) any {
	dt := arr.DataType()
	width, ok := dt.(arrow.FixedWidthDataType)
	if !ok {
		panic(fmt.Sprintf("arrowtest can't read a column of type %v", dt))
	}
	if size := width.BitWidth() / 8; size > 8 { // an interval
		at := (arr.Data().Offset() + i) * size
		return Bytes(arr.Data().Buffers()[1].Bytes()[at : at+size])
	}
	raw := word(arr, i, width.BitWidth()/8)
	if !arrow.IsUnsignedInteger(dt.ID()) {
		shift := 64 - width.BitWidth()
		raw = uint64(int64(raw) << shift >> shift)
	}
	return fromRaw(dt, raw)
}

func readRun(a *array.RunEndEncoded, i int) any {
	logical := int64(a.Data().Offset() + i)
	ends := a.RunEndsArr()
	for run := range ends.Len() {
		if readRaw(ends, run).(int64) > logical {
			return read(a.Values(), run)
		}
	}
	panic(fmt.Sprintf("no run holds row %d", logical))
}

func readStruct(a *array.Struct, i int) any {
	fields := a.DataType().(*arrow.StructType).Fields()
	out := make(Struct, len(fields))
	for f := range fields {
		out[f] = Member{fields[f].Name, read(a.Field(f), i)}
	}
	return out
}

// readUnion reads a slot of a union as a struct of the one field that is set. A union has no NULLs but its children's.
func readUnion(a array.Union, i, at int) any {
	field := a.ChildID(i)
	return Struct{{a.DataType().(arrow.UnionType).Fields()[field].Name, read(a.Field(field), at)}}
}

func readList(a array.ListLike, i int) any {
	start, end := a.ValueOffsets(i)
	out := make(List, 0, end-start)
	for j := start; j < end; j++ {
		out = append(out, read(a.ListValues(), int(j)))
	}
	return out
}
