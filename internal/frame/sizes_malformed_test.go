package frame_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/frame"
)

// raw makes an array of buffers in memory of the test's own.
func raw(t *testing.T, typ arrow.DataType, n int, kids []arrow.ArrayData, buffers ...[]byte) arrow.Array {
	t.Helper()
	bufs := make([]*memory.Buffer, len(buffers))
	for i, b := range buffers {
		if b != nil {
			bufs[i] = memory.NewBufferBytes(b)
		}
	}
	d := array.NewData(typ, n, bufs, kids, 0, 0)
	defer d.Release()
	return array.MakeFromData(d)
}

// TestMalformedSizes: what contradicts itself is an error that names the input and the column, or the sentinel alone where rows are counted.
func TestMalformedSizes(t *testing.T) {
	p, s := arrow.PrimitiveTypes, arrow.BinaryTypes
	int32s, int64s := arrow.Int32Traits.CastToBytes, arrow.Int64Traits.CastToBytes
	two := raw(t, p.Int8, 2, nil, nil, []byte{1, 2})
	defer two.Release()
	below := []arrow.ArrayData{two.Data()}
	dictionary := func(index ...byte) arrow.Array {
		d := array.NewDataWithDictionary(&arrow.DictionaryType{IndexType: p.Int8, ValueType: s.String}, len(index),
			[]*memory.Buffer{nil, memory.NewBufferBytes(index)}, 0, 0, raw(t, s.String, 1, nil, nil, int32s([]int32{0, 1}), []byte("a")).Data().(*array.Data))
		return array.NewDictionaryData(d)
	}
	view := func(index, offset int32) []byte {
		var h arrow.ViewHeader
		h.SetString("longer than twelve bytes")
		h.SetIndexOffset(index, offset)
		return arrow.ViewHeaderTraits.CastToBytes([]arrow.ViewHeader{h})
	}
	for _, test := range []struct {
		name string
		col  func() arrow.Array
		read bool // it is refused as soon as it is read
	}{
		{"fewer than no rows", func() arrow.Array { return array.NewNull(-5) }, true},
		{"runs that end early", func() arrow.Array {
			ends, values := raw(t, p.Int32, 2, nil, nil, int32s([]int32{1, 2})), raw(t, p.Int8, 2, nil, nil, []byte{1, 2})
			d := array.NewData(arrow.RunEndEncodedOf(p.Int32, p.Int8), 5, []*memory.Buffer{nil}, []arrow.ArrayData{ends.Data(), values.Data()}, 0, 0)
			return array.NewRunEndEncodedData(d)
		}, true},
		{"a decimal of a great scale", func() arrow.Array {
			return raw(t, &arrow.Decimal128Type{Precision: 38, Scale: 1 << 30}, 1, nil, nil, int64s([]int64{1, 0}))
		}, true},
		{"index beyond the dictionary", func() arrow.Array { return dictionary(0, 1) }, false},
		{"index before the dictionary", func() arrow.Array { return dictionary(0, 0xff) }, false},
		{"list beyond its elements", func() arrow.Array {
			return raw(t, arrow.ListOf(p.Int8), 1, below, nil, int32s([]int32{0, 3}))
		}, false},
		{"list before its elements", func() arrow.Array {
			return raw(t, arrow.LargeListOf(p.Int8), 1, below, nil, int64s([]int64{-1, 1}))
		}, false},
		{"list of far too many elements", func() arrow.Array {
			return raw(t, arrow.LargeListOf(p.Int8), 1, below, nil, int64s([]int64{0, 1 << 62}))
		}, false},
		{"list view that wraps", func() arrow.Array {
			return raw(t, arrow.LargeListViewOf(p.Int8), 1, below, nil, int64s([]int64{1<<63 - 1}), int64s([]int64{2}))
		}, false},
		{"fixed list beyond its elements", func() arrow.Array {
			return raw(t, arrow.FixedSizeListOf(3, p.Int8), 1, below, nil)
		}, false},
		{"dense union beyond its child", func() arrow.Array {
			typ := arrow.DenseUnionOf([]arrow.Field{{Name: "a", Type: p.Int8}}, []arrow.UnionTypeCode{5})
			return raw(t, typ, 1, below, nil, []byte{5}, int32s([]int32{2}))
		}, false},
		{"view into no buffer", func() arrow.Array {
			return raw(t, s.StringView, 1, nil, nil, view(1, 0), []byte("longer than twelve bytes"))
		}, false},
		{"view beyond its buffer", func() arrow.Array {
			return raw(t, s.BinaryView, 1, nil, nil, view(0, 1), []byte("longer than twelve bytes"))
		}, false},
		{"view before its buffer", func() arrow.Array {
			return raw(t, s.StringView, 1, nil, nil, view(0, -5), []byte("longer than twelve bytes"))
		}, false},
		{"too few bits of validity", func() arrow.Array {
			return raw(t, p.Int8, 9, nil, []byte{0xff}, []byte{1, 2, 3, 4, 5, 6, 7, 8, 9})
		}, true},
	} {
		col := test.col()
		rec := array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "bad", Type: col.DataType(), Nullable: true}}, nil), []arrow.Array{col}, -1)
		sizes, err := frame.NewSizes("against", rec)
		if test.read {
			if !errors.Is(err, onerow.ErrMalformed) || !strings.Contains(err.Error(), `against: column "bad": `) {
				t.Errorf("%s: error %v", test.name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: error %v", test.name, err)
			continue
		}
		rows := make([]uint32, col.Len())
		for i := range rows {
			rows[i] = uint32(i)
		}
		for range 2 { // and it stays so
			if n, err := sizes.Fit(rows, 1); !errors.Is(err, onerow.ErrMalformed) {
				t.Errorf("%s: %d rows fit, error %v", test.name, n, err)
			}
			if n, err := sizes.Total(); !errors.Is(err, onerow.ErrMalformed) {
				t.Errorf("%s: %d bytes in all, error %v", test.name, n, err)
			}
		}
	}
}

