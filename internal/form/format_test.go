package form

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow/internal/arrowtest"
)

// How cells of each type are written for people.
var formats = []struct {
	typ  string
	cell any
	want string
}{
	{"null", nil, "NULL"},
	{"string", nil, "NULL"},
	{"bool", true, "true"},
	{"bool", false, "false"},
	{"int8", -128, "-128"},
	{"int64", i64(math.MinInt64), "-9223372036854775808"},
	{"uint64", u64(math.MaxUint64), "18446744073709551615"},
	{"uint32", 7, "7"},

	{"float64", 1, "1"},
	{"float64", map[string]any{"f": "-0"}, "-0"},
	{"float64", nan(0), "NaN"},
	{"float64", nan(3), "NaN"},
	{"float64", map[string]any{"f": "-Infinity"}, "-Inf"},
	{"float64", 0.1, "0.1"},
	{"float64", 5e-324, "5e-324"},
	{"float64", 1e300, "1e+300"},
	{"float32", 0.1, "0.1"},
	{"float16", 1.5, "1.5"},
	{"float16", math.Ldexp(1, -24), "5.9604645e-08"},
	{"float16", 65504, "65504"},
	{"float16", nan(1), "NaN"},

	{"decimal(5,2)", "1.50", "1.50"},
	{"decimal(5,2)", "-0.05", "-0.05"},
	{"decimal(5,2)", "0", "0.00"},
	{"decimal(5,0)", "-7", "-7"},
	{"decimal(38,38)", "-0." + strings.Repeat("0", 37) + "1", "-0." + strings.Repeat("0", 37) + "1"},
	{"decimal(2,5)", "-0.00007", "-0.00007"},
	{"decimal(3,-2)", "-99900", "-99900"},
	{"decimal(3,-2)", "0", "0"},
	{"decimal(38,0)", strings.Repeat("9", 38), strings.Repeat("9", 38)},
	{"decimal256(76,1)", "-" + strings.Repeat("9", 75) + ".9", "-" + strings.Repeat("9", 75) + ".9"},

	{"string", "", `""`},
	{"string", "a \"b\"\n\x00é\xff", `"a \"b\"\n\x00é\xff"`},
	{"string_view", strings.Repeat("a", 120), `"` + strings.Repeat("a", 120) + `"`},
	{"large_string", strings.Repeat("a", 121), `"` + strings.Repeat("a", 120) + `"… (121 bytes)`},
	{"string", strings.Repeat("a", 119) + "éé", `"` + strings.Repeat("a", 119) + `"… (123 bytes)`},
	{"binary", []byte{}, "0x"},
	{"binary", []byte{0, 255}, "0x00ff"},
	{"fsb(2)", []byte{0xab, 0xcd}, "0xabcd"},
	{"binary_view", []byte(strings.Repeat("a", 121)), "0x" + strings.Repeat("61", 120) + "… (121 bytes)"},

	{"date32", "2026-01-31", "2026-01-31"},
	{"date32", "2024-02-29", "2024-02-29"},
	{"date32", "2000-12-31", "2000-12-31"},
	{"date32", -1, "1969-12-31"},
	{"date32", -719528, "0000-01-01"},
	{"date32", -719529, "-0001-12-31"},
	{"date32", -721354, "-0005-01-01"},
	{"date32", 3789391, "12345-01-01"},
	{"date32", i64(math.MaxInt32), "5881580-07-11"},
	{"date32", i64(math.MinInt32), "-5877641-06-23"},
	{"date64", "2026-01-31", "2026-01-31"},
	{"date64", 1, "1970-01-01T00:00:00.001"},
	{"date64", -1, "1969-12-31T23:59:59.999"},
	{"date64", i64(math.MaxInt64), "292278994-08-17T07:12:55.807"},
	{"date64", i64(math.MinInt64), "-292275055-05-16T16:47:04.192"},

	{"time32[s]", "23:59:59", "23:59:59"},
	{"time32[s]", 86_400, "24:00:00"},
	{"time32[s]", -1, "-00:00:01"},
	{"time32[ms]", "09:00:00.5", "09:00:00.5"},
	{"time32[ms]", -1500, "-00:00:01.5"},
	{"time64[us]", "00:00:00.000001", "00:00:00.000001"},
	{"time64[us]", i64(math.MaxInt64), "2562047788:00:54.775807"},
	{"time64[ns]", "12:00:00.000000001", "12:00:00.000000001"},
	{"time64[ns]", i64(math.MinInt64), "-2562047:47:16.854775808"},

	{"timestamp[s]", "9999-12-31T23:59:59", "9999-12-31T23:59:59"},
	{"timestamp[s]", -1, "1969-12-31T23:59:59"},
	{"timestamp[s]", i64(math.MinInt64), "-292277022657-01-27T08:29:52"},
	{"timestamp[s]", i64(math.MaxInt64), "292277026596-12-04T15:30:07"},
	{"timestamp[ms]", i64(math.MinInt64), "-292275055-05-16T16:47:04.192"},
	{"timestamp[ms]", i64(math.MaxInt64), "292278994-08-17T07:12:55.807"},
	{"timestamp[us]", i64(math.MinInt64), "-290308-12-21T19:59:05.224192"},
	{"timestamp[us]", i64(math.MaxInt64), "294247-01-10T04:00:54.775807"},
	{"timestamp[us]", "2026-01-31T09:00:00.25", "2026-01-31T09:00:00.25"},
	{"timestamp[us]", -1, "1969-12-31T23:59:59.999999"},
	{"timestamp[us]", "0001-01-01T00:00:00", "0001-01-01T00:00:00"},
	{"timestamp[ns]", i64(math.MinInt64), "1677-09-21T00:12:43.145224192"},
	{"timestamp[ns]", i64(math.MaxInt64), "2262-04-11T23:47:16.854775807"},
	{"timestamp[s]", i64(-62167219200), "0000-01-01T00:00:00"},
	{"timestamp[s]", i64(-62324985600), "-0005-01-01T00:00:00"},
	{"timestamp[us,America/New_York]", "2026-01-31T09:00:00-05:00", "2026-01-31T14:00:00Z"},
	{"timestamp[ms,UTC]", "2026-01-31T09:00:00.5Z", "2026-01-31T09:00:00.5Z"},

	{"duration[s]", 90, "90s"},
	{"duration[ms]", -1, "-1ms"},
	{"duration[us]", i64(math.MinInt64), "-9223372036854775808us"},
	{"duration[ns]", 0, "0ns"},

	{"struct<a:int64,b:string>", pair(1, nil), "{a: 1, b: NULL}"},
	{"struct<>", map[string]any{}, "{}"},
	{"list<int64>", list(1, nil, 2), "[1, NULL, 2]"},
	{"large_list<string>", list(), "[]"},
	{"fsl<struct<a:int64,b:string>,2>", list(pair(1, "x"), nil), `[{a: 1, b: "x"}, NULL]`},
	{"list<int8>", manyOnes(20), "[" + strings.Repeat("1, ", 19) + "1]"},
	{"list<int8>", manyOnes(21), "[" + strings.Repeat("1, ", 20) + "… (21 elements)]"},
	{"map<string,int8>", list(map[string]any{"key": "a", "value": 1}), `[{key: "a", value: 1}]`},
	{"dict<int8,string>", "a", `"a"`},
	{"dict<int8,timestamp[us]>", "2026-01-31T09:00:00", "2026-01-31T09:00:00"},
	{"ree<decimal(5,2)>", "1.5", "1.50"},
}

