package dedupe_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/google/go-cmp/cmp"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/dedupe"
	"github.com/onerow-go/onerow/internal/arrowtest"
)

var bySeq = []onerow.Order{onerow.Desc("seq")}

// TestTakeSomeRows: the caller may leave winners out; the others keep their own values.
func TestTakeSomeRows(t *testing.T) {
	mem := arrowtest.Allocator(t)
	batches := arrowtest.Table(t, mem, []string{"id:int64", "seq:int64", "op:string", "doc:string"}, [][]any{
		{1, 1, "u", "a"}, {2, 1, "u", "b"}, {3, 1, "u", "c"},
		{1, 2, "d", nil}, {2, 2, "u", "?"}, {3, 2, "u", "?"},
	})
	plan, err := dedupe.Latest(context.Background(), batches, []string{"id"}, bySeq, dedupe.Options{
		Op:   dedupe.Op{Column: "op", Delete: []onerow.Value{"d"}},
		Fill: []dedupe.Fill{{Column: "doc", Unavailable: "?"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(onerow.Rows{3}, plan.Deletes); diff != "" {
		t.Errorf("deletes (-want +got):\n%s", diff)
	}
	plan.Rows = plan.Rows.Without(plan.Deletes)
	rec, err := plan.Take(context.Background(), mem)
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Release()
	want := arrowtest.Table(t, mem, []string{"id:int64", "seq:int64", "op:string", "doc:string"}, [][]any{{2, 2, "u", "b"}, {3, 2, "u", "c"}})
	if diff := arrowtest.DiffRows(arrowtest.All(want), arrowtest.Cells(rec)); diff != "" {
		t.Error(diff)
	}
}

// TestTakeNullFromTarget: a column that the batches declare without NULL gets one from the target, and says so.
func TestTakeNullFromTarget(t *testing.T) {
	mem := arrowtest.Allocator(t)
	batches := arrowtest.Table(t, mem, []string{"id:int64!", "seq:int64!", "doc:string!"}, [][]any{{1, 2, "?"}})
	target := arrowtest.Table(t, mem, []string{"id:int64", "seq:int64", "doc:string"}, [][]any{{1, 1, nil}})
	plan, err := dedupe.Latest(context.Background(), batches, []string{"id"}, bySeq, dedupe.Options{
		Fill: []dedupe.Fill{{Column: "doc", Unavailable: "?"}}, Against: target,
	})
	if err != nil {
		t.Fatal(err)
	}
	rec, err := plan.Take(context.Background(), mem)
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Release()
	if !rec.Column(2).IsNull(0) || !rec.Schema().Field(2).Nullable || rec.Schema().Field(1).Nullable {
		t.Errorf("%v\n%v", rec.Schema(), rec)
	}
}

// TestTakeOfNothing: without batches there are no columns to make a record of.
func TestTakeOfNothing(t *testing.T) {
	plan, err := dedupe.Latest(context.Background(), nil, []string{"id"}, nil, dedupe.Options{Op: dedupe.Op{PreviousKey: []string{"was"}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := plan.TakeEnded(context.Background(), nil); !errors.Is(err, onerow.ErrNoBatches) {
		t.Errorf("ended: got %v", err)
	}
	if _, err := plan.Take(context.Background(), nil); !errors.Is(err, onerow.ErrNoBatches) {
		t.Errorf("got %v", err)
	}
	if _, err := new(dedupe.Plan).Take(context.Background(), nil); !errors.Is(err, onerow.ErrNoBatches) {
		t.Errorf("of a plan that Latest didn't make: %v", err)
	}
}

// TestLivesMeet: many keys come from one, whose rows don't have the value. The way back is walked once, or this test takes hours.
func TestLivesMeet(t *testing.T) {
	const n = 100_000
	mem := arrowtest.Allocator(t)
	var rows [][]any
	for i := range n {
		rows = append(rows, []any{0, nil, i, "?"})
	}
	for i := range n {
		rows = append(rows, []any{i + 1, 0, n, "?"})
	}
	batches := arrowtest.Table(t, mem, []string{"id:int64", "was:int64", "seq:int64", "doc:string"}, rows)
	plan, err := dedupe.Latest(context.Background(), batches, []string{"id"}, bySeq, dedupe.Options{
		Op:   dedupe.Op{PreviousKey: []string{"was"}},
		Fill: []dedupe.Fill{{Column: "doc", Unavailable: "?"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if r := plan.Report; r.Kept != n || r.Unfilled != n || r.EndedKeys != 1 {
		t.Errorf("%+v", r)
	}
}

// TestCancelOneKey: the events of one key are sorted, and the context is looked at all the while.
func TestCancelOneKey(t *testing.T) {
	mem := arrowtest.Allocator(t)
	var rows [][]any
	for i := range 200_000 {
		rows = append(rows, []any{0, i * 7919 % 200_000, "?"})
	}
	batches := arrowtest.Table(t, mem, []string{"id:int64", "seq:int64", "doc:string"}, rows)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	opts := dedupe.Options{Fill: []dedupe.Fill{{Column: "doc", Unavailable: "?"}}}
	// Canceled as the last rows are read: nothing but the sorting is left.
	opts.Resources.Progress = func(done, total int64, stage onerow.Stage) {
		if stage == onerow.StageEncode && done == total {
			cancel()
		}
	}
	begin := time.Now()
	if _, err := dedupe.Latest(ctx, batches, []string{"id"}, bySeq, opts); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v after %v", err, time.Since(begin))
	}
}

// TestProgressPanics: a panic of the caller's code comes out in the caller's goroutine, and is not taken for an error in the data.
func TestProgressPanics(t *testing.T) {
	mem := arrowtest.Allocator(t)
	batches := arrowtest.Table(t, mem, []string{"id:int64", "seq:int64"}, [][]any{{1, 1}, {1, 2}})
	var none []int
	for name, call := range map[string]func(int64, int64, onerow.Stage){
		"its own":   func(int64, int64, onerow.Stage) { panic("stop") },
		"a runtime": func(int64, int64, onerow.Stage) { none[0] = 1 },
	} {
		func() {
			defer func() {
				if v := recover(); v == nil {
					t.Errorf("%s panic is gone", name)
				}
			}()
			_, err := dedupe.Latest(context.Background(), batches, []string{"id"}, bySeq, dedupe.Options{Resources: onerow.Resources{Progress: call}})
			t.Errorf("%s panic became the error %v", name, err)
		}()
	}
}

// TestTieWithTargetSaysSo: the error tells a tie with the target from one among the rows.
func TestTieWithTargetSaysSo(t *testing.T) {
	mem := arrowtest.Allocator(t)
	columns := []string{"id:int64", "seq:int64", "v:string"}
	table := func(rows ...[]any) []arrow.Record { return arrowtest.Table(t, mem, columns, rows) }
	for _, test := range []struct {
		batches, target []arrow.Record
		want            string
	}{
		{table([]any{1, 1, "a"}, []any{1, 1, "b"}), nil, "rows are equal in order and differ in content"},
		{table([]any{1, 1, "a"}), table([]any{1, 1, "b"}), "rows are equal in order to the target's row and differ from it in content"},
		{table([]any{1, 1, "a"}, []any{2, 1, "a"}, []any{2, 1, "b"}), table([]any{1, 1, "b"}),
			"rows are equal in order, to each other or to the target's row, and differ in content"},
	} {
		_, err := dedupe.Latest(context.Background(), test.batches, []string{"id"}, bySeq, dedupe.Options{Against: test.target})
		var ties *onerow.KeysError
		if !errors.As(err, &ties) || ties.Why != test.want+"; add an order column, or choose a rule for ties" {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
}

func ExamplePlan_withoutDeletes() {
	// The deletes of a plan go another way than its upserts: take each by itself.
	plan := &dedupe.Plan{Rows: onerow.Rows{0, 2, 5}, Deletes: onerow.Rows{2}}
	plan.Rows = plan.Rows.Without(plan.Deletes)
	fmt.Println(plan.Rows, plan.Deletes)
	// Output: [0 5] [2]
}

// TestTakeEnded: the ended keys come under the key's names, with their place in the order.
func TestTakeEnded(t *testing.T) {
	mem := arrowtest.Allocator(t)
	batches := arrowtest.Table(t, mem, []string{"tenant:string!", "id:int64!", "was:int64", "of:string", "seq:int64"}, [][]any{
		{"a", 1, nil, nil, 1}, {"a", 2, 1, "a", 2}, {"b", 3, 9, "b", 3}, {"b", 9, nil, nil, 4},
	})
	key := []string{"tenant", "id"}
	plan, err := dedupe.Latest(context.Background(), batches, key, bySeq, dedupe.Options{Op: dedupe.Op{PreviousKey: []string{"of", "was"}}})
	if err != nil {
		t.Fatal(err)
	}
	rec, err := plan.TakeEnded(context.Background(), mem)
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Release()
	// (b, 9) came back after it ended.
	want := arrowtest.Table(t, mem, []string{"tenant:string", "id:int64", "seq:int64"}, [][]any{{"a", 1, 2}})
	if diff := arrowtest.DiffRows(arrowtest.All(want), arrowtest.Cells(rec)); diff != "" || rec.ColumnName(1) != "id" {
		t.Errorf("%v\n%s", rec.Schema(), diff)
	}

	plan, err = dedupe.Latest(context.Background(), batches, key, bySeq, dedupe.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := plan.TakeEnded(context.Background(), mem); !errors.Is(err, onerow.ErrOption) {
		t.Errorf("without previous keys: %v", err)
	}
}

func ExamplePlan_TakeEnded() {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64},
		{Name: "old_id", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "lsn", Type: arrow.PrimitiveTypes.Int64},
	}, nil)
	changes, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(`[
		{"id": 1, "old_id": null, "lsn": 10},
		{"id": 7, "old_id": 1, "lsn": 11}]`))
	if err != nil {
		log.Fatal(err)
	}
	defer changes.Release()
	plan, err := dedupe.Latest(context.Background(), []arrow.Record{changes}, []string{"id"}, []onerow.Order{onerow.Desc("lsn")},
		dedupe.Options{Op: dedupe.Op{PreviousKey: []string{"old_id"}}})
	if err != nil {
		log.Fatal(err)
	}
	ended, err := plan.TakeEnded(context.Background(), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer ended.Release()
	fmt.Println("keep", plan.Rows)
	fmt.Println("delete id", ended.Column(0), "as of lsn", ended.Column(1))
	// Output:
	// keep [1]
	// delete id [1] as of lsn [11]
}

// TestCancelAmongCopies: one key has all rows, all equal: the call ends wherever the context does, or with the whole answer.
func TestCancelAmongCopies(t *testing.T) {
	mem := arrowtest.Allocator(t)
	const n = 30_000
	rows := make([][]any, n)
	for i := range rows {
		rows[i] = []any{1, 7, "v"}
	}
	batches := arrowtest.Table(t, mem, []string{"id:int64", "seq:int64", "v:string"}, rows)
	for name, opts := range map[string]dedupe.Options{"winners": {}, "lives": {Fill: []dedupe.Fill{{Column: "v", Unavailable: "?"}}}} {
		seen := map[bool]int{}
		for polls := range int64(200) {
			plan, err := dedupe.Latest(arrowtest.EndAt(t.Context(), polls), batches, []string{"id"}, bySeq, opts)
			seen[err == nil]++
			switch {
			case err == nil && (plan.Report.Kept != 1 || plan.Report.Duplicates != n-1):
				t.Fatalf("%s, %d polls: %+v", name, polls, plan.Report)
			case err != nil && !errors.Is(err, context.Canceled):
				t.Fatalf("%s, %d polls: %v", name, polls, err)
			}
		}
		if seen[true] == 0 || seen[false] < 20 {
			t.Errorf("%s: %d calls went through, %d were canceled", name, seen[true], seen[false])
		}
	}
}
