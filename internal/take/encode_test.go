package take_test

import (
	"math/rand/v2"
	"reflect"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// A cell is a value as Go has it: nil for NULL, bool, string for text, binary and the raw bytes of fixed-width values,
// []any for lists and structs, union for unions, and the value's own cell for dictionaries, run-ends and extensions.

// union is a cell of a union.
type union struct {
	code  arrow.UnionTypeCode
	value any
}

// encoder makes arrays of cells, in one of the many ways that Arrow allows: sliced out of larger ones, with garbage under
// NULLs and between elements, with and without validity bitmaps.
type encoder struct {
	*rand.Rand
	mem   memory.Allocator
	owned []interface{ Release() }
	// plain leaves all noise out.
	plain bool
}

func newEncoder(mem memory.Allocator, seed uint64) *encoder {
	return &encoder{Rand: rand.New(rand.NewPCG(seed, 1)), mem: mem}
}

func (e *encoder) release() {
	for _, o := range e.owned {
		o.Release()
	}
	e.owned = nil
}

func (e *encoder) array(t arrow.DataType, cells []any) arrow.Array {
	a := array.MakeFromData(e.data(t, cells, true))
	e.owned = append(e.owned, a)
	return a
}

func (e *encoder) buffer(b []byte) *memory.Buffer {
	if len(b) == 0 && e.IntN(2) == 0 {
		return nil
	}
	buf := memory.NewResizableBuffer(e.mem)
	buf.Resize(len(b))
	copy(buf.Bytes(), b)
	e.owned = append(e.owned, buf)
	return buf
}

func (e *encoder) noise(n int) int {
	if e.plain {
		return 0
	}
	return e.IntN(n)
}

func (e *encoder) bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(e.Uint32())
	}
	return b
}

// cells makes n random cells.
func (e *encoder) cells(t arrow.DataType, n int, nullable bool) []any {
	out := make([]any, n)
	for i := range out {
		out[i] = e.cell(t, nullable)
	}
	return out
}

func (e *encoder) cell(t arrow.DataType, nullable bool) any {
	switch t := t.(type) {
	case *arrow.NullType:
		return nil
	case arrow.ExtensionType:
		return e.cell(t.StorageType(), nullable)
	case arrow.UnionType:
		i := e.IntN(len(t.Fields()))
		return union{t.TypeCodes()[i], e.cell(t.Fields()[i].Type, true)}
	case *arrow.DictionaryType:
		return e.cell(t.ValueType, nullable)
	case *arrow.RunEndEncodedType:
		return e.cell(t.Encoded(), nullable)
	}
	if nullable && e.IntN(4) == 0 {
		return nil
	}
	switch t := t.(type) {
	case *arrow.BooleanType:
		return e.IntN(2) == 0
	case arrow.BinaryDataType:
		return string(e.bytes(e.IntN(3) * e.IntN(9)))
	case *arrow.FixedSizeListType:
		return e.cells(t.Elem(), int(t.Len()), t.ElemField().Nullable)
	case arrow.ListLikeType:
		return e.cells(t.Elem(), e.IntN(4), t.ID() != arrow.MAP)
	case *arrow.StructType:
		out := make([]any, t.NumFields())
		for i := range out {
			out[i] = e.cell(t.Field(i).Type, t.Field(i).Nullable)
		}
		return out
	case arrow.FixedWidthDataType:
		if e.IntN(3) == 0 {
			return string(make([]byte, t.Bytes())) // some values repeat
		}
		return string(e.bytes(t.Bytes()))
	}
	panic("no cell of type " + t.String())
}

// data encodes cells, between others that a slice hides.
func (e *encoder) data(t arrow.DataType, cells []any, nullable bool) *array.Data {
	front, back := e.noise(4), e.noise(4)
	all := append(append(e.cells(t, front, nullable), cells...), e.cells(t, back, nullable)...)
	whole := e.encode(t, all)
	if front+back == 0 {
		return whole
	}
	nulls := array.UnknownNullCount
	if !nullable || whole.NullN() == 0 {
		nulls = 0
	}
	d := array.NewData(t, len(cells), whole.Buffers(), whole.Children(), nulls, front)
	d.SetDictionary(whole.Dictionary())
	e.owned = append(e.owned, d)
	return d
}

