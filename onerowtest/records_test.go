package onerowtest_test

import (
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/google/go-cmp/cmp"

	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/onerowtest"
)

// Each type in its own form: what a cell may look like, what it means, and how it is written.
func TestCells(t *testing.T) {
	tests := []struct {
		column, cells, want string
		// text is what Text writes; "" where that is the cells.
		text string
	}{
		{column: "c:null", cells: "- -", want: "[NULL, NULL]"},
		{column: "c:bool", cells: "true false -", want: "[true, false, NULL]"},
		{column: "c:int8", cells: "-128 127 NULL", want: "[-128, 127, NULL]", text: "-128 127 -"},
		{column: "c:int64", cells: "-9223372036854775808 9007199254740993 007", want: "[-9223372036854775808, 9007199254740993, 7]",
			text: "-9223372036854775808 9007199254740993 7"},
		{column: "c:uint64", cells: "18446744073709551615", want: "[18446744073709551615]"},
		{column: "c:float64", cells: "1.5 1 -0 0 NaN NaN#3 Inf -Inf 1e+300 5e-324 0.1",
			want: "[1.5f, 1f, -0f, 0f, NaN, NaN, +Inf, -Inf, 1e+300f, 5e-324f, 0.1f]",
			text: "1.5 1 -0 0 NaN NaN Inf -Inf 1e+300 5e-324 0.1"},
		{column: "c:float32", cells: "0.1 -0 1e-45", want: "[0.10000000149011612f, -0f, 1.401298464324817e-45f]"},
		{column: "c:float16", cells: "0.1 65504", want: "[0.0999755859375f, 65504f]", text: "0.099975586 65504"},
		{column: "c:decimal(5,2)", cells: "1.5 -0.05 7 999.99", want: "[1.5m, -0.05m, 7m, 999.99m]", text: "1.50 -0.05 7.00 999.99"},
		{column: "c:decimal(3,-2)", cells: "1500", want: "[1500m]"},
		{column: "c:decimal256(76,1)", cells: "-12345678901234567890123456789012345678901234567890.5",
			want: "[-12345678901234567890123456789012345678901234567890.5m]"},
		{column: "c:string", cells: `a "" "-" - "NULL" "a b" "# 1" "|" "---" a|b a"b [x {y C:\x --`,
			want: `["a", "", "-", NULL, "NULL", "a b", "# 1", "|", "---", "a|b", "a\"b", "[x", "{y", "C:\\x", "--"]`},
		{column: "c:string", cells: `"line\nbreak" "\"" "\xff" é "\u00a0" "tab\t"`,
			want: "[\"line\\nbreak\", \"\\\"\", \"\\xff\", \"é\", \"\\u00a0\", \"tab\\t\"]"},
		{column: "c:large_string", cells: `"quoted" plain`, want: `["quoted", "plain"]`, text: "quoted plain"},
		{column: "c:string_view", cells: "a longer-than-twelve-bytes", want: `["a", "longer-than-twelve-bytes"]`},
		{column: "c:binary", cells: `ff00 "" "hi"`, want: "[x'ff00', x'', x'6869']", text: `ff00 "" 6869`},
		{column: "c:fsb(2)", cells: "ff00 -", want: "[x'ff00', NULL]"},
		{column: "c:date32", cells: "2026-01-31 1969-12-31 -1 2932897", want: "[2026-01-31, 1969-12-31, 1969-12-31, 10000-01-01]",
			text: "2026-01-31 1969-12-31 1969-12-31 2932897"},
		{column: "c:date64", cells: "2026-01-31 86400001", want: "[2026-01-31, 1970-01-02+1ms]"},
		{column: "c:time32[s]", cells: "09:00 09:00:01 -1", want: "[09:00:00, 09:00:01, clock -1]", text: "09:00:00 09:00:01 -1"},
		{column: "c:time64[ns]", cells: "09:00:00.000000001", want: "[09:00:00.000000001]"},
		{column: "c:timestamp[us]", cells: "2026-01-31T09:00:00.000001 2026-01-31T09:00 2026-01-31 0",
			want: "[2026-01-31T09:00:00.000001, 2026-01-31T09:00:00, 2026-01-31T00:00:00, 1970-01-01T00:00:00]",
			text: "2026-01-31T09:00:00.000001 2026-01-31T09:00:00 2026-01-31 1970-01-01"},
		{column: "c:timestamp[ms,America/New_York]", cells: "2026-01-31T09:00-05:00 2026-01-31T09:00:00.5Z 2026-01-31",
			want: "[2026-01-31T14:00:00Z, 2026-01-31T09:00:00.5Z, 2026-01-31T00:00:00Z]",
			text: "2026-01-31T14:00:00Z 2026-01-31T09:00:00.5Z 2026-01-31"},
		{column: "c:timestamp[s]", cells: "-9223372036854775808", want: "[-292277022657-01-27T08:29:52]"},
		{column: "c:duration[s]", cells: "90s 1h30m 5 9223372036854775807", want: "[90s, 5400s, 5s, 9223372036854775807s]",
			text: "1m30s 1h30m0s 5s 9223372036854775807"},
		{column: "c:duration[ns]", cells: "-9223372036854775808 -1ns", want: "[-9223372036.854775808s, -0.000000001s]"},
		{column: "c:dict<int8,string>", cells: "b a - b", want: `["b", "a", NULL, "b"]`},
		{column: "c:ree<decimal(5,1)>", cells: "1.5 1.5 -", want: "[1.5m, 1.5m, NULL]"},
		{column: "c:list<int64>", cells: "[1, null] [] - [9007199254740993]", want: "[[1, NULL], [], NULL, [9007199254740993]]",
			text: "[1,null] [] - [9007199254740993]"},
		{column: "c:list<float64>", cells: `[{"f":"NaN"},-0,{"f":"-Infinity"},1.5]`, want: "[[NaN, -0f, -Inf, 1.5f]]"},
		{column: "c:list<binary>", cells: `[{"x":"ff"},{"x":""}]`, want: "[[x'ff', x'']]"},
		{column: "c:list<string>", cells: `["a b", "<#>", "\""] [{"x":"ff"}]`, want: `[["a b", "<#>", "\""], ["\xff"]]`,
			text: `["a b","<#>","\""] [{"x":"ff"}]`},
		{column: "c:list<date32>", cells: `["2026-01-31",2932897]`, want: "[[2026-01-31, 10000-01-01]]"},
		{column: "c:list<duration[s]>", cells: `[90]`, want: "[[90s]]"},
		{column: "c:fsl<decimal(4,2),2>", cells: `[1.5,"2"]`, want: "[[1.5m, 2m]]", text: "[1.50,2.00]"},
		{column: "c:struct<a:int8,b:timestamp[us, UTC]>", cells: `{"b": "2026-01-31T09:00:00Z", "a": null} -`,
			want: "[{a: NULL, b: 2026-01-31T09:00:00Z}, NULL]", text: `{"a":null,"b":"2026-01-31T09:00:00Z"} -`},
		{column: "c:map<string,int8>", cells: `[{"key":"a","value":1}]`, want: `[[{key: "a", value: 1}]]`},
		{column: "c:dict<int8,list<bool>>", cells: "[true] -", want: "[[true], NULL]"},
	}
	for _, test := range tests {
		t.Run(test.column, func(t *testing.T) {
			recs := onerowtest.Records(t, test.column+"\n"+rowsOf(t, test.cells))
			if got := arrowtest.Format(arrowtest.List(arrowtest.Column(recs[0].Column(0)))); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
			if test.text == "" {
				test.text = test.cells
			}
			want := strings.ReplaceAll(test.column, " ", "") + "\n" + rowsOf(t, test.text)
			if diff := cmp.Diff(want, onerowtest.Text(recs)); diff != "" {
				t.Errorf("as text:\n%s", diff)
			}
		})
	}
}

