package form

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow/internal/arrowtest"
)

// A family of these tests: types whose values can be equal to each other, and cells. A cell that a type can't hold is
// left out of its column.
type family struct {
	name  string
	types []string
	cells []any
}

func i64(n int64) any { return map[string]any{"i": fmt.Sprint(n)} }

func u64(n uint64) any { return map[string]any{"i": fmt.Sprint(n)} }

func nan(n int) any { return map[string]any{"f": fmt.Sprintf("NaN#%d", n)} }

// families are all that can be keys.
var families = []family{
	{"bool", []string{"bool"}, []any{true, false}},
	{"int", []string{"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"},
		[]any{0, 1, -1, 7, 127, 128, -128, -129, 255, 256, 32767, 32768, -32768, 65535, 65536, math.MaxInt32, math.MinInt32,
			i64(math.MaxUint32), i64(math.MaxUint32 + 1), i64(math.MaxInt64), i64(math.MinInt64), u64(math.MaxUint64), u64(1 << 63), u64(1<<63 - 1)}},
	{"float", []string{"float16", "float32", "float64"},
		[]any{0, map[string]any{"f": "-0"}, 1, -1, 1.5, nan(0), nan(1), nan(3), map[string]any{"f": "Infinity"}, map[string]any{"f": "-Infinity"},
			65504, -65504, math.Ldexp(1, -24), -math.Ldexp(1, -24), math.Ldexp(1023, -24), math.Ldexp(3, -24), math.Ldexp(1, -14), 0.1, 1e-45, 1e300,
			math.Float64frombits(1), math.Float64frombits(0xfff8000000000009), 16777217.0}},
	{"decimal", []string{"decimal(38,0)", "decimal(38,10)", "decimal(5,2)", "decimal(38,38)", "decimal(3,-2)", "decimal(38,-30)",
		"decimal256(76,0)", "decimal256(76,20)", "decimal256(76,76)", "decimal256(76,-10)"},
		[]any{"0", "1", "-1", "1.2", "1.25", "-0.05", "0.1", "100", "1500", "-99900", strings.Repeat("9", 38), "-" + strings.Repeat("9", 38),
			strings.Repeat("9", 76), "-" + strings.Repeat("9", 76), "0." + strings.Repeat("9", 38), "-0." + strings.Repeat("0", 37) + "1",
			"0." + strings.Repeat("0", 75) + "1", "18446744073709551616", "-18446744073709551616", "9223372036854775808", "-9223372036854775808",
			"2305843009213693951", "2305843009213693952", "1" + strings.Repeat("0", 31), "-1" + strings.Repeat("0", 31), "0.00000000000000000001"}},
	{"text", []string{"string", "large_string", "string_view"}, texts()},
	{"binary", []string{"binary", "large_binary", "binary_view", "fsb(0)", "fsb(1)", "fsb(7)", "fsb(8)", "fsb(15)", "fsb(16)"}, binaries()},
	{"date", []string{"date32", "date64"},
		[]any{0, 1, -1, "2026-01-31", "9999-12-31", "0001-01-01", i64(math.MaxInt32), i64(math.MinInt32), i64(math.MaxInt64), i64(math.MinInt64),
			arrowtest.Date(math.MaxInt32 * 86_400_000), arrowtest.Date(math.MinInt32 * 86_400_000), 86_400_000}},
	{"time", []string{"time32[s]", "time32[ms]", "time64[us]", "time64[ns]"},
		[]any{0, 1, -1, "09:00:00", "23:59:59", "09:00:00.001", "09:00:00.000001", "09:00:00.000000001", i64(math.MaxInt32), i64(math.MinInt32),
			i64(math.MaxInt64), i64(math.MinInt64)}},
	{"naive", []string{"timestamp[s]", "timestamp[ms]", "timestamp[us]", "timestamp[ns]"},
		[]any{0, 1, -1, "2026-01-31T09:00:00", "2026-01-31T09:00:00.25", "2026-01-31T09:00:00.000001", "2026-01-31T09:00:00.000000001", "9999-12-31T23:59:59",
			i64(math.MaxInt64), i64(math.MinInt64), i64(1 << 61), i64(18446744073709551), i64(18446744073), i64(1 << 55), i64(-1 << 55)}},
	{"instant", []string{"timestamp[s,UTC]", "timestamp[ms,America/New_York]", "timestamp[us,+05:30]", "timestamp[ns,UTC]"},
		[]any{0, 1, -1, "2026-01-31T09:00:00Z", "2026-01-31T10:00:00+01:00", "2026-01-31T09:00:00.25Z", i64(math.MaxInt64), i64(math.MinInt64), i64(1 << 61), i64(1 << 55)}},
	{"duration", []string{"duration[s]", "duration[ms]", "duration[us]", "duration[ns]"},
		[]any{0, 1, -1, 90, 90_000, 90_000_000, i64(90_000_000_000), i64(math.MaxInt64), i64(math.MinInt64), i64(1 << 61), i64(1 << 55)}},
	{"struct", []string{"struct<a:int8,b:string>", "struct<a:uint64,b:large_string>", "struct<a:int16,b:dict<int8,string>>", "struct<a:ree<int32>,b:string_view>"},
		[]any{pair(1, "x"), pair(1, nil), pair(nil, "x"), pair(nil, nil), pair(2, "x"), pair(1, "longer than fifteen bytes"), pair(1, "")}},
	{"struct of nothing", []string{"struct<>"}, []any{map[string]any{}}},
	{"struct of floats", []string{"struct<f:float64>", "struct<f:float32>", "struct<f:float16>"},
		[]any{one(0), one(map[string]any{"f": "-0"}), one(nan(1)), one(nan(2)), one(nil), one(2.5)}},
	{"list", []string{"list<int64>", "large_list<int8>", "fsl<int32,2>", "fsl<uint16,1>", "list<ree<int8>>", "list<dict<int8,uint32>>"},
		[]any{list(), list(1), list(1, 2), list(2, 1), list(1, nil), list(nil), list(nil, nil), list(1, 2, 3), list(1, 1), list(1, 1, 1)}},
	{"list of lists", []string{"list<list<string>>", "large_list<list<large_string>>", "list<large_list<string_view>>", "list<fsl<string,1>>"},
		[]any{list(), list(list("a")), list(list("a"), list("b")), list(list("a", "b")), list(list(), list()), list(list()), list(nil), list(list(nil))}},
	{"list of structs", []string{"list<struct<a:int8,b:string>>", "fsl<struct<a:int64,b:string>,1>"},
		[]any{list(), list(pair(1, "x")), list(pair(1, nil)), list(nil), list(pair(1, "x"), pair(nil, nil))}},
	{"null", []string{"null"}, []any{nil}},
}

