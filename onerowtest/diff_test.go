package onerowtest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/google/go-cmp/cmp"

	"github.com/onerow-go/onerow/onerowtest"
	"github.com/onerow-go/onerow/scd2"
)

func TestDiff(t *testing.T) {
	tests := []struct {
		name, want, got string
		key             []string
		diff            string
	}{
		{"the same", "id:int8 f:float64\n1 NaN\n---\n2 -0\n2 -0", "id:int64! f:float32\n2 -0\n1 NaN#3\n2 -0", nil, ""},
		{"other encodings", "s:string d:decimal(5,2)\na 1.20", "s:dict<int8,large_string> d:decimal256(9,4)\na 1.2", nil, ""},
		{"an instant in other units", "t:timestamp[s,UTC]\n2026-01-31T09:00Z", "t:timestamp[ns,America/New_York]\n2026-01-31T04:00-05:00", nil, ""},
		{"no rows", "id:int8", "id:int8\n---\n", []string{"id"}, ""},
		{"zeros", "f:float64\n0", "f:float64\n-0", nil, `
			  f:float64
			+ -0
			- 0`},
		{"without a key", "id:int8 v:string\n1 a\n2 b\n2 b", "id:int8 v:string\n2 b\n1 A\n3 c", nil, `
			  id:int8  v:string
			+ 1        A
			- 1        a
			- 2        b
			+ 3        c`},
		{"with a key", "id:int8 v:string\n10 a\n9 b\n- n", "id:int8 v:string\n10 A\n8 -\n- n", []string{"id"}, `
			  id:int8  v:string
			+ 8        -
			- 9        b
			~ 10       a → A`},
		{"the rows of a key are paired in their order", "id:int8 v:int8\n1 1\n1 2\n1 3", "id:int8 v:int8\n1 3\n1 5", []string{"id"}, `
			  id:int8  v:int8
			~ 1        1 → 5
			- 1        2`},
		{"copies too many", "id:int8\n1", "id:int8\n1\n1\n1", []string{"id"}, `
			  id:int8
			+ 1
			+ 1`},
		{"types of another family", "id:int8 v:string\n1 7", "id:int32 v:int8\n1 7", []string{"id"}, `
			  id:int8 → int32  v:string → int8
			~ 1                7 → 7`},
		{"other columns", "id:int8 v:string", "v:string id:int8", nil, `
			the columns differ
			- id, v
			+ v, id`},
		{"fewer columns", "id:int8 v:string", "id:int8", nil, `
			the columns differ
			- id, v
			+ id`},
		{"no such key", "id:int8", "id:int8", []string{"ID"}, `no column is called "ID"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := onerowtest.Diff(onerowtest.Records(t, test.want), onerowtest.Records(t, test.got), test.key...)
			if d := cmp.Diff(dedent(test.diff), strings.TrimSuffix(got, "\n")); d != "" {
				t.Errorf("%s\n%s", d, got)
			}
		})
	}
}

// dedent takes the indentation of Go code off the lines.
func dedent(text string) string {
	return strings.TrimPrefix(strings.ReplaceAll(text, "\n\t\t\t", "\n"), "\n")
}

func TestDiffOfAllKinds(t *testing.T) {
	for _, kind := range []struct{ column, cells string }{
		{"bool", "- false true"}, {"int8", "- -1 0 1"}, {"uint64", "- 9 9223372036854775808 18446744073709551615"},
		{"float32", "- -Inf -1 -0 0 1 Inf NaN"},
		{"decimal(5,1)", "- -10.0 -9.0 0.0 9.5 10.0"}, {"string", `- "" A a aa "\xff"`}, {"binary", `- "" 00 ff`},
		{"date32", "- 1969-12-31 1970-01-01"},
		{"timestamp[ns]", "- 1969-12-31T23:59:59.999999999 1970-01-01 1970-01-01T00:00:00.000000001"}, {"time32[ms]", "- -1 00:00:00 00:00:00.001"},
		{"duration[ms]", "- -1ms 0s 1ms 1s"}, {"list<int8>", "- [] [null] [null,0] [0] [0,null]"}, {"struct<a:int8,b:bool>",
			`- {"a":null,"b":true} {"a":1,"b":null} {"a":1,"b":false} {"a":2,"b":null}`},
	} {
		lines := strings.Fields(kind.cells)
		shuffled := append(lines[len(lines)/2:len(lines):len(lines)], lines[:len(lines)/2]...)
		got := onerowtest.Diff(onerowtest.Records(t, "c:"+kind.column+"\n"+strings.Join(shuffled, "\n")), onerowtest.Records(t, "c:"+kind.column))
		want := "  c:" + kind.column + "\n- " + strings.Join(lines, "\n- ") + "\n"
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	}
}

func TestLongDiffs(t *testing.T) {
	text := "n:int64\n"
	for i := range 1234 {
		text += fmt.Sprintln(i)
	}
	d := onerowtest.Diff(onerowtest.Records(t, text), onerowtest.Records(t, "n:int64"))
	if lines := strings.Split(d, "\n"); len(lines) != 203 || lines[201] != "… and 1034 more" {
		t.Errorf("%d lines, in the end %q", len(lines), lines[len(lines)-2])
	}
}

// Of a history, the versions of the keys that differ are shown, and of no others.
func TestDiffHistory(t *testing.T) {
	want := onerowtest.Records(t, `
		id:int64  plan:string  since:date32  until:date32
		1         basic        2026-01-01    2026-02-01
		1         pro          2026-02-01    -
		2         basic        2026-01-01    -
		3         basic        2026-01-01    -`)
	got := onerowtest.Records(t, `
		id:int64  plan:string  since:date32  until:date32
		2         basic        2026-01-01    -
		1         pro          2026-02-01    -
		3         basic        2026-01-05    -
		1         basic        2026-01-01    2026-01-15
		1         plus         2026-01-15    2026-02-01`)
	table := scd2.Table{Batches: got, Key: []string{"id"}, ValidFrom: "since", ValidTo: "until"}
	d := onerowtest.DiffHistory(want, table)
	if diff := cmp.Diff(dedent(`
			  id:int64  plan:string  since:date32  until:date32
			~ 1         basic        2026-01-01    2026-02-01 → 2026-01-15
			+ 1         plus         2026-01-15    2026-02-01
			  1         pro          2026-02-01    -
			- 3         basic        2026-01-01    -
			+ 3         basic        2026-01-05    -
`), d); diff != "" {
		t.Errorf("%s\n%s", diff, d)
	}
	f := &fakeT{}
	onerowtest.EqualHistory(f, want, table)
	if got := f.end(); f.fatal || got != "onerowtest: the histories differ (- missing, + surplus, ~ changed):\n"+d {
		t.Errorf("the test fails with %q", got)
	}
	f = &fakeT{}
	onerowtest.EqualHistory(f, got, table)
	if got := f.end(); got != "" {
		t.Errorf("the test fails with %q", got)
	}
	table.ValidFrom = ""
	if d := onerowtest.DiffHistory(want, table); d != `no column is called "valid_from"` {
		t.Error(d)
	}
}

func TestEqual(t *testing.T) {
	one, two := onerowtest.Records(t, "id:int64\n1"), onerowtest.Records(t, "id:int64\n2")
	f := &fakeT{}
	onerowtest.Equal(f, one, one)
	if got := f.end(); got != "" {
		t.Errorf("equal rows fail the test with %q", got)
	}
	onerowtest.Equal(f, one, two, "id")
	if got := f.end(); f.fatal || !strings.HasSuffix(got, ":\n  id:int64\n- 1\n+ 2\n") {
		t.Errorf("other rows fail the test with %q", got)
	}
}

// What can't be read, or isn't one table, is told in words.
func TestTablesThatAreNone(t *testing.T) {
	a, b := onerowtest.Records(t, "id:int64\n1"), onerowtest.Records(t, "id:int64 v:int8\n1 2")
	mixed := []arrow.Record{a[0], b[0]}
	if d := onerowtest.Diff(a, mixed); d != "got: batch 1 differs from batch 0 in column 1" {
		t.Error(d)
	}
	if text := onerowtest.Text(mixed); text != "# table: batch 1 differs from batch 0 in column 1\n" {
		t.Error(text)
	}
	narrow, required := onerowtest.Records(t, "id:int8\n1"), onerowtest.Records(t, "id:int64!\n2")
	if d := onerowtest.Diff([]arrow.Record{a[0], narrow[0]}, a); d != "want: batch 1 differs from batch 0 in column 0" {
		t.Error(d)
	}
	if text := onerowtest.Text([]arrow.Record{required[0], a[0]}); text != "id:int64\n2\n---\n1\n" { // NULL may come
		t.Error(text)
	}
	if d := onerowtest.Diff(nil, a); !strings.HasPrefix(d, "want has no batches") {
		t.Error(d)
	}
	if d := onerowtest.Diff(a, nil); d != "got has no batches" {
		t.Error(d)
	}
	if onerowtest.Diff(nil, nil) != "" || onerowtest.Text(nil) != "" {
		t.Error("nothing isn't nothing")
	}
	if d := onerowtest.Diff([]arrow.Record{nil}, a); !strings.HasPrefix(d, "want: batch 0 can't be read") {
		t.Error(d)
	}
	offsets := memory.NewBufferBytes([]byte{0, 0, 0, 0, 99, 0, 0, 0})
	data := array.NewData(arrow.BinaryTypes.String, 1, []*memory.Buffer{nil, offsets, nil}, nil, 0, 0)
	defer data.Release()
	schema := arrow.NewSchema([]arrow.Field{{Name: "s", Type: arrow.BinaryTypes.String}}, nil)
	broken := array.NewRecord(schema, []arrow.Array{brokenString(data)}, 1)
	defer broken.Release()
	if text := onerowtest.Text([]arrow.Record{broken}); !strings.HasPrefix(text, "# table: batch 0 can't be read: malformed") {
		t.Error(text)
	}
}

// brokenString makes an array whose offsets point beyond its data.
func brokenString(data arrow.ArrayData) arrow.Array {
	data.Buffers()[2] = memory.NewBufferBytes(make([]byte, 99))
	arr := array.NewStringData(data)
	arr.Data().Buffers()[1].Bytes()[4] = 100
	return arr
}

// Types without a notation are shown all the same.
func TestTextOfOddTypes(t *testing.T) {
	mem := onerowtest.Allocator(t)
	b := array.NewRecordBuilder(mem, arrow.NewSchema([]arrow.Field{
		{Name: "m", Type: arrow.FixedWidthTypes.MonthInterval, Nullable: true},
		{Name: "r", Type: arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int64), Nullable: true},
	}, nil))
	defer b.Release()
	b.Field(0).(*array.MonthIntervalBuilder).Append(3)
	b.Field(1).(*array.RunEndEncodedBuilder).Append(1)
	b.Field(1).(*array.RunEndEncodedBuilder).ValueBuilder().(*array.Int64Builder).Append(7)
	rec := b.NewRecord()
	onerowtest.Release(t, rec)
	if text := onerowtest.Text([]arrow.Record{rec}); text != "m:month_interval  r:ree<int64>\n3                 7\n" {
		t.Errorf("got\n%s", text)
	}
	bare := array.NewRecord(arrow.NewSchema(nil, nil), nil, 2)
	defer bare.Release()
	if text := onerowtest.Text([]arrow.Record{bare}); text != "# 2 rows without columns\n" {
		t.Errorf("got %q", text)
	}
	if d := onerowtest.Diff([]arrow.Record{bare}, []arrow.Record{bare, bare}); d != "\n+\n+\n" {
		t.Errorf("got %q", d)
	}
}
