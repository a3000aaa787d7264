package grain_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	gocmp "github.com/google/go-cmp/cmp"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/grain"
	"github.com/onerow-go/onerow/internal/arrowtest"
)

// causesOf writes the findings of a diagnosis: cause, columns, keys.
func causesOf(d *grain.Diagnosis) string {
	var out []string
	for _, f := range d.Causes {
		out = append(out, fmt.Sprintf("%v%v %d", f.Cause, f.Columns, f.Keys))
	}
	return strings.Join(out, ", ")
}

func TestDiagnose(t *testing.T) {
	type rows = [][]any
	for _, c := range []struct {
		name    string
		columns []string
		rows    rows
		opts    grain.DiagnoseOptions
		want    string
	}{
		{"three times the mean, and not less", []string{"k:int64"}, rows{{0}, {0}, {0}, {7}, {8}}, grain.DiagnoseOptions{}, "placeholder[k] 1"},
		{"three times the mean is too many", []string{"k:int64"}, rows{{0}, {0}, {0}, {7}, {7}, {8}}, grain.DiagnoseOptions{}, "exact_copies[] 2"},
		{"nothing to compare with", []string{"k:int64"}, rows{{0}, {0}, {0}}, grain.DiagnoseOptions{}, "placeholder[k] 1"},
		{"no keys with NULL in the mean", []string{"k:int64"}, rows{{0}, {0}, {0}, {nil}, {nil}, {nil}, {nil}, {3}}, grain.DiagnoseOptions{},
			"null_key[k] 1, placeholder[k] 1"},
		{"placeholders given", []string{"k:int64"}, rows{{42}, {42}, {42}, {0}, {0}, {0}}, grain.DiagnoseOptions{Placeholders: []onerow.Value{7}},
			"exact_copies[] 2"},
		{"placeholders given, and often", []string{"k:int64"}, rows{{42}, {42}, {42}, {0}}, grain.DiagnoseOptions{Placeholders: []onerow.Value{42}},
			"placeholder[k] 1"},
		{"no placeholders given", []string{"k:int64"}, rows{{0}, {0}, {0}, {1}}, grain.DiagnoseOptions{Placeholders: []onerow.Value{}}, "exact_copies[] 1"},
		{"placeholders in one column of two", []string{"k:string", "l:int8"}, rows{{"tbd", 1}, {"tbd", 1}, {"tbd", 1}, {"a", 1}}, grain.DiagnoseOptions{},
			"placeholder[k] 1"},
		{"a load that is no timestamp", []string{"k:int64", "load:int32", "v:int32"}, rows{{1, 1, 5}, {1, 2, 5}, {2, 1, 1}},
			grain.DiagnoseOptions{Load: []string{"load"}}, "retries[load] 1"},
		{"no loads", []string{"k:int64", "at:timestamp[s]"}, rows{{1, 1}, {1, 2}}, grain.DiagnoseOptions{Load: []string{}}, "conflict[at] 1"},
		{"a range of integers", []string{"k:int64", "to:int64", "from:int8"}, rows{{1, 5, 1}, {1, nil, 5}, {1, 1, 0}},
			grain.DiagnoseOptions{ValidFrom: "from", ValidTo: "to"}, "versions[to from] 1"},
		{"a range without a start", []string{"k:int64", "from:date32", "to:date32"}, rows{{1, nil, 5}, {1, 5, nil}},
			grain.DiagnoseOptions{ValidFrom: "from", ValidTo: "to"}, "conflict[from to] 1"},
		{"two pairs fit, the first is named", []string{"k:int64", "a:date32", "b:date32", "c:date32"}, rows{{1, 1, 3, 3}, {1, 3, nil, nil}},
			grain.DiagnoseOptions{}, "versions[a b] 1"},
		{"copies of versions", []string{"k:int64", "a:date32", "b:date32"}, rows{{1, 1, 3}, {1, 1, 3}, {1, 3, nil}, {1, 3, nil}}, grain.DiagnoseOptions{},
			"versions[a b] 1"},
		{"two versions of one range", []string{"k:int64", "v:int8", "a:date32", "b:date32"}, rows{{1, 1, 1, 3}, {1, 2, 1, 3}, {1, 2, 1, 3}, {2, 1, 1, nil}},
			grain.DiagnoseOptions{}, "conflict[v] 1"},
		{"an open version that isn't the last", []string{"k:int64", "a:date32", "b:date32"}, rows{{1, 1, nil}, {1, 3, 4}}, grain.DiagnoseOptions{},
			"conflict[a b] 1"},
		{"a range in no order in another key is none", []string{"k:int64", "a:date32", "b:date32"}, rows{{1, 1, 3}, {1, 3, nil}, {9, 5, 5}},
			grain.DiagnoseOptions{}, "conflict[a b] 1"},
		{"a row with NULL in the key counts for the range", []string{"k:int64", "a:date32", "b:date32"}, rows{{1, 1, 3}, {1, 3, nil}, {nil, nil, 5}},
			grain.DiagnoseOptions{}, "null_key[k] 1, conflict[a b] 1"},
		{"date and timestamp are no range", []string{"k:int64", "a:date32", "b:timestamp[s]"}, rows{{1, 0, 86400}, {1, 1, nil}}, grain.DiagnoseOptions{},
			"conflict[a b] 1"},
		{"the end of the last day is open", []string{"k:int64", "a:timestamp[s]", "b:timestamp[ms]"},
			rows{{1, "2026-01-01T00:00:00", "2026-01-02T00:00:00"}, {1, "2026-01-02T00:00:00", "9999-12-31T23:59:59.999"}}, grain.DiagnoseOptions{},
			"versions[a b] 1"},
		{"the day before isn't", []string{"k:int64", "a:timestamp[s]", "b:timestamp[ms]"},
			rows{{1, "2026-01-01T00:00:00", "2026-01-02T00:00:00"}, {1, "2026-01-02T00:00:00", "9999-12-30T23:59:59.999"}}, grain.DiagnoseOptions{},
			"retries[a b] 1"},
		{"three missing columns", []string{"k:int8", "a:int8", "b:int8", "c:int8", "v:float64"},
			rows{{1, 0, 0, 0, 1}, {1, 0, 0, 1, 2}, {1, 0, 1, 0, 3}, {1, 0, 1, 1, 4}, {1, 1, 0, 0, 5}, {1, 1, 1, 1, 5}, {2, 0, 0, 0, 1}, {2, 0, 0, 1, 1}},
			grain.DiagnoseOptions{}, "missing_column[a b c] 2"},
		{"NULL in a candidate", []string{"k:int8", "a:int8", "v:float64"}, rows{{1, nil, 1}, {1, 1, 2}, {2, 1, 1}, {2, 2, 2}}, grain.DiagnoseOptions{},
			"conflict[a v] 2"},
		{"NULL in a candidate of other keys", []string{"k:int8", "a:int8", "v:float64"}, rows{{1, 2, 1}, {1, 1, 2}, {2, 1, 1}, {2, 2, 2}, {3, nil, 1}, {3, nil, 1}},
			grain.DiagnoseOptions{}, "exact_copies[] 1, missing_column[a] 2"},
		{"of two sets the first", []string{"k:int8", "b:string", "a:int8", "v:float64"}, rows{{1, "x", 1, 1}, {1, "y", 2, 2}, {2, "x", 1, 1}, {2, "y", 2, 1}},
			grain.DiagnoseOptions{}, "missing_column[b] 2"},
		{"copies beside missing lines", []string{"k:int8", "a:int8", "v:float64"}, rows{{1, 1, 1}, {1, 1, 1}, {1, 2, 1}, {2, 1, 3}, {2, 2, 4}}, grain.DiagnoseOptions{},
			"missing_column[a] 2"},
		{"text in one column of two", []string{"k:string", "l:string"}, rows{{"a", "x"}, {"A ", "x"}, {"a", "y"}, {"b", "x"}}, grain.DiagnoseOptions{}, "text_form[k] 1"},
		{"a placeholder has no other form", []string{"k:string"}, rows{{"n/a"}, {"n/a"}, {"n/a"}, {"N/A"}, {"x"}}, grain.DiagnoseOptions{}, "placeholder[k] 1"},
		{"rare placeholders have", []string{"k:string"}, rows{{"n/a"}, {"N/A"}, {"x"}}, grain.DiagnoseOptions{}, "text_form[k] 1"},
		{"the other part of the key is NULL", []string{"k:string", "l:int8"}, rows{{"a", nil}, {"A", nil}}, grain.DiagnoseOptions{}, "null_key[l] 2"},
		{"differing outside the key in maps and lists", []string{"k:int8", "l:list<float64>", "m:map<string,int8>"},
			rows{{1, []any{0.0}, nil}, {1, []any{map[string]any{"f": "-0"}}, nil}, {2, []any{1.0}, nil}, {2, []any{}, nil}}, grain.DiagnoseOptions{},
			"exact_copies[] 1, conflict[l] 1"},
		{"no rows", []string{"k:int8", "v:string"}, nil, grain.DiagnoseOptions{}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			mem := arrowtest.Allocator(t)
			var key []string
			for _, n := range c.columns {
				if name, _, _ := strings.Cut(n, ":"); name == "k" || name == "l" && !strings.Contains(n, "list") {
					key = append(key, name)
				}
			}
			d, err := grain.Diagnose(t.Context(), arrowtest.Table(t, mem, c.columns, c.rows), key, c.opts)
			if err != nil {
				t.Fatal(err)
			}
			if got := causesOf(d); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

func TestDiagnoseErrors(t *testing.T) {
	mem := arrowtest.Allocator(t)
	table := arrowtest.Table(t, mem, []string{"k:int8", "a:date32", "b:timestamp[s]", "s:string", "m:map<string,int8>"}, [][]any{{1, 1, 1, "x", nil}})
	other := arrowtest.Table(t, mem, []string{"k:int16"}, nil)
	k := []string{"k"}
	for name, c := range map[string]struct {
		batches []arrow.Record
		key     []string
		opts    grain.DiagnoseOptions
		is      error
		says    string
	}{
		"no key":                     {table, nil, grain.DiagnoseOptions{}, onerow.ErrNoKey, ""},
		"no such column":             {table, []string{"z"}, grain.DiagnoseOptions{}, onerow.ErrNoColumn, `"z"`},
		"a map":                      {table, []string{"m"}, grain.DiagnoseOptions{}, onerow.ErrType, `"m"`},
		"two schemas":                {append(table[:1:1], other...), k, grain.DiagnoseOptions{}, onerow.ErrSchema, ""},
		"a start alone":              {table, k, grain.DiagnoseOptions{ValidFrom: "a"}, onerow.ErrOption, `"a"`},
		"an end alone":               {table, k, grain.DiagnoseOptions{ValidTo: "a"}, onerow.ErrOption, `"a"`},
		"one column twice":           {table, k, grain.DiagnoseOptions{ValidFrom: "a", ValidTo: "a"}, onerow.ErrOption, `"a"`},
		"a start in the key":         {table, k, grain.DiagnoseOptions{ValidFrom: "k", ValidTo: "a"}, onerow.ErrOption, "ValidFrom"},
		"no such end":                {table, k, grain.DiagnoseOptions{ValidFrom: "a", ValidTo: "z"}, onerow.ErrNoColumn, "ValidTo"},
		"a text range":               {table, k, grain.DiagnoseOptions{ValidFrom: "a", ValidTo: "s"}, onerow.ErrType, `"s"`},
		"date and timestamp":         {table, k, grain.DiagnoseOptions{ValidFrom: "a", ValidTo: "b"}, onerow.ErrType, `"b"`},
		"no such load":               {table, k, grain.DiagnoseOptions{Load: []string{"a", "z"}}, onerow.ErrNoColumn, `"z"`},
		"a load in the key":          {table, k, grain.DiagnoseOptions{Load: []string{"k"}}, onerow.ErrOption, "Load"},
		"a placeholder too large":    {table, k, grain.DiagnoseOptions{Placeholders: []onerow.Value{1, 300}}, onerow.ErrType, "300"},
		"a placeholder that is nil":  {table, k, grain.DiagnoseOptions{Placeholders: []onerow.Value{nil}}, onerow.ErrType, "nil"},
		"a placeholder of no column": {table, []string{"k", "a"}, grain.DiagnoseOptions{Placeholders: []onerow.Value{"x"}}, onerow.ErrType, "x"},
		"several at once":            {table, k, grain.DiagnoseOptions{ValidFrom: "a", Load: []string{"z"}}, onerow.ErrNoColumn, "ValidTo"},
	} {
		d, err := grain.Diagnose(t.Context(), c.batches, c.key, c.opts)
		if d != nil || !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, %v", name, d, err)
		}
	}
	if d, err := grain.Diagnose(t.Context(), nil, k, grain.DiagnoseOptions{}); err != nil || d.Rows != 0 || d.Causes == nil || len(d.Causes) != 0 {
		t.Errorf("no batches: %+v, %v", d, err)
	}
}

func TestDiagnoseReport(t *testing.T) {
	mem := arrowtest.Allocator(t)
	table := arrowtest.Table(t, mem, []string{"doc id:string", "line:int8", "v:float64"}, [][]any{
		{"a", 1, 1}, {"a", 2, 2}, {"b", 1, 1}, {"b", 2, 5}, {"b", 3, 5}, {"B ", 1, 1}, {nil, 1, 1}, {"c", 1, 1}, {"c", 1, 1}})
	d, err := grain.Diagnose(t.Context(), table, []string{"doc id"}, grain.DiagnoseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := d.String(), strings.TrimSpace(`
doc id: 3 keys of 4 repeat

null_key: 1 key, 1 row, by doc id
  Quarantine the rows with NULL in doc id, or fill it: they match nothing, and a MERGE inserts them again each time.
  doc id=NULL: 1 row, 6

exact_copies: 1 key, 2 rows
  Keep one row of each key (dedupe.Latest): any, they are equal.
  doc id="c": 2 rows, 7, 8

missing_column: 2 keys, 5 rows, by line
  Add line to the key: the table is finer than the key says.
  doc id="b": 3 rows, 2, 3, 4
  doc id="a": 2 rows, 0, 1

text_form: 1 key, 4 rows, by doc id
  Normalise doc id before keys are compared: trim, fold case, compose (NFC).
  doc id="b": 4 rows, 2, 5, …; also doc id="B "`); got != want {
		t.Error(gocmp.Diff(want, got))
	}
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	if s := string(text); !strings.Contains(s, `{"cause":"exact_copies","columns":[],"keys":1,"rows":2,"samples":[{"values":["\"c\""],"count":2,"rows":[7,8]}],"remedy":`) {
		t.Error(s)
	}
	var back grain.Diagnosis
	if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(&back, d) {
		t.Errorf("read back: %v %v", back, err)
	}
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("why", "keys", d)
	if s := log.String(); !strings.Contains(s, "keys.rows=9 keys.keys=4 keys.duplicate_keys=3 keys.null_key=1 keys.exact_copies=1 keys.missing_column=2 keys.text_form=1\n") {
		t.Error(s)
	}
	clean, err := grain.Diagnose(t.Context(), table[:1], []string{"doc id", "line", "v"}, grain.DiagnoseOptions{Placeholders: []onerow.Value{}})
	if err != nil || clean.DuplicateKeys != 1 {
		t.Errorf("%v, %v", clean, err)
	}
}

func TestCauseNames(t *testing.T) {
	for c := range grain.TextForm + 1 {
		text, err := c.MarshalText()
		var back grain.Cause
		if err != nil || back.UnmarshalText(text) != nil || back != c || c.String() != string(text) {
			t.Errorf("%d: %s, %v, %v", c, text, err, back)
		}
	}
	none := grain.TextForm + 1
	if _, err := none.MarshalText(); err == nil || none.String() != "Cause(8)" {
		t.Errorf("%v has a name: %v", none, err)
	}
	if err := none.UnmarshalText([]byte("nothing")); err == nil {
		t.Error("nothing is a cause")
	}
}

// TestDiagnoseHostile: buffers that contradict their shape are an error, in the key and outside it.
func TestDiagnoseHostile(t *testing.T) {
	mem := arrowtest.Allocator(t)
	broken := brokenTexts(t, 3)
	good := largeTable(t, mem, "int64", []int{1, 1, 2})
	mixed := arrow.NewSchema([]arrow.Field{{Name: "k", Type: arrow.PrimitiveTypes.Int64}, {Name: "l", Type: arrow.BinaryTypes.String}}, nil)
	both := array.NewRecord(mixed, []arrow.Array{good.Column(0), broken.Column(1)}, 3)
	defer both.Release()
	for name, batches := range map[string][]arrow.Record{"key": {broken}, "outside": {both}} {
		d, err := grain.Diagnose(t.Context(), batches, []string{"k"}, grain.DiagnoseOptions{})
		if !errors.Is(err, onerow.ErrMalformed) || d != nil {
			t.Errorf("%s: %v, %v", name, d, err)
		}
	}
}

// TestDiagnoseCanceled: wherever the context ends, the call returns its error and nothing else.
func TestDiagnoseCanceled(t *testing.T) {
	mem := arrowtest.Allocator(t)
	l := newLargeDiagnosis(9000)
	batches := arrowtest.Table(t, mem, l.columns, l.rows)
	want, err := grain.Diagnose(t.Context(), batches, []string{"k"}, grain.DiagnoseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{1, 3} {
		for looks, done := int64(0), false; !done; looks += 1 + looks/8 {
			before := runtime.NumGoroutine()
			d, err := grain.Diagnose(arrowtest.EndAt(t.Context(), looks), batches, []string{"k"}, grain.DiagnoseOptions{Resources: onerow.Resources{Workers: workers}})
			arrowtest.GoroutinesEnd(t, before)
			switch {
			case err == nil:
				if done = true; gocmp.Diff(want, d) != "" {
					t.Errorf("after %d looks (-want +got): %s", looks, gocmp.Diff(want, d))
				}
			case !errors.Is(err, context.Canceled) || d != nil:
				t.Errorf("after %d looks: %v, %v", looks, d, err)
			}
			if looks > 1e6 {
				t.Fatal("the call never ends")
			}
		}
	}
}

// TestDiagnoseProgress: each stage counts up to its rows.
func TestDiagnoseProgress(t *testing.T) {
	mem := arrowtest.Allocator(t)
	l := newLargeDiagnosis(9000)
	batches := arrowtest.Table(t, mem, l.columns, l.rows)
	for _, workers := range []int{1, 3} {
		var stages []onerow.Stage
		var ends []int64
		_, err := grain.Diagnose(t.Context(), batches, []string{"k"}, grain.DiagnoseOptions{Resources: onerow.Resources{Workers: workers,
			Progress: func(done, total int64, stage onerow.Stage) {
				if len(stages) == 0 || stages[len(stages)-1] != stage {
					stages, ends = append(stages, stage), append(ends, 0)
				}
				ends[len(ends)-1] = total - done
			}}})
		if err != nil || len(stages) != 4 { // the keys, and their forms
			t.Errorf("%v, %v", stages, err)
		}
		for i, left := range ends {
			if left != 0 {
				t.Errorf("%s ends %d rows short", stages[i], left)
			}
		}
	}
}

// newLargeDiagnosis makes a table that takes all ways through Diagnose: a key with most of the rows, and others with few.
func newLargeDiagnosis(rows int) *diagnoseLab {
	l := &diagnoseLab{columns: []string{"k:string", "a:int32", "b:int32", "c:int32", "from:date32", "to:date32", "v:float64"}}
	for i := range rows {
		key := any("the key of most rows")
		switch {
		case i%4 == 0:
			key = fmt.Sprint("Key ", i/12)
		case i%97 == 0:
			key = nil
		case i%53 == 0:
			key = "n/a"
		case i%61 == 0:
			key = fmt.Sprint("key ", i/12)
		}
		l.rows = append(l.rows, []any{key, i / 400, i / 20 % 20, i % 20, i % 7, []any{9, nil, 12}[i%3], float64(i % 5)})
	}
	return l
}

// TestDiagnoseWide: a table of hundreds of columns is searched for the missing ones without trying all sets.
func TestDiagnoseWide(t *testing.T) {
	mem := arrowtest.Allocator(t)
	columns := []string{"k:int32", "v:float64"}
	for i := range 400 {
		columns = append(columns, fmt.Sprintf("c%d:int8", i))
	}
	var rows [][]any
	for key := range 40 {
		for n := range 27 {
			row := []any{key, float64(n)}
			for i := range 400 {
				cell := (key + n*i/7) % 2 // tells little
				switch i {
				case 120:
					cell = n % 3
				case 250:
					cell = n / 3 % 3
				case 399:
					cell = n / 9
				}
				row = append(row, cell)
			}
			rows = append(rows, row)
		}
	}
	d, err := grain.Diagnose(t.Context(), arrowtest.Table(t, mem, columns, rows), []string{"k"}, grain.DiagnoseOptions{})
	if err != nil || causesOf(d) != "missing_column[c120 c250 c399] 40" {
		t.Errorf("%v, %v", causesOf(d), err)
	}
}

// TestDiagnoseTextOfLongKeys: a sample is a line of bearable length, whatever the names and the values.
func TestDiagnoseTextOfLongKeys(t *testing.T) {
	long := strings.Repeat("long ", 1000)
	batches := arrowtest.Table(t, arrowtest.Allocator(t), []string{"k\n:string"}, [][]any{{long + "a"}, {long + "A"}, {long + "A "}})
	r, err := grain.Diagnose(t.Context(), batches, []string{"k\n"}, grain.DiagnoseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	short := `"long long long long long long long lon…`
	if want := `  "k\n"=` + short + ": 3 rows, 0, 1, 2; also \"k\\n\"=" + short + ", \"k\\n\"=" + short; !strings.HasSuffix(r.String(), want) {
		t.Errorf("%v\ndoesn't end in\n%s", r, want)
	}
}
