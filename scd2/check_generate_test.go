package scd2_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/oracle"
	"github.com/onerow-go/onerow/scd2"
)

// boundary is a family of boundary columns, with a few cells. A column leaves out those that its type can't hold.
type boundary struct {
	types []string
	cells []any
	opens []onerow.Value // sentinels, which the types of ends can hold
	units []onerow.Value
	times []onerow.Value // to ask for, which the types of starts can hold
}

func wholeCell(n any) any    { return map[string]any{"i": fmt.Sprint(n)} }
func floatCell(s string) any { return map[string]any{"f": s} }

// boundaries has every family with an order.
var boundaries = []boundary{
	{types: []string{"int64", "int8", "uint16", "dict<int8,int32>", "ree<int64>", "uint64"}, cells: []any{0, 1, 2, 3, 4, 5, 6},
		opens: []onerow.Value{6, uint8(5)}, units: []onerow.Value{nil, 1, uint16(2), 3}, times: []onerow.Value{0, 3, 6, 7}},
	{types: []string{"int64", "uint64"},
		cells: []any{wholeCell(int64(math.MinInt64)), -1, 0, 5, wholeCell(int64(math.MaxInt64)), wholeCell(uint64(1 << 63)), wholeCell(uint64(math.MaxUint64 - 1)), wholeCell(uint64(math.MaxUint64))},
		opens: []onerow.Value{5, int64(math.MaxInt64)}, units: []onerow.Value{nil, uint64(math.MaxUint64), 5}, times: []onerow.Value{5, int64(math.MaxInt64)}},
	{types: []string{"date32", "date64", "ree<date32>"}, cells: []any{"2026-01-01", "2026-01-02", "2026-01-03", "2026-01-05", "1969-12-31", "9999-12-31"},
		opens: []onerow.Value{"9999-12-31"}, units: []onerow.Value{nil, 48 * time.Hour, time.Hour}, times: []onerow.Value{"2026-01-02", "2026-01-04"}},
	{types: []string{"timestamp[s]", "timestamp[us]", "timestamp[ms]", "timestamp[ns]", "dict<int8,timestamp[us]>"},
		cells: []any{"2026-01-01T00:00:00", "2026-01-01T00:00:01", "2026-01-01T00:00:02", "2026-01-01T00:00:00.001", "1969-12-31T23:59:59", "9999-12-31T00:00:00"},
		opens: []onerow.Value{"2026-01-01T00:00:02"}, units: []onerow.Value{nil, time.Second, 999 * time.Millisecond, time.Nanosecond},
		times: []onerow.Value{"2026-01-01T00:00:00", "2026-01-01T00:00:01"}},
	{types: []string{"timestamp[s]", "timestamp[ns]"}, // more than 64 bits
		cells: []any{"2026-01-01T00:00:00", "2026-01-01T00:00:02", "9999-12-31T00:00:00", wholeCell(int64(math.MaxInt64)), wholeCell(int64(math.MinInt64)), wholeCell(int64(9223372036))},
		units: []onerow.Value{nil, 2 * time.Second, time.Second}, times: []onerow.Value{"2026-01-01T00:00:00"}},
	{types: []string{"timestamp[s,UTC]", "timestamp[us,+02:00]"}, cells: []any{"2026-01-01T00:00:00Z", "2026-01-01T02:00:01+02:00", "2026-01-01T00:00:02Z", "2026-01-01T00:00:04Z"},
		opens: []onerow.Value{"2026-01-01T00:00:04Z"}, units: []onerow.Value{nil, time.Second}, times: []onerow.Value{"2026-01-01T01:00:02+01:00"}},
	{types: []string{"time32[s]", "time64[us]"}, cells: []any{"00:00:00", "09:00:00", "09:00:01", "23:59:59"},
		opens: []onerow.Value{"23:59:59"}, units: []onerow.Value{nil, time.Second}, times: []onerow.Value{"09:00:00"}},
	{types: []string{"duration[s]", "duration[ms]"}, cells: []any{0, 1, 2, 1000, 2000}, units: []onerow.Value{nil, time.Second}},
	{types: []string{"float64", "float32"}, cells: []any{0.0, floatCell("-0"), 1.5, floatCell("NaN"), floatCell("NaN#1"), floatCell("Infinity"), floatCell("-Infinity"), -1.5},
		opens: []onerow.Value{math.Inf(1), math.NaN(), float32(1.5)}, units: []onerow.Value{nil}, times: []onerow.Value{0.0, math.Inf(-1), math.NaN()}},
	{types: []string{"decimal(10,2)", "decimal(38,2)", "decimal256(40,3)"}, cells: []any{"0", "1", "-1", "1.5", "2"},
		opens: []onerow.Value{"2.0"}, units: []onerow.Value{nil}, times: []onerow.Value{"1.50"}},
	{types: []string{"string", "large_string", "dict<int8,string>", "string_view"}, cells: []any{"", "a", "a\x00", "2026-01-31", "2026-02-01", "z"},
		opens: []onerow.Value{"z"}, units: []onerow.Value{nil}, times: []onerow.Value{"2026-01-31x"}},
	{types: []string{"binary", "binary_view"}, cells: []any{[]byte{}, []byte{0}, []byte{255}, []byte("a long one, that differs 1"), []byte("a long one, that differs 2")},
		opens: []onerow.Value{[]byte{255}}, units: []onerow.Value{nil}, times: []onerow.Value{[]byte{1}}},
	{types: []string{"bool"}, cells: []any{false, true}, opens: []onerow.Value{true}, units: []onerow.Value{nil}, times: []onerow.Value{false}},
	{types: []string{"int32", "null"}, cells: []any{1, 2, 3}, opens: []onerow.Value{3}, units: []onerow.Value{nil}, times: []onerow.Value{2}},
}

