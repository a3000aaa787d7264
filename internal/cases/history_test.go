package cases_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/cases"
	"github.com/onerow-go/onerow/scd2"
)

// onMerge changes plans.
func onMerge(f func(m *scd2.Merge)) func(*cases.API) {
	return func(api *cases.API) {
		plan := api.History.Plan
		api.History.Plan = func(ctx context.Context, table scd2.Table, changes []arrow.Record, opts scd2.Options) (*scd2.Merge, error) {
			m, err := plan(ctx, table, changes, opts)
			if m != nil {
				f(m)
			}
			return m, err
		}
	}
}

// onApplied changes the rows that come of a plan.
func onApplied(f func(rows [][]any) [][]any) func(*cases.API) {
	return func(api *cases.API) {
		apply := api.History.Apply
		api.History.Apply = func(ctx context.Context, m *scd2.Merge, mem memory.Allocator, history []arrow.Record) ([]arrow.Record, error) {
			recs, err := apply(ctx, m, mem, history)
			if err != nil {
				return nil, err
			}
			defer arrowtest.Release(recs)
			rec, err := arrowtest.Record(mem, recs[0].Schema(), f(bits(recs)))
			return []arrow.Record{rec}, err
		}
	}
}

// onStaged changes the staged rows.
func onStaged(f func(rows [][]any) [][]any) func(*cases.API) {
	return func(api *cases.API) {
		stage := api.History.Staged
		api.History.Staged = func(ctx context.Context, m *scd2.Merge, mem memory.Allocator) (arrow.Record, error) {
			rec, err := stage(ctx, m, mem)
			if err != nil {
				return nil, err
			}
			defer rec.Release()
			return arrowtest.Record(mem, rec.Schema(), f(bits([]arrow.Record{rec})))
		}
	}
}

// set returns rows in which each cell of a column that holds one value holds another.
func set(column int, from, to any) func([][]any) [][]any {
	return func(rows [][]any) [][]any {
		for _, r := range rows {
			if r[column] == from {
				r[column] = to
			}
		}
		return rows
	}
}

var errHistory = errors.New("no")

const closes, late, flagged = "scd2_plan/change-closes-and-opens", "scd2_plan/equal-to-the-next-version", "scd2_plan/current-flag-follows"