// rowsOf puts each of some cells into a line of its own.
func rowsOf(t *testing.T, cells string) string {
	t.Helper()
	var b strings.Builder
	depth, quoted := 0, false
	for i, r := range cells {
		switch {
		case r == '"' && (i == 0 || cells[i-1] != '\\') && (quoted || i == 0 || strings.ContainsRune(` [{,:`, rune(cells[i-1]))):
			quoted = !quoted
		case !quoted && strings.ContainsRune("[{", r) && strings.ContainsAny(cells, "]}"):
			depth++
		case !quoted && strings.ContainsRune("]}", r):
			depth--
		case r == ' ' && !quoted && depth == 0:
			r = '\n'
		}
		b.WriteRune(r)
	}
	return b.String() + "\n"
}

// Ornament, comments, widths and empty lines mean nothing; lines of dashes cut batches.
func TestLayout(t *testing.T) {
	plain := onerowtest.Records(t, "id:int64!  name:string\n1  a\n---\n---\n2  -\n3  -\n")
	for name, text := range map[string]string{
		"indented": "\n\t\tid:int64!\tname:string\n\n\t\t1 a\r\n\t\t-----\n\t\t--- # the second is empty\n  2   -\t  \n3 -",
		"ornament": "# a table\n| id:int64! | name:string | # of two columns\n| 1 | a |\n---\n---\n| 2 | - |\n| 3 | NULL |\n|\n",
		"quotes":   "\"id\":int64! \"name\":string\n1 \"a\"\n---\n---\n2 - # no name\n3 -",
	} {
		got := onerowtest.Records(t, text)
		if d := cmp.Diff(onerowtest.Text(plain), onerowtest.Text(got)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	var lengths []int64
	for _, b := range plain {
		lengths = append(lengths, b.NumRows())
	}
	if d := cmp.Diff([]int64{1, 0, 2}, lengths); d != "" {
		t.Error(d)
	}
	if f := plain[0].Schema().Fields(); f[0].Nullable || !f[1].Nullable {
		t.Errorf("the columns are %v", f)
	}
}

func TestNames(t *testing.T) {
	text := "\"first name\":string  \"a:b\":int8  \"#\":int8  \"\":int8  é:int8\n"
	recs := onerowtest.Records(t, text)
	var names []string
	for _, f := range recs[0].Schema().Fields() {
		names = append(names, f.Name)
	}
	if d := cmp.Diff([]string{"first name", "a:b", "#", "", "é"}, names); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(text, onerowtest.Text(recs)); d != "" {
		t.Error(d)
	}
}

// Text that is no table ends the test, and says where.
func TestBadText(t *testing.T) {
	tests := []struct{ text, want string }{
		{"", "the table has no header"},
		{" \n# id:int64\n", "the table has no header"},
		{"id", `line 1, column 1: column "id" has no type`},
		{"\n  id:int64  é:strin", `line 2, column 13: column "é": no type is called "strin"`},
		{"id:int64 t:timestamp[us,UTC", `line 1, column 10: column "t": type "timestamp[us,UTC" doesn't end in "]"`},
		{`"id:int64`, "line 1, column 1: the quoted text isn't closed"},
		{"id:int64 name:string\n1 a\n  2", `line 3, column 4: the row has no cell for column "name"`},
		{"id:int64 name:string\n1 a b", "line 2, column 5: the row has more cells than the table has columns (2)"},
		{"id:int64\n| 1 | 2 |", "line 2, column 7: the row has more cells"},
		{"id:int64 n:int8\n1 128", `line 2, column 3: column "n": int8: out of range`},
		{"é:string n:int8\né x", `line 2, column 3: column "n": "x" is no integer`},
		{"n:int8\n1.0", `column "n": "1.0" is no integer`},
		{"n:int8\n\"1\"", `column "n": int8: string is no cell`},
		{"n:int64!\n-", `line 2, column 1: column "n": NULL in a column that isn't nullable`},
		{"n:null\n1", `column "n": "1" in a column of type null`},
		{"b:bool\nyes", `column "b": "yes" is neither true nor false`},
		{"f:float64\nx", `column "f": float64: strconv.ParseFloat: parsing "x"`},
		{"f:float64\nNaN#x", `column "f": float64: NaN#x is no NaN`},
		{"f:float32\n1e40", `out of range`},
		{"d:decimal(3,1)\n1.55", `column "d": decimal(3,1): "1.55" is finer than the scale 1`},
		{"d:decimal(3,1)\n100", `column "d": decimal(3,1): 4 digits`},
		{"s:string\n\"a", `line 2, column 1: column "s": the quoted text isn't closed`},
		{"s:string\n\"a\"b", `line 2, column 1: column "s": "b" follows the cell without a blank`},
		{"s:string\n\"\\d\"", `has an escape that Go doesn't know`},
		{"x:binary\nxyz", `column "x": binary: encoding/hex`},
		{"x:fsb(2)\nff", `column "x": fsb(2): 1 bytes`},
		{"d:date32\n2026-02-30", `column "d": date32: parsing time "2026-02-30": day out of range`},
		{"t:timestamp[s]\n2026-01-31T09:00Z", `column "t": timestamp[s]: parsing time`},
		{"t:timestamp[s,UTC]\n2026-01-31T09:00", `column "t": timestamp[s,UTC]: parsing time`},
		{"t:timestamp[s]\n2026-01-31T09:00:00.5", `column "t": timestamp[s]: finer than the unit s`},
		{"t:time32[s]\n09:00.5", `column "t": time32[s]: parsing time`},
		{"d:duration[s]\n90", ""},
		{"d:duration[s]\nlong", `column "d": "long" is no duration`},
		{"d:duration[s]\n1ms", `column "d": duration[s]: finer than the unit s`},
		{"l:list<int8>\n1", `column "l": "1" isn't JSON: [1, null], {"a": 1}`},
		{"l:list<int8>\n[1", `line 2, column 1: column "l": no JSON: unexpected EOF`},
		{"l:list<int8>\n[1]2", `"2" follows the cell without a blank between`},
		{"l:list<int8>\n[1, 300]", `column "l": list<int8>: element 1: out of range`},
		{"s:struct<a:int8>\n{}", `column "s": struct<a:int8>: 0 fields`},
		{"s:struct<a:int8>\n{\"b\":1}", `field "a" isn't given`},
	}
	for _, test := range tests {
		f := &fakeT{}
		recs := onerowtest.Records(f, test.text)
		if test.want == "" {
			if recs == nil || f.end() != "" {
				t.Errorf("%q: %s", test.text, f.end())
			}
			continue
		}
		if recs != nil || !f.fatal {
			t.Errorf("%q is a table", test.text)
		}
		if got := f.end(); !strings.HasPrefix(got, "onerowtest: ") || !strings.Contains(got, test.want) || strings.Contains(got, "\n") {
			t.Errorf("%q: got %s, want %s", test.text, got, test.want)
		}
	}
}

// What still holds on to the records when the test ends makes it fail, and so does what wasn't released of an allocator.
func TestLeaks(t *testing.T) {
	f := &fakeT{}
	rec := onerowtest.Records(f, "id:int64\n1\n")[0]
	rec.Retain()
	if got := f.end(); !strings.Contains(got, "LEAK") {
		t.Errorf("a record is held on to, and the test fails with %q", got)
	}
	rec.Release()

	for _, released := range []bool{true, false} {
		f := &fakeT{}
		rec := makeRecord(t, onerowtest.Allocator(f))
		if released {
			onerowtest.Release(f, rec)
		}
		if got := f.end(); strings.Contains(got, "LEAK") == released {
			t.Errorf("released: %v; the test fails with %q", released, got)
		}
	}

	f = &fakeT{}
	onerowtest.Records(f, "id:int64  name:dict<int8,string>\n1 a\n---\n2 b\n")
	if got := f.end(); got != "" {
		t.Errorf("nothing leaks, and the test fails with %q", got)
	}
}

func makeRecord(t *testing.T, mem memory.Allocator) arrow.Record {
	t.Helper()
	b := array.NewRecordBuilder(mem, arrow.NewSchema([]arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int64}}, nil))
	defer b.Release()
	b.Field(0).(*array.Int64Builder).Append(1)
	return b.NewRecord()
}
