package join_test

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/oracle"
	"github.com/onerow-go/onerow/join"
)

// clock is a family of times, with a few cells. A column leaves out those that its type can't hold.
type clock struct {
	types []string
	cells []any
	opens []onerow.Value // sentinels
}

func wholeTime(n any) any    { return map[string]any{"i": fmt.Sprint(n)} }
func floatTime(s string) any { return map[string]any{"f": s} }

// clocks has every family with an order.
var clocks = []clock{
	{types: []string{"int64", "int8", "uint16", "dict<int8,int32>", "ree<int64>", "uint64"}, cells: []any{0, 1, 2, 3, 4, 5, 6}, opens: []onerow.Value{6, uint8(0)}},
	{types: []string{"int64", "uint64"}, cells: []any{wholeTime(int64(math.MinInt64)), -1, 0, 5, wholeTime(int64(math.MaxInt64)), wholeTime(uint64(1 << 63)), wholeTime(uint64(math.MaxUint64))},
		opens: []onerow.Value{5, int64(math.MaxInt64)}},
	{types: []string{"int64"}, cells: []any{wholeTime(int64(math.MinInt64)), wholeTime(int64(math.MinInt64 + 1)), 0, wholeTime(int64(math.MaxInt64 - 1)), wholeTime(int64(math.MaxInt64))}},
	{types: []string{"date32", "date64", "ree<date32>"}, cells: []any{"2026-01-01", "2026-01-02", "2026-01-03", "2026-01-05", "1969-12-31", "9999-12-31"}, opens: []onerow.Value{"9999-12-31"}},
	{types: []string{"timestamp[s]", "timestamp[us]", "timestamp[ms]", "timestamp[ns]", "dict<int8,timestamp[us]>"},
		cells: []any{"2026-01-01T00:00:00", "2026-01-01T00:00:01", "2026-01-01T00:00:02", "2026-01-01T00:00:00.001", "1969-12-31T23:59:59", "9999-12-31T00:00:00"},
		opens: []onerow.Value{"2026-01-01T00:00:02"}},
	{types: []string{"timestamp[s]", "timestamp[ns]"}, // more than 64 bits
		cells: []any{"2026-01-01T00:00:00", "2026-01-01T00:00:02", "9999-12-31T00:00:00", wholeTime(int64(math.MaxInt64)), wholeTime(int64(math.MinInt64))}},
	{types: []string{"timestamp[s,UTC]", "timestamp[us,+02:00]"}, cells: []any{"2026-01-01T00:00:00Z", "2026-01-01T02:00:01+02:00", "2026-01-01T00:00:02Z", "2026-01-01T00:00:04Z"},
		opens: []onerow.Value{"2026-01-01T00:00:04Z"}},
	{types: []string{"time32[s]", "time64[us]"}, cells: []any{"00:00:00", "09:00:00", "09:00:01", "23:59:59"}, opens: []onerow.Value{"23:59:59"}},
	{types: []string{"duration[s]", "duration[ms]"}, cells: []any{0, 1, 2, 1000, 2000}},
	{types: []string{"float64", "float32"}, cells: []any{0.0, floatTime("-0"), 1.5, floatTime("NaN"), floatTime("NaN#1"), floatTime("Infinity"), floatTime("-Infinity"), -1.5},
		opens: []onerow.Value{math.Inf(1), math.NaN(), float32(1.5)}},
	{types: []string{"decimal(10,2)", "decimal(38,2)", "decimal256(40,3)"}, cells: []any{"0", "1", "-1", "1.5", "2"}, opens: []onerow.Value{"2.0"}},
	{types: []string{"string", "large_string", "dict<int8,string>", "string_view"}, cells: []any{"", "a", "a\x00", "2026-01-31", "2026-02-01", "z"}, opens: []onerow.Value{"z"}},
	{types: []string{"binary", "binary_view"}, cells: []any{[]byte{}, []byte{0}, []byte{255}, []byte("a long one, that differs 1"), []byte("a long one, that differs 2")}},
	{types: []string{"bool"}, cells: []any{false, true}, opens: []onerow.Value{true}},
	{types: []string{"int32", "null"}, cells: []any{1, 2, 3}, opens: []onerow.Value{3}},
}