var historyLies = []lie{
	{"no error", "scd2_plan/at-an-existing-start", "want error tie", func(api *cases.API) {
		api.History.Plan = func(context.Context, scd2.Table, []arrow.Record, scd2.Options) (*scd2.Merge, error) { return nil, nil }
	}},
	{"another error", "scd2_plan/mode-not-said", "want error mode", func(api *cases.API) {
		api.History.Plan = func(context.Context, scd2.Table, []arrow.Record, scd2.Options) (*scd2.Merge, error) {
			return nil, onerow.ErrOption
		}
	}},
	{"an error that doesn't say which key", "scd2_plan/tie-in-one-batch", `mentions "88001"`, func(api *cases.API) {
		api.History.Plan = func(context.Context, scd2.Table, []arrow.Record, scd2.Options) (*scd2.Merge, error) {
			return nil, onerow.ErrTie
		}
	}},
	{"an error where there is none", closes, "want no error", func(api *cases.API) {
		api.History.Plan = func(context.Context, scd2.Table, []arrow.Record, scd2.Options) (*scd2.Merge, error) {
			return nil, errHistory
		}
	}},
	{"no plan", closes, "want a plan", func(api *cases.API) {
		api.History.Plan = func(context.Context, scd2.Table, []arrow.Record, scd2.Options) (*scd2.Merge, error) { return nil, nil }
	}},
	{"counts that don't add up", closes, "events 1 = applied", onMerge(func(m *scd2.Merge) { m.Report.Applied++ })},
	{"a count that isn't the list's", closes, "counts of the lists", onMerge(func(m *scd2.Merge) { m.Report.Insert++ })},
	{"a count that isn't the case's", "scd2_plan/late-ignored", "report: ignored 1; got ignored 0", onMerge(func(m *scd2.Merge) {
		m.Ignored, m.Report.Ignored, m.Report.Unchanged, m.Unchanged = nil, 0, 1, onerow.Rows{0}
	})},
	{"another size of the history", closes, "history 2", onMerge(func(m *scd2.Merge) { m.Report.History++ })},
	{"a row in two lists", closes, "each once", onMerge(func(m *scd2.Merge) { m.Rewrites = m.Closes })},
	{"a row out of range", closes, "ascending row numbers below 2", onMerge(func(m *scd2.Merge) { m.Closes[0].Row = 2 })},
	{"an insert of nothing", closes, "inserts of rows that are there", onMerge(func(m *scd2.Merge) { m.Inserts[0].Row = 1 })},
	{"an insert for no reason", closes, "inserts of rows that are there", onMerge(func(m *scd2.Merge) { m.Inserts[0].Reason = 0 })},
	{"a close for no reason", closes, "a reason for each close", onMerge(func(m *scd2.Merge) { m.Closes[0].Reason = 0 })},
	{"a close of another row", closes, "a row that isn't listed stays", onMerge(func(m *scd2.Merge) { m.Closes[0].Row = 1 })},
	{"not empty", "scd2_plan/same-changes-again", "want empty true", func(api *cases.API) { api.History.Empty = func(*scd2.Merge) bool { return false } }},
	{"not empty again", closes, "an empty plan for the same changes again", func(api *cases.API) { api.History.Empty = func(*scd2.Merge) bool { return false } }},
	{"a state that forgets", "scd2_plan/remembered-repeat", "an empty plan for the same changes again", func(api *cases.API) {
		plan := api.History.Plan
		api.History.Plan = func(ctx context.Context, table scd2.Table, changes []arrow.Record, opts scd2.Options) (*scd2.Merge, error) {
			opts.State = nil
			return plan(ctx, table, changes, opts)
		}
	}},
	{"no state", closes, "want a state", func(api *cases.API) {
		api.History.State = func(context.Context, *scd2.Merge, memory.Allocator) (arrow.Record, error) { return nil, errHistory }
	}},
	{"can't be applied", closes, "a plan that can be applied", func(api *cases.API) {
		api.History.Apply = func(context.Context, *scd2.Merge, memory.Allocator, []arrow.Record) ([]arrow.Record, error) {
			return nil, errHistory
		}
	}},
	{"applied to nothing", closes, "no batches", func(api *cases.API) {
		api.History.Apply = func(context.Context, *scd2.Merge, memory.Allocator, []arrow.Record) ([]arrow.Record, error) {
			return nil, nil
		}
	}},
	{"another schema", closes, "want columns", func(api *cases.API) {
		apply := api.History.Apply
		api.History.Apply = func(ctx context.Context, m *scd2.Merge, mem memory.Allocator, history []arrow.Record) ([]arrow.Record, error) {
			recs, err := apply(ctx, m, mem, history)
			for i, rec := range recs {
				fields := slices.Clone(rec.Schema().Fields())
				fields[1].Name = "w"
				recs[i] = array.NewRecord(arrow.NewSchema(fields, nil), rec.Columns(), rec.NumRows())
				rec.Release()
			}
			return recs, err
		}
	}},
	{"other values", closes, "want history", onApplied(set(1, "b", "c"))},
	{"other values in an old row", closes, "a row that isn't listed stays", onApplied(set(1, "z", "y"))},
	{"other values in a closed row", closes, "column v stays", onApplied(set(1, "a", "y"))},
	{"a row too few", closes, "want 3 rows", onApplied(func(rows [][]any) [][]any { return rows[:2] })},
	{"a row not closed", closes, "a listed row changes", onApplied(set(3, int64(20), nil))},
	{"closed elsewhere", closes, "a version that starts where", onApplied(set(3, int64(20), int64(19)))},
	{"an overlap", closes, "overlap", onApplied(set(3, int64(20), int64(25)))},
	{"an empty version", closes, "empty or inverted", onApplied(set(3, int64(20), int64(10)))},
	{"a wrong flag", flagged, "wrong current flag", onApplied(set(4, false, true))},
	{"another end of new rows", "scd2_plan/sentinel-end-is-open", "the declared end", onApplied(func(rows [][]any) [][]any {
		rows[len(rows)-1][3] = nil
		return rows
	})},
	{"a rewrite of the key", late, "column k stays", onApplied(set(0, int64(1), int64(2)))},
	{"staged rows can't be made", closes, "want staged rows", func(api *cases.API) {
		api.History.Staged = func(context.Context, *scd2.Merge, memory.Allocator) (arrow.Record, error) { return nil, errHistory }
	}},
	{"a staged row too few", closes, "want 2 staged rows", onStaged(func(rows [][]any) [][]any { return rows[1:] })},
	{"another staged value", closes, "staged rows that make", onStaged(set(6, int64(20), int64(21)))},
	{"a merge key that matches nothing", closes, "one row for each merge key", onStaged(set(2, int64(10), int64(11)))},
	{"an insert with a merge key", closes, "NULL as merge key", onStaged(set(1, nil, int64(1)))},
	{"an unknown action", closes, "want an action", onStaged(set(0, "close", "expire"))},
	{"other staged columns", closes, "staged columns", func(api *cases.API) {
		stage := api.History.Staged
		api.History.Staged = func(ctx context.Context, m *scd2.Merge, mem memory.Allocator) (arrow.Record, error) {
			rec, err := stage(ctx, m, mem)
			if err != nil {
				return nil, err
			}
			defer rec.Release()
			fields := slices.Clone(rec.Schema().Fields())
			fields[0].Name = "action"
			return array.NewRecord(arrow.NewSchema(fields, nil), rec.Columns(), rec.NumRows()), nil
		}
	}},
	{"a record is kept", closes, "bytes leaked", func(api *cases.API) {
		stage := api.History.Staged
		api.History.Staged = func(ctx context.Context, m *scd2.Merge, mem memory.Allocator) (arrow.Record, error) {
			rec, err := stage(ctx, m, mem)
			rec.Retain()
			return rec, err
		}
	}},
}

