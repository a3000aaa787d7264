package arrow18_test

import (
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	arrow15 "github.com/apache/arrow/go/v15/arrow"
	array15 "github.com/apache/arrow/go/v15/arrow/array"
	memory15 "github.com/apache/arrow/go/v15/arrow/memory"
)

// column is a type of v18, and five cells of it as JSON.
type column struct {
	name  string
	dt    arrow.DataType
	cells string
}

func flat(name string, dt arrow.DataType, cells string) column { return column{name, dt, cells} }

const (
	numbers   = `[1, 0, null, 100, 7]`
	texts     = `["a", "", null, "a text that is too long to be inline", "é"]`
	blobs     = `["YQ==", "", null, "YSB0ZXh0IHRoYXQgaXMgdG9vIGxvbmcgdG8gYmUgaW5saW5l", "/w=="]`
	dates     = `["2026-01-31", "1969-12-31", null, "0001-01-01", "9999-12-31"]`
	times     = `["09:00:00", "00:00:00", null, "23:59:59", "12:00:01"]`
	instants  = `["2026-01-31T09:00:00", "1969-12-31T23:59:59", null, "2000-02-29", "2262-01-01"]`
	decimals  = `["1.50", "-0.25", null, "12345678.75", "0"]`
	lists     = `[[1, null, 3], [], null, [4], [5, 6]]`
	repeated  = `["a", "a", null, "b", "a"]`
	structs   = `[{"a": 1, "b": "x"}, {"a": null, "b": null}, null, {"a": 3, "b": ""}, {"a": 4, "b": "y"}]`
	mapped    = `[[{"key": "a", "value": 1}], [], null, [{"key": "b", "value": null}, {"key": "c", "value": 3}], [{"key": "d", "value": 4}]]`
	unions    = `[[5, 1], [9, "a"], [5, null], [9, "b"], [5, 2]]`
	nestedRow = `[{"tags": ["a", "b", "a"], "runs": "x", "deep": [{"key": "k", "value": [1, 2]}]}, null,
		{"tags": null, "runs": "x", "deep": null}, {"tags": [], "runs": null, "deep": []}, {"tags": ["c"], "runs": "y", "deep": [{"key": "l", "value": null}]}]`
)

// zoned gives instants a zone of their own.
var zoned = strings.NewReplacer(`00"`, `00Z"`, `59"`, `59Z"`, `-29"`, `-29T00:00:00Z"`, `-01"`, `-01T00:00:00Z"`)

func about(pairs ...string) arrow.Metadata {
	var keys, values []string
	for i := 0; i < len(pairs); i += 2 {
		keys, values = append(keys, pairs[i]), append(values, pairs[i+1])
	}
	return arrow.NewMetadata(keys, values)
}