func (e *encoder) newData(t arrow.DataType, n, nulls int, children []arrow.ArrayData, buffers ...*memory.Buffer) *array.Data {
	d := array.NewData(t, n, buffers, children, nulls, 0)
	e.owned = append(e.owned, d)
	return d
}

func (e *encoder) validity(cells []any) (*memory.Buffer, int) {
	bits := make([]byte, (len(cells)+7)/8)
	nulls := 0
	for i, c := range cells {
		bitutil.SetBitTo(bits, i, c != nil)
		if c == nil {
			nulls++
		}
	}
	if nulls == 0 && e.IntN(2) == 0 {
		return nil, 0
	}
	return e.buffer(bits), nulls
}

func (e *encoder) encode(t arrow.DataType, cells []any) *array.Data {
	switch t := t.(type) {
	case *arrow.NullType:
		return e.newData(t, len(cells), len(cells), nil, nil)
	case arrow.ExtensionType:
		s := e.encode(t.StorageType(), cells)
		d := array.NewData(t, s.Len(), s.Buffers(), s.Children(), s.NullN(), s.Offset())
		d.SetDictionary(s.Dictionary())
		e.owned = append(e.owned, d)
		return d
	case *arrow.SparseUnionType:
		return e.sparseUnion(t, cells)
	case *arrow.DenseUnionType:
		return e.denseUnion(t, cells)
	case *arrow.DictionaryType:
		return e.dictionary(t, cells)
	case *arrow.RunEndEncodedType:
		return e.runEnds(t, cells)
	}
	valid, nulls := e.validity(cells)
	switch t := t.(type) {
	case *arrow.BooleanType:
		bits := e.bytes((len(cells) + 7) / 8)
		for i, c := range cells {
			if c != nil {
				bitutil.SetBitTo(bits, i, c.(bool))
			}
		}
		return e.newData(t, len(cells), nulls, nil, valid, e.buffer(bits))
	case *arrow.StringViewType, *arrow.BinaryViewType:
		return e.newData(t, len(cells), nulls, nil, append([]*memory.Buffer{valid}, e.views(cells)...)...)
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		offsets, data := textOf[int64](e, cells)
		return e.newData(t, len(cells), nulls, nil, valid, offsets, data)
	case *arrow.StringType, *arrow.BinaryType:
		offsets, data := textOf[int32](e, cells)
		return e.newData(t, len(cells), nulls, nil, valid, offsets, data)
	case *arrow.FixedSizeListType:
		var elems []any
		for _, c := range cells {
			if c == nil {
				c = e.cells(t.Elem(), int(t.Len()), t.ElemField().Nullable)
			}
			elems = append(elems, c.([]any)...)
		}
		return e.newData(t, len(cells), nulls, e.children(e.data(t.Elem(), elems, t.ElemField().Nullable)), valid)
	case *arrow.LargeListType:
		offsets, elems := listOf[int64](e, t.Elem(), cells, true)
		return e.newData(t, len(cells), nulls, e.children(elems), valid, offsets)
	case *arrow.ListType:
		offsets, elems := listOf[int32](e, t.Elem(), cells, true)
		return e.newData(t, len(cells), nulls, e.children(elems), valid, offsets)
	case *arrow.MapType:
		offsets, elems := listOf[int32](e, t.Elem(), cells, false)
		return e.newData(t, len(cells), nulls, e.children(elems), valid, offsets)
	case *arrow.ListViewType:
		offsets, sizes, elems := listViewOf[int32](e, t.Elem(), cells)
		return e.newData(t, len(cells), nulls, e.children(elems), valid, offsets, sizes)
	case *arrow.LargeListViewType:
		offsets, sizes, elems := listViewOf[int64](e, t.Elem(), cells)
		return e.newData(t, len(cells), nulls, e.children(elems), valid, offsets, sizes)
	case *arrow.StructType:
		return e.newData(t, len(cells), nulls, e.fields(t, cells), valid)
	case arrow.FixedWidthDataType:
		var raw []byte
		for _, c := range cells {
			if c == nil {
				c = string(e.bytes(t.Bytes()))
			}
			raw = append(raw, c.(string)...)
		}
		return e.newData(t, len(cells), nulls, nil, valid, e.buffer(raw))
	}
	panic("no encoding of type " + t.String())
}

