package oracle

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/float16"

	"github.com/onerow-go/onerow/internal/arrowtest"
)

// TestDecode reads cells of the types that case files don't have, in arrays that are slices.
func TestDecode(t *testing.T) {
	fields := []arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int32}, {Name: "b", Type: arrow.BinaryTypes.String}}
	codes := []arrow.UnionTypeCode{3, 7}
	for _, c := range []struct {
		typ  arrow.DataType
		json string
		want string
	}{
		{arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int8), `[null,[{"key":"a","value":1},{"key":"b","value":null}],[]]`, `[["a" 1] ["b" NULL]], []`},
		{arrow.SparseUnionOf(fields, codes), `[[3,1],[7,"x"],[3,null]]`, `[7 "x"], [3 NULL]`},
		{arrow.DenseUnionOf(fields, codes), `[[3,1],[7,"x"],[3,2]]`, `[7 "x"], [3 2]`},
		{arrow.FixedWidthTypes.MonthInterval, `[null,{"months":-2},null]`, `[-2], NULL`},
		{arrow.FixedWidthTypes.DayTimeInterval, `[null,{"days":1,"milliseconds":-2},null]`, `[1 -2], NULL`},
		{arrow.FixedWidthTypes.MonthDayNanoInterval, `[null,{"months":1,"days":2,"nanoseconds":3},null]`, `[1 2 3], NULL`},
		{arrow.ListViewOf(arrow.PrimitiveTypes.Int8), `[[9],[1,null],null]`, `[1 NULL], NULL`},
		{arrow.LargeListViewOf(arrow.PrimitiveTypes.Int8), `[[9],[1,null],[]]`, `[1 NULL], []`},
		{arrow.StructOf(fields...), `[{"a":9,"b":"z"},{"a":1,"b":null},null]`, `[1 NULL], NULL`},
		{arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Int8), `[[9,9],[1,null],null]`, `[1 NULL], NULL`},
		{arrow.Null, `[null,null,null]`, `NULL, NULL`},
	} {
		alloc := arrowtest.Allocator(t)
		arr, _, err := array.FromJSON(alloc, c.typ, strings.NewReader(c.json))
		if err != nil {
			t.Fatalf("%v: %v", c.typ, err)
		}
		part := array.NewSlice(arr, 1, 3)
		if got := FormatRow([]Value{decode(part, 0), decode(part, 1)}); got != c.want {
			t.Errorf("%v: got %s, want %s", c.typ, got, c.want)
		}
		part.Release()
		arr.Release()
	}
}

// TestHalf compares half floats with Arrow's reading of them, but for the numbers below the normal ones, which Arrow v15
// reads wrongly.
func TestHalf(t *testing.T) {
	for bits := range 1 << 16 {
		want := float64(float16.FromBits(uint16(bits)).Float32())
		if bits&0x7c00 == 0 {
			want = math.Copysign(float64(bits&0x3ff)/(1<<24), want)
		}
		got := half(uint16(bits))
		if got != want && !(math.IsNaN(got) && math.IsNaN(want)) || math.Signbit(got) != (bits>>15 == 1) && !math.IsNaN(got) {
			t.Fatalf("%04x: got %v, want %v", bits, got, want)
		}
	}
}

// TestSamples holds the samples to what they are for: in each, all types read a cell alike, and the orders are orders.
func TestSamples(t *testing.T) {
	for _, s := range Samples {
		alloc := arrowtest.Allocator(t)
		var rows [][]any
		for _, c := range append(slices.Clone(s.Cells), nil) {
			rows = append(rows, []any{c})
		}
		var first []Value
		for _, typ := range s.Types {
			recs := arrowtest.Table(t, alloc, []string{"c:" + typ}, rows)
			dt := recs[0].Schema().Field(0).Type
			if !canBeKey(dt) || canBeOrder(dt) == s.NoOrder {
				t.Errorf("%s: key %v, order %v", typ, canBeKey(dt), canBeOrder(dt))
			}
			var vs []Value
			for _, r := range Rows(recs...) {
				vs = append(vs, r[0])
			}
			if first == nil {
				first = vs
			}
			if Canonical(vs) != Canonical(first) {
				t.Errorf("%s and %s read the cells differently: %s and %s", typ, s.Types[0], FormatRow(vs), FormatRow(first))
			}
			checkOrder(t, typ, vs)
		}
	}
}

// checkOrder checks that values have a total order that goes with their equality.
func checkOrder(t *testing.T, typ string, vs []Value) {
	t.Helper()
	for _, a := range vs {
		for _, b := range vs {
			ab := compareContent(a, b)
			if ab != -compareContent(b, a) {
				t.Errorf("%s: %v and %v compare as %d and back as %d", typ, a, b, ab, compareContent(b, a))
			}
			if ab == 0 && !equal(a, b) {
				t.Errorf("%s: %v and %v compare as equal and aren't", typ, a, b)
			}
			for _, c := range vs {
				if ab <= 0 && compareContent(b, c) <= 0 && compareContent(a, c) > 0 {
					t.Errorf("%s: %v, %v, %v are in no order", typ, a, b, c)
				}
			}
		}
	}
}

// TestComparable checks which types can be equal.
func TestComparable(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"int8", "uint64", true}, {"int32", "float32", false}, {"int32", "decimal(5,0)", false}, {"bool", "int8", false},
		{"string", "dict<int8,large_string>", true}, {"string", "binary", false}, {"fsb(3)", "ree<binary_view>", true},
		{"timestamp[s]", "timestamp[ns]", true}, {"timestamp[s]", "timestamp[s,UTC]", false}, {"timestamp[s,UTC]", "timestamp[ns,+02:00]", true},
		{"date32", "date64", true}, {"date32", "timestamp[s]", false}, {"time32[s]", "time64[ns]", true}, {"duration[s]", "int64", false},
		{"null", "struct<a:int8>", true}, {"list<null>", "list<string>", true}, {"list<int8>", "fsl<int64,2>", true}, {"list<int8>", "list<string>", false},
		{"struct<a:int8>", "struct<a:int64>", true}, {"struct<a:int8>", "struct<b:int8>", false}, {"struct<a:int8,b:int8>", "struct<b:int8,a:int8>", false},
		{"struct<a:int8>", "struct<a:int8,b:int8>", false}, {"struct<a:int8>", "list<int8>", false},
	} {
		a, err := arrowtest.Type(c.a)
		if err != nil {
			t.Fatal(err)
		}
		b, err := arrowtest.Type(c.b)
		if err != nil {
			t.Fatal(err)
		}
		if canBeEqual(a, b) != c.want || canBeEqual(b, a) != c.want {
			t.Errorf("%s and %s: got %v, want %v", c.a, c.b, canBeEqual(a, b), c.want)
		}
	}
}