// everyType lists each type that both versions have, and ways to nest them.
func everyType() []column {
	pair := []arrow.Field{
		{Name: "a", Type: arrow.PrimitiveTypes.Int64, Nullable: true, Metadata: about("unit", "m")},
		{Name: "b", Type: arrow.BinaryTypes.String, Nullable: true},
	}
	word := func(index arrow.DataType) arrow.DataType {
		return &arrow.DictionaryType{IndexType: index, ValueType: arrow.BinaryTypes.String}
	}
	items := arrow.MapOfWithMetadata(arrow.BinaryTypes.String, about("k", "1"), arrow.PrimitiveTypes.Int32, about("i", "2"))
	items.KeysSorted = true
	required := arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int32)
	required.SetItemNullable(false)
	element := arrow.Field{Name: "element", Type: arrow.PrimitiveTypes.Int16, Nullable: true, Metadata: about("of", "list")}
	out := []column{
		flat("null", arrow.Null, `[null, null, null, null, null]`),
		flat("bool", arrow.FixedWidthTypes.Boolean, `[true, false, null, true, true]`),
		flat("string", arrow.BinaryTypes.String, texts),
		flat("large_string", arrow.BinaryTypes.LargeString, texts),
		flat("string_view", arrow.BinaryTypes.StringView, texts),
		flat("binary", arrow.BinaryTypes.Binary, blobs),
		flat("large_binary", arrow.BinaryTypes.LargeBinary, blobs),
		flat("binary_view", arrow.BinaryTypes.BinaryView, blobs),
		flat("fsb", &arrow.FixedSizeBinaryType{ByteWidth: 3}, `["YWJj", "AAAA", null, "////", "eHl6"]`),
		flat("date32", arrow.FixedWidthTypes.Date32, dates),
		flat("date64", arrow.FixedWidthTypes.Date64, dates),
		flat("months", arrow.FixedWidthTypes.MonthInterval, `[{"months": 1}, {"months": -1}, null, {"months": 0}, {"months": 12}]`),
		flat("daytime", arrow.FixedWidthTypes.DayTimeInterval,
			`[{"days": 1, "milliseconds": 2}, {"days": -1, "milliseconds": 0}, null, {"days": 0, "milliseconds": 3}, {"days": 7, "milliseconds": 9}]`),
		flat("monthdaynano", arrow.FixedWidthTypes.MonthDayNanoInterval, `[{"months": 1, "days": 2, "nanoseconds": 3}, {"months": -1, "days": 0, "nanoseconds": 0},
			null, {"months": 0, "days": 0, "nanoseconds": 0}, {"months": 4, "days": 5, "nanoseconds": -6}]`),
		flat("decimal128", &arrow.Decimal128Type{Precision: 20, Scale: 2}, decimals),
		flat("decimal256", &arrow.Decimal256Type{Precision: 50, Scale: 2}, decimals),
		flat("list", arrow.ListOfField(element), lists),
		flat("list!", arrow.ListOfNonNullable(arrow.PrimitiveTypes.Int64), `[[1], [], null, [4], [5, 6]]`),
		flat("large_list", arrow.LargeListOfField(element), lists),
		flat("list_view", arrow.ListViewOfField(element), lists),
		flat("large_list_view", arrow.LargeListViewOfField(element), lists),
		flat("fsl", arrow.FixedSizeListOfField(2, element), `[[1, 2], [3, null], null, [5, 6], [7, 8]]`),
		flat("struct", arrow.StructOf(pair...), structs),
		flat("struct of nothing", arrow.StructOf(), `[{}, {}, null, {}, {}]`),
		flat("map", items, mapped),
		flat("map!", required, `[[{"key": "a", "value": 1}], [], null, [{"key": "b", "value": 2}], []]`),
		flat("sparse union", arrow.SparseUnionOf(pair, []arrow.UnionTypeCode{5, 9}), unions),
		flat("dense union", arrow.DenseUnionOf(pair, []arrow.UnionTypeCode{5, 9}), unions),
		flat("ordered dictionary", &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.Binary, Ordered: true}, blobs),
		flat("nested", arrow.StructOf(
			arrow.Field{Name: "tags", Type: arrow.ListOf(word(arrow.PrimitiveTypes.Int16)), Nullable: true},
			arrow.Field{Name: "runs", Type: arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String), Nullable: true},
			arrow.Field{Name: "deep", Type: arrow.MapOf(arrow.BinaryTypes.String, arrow.ListOf(arrow.PrimitiveTypes.Int8)), Nullable: true},
		), nestedRow),
	}
	for _, dt := range []arrow.DataType{arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64,
		arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Uint64} {
		out = append(out, flat(dt.String(), dt, numbers), flat("dictionary by "+dt.String(), word(dt), repeated))
	}
	for _, dt := range []arrow.DataType{arrow.FixedWidthTypes.Float16, arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64} {
		out = append(out, flat(dt.String(), dt, `[1.5, -0.0, null, "NaN", "+Inf"]`))
	}
	for _, dt := range []arrow.DataType{arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64} {
		out = append(out, flat("runs by "+dt.String(), arrow.RunEndEncodedOf(dt, arrow.BinaryTypes.String), repeated))
	}
	for _, unit := range []arrow.TimeUnit{arrow.Second, arrow.Millisecond, arrow.Microsecond, arrow.Nanosecond} {
		out = append(out, flat("duration "+unit.String(), &arrow.DurationType{Unit: unit}, numbers))
		cells := instants
		if unit == arrow.Nanosecond {
			cells = strings.Replace(instants, "0001-01-01", "1700-01-01", 1)
		}
		for _, zone := range []string{"", "UTC", "Europe/Zurich", "+02:00"} {
			if zone == "UTC" {
				cells = zoned.Replace(cells)
			}
			out = append(out, flat("timestamp "+unit.String()+zone, &arrow.TimestampType{Unit: unit, TimeZone: zone}, cells))
		}
	}
	return append(out,
		flat("time32 s", arrow.FixedWidthTypes.Time32s, times), flat("time32 ms", arrow.FixedWidthTypes.Time32ms, times),
		flat("time64 us", arrow.FixedWidthTypes.Time64us, times), flat("time64 ns", arrow.FixedWidthTypes.Time64ns, times))
}

func (c column) build(t testing.TB, mem memory.Allocator) arrow.Array {
	t.Helper()
	arr, _, err := array.FromJSON(mem, c.dt, strings.NewReader(c.cells))
	if err != nil {
		t.Fatalf("%s: %v", c.name, err)
	}
	if arr.Len() != 5 {
		t.Fatalf("%s: %d cells", c.name, arr.Len())
	}
	return arr
}

// forms are ways in which the cells of an array can lie in memory. The caller releases them, and arr.
func forms(mem memory.Allocator, arr arrow.Array) map[string]arrow.Array {
	out := map[string]arrow.Array{
		"slice":       array.NewSlice(arr, 1, 4),
		"end":         array.NewSlice(arr, 5, 5),
		"NULLs":       ofNulls(mem, arr.DataType(), 3),
		"empty":       ofNulls(mem, arr.DataType(), 0),
		"slice twice": nil,
	}
	once := array.NewSlice(arr, 1, 5)
	out["slice twice"] = array.NewSlice(once, 1, 3)
	once.Release()
	return out
}

func ofNulls(mem memory.Allocator, dt arrow.DataType, n int) arrow.Array {
	b := array.NewBuilder(mem, dt)
	defer b.Release()
	b.AppendNulls(n)
	return b.NewArray()
}

func build15(t testing.TB, mem memory15.Allocator, dt arrow15.DataType, cells string) arrow15.Array {
	t.Helper()
	arr, _, err := array15.FromJSON(mem, dt, strings.NewReader(cells))
	if err != nil {
		t.Fatalf("%v: %v", dt, err)
	}
	return arr
}