func (e *encoder) children(d ...*array.Data) []arrow.ArrayData {
	out := make([]arrow.ArrayData, len(d))
	for i := range d {
		out[i] = d[i]
	}
	return out
}

func (e *encoder) fields(t *arrow.StructType, cells []any) []arrow.ArrayData {
	out := make([]arrow.ArrayData, t.NumFields())
	for i := range out {
		f := t.Field(i)
		column := make([]any, len(cells))
		for k, c := range cells {
			if c == nil {
				column[k] = e.cell(f.Type, f.Nullable)
			} else {
				column[k] = c.([]any)[i]
			}
		}
		out[i] = e.data(f.Type, column, f.Nullable)
	}
	return out
}

// textOf encodes text, with bytes before the first value and under NULLs.
func textOf[T int32 | int64](e *encoder, cells []any) (offsets, data *memory.Buffer) {
	raw := e.bytes(e.noise(3))
	at := []T{T(len(raw))}
	for _, c := range cells {
		if c == nil {
			c = string(e.bytes(e.noise(3)))
		}
		raw = append(raw, c.(string)...)
		at = append(at, T(len(raw)))
	}
	buf := memory.NewResizableBuffer(e.mem)
	buf.Resize(len(arrow.GetBytes(at)))
	copy(buf.Bytes(), arrow.GetBytes(at))
	e.owned = append(e.owned, buf)
	return buf, e.buffer(raw)
}

// views encodes text views over up to three buffers, with garbage for headers of NULLs.
func (e *encoder) views(cells []any) []*memory.Buffer {
	headers := make([]arrow.ViewHeader, len(cells))
	raw := make([][]byte, 1+e.IntN(3))
	for i, c := range cells {
		if c == nil {
			copy(arrow.GetBytes(headers[i:i+1]), e.bytes(16))
			continue
		}
		s := c.(string)
		headers[i].SetString(s)
		if !headers[i].IsInline() {
			b := e.IntN(len(raw))
			headers[i].SetIndexOffset(int32(b), int32(len(raw[b])))
			raw[b] = append(raw[b], s...)
		}
	}
	out := []*memory.Buffer{e.buffer(arrow.GetBytes(headers))}
	for _, r := range raw {
		out = append(out, e.buffer(r))
	}
	return out
}

// listOf encodes lists, with elements before the first list and under NULLs.
func listOf[T int32 | int64](e *encoder, elem arrow.DataType, cells []any, nullable bool) (*memory.Buffer, *array.Data) {
	elems := e.cells(elem, e.noise(3), nullable)
	at := []T{T(len(elems))}
	for _, c := range cells {
		if c == nil {
			c = e.cells(elem, e.noise(3), nullable)
		}
		elems = append(elems, c.([]any)...)
		at = append(at, T(len(elems)))
	}
	return e.buffer(arrow.GetBytes(at)), e.data(elem, elems, nullable)
}

// listViewOf encodes list views, whose elements lie in any order, with wild offsets for NULLs and empty lists.
func listViewOf[T int32 | int64](e *encoder, elem arrow.DataType, cells []any) (offsets, sizes *memory.Buffer, child *array.Data) {
	var elems []any
	at, n := make([]T, len(cells)), make([]T, len(cells))
	for _, i := range e.Perm(len(cells)) {
		c, _ := cells[i].([]any)
		switch {
		case cells[i] == nil:
			at[i], n[i] = T(e.Int32())-1<<30, T(e.Int32())-1<<30
		case len(c) == 0:
			at[i] = T(e.Int32())
		default:
			at[i], n[i] = T(len(elems)), T(len(c))
			elems = append(elems, c...)
		}
	}
	return e.buffer(arrow.GetBytes(at)), e.buffer(arrow.GetBytes(n)), e.data(elem, elems, true)
}

