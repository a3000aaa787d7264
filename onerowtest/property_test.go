package onerowtest_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"pgregory.net/rapid"

	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/onerowtest"
)

var leaves = []string{"null", "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
	"string", "large_string", "string_view", "binary", "large_binary", "binary_view", "fsb(0)", "fsb(3)", "date32", "date64", "time32[s]",
	"time32[ms]", "time64[us]", "time64[ns]", "timestamp[s]", "timestamp[ms]", "timestamp[us]", "timestamp[ns]", "timestamp[us,UTC]",
	"timestamp[ns,America/New_York]", "timestamp[s,+05:30]", "duration[s]", "duration[ms]", "duration[us]", "duration[ns]", "decimal(5,2)",
	"decimal(38,38)", "decimal(3,-2)", "decimal256(76,1)"}

// typeTexts draws types, nested up to a depth.
func typeTexts(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		leaf := rapid.SampledFrom(leaves).Draw(t, "type")
		if depth == 0 {
			return leaf
		}
		inner := func() string { return typeTexts(depth-1).Draw(t, "inner") }
		switch rapid.IntRange(0, 12).Draw(t, "nested") {
		case 0:
			return "list<" + inner() + ">"
		case 1:
			return "large_list<" + inner() + ">"
		case 2:
			return "fsl<" + inner() + ",2>"
		case 3:
			return "struct<a:" + inner() + ",b:" + inner() + ">"
		case 4:
			return "map<string," + inner() + ">"
		case 5:
			return "dict<int16," + leaf + ">"
		case 6:
			return "ree<" + leaf + ">"
		}
		return leaf
	})
}

