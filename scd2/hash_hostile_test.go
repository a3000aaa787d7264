package scd2_test

import (
	"errors"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/scd2"
)

// hostileHashed are arrays of three rows whose buffers contradict their type, in ways that Arrow lets through.
func hostileHashed() map[string]arrow.ArrayData {
	p, s := arrow.PrimitiveTypes, arrow.BinaryTypes
	int32s := func(v ...int32) *memory.Buffer { return memory.NewBufferBytes(arrow.GetBytes(v)) }
	int64s := func(v ...int64) *memory.Buffer { return memory.NewBufferBytes(arrow.GetBytes(v)) }
	// Behind the bytes are others, in one piece of memory: reading them would be no panic.
	raw := func(b ...byte) *memory.Buffer {
		return memory.NewBufferBytes(append(b, make([]byte, 100)...)[:len(b)])
	}
	data := func(typ arrow.DataType, children []arrow.ArrayData, buffers ...*memory.Buffer) *array.Data {
		return array.NewData(typ, 3, buffers, children, 0, 0)
	}
	header := func(size, buffer, offset int32) *memory.Buffer {
		return int32s(size, 0, buffer, offset, 1, 'a', 0, 0, 1, 'b', 0, 0)
	}
	ints := array.NewData(p.Int32, 2, []*memory.Buffer{nil, int32s(1, 2)}, nil, 0, 0)
	child := []arrow.ArrayData{ints}
	dict := func(index arrow.DataType, indices *memory.Buffer, values *array.Data) *array.Data {
		typ := &arrow.DictionaryType{IndexType: index, ValueType: values.DataType()}
		return array.NewDataWithDictionary(typ, 3, []*memory.Buffer{nil, indices}, 0, 0, values)
	}
	runs := func(ends ...int32) *array.Data {
		e := array.NewData(p.Int32, len(ends), []*memory.Buffer{nil, int32s(ends...)}, nil, 0, 0)
		return data(arrow.RunEndEncodedOf(p.Int32, p.Int32), []arrow.ArrayData{e, ints})
	}
	return map[string]arrow.ArrayData{
		"no values":            data(p.Int64, nil, nil, nil),
		"short bitmap":         array.NewData(p.Int8, 3, []*memory.Buffer{raw(255), raw(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)}, nil, array.UnknownNullCount, 7),
		"short bits":           array.NewData(arrow.FixedWidthTypes.Boolean, 3, []*memory.Buffer{nil, raw(255)}, nil, 0, 7),
		"short bytes":          data(&arrow.FixedSizeBinaryType{ByteWidth: 3}, nil, nil, raw(1, 2, 3, 4)),
		"falling offsets":      data(s.String, nil, nil, int32s(0, 3, 1, 3), raw(1, 2, 3)),
		"negative offset":      data(s.String, nil, nil, int32s(-1, 0, 1, 1), raw(1, 2, 3)),
		"offset outside":       data(s.String, nil, nil, int32s(0, 9, 9, 3), raw(1, 2, 3)),
		"large offset outside": data(s.LargeString, nil, nil, int64s(0, 1<<60, 1<<61, 3), raw(1, 2, 3)),
		"negative view":        data(s.StringView, nil, nil, header(-3, 0, 0), raw(1)),
		"view buffer":          data(s.StringView, nil, nil, header(20, 7, 0), raw(1)),
		"view outside":         data(s.StringView, nil, nil, header(20, 0, 1), raw(make([]byte, 20)...)),
		"list outside":         data(arrow.ListOf(p.Int32), child, nil, int32s(0, 3, 3, 3)),
		"short list offsets":   data(arrow.ListOf(p.Int32), child, nil, int32s(0, 1)),
		"falling list":         data(arrow.ListOf(p.Int32), child, nil, int32s(0, 2, 1, 1)),
		"short list elements":  data(arrow.FixedSizeListOf(3, p.Int32), child, nil),
		"dictionary index":     dict(p.Int8, raw(0, 1, 2), ints),
		"negative index":       dict(p.Int8, raw(0, 1, 255), ints),
		"huge index":           dict(p.Uint64, int64s(0, 1, -1), ints),
		"dictionary of short offsets": dict(p.Int8, raw(0, 1, 1),
			array.NewData(s.String, 2, []*memory.Buffer{nil, int32s(0, 1), raw(1)}, nil, 0, 0)),
		"missing run":  runs(1, 2),
		"falling runs": runs(3, 1),
		"negative run": runs(-1, -2),
	}
}

// TestHashHostile: no form panics over arrays that lie, or reads outside of them.
func TestHashHostile(t *testing.T) {
	mem := arrowtest.Allocator(t)
	for name, d := range hostileHashed() {
		arr := array.MakeFromData(d)
		rec := array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "bad", Type: arr.DataType(), Nullable: true}}, nil), []arrow.Array{arr}, 3)
		for _, f := range allForms {
			for _, workers := range []int{1, 2} {
				_, err := rowHashes(t, []arrow.Record{rec, rec}, nil, hashOptions(mem, f, workers))
				if !errors.Is(err, onerow.ErrMalformed) && !errors.Is(err, onerow.ErrType) {
					t.Errorf("%s, %v: %v", name, f, err)
				}
				r, err := scd2.Confusions(t.Context(), []arrow.Record{rec, rec}, []string{"bad"}, hashOptions(mem, f, workers))
				if !errors.Is(err, onerow.ErrMalformed) && !errors.Is(err, onerow.ErrType) || r != nil {
					t.Errorf("%s, %v: %v", name, f, err)
				}
			}
		}
	}
}

// TestHashEmpty: no batches, batches without rows, tables without columns.
func TestHashEmpty(t *testing.T) {
	mem := arrowtest.Allocator(t)
	empty := arrowtest.Batches(t, mem, []string{"a:int8", "b:dict<int8,string>", "c:ree<date32>"}, nil, nil)
	bare := array.NewRecord(arrow.NewSchema(nil, nil), nil, 2)
	defer bare.Release()
	for _, f := range allForms {
		o := hashOptions(mem, f, 0)
		for rows, batches := range map[int][]arrow.Record{0: empty, 2: {bare}} {
			got, err := rowHashes(t, batches, nil, o)
			if err != nil || len(got) != rows || rows == 2 && (got[0] != got[1] || got[0] != refHash(f, nil, nil)) {
				t.Errorf("%v: %v, %v", f, got, err)
			}
			r, err := scd2.Confusions(t.Context(), batches, nil, o)
			if err != nil || r.Rows != int64(rows) || r.Err() != nil {
				t.Errorf("%v: %+v, %v", f, r, err)
			}
		}
		if got, err := rowHashes(t, nil, []string{"a"}, o); err != nil || got != nil {
			t.Errorf("%v: %v, %v", f, got, err)
		}
	}
}
