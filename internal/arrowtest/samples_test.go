package arrowtest_test

import (
	"encoding/json"
	"testing"

	"github.com/onerow-go/onerow/internal/arrowtest"
)

// A sample is a column with cells, as a case file writes them, and how Format prints their values.
type sample struct {
	column string
	cells  string
	want   []string
}

var samples = []sample{
	{"c:null", `[null, null, null]`, []string{"NULL", "NULL", "NULL"}},
	{"c:bool", `[true, false, null, true]`, []string{"true", "false", "NULL", "true"}},
	{"c:int8", `[-128, 127, null, 0]`, []string{"-128", "127", "NULL", "0"}},
	{"c:int16", `[-32768, 32767]`, []string{"-32768", "32767"}},
	{"c:int32!", `[-2147483648, 2147483647]`, []string{"-2147483648", "2147483647"}},
	{"c:int64", `[{"i": "-9223372036854775808"}, {"i": "9007199254740993"}, 9223372036854775807, null]`,
		[]string{"-9223372036854775808", "9007199254740993", "9223372036854775807", "NULL"}},
	{"c:uint8", `[0, 255]`, []string{"0", "255"}},
	{"c:uint16", `[0, 65535]`, []string{"0", "65535"}},
	{"c:uint32", `[0, 4294967295, null]`, []string{"0", "4294967295", "NULL"}},
	{"c:uint64", `[0, {"i": "18446744073709551615"}, {"i": "9223372036854775808"}, {"i": "9223372036854775807"}]`,
		[]string{"0", "18446744073709551615", "9223372036854775808", "9223372036854775807"}},
	{"c:float16", `[1.5, {"f": "-0"}, {"f": "NaN"}, {"f": "NaN#1"}, {"f": "-Infinity"}, 65504, 0.1, 6e-8, null]`,
		[]string{"1.5f", "-0f", "NaN", "NaN", "-Inf", "65504f", "0.0999755859375f", "5.960464477539063e-08f", "NULL"}},
	{"c:float32", `[1, 0, {"f": "-0"}, {"f": "NaN"}, {"f": "NaN#1"}, {"f": "Infinity"}, 0.1, null, 1e-45, 1.000000059604644775390625000000001]`,
		[]string{"1f", "0f", "-0f", "NaN", "NaN", "+Inf", "0.10000000149011612f", "NULL", "1.401298464324817e-45f", "1.0000001192092896f"}},
	{"c:float64", `[1, {"f": "-0"}, {"f": "NaN"}, {"f": "NaN#7"}, {"f": "Infinity"}, 0.1, null, 5e-324, 1e300]`,
		[]string{"1f", "-0f", "NaN", "NaN", "+Inf", "0.1f", "NULL", "5e-324f", "1e+300f"}},
	{"c:string", `["", "a", null, "longer than twelve bytes", "é\u0000"]`,
		[]string{`""`, `"a"`, "NULL", `"longer than twelve bytes"`, `"é\x00"`}},
	{"c:string", `[{"x": "ff61"}, {"x": ""}]`, []string{`"\xffa"`, `""`}},
	{"c:large_string", `["", null, "x"]`, []string{`""`, "NULL", `"x"`}},
	{"c:string_view", `["", "exactly 12 b", "more than 12 b", null]`, []string{`""`, `"exactly 12 b"`, `"more than 12 b"`, "NULL"}},
	{"c:binary", `[{"x": ""}, {"x": "ff00"}, null]`, []string{"x''", "x'ff00'", "NULL"}},
	{"c:large_binary", `[{"x": "00"}, null]`, []string{"x'00'", "NULL"}},
	{"c:binary_view", `[{"x": "000102030405060708090a0b0c0d"}, {"x": "ff"}, null]`,
		[]string{"x'000102030405060708090a0b0c0d'", "x'ff'", "NULL"}},
	{"c:fsb(4)", `[{"x": "00000001"}, null, {"x": "ffffffff"}]`, []string{"x'00000001'", "NULL", "x'ffffffff'"}},
	{"c:fsb(0)", `[{"x": ""}, null]`, []string{"x''", "NULL"}},
	{"c:date32", `["1969-12-31", "9999-12-31", -2147483648, null, 0]`,
		[]string{"1969-12-31", "9999-12-31", "-5877641-06-23", "NULL", "1970-01-01"}},
	{"c:date64", `["2026-01-31", 1, {"i": "9223372036854775807"}, {"i": "-9223372036854775808"}, null]`,
		[]string{"2026-01-31", "1970-01-01+1ms", "292278994-08-17+25975807ms", "-292275055-05-16+60424192ms", "NULL"}},
	{"c:time32[s]", `["23:59:59", 5, -1, null]`, []string{"23:59:59", "00:00:05", "clock -1", "NULL"}},
	{"c:time32[ms]", `["00:00:00.001", 86400000]`, []string{"00:00:00.001", "clock 86400"}},
	{"c:time64[us]", `["00:00:00.000001", {"i": "-9223372036854775808"}, null]`,
		[]string{"00:00:00.000001", "clock -9223372036854.775808", "NULL"}},
	{"c:time64[ns]", `["12:00:00.000000001"]`, []string{"12:00:00.000000001"}},
	{"c:timestamp[s]", `["9999-12-31T23:59:59", {"i": "-9223372036854775808"}, -1, null]`,
		[]string{"9999-12-31T23:59:59", "-292277022657-01-27T08:29:52", "1969-12-31T23:59:59", "NULL"}},
	{"c:timestamp[ms]", `["2026-01-31T09:00:00.25", {"i": "2305843009213693952"}]`,
		[]string{"2026-01-31T09:00:00.25", "73071226-02-26T19:48:13.952"}},
	{"c:timestamp[us]", `["9999-12-31T23:59:59.999999", "0001-01-01T00:00:00", -1]`,
		[]string{"9999-12-31T23:59:59.999999", "0001-01-01T00:00:00", "1969-12-31T23:59:59.999999"}},
	{"c:timestamp[ns]", `["2026-01-31T09:00:00.000000001", {"i": "9223372036854775807"}, {"i": "-9223372036854775808"}]`,
		[]string{"2026-01-31T09:00:00.000000001", "2262-04-11T23:47:16.854775807", "1677-09-21T00:12:43.145224192"}},
	{"c:timestamp[us,UTC]", `["2026-01-31T09:00:00Z", "2026-01-31T09:00:00.5+02:00", null]`,
		[]string{"2026-01-31T09:00:00Z", "2026-01-31T07:00:00.5Z", "NULL"}},
	{"c:timestamp[us,America/New_York]", `["2026-01-31T09:00:00-05:00", 0]`, []string{"2026-01-31T14:00:00Z", "1970-01-01T00:00:00Z"}},
	{"c:timestamp[ns,+05:30]", `["2026-01-31T09:00:00+05:30"]`, []string{"2026-01-31T03:30:00Z"}},
	{"c:duration[s]", `[90, {"i": "-9223372036854775808"}, null]`, []string{"90s", "-9223372036854775808s", "NULL"}},
	{"c:duration[ms]", `[90000, -1]`, []string{"90s", "-0.001s"}},
	{"c:duration[us]", `[5]`, []string{"0.000005s"}},
	{"c:duration[ns]", `[1, {"i": "-9223372036854775808"}]`, []string{"0.000000001s", "-9223372036.854775808s"}},
	{"c:decimal(5,2)", `[{"d": "1.50"}, {"d": "-0.05"}, {"d": "0.00"}, {"d": "999.99"}, null, 7]`,
		[]string{"1.5m", "-0.05m", "0m", "999.99m", "NULL", "7m"}},
	{"c:decimal(38,0)", `[{"d": "99999999999999999999999999999999999999"}, {"d": "-99999999999999999999999999999999999999"}]`,
		[]string{"99999999999999999999999999999999999999m", "-99999999999999999999999999999999999999m"}},
	{"c:decimal(38,38)", `[{"d": "-0.00000000000000000000000000000000000001"}]`, []string{"-0.00000000000000000000000000000000000001m"}},
	{"c:decimal(3,-2)", `[{"d": "1500"}, {"d": "-99900"}]`, []string{"1500m", "-99900m"}},
	{"c:decimal256(76,1)", `[{"d": "-999999999999999999999999999999999999999999999999999999999999999999999999999.9"}, null, {"d": "1.0"}]`,
		[]string{"-999999999999999999999999999999999999999999999999999999999999999999999999999.9m", "NULL", "1m"}},
	{"c:decimal256(62,2)", `[{"d": "123456789012345678901234567890123456789012345678901234567890.00"}]`,
		[]string{"123456789012345678901234567890123456789012345678901234567890m"}},
	{"c:dict<int8,string>", `["b", "a", null, "b"]`, []string{`"b"`, `"a"`, "NULL", `"b"`}},
	{"c:dict<uint64,int64>", `[5, null, 5]`, []string{"5", "NULL", "5"}},
	{"c:dict<int16,float64>", `[{"f": "-0"}, 0, {"f": "NaN#1"}]`, []string{"-0f", "0f", "NaN"}},
	{"c:dict<int32,struct<a:int8>>", `[{"a": 1}, null, {"a": null}, {"a": 1}]`, []string{"{a: 1}", "NULL", "{a: NULL}", "{a: 1}"}},
	{"c:ree<string>", `["a", "a", null, null, "b", "a", "a", "a", "a", "a"]`,
		[]string{`"a"`, `"a"`, "NULL", "NULL", `"b"`, `"a"`, `"a"`, `"a"`, `"a"`, `"a"`}},
	{"c:ree<dict<int8,int32>>", `[1, 1, null, 2]`, []string{"1", "1", "NULL", "2"}},
	{"c:list<int64>", `[[1, null], [], null, [2]]`, []string{"[1, NULL]", "[]", "NULL", "[2]"}},
	{"c:large_list<string>", `[["a"], null, ["b", "c"]]`, []string{`["a"]`, "NULL", `["b", "c"]`}},
	{"c:list<list<int8>>", `[[[1], [2]], [[1, 2]], [null, []], null]`, []string{"[[1], [2]]", "[[1, 2]]", "[NULL, []]", "NULL"}},
	{"c:list<ree<int8>>", `[[1, 1], [1], null, [2, null]]`, []string{"[1, 1]", "[1]", "NULL", "[2, NULL]"}},
	{"c:fsl<int32,2>", `[[1, 2], null, [null, 3]]`, []string{"[1, 2]", "NULL", "[NULL, 3]"}},
	{"c:fsl<struct<a:bool>,1>", `[[{"a": true}], null, [null]]`, []string{"[{a: true}]", "NULL", "[NULL]"}},
	{"c:struct<a:int64,b:string>", `[{"a": 1, "b": "x"}, null, {"b": null, "a": null}]`,
		[]string{`{a: 1, b: "x"}`, "NULL", "{a: NULL, b: NULL}"}},
	{"c:struct<f:float64>", `[{"f": {"f": "-0"}}, {"f": 1.5}]`, []string{"{f: -0f}", "{f: 1.5f}"}},
	{"c:struct<a:dict<int8,string>,b:ree<int16>,c:list<bool>,t:timestamp[us,+05:30]>",
		`[{"a": "x", "b": 1, "c": [true], "t": 0}, null, {"a": null, "b": 1, "c": null, "t": null}, {"a": "x", "b": null, "c": [], "t": 1}]`,
		[]string{`{a: "x", b: 1, c: [true], t: 1970-01-01T00:00:00Z}`, "NULL", "{a: NULL, b: 1, c: NULL, t: NULL}",
			`{a: "x", b: NULL, c: [], t: 1970-01-01T00:00:00.000001Z}`}},
	{"c:map<string,int8>", `[[{"key": "a", "value": 1}, {"key": "b", "value": null}], [], null]`,
		[]string{`[{key: "a", value: 1}, {key: "b", value: NULL}]`, "[]", "NULL"}},
	{"c:struct<>", `[{}, null]`, []string{"{}", "NULL"}},
}

func (s sample) rows(t *testing.T) [][]any {
	t.Helper()
	rows := [][]any{}
	for _, c := range decode(t, s.cells).([]any) {
		rows = append(rows, []any{c})
	}
	return rows
}

func decode(t *testing.T, text string) any {
	t.Helper()
	var table arrowtest.Spec
	if err := json.Unmarshal([]byte(`{"columns": [], "rows": [[`+text+`]]}`), &table); err != nil {
		t.Fatal(err)
	}
	return table.Rows[0][0]
}
