package recast

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/form"
)

// A family of these tests: types whose values can be equal to each other, and cells. A cell that a type can't hold is left out of
// its column.
type family struct {
	name  string
	types []string
	cells []any
}

func whole(text string) any { return map[string]any{"i": text} }

func dec(text string) any { return map[string]any{"d": text} }

func nan(text string) any { return map[string]any{"f": text} }

func pair(a, b any) any { return map[string]any{"a": a, "b": b} }

func list(e ...any) any { return append([]any{}, e...) }

func power(base, exp int64, plus int64) string {
	n := new(big.Int).Exp(big.NewInt(base), big.NewInt(exp), nil)
	return n.Add(n, big.NewInt(plus)).String()
}

var long = "a text of more than twelve bytes, beyond sixteen too"

var families = []family{
	{"int", []string{"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"},
		[]any{0, 1, -1, 127, 128, -128, -129, 255, 256, 32767, 32768, -32768, -32769, 65535, 65536, 1<<31 - 1, int64(1 << 31), -1 << 31, int64(-1<<31 - 1), int64(1<<32 - 1), int64(1 << 32),
			whole("9223372036854775807"), whole("-9223372036854775808"), whole("9223372036854775808"), whole("18446744073709551615")}},
	{"bool", []string{"bool"}, []any{true, false}},
	{"float", []string{"float16", "float32", "float64"},
		[]any{0.0, nan("-0"), 1.5, -2.0, nan("NaN"), nan("NaN#1"), nan("Infinity"), nan("-Infinity"), 65504.0, 65505.0, 65520.0, 65536.0, 0.1, float32(0.1), 1e300, -1e-300,
			1.0 / (1 << 14), 1.0 / (1 << 24), 1023.0 / (1 << 24), 1.5 / (1 << 24), 1.0 / (1 << 25), 2049.0, 16777217.0, 1e-45, 3e38, 4e38}},
	{"decimal", []string{"decimal(5,1)", "decimal(9,2)", "decimal(38,0)", "decimal(38,38)", "decimal(3,-2)", "decimal(38,-30)", "decimal256(76,0)", "decimal256(76,20)", "decimal256(76,76)",
		"decimal256(5,-70)", "decimal256(1,0)"},
		[]any{dec("0"), dec("1"), dec("-1"), dec("1.2"), dec("1.25"), dec("-0.05"), dec("9999.9"), dec("-9999.9"), dec("10000"), dec("9999999.99"), dec("99900"), dec("100000"), dec("1" + power(10, 30, 0)[1:]),
			dec(power(10, 38, -1)), dec("-" + power(10, 38, -1)), dec(power(10, 75, 0)), dec(power(10, 76, -1)), dec("-" + power(10, 76, -1)), dec("9"), dec("10"), dec(power(2, 64, 0)), dec("-" + power(2, 64, 0)),
			dec(power(2, 127, -1)), dec("0." + power(10, 37, 1)[1:] + "1"), dec(power(10, 70, 0)), dec("0.00000000000000000001")}},
	{"text", []string{"string", "large_string", "string_view"}, []any{"", "a", "12 bytes....", "13 bytes.....", long, long + "!", "\xff\x00"}},
	{"binary", []string{"binary", "large_binary", "binary_view", "fsb(0)", "fsb(4)", "fsb(13)"},
		[]any{[]byte(""), []byte("abcd"), []byte("\x00\x00\x00\x00"), []byte("13 bytes....."), []byte(long), []byte("12 bytes....")}},
	{"date", []string{"date32", "date64"}, []any{"1970-01-01", "2026-01-31", "1969-12-31", 1, -1, 86_400_000, whole("9223372036854775807"), whole("-9223372036854775808"),
		arrowtest.Date((1<<31 - 1) * 86_400_000), arrowtest.Date(1 << 31 * 86_400_000), arrowtest.Date(-1 << 31 * 86_400_000)}},
	{"time", []string{"time32[s]", "time32[ms]", "time64[us]", "time64[ns]"},
		[]any{"00:00:00", "09:00:01", "23:59:59", "09:00:00.001", "09:00:00.000001", "09:00:00.000000001", -1, 1<<31 - 1, whole("9223372036854775807")}},
	{"naive", []string{"timestamp[s]", "timestamp[ms]", "timestamp[us]", "timestamp[ns]"}, append(times(),
		"2026-01-31T09:00:00", "2026-01-31T09:00:00.5", "1969-12-31T23:59:59.000001", "2026-01-31T09:00:00.000000001", "9999-12-31T00:00:00")},
	{"instant", []string{"timestamp[s,UTC]", "timestamp[ms,America/New_York]", "timestamp[us,+02:00]", "timestamp[us,UTC]", "timestamp[ns,UTC]"}, append(times(),
		"2026-01-31T09:00:00Z", "2026-01-31T09:00:00.25Z")},
	{"duration", []string{"duration[s]", "duration[ms]", "duration[us]", "duration[ns]"}, times()},
	{"struct", []string{"struct<a:int8,b:string>", "struct<a:uint64,b:large_string>", "struct<a:int16,b:dict<int8,string>>", "struct<a:ree<int32>,b:string_view>", "struct<a:null,b:string>"},
		[]any{pair(1, "x"), pair(nil, "x"), pair(-1, "x"), pair(1, nil), pair(nil, nil), pair(300, long), pair(127, long)}},
	{"list", []string{"list<int64>", "large_list<int8>", "fsl<int32,2>", "fsl<uint16,2>", "fsl<int8,1>", "list<ree<int8>>", "large_list<dict<int8,uint32>>"},
		[]any{list(), list(1), list(1, 2), list(nil, 1), list(1, nil), list(nil, nil), list(300, 1), list(-1, 2), list(1, 2, 3), list(1, 2, 300)}},
	{"list of structs", []string{"list<struct<a:int8,b:binary>>", "fsl<struct<a:int64,b:fsb(2)>,1>", "large_list<struct<a:int32,b:large_binary>>"},
		[]any{list(), list(pair(1, []byte("ab"))), list(pair(300, []byte("ab"))), list(pair(1, []byte("abc"))), list(nil), list(pair(nil, nil), nil)}},
	{"null", []string{"null", "bool", "int8", "string", "large_binary", "string_view", "fsb(3)", "decimal256(40,2)", "list<int8>", "large_list<int8>",
		"fsl<int8,2>", "fsl<struct<a:string>,3>", "struct<a:int8>", "struct<a:fsl<string,2>>", "dict<int8,string>", "ree<int32>", "map<string,int8>"}, []any{nil}},
}

