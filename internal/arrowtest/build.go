package arrowtest

import (
	"encoding/binary"
	"fmt"
	"math/big"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// builder lays values out as arrays. Its fields say how, where the format leaves a choice.
type builder struct {
	mem memory.Allocator

	// dirty puts garbage wherever no value is: under NULL slots, in front of the first offset, around the children of
	// nested arrays, which are slices of larger ones. Validity bitmaps are there even if nothing is NULL.
	dirty bool

	// bare leaves out the buffers of arrays that hold no values.
	bare bool

	// batch varies the dictionaries: their order, and the values in them that no row uses.
	batch int
}

// array makes an array of values as Value gives them. The caller releases it.
func (b *builder) array(dt arrow.DataType, vals []any) arrow.Array {
	data := b.data(dt, vals)
	defer data.Release()
	return array.MakeFromData(data)
}

// data makes an array's data. The caller releases it.
func (b *builder) data(dt arrow.DataType, vals []any) arrow.ArrayData {
	switch dt := dt.(type) {
	case *arrow.NullType:
		return array.NewData(dt, len(vals), []*memory.Buffer{nil}, nil, len(vals), 0)
	case *arrow.DictionaryType:
		return b.dictionary(dt, vals)
	case *arrow.RunEndEncodedType:
		return b.runEnd(dt, vals)
	}
	nulls, full := 0, make([]any, len(vals))
	for i, v := range vals {
		if full[i] = v; v == nil {
			nulls++
			full[i] = b.filler(dt, i+1)
		}
	}
	buffers := []*memory.Buffer{b.validity(vals, nulls)}
	var children []arrow.ArrayData
	switch dt := dt.(type) {
	case *arrow.StructType, *arrow.ListType, *arrow.LargeListType, *arrow.FixedSizeListType, *arrow.MapType:
		more, kids := b.nested(dt, full)
		buffers, children = append(buffers, more...), kids
	default:
		buffers = append(buffers, b.flat(dt, full)...)
	}
	if b.bare && nulls == len(vals) {
		dropBuffers(dt, len(vals), buffers)
	}
	return adopt(dt, len(vals), buffers, children, nulls)
}

// dropBuffers leaves out the buffers after the validity, but for the offsets of an array that has slots.
func dropBuffers(dt arrow.DataType, n int, buffers []*memory.Buffer) {
	first := 1
	switch dt.ID() {
	case arrow.STRING, arrow.BINARY, arrow.LARGE_STRING, arrow.LARGE_BINARY, arrow.LIST, arrow.LARGE_LIST, arrow.MAP:
		if n > 0 {
			first = 2
		}
	}
	for i := first; i < len(buffers); i++ {
		buffers[i].Release()
		buffers[i] = nil
	}
}

// adopt makes array data out of buffers and children that it takes over.
func adopt(dt arrow.DataType, n int, buffers []*memory.Buffer, children []arrow.ArrayData, nulls int) arrow.ArrayData {
	data := array.NewData(dt, n, buffers, children, nulls, 0)
	for _, buf := range buffers {
		if buf != nil {
			buf.Release()
		}
	}
	for _, c := range children {
		c.Release()
	}
	return data
}

func (b *builder) buffer(bytes []byte) *memory.Buffer {
	buf := memory.NewResizableBuffer(b.mem)
	buf.Resize(len(bytes))
	copy(buf.Bytes(), bytes)
	return buf
}

// validity makes the bitmap; nil when none is needed.
func (b *builder) validity(vals []any, nulls int) *memory.Buffer {
	if nulls == 0 && !b.dirty {
		return nil
	}
	bits := make([]bool, len(vals))
	for i, v := range vals {
		bits[i] = v != nil
	}
	return b.buffer(bitmap(bits))
}

func bitmap(bits []bool) []byte {
	out := make([]byte, (len(bits)+7)/8)
	for i, set := range bits {
		if set {
			out[i/8] |= 1 << (i % 8)
		}
	}
	return out
}

// flat makes the buffers after the validity for a type without children. No value is nil.
func (b *builder) flat(dt arrow.DataType, vals []any) []*memory.Buffer {
	switch dt := dt.(type) {
	case *arrow.BooleanType:
		bits := make([]bool, len(vals))
		for i, v := range vals {
			bits[i] = v.(bool)
		}
		return []*memory.Buffer{b.buffer(bitmap(bits))}
	case *arrow.StringViewType, *arrow.BinaryViewType:
		return b.views(vals)
	case arrow.BinaryDataType:
		wide := dt.ID() == arrow.LARGE_STRING || dt.ID() == arrow.LARGE_BINARY
		var bytes []byte
		if b.dirty {
			bytes = append(bytes, "before the first"...)
		}
		offsets := appendOffset(nil, len(bytes), wide)
		for _, v := range vals {
			bytes = append(bytes, rawBytes(v)...)
			offsets = appendOffset(offsets, len(bytes), wide)
		}
		return []*memory.Buffer{b.buffer(offsets), b.buffer(bytes)}
	case *arrow.FixedSizeBinaryType:
		var bytes []byte
		for _, v := range vals {
			bytes = append(bytes, rawBytes(v)...)
		}
		return []*memory.Buffer{b.buffer(bytes)}
	case arrow.FixedWidthDataType:
		var bytes []byte
		for _, v := range vals {
			bytes = append(bytes, fixed(dt, v)...)
		}
		return []*memory.Buffer{b.buffer(bytes)}
	}
	panic(fmt.Sprintf("arrowtest can't build a column of type %v", dt))
}

func appendOffset(offsets []byte, n int, wide bool) []byte {
	if wide {
		return binary.LittleEndian.AppendUint64(offsets, uint64(n))
	}
	return binary.LittleEndian.AppendUint32(offsets, uint32(n))
}

func rawBytes(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return string(v.(Bytes))
}

// fixed returns the bytes of a value of fixed width.
func fixed(dt arrow.FixedWidthDataType, v any) []byte {
	var w [8]byte
	width := dt.BitWidth() / 8
	switch v := v.(type) {
	case Float:
		bits := uint64(v)
		if width == 4 {
			bits = uint64(narrow32(v))
		} else if width == 2 {
			bits = uint64(narrow16(v))
		}
		binary.LittleEndian.PutUint64(w[:], bits)
	case Decimal:
		n, err := unscaled(string(v), dt.(arrow.DecimalType).GetScale())
		if err != nil {
			panic(err)
		}
		return littleEndian(n, width)
	default:
		raw, err := toRaw(dt, v)
		if err == nil && !fits(dt, raw) {
			err = fmt.Errorf("%v doesn't fit %v", v, dt)
		}
		if err != nil {
			panic(err)
		}
		binary.LittleEndian.PutUint64(w[:], raw)
	}
	return w[:width]
}

// views makes the headers and the data of a view array. Values that a header can't hold go to two data buffers in turn.
func (b *builder) views(vals []any) []*memory.Buffer {
	var data [2][]byte
	if b.dirty {
		data = [2][]byte{[]byte("before"), []byte("the first")}
	}
	headers := make([]arrow.ViewHeader, len(vals))
	for i, v := range vals {
		s := rawBytes(v)
		headers[i].SetString(s)
		if !headers[i].IsInline() {
			headers[i].SetIndexOffset(int32(i%2), int32(len(data[i%2])))
			data[i%2] = append(data[i%2], s...)
		}
	}
	return []*memory.Buffer{b.buffer(arrow.ViewHeaderTraits.CastToBytes(headers)), b.buffer(data[0]), b.buffer(data[1])}
}

// filler returns a value that means nothing: a varying one if the builder is dirty, else zero.
func (b *builder) filler(dt arrow.DataType, n int) any {
	if !b.dirty {
		n = 0
	}
	switch dt := dt.(type) {
	case *arrow.NullType:
		return nil
	case *arrow.DictionaryType:
		return b.filler(dt.ValueType, n)
	case *arrow.RunEndEncodedType:
		return b.filler(dt.Encoded(), n)
	case *arrow.BooleanType:
		return n%2 == 1
	case *arrow.Float16Type, *arrow.Float32Type, *arrow.Float64Type:
		return FloatOf(float64(n % 100))
	case *arrow.StringType, *arrow.LargeStringType, *arrow.StringViewType:
		return fillerText(n)
	case *arrow.BinaryType, *arrow.LargeBinaryType, *arrow.BinaryViewType:
		return Bytes(fillerText(n))
	case *arrow.FixedSizeBinaryType:
		text := make([]byte, dt.ByteWidth)
		for i := range text {
			text[i] = byte(n)
		}
		return Bytes(text)
	case arrow.DecimalType:
		return decimalOf(big.NewInt(int64(n%10)), dt.GetScale())
	case *arrow.StructType:
		out := make(Struct, len(dt.Fields()))
		for i, f := range dt.Fields() {
			out[i] = Member{f.Name, b.filler(f.Type, n+i)}
		}
		return out
	case *arrow.FixedSizeListType:
		return b.fillerList(dt.Elem(), int(dt.Len()), n)
	case arrow.ListLikeType: // the others have any length
		return b.fillerList(dt.Elem(), n%3, n)
	}
	raw := 0
	if n > 0 {
		raw = 100 + n%27
		if n%2 == 1 && !arrow.IsUnsignedInteger(dt.ID()) {
			raw = -raw
		}
	}
	return fromRaw(dt, uint64(raw))
}

func (b *builder) fillerList(elem arrow.DataType, length, n int) List {
	out := make(List, length)
	for i := range out {
		out[i] = b.filler(elem, n+i)
	}
	return out
}

func fillerText(n int) string {
	switch {
	case n == 0:
		return ""
	case n%2 == 0:
		return fmt.Sprintf("garbage %d, too long for a view header", n)
	}
	return fmt.Sprint("g", n)
}
