package take_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow/internal/take"
)

// TestBrokenData gathers arrays whose buffers contradict their type, in ways that Arrow lets through: an error, no panic,
// no leak.
func TestBrokenData(t *testing.T) {
	p, s := arrow.PrimitiveTypes, arrow.BinaryTypes
	int32s := func(v ...int32) *memory.Buffer { return memory.NewBufferBytes(arrow.GetBytes(v)) }
	// Behind the bytes are others, in one piece of memory: reading them would be no panic.
	raw := func(b ...byte) *memory.Buffer { return memory.NewBufferBytes(append(b, make([]byte, 100)...)[:len(b)]) }
	header := func(size, buffer, offset int32) *memory.Buffer { return int32s(size, 0, buffer, offset) }
	ints := array.NewData(p.Int32, 2, []*memory.Buffer{nil, int32s(1, 2)}, nil, 0, 0)
	ends := array.NewData(p.Int32, 1, []*memory.Buffer{nil, int32s(1)}, nil, 0, 0)
	member := []arrow.Field{field("i", p.Int32)}
	data := func(typ arrow.DataType, n int, children []arrow.ArrayData, buffers ...*memory.Buffer) *array.Data {
		return array.NewData(typ, n, buffers, children, 0, 0)
	}
	child := []arrow.ArrayData{ints}
	slice := []arrow.ArrayData{array.NewSliceData(ints, 0, 1)}
	indices := func(b ...byte) *array.Data {
		return array.NewDataWithDictionary(dict(p.Int8, p.Int32), len(b), []*memory.Buffer{nil, raw(b...)}, 0, 0, ints)
	}
	for name, d := range map[string][]arrow.ArrayData{
		"no values":              {data(p.Int32, 2, nil, nil, nil)},
		"short bitmap":           {array.NewData(p.Int8, 20, []*memory.Buffer{raw(255), raw(make([]byte, 20)...)}, nil, array.UnknownNullCount, 0)},
		"short bits":             {data(arrow.FixedWidthTypes.Boolean, 20, nil, nil, raw(255))},
		"short bytes":            {data(&arrow.FixedSizeBinaryType{ByteWidth: 3}, 2, nil, nil, raw(1, 2, 3))},
		"falling offsets":        {data(s.String, 2, nil, nil, int32s(0, 3, 1), raw(1, 2, 3))},
		"negative offset":        {data(s.String, 2, nil, nil, int32s(-1, 0, 1), raw(1, 2, 3))},
		"offset outside":         {data(s.String, 2, nil, nil, int32s(0, 9, 1), raw(1, 2, 3))},
		"negative view":          {data(s.StringView, 1, nil, nil, header(-3, 0, 0), raw(1))},
		"view buffer":            {data(s.StringView, 1, nil, nil, header(20, 7, 0), raw(1))},
		"view outside":           {data(s.StringView, 1, nil, nil, header(20, 0, 1), raw(make([]byte, 20)...))},
		"list outside":           {data(arrow.ListOf(p.Int32), 1, child, nil, int32s(0, 3))},
		"falling list":           {data(arrow.ListOf(p.Int32), 2, child, nil, int32s(0, 2, 1))},
		"list view outside":      {data(arrow.ListViewOf(p.Int32), 1, child, nil, int32s(1), int32s(2))},
		"list view size":         {data(arrow.ListViewOf(p.Int32), 1, child, nil, int32s(0), int32s(-2))},
		"short list elements":    {data(arrow.FixedSizeListOf(3, p.Int32), 1, child, nil)},
		"type code":              {data(arrow.DenseUnionOf(member, []arrow.UnionTypeCode{4}), 1, child, nil, raw(5), int32s(0))},
		"negative type code":     {data(arrow.SparseUnionOf(member, []arrow.UnionTypeCode{4}), 1, child, nil, raw(200))},
		"union offset":           {data(arrow.DenseUnionOf(member, []arrow.UnionTypeCode{4}), 1, child, nil, raw(4), int32s(2))},
		"dictionary index":       {indices(1, 2), array.NewDataWithDictionary(dict(p.Int8, p.Int32), 1, []*memory.Buffer{nil, raw(0)}, 0, 0, ends)},
		"list past a slice":      {data(arrow.ListOf(p.Int32), 1, slice, nil, int32s(0, 2))},
		"outside beside NULL":    {array.NewData(s.String, 3, []*memory.Buffer{raw(2), int32s(0, 1, 9, 3), raw(1, 2, 3)}, nil, 2, 0)},
		"falling beside NULL":    {array.NewData(s.String, 3, []*memory.Buffer{raw(2), int32s(0, 2, 1, 3), raw(1, 2, 3)}, nil, 2, 0)},
		"negative beside NULL":   {array.NewData(s.String, 3, []*memory.Buffer{raw(2), int32s(0, -1, 1, 3), raw(1, 2, 3)}, nil, 2, 0)},
		"slice beside NULL":      {array.NewData(arrow.ListOf(p.Int32), 2, []*memory.Buffer{raw(2), int32s(0, 1, 2)}, slice, 1, 0)},
		"list view past a slice": {data(arrow.ListViewOf(p.Int32), 1, slice, nil, int32s(0), int32s(2))},
		"union past a slice":     {data(arrow.DenseUnionOf(member, []arrow.UnionTypeCode{4}), 1, slice, nil, raw(4), int32s(1))},
		"missing run":            {data(arrow.RunEndEncodedOf(p.Int32, p.Int32), 2, []arrow.ArrayData{ends, ints}, nil)},
		"sparse type code":       {data(arrow.SparseUnionOf(member, []arrow.UnionTypeCode{4}), 1, child, nil, raw(5))},
		"two units":              {data(arrow.FixedWidthTypes.Time32s, 1, nil, nil, int32s(1)), data(arrow.FixedWidthTypes.Time32ms, 1, nil, nil, int32s(1))},
		"two types":              {ints, data(p.Uint32, 1, nil, nil, int32s(1))},
		"child's type":           {data(arrow.ListOf(p.Uint32), 1, child, nil, int32s(0, 2))},
	} {
		t.Run(name, func(t *testing.T) {
			mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
			defer mem.AssertSize(t, 0)
			var chunks []arrow.Array
			var rows []uint32
			for _, d := range d {
				chunks = append(chunks, array.MakeFromData(d))
				for range d.Len() {
					rows = append(rows, uint32(len(rows)))
				}
			}
			_, err := take.Column(context.Background(), mem, chunks, rows)
			var broken *take.DataError
			if !errors.As(err, &broken) {
				t.Fatalf("error %v, want a *DataError", err)
			}
			if broken.Type == nil || broken.Why == "" {
				t.Errorf("%+v says too little", broken)
			}
		})
	}
}

