package scd2_test

import (
	"context"
	"errors"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
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
	st.counts(a, m, state)
	if r := m.Report; r.Insert+r.Close+r.Rewrite+r.Remove > 0 {
		if again, err := m.Apply(ctx, st.alloc, next); !errors.Is(err, onerow.ErrStaleBase) {
			arrowtest.Release(again)
			st.t.Fatalf("applied twice: %v\n%v", err, st.scene)
		}
	}
	return act{next, []arrow.Record{state}}
}

// counts checks what a report says beside the lists.
func (st *stage) counts(a act, m *scd2.Merge, state arrow.Record) {
	st.t.Helper()
	r, open, known := m.Report, int64(0), int64(0)
	end, marker := slices.Index(names(st.given.columns), "valid_to"), slices.Index(names(st.given.columns), "deleted")
	for _, row := range arrowtest.All(a.history) {
		if (row[end] == nil || arrowtest.Equal(row[end], st.openCell())) && (marker < 0 || row[marker] != true) {
			open++
		}
	}
	for _, rec := range a.state {
		known += rec.NumRows()
	}
	if r.Open != open || r.Remembered != state.NumRows() || r.Forgotten > known || r.Late > r.Applied || r.Unsure > r.Late || a.state != nil && r.Unsure > 0 {
		st.t.Fatalf("%d open, a state of %d after one of %d, and the report\n%v\n%v", open, state.NumRows(), known, r, st.scene)
	}
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
