package scd2_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/scd2"
)

// world is a history of many keys, and what comes to it: changes of them with late ones, repeats and deletes, and the state of an earlier call. Columns
// of the changes are of other types than those of the history.
type world struct {
	mem                     memory.Allocator
	table                   scd2.Table
	history, changes, state []arrow.Record
}

// newWorld makes a history of n keys with two versions, and n changes of some of them; with hot, all of one key.
func newWorld(t *testing.T, mem memory.Allocator, n int, hot bool) *world {
	t.Helper()
	rnd := rand.New(rand.NewPCG(uint64(n), 1))
	key := func(k int) string { return fmt.Sprintf("customer %d", k) }
	i32, i64, txt := arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String
	h := array.NewRecordBuilder(mem, arrow.NewSchema([]arrow.Field{{Name: "id", Type: txt}, {Name: "v", Type: txt, Nullable: true}, {Name: "n", Type: i64, Nullable: true},
		{Name: "live", Type: arrow.FixedWidthTypes.Boolean}, {Name: "valid_from", Type: i64}, {Name: "valid_to", Type: i64, Nullable: true}}, nil))
	defer h.Release()
	for k := range n {
		for version := range 2 {
			h.Field(0).(*array.StringBuilder).Append(key(k))
			h.Field(1).(*array.StringBuilder).Append(fmt.Sprint("value ", rnd.IntN(3)))
			h.Field(2).(*array.Int64Builder).Append(int64(version))
			h.Field(3).(*array.BooleanBuilder).Append(version == 1)
			h.Field(4).(*array.Int64Builder).Append(int64(10 + 20*version))
			if version == 0 {
				h.Field(5).(*array.Int64Builder).Append(30)
			} else {
				h.Field(5).(*array.Int64Builder).AppendNull()
			}
		}
	}
	dict := &arrow.DictionaryType{IndexType: i32, ValueType: txt}
	c := array.NewRecordBuilder(mem, arrow.NewSchema([]arrow.Field{{Name: "id", Type: dict, Nullable: true}, {Name: "n", Type: i32, Nullable: true}, {Name: "v", Type: arrow.BinaryTypes.LargeString, Nullable: true},
		{Name: "at", Type: i32}, {Name: "op", Type: txt, Nullable: true}, {Name: "old", Type: txt, Nullable: true}}, nil))
	defer c.Release()
	for i, at := range rnd.Perm(n) {
		k := rnd.IntN(2 * n)
		if hot {
			k = 7
		} else {
			at %= 60 // many at the starts of the history, before them, or at one place
		}
		if err := c.Field(0).(*array.BinaryDictionaryBuilder).AppendString(key(k)); err != nil {
			t.Fatal(err)
		}
		c.Field(1).(*array.Int32Builder).Append(int32(rnd.IntN(3)))
		c.Field(2).(*array.LargeStringBuilder).Append(fmt.Sprint("value ", rnd.IntN(3)))
		c.Field(3).(*array.Int32Builder).Append(int32(1 + at))
		c.Field(4).(*array.StringBuilder).Append([]string{"u", "u", "u", "d"}[rnd.IntN(4)])
		if i%50 == 0 {
			c.Field(5).(*array.StringBuilder).Append(key(rnd.IntN(n)))
		} else {
			c.Field(5).(*array.StringBuilder).AppendNull()
		}
	}
	w := &world{mem: mem, table: scd2.Table{Key: []string{"id"}, Current: "live"}, history: []arrow.Record{h.NewRecord()}, changes: []arrow.Record{c.NewRecord()}}
	w.table.Batches = w.history
	for _, rec := range append(w.history, w.changes...) {
		t.Cleanup(rec.Release)
	}
	return w
}

// options are those of the changes of a world, except for previous keys, which not all options go with.
func (w *world) options(change ...func(*scd2.Options)) scd2.Options {
	opts := events(change...)
	opts.Ties, opts.State = scd2.TiesByContent, w.state
	return opts
}

// remembers makes the state that the first half of the changes leaves.
func (w *world) remembers(t *testing.T) {
	t.Helper()
	half := w.changes[0].NewSlice(0, w.changes[0].NumRows()/2)
	defer half.Release()
	m, err := scd2.Plan(t.Context(), w.table, []arrow.Record{half}, w.options(w.ignoring))
	if err != nil {
		t.Fatal(err)
	}
	next, err := m.Apply(t.Context(), w.mem, w.history)
	if err != nil {
		t.Fatal(err)
	}
	state, err := m.State(t.Context(), w.mem)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { arrowtest.Release(next); state.Release() })
	w.table.Batches, w.history, w.state = next, next, []arrow.Record{state}
}

// ignoring lets the history lack the column of previous keys.
func (w *world) ignoring(o *scd2.Options) {
	o.Op.PreviousKey = []string{"old"}
}

