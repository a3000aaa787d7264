package bench

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// column is a named column of a made table.
type column struct {
	name string
	data arrow.Array
}

// table makes a record of columns.
func table(columns ...column) arrow.Record {
	fields, cols := make([]arrow.Field, len(columns)), make([]arrow.Array, len(columns))
	for i, c := range columns {
		fields[i] = arrow.Field{Name: c.name, Type: c.data.DataType(), Nullable: true}
		cols[i] = c.data
	}
	return array.NewRecord(arrow.NewSchema(fields, nil), cols, int64(cols[0].Len()))
}

var micros = &arrow.TimestampType{Unit: arrow.Microsecond}

func fixed(name string, dt arrow.DataType, n int, bytes []byte) column {
	return column{name, array.MakeFromData(array.NewData(dt, n, []*memory.Buffer{nil, memory.NewBufferBytes(bytes)}, nil, 0, 0))}
}

func int64s(name string, v []int64) column {
	return fixed(name, arrow.PrimitiveTypes.Int64, len(v), arrow.Int64Traits.CastToBytes(v))
}

func int32s(name string, v []int32) column {
	return fixed(name, arrow.PrimitiveTypes.Int32, len(v), arrow.Int32Traits.CastToBytes(v))
}

func dates(name string, v []int32) column {
	return fixed(name, arrow.FixedWidthTypes.Date32, len(v), arrow.Int32Traits.CastToBytes(v))
}

func float64s(name string, v []float64) column {
	return fixed(name, arrow.PrimitiveTypes.Float64, len(v), arrow.Float64Traits.CastToBytes(v))
}

func times(name string, v []int64) column {
	return fixed(name, micros, len(v), arrow.Int64Traits.CastToBytes(v))
}

// ends are the ends of versions, of which the negative ones are NULL.
func ends(v []int64) column {
	valid, nulls := make([]byte, bitutil.BytesForBits(int64(len(v)))), 0
	for i, t := range v {
		if t >= 0 {
			bitutil.SetBit(valid, i)
		} else {
			nulls++
		}
	}
	buffers := []*memory.Buffer{memory.NewBufferBytes(valid), memory.NewBufferBytes(arrow.Int64Traits.CastToBytes(v))}
	return column{"valid_to", array.MakeFromData(array.NewData(micros, len(v), buffers, nil, nulls, 0))}
}

func bools(name string, v []bool) column {
	bits := make([]byte, bitutil.BytesForBits(int64(len(v))))
	for i, b := range v {
		if b {
			bitutil.SetBit(bits, i)
		}
	}
	return fixed(name, arrow.FixedWidthTypes.Boolean, len(v), bits)
}

// textData collects the values of a text column without an object a value.
type textData struct {
	offsets []int32
	bytes   []byte
}

func newTexts(n, width int) *textData {
	t := &textData{offsets: make([]int32, 1, n+1), bytes: make([]byte, 0, n*width)}
	return t
}

// end ends the value whose bytes were appended last.
func (t *textData) end() { t.offsets = append(t.offsets, int32(len(t.bytes))) }

func (t *textData) add(s string) {
	t.bytes = append(t.bytes, s...)
	t.end()
}

// digits appends a number with leading zeros.
func (t *textData) digits(n, width int) {
	at := len(t.bytes)
	for range width {
		t.bytes = append(t.bytes, '0')
	}
	for i := at + width - 1; i >= at; i-- {
		t.bytes[i] = byte('0' + n%10)
		n /= 10
	}
}

func (t *textData) column(name string) column {
	buffers := []*memory.Buffer{nil, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(t.offsets)), memory.NewBufferBytes(t.bytes)}
	return column{name, array.MakeFromData(array.NewData(arrow.BinaryTypes.String, len(t.offsets)-1, buffers, nil, 0, 0))}
}

// dictionary is a text column of the given values.
func dictionary(name string, indices []int32, values column) column {
	dt := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
	buffers := []*memory.Buffer{nil, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(indices))}
	data := array.NewDataWithDictionary(dt, len(indices), buffers, 0, 0, values.data.Data().(*array.Data))
	return column{name, array.MakeFromData(data)}
}