func (e *encoder) sparseUnion(t arrow.UnionType, cells []any) *array.Data {
	codes := make([]arrow.UnionTypeCode, len(cells))
	children := make([]arrow.ArrayData, len(t.Fields()))
	for i, f := range t.Fields() {
		column := make([]any, len(cells))
		for k, c := range cells {
			codes[k] = c.(union).code
			if codes[k] == t.TypeCodes()[i] {
				column[k] = c.(union).value
			} else {
				column[k] = e.cell(f.Type, true)
			}
		}
		children[i] = e.data(f.Type, column, true)
	}
	return e.newData(t.(arrow.DataType), len(cells), 0, children, nil, e.full(arrow.GetBytes(codes)))
}

func (e *encoder) denseUnion(t arrow.UnionType, cells []any) *array.Data {
	codes, offsets := make([]arrow.UnionTypeCode, len(cells)), make([]int32, len(cells))
	columns := make([][]any, len(t.Fields()))
	for k, c := range cells {
		codes[k] = c.(union).code
		i := t.ChildIDs()[codes[k]]
		columns[i] = append(columns[i], e.cells(t.Fields()[i].Type, e.noise(2), true)...)
		offsets[k] = int32(len(columns[i]))
		columns[i] = append(columns[i], c.(union).value)
	}
	children := make([]arrow.ArrayData, len(columns))
	for i, f := range t.Fields() {
		children[i] = e.data(f.Type, columns[i], true)
	}
	return e.newData(t.(arrow.DataType), len(cells), 0, children, nil, e.full(arrow.GetBytes(codes)), e.full(arrow.GetBytes(offsets)))
}

// full is buffer where Arrow itself demands one.
func (e *encoder) full(b []byte) *memory.Buffer {
	if len(b) == 0 {
		return memory.NewBufferBytes([]byte{})
	}
	return e.buffer(b)
}

// dictionary encodes a dictionary with values of no use, values that repeat, NULL among the values, and wild indices
// under NULLs.
func (e *encoder) dictionary(t *arrow.DictionaryType, cells []any) *array.Data {
	values := e.cells(t.ValueType, e.noise(3), true)
	nullValue := !arrow.IsUnion(t.ValueType.ID())
	index := func(c any) int {
		if e.IntN(4) > 0 || e.plain {
			for i, v := range values {
				if reflect.DeepEqual(v, c) {
					return i
				}
			}
		}
		values = append(values, c)
		return len(values) - 1
	}
	width := t.Bytes()
	var raw []byte
	valid := make([]any, len(cells))
	for i, c := range cells {
		if c == nil && !(nullValue && e.IntN(2) == 0) {
			raw = append(raw, e.bytes(width)...)
			continue
		}
		valid[i] = true
		word := make([]byte, width)
		word[0] = byte(index(c))
		raw = append(raw, word...)
	}
	bits, nulls := e.validity(valid)
	d := array.NewDataWithDictionary(t, len(cells), []*memory.Buffer{bits, e.buffer(raw)}, nulls, 0, e.data(t.ValueType, values, true))
	e.owned = append(e.owned, d)
	return d
}

func (e *encoder) runEnds(t *arrow.RunEndEncodedType, cells []any) *array.Data {
	var ends []int
	var values []any
	for i, c := range cells {
		if i == 0 || !reflect.DeepEqual(c, cells[i-1]) || e.IntN(3) == 0 {
			values, ends = append(values, c), append(ends, 0)
		}
		ends[len(ends)-1] = i + 1
	}
	if len(ends) > 0 {
		ends[len(ends)-1] += e.noise(3)
	}
	front := e.noise(3)
	width := t.RunEnds().(arrow.FixedWidthDataType).Bytes()
	raw := e.bytes(front * width)
	for _, end := range ends {
		word := make([]byte, width)
		word[0], word[1] = byte(end), byte(end>>8)
		raw = append(raw, word...)
	}
	endData := array.NewData(t.RunEnds(), len(ends), []*memory.Buffer{nil, e.buffer(raw)}, nil, 0, front)
	e.owned = append(e.owned, endData)
	return e.newData(t, len(cells), 0, e.children(endData, e.data(t.Encoded(), values, true)), nil)
}
