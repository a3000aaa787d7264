package cases_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/dedupe"
	"github.com/onerow-go/onerow/grain"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/cases"
)

// folder makes a folder with one case file.
func folder(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "below"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "below", "some.json"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

const good = `{"id": "a", "why": "w", "call": "dedupe.latest",
	"input": {"changes": {"columns": ["k:int64", "s:int64"], "rows": [[1, 1], [1, 2]]}},
	"options": {"key": ["k"], "order": [{"column": "s"}]},
	"want": {"rows": [[1, 2]], "report": {"kept": 1}}}`

func TestLoad(t *testing.T) {
	all, err := cases.Load(folder(t, "["+good+"]"))
	if err != nil || len(all) != 1 || all[0].ID != "a" {
		t.Fatalf("%v, %v", all, err)
	}
	if got := cases.Run(all[0], right(all[0])); len(got.Failures) != 0 {
		t.Error(got.Failures)
	}
}

// Nothing in a file is passed over.
func TestRefusedFiles(t *testing.T) {
	change := func(from, to string) string { return "[" + strings.Replace(good, from, to, 1) + "]" }
	for name, text := range map[string]string{
		"no JSON":             "[" + good,
		"text behind":         "[" + good + "] []",
		"no array":            good,
		"no case":             "[]",
		"a field of a case":   change(`"id"`, `"known_failure": true, "id"`),
		"a field of a table":  change(`"rows": [[1, 1]`, `"index": [], "rows": [[1, 1]`),
		"a field twice":       change(`"why": "w"`, `"why": "w", "why": "w"`),
		"an option twice":     change(`"key": ["k"]`, `"key": ["k"], "key": ["k"]`),
		"a table's rows lost": change(`, "rows": [[1, 1], [1, 2]]`, ``),
		"no id":               change(`"a"`, `""`),
		"no reason":           change(`"w"`, `""`),
		"an unknown call":     change(`dedupe.latest`, `dedupe.oldest`),
		"steps":               change(`"why"`, `"steps": [], "why"`),
		"one id twice":        "[" + good + "," + good + "]",
	} {
		if all, err := cases.Load(folder(t, text)); err == nil {
			t.Errorf("%s: loads as %+v", name, all)
		} else {
			t.Logf("%s: %v", name, err)
		}
	}
	for _, dir := range []string{t.TempDir(), filepath.Join(t.TempDir(), "none")} {
		if all, err := cases.Load(dir); err == nil {
			t.Errorf("%s loads as %+v", dir, all)
		}
	}
}

// A case that asks for something unknown fails: it isn't run without it.
func TestRefusedCases(t *testing.T) {
	for _, replace := range [][2]string{
		{`"key": ["k"]`, `"key": ["k"], "watermark": 3`},
		{`"key": ["k"], `, ``},
		{`{"column": "s"}`, `{"column": "s", "collation": "C"}`},
		{`{"column": "s"}`, `{"column": "s", "dir": "down"}`},
		{`{"column": "s"}`, `{"column": "s", "nulls": "first"}`},
		{`"key": ["k"]`, `"key": ["k"], "ties": "any"`},
		{`"key": ["k"]`, `"key": ["k"], "null_key": "ignore"`},
		{`"key": ["k"]`, `"key": ["k"], "op": {"column": "s", "truncate": [1]}`},
		{`"key": ["k"]`, `"key": ["k"], "op": {"column": "s", "delete": [1.5]}`},
		{`"key": ["k"]`, `"key": ["k"], "op": {"column": "s", "delete": [null]}`},
		{`"key": ["k"]`, `"key": ["k"], "fill": [{"column": "s", "unavailable": 1, "from": "x"}]`},
		{`{"kept": 1}`, `{"keep": 1}`},
		{`{"kept": 1}`, `{"kept": 1.5}`},
		{`"report": {"kept": 1}`, `"plan": {}`},
		{`"rows": [[1, 2]], "report": {"kept": 1}`, ``},
		{`"report": {"kept": 1}`, `"error": "tie"`},
		{`"report": {"kept": 1}`, `"mentions": ["k"]`},
		{`"rows": [[1, 2]], "report": {"kept": 1}`, `"error": "oops"`},
		{`"rows": [[1, 2]], "report"`, `"rows": [[1]], "report"`},
		{`"rows": [[1, 2]], "report"`, `"rows": [[1, "2"]], "report"`},
		{`[1, 1], [1, 2]]`, `[1, 1], [1, "2"]]`},
		{`"changes":`, `"table":`},
		{`"changes":`, `"more": {"columns": [], "rows": []}, "changes":`},
	} {
		text := strings.Replace(good, replace[0], replace[1], 1)
		if text == good {
			t.Fatalf("%q isn't in the case", replace[0])
		}
		refused(t, text)
	}
}

func TestRefusedCasesOfOtherCalls(t *testing.T) {
	for _, text := range []string{
		`{"id": "a", "why": "w", "call": "grain.check", "input": {"table": {"columns": ["k:int64"], "rows": []}}, "options": {"key": ["k"], "sample": 1}, "want": {"report": {"rows": 0}}}`,
		`{"id": "a", "why": "w", "call": "grain.check", "input": {"table": {"columns": ["k:int64"], "rows": []}}, "options": {"key": ["k"], "nulls": "null"}, "want": {"report": {"rows": 0}}}`,
		`{"id": "a", "why": "w", "call": "grain.check", "input": {"table": {"columns": ["k:int64"], "rows": []}}, "options": {"key": ["k"]}, "want": {"report": {"kept": 0}}}`,
		`{"id": "a", "why": "w", "call": "grain.check", "input": {"table": {"columns": ["k:int64"], "rows": []}}, "options": {"key": ["k"]}, "want": {}}`,
		`{"id": "a", "why": "w", "call": "grain.check", "input": {"table": {"columns": ["k:int64"], "rows": []}}, "options": {"key": ["k"]}, "want": {"worst": [[1]]}}`,
		`{"id": "a", "why": "w", "call": "keys.equal", "input": {"left": {"columns": ["k:int64"], "rows": [[1]]}, "right": {"columns": ["k:int64"], "rows": [[1]]}}, "options": {}, "want": {"equal": true}}`,
		`{"id": "a", "why": "w", "call": "keys.equal", "input": {"left": {"columns": ["k:int64"], "rows": [[1]]}, "right": {"columns": ["k:int64"], "rows": [[1], [2]]}}, "want": {"equal": true}}`,
		`{"id": "a", "why": "w", "call": "keys.equal", "input": {"left": {"columns": ["k:int64"], "rows": [[1]]}, "right": {"columns": ["j:int64"], "rows": [[1]]}}, "want": {"equal": true}}`,
		`{"id": "a", "why": "w", "call": "keys.equal", "input": {"left": {"columns": ["k:int64"], "rows": [[1]]}}, "want": {"equal": true}}`,
		`{"id": "a", "why": "w", "call": "keys.equal", "input": {"left": {"columns": ["k:int64"], "rows": [[1]]}, "right": {"columns": ["k:int64"], "rows": [[1]]}}, "want": {"same": true}}`,
	} {
		refused(t, text)
	}
}

func refused(t *testing.T, text string) {
	t.Helper()
	all, err := cases.Load(folder(t, "["+text+"]"))
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	res := cases.Run(all[0], right(all[0]))
	if len(res.Failures) == 0 || res.Runs > 0 {
		t.Errorf("%d runs, no failure: %s", res.Runs, text)
		return
	}
	t.Log(res.Failures[0])
}

// order_matters keeps the rows as they come.
func TestOrderMatters(t *testing.T) {
	for _, matters := range []bool{false, true} {
		text := good
		if matters {
			text = strings.Replace(text, `"why"`, `"order_matters": true, "why"`, 1)
		}
		all, err := cases.Load(folder(t, "["+text+"]"))
		if err != nil {
			t.Fatal(err)
		}
		api, moved := right(all[0]), false
		latest := api.Latest
		api.Latest = func(ctx context.Context, in []arrow.Record, key []string, order []onerow.Order, opts dedupe.Options) (*dedupe.Plan, error) {
			moved = moved || arrowtest.FormatRow(arrowtest.All(in)[0]) != "(1, 1)"
			return latest(ctx, in, key, order, opts)
		}
		if res := cases.Run(all[0], api); len(res.Failures) > 0 || moved == matters {
			t.Errorf("order_matters %v: rows moved %v, %v", matters, moved, res.Failures)
		}
	}
}

func TestCommand(t *testing.T) {
	cases.Planned["later.verb"] = true
	defer delete(cases.Planned, "later.verb")
	wrong := strings.NewReplacer(`"id": "a"`, `"id": "b"`, `"kept": 1`, `"kept": 2`).Replace(good)
	later := `{"id": "c", "why": "w", "call": "later.verb", "input": {}, "options": {"anything": 1}, "want": {}}`
	tests := []struct {
		text string
		code int
		last string
	}{
		{good, 0, "1 passed, 0 failed\n"},
		{good + "," + later, 0, "not built yet: later.verb (1)\n1 passed, 0 failed, 1 skipped\n"},
		{good + "," + wrong + "," + later, 1, "not built yet: later.verb (1)\n1 passed, 1 failed, 1 skipped\n"},
		{"{}", 2, ""},
		{later, 0, "0 passed, 0 failed, 1 skipped\n"},
	}
	for _, test := range tests {
		dir := folder(t, "["+test.text+"]")
		api := right(cases.Case{})
		var out, errs strings.Builder
		if code := cases.Main([]string{dir}, api, &out, &errs); code != test.code || !strings.HasSuffix(out.String(), test.last) {
			t.Errorf("exit %d, want %d; printed %s%s", code, test.code, &out, &errs)
		}
		if test.code == 1 && !strings.Contains(out.String(), "FAIL b [as given] want report: kept 2; got kept 1\n") {
			t.Errorf("printed %s", &out)
		}
	}
	var out, errs strings.Builder
	if code := cases.Main(nil, cases.Public, &out, &errs); code != 2 || errs.Len() == 0 {
		t.Errorf("without folders: exit %d, %s", code, &errs)
	}
}

// Keys that repeat equally often come by first appearance; shuffled rows appear in another order.
func TestOrderOfWorstKeys(t *testing.T) {
	all, err := cases.Load(folder(t, `[{"id": "a", "why": "w", "call": "grain.check", "options": {"key": ["k"]},
		"input": {"table": {"columns": ["k:int64"], "rows": [[1], [2], [1], [2], [3], [3]]}}, "want": {"worst": [[1, 2], [2, 2]]}}]`))
	if err != nil {
		t.Fatal(err)
	}
	api := right(all[0])
	if res := cases.Run(all[0], api); len(res.Failures) > 0 {
		t.Errorf("by first appearance: %v", res.Failures)
	}
	onReport(func(r *grain.Report) { r.Worst[0], r.Worst[1] = r.Worst[1], r.Worst[0] })(&api)
	if res := cases.Run(all[0], api); len(res.Failures) == 0 {
		t.Error("by last appearance passes")
	}
}