// TestMissingBuffers gathers arrays without buffers that hold nothing but NULLs, or nothing.
func TestMissingBuffers(t *testing.T) {
	s := arrow.BinaryTypes
	for _, typ := range []arrow.DataType{
		arrow.PrimitiveTypes.Int64, arrow.FixedWidthTypes.Boolean, s.String, s.LargeBinary, s.StringView,
		&arrow.FixedSizeBinaryType{ByteWidth: 3}, &arrow.Decimal128Type{Precision: 5}, dict(arrow.PrimitiveTypes.Int8, s.String),
	} {
		for _, n := range []int{0, 9} {
			if n > 0 && (typ == s.String || typ == s.LargeBinary) {
				continue // Arrow makes no such array
			}
			t.Run(fmt.Sprint(typ, n), func(t *testing.T) {
				mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
				defer mem.AssertSize(t, 0)
				e := newEncoder(mem, 1)
				defer e.release()
				buffers := []*memory.Buffer{memory.NewBufferBytes(make([]byte, 2)), nil, nil}
				if _, ok := typ.(arrow.FixedWidthDataType); ok {
					buffers = buffers[:2]
				}
				d := array.NewData(typ, n, buffers, nil, n, 0)
				defer d.Release()
				if typ.ID() == arrow.DICTIONARY {
					d.SetDictionary(e.data(s.String, []any{"a"}, true))
				}
				chunk := array.MakeFromData(d)
				defer chunk.Release()
				full := e.array(typ, e.cells(typ, 5, true))
				cells := append(decode(full), make([]any, n)...)
				rows := []uint32{4, 0}
				for i := range n {
					rows = append(rows, uint32(5+i))
				}
				compareColumn(t, mem, []arrow.Array{full, chunk}, cells, rows)
			})
		}
	}
}
