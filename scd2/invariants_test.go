package scd2_test

import (
	"context"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/cases"
	"github.com/onerow-go/onerow/scd2"
)

// apply applies a plan, and checks what must hold of any plan, of what it leads to, and of its staged rows.
func (st *stage) apply(a act, changes []arrow.Record, m *scd2.Merge) act {
	st.t.Helper()
	check := &cases.MergeCheck{Table: st.table, Changes: changes, Opts: st.opts, Open: st.openCell(), Fail: func(want, got string) {
		st.t.Helper()
		st.t.Fatalf("want %s\ngot %s\nreport %+v\nafter %v\ncame\n%v\n%v", want, got, m.Report, rowsText(a), arrowtest.FormatRows(arrowtest.All(changes)), st.scene)
	}}
	check.Table.Batches = a.history
	if !check.Plan(m) {
		return act{}
	}
	ctx := context.Background()
	next, err := m.Apply(ctx, st.alloc, a.history)
	if err != nil {
		st.t.Fatalf("apply: %v\n%v", err, st.scene)
	}
	st.t.Cleanup(func() { arrowtest.Release(next) })
	state, err := m.State(ctx, st.alloc)
	if err != nil {
		st.t.Fatalf("state: %v\n%v", err, st.scene)
	}
	st.t.Cleanup(state.Release)
	staged, err := m.Staged(ctx, st.alloc)
	if err != nil {
		st.t.Fatalf("staged: %v\n%v", err, st.scene)
	}
	defer staged.Release()
	check.Applied(m, next)
	check.Staged(m, staged, next)
	st.checks(next)
	return act{next, []arrow.Record{state}}
}

// openCell is the sentinel as the history holds it.
func (st *stage) openCell() any {
	if st.table.OpenEnd == nil {
		return nil
	}
	at := slices.Index(names(st.given.columns), "valid_to")
	f, err := arrowtest.Field(st.given.columns[at])
	if err != nil {
		st.t.Fatalf("%v", err)
	}
	v, err := arrowtest.Value(f.Type, st.line.open)
	if err != nil {
		st.t.Fatalf("%v", err)
	}
	return v
}

// checks lets Check find nothing but NULL keys, where these are keys like others.
func (st *stage) checks(history []arrow.Record) {
	st.t.Helper()
	table := st.table
	table.Batches = history
	if table.Deleted != "" {
		table.Current = "" // deletion rows are open, and not current
	}
	report, err := scd2.Check(context.Background(), table, scd2.CheckOptions{})
	if err != nil {
		st.t.Fatalf("check: %v\n%v", err, st.scene)
	}
	for _, f := range report.Findings {
		if f.Kind != scd2.NullKey {
			st.t.Fatalf("check finds %+v in\n%v\n%v", f, arrowtest.FormatRows(arrowtest.All(history)), st.scene)
		}
	}
}
