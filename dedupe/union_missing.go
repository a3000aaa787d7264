package dedupe

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
)

// nullMaker makes arrays in which every row is NULL, of any type. array.MakeArrayOfNull of Arrow v15 panics for run-end, view,
// list-view and dense union types, and puts NULL into fields that can't be NULL.
//
// NULL validity, offsets of empty values and zero values are all zero bytes, so the arrays of one maker share one zeroed
// buffer.
type nullMaker struct {
	alloc memory.Allocator
	zeros *memory.Buffer
	// field is the column being made, for errors.
	field arrow.Field
}

func (m *nullMaker) release() {
	if m.zeros != nil {
		m.zeros.Release()
	}
}

// column makes a column of n NULLs. The caller releases it.
func (m *nullMaker) column(f arrow.Field, n int64) (arrow.Array, error) {
	m.field = f
	data, err := m.rows(f.Type, n, true)
	if err != nil {
		return nil, err
	}
	defer data.Release()
	return array.MakeFromData(data), nil
}

// rows makes n rows of a type: NULL, or zero values where NULL can't be, as below a NULL struct whose fields are
// required. The caller releases the data.
func (m *nullMaker) rows(dt arrow.DataType, n int64, null bool) (*array.Data, error) {
	switch t := dt.(type) {
	case arrow.ExtensionType:
		return m.extension(t, n, null)
	case *arrow.NullType:
		return array.NewData(dt, int(n), []*memory.Buffer{nil}, nil, int(n), 0), nil
	case *arrow.BooleanType:
		return m.build(dt, n, null, nil, (n+7)/8)
	case *arrow.DictionaryType:
		return m.dictionary(t, n, null)
	case *arrow.StringViewType, *arrow.BinaryViewType:
		return m.build(dt, n, null, nil, n*int64(arrow.ViewHeaderSizeBytes))
	case *arrow.StringType, *arrow.BinaryType:
		return m.build(dt, n, null, nil, (n+1)*4, 0)
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		return m.build(dt, n, null, nil, (n+1)*8, 0)
	case *arrow.ListType, *arrow.MapType:
		return m.nested(dt, n, null, 0, (n+1)*4)
	case *arrow.LargeListType:
		return m.nested(dt, n, null, 0, (n+1)*8)
	case *arrow.ListViewType:
		return m.nested(dt, n, null, 0, n*4, n*4)
	case *arrow.LargeListViewType:
		return m.nested(dt, n, null, 0, n*8, n*8)
	case *arrow.FixedSizeListType:
		return m.nested(dt, n, null, n*int64(t.Len()))
	case *arrow.StructType:
		return m.nested(dt, n, null, n)
	case *arrow.RunEndEncodedType:
		return m.runEnds(t, n, null)
	case arrow.UnionType:
		return m.union(t, n, null)
	case arrow.FixedWidthDataType:
		return m.build(dt, n, null, nil, n*int64(t.Bytes()))
	}
	return nil, m.cannot("NULLs of this type can't be made")
}

func (m *nullMaker) extension(t arrow.ExtensionType, n int64, null bool) (*array.Data, error) {
	storage, err := m.rows(t.StorageType(), n, null)
	if err != nil {
		return nil, err
	}
	defer storage.Release()
	data := array.NewData(t, int(n), storage.Buffers(), storage.Children(), storage.NullN(), 0)
	data.SetDictionary(storage.Dictionary())
	return data, nil
}

// nested makes n rows of a type with children of childRows rows each. A child's row is NULL where its field may be.
func (m *nullMaker) nested(dt arrow.DataType, n int64, null bool, childRows int64, sizes ...int64) (*array.Data, error) {
	if childRows > math.MaxInt32 {
		return nil, m.tooLarge(childRows, math.MaxInt32, "elements")
	}
	var children []arrow.ArrayData
	defer func() { releaseData(children) }()
	for _, f := range dt.(arrow.NestedType).Fields() {
		child, err := m.rows(f.Type, childRows, f.Nullable)
		if err != nil {
			return nil, err
		}
		children = append(children, child)
	}
	return m.build(dt, n, null, children, sizes...)
}

// dictionary makes rows that point to nothing, or to one zero value.
func (m *nullMaker) dictionary(t *arrow.DictionaryType, n int64, null bool) (*array.Data, error) {
	values := int64(1)
	if null {
		values = 0
	}
	dict, err := m.rows(t.ValueType, values, false)
	if err != nil {
		return nil, err
	}
	defer dict.Release()
	data, err := m.build(t, n, null, nil, n*int64(t.IndexType.(arrow.FixedWidthDataType).Bytes()))
	if err != nil {
		return nil, err
	}
	data.SetDictionary(dict)
	return data, nil
}

