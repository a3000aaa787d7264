package engines_test

import (
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/scd2"
)

// history is a table that is kept twice: in memory, by Apply, and in an engine, by MERGE.
type history struct {
	engine *engine
	schema string
	mem    memory.Allocator

	table scd2.Table
	state []arrow.Record
}

const (
	historyTable = "History"
	stagedTable  = "staged rows"
)

// newHistory makes the table in both places. Table.Batches are its first rows.
func newHistory(t testing.TB, e *engine, mem memory.Allocator, schema string, table scd2.Table) *history {
	t.Helper()
	h := &history{engine: e, schema: schema, mem: mem, table: table}
	e.schema(t, schema)
	e.create(t, table.Batches[0].Schema(), schema, historyTable)
	e.insert(t, rowsOf(table.Batches...), schema, historyTable)
	return h
}

// merge plans changes, applies the plan in both places, and compares. It returns the plan. The next call goes on from there.
func (h *history) merge(t testing.TB, changes []arrow.Record, opts scd2.Options) *scd2.Merge {
	t.Helper()
	ctx := t.Context()
	opts.State = h.state
	m, err := scd2.Plan(ctx, h.table, changes, opts)
	if err != nil {
		t.Fatal(err)
	}
	next, err := m.Apply(ctx, h.mem, h.table.Batches)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { arrowtest.Release(next) })
	staged, err := m.Staged(ctx, h.mem)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(staged.Release)
	state, err := m.State(ctx, h.mem)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(state.Release)

	h.compareCounts(t, m, staged)
	target := m.Target(h.schema, historyTable)
	if !slices.Equal(target.Columns, names(next[0].Schema())) {
		t.Errorf("the target has columns %q, the history %q", target.Columns, names(next[0].Schema()))
	}
	h.engine.handOver(t, target, h.table.Batches[0].Schema(), rowsOf(staged), rowsOf(next...))
	h.table.Batches, h.state = next, []arrow.Record{state}
	return m
}

// compareCounts checks that the staged rows are those that the report counts.
func (h *history) compareCounts(t testing.TB, m *scd2.Merge, staged arrow.Record) {
	t.Helper()
	got := map[any]int64{}
	for _, row := range arrowtest.Cells(staged) {
		got[row[0]]++
	}
	for action, want := range map[any]int64{
		"insert": m.Report.Insert, "close": m.Report.Close, "rewrite": m.Report.Rewrite, "remove": m.Report.Remove,
	} {
		if got[action] != want {
			t.Errorf("%d rows to %s are staged, the report counts %d", got[action], action, want)
		}
	}
}

// handOver merges staged rows into the target, a table that has the columns of a schema, and compares it with what it should be.
func (e *engine) handOver(t testing.TB, target scd2.Target, before *arrow.Schema, staged, after rows) {
	t.Helper()
	for _, f := range after.schema.Fields() {
		if !before.HasField(f.Name) {
			execute(t, e.db, "ALTER TABLE "+path(target.Name...)+" ADD COLUMN "+quote(f.Name)+" "+e.typeOf(t, f.Type))
		}
	}
	schema := target.Name[0]
	execute(t, e.db, "DROP TABLE IF EXISTS "+path(schema, stagedTable))
	e.create(t, staged.schema, schema, stagedTable)
	e.insert(t, staged, schema, stagedTable)
	if n := execute(t, e.db, e.merge(t, target, schema, stagedTable)); n != int64(len(staged.values)) {
		t.Errorf("%d rows are touched, %d are staged", n, len(staged.values))
	}
	if diff := arrowtest.DiffRows(after.values, e.read(t, e.db, after.schema, target.Name...)); diff != "" {
		t.Errorf("the table differs from what Apply makes:\n%s\nstaged:\n%s", diff, arrowtest.FormatRows(staged.values))
	}
}

func names(schema *arrow.Schema) []string {
	out := make([]string, schema.NumFields())
	for i, f := range schema.Fields() {
		out[i] = f.Name
	}
	return out
}
