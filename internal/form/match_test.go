package form

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow/internal/arrowtest"
)

type (
	myString string
	myInt    int16
	myBytes  []byte
)

// A value is accepted if a cell of the type can equal it, and then matches that cell alone of its family.
var matches = []struct {
	typ      string
	accepted map[any]any // the value and a cell that it matches; nil: none that can be written here
	refused  []any
}{
	{"string", map[any]any{"a": "a", "": "", "\xff": "\xff", myString("b"): "b"}, []any{nil, 1, []byte("a"), true, 1.5, 'a', &struct{}{}}},
	{"dict<int8,string>", map[any]any{"a": "a"}, []any{1}},
	{"ree<string>", map[any]any{"a": "a"}, []any{[]byte("a")}},
	{"bool", map[any]any{true: true, false: false}, []any{nil, 1, "true"}},
	{"int8", map[any]any{1: 1, int64(-128): -128, uint8(127): 127, myInt(7): 7}, []any{128, -129, uint64(1 << 63), uint8(128), "1", 1.0, true, nil}},
	{"int16", map[any]any{uint32(32767): 32767}, []any{32768, uint16(65535)}},
	{"int64", map[any]any{int64(math.MinInt64): i64(math.MinInt64), uint64(math.MaxInt64): i64(math.MaxInt64)}, []any{uint64(1 << 63), "7"}},
	{"uint8", map[any]any{255: 255, uintptr(1): 1}, []any{256, -1, uint(256)}},
	{"uint64", map[any]any{uint64(math.MaxUint64): u64(math.MaxUint64), 0: 0}, []any{-1, int8(-1)}},
	{"float64", map[any]any{1.5: 1.5, 0.0: map[string]any{"f": "-0"}, math.Inf(-1): map[string]any{"f": "-Infinity"}, float32(0.5): 0.5}, []any{1, "1", nil}},
	{"float32", map[any]any{0.5: 0.5, float32(0.1): 0.1, math.Inf(1): map[string]any{"f": "Infinity"}}, []any{0.1, 1e300, 16777217.0}},
	{"float16", map[any]any{0.5: 0.5, 65504.0: 65504, math.Ldexp(1, -24): math.Ldexp(1, -24), math.Ldexp(1023, -24): math.Ldexp(1023, -24), -2.0: -2},
		[]any{0.1, 65505.0, 65536.0, 1e10, math.Ldexp(1, -25), math.Ldexp(3, -25), 2049.0}},
	{"decimal(5,2)", map[any]any{"1.5": "1.5", "1.50": "1.5", "-0.05": "-0.05", "0": "0", "15e-1": "1.5", "100": "100"}, []any{"1.555", "a", "", 1, 1.5, nil}},
	{"decimal(3,-2)", map[any]any{"1500": "1500", "1.5e3": "1500"}, []any{"1550", "1"}},
	{"decimal256(76,76)", map[any]any{"0." + strings.Repeat("0", 75) + "1": "0." + strings.Repeat("0", 75) + "1"}, []any{"1e-77"}},
	{"date32", map[any]any{"2026-01-31": "2026-01-31", "0001-01-01": "0001-01-01"}, []any{"2026-02-30", "2026-1-1", "20260131", 20484, "2026-01-31T00:00:00", nil}},
	{"date64", map[any]any{"2026-01-31": "2026-01-31", "1969-12-31": -86_400_000}, []any{"31.1.2026"}},
	{"time32[s]", map[any]any{"09:00:00": "09:00:00", "23:59:59": "23:59:59"}, []any{"09:00:00.5", "24:00:00", "9", 9, "09:00:00.0000000001"}},
	{"time64[us]", map[any]any{"09:00:00.000001": "09:00:00.000001"}, []any{"09:00:00.0000001"}},
	{"time64[ns]", map[any]any{"00:00:00.000000001": "00:00:00.000000001"}, []any{"00:00:00.0000000011", "00:00:00,0000000011"}},
	{"timestamp[s]", map[any]any{"9999-12-31T23:59:59": "9999-12-31T23:59:59", "1969-12-31T23:59:59": -1}, []any{"2026-01-31T09:00:00.5", "2026-01-31T09:00:00Z", "2026-01-31", 0, nil}},
	{"timestamp[us]", map[any]any{"2026-01-31T09:00:00.000001": "2026-01-31T09:00:00.000001", "0001-01-01T00:00:00": "0001-01-01T00:00:00"}, []any{"2026-01-31T09:00:00.0000001"}},
	{"timestamp[ns]", map[any]any{"1969-12-31T23:59:59.999999999": -1}, []any{"9999-12-31T23:59:59", "2026-01-31T09:00:00.0000000001"}},
	{"timestamp[us,UTC]", map[any]any{"2026-01-31T09:00:00Z": "2026-01-31T09:00:00Z", "2026-01-31T10:00:00.5+01:00": "2026-01-31T09:00:00.5Z"}, []any{"2026-01-31T09:00:00", "2026-01-31"}},
	{"duration[s]", map[any]any{"90s": 90, "1m30s": 90, "-1.5m": -90, "0": 0, "010s": 10, "9223372036854775807s": i64(math.MaxInt64), "-9223372036854775808s": i64(math.MinInt64)},
		[]any{"1ms", "9223372036854775808s", "90", "", "-", "s", "1x", "1..5s", "+-1s", 90, nil}},
	{"duration[ms]", map[any]any{"1ms": 1, "0.001s": 1, "+1h": 3_600_000}, []any{"1us", "1.5ms"}},
	{"duration[ns]", map[any]any{"1ns": 1, "1.5us": 1500, "1µs": 1000, "1μs": 1000, "-9223372036854775808ns": i64(math.MinInt64)}, []any{"0.5ns", "1.0000000001s", "9223372037s"}},
	{"struct<a:int8>", nil, []any{1, "a", map[string]any{"a": 1}}},
	{"list<int8>", nil, []any{1, []int8{1}}},
	{"map<string,int8>", nil, []any{"a"}},
}

