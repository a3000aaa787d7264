package recast

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/take"
)

// Types of different families are refused, for columns without rows too.
func TestArrayRefusesTypes(t *testing.T) {
	mem := arrowtest.Allocator(t)
	for _, pair := range [][2]string{
		{"int8", "float64"}, {"int8", "string"}, {"int64", "decimal(5,0)"}, {"bool", "int8"}, {"string", "binary"}, {"timestamp[s]", "timestamp[s,UTC]"}, {"date32", "timestamp[s]"},
		{"struct<a:int8>", "struct<b:int8>"}, {"struct<a:int8>", "struct<a:int8,b:int8>"}, {"struct<a:int8>", "struct<a:string>"}, {"list<int8>", "list<string>"},
		{"list<int8>", "int8"}, {"dict<int8,string>", "int8"}, {"map<string,int8>", "map<string,int16>"},
	} {
		variants := column(t, mem, pair[0], nil)
		for _, rec := range variants[0].Batches {
			out, unfit, err := Array(mem, rec.Column(0), mustType(t, pair[1]))
			if out != nil || unfit != nil || err == nil || !strings.Contains(err.Error(), "can't become") {
				t.Errorf("%v: %v, %v, %v", pair, out, unfit, err)
			}
		}
		variants.Release()
	}
	variants := column(t, mem, "null", nil)
	defer variants.Release()
	for _, to := range []arrow.DataType{&arrow.Decimal128Type{Precision: 38, Scale: 1 << 30}, unknown{}, arrow.ListOf(unknown{}), nil} {
		if out, _, err := Array(mem, variants[0].Batches[0].Column(0), to); out != nil || err == nil {
			t.Errorf("%v: %v", to, out)
		}
	}
}

// unknown is a type that Arrow 15 hasn't.
type unknown struct{ arrow.DataType }

func (unknown) ID() arrow.Type      { return 63 }
func (unknown) Name() string        { return "unknown" }
func (unknown) String() string      { return "unknown" }
func (unknown) Fingerprint() string { return "" }

// What the type can't address is an error with the size.
func TestArrayBeyondTheLimits(t *testing.T) {
	mem := arrowtest.Allocator(t)
	var cells []any
	for i := range 1<<15 + 1 {
		cells = append(cells, i)
	}
	numbers := plainColumn(t, mem, "int64", cells)
	texts := shared(arrow.BinaryTypes.LargeString, 1<<20, 2048)
	defer texts.Release()
	lists := shared(arrow.LargeListOf(arrow.PrimitiveTypes.Int8), 1<<20, 2048)
	defer lists.Release()
	for _, c := range []struct {
		arr  arrow.Array
		to   string
		size take.SizeError
	}{
		{numbers, "dict<int8,int64>", take.SizeError{Size: 1<<15 + 1, Limit: 1 << 7, Unit: take.Values}},
		{numbers, "dict<uint8,int32>", take.SizeError{Size: 1<<15 + 1, Limit: 1 << 8, Unit: take.Values}},
		{numbers, "dict<int16,int64>", take.SizeError{Size: 1<<15 + 1, Limit: 1 << 15, Unit: take.Values}},
		{texts, "string", take.SizeError{Size: 1 << 31, Limit: 1<<31 - 1, Unit: take.Bytes}},
		{lists, "list<int8>", take.SizeError{Size: 1 << 31, Limit: 1<<31 - 1, Unit: take.Elements}},
	} {
		to := mustType(t, c.to)
		c.size.Type = to
		_, _, err := Array(mem, c.arr, to)
		var got *take.SizeError
		if !errors.As(err, &got) || *got != c.size {
			t.Errorf("%s: %v", c.to, err)
		}
	}
	ends := arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int64)
	var got *take.SizeError
	if _, _, err := Array(mem, numbers, ends); !errors.As(err, &got) || got.Limit != 1<<15-1 {
		t.Errorf("run ends: %v", err)
	}
	fits := plainColumn(t, mem, "int64", cells[:1<<15])
	checkCast(t, mem, "as many as fit", fits, mustType(t, "dict<int16,int32>"))
}

func plainColumn(t *testing.T, mem memory.Allocator, typ string, cells []any) arrow.Array {
	t.Helper()
	rows := make([][]any, len(cells))
	for i, c := range cells {
		rows[i] = []any{c}
	}
	schema, err := arrowtest.Schema([]string{"c:" + typ})
	if err != nil {
		t.Fatal(err)
	}
	rec, err := arrowtest.Record(mem, schema, rows)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(rec.Release)
	return rec.Column(0)
}