// times are raw numbers around the bounds of the units.
func times() []any {
	out := []any{0, 1, -1, 1000, 1500, -1500, 1_000_000, 1_000_000_000, whole("9223372036854775807"), whole("-9223372036854775808")}
	for _, f := range []int64{1000, 1_000_000, 1_000_000_000} {
		most := int64(1<<63 - 1)
		out = append(out, whole(fmt.Sprint(most/f)), whole(fmt.Sprint(most/f+1)), whole(fmt.Sprint(-most/f)), whole(fmt.Sprint(-most/f-1)))
	}
	return out
}

func mustType(t testing.TB, text string) arrow.DataType {
	t.Helper()
	dt, err := arrowtest.Type(text)
	if err != nil {
		t.Fatal(err)
	}
	return dt
}

// column builds the cells that fit a type, with NULLs between. The test releases the variants.
func column(t testing.TB, mem memory.Allocator, typ string, cells []any) arrowtest.VariantList {
	t.Helper()
	schema, err := arrowtest.Schema([]string{"c:" + typ})
	if err != nil {
		t.Fatal(err)
	}
	rows := [][]any{{nil}}
	for i, c := range append(append([]any{}, cells...), cells...) {
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
	defer rec.Release()
	// Batches of one and two rows say nothing that those of three don't.
	return slices.DeleteFunc(arrowtest.Variants(mem, []arrow.Record{rec}), func(v arrowtest.Variant) bool {
		few := strings.Contains(v.Name, "cut 1") || strings.Contains(v.Name, "cut 2")
		if few {
			v.Release()
		}
		return few
	})
}

// Every pair of types of a family, in every form: the result equals the source but for the cells that the type can't hold.
func TestArrayOfEveryPair(t *testing.T) {
	for _, f := range families {
		t.Run(f.name, func(t *testing.T) {
			mem := arrowtest.Allocator(t)
			for _, from := range f.types {
				variants := column(t, mem, from, f.cells)
				t.Cleanup(variants.Release)
				for _, v := range variants {
					for _, rec := range v.Batches {
						for _, to := range f.types {
							if dt := mustType(t, to); f.name != "null" || from == "null" || to == "null" {
								checkCast(t, mem, from+" "+v.Name, rec.Column(0), dt)
							}
						}
					}
				}
			}
		})
	}
}

// checkCast converts an array and compares every cell of the result, by form and by arrowtest.
func checkCast(t *testing.T, mem memory.Allocator, name string, arr arrow.Array, to arrow.DataType) {
	t.Helper()
	out, unfit, err := Array(mem, arr, to)
	if err != nil {
		t.Fatalf("%s to %v: %v", name, to, err)
	}
	defer out.Release()
	if !form.SameType(out.DataType(), to) || out.Len() != arr.Len() {
		t.Fatalf("%s to %v: %d rows of %v", name, to, out.Len(), out.DataType())
	}
	a, err := form.Of(arr)
	if err != nil {
		t.Fatal(err)
	}
	b, err := form.Of(out)
	if err != nil {
		t.Fatalf("%s to %v: %v", name, to, err)
	}
	want, got := bitsOf(arr), bitsOf(out)
	for i := range want {
		bad := len(unfit) > 0 && unfit[0] == i
		if bad {
			unfit = unfit[1:]
		}
		expect, fits := held(to, want[i])
		switch {
		case bad == fits:
			t.Fatalf("%s to %v: row %d, %s: unfit is %v", name, to, i, arrowtest.Format(want[i]), bad)
		case arrowtest.Format(got[i]) != arrowtest.Format(expect):
			t.Fatalf("%s to %v: row %d, %s: got %s, want %s", name, to, i, arrowtest.Format(want[i]), arrowtest.Format(got[i]), arrowtest.Format(expect))
		case !bad && !form.Equal(a, i, b, i):
			t.Fatalf("%s to %v: row %d: %s is not %s", name, to, i, form.Format(b, i), form.Format(a, i))
		}
	}
	if len(unfit) > 0 {
		t.Fatalf("%s to %v: unfit rows %v left", name, to, unfit)
	}
	if short := shortChild(out.Data()); short != nil {
		t.Fatalf("%s to %v: a child of type %v has %d rows", name, to, short.DataType(), short.Len())
	}
	if n := slots(out); n >= 0 && out.NullN() != n {
		t.Fatalf("%s to %v: %d NULLs, not %d", name, to, out.NullN(), n)
	}
}

// shortChild finds a child that has fewer rows than its parent says.
func shortChild(d arrow.ArrayData) arrow.ArrayData {
	for _, kid := range d.Children() {
		need := 0
		switch t := d.DataType().(type) {
		case *arrow.StructType:
			need = d.Offset() + d.Len()
		case *arrow.FixedSizeListType:
			need = (d.Offset() + d.Len()) * int(t.Len())
		}
		if kid.Len() < need {
			return kid
		}
		if short := shortChild(kid); short != nil {
			return short
		}
	}
	return nil
}

// slots counts the NULLs that the array itself has, -1 when it has no bitmap.
func slots(arr arrow.Array) int {
	bits := arr.Data().Buffers()[0]
	if bits == nil {
		return -1
	}
	n := 0
	for i := range arr.Len() {
		if at := arr.Data().Offset() + i; bits.Bytes()[at/8]>>(at%8)&1 == 0 {
			n++
		}
	}
	return n
}

func bitsOf(arr arrow.Array) []any {
	schema := arrow.NewSchema([]arrow.Field{{Name: "c", Type: arr.DataType(), Nullable: true}}, nil)
	rec := arrowRecord(schema, arr)
	defer rec.Release()
	out := make([]any, arr.Len())
	for i, r := range arrowtest.Bits(rec) {
		out[i] = r[0]
	}
	return out
}

// A NaN keeps its sign and what fits of its payload; when that is nothing it stays a NaN all the same.
func TestArrayOfNaNs(t *testing.T) {
	mem := arrowtest.Allocator(t)
	var cells []any
	for _, bits := range []uint64{0x7ff0000000000001, 0xfff0000000000001, 0x7ff8000000000000, 0x7ff4000000000000, 0xfff0000020000000, 0x7ff0040000000000, 0x7fffffffffffffff} {
		cells = append(cells, arrowtest.Float(bits))
	}
	arr := plainColumn(t, mem, "float64", cells)
	for _, to := range []string{"float32", "float16", "dict<int8,float16>"} {
		checkCast(t, mem, "NaNs", arr, mustType(t, to))
	}
}