func TestMatcher(t *testing.T) {
	mem := arrowtest.Allocator(t)
	for _, m := range matches {
		typ, err := arrowtest.Type(m.typ)
		if err != nil {
			t.Fatal(err)
		}
		for v, cell := range m.accepted {
			checkMatch(t, v, typ, m.typ, cell, read(t, []arrow.Array{arrowtest.Table(t, mem, []string{"c:" + m.typ}, [][]any{{nil}, {cell}})[0].Column(0)})[0])
		}
		for _, v := range m.refused {
			if got, err := NewMatcher(typ, []any{v}); err == nil {
				t.Errorf("%s accepts %T %v: %+v", m.typ, v, v, got)
			} else if text := err.Error(); v != nil && !strings.Contains(text, "no cell of type") {
				t.Errorf("%s refuses %v: %s", m.typ, v, text)
			}
		}
	}
}

func checkMatch(t *testing.T, v any, typ arrow.DataType, name string, cell any, a *Array) {
	t.Helper()
	got, err := NewMatcher(typ, []any{v})
	if err != nil {
		t.Errorf("%s refuses %T %v: %v", name, v, v, err)
		return
	}
	if got.Match(a, 0) {
		t.Errorf("%s: %v matches NULL", name, v)
	}
	if !got.Match(a, 1) {
		t.Errorf("%s: %v doesn't match %v", name, v, cell)
	}
}

// Bytes are no map keys, and so not in the table.
func TestMatcherOfBytes(t *testing.T) {
	mem := arrowtest.Allocator(t)
	for _, typ := range []string{"binary", "large_binary", "binary_view", "fsb(2)"} {
		a := read(t, []arrow.Array{arrowtest.Table(t, mem, []string{"c:" + typ}, [][]any{{nil}, {[]byte{0, 255}}})[0].Column(0)})[0]
		for _, v := range []any{[]byte{0, 255}, myBytes{0, 255}} {
			checkMatch(t, v, a.Type, typ, []byte{0, 255}, a)
		}
		for _, v := range []any{nil, "a", [2]byte{0, 255}, []int8{0, 1}, []string{"a"}} {
			if _, err := NewMatcher(a.Type, []any{v}); err == nil {
				t.Errorf("%s accepts %T", typ, v)
			}
		}
	}
	if _, err := NewMatcher(&arrow.FixedSizeBinaryType{ByteWidth: 2}, []any{[]byte{1}}); err == nil {
		t.Error("fsb(2) accepts one byte")
	}
	given := []byte("ab")
	m, err := NewMatcher(arrow.BinaryTypes.Binary, []any{given})
	if err != nil {
		t.Fatal(err)
	}
	given[0] = 'x'
	a := read(t, []arrow.Array{arrowtest.Table(t, mem, []string{"c:binary"}, [][]any{{[]byte("ab")}})[0].Column(0)})[0]
	if !m.Match(a, 0) {
		t.Error("the matcher keeps the caller's bytes")
	}
}