// worldCalls are the calls that tests of cancellation and progress make. Each makes all that it makes anew, and releases it.
func worldCalls(t *testing.T, w *world) map[string]func(ctx context.Context, r onerow.Resources) error {
	t.Helper()
	plan := func(opts scd2.Options, changes []arrow.Record) func(ctx context.Context, r onerow.Resources) error {
		return func(ctx context.Context, r onerow.Resources) error {
			opts.Resources = r
			m, err := scd2.Plan(ctx, w.table, changes, opts)
			if (m == nil) != (err != nil) {
				return fmt.Errorf("a plan: %v, beside the error %w", m != nil, err)
			}
			return err
		}
	}
	aside := func(o *scd2.Options) { o.NullKey = onerow.SetAsideNullKeys }
	snapshot := scd2.Options{Mode: scd2.Snapshot, Now: 1 << 30, Absent: scd2.AbsentCloses, MaxClose: 1, Ties: scd2.TiesByContent, State: w.state}
	columns := slices.Collect(func(yield func(arrow.Array) bool) {
		for i := range 3 {
			if !yield(w.changes[0].Column(i)) {
				return
			}
		}
	})
	rows := array.NewRecord(arrow.NewSchema(w.changes[0].Schema().Fields()[:3], nil), columns, w.changes[0].NumRows())
	t.Cleanup(rows.Release)
	return map[string]func(ctx context.Context, r onerow.Resources) error{
		"events":   plan(w.options(w.ignoring), w.changes),
		"aside":    plan(w.options(w.ignoring, aside), w.changes),
		"truncate": plan(w.options(w.ignoring, func(o *scd2.Options) { o.Op.Delete, o.Op.Truncate = nil, []onerow.Value{"d"} }), w.changes),
		"snapshot": plan(snapshot, []arrow.Record{rows}),
	}
}

// cancelEverywhere ends the context at each point at which a call looks at it, of many not at each: it returns the context's error, and no goroutine
// goes on. It returns the number of points.
func cancelEverywhere(t *testing.T, name string, call func(ctx context.Context) error) int64 {
	t.Helper()
	before := runtime.NumGoroutine()
	for points := int64(0); ; points += 1 + points/8 {
		err := call(arrowtest.EndAt(t.Context(), points))
		arrowtest.GoroutinesEnd(t, before)
		if err == nil {
			return points
		}
		if err != context.Canceled {
			t.Fatalf("%s, at point %d: %v", name, points, err)
		}
	}
}

// TestPlanCancel ends the context at each point at which Plan looks at it.
func TestPlanCancel(t *testing.T) {
	mem := arrowtest.Allocator(t)
	w := newWorld(t, mem, 3000, false)
	w.remembers(t)
	for name, call := range worldCalls(t, w) {
		for _, workers := range []int{1, 3} {
			n := cancelEverywhere(t, name, func(ctx context.Context) error { return call(ctx, onerow.Resources{Workers: workers, Allocator: mem}) })
			if n < 10 {
				t.Errorf("%s: Plan looks at the context %d times", name, n)
			}
		}
	}
}

// looks counts how often a call looks at its context.
func looks(t *testing.T, call func(ctx context.Context) error) int64 {
	t.Helper()
	p := arrowtest.EndAt(t.Context(), 1<<40)
	if err := call(p); err != nil {
		t.Fatal(err)
	}
	return 1<<40 - p.Left()
}

// TestPlanCancelInKey: a key that has all events is long work, in which Plan looks at the context: in each of the passes over them.
func TestPlanCancelInKey(t *testing.T) {
	const rows, passes = 60_000, 6
	mem := arrowtest.Allocator(t)
	w := newWorld(t, mem, rows, true)
	w.table.Batches = []arrow.Record{w.history[0].NewSlice(0, 100)}
	defer w.table.Batches[0].Release()
	opts := w.options()
	opts.Resources, opts.Columns.New = onerow.Resources{Workers: 1, Allocator: mem}, scd2.AddNew
	call := func(ctx context.Context) error { _, err := scd2.Plan(ctx, w.table, w.changes, opts); return err }
	if n := looks(t, call); n < passes*rows/4096 {
		t.Errorf("Plan looks at the context %d times", n)
	}
	cancelEverywhere(t, "one key", call)
}