func pair(a, b any) any { return map[string]any{"a": a, "b": b} }

func one(f any) any { return map[string]any{"f": f} }

func list(e ...any) any { return append([]any{}, e...) }

// texts are of all lengths to 40, with NUL bytes at the ends around the lengths at which the layout changes.
func texts() []any {
	out := []any{"é\xff", "\xff\xfe", "\xed\xa0\x80", strings.Repeat("y", 300)}
	for n := range 41 {
		out = append(out, strings.Repeat("abcdefgh", 5)[:n])
	}
	for _, n := range []int{1, 2, 3, 4, 7, 8, 9, 12, 13, 15, 16, 17} {
		out = append(out, strings.Repeat("\x00", n), strings.Repeat("x", n-1)+"\x00", "\x00"+strings.Repeat("x", n-1), strings.Repeat("\xff", n))
	}
	return out
}

func binaries() []any {
	var out []any
	for i, s := range texts() {
		if n := len(s.(string)); i%3 == 0 || n == 0 || n == 1 || n == 7 || n == 8 || n == 15 || n == 16 {
			out = append(out, []byte(s.(string)))
		}
	}
	return out
}

// A chunked column in one form, and the value of each of its cells with the bits of its floats.
type column struct {
	name string
	typ  string
	arrs []arrow.Array
	vals [][]any // of each array
}

// columns builds the cells of a family that fit a type, twice and with NULLs, in every form. The test releases them.
func columns(t testing.TB, mem memory.Allocator, typ string, cells []any) []column {
	t.Helper()
	schema, err := arrowtest.Schema([]string{"c:" + typ})
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]any
	for i, c := range append(append([]any{nil}, cells...), cells...) {
		if v, err := arrowtest.Value(schema.Field(0).Type, c); err == nil {
			if rows = append(rows, []any{v}); i%5 == 4 {
				rows = append(rows, []any{nil})
			}
		}
	}
	rec, err := arrowtest.Record(mem, schema, rows)
	if err != nil {
		t.Fatal(err)
	}
	variants := arrowtest.Variants(mem, []arrow.Record{rec})
	rec.Release()
	t.Cleanup(variants.Release)
	var out []column
	for _, v := range variants {
		c := column{name: v.Name, typ: typ}
		for _, b := range v.Batches {
			c.arrs = append(c.arrs, b.Column(0))
			vals := make([]any, b.NumRows())
			for i, r := range arrowtest.Bits(b) {
				vals[i] = r[0]
			}
			c.vals = append(c.vals, vals)
		}
		out = append(out, c)
	}
	return append(out, wrapped(t, out[0])...)
}