// The nil Matcher matches nothing, nor does one of no values, or of the null type.
func TestMatcherOfNothing(t *testing.T) {
	mem := arrowtest.Allocator(t)
	a := read(t, []arrow.Array{arrowtest.Table(t, mem, []string{"c:string"}, [][]any{{"a"}, {nil}})[0].Column(0)})[0]
	none, err := NewMatcher(a.Type, nil)
	if err != nil {
		t.Fatal(err)
	}
	null, err := NewMatcher(arrow.Null, []any{"a", 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []*Matcher{nil, none, null} {
		if m.Match(a, 0) || m.Match(a, 1) || m.Match(Nulls(1), 0) {
			t.Errorf("%+v matches", m)
		}
	}
}

// A value of one type matches the equal cells of all types of its family, in all forms, and no others.
func TestMatcherAcrossTypes(t *testing.T) {
	values := map[string][]any{
		"int": {7, 127}, "float": {1.5, math.NaN(), 0.0}, "decimal": {"1.2", "1500"}, "text": {"abcdefgh", ""}, "bool": {true},
		"date": {"2026-01-31"}, "time": {"09:00:00", "23:59:59"}, "naive": {"2026-01-31T09:00:00"}, "instant": {"2026-01-31T09:00:00Z"}, "duration": {"90s", "-1s"},
		"binary": {[]byte("")},
	}
	for _, f := range families {
		list, ok := values[f.name]
		if !ok {
			continue
		}
		exact := map[string]int{"decimal": 1}[f.name] // the first of the others can hold the values
		typ, err := arrowtest.Type(f.types[exact])
		if err != nil {
			t.Fatal(err)
		}
		m, err := NewMatcher(typ, list)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]bool{}
		for _, v := range list {
			want[valueText(asValue(t, typ, v))] = true
		}
		mem := arrowtest.Allocator(t)
		found := 0
		for _, other := range f.types {
			for _, col := range columns(t, mem, other, f.cells) {
				for k, a := range read(t, col.arrs) {
					for i, v := range col.vals[k] {
						text := valueText(arrowtest.Key(v))
						if m.Match(a, i) != want[text] {
							t.Fatalf("%s, %s: match of %s is %v", other, col.name, text, !want[text])
						}
						found += asInt(want[text])
					}
				}
			}
		}
		if found == 0 {
			t.Errorf("%s: nothing matched", f.name)
		}
	}
}

// asValue is the value of a cell; of a duration as Go writes it.
func asValue(t *testing.T, typ arrow.DataType, v any) any {
	if s, ok := v.(string); ok && typ.ID() == arrow.DURATION {
		n, ok := new(big.Int).SetString(strings.TrimSuffix(s, "s"), 10)
		if !ok {
			t.Fatal(s)
		}
		return arrowtest.Duration{Sec: n.Int64()}
	}
	out, err := arrowtest.Value(typ, v)
	if err != nil {
		t.Fatal(err)
	}
	return arrowtest.Key(out)
}

// A matcher of many values matches what those of each of them match.
func TestMatcherOfMany(t *testing.T) {
	mem := arrowtest.Allocator(t)
	var rows [][]any
	for i := range 100 {
		rows = append(rows, []any{i, fmt.Sprintf("a text of more than fifteen bytes %d", i), fmt.Sprintf("%d.5", i)})
	}
	rec := arrowtest.Table(t, mem, []string{"i:uint8", "t:dict<int8,string>", "d:decimal(20,3)"}, rows)[0]
	for _, n := range []int{1, 2, 3, 4, 8, 50} {
		var values [3][]any
		for k := range n {
			values[0] = append(values[0], k*2)
			values[1] = append(values[1], rows[k*2][1])
			values[2] = append(values[2], rows[k*2][2])
		}
		for col, list := range values {
			a := read(t, []arrow.Array{rec.Column(col)})[0]
			m, err := NewMatcher(a.Type, append(list, list[0]))
			if err != nil {
				t.Fatal(err)
			}
			for i := range rows {
				if got, want := m.Match(a, i), i%2 == 0 && i < 2*n; got != want {
					t.Errorf("%d values of %v: row %d matches: %v", n, a.Type, i, got)
				}
			}
		}
	}
}