// rangeKeys are key columns of facts and of versions, with cells of a few keys, in the order of the facts' columns.
var rangeKeys = []struct {
	facts, versions []string
	keys            [][]any
}{
	{[]string{"k:int64"}, []string{"k:int64"}, [][]any{{1}, {2}, {nil}, {3}}},
	{[]string{"k:int8"}, []string{"id:uint64"}, [][]any{{1}, {2}, {nil}, {3}}},
	{[]string{"k:string"}, []string{"m:dict<int8,large_string>"}, [][]any{{"a"}, {"a text of more than fifteen bytes, 1"}, {nil}, {"a text of more than fifteen bytes, 2"}}},
	{[]string{"k:int8", "l:string"}, []string{"l:int32", "k:string"}, [][]any{{1, "23"}, {12, "3"}, {1, nil}, {nil, "3"}}},
	{[]string{"k:float64"}, []string{"k:float32"}, [][]any{{0.0}, {floatTime("-0")}, {floatTime("NaN")}, {nil}}},
	{[]string{"k:int16", "l:uint32"}, []string{"k:int16", "l:uint32"}, [][]any{{1, 2}, {2, 1}, {nil, 1}}},
	{[]string{"k:null"}, []string{"k:int8"}, [][]any{{nil}}},
}

// rangeScene is a random call of AsOf and Between.
type rangeScene struct {
	facts                       join.Facts    // without Batches
	versions                    join.Versions // without Batches
	opts                        join.RangeOptions
	factColumns, versionColumns []string
	factRows, versionRows       [][]any
}

func newRangeScene(src oracle.Source, most int) *rangeScene {
	c, k := clocks[src.Choose("family", len(clocks))], rangeKeys[src.Choose("key", len(rangeKeys))]
	s := &rangeScene{factColumns: slices.Clone(k.facts), versionColumns: slices.Clone(k.versions)}
	names := func(columns []string) (out []string) {
		for _, c := range columns {
			name, _, _ := strings.Cut(c, ":")
			out = append(out, name)
		}
		return out
	}
	s.facts.Key, s.versions.Key = names(k.facts), names(k.versions)
	if slices.Equal(s.facts.Key, s.versions.Key) && src.Choose("key not named", 2) == 1 {
		s.versions.Key = nil
	}
	at, from, to := c.types[src.Choose("at", len(c.types))], c.types[src.Choose("from", len(c.types))], c.types[src.Choose("to", len(c.types))]
	s.facts.At, s.versions.ValidFrom, s.versions.ValidTo = "t", "f", "u"
	s.factColumns = append(s.factColumns, "t:"+at)
	s.versionColumns = append(s.versionColumns, "f:"+from, "u:"+to)
	s.chooseOptions(src, c)
	times, starts, ends := heldBy(at, c.cells), heldBy(from, c.cells), heldBy(to, c.cells)
	nulls := []int{20, 4}[src.Choose("nulls", 2)]
	cell := func(what string, of []any, nulls int) any {
		if len(of) == 0 || src.Choose(what+" null", nulls) == 0 {
			return nil
		}
		return of[src.Choose(what, len(of))]
	}
	keys := 1 + src.Choose("keys", len(k.keys))
	key := func(what string) []any { return slices.Clone(k.keys[src.Choose(what, keys)]) }
	for range src.Choose("facts", most+1) {
		s.factRows = append(s.factRows, append(key("key of fact"), cell("time", times, nulls)))
	}
	for range src.Choose("versions", most+1) {
		s.versionRows = append(s.versionRows, append(key("key of version"), cell("start", starts, nulls), cell("end", ends, 4)))
	}
	return s
}

func (s *rangeScene) chooseOptions(src oracle.Source, c clock) {
	flip := func(what string) bool { return src.Choose(what, 2) == 1 }
	if flip("without ends") {
		s.versions.ValidTo = ""
	} else {
		if len(c.opens) > 0 && flip("with open end") {
			s.versions.OpenEnd = c.opens[src.Choose("open end", len(c.opens))]
		}
		if flip("closed") {
			s.versions.Bounds = join.Closed
		}
	}
	if flip("nulls equal") {
		s.opts.Nulls = join.NullsEqual
	}
	s.opts.Resources.Workers = 1 + src.Choose("workers", 3)
}

// heldBy are the cells that a type can hold.
func heldBy(typ string, cells []any) (out []any) {
	f, err := arrowtest.Field("c:" + typ)
	if err != nil {
		panic(err)
	}
	dt := f.Type
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

// String writes the scene so that it can be read, and typed into a case.
func (s *rangeScene) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%+v\n%+v\n%+v\n%q\n", s.facts, s.versions, s.opts, s.factColumns)
	for i, r := range s.factRows[:min(len(s.factRows), 60)] {
		fmt.Fprintf(&b, "%4d %v\n", i, r)
	}
	fmt.Fprintf(&b, "%q\n", s.versionColumns)
	for i, r := range s.versionRows[:min(len(s.versionRows), 60)] {
		fmt.Fprintf(&b, "%4d %v\n", i, r)
	}
	return b.String()
}