// runEnds makes one run over all rows.
func (m *nullMaker) runEnds(t *arrow.RunEndEncodedType, n int64, null bool) (*array.Data, error) {
	width := t.RunEnds().(arrow.FixedWidthDataType).Bytes()
	if limit := int64(math.MaxInt64) >> (64 - 8*width); n > limit {
		return nil, m.tooLarge(n, limit, "elements")
	}
	runs := min(n, 1)
	values, err := m.rows(t.Encoded(), runs, null)
	if err != nil {
		return nil, err
	}
	defer values.Release()
	end := binary.LittleEndian.AppendUint64(nil, uint64(n))[:width*int(runs)]
	ends := newData(t.RunEnds(), runs, []*memory.Buffer{nil, m.filled(end)}, nil, 0)
	defer ends.Release()
	return newData(t, n, []*memory.Buffer{nil}, []arrow.ArrayData{ends, values}, 0), nil
}

// union makes rows of one member: a union's row is NULL when its member's is.
func (m *nullMaker) union(t arrow.UnionType, n int64, null bool) (*array.Data, error) {
	chosen := -1
	for i, f := range t.Fields() {
		if f.Nullable || !null {
			chosen = i
			break
		}
	}
	if chosen < 0 {
		return nil, m.cannot("no member of the union may be NULL")
	}
	dense := t.Mode() == arrow.DenseMode
	var children []arrow.ArrayData
	defer func() { releaseData(children) }()
	for i, f := range t.Fields() {
		rows := n
		switch {
		case dense && i == chosen:
			rows = min(n, 1)
		case dense:
			rows = 0
		}
		child, err := m.rows(f.Type, rows, f.Nullable && (null || i != chosen))
		if err != nil {
			return nil, err
		}
		children = append(children, child)
	}
	buffers := []*memory.Buffer{nil, m.filled(bytes.Repeat([]byte{byte(t.TypeCodes()[chosen])}, int(n)))}
	if dense {
		offsets, err := m.zero(n * 4)
		if err != nil {
			releaseBuffers(buffers)
			return nil, err
		}
		buffers = append(buffers, offsets)
	}
	return newData(t, n, buffers, children, 0), nil
}

// build makes data of a validity bitmap and zeroed buffers of the given sizes.
func (m *nullMaker) build(dt arrow.DataType, n int64, null bool, children []arrow.ArrayData, sizes ...int64) (*array.Data, error) {
	buffers := []*memory.Buffer{nil}
	nulls := int64(0)
	if null {
		validity, err := m.zero((n + 7) / 8)
		if err != nil {
			return nil, err
		}
		buffers[0], nulls = validity, n
	}
	for _, size := range sizes {
		buf, err := m.zero(size)
		if err != nil {
			releaseBuffers(buffers)
			return nil, err
		}
		buffers = append(buffers, buf)
	}
	return newData(dt, n, buffers, children, nulls), nil
}

// zero is a buffer of zero bytes, a part of the shared one.
func (m *nullMaker) zero(size int64) (*memory.Buffer, error) {
	if size > math.MaxInt32 {
		return nil, m.tooLarge(size, math.MaxInt32, "bytes")
	}
	if m.zeros == nil || int64(m.zeros.Len()) < size {
		m.release()
		m.zeros = memory.NewResizableBuffer(m.alloc)
		m.zeros.Resize(int(size))
		clear(m.zeros.Bytes())
	}
	return memory.SliceBuffer(m.zeros, 0, int(size)), nil
}

// filled is a buffer of its own.
func (m *nullMaker) filled(content []byte) *memory.Buffer {
	buf := memory.NewResizableBuffer(m.alloc)
	buf.Resize(len(content))
	copy(buf.Bytes(), content)
	return buf
}

func (m *nullMaker) cannot(why string) error {
	return &onerow.TypeError{Column: m.field.Name, Type: m.field.Type, Why: why}
}

func (m *nullMaker) tooLarge(size, limit int64, unit string) error {
	return &onerow.SizeError{Column: m.field.Name, Type: m.field.Type, Size: size, Limit: limit, Unit: unit}
}

// newData takes the buffers over.
func newData(dt arrow.DataType, n int64, buffers []*memory.Buffer, children []arrow.ArrayData, nulls int64) *array.Data {
	data := array.NewData(dt, int(n), buffers, children, int(nulls), 0)
	releaseBuffers(buffers)
	return data
}

func releaseBuffers(buffers []*memory.Buffer) {
	for _, b := range buffers {
		if b != nil {
			b.Release()
		}
	}
}

func releaseData(all []arrow.ArrayData) {
	for _, d := range all {
		d.Release()
	}
}