var texts = rapid.OneOf(rapid.String(), rapid.StringMatching(`[ -~]{0,6}`),
	rapid.SampledFrom([]string{"", "-", "--", "---", "NULL", "null", "|", "#", `"`, "\xff", "a b", "\n", "[", "{}", "é", "\u00a0", "\u2028", `\`}))

// cells draws a cell of a type.
func cells(t *rapid.T, dt arrow.DataType) any {
	if rapid.IntRange(0, 5).Draw(t, "null") == 0 {
		return nil
	}
	switch dt := dt.(type) {
	case *arrow.NullType:
		return nil
	case *arrow.BooleanType:
		return rapid.Bool().Draw(t, "bool")
	case *arrow.DictionaryType:
		return cells(t, dt.ValueType)
	case *arrow.RunEndEncodedType:
		return cells(t, dt.Encoded())
	case *arrow.Float16Type, *arrow.Float32Type, *arrow.Float64Type:
		if rapid.Bool().Draw(t, "special") {
			return arrowtest.FloatOf(rapid.SampledFrom([]float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), 0.1}).Draw(t, "f"))
		}
		return arrowtest.FloatOf(rapid.Float64().Draw(t, "f"))
	case *arrow.StringType, *arrow.LargeStringType, *arrow.StringViewType:
		return texts.Draw(t, "text")
	case *arrow.BinaryType, *arrow.LargeBinaryType, *arrow.BinaryViewType:
		return rapid.SliceOfN(rapid.Byte(), 0, 4).Draw(t, "bytes")
	case *arrow.FixedSizeBinaryType:
		return rapid.SliceOfN(rapid.Byte(), dt.ByteWidth, dt.ByteWidth).Draw(t, "bytes")
	case arrow.DecimalType:
		n := rapid.IntRange(-999, 999).Draw(t, "digits")
		return arrowtest.Decimal(scaled(n, dt.GetScale()))
	case *arrow.StructType:
		out := map[string]any{}
		for _, f := range dt.Fields() {
			if out[f.Name] = cells(t, f.Type); !f.Nullable && out[f.Name] == nil { // a map's key
				out[f.Name] = "key"
			}
		}
		return out
	case *arrow.FixedSizeListType:
		return []any{cells(t, dt.Elem()), cells(t, dt.Elem())}
	case arrow.ListLikeType:
		out := make([]any, rapid.IntRange(0, 3).Draw(t, "length"))
		for i := range out {
			if out[i] = cells(t, dt.Elem()); out[i] == nil && dt.ID() == arrow.MAP {
				return []any{}
			}
		}
		return out
	case *arrow.Uint64Type:
		return rapid.Uint64().Draw(t, "n")
	}
	bits := dt.(arrow.FixedWidthDataType).BitWidth()
	if arrow.IsUnsignedInteger(dt.ID()) {
		return rapid.Uint64Range(0, 1<<bits-1).Draw(t, "n")
	}
	return rapid.OneOf(rapid.Int64Range(-100, 100), rapid.Int64Range(-1<<(bits-1), 1<<(bits-1)-1)).Draw(t, "n")
}

// scaled writes n / 10^scale.
func scaled(n int, scale int32) string {
	text, sign := fmt.Sprint(n), ""
	if n < 0 {
		text, sign = text[1:], "-"
	}
	if scale < 0 {
		return sign + text + strings.Repeat("0", int(-scale))
	}
	text = strings.Repeat("0", max(0, int(scale)+1-len(text))) + text
	return sign + text[:len(text)-int(scale)] + "." + text[len(text)-int(scale):]
}

// What Text writes, Records reads: equal values in equal types, in batches of equal lengths, and in the same words again.
func TestTextComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var fields []arrow.Field
		for i := range rapid.IntRange(1, 4).Draw(t, "columns") {
			dt, err := arrowtest.Type(typeTexts(2).Draw(t, "type"))
			if err != nil {
				t.Fatal(err)
			}
			name := fmt.Sprintf("%s%d", texts.Draw(t, "name"), i)
			fields = append(fields, arrow.Field{Name: name, Type: dt, Nullable: rapid.IntRange(0, 3).Draw(t, "nullable") > 0})
		}
		schema := arrow.NewSchema(fields, nil)
		mem := arrowtest.Allocator(t)
		var batches []arrow.Record
		for range rapid.IntRange(1, 3).Draw(t, "batches") {
			rows := make([][]any, rapid.IntRange(0, 4).Draw(t, "rows"))
			for i := range rows {
				for _, f := range fields {
					rows[i] = append(rows[i], cells(t, f.Type))
				}
				if hasNull(fields, rows[i]) {
					rows = rows[:i]
					break
				}
			}
			rec, err := arrowtest.Record(mem, schema, rows)
			if err != nil {
				t.Fatal(err)
			}
			onerowtest.Release(t, rec)
			batches = append(batches, rec)
		}

		text := onerowtest.Text(batches)
		again := onerowtest.Records(t, text)
		if len(again) != len(batches) {
			t.Fatalf("%d batches became %d:\n%s", len(batches), len(again), text)
		}
		for i := range again {
			if d := arrowtest.DiffList(arrowtest.Cells(batches[i]), arrowtest.Cells(again[i])); d != "" {
				t.Fatalf("batch %d, %s:\n%s", i, d, text)
			}
			for c, f := range again[i].Schema().Fields() {
				if f.Name != fields[c].Name || f.Nullable != fields[c].Nullable || !arrow.TypeEqual(f.Type, fields[c].Type) {
					t.Fatalf("column %v became %v", fields[c], f)
				}
			}
		}
		if d := onerowtest.Diff(batches, again, fields[0].Name); d != "" {
			t.Fatalf("a difference:\n%s", d)
		}
		if second := onerowtest.Text(again); second != text {
			t.Fatalf("written again:\n%s\nfirst:\n%s", second, text)
		}
	})
}

func hasNull(fields []arrow.Field, row []any) bool {
	for i, f := range fields {
		if !f.Nullable && row[i] == nil {
			return true
		}
	}
	return false
}

// A diff is empty if and only if the rows are the same multiset, and each row of one side is in it, or matched, once.
func TestDiffsCountRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := func(name string) []arrow.Record {
			text := "k:int8 v:float64\n"
			for range rapid.IntRange(0, 6).Draw(t, name) {
				text += rapid.SampledFrom([]string{"1 NaN\n", "1 0\n", "1 -0\n", "2 -\n", "- 1\n", "---\n"}).Draw(t, "row")
			}
			return onerowtest.Records(t, text)
		}
		want, got := table("want"), table("got")
		for _, key := range [][]string{nil, {"k"}, {"k", "v"}} {
			d := onerowtest.Diff(want, got, key...)
			if same := arrowtest.DiffRows(arrowtest.All(want), arrowtest.All(got)) == ""; same != (d == "") {
				t.Fatalf("the same rows: %v, and the diff by %q is %q", same, key, d)
			}
			marks := map[byte]int{}
			for line := range strings.Lines(d) {
				marks[line[0]]++
			}
			rows := func(b []arrow.Record) int { return len(arrowtest.All(b)) }
			if d != "" && marks['-']-marks['+'] != rows(want)-rows(got) {
				t.Fatalf("%d and %d rows, key %q:\n%s", rows(want), rows(got), key, d)
			}
			if back := onerowtest.Diff(got, want, key...); strings.Count(back, "\n") != strings.Count(d, "\n") {
				t.Fatalf("one way:\n%s\nthe other:\n%s", d, back)
			}
		}
	})
}