// rangeKeys are key columns, with cells of a few keys.
var rangeKeys = []struct {
	columns []string
	keys    [][]any
}{
	{[]string{"k:int64"}, [][]any{{1}, {2}, {nil}, {3}}},
	{[]string{"k:string"}, [][]any{{"a"}, {"a text of more than fifteen bytes, 1"}, {nil}, {"a text of more than fifteen bytes, 2"}}},
	{[]string{"k:int8", "l:string"}, [][]any{{1, "23"}, {12, "3"}, {1, nil}, {nil, "3"}}},
	{[]string{"k:float64"}, [][]any{{0.0}, {floatCell("-0")}, {floatCell("NaN")}, {nil}}},
	{[]string{"k:int16", "l:uint32"}, [][]any{{1, 2}, {2, 1}, {nil, 1}}},
}

// rangeScene is a random call of Check.
type rangeScene struct {
	table   scd2.Table // without Batches
	opts    scd2.CheckOptions
	columns []string
	rows    [][]any
	at      onerow.Value // nil: nothing to ask for
}

func newRangeScene(src oracle.Source, most int) *rangeScene {
	b, k := boundaries[src.Choose("family", len(boundaries))], rangeKeys[src.Choose("key", len(rangeKeys))]
	s := &rangeScene{columns: slices.Clone(k.columns)}
	for _, c := range k.columns {
		s.table.Key = append(s.table.Key, c[:1])
	}
	from, to := b.types[src.Choose("from", len(b.types))], b.types[src.Choose("to", len(b.types))]
	s.columns = append(s.columns, "valid_from:"+from, "valid_to:"+to, "cur:bool", "del:bool")
	s.chooseOptions(src, b)
	starts, ends := fitting(from, b.cells), fitting(to, b.cells)
	nulls := []int{20, 3}[src.Choose("nulls", 2)]
	for range src.Choose("rows", most+1) {
		cell := func(what string, of []any, nulls int) any {
			if len(of) == 0 || src.Choose(what+" null", nulls) == 0 {
				return nil
			}
			return of[src.Choose(what, len(of))]
		}
		row := slices.Clone(k.keys[src.Choose("key of row", len(k.keys))])
		flags := []any{true, false}
		s.rows = append(s.rows, append(row, cell("start", starts, nulls), cell("end", ends, 4), cell("current", flags, nulls), cell("deleted", flags, 3)))
	}
	return s
}

// fitting are the cells that a type can hold.
func fitting(typ string, cells []any) (out []any) {
	t, err := arrowtest.Field("c:" + typ)
	if err != nil {
		panic(err)
	}
	dt := t.Type
	switch d := dt.(type) {
	case *arrow.DictionaryType:
		dt = d.ValueType
	case *arrow.RunEndEncodedType:
		dt = d.Encoded()
	}
	for _, c := range cells {
		if _, err := arrowtest.Value(dt, c); err == nil && dt.ID() != arrow.NULL {
			out = append(out, c)
		}
	}
	return out
}

func (s *rangeScene) chooseOptions(src oracle.Source, b boundary) {
	flip := func(what string) bool { return src.Choose(what, 2) == 1 }
	if flip("with current") {
		s.table.Current = "cur"
	}
	if flip("with deleted") {
		s.table.Deleted = "del"
	}
	if len(b.opens) > 0 && flip("with open end") {
		s.table.OpenEnd = b.opens[src.Choose("open end", len(b.opens))]
	}
	if flip("closed") {
		s.table.Bounds, s.table.Unit = scd2.Closed, b.units[src.Choose("unit", len(b.units))]
	}
	if flip("allow empty") {
		s.opts.ZeroLength = scd2.AllowZeroLength
	}
	if flip("gaps") {
		s.opts.Gaps = scd2.ReportGaps
	}
	s.opts.MaxFindings = []int{0, 0, 1, 3, 7, -1}[src.Choose("limit", 6)]
	s.opts.Resources.Workers = 1 + src.Choose("workers", 3)
	if len(b.times) > 0 {
		s.at = b.times[src.Choose("at", len(b.times))]
	}
}

// String writes the scene so that it can be read, and typed into a case.
func (s *rangeScene) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%+v\n%+v\nat %v\n%q\n", s.table, s.opts, s.at, s.columns)
	for i, r := range s.rows[:min(len(s.rows), 60)] {
		fmt.Fprintf(&b, "%4d %v\n", i, r)
	}
	return b.String()
}