// TestUnreadSizes: where sizes follow from a type or from offsets alone, what is wrong with the values is for the gathering to find.
// There is still no panic, and a row at least.
func TestUnreadSizes(t *testing.T) {
	p, s := arrow.PrimitiveTypes, arrow.BinaryTypes
	int32s, int64s := arrow.Int32Traits.CastToBytes, arrow.Int64Traits.CastToBytes
	large := func() arrow.Array {
		return raw(t, s.LargeString, 2, nil, nil, int64s([]int64{0, 1 << 62, 3}), []byte("abc"))
	}
	for _, test := range []struct {
		name string
		cols []arrow.Array
	}{
		{"text of negative length", []arrow.Array{raw(t, s.String, 2, nil, nil, int32s([]int32{3, -7, 2}), []byte("abc"))}},
		{"text that no buffer holds", []arrow.Array{raw(t, s.Binary, 2, nil, nil, int32s([]int32{0, 1<<31 - 1, 3}), []byte("abc"))}},
		{"large texts that no memory holds", []arrow.Array{large(), large(), large()}},
		{"large text of a length that wraps", []arrow.Array{raw(t, s.LargeBinary, 2, nil, nil, int64s([]int64{0, -1 << 63, 1}), []byte("abc"))}},
		{"no integers", []arrow.Array{raw(t, p.Int64, 2, nil, nil, nil)}},
		{"no bits", []arrow.Array{raw(t, arrow.FixedWidthTypes.Boolean, 2, nil, nil, nil)}},
		{"bytes of negative width", []arrow.Array{raw(t, &arrow.FixedSizeBinaryType{ByteWidth: -4}, 2, nil, nil, []byte("abcdef"))}},
		{"bytes of great width", []arrow.Array{raw(t, &arrow.FixedSizeBinaryType{ByteWidth: math.MaxInt / 2}, 2, nil, nil, []byte("abcdef"))}},
	} {
		sizes, err := frame.NewSizes("batches", record(t, 2, test.cols...))
		if err != nil {
			t.Errorf("%s: error %v", test.name, err)
			continue
		}
		for _, room := range []int64{-1 << 63, 0, 20, 1<<63 - 1} {
			if n, err := sizes.Fit([]uint32{1, 0}, room); err != nil || n < 1 || n > 2 {
				t.Errorf("%s: %d rows fit %d bytes, error %v", test.name, n, room, err)
			}
		}
		if _, err := sizes.Total(); err != nil {
			t.Errorf("%s: error %v", test.name, err)
		}
	}
}