func manyOnes(n int) any {
	out := list()
	for range n {
		out = append(out.([]any), 1)
	}
	return out
}

func TestFormat(t *testing.T) {
	mem := arrowtest.Allocator(t)
	for _, f := range formats {
		table := arrowtest.Table(t, mem, []string{"c:" + f.typ}, [][]any{{f.cell}})
		if got := Format(read(t, []arrow.Array{table[0].Column(0)})[0], 0); got != f.want {
			t.Errorf("%s %v: %s, want %s", f.typ, f.cell, got, f.want)
		}
	}
}

// A cell is written alike in all forms of its column; cells of one type that differ are written differently.
func TestFormatOfForms(t *testing.T) {
	for _, f := range families {
		mem := arrowtest.Allocator(t)
		for _, typ := range f.types[:1] {
			seen, back := map[string]string{}, map[string]string{}
			for _, col := range columns(t, mem, typ, f.cells) {
				for k, a := range read(t, col.arrs) {
					for i, v := range col.vals[k] {
						value, text := valueText(v), Format(a, i)
						if was, ok := seen[value]; ok && was != text {
							t.Fatalf("%s, %s: %s is written %s and %s", typ, col.name, value, was, text)
						}
						if was, ok := back[text]; ok && was != value {
							t.Fatalf("%s, %s: %s and %s are both written %s", typ, col.name, value, was, text)
						}
						seen[value], back[text] = text, value
					}
				}
			}
		}
	}
}