// TestMergeCancel ends the context at each point at which the calls that follow Plan look at it: they return its error, and leak nothing.
func TestMergeCancel(t *testing.T) {
	mem := arrowtest.Allocator(t)
	w := newWorld(t, mem, 3000, false)
	w.remembers(t)
	again := arrowtest.Shuffled(mem, w.history, 0).Batches
	defer arrowtest.Release(again)
	copies := func() []arrow.Record { // the same rows in other records
		var out []arrow.Record
		for _, b := range w.history {
			out = append(out, b.NewSlice(0, b.NumRows()))
		}
		return out
	}()
	defer arrowtest.Release(copies)
	for _, workers := range []int{1, 3} {
		opts := w.options(w.ignoring)
		opts.Resources = onerow.Resources{Workers: workers}
		m, err := scd2.Plan(t.Context(), w.table, w.changes, opts)
		if err != nil {
			t.Fatal(err)
		}
		release := func(recs []arrow.Record, err error) error {
			if err != nil && recs != nil {
				t.Errorf("records beside the error %v", err)
			}
			arrowtest.Release(recs)
			return err
		}
		one := func(rec arrow.Record, err error) error {
			if rec == nil {
				return release(nil, err)
			}
			return release([]arrow.Record{rec}, err)
		}
		for name, c := range map[string]struct {
			call   func(ctx context.Context) error
			points int64
		}{
			"Apply":          {func(ctx context.Context) error { return release(m.Apply(ctx, mem, w.history)) }, 10},
			"Apply to other": {func(ctx context.Context) error { return release(m.Apply(ctx, mem, copies)) }, 15},
			"Staged":         {func(ctx context.Context) error { return one(m.Staged(ctx, mem)) }, 8},
			"State":          {func(ctx context.Context) error { return one(m.State(ctx, mem)) }, 6},
			"Fingerprint":    {func(ctx context.Context) error { _, err := m.Fingerprint(ctx); return err }, 2},
			"Audit":          {func(ctx context.Context) error { _, err := m.Audit(ctx); return err }, 2},
			"Compact":        {func(ctx context.Context) error { return one(scd2.Compact(ctx, mem, w.state, 1000)) }, 3},
		} {
			if n := cancelEverywhere(t, name, c.call); n < c.points {
				t.Errorf("%s looks at the context %d times", name, n)
			}
		}
	}
	m, err := scd2.Plan(t.Context(), w.table, w.changes, w.options(w.ignoring))
	if err != nil {
		t.Fatal(err)
	}
	if out, err := m.Apply(t.Context(), mem, again); out != nil || !errors.Is(err, onerow.ErrStaleBase) {
		t.Errorf("other rows: %v", err)
	}
}

// TestMergeCancelInColumn: the making of one column is long work, in which the calls look at the context.
func TestMergeCancelInColumn(t *testing.T) {
	mem := arrowtest.Allocator(t)
	const rows = 400_000
	b := array.NewRecordBuilder(mem, arrow.NewSchema([]arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int32}, {Name: "at", Type: arrow.PrimitiveTypes.Int32}}, nil))
	defer b.Release()
	b.Reserve(rows)
	for i := range rows {
		b.Field(0).(*array.Int32Builder).UnsafeAppend(int32(i))
		b.Field(1).(*array.Int32Builder).UnsafeAppend(10)
	}
	changes := b.NewRecord()
	defer changes.Release()
	history := arrowtest.Table(t, mem, []string{"id:int32", "valid_from:int32", "valid_to:int32"}, [][]any{{1, 1, nil}})
	opts := scd2.Options{Mode: scd2.Changes, At: []onerow.Order{onerow.Desc("at")}, Resources: onerow.Resources{Workers: 1}}
	m, err := scd2.Plan(t.Context(), scd2.Table{Key: []string{"id"}, Batches: history}, []arrow.Record{changes}, opts)
	if err != nil {
		t.Fatal(err)
	}
	n := looks(t, func(ctx context.Context) error {
		recs, err := m.Apply(ctx, mem, history)
		arrowtest.Release(recs)
		return err
	})
	if n < 20 {
		t.Errorf("Apply looks at the context %d times", n)
	}
}

// TestPlanCancelInProgress ends the context from the call that says how far the work is.
func TestPlanCancelInProgress(t *testing.T) {
	mem := arrowtest.Allocator(t)
	w := newWorld(t, mem, 40_000, false)
	for name, call := range worldCalls(t, w) {
		for _, stage := range []onerow.Stage{onerow.StageEncode, onerow.StageGroup} {
			for _, workers := range []int{1, 2} {
				before := runtime.NumGoroutine()
				ctx, cancel := context.WithCancel(t.Context())
				var after atomic.Int64
				err := call(ctx, onerow.Resources{Workers: workers, Progress: func(_, _ int64, s onerow.Stage) {
					if ctx.Err() != nil {
						after.Add(1)
					}
					if s == stage {
						cancel()
					}
				}})
				cancel()
				arrowtest.GoroutinesEnd(t, before)
				if err != context.Canceled {
					t.Errorf("%s, %d workers, in %s: %v", name, workers, stage, err)
				}
				if n := after.Load(); n > int64(workers) {
					t.Errorf("%s, %d workers, in %s: %d tasks done after the end", name, workers, stage, n)
				}
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := call(ctx, onerow.Resources{Progress: func(int64, int64, onerow.Stage) { t.Errorf("%s: progress", name) }}); err != context.Canceled {
			t.Errorf("%s, canceled before: %v", name, err)
		}
	}
}