// wrapped returns forms that arrowtest doesn't make: extensions, run-ends of dictionaries, dictionaries of run-ends, and
// list views.
func wrapped(t testing.TB, c column) []column {
	var out []column
	add := func(name string, wrap func(arrow.ArrayData) arrow.ArrayData) {
		w := column{name: name, typ: c.typ, vals: c.vals}
		for _, arr := range c.arrs {
			data := wrap(arr.Data())
			made := array.MakeFromData(data)
			data.Release()
			t.Cleanup(made.Release)
			w.arrs = append(w.arrs, made)
		}
		out = append(out, w)
	}
	add("extension", extend)
	add("extension of an extension", func(d arrow.ArrayData) arrow.ArrayData { return over(d, extend, extend) })
	if c.typ == "null" {
		return out
	}
	add("extension of a dictionary", func(d arrow.ArrayData) arrow.ArrayData { return over(d, indexed, extend) })
	add("dictionary of an extension", func(d arrow.ArrayData) arrow.ArrayData { return over(d, extend, indexed) })
	add("run ends of a dictionary", func(d arrow.ArrayData) arrow.ArrayData { return over(d, indexed, runs) })
	add("dictionary of run ends", func(d arrow.ArrayData) arrow.ArrayData { return over(d, runs, indexed) })
	switch c.arrs[0].DataType().ID() {
	case arrow.LIST, arrow.LARGE_LIST:
		add("list view", listView)
	}
	return out
}

func over(d arrow.ArrayData, inner, outer func(arrow.ArrayData) arrow.ArrayData) arrow.ArrayData {
	in := inner(d)
	defer in.Release()
	return outer(in)
}

// tagged is an extension type over any storage.
type tagged struct{ arrow.ExtensionBase }

func (tagged) ArrayType() reflect.Type { return reflect.TypeFor[taggedArray]() }
func (tagged) ExtensionName() string   { return "tagged" }
func (tagged) Serialize() string       { return "" }
func (x tagged) ExtensionEquals(other arrow.ExtensionType) bool {
	return arrow.TypeEqual(x.Storage, other.StorageType())
}
func (tagged) Deserialize(storage arrow.DataType, _ string) (arrow.ExtensionType, error) {
	return &tagged{arrow.ExtensionBase{Storage: storage}}, nil
}

type taggedArray struct{ array.ExtensionArrayBase }

// extend puts an extension type over array data.
func extend(d arrow.ArrayData) arrow.ArrayData {
	t := &tagged{arrow.ExtensionBase{Storage: d.DataType()}}
	if dict, ok := d.Dictionary().(*array.Data); ok && dict != nil {
		return array.NewDataWithDictionary(t, d.Len(), d.Buffers(), d.NullN(), d.Offset(), dict)
	}
	return array.NewData(t, d.Len(), d.Buffers(), d.Children(), d.NullN(), d.Offset())
}

// indexed puts a dictionary type over array data: row i is value i.
func indexed(d arrow.ArrayData) arrow.ArrayData {
	index := make([]int16, d.Len())
	for i := range index {
		index[i] = int16(i)
	}
	t := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16, ValueType: d.DataType()}
	return array.NewDataWithDictionary(t, d.Len(), buffers(nil, arrow.Int16Traits.CastToBytes(index)), 0, 0, d.(*array.Data))
}

// runs puts run ends over array data: each row is a run of its own.
func runs(d arrow.ArrayData) arrow.ArrayData {
	ends := make([]int64, d.Len())
	for i := range ends {
		ends[i] = int64(i + 1)
	}
	e := array.NewData(arrow.PrimitiveTypes.Int64, d.Len(), buffers(nil, arrow.Int64Traits.CastToBytes(ends)), nil, 0, 0)
	defer e.Release()
	return array.NewData(arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int64, d.DataType()), d.Len(), buffers(nil), []arrow.ArrayData{e, d}, 0, 0)
}

// listView gives a list, whose array isn't sliced, sizes of its own.
func listView(d arrow.ArrayData) arrow.ArrayData {
	a, err := OfData(d)
	if err != nil {
		panic(err)
	}
	var lo32, n32 []int32
	var lo64, n64 []int64
	for i := range d.Len() {
		lo, hi := a.span(i)
		lo32, n32 = append(lo32, int32(lo)), append(n32, int32(hi-lo))
		lo64, n64 = append(lo64, int64(lo)), append(n64, int64(hi-lo))
	}
	elem := elem(d.DataType())
	bufs := buffers(nil, arrow.Int32Traits.CastToBytes(lo32), arrow.Int32Traits.CastToBytes(n32))
	var t arrow.DataType = arrow.ListViewOf(elem)
	if a.Kind == KindList64 {
		t = arrow.LargeListViewOf(elem)
		bufs = buffers(nil, arrow.Int64Traits.CastToBytes(lo64), arrow.Int64Traits.CastToBytes(n64))
	}
	bufs[0] = d.Buffers()[0]
	return array.NewData(t, d.Len(), bufs, d.Children(), d.NullN(), 0)
}

// buffers makes buffers of bytes; nil is none.
func buffers(bytes ...[]byte) []*memory.Buffer {
	out := make([]*memory.Buffer, len(bytes))
	for i, b := range bytes {
		if b != nil {
			out[i] = memory.NewBufferBytes(b)
		}
	}
	return out
}

func read(t testing.TB, arrs []arrow.Array) []*Array {
	t.Helper()
	out, err := OfAll(arrs)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