// valueText prints a value, any NaN alike.
func valueText(v any) string { return nanBits.ReplaceAllString(arrowtest.Format(v), "NaN") }

var nanBits = regexp.MustCompile(`NaN\([0-9a-f]*\)`)

// Intervals and unions are written as they stand.
func TestFormatOfOthers(t *testing.T) {
	for _, c := range []struct {
		data arrow.ArrayData
		want string
	}{
		{raw(arrow.FixedWidthTypes.MonthInterval, 1, [][]byte{nil, int32s(-14)}), "-14 months"},
		{raw(arrow.FixedWidthTypes.DayTimeInterval, 1, [][]byte{nil, int32s(-2, 3)}), "-2 days 3 ms"},
		{raw(arrow.FixedWidthTypes.MonthDayNanoInterval, 1, [][]byte{nil, append(int32s(1, -2), int64s(math.MinInt64)...)}),
			"1 months -2 days -9223372036854775808 ns"},
		{raw(sparse, 1, [][]byte{nil, {7}}, four(), four()), "1"},
		{raw(dense, 1, [][]byte{nil, {7}, int32s(3)}, four(), four()), "4"},
	} {
		a, err := OfData(c.data)
		if err != nil {
			t.Fatal(err)
		}
		if got := Format(a, 0); got != c.want {
			t.Errorf("%v: %s, want %s", c.data.DataType(), got, c.want)
		}
	}
}

// Days of four hundred years, one by one, and far away: each is the day after the one before it.
func TestFormatOfDays(t *testing.T) {
	for _, from := range []int64{-800_000, -719_600, -400, 10_900, math.MinInt32, math.MaxInt32 - 500} {
		var y, m, d int64
		for day := from; day < from+500; day++ {
			text := formatDay(day)
			var ny, nm, nd int64
			if _, err := fmt.Sscanf(strings.TrimPrefix(text, "-"), "%d-%d-%d", &ny, &nm, &nd); err != nil {
				t.Fatal(text, err)
			}
			if strings.HasPrefix(text, "-") {
				ny = -ny
			}
			last := int64(monthDays[max(m, 1)-1])
			if m == 2 && (y%4 == 0 && y%100 != 0 || y%400 == 0) {
				last = 29
			}
			next := [3]int64{y, m, d + 1}
			if d == last {
				next = [3]int64{y, m + 1, 1}
				if m == 12 {
					next = [3]int64{y + 1, 1, 1}
				}
			}
			if day > from && next != [3]int64{ny, nm, nd} {
				t.Fatalf("day %d is %s, after %d-%d-%d", day, text, y, m, d)
			}
			y, m, d = ny, nm, nd
		}
	}
}