// shared makes rows, each second one NULL, of which the others hold all the same n bytes or elements.
func shared(typ arrow.DataType, n, rows int) arrow.Array {
	offsets := make([]int64, 2*rows+1)
	live := make([]byte, (2*rows+7)/8)
	for i := range rows {
		offsets[2*i+1] = int64(n)
		live[i/4] |= 1 << (2 * i % 8)
	}
	bufs := buffers(live, arrow.Int64Traits.CastToBytes(offsets), make([]byte, n))
	var kids []arrow.ArrayData
	if l, ok := typ.(*arrow.LargeListType); ok {
		kids = append(kids, array.NewData(l.Elem(), n, []*memory.Buffer{nil, bufs[2]}, nil, 0, 0))
		bufs = bufs[:2]
	}
	d := array.NewData(typ, 2*rows, bufs, kids, array.UnknownNullCount, 0)
	defer d.Release()
	return array.MakeFromData(d)
}

// page makes a buffer that lies in a larger one, as those of a file do: what is behind it is another's.
func page(b []byte) *memory.Buffer {
	if b == nil {
		return nil
	}
	all := append(append([]byte{}, b...), []byte(strings.Repeat("another's", 40))...)
	return memory.NewBufferBytes(all[:len(b)])
}

func raw(t arrow.DataType, n int, bufs [][]byte, kids ...arrow.ArrayData) arrow.ArrayData {
	out := make([]*memory.Buffer, len(bufs))
	for i, b := range bufs {
		out[i] = page(b)
	}
	return array.NewData(t, n, out, kids, 0, 0)
}

func int64s(v ...int64) []byte { return arrow.Int64Traits.CastToBytes(v) }

func header(set func(h *arrow.ViewHeader)) []byte {
	h := make([]arrow.ViewHeader, 1)
	h[0].SetString("longer than twelve bytes")
	set(&h[0])
	return arrow.ViewHeaderTraits.CastToBytes(h)
}

// hostile arrays contradict themselves in their last row.
func hostile() map[string]arrow.ArrayData {
	i64, text := arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String
	four := func() arrow.ArrayData { return raw(i64, 4, [][]byte{nil, int64s(1, 2, 3, 4)}) }
	dict := func(index arrow.DataType, at []byte, n int, values arrow.ArrayData) arrow.ArrayData {
		return array.NewDataWithDictionary(dictionary(index, values.DataType()), n, []*memory.Buffer{nil, page(at)}, 0, 0, values.(*array.Data))
	}
	view := arrow.BinaryTypes.StringView
	return map[string]arrow.ArrayData{
		"text beyond the data":       raw(text, 1, [][]byte{nil, int32s(0, 9), []byte("abc")}),
		"text before the data":       raw(text, 1, [][]byte{nil, int32s(-4, 2), []byte("abc")}),
		"text of negative length":    raw(text, 1, [][]byte{nil, int32s(3, 1), []byte("abcdef")}),
		"text without data":          raw(text, 1, [][]byte{nil, int32s(0, 3), nil}),
		"too few offsets":            raw(text, 3, [][]byte{nil, int32s(0, 1, 2), []byte("abc")}),
		"large text beyond":          raw(arrow.BinaryTypes.LargeString, 1, [][]byte{nil, int64s(0, 1<<62), []byte("abc")}),
		"view into no buffer":        raw(view, 1, [][]byte{nil, header(func(h *arrow.ViewHeader) { h.SetIndexOffset(1, 0) }), []byte("longer than twelve bytes")}),
		"view beyond its buffer":     raw(view, 1, [][]byte{nil, header(func(h *arrow.ViewHeader) { h.SetIndexOffset(0, 1) }), []byte("longer than twelve bytes")}),
		"view before its buffer":     raw(view, 1, [][]byte{nil, header(func(h *arrow.ViewHeader) { h.SetIndexOffset(0, -5) }), []byte("longer than twelve bytes")}),
		"too few fixed bytes":        raw(&arrow.FixedSizeBinaryType{ByteWidth: 4}, 2, [][]byte{nil, []byte("abcdef")}),
		"too few integers":           raw(i64, 3, [][]byte{nil, int64s(1, 2)}),
		"no integers":                raw(i64, 3, [][]byte{nil, nil}),
		"too few bits":               raw(arrow.FixedWidthTypes.Boolean, 9, [][]byte{nil, {1}}),
		"too few floats":             raw(arrow.PrimitiveTypes.Float32, 2, [][]byte{nil, int32s(1)}),
		"too few decimals":           raw(&arrow.Decimal128Type{Precision: 38}, 2, [][]byte{nil, int64s(1, 2, 3)}),
		"too few bits of validity":   raw(i64, 9, [][]byte{{0xfe}, int64s(1, 2, 3, 4, 5, 6, 7, 8, 9)}),
		"a missing buffer":           raw(text, 1, [][]byte{nil, int32s(0, 1)}),
		"index beyond":               dict(arrow.PrimitiveTypes.Int32, int32s(0, 4), 2, four()),
		"index before":               dict(arrow.PrimitiveTypes.Int32, int32s(0, -1), 2, four()),
		"index above all integers":   dict(arrow.PrimitiveTypes.Uint64, int64s(0, -1), 2, four()),
		"index that wraps":           dict(arrow.PrimitiveTypes.Int64, int64s(0, 1<<32), 2, four()),
		"run ends that stop early":   raw(arrow.RunEndEncodedOf(i64, i64), 5, [][]byte{nil}, four(), four()),
		"more runs than values":      raw(arrow.RunEndEncodedOf(i64, i64), 4, [][]byte{nil}, four(), raw(i64, 3, [][]byte{nil, int64s(1, 2, 3)})),
		"list beyond its elements":   raw(arrow.ListOf(i64), 1, [][]byte{nil, int32s(0, 5)}, four()),
		"list of negative length":    raw(arrow.LargeListOf(i64), 1, [][]byte{nil, int64s(2, 1)}, four()),
		"list view that wraps":       raw(arrow.LargeListViewOf(i64), 1, [][]byte{nil, int64s(1<<63 - 1), int64s(2)}, four()),
		"fixed list beyond":          raw(arrow.FixedSizeListOf(3, i64), 2, [][]byte{nil}, four()),
		"struct beyond its fields":   raw(arrow.StructOf(arrow.Field{Name: "a", Type: i64}), 5, [][]byte{nil}, four()),
		"struct without its field":   raw(arrow.StructOf(arrow.Field{Name: "a", Type: i64}), 4, [][]byte{nil}),
		"decimals of a great scale":  raw(&arrow.Decimal128Type{Precision: 38, Scale: 1<<31 - 1}, 1, [][]byte{nil, int64s(1, 0)}),
		"dictionary without a value": array.NewDataWithDictionary(dictionary(i64, i64), 1, []*memory.Buffer{nil, page(int64s(0))}, 0, 0, nil),
	}
}

