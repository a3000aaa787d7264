package arrow18_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/adapters/arrow18"
	"github.com/onerow-go/onerow/dedupe"
	"github.com/onerow-go/onerow/grain"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/join"
	"github.com/onerow-go/onerow/scd2"
)

// table makes batches of v18 whose memory is counted: in v15, whose notation tests share, and moved.
func table(t *testing.T, columns []string, rows ...[]any) []arrow.RecordBatch {
	t.Helper()
	mem := checked15(t)
	schema, err := arrowtest.Schema(columns)
	if err != nil {
		t.Fatal(err)
	}
	rec, err := arrowtest.Record(mem, schema, rows)
	if err != nil {
		t.Fatal(err)
	}
	batch, err := arrow18.Move(rec, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(batch.Release)
	return []arrow.RecordBatch{batch}
}

func records(t *testing.T, batches []arrow.RecordBatch) arrow18.Records {
	t.Helper()
	in, err := arrow18.FromBatches(batches)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(in.Release)
	return in
}

// check looks at the rows of batches, and releases them.
func check(t *testing.T, what string, want [][]any, got []arrow.RecordBatch, err error) {
	t.Helper()
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	in, err := arrow18.FromBatches(got)
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	values := arrowtest.All(in)
	if want != nil {
		if want, err = arrowtest.Values(in[0].Schema(), want); err != nil {
			t.Fatal(err)
		}
		if diff := arrowtest.DiffList(want, values); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
	}
	in.Release()
	for _, b := range got {
		b.Release()
	}
}

func one(b arrow.RecordBatch, err error) ([]arrow.RecordBatch, error) {
	return []arrow.RecordBatch{b}, err
}

// Each verb takes batches of v18 and returns such, and nothing is held at the end.
func TestEveryVerb(t *testing.T) {
	ctx, mem := t.Context(), checked18(t)
	res := onerow.Resources{Allocator: mem} // an allocator of v18 is one of v15 as it is
	key, order := []string{"id"}, []onerow.Order{onerow.Desc("lsn")}
	feed := table(t, []string{"id:int64", "lsn:int64", "city:dict<int8,string>", "was:int64"},
		[]any{1, 10, "Rome", nil}, []any{2, 11, "Lima", nil}, []any{1, 12, "Oslo", nil}, []any{3, 13, "Bonn", 2})
	target := table(t, []string{"id:int64", "lsn:int64", "city:string"}, []any{1, 20, "Kyiv"})
	in, old := records(t, feed), records(t, target)

	got, report, err := arrow18.Latest(ctx, feed, key, order, dedupe.Options{Against: old, Resources: res})
	check(t, "Latest", [][]any{{2, 11, "Lima", nil}, {3, 13, "Bonn", 2}}, []arrow.RecordBatch{got}, err)
	if report.Stale != 2 {
		t.Errorf("Latest: %v", report)
	}
	plan, err := dedupe.Latest(ctx, in, key, order, dedupe.Options{Resources: res, Op: dedupe.Op{PreviousKey: []string{"was"}}})
	if err != nil {
		t.Fatal(err)
	}
	batches, err := one(arrow18.Move(plan.Take(ctx, nil)))
	check(t, "Plan.Take", [][]any{{1, 12, "Oslo", nil}, {3, 13, "Bonn", 2}}, batches, err)
	batches, err = one(arrow18.Move(plan.TakeEnded(ctx, mem)))
	check(t, "Plan.TakeEnded", [][]any{{2, 13}}, batches, err)
	batches, err = arrow18.MoveAll(dedupe.Union(mem, []dedupe.Source{{Batches: in}, {Batches: records(t, feed)}}, dedupe.UnionOptions{RankColumn: "rank"}))
	check(t, "Union", nil, batches, err)
	batches, err = one(arrow18.Move(onerow.Take(ctx, in, onerow.Rows{3, 0}, onerow.Resources{Allocator: mem})))
	check(t, "onerow.Take", [][]any{{3, 13, "Bonn", 2}, {1, 10, "Rome", nil}}, batches, err)
	parts, err := onerow.Partition(ctx, in, key, 3)
	if err != nil || len(parts) != 3 {
		t.Errorf("Partition: %v, %v", parts, err)
	}

	unique, err := arrow18.Check(ctx, feed, key, grain.Options{})
	if err != nil || !errors.Is(unique.Err(), onerow.ErrDuplicateKey) {
		t.Errorf("Check: %v, %v", unique, err)
	}
	for what, err := range map[string]error{
		"grain.Diagnose":       second(grain.Diagnose(ctx, in, key, grain.DiagnoseOptions{})),
		"grain.Keys":           second(grain.Keys(ctx, in, grain.KeysOptions{})),
		"grain.MergeConflicts": second(grain.MergeConflicts(ctx, old, in, key, grain.MergeOptions{})),
		"grain.Profile":        second(grain.Profile(ctx, in, key, grain.ProfileOptions{})),
		"grain.Align":          second(grain.Align(ctx, in, []string{"id", "lsn"}, key, grain.Options{})),
		"join.Split":           second(join.Split(ctx, in, old, join.On("id"), join.SplitOptions{})),
		"scd2.Confusions":      second(scd2.Confusions(ctx, in, key, scd2.HashOptions{Form: scd2.DBTKey})),
	} {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	size, err := arrow18.Estimate(ctx, feed, target, join.On("id"), join.Options{})
	if err != nil || size.Rows.Inner != join.CountOf(2) {
		t.Errorf("Estimate: %v, %v", size, err)
	}
	hashes, err := arrow18.MoveArrays(scd2.RowHash(ctx, in, key, scd2.HashOptions{Resources: res}))
	if err != nil || len(hashes) != 1 || hashes[0].Len() != 4 {
		t.Errorf("RowHash: %v, %v", hashes, err)
	}
	for _, h := range hashes {
		h.Release()
	}
}

// A history that is kept as batches of v18, changed again and again.
func TestHistory(t *testing.T) {
	ctx, mem := t.Context(), checked18(t)
	res := onerow.Resources{Allocator: mem}
	var rows []string
	for id := range 100 { // enough that the few rows that come new aren't put into their batch
		rows = append(rows, fmt.Sprintf(`{"id": %d, "city": "Rome", "valid_from": "2026-01-01", "valid_to": null}`, id))
	}
	first, _, err := array.RecordFromJSON(mem, arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64}, {Name: "city", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "valid_from", Type: arrow.FixedWidthTypes.Date32}, {Name: "valid_to", Type: arrow.FixedWidthTypes.Date32, Nullable: true},
	}, nil), strings.NewReader("["+strings.Join(rows, ",")+"]"))
	if err != nil {
		t.Fatal(err)
	}
	start := []arrow.RecordBatch{first}
	defer first.Release()
	opts := scd2.Options{Mode: scd2.Changes, At: []onerow.Order{onerow.Desc("day")}, Resources: res}
	history := []arrow.RecordBatch{start[0]}
	start[0].Retain()
	for i, day := range []string{"2026-02-01", "2026-03-01", "2026-04-01"} {
		changes := table(t, []string{"id:int64", "city:string", "day:date32"}, []any{2, []string{"Kyiv", "Oslo", "Bonn"}[i], day})
		next, report, err := arrow18.Apply(ctx, history, scd2.Table{Key: []string{"id"}}, changes, opts)
		if err != nil || report.Insert != 1 || report.Close != 1 {
			t.Fatalf("%v, %v", report, err)
		}
		for _, b := range history {
			b.Release()
		}
		history = next
	}
	if want, got := start[0].Column(1).Data().Buffers()[2], history[0].Column(1).Data().Buffers()[2]; got != want {
		t.Error("a column that didn't change isn't shared any more")
	}
	in := records(t, history)
	versions := scd2.Table{Batches: in, Key: []string{"id"}}
	current, err := scd2.Current(ctx, versions, res)
	if err != nil || len(current) != 100 {
		t.Errorf("Current: %v, %v", current, err)
	}
	then, err := scd2.AsOf(ctx, versions, "2026-02-15", res)
	if err != nil || len(then) != 100 {
		t.Errorf("AsOf: %v, %v", then, err)
	}
	broken, err := scd2.Check(ctx, versions, scd2.CheckOptions{})
	if err != nil || broken.Err() != nil {
		t.Errorf("Check: %v, %v", broken, err)
	}
	facts := join.Facts{Batches: records(t, table(t, []string{"id:int64", "on:date32"}, []any{2, "2026-02-15"}, []any{900, "2026-02-15"})), Key: []string{"id"}, At: "on"}
	matches, err := join.AsOf(ctx, facts, join.Versions{Batches: in, ValidFrom: "valid_from", ValidTo: "valid_to"}, join.RangeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	batches, err := one(arrow18.Move(matches.Versions(ctx, mem, "city")))
	check(t, "join.AsOf", [][]any{{"Kyiv"}, {nil}}, batches, err)
	if _, err := join.Between(ctx, facts, join.Versions{Batches: in, ValidFrom: "valid_from", ValidTo: "valid_to"}, join.RangeOptions{}); err != nil {
		t.Errorf("Between: %v", err)
	}
	state := stateOf(ctx, t, mem, in)
	stateIn := records(t, state)
	batches, err = one(arrow18.Move(scd2.Compact(ctx, mem, stateIn, "2026-05-01")))
	check(t, "Compact", nil, batches, err)
	opts.State = stateIn
	if _, err := scd2.Plan(ctx, versions, records(t, table(t, []string{"id:int64", "city:string", "day:date32"}, []any{1, "Graz", "2026-06-01"})), opts); err != nil {
		t.Errorf("Plan with State: %v", err)
	}
	for _, b := range history {
		b.Release()
	}
	for _, b := range state {
		b.Release()
	}
}