// A planner that answers wrongly fails the case that asks.
func TestWrongHistoriesFail(t *testing.T) { noticed(t, historyLies) }

const goodHistory = `{"id": "a", "why": "w", "call": "scd2.plan", "input": {
		"history": {"columns": ["k:int64", "v:string", "valid_from:date32", "valid_to:date32"], "rows": [[1, "a", 10, null]]},
		"changes": {"columns": ["k:int64", "t:date32", "op:string", "v:string"], "rows": []}},
	"steps": [[[1, 20, "u", "b"]], [[1, 30, "d", null]]],
	"options": {"key": ["k"], "mode": "changes", "at": [{"column": "t"}], "op": {"column": "op", "delete": ["d"]}, "open_end": 99},
	"want": {"history": [[1, "a", 10, 20], [1, "b", 20, 30]], "plan": {"close": 1}, "empty": false}}`

// A case that asks for something unknown fails: it isn't run without it.
func TestRefusedHistories(t *testing.T) {
	all, err := cases.Load(folder(t, "["+goodHistory+"]"))
	if err != nil {
		t.Fatal(err)
	}
	if res := cases.Run(all[0], right(all[0])); len(res.Failures) > 0 {
		t.Error(res.Failures[0])
	}
	for _, replace := range [][2]string{
		{`"key": ["k"]`, `"key": ["k"], "watermark": 3`},
		{`"key": ["k"], `, ``},
		{`"changes", "at"`, `"events", "at"`},
		{`{"column": "t"}`, `{"column": "t", "dir": "down"}`},
		{`"delete": ["d"]`, `"delete": ["d"], "snapshot": ["r"]`},
		{`"delete": ["d"]`, `"delete": [null]`},
		{`"delete": ["d"]`, `"truncate": [null]`},
		{`"open_end": 99`, `"open_end": 1.5`},
		{`"open_end": 99`, `"now": [1]`},
		{`"open_end": 99`, `"late": "drop"`},
		{`"open_end": 99`, `"unchanged": "drop"`},
		{`"open_end": 99`, `"deletes": "drop"`},
		{`"open_end": 99`, `"ties": "first"`},
		{`"open_end": 99`, `"absent": "drop"`},
		{`"open_end": 99`, `"null_key": "drop"`},
		{`"open_end": 99`, `"max_close": "all"`},
		{`"open_end": 99`, `"columns": {"missing": "drop"}`},
		{`"open_end": 99`, `"columns": {"new": "add"}`},
		{`{"close": 1}`, `{"closes": 1}`},
		{`"history": [[1, "a"`, `"history": [["1", "a"`},
		{`"empty": false`, `"error": "tie"`},
		{`"empty": false`, `"rows": []`},
		{`"steps": [[[1, 20, "u", "b"]], [[1, 30, "d", null]]]`, `"steps": []`},
		{`"steps": [[[1, 20, "u", "b"]], [[1, 30, "d", null]]]`, `"steps": [[[1, 20, "u"]]]`},
		{`"v:string"], "rows": []`, `"v:string"], "rows": [[1, 20, "u", "b"]]`},
		{`"changes": {"columns"`, `"source": {"columns"`},
		{`"input": {`, `"input": {"table": {"columns": [], "rows": []}, `},
	} {
		text := strings.Replace(goodHistory, replace[0], replace[1], 1)
		if text == goodHistory {
			t.Fatalf("%q isn't in the case", replace[0])
		}
		refused(t, text)
	}
}