// targets gives types other than an array's own that it could become.
func targets(t arrow.DataType) []arrow.DataType {
	switch t := t.(type) {
	case *arrow.DictionaryType:
		return append(targets(t.ValueType), t.ValueType, dictionary(arrow.PrimitiveTypes.Int16, t.ValueType), arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, t.ValueType))
	case *arrow.RunEndEncodedType:
		return append(targets(t.Encoded()), t.Encoded(), dictionary(arrow.PrimitiveTypes.Int16, t.Encoded()))
	case *arrow.StructType:
		return []arrow.DataType{arrow.StructOf(arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int8}), dictionary(arrow.PrimitiveTypes.Int16, t)}
	case arrow.ListLikeType:
		i8 := arrow.PrimitiveTypes.Int8
		return []arrow.DataType{arrow.ListOf(i8), arrow.LargeListOf(i8), arrow.ListViewOf(i8), arrow.FixedSizeListOf(1, i8), arrow.FixedSizeListOf(4, i8), arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, t)}
	case *arrow.StringType, *arrow.LargeStringType, *arrow.StringViewType:
		all := []arrow.DataType{dictionary(arrow.PrimitiveTypes.Int8, t)}
		for _, to := range []arrow.DataType{arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString, arrow.BinaryTypes.StringView} {
			if to.ID() != t.ID() {
				all = append(all, to)
			}
		}
		return all
	case *arrow.FixedSizeBinaryType:
		return []arrow.DataType{arrow.BinaryTypes.Binary, &arrow.FixedSizeBinaryType{ByteWidth: 2}}
	case *arrow.BooleanType:
		return []arrow.DataType{dictionary(arrow.PrimitiveTypes.Int8, t)}
	case *arrow.Float32Type:
		return []arrow.DataType{arrow.PrimitiveTypes.Float64}
	case *arrow.Decimal128Type:
		return []arrow.DataType{&arrow.Decimal128Type{Precision: 38, Scale: 1}, &arrow.Decimal256Type{Precision: 38, Scale: 2}}
	}
	return []arrow.DataType{arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Uint64}
}

// Arrays whose buffers contradict their shape end in an error, and leak nothing.
func TestArrayOfBrokenArrays(t *testing.T) {
	mem := arrowtest.Allocator(t)
	for name, data := range hostile() {
		arr := func() (arr arrow.Array) {
			defer func() { _ = recover() }() // Arrow refuses some itself
			return array.MakeFromData(data)
		}()
		if arr == nil {
			continue
		}
		for _, to := range targets(data.DataType()) {
			out, _, err := Array(mem, arr, to)
			if err == nil {
				t.Errorf("%s to %v: %s", name, to, fmt.Sprint(out))
				out.Release()
			}
		}
		arr.Release()
	}
}