// stateOf plans a change, and makes all that a plan can make.
func stateOf(ctx context.Context, t *testing.T, mem *checked, history arrow18.Records) []arrow.RecordBatch {
	t.Helper()
	changes := records(t, table(t, []string{"id:int64", "city:string", "day:date32"}, []any{2, "Wien", "2026-05-01"}))
	merge, err := scd2.Plan(ctx, scd2.Table{Batches: history, Key: []string{"id"}}, changes,
		scd2.Options{Mode: scd2.Changes, At: []onerow.Order{onerow.Desc("day")}})
	if err != nil {
		t.Fatal(err)
	}
	batches, err := one(arrow18.Move(merge.Staged(ctx, mem)))
	check(t, "Staged", nil, batches, err)
	batches, err = arrow18.MoveAll(merge.Apply(ctx, mem, history))
	check(t, "Merge.Apply", nil, batches, err)
	state, err := one(arrow18.Move(merge.State(ctx, mem)))
	if err != nil {
		t.Fatal(err)
	}
	return state
}

// What a verb refuses, the function of that name refuses with the same error.
func TestVerbErrors(t *testing.T) {
	feed := table(t, []string{"id:int64", "lsn:int64"}, []any{1, 10}, []any{1, 10}, []any{1, 11})
	ctx := t.Context()
	for what, err := range map[string]error{
		"Latest":   third(arrow18.Latest(ctx, feed, []string{"nope"}, nil, dedupe.Options{})),
		"Apply":    third(arrow18.Apply(ctx, feed, scd2.Table{Key: []string{"nope"}}, feed, scd2.Options{Mode: scd2.Changes, At: []onerow.Order{onerow.Desc("lsn")}})),
		"Check":    second(arrow18.Check(ctx, feed, []string{"nope"}, grain.Options{})),
		"Estimate": second(arrow18.Estimate(ctx, feed, feed, join.On("nope"), join.Options{})),
	} {
		if !errors.Is(err, onerow.ErrNoColumn) {
			t.Errorf("%s: got %v, want ErrNoColumn", what, err)
		}
	}
	if _, _, err := arrow18.Latest(ctx, nil, []string{"id"}, nil, dedupe.Options{}); !errors.Is(err, onerow.ErrNoBatches) {
		t.Errorf("got %v, want ErrNoBatches", err)
	}
}

func third[A, B any](_ A, _ B, err error) error { return err }

// One batch is read and converted by several goroutines, and what they make is released by others.
func TestConcurrent(t *testing.T) {
	whole := everything(t, checked18(t))
	defer whole.Release()
	const n = 4
	made := make(chan arrow18.Records, n)
	for range n {
		go func() {
			in, err := arrow18.FromBatches([]arrow.RecordBatch{whole, whole})
			if err != nil {
				t.Error(err)
			}
			made <- in
		}()
	}
	done := make(chan string, n)
	for range n {
		in := <-made
		go func() {
			got := ""
			for _, c := range in[1].Columns() {
				got += cells(c)
			}
			in.Release()
			done <- got
		}()
	}
	want := ""
	for _, c := range whole.Columns() {
		want += cells(c)
	}
	for range n {
		if got := <-done; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
