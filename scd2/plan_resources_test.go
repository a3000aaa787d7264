package scd2_test

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/google/go-cmp/cmp"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/scd2"
)

// shredder is an allocator that overwrites what it gets back, as one that uses memory again would.
type shredder struct{ memory.Allocator }

func (s shredder) Free(b []byte) {
	for i := range b {
		b[i] = 0xa5
	}
	s.Allocator.Free(b)
}

func (s shredder) Reallocate(size int, b []byte) []byte {
	fresh := s.Allocate(size)
	copy(fresh, b)
	s.Free(b)
	return fresh
}

// conversion is a call with one value column, whose type is another in history, changes and state.
type conversion struct {
	history, changes, state string
	cells                   [3]any // of each of them
}

var conversions = []conversion{
	{"string", "dict<int8,string>", "large_string", [3]any{"a", "b", "c"}},
	{"dict<int8,string>", "string", "dict<int32,string>", [3]any{"a", "b", "c"}},
	{"dict<int8,string>", "dict<int8,string>", "dict<int8,string>", [3]any{"a", "b", "c"}},
	{"dict<int8,string>", "dict<uint16,string>", "dict<int64,large_string>", [3]any{"a", "b", "c"}},
	{"ree<string>", "dict<int8,string>", "string_view", [3]any{"a long text, in a buffer of its own", "b", "c"}},
	{"string_view", "string", "ree<string>", [3]any{"a long text, in a buffer of its own", "b long text, in a buffer of its own", "c"}},
	{"decimal(10,2)", "decimal256(40,4)", "decimal(8,1)", [3]any{"1.50", "2.5", "3.5"}},
	{"timestamp[us]", "timestamp[s]", "timestamp[ns]", [3]any{"2026-01-01T00:00:00", "2026-01-01T00:00:01", "2026-01-01T00:00:02"}},
	{"struct<a:string,b:int64>", "struct<a:dict<int8,string>,b:int8>", "struct<a:large_string,b:int16>",
		[3]any{map[string]any{"a": "x", "b": 1}, map[string]any{"a": "y", "b": 2}, map[string]any{"a": nil, "b": 3}}},
	{"list<dict<int8,string>>", "large_list<string>", "fsl<string,2>", [3]any{[]any{"a", "b"}, []any{"b", nil}, []any{"c", "c"}}},
	{"list<int64>", "list<int64>", "list<int64>", [3]any{[]any{1, 2}, []any{}, []any{3}}},
	{"fsb(2)", "binary", "binary_view", [3]any{arrowtest.Bytes("ab"), arrowtest.Bytes("cd"), arrowtest.Bytes("ef")}},
	{"float64", "float32", "float16", [3]any{1.5, 2.5, 3.5}},
	{"bool", "dict<int8,bool>", "ree<bool>", [3]any{true, false, true}},
}

// call makes the inputs of the call. The allocator says whether all of them are released.
func (c conversion) call(t *testing.T, mem memory.Allocator) (table scd2.Table, changes []arrow.Record, opts scd2.Options, release func()) {
	t.Helper()
	var all []arrow.Record
	build := func(columns []string, rows ...[]any) []arrow.Record {
		recs, err := arrowtest.Spec{Columns: columns, Rows: rows}.Build(mem)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, recs...)
		return recs
	}
	a, b, d := c.cells[0], c.cells[1], c.cells[2]
	table = scd2.Table{Key: []string{"id"}, Current: "live", Deleted: "gone", ValidFrom: "since", ValidTo: "until"}
	table.Batches = build([]string{"id:dict<int8,string>", "v:" + c.history, "live:bool", "gone:dict<int8,bool>", "since:int64", "until:int32"},
		[]any{"one", a, true, false, 10, nil}, []any{"two", b, false, false, 10, 20}, []any{"two", d, true, false, 20, nil}, []any{"three", nil, true, false, 10, nil})
	changes = build([]string{"id:string", "v:" + c.changes, "at:dict<int8,int16>", "seq:dict<int8,string>", "op:ree<string>", "old:large_string"},
		[]any{"one", b, 30, "x", "u", nil}, []any{"two", d, 25, "x", "u", nil}, []any{"two", a, 15, "x", "u", nil}, []any{"four", d, 40, "y", "u", "three"}, []any{"five", nil, 40, "y", "d", nil})
	opts = events(func(o *scd2.Options) {
		bySeq(o)
		o.Op.PreviousKey, o.Deletes = []string{"old"}, scd2.DeletesAsRows
	})
	opts.State = build([]string{scd2.StateKind + ":dict<int8,string>", scd2.StateAt + ":uint8", scd2.StateOrdered + ":bool", scd2.StateOrder + "seq:string_view", "id:string_view", "v:" + c.state},
		[]any{"upsert", 18, true, "w", "two", b}, []any{"delete", 35, true, "w", "one", nil}, []any{"upsert", 12, true, "w", "one", a})
	opts.Resources.Workers = 2
	return table, changes, opts, func() { arrowtest.Release(all) }
}

// TestPlanBorrows: a plan holds on to nothing of its inputs, and makes nothing by the caller's allocator; records that come of it hold on to what they need, so
// that the inputs can go before them.
func TestPlanBorrows(t *testing.T) {
	for _, c := range conversions {
		t.Run(fmt.Sprintf("%s, %s, %s", c.history, c.changes, c.state), func(t *testing.T) {
			checked := arrowtest.Allocator(t)
			mem := shredder{checked}
			table, changes, opts, release := c.call(t, mem)
			opts.Resources.Allocator = mem
			before := checked.CurrentAlloc()
			m, err := scd2.Plan(t.Context(), table, changes, opts)
			if err != nil {
				t.Fatal(err)
			}
			if after := checked.CurrentAlloc(); after != before {
				t.Errorf("Plan holds %d bytes of the caller's allocator", after-before)
			}
			out := map[string][]arrow.Record{}
			if out["history"], err = m.Apply(t.Context(), nil, table.Batches); err != nil {
				t.Fatal(err)
			}
			staged, err := m.Staged(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			state, err := m.State(t.Context(), mem)
			if err != nil {
				t.Fatal(err)
			}
			out["staged"], out["state"] = []arrow.Record{staged}, []arrow.Record{state}
			want := map[string]string{}
			for name, recs := range out {
				want[name] = arrowtest.FormatRows(arrowtest.All(recs))
			}
			release()
			for name, recs := range out {
				if d := cmp.Diff(want[name], arrowtest.FormatRows(arrowtest.All(recs))); d != "" {
					t.Errorf("%s, after the inputs are gone (-before +after):\n%s", name, d)
				}
			}
			// The state and the history are as good as before.
			opts.State, table.Batches = out["state"], out["history"]
			again, changesAgain, _, releaseAgain := c.call(t, mem)
			defer releaseAgain()
			_ = again
			if m, err = scd2.Plan(t.Context(), table, changesAgain, opts); err != nil || !m.Empty() {
				t.Errorf("the same changes again: %v, %+v", err, m)
			}
			for _, recs := range out {
				arrowtest.Release(recs)
			}
		})
	}
}

// exhausted is an allocator that runs out of memory.
type exhausted struct {
	memory.Allocator
	left atomic.Int64
}

func (e *exhausted) Allocate(size int) []byte {
	if e.left.Add(-1) < 0 {
		panic("out of memory")
	}
	return e.Allocator.Allocate(size)
}

func (e *exhausted) Reallocate(size int, b []byte) []byte {
	if size > len(b) && e.left.Add(-1) < 0 {
		panic("out of memory")
	}
	return e.Allocator.Reallocate(size, b)
}

// TestMergeOutOfMemory lets the allocator panic at every buffer that a call makes: an error or that panic, in the caller's goroutine; no goroutine goes on,
// and nothing is leaked.
func TestMergeOutOfMemory(t *testing.T) {
	for _, c := range conversions {
		mem := arrowtest.Allocator(t)
		table, changes, opts, release := c.call(t, mem)
		m, err := scd2.Plan(t.Context(), table, changes, opts)
		if err != nil {
			t.Fatal(err)
		}
		before, inputs := runtime.NumGoroutine(), mem.CurrentAlloc()
		for name, call := range map[string]func(alloc memory.Allocator) ([]arrow.Record, error){
			"Apply": func(alloc memory.Allocator) ([]arrow.Record, error) {
				return m.Apply(t.Context(), alloc, table.Batches)
			},
			"Staged": func(alloc memory.Allocator) ([]arrow.Record, error) { return one(m.Staged(t.Context(), alloc)) },
			"State":  func(alloc memory.Allocator) ([]arrow.Record, error) { return one(m.State(t.Context(), alloc)) },
			"Compact": func(alloc memory.Allocator) ([]arrow.Record, error) {
				return one(scd2.Compact(t.Context(), alloc, opts.State, 15))
			},
		} {
			for n := int64(0); ; n++ {
				alloc := &exhausted{Allocator: mem}
				alloc.left.Store(n)
				var recs []arrow.Record
				var err error
				panicked := panics(func() { recs, err = call(alloc) })
				arrowtest.GoroutinesEnd(t, before)
				if panicked != nil && panicked != "out of memory" {
					t.Fatalf("%s, at buffer %d: panic %v", name, n, panicked)
				}
				failed := err != nil || panicked != nil
				arrowtest.Release(recs)
				if leak := mem.CurrentAlloc() - inputs; leak != 0 {
					t.Fatalf("%s, at buffer %d: %d bytes are leaked (error %v, panic %v)", name, n, leak, err, panicked)
				}
				if !failed {
					if n < 3 {
						t.Errorf("%s makes %d buffers", name, n)
					}
					break
				}
			}
		}
		release()
	}
}

func one(rec arrow.Record, err error) ([]arrow.Record, error) {
	if rec == nil {
		return nil, err
	}
	return []arrow.Record{rec}, err
}

// TestPlanProgress: each stage counts up to its rows, in calls that don't overlap.
func TestPlanProgress(t *testing.T) {
	mem := arrowtest.Allocator(t)
	w := newWorld(t, mem, 40_000, false)
	w.remembers(t)
	for name, call := range worldCalls(t, w) {
		for _, workers := range []int{1, 4} {
			var stage onerow.Stage
			var done, total int64
			var stages []onerow.Stage
			end := func() {
				if done != total {
					t.Errorf("%s: %s ends at %d of %d", name, stage, done, total)
				}
			}
			var busy atomic.Bool
			err := call(t.Context(), onerow.Resources{Workers: workers, Progress: func(d, n int64, s onerow.Stage) {
				if !busy.CompareAndSwap(false, true) {
					t.Error("two calls at a time")
				}
				defer busy.Store(false)
				if s != stage {
					end()
					stages = append(stages, s)
					stage, done, total = s, 0, n
				}
				if n != total || d <= done || d > n {
					t.Errorf("%s: %s: %d of %d, after %d of %d", name, s, d, n, done, total)
				}
				done = d
			}})
			end()
			if err != nil || !slices.Equal(stages, []onerow.Stage{onerow.StageEncode, onerow.StageGroup}) {
				t.Errorf("%s: stages %v, error %v", name, stages, err)
			}
		}
	}
	table, changes := scd2.Table{Key: []string{"id"}, Batches: records(t, plainColumns, []string{"1 a 10 -"})}, records(t, plainSource, []string{"1 b 20 u"})
	for name, v := range map[string]any{"its own": "stop", "a runtime": nil} {
		opts := events()
		opts.Resources.Progress = func(int64, int64, onerow.Stage) {
			if v == nil {
				none := make([]int, 0, 1)
				_ = none[len(none)]
			}
			panic(v)
		}
		if p := panics(func() { _, _ = scd2.Plan(t.Context(), table, changes, opts) }); p == nil {
			t.Errorf("%s panic of Progress is gone", name)
		}
	}
}

// TestMergeConcurrent makes everything of one plan from several goroutines at a time.
func TestMergeConcurrent(t *testing.T) {
	mem := arrowtest.Allocator(t)
	w := newWorld(t, mem, 2000, false)
	w.remembers(t)
	opts := w.options(w.ignoring)
	opts.Resources.Workers = 2
	m, err := scd2.Plan(t.Context(), w.table, w.changes, opts)
	if err != nil {
		t.Fatal(err)
	}
	if r := m.Report; min(r.Insert, r.Close, r.Rewrite, r.Remove, r.Unchanged, r.Late, r.Remembered, r.Forgotten) == 0 {
		t.Errorf("the plan has nothing of something: %+v", r)
	}
	calls := []func() ([]arrow.Record, error){
		func() ([]arrow.Record, error) { return m.Apply(t.Context(), mem, w.history) },
		func() ([]arrow.Record, error) { return one(m.Staged(t.Context(), mem)) },
		func() ([]arrow.Record, error) { return one(m.State(t.Context(), mem)) },
		func() ([]arrow.Record, error) { return one(scd2.Compact(t.Context(), mem, w.state, 1000)) },
		func() ([]arrow.Record, error) { _, err := m.Fingerprint(t.Context()); return nil, err },
		func() ([]arrow.Record, error) {
			a, err := m.Audit(t.Context())
			if err == nil && a.Empty != m.Empty() {
				err = fmt.Errorf("the audit says empty %v", a.Empty)
			}
			return nil, err
		},
		func() ([]arrow.Record, error) {
			if target := m.Target("x"); !slices.Equal(target.Key, []string{"id"}) || m.Report.String() == "" {
				return nil, fmt.Errorf("target %+v", target)
			}
			return nil, nil
		},
		func() ([]arrow.Record, error) {
			other, err := scd2.Plan(t.Context(), w.table, w.changes, opts)
			if err == nil && other.Report != m.Report {
				err = fmt.Errorf("another report: %+v", other.Report)
			}
			return nil, err
		},
	}
	var want [][]byte
	for _, call := range calls {
		recs, err := call()
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, bytesOf(recs))
		arrowtest.Release(recs)
	}
	var wg sync.WaitGroup
	for range 3 {
		for i, call := range calls {
			wg.Go(func() {
				recs, err := call()
				if err != nil || !bytes.Equal(want[i], bytesOf(recs)) {
					t.Errorf("call %d: other records, error %v", i, err)
				}
				arrowtest.Release(recs)
			})
		}
	}
	wg.Wait()
}

// bytesOf are the bytes of records: schemas, lengths, and all buffers as far as they have values.
func bytesOf(recs []arrow.Record) []byte {
	var b bytes.Buffer
	for _, rec := range recs {
		fmt.Fprintln(&b, rec.Schema(), rec.NumRows())
		for _, col := range rec.Columns() {
			writeBytes(&b, col.Data())
		}
	}
	return b.Bytes()
}

func writeBytes(b *bytes.Buffer, d arrow.ArrayData) {
	fmt.Fprintln(b, d.DataType(), d.Len(), d.Offset(), len(d.Buffers()))
	for _, buf := range d.Buffers() {
		if buf != nil {
			b.Write(buf.Bytes())
		}
		b.WriteByte('\n')
	}
	for _, c := range d.Children() {
		writeBytes(b, c)
	}
	if dict, ok := d.Dictionary().(*array.Data); ok && dict != nil {
		writeBytes(b, dict)
	}
}

// TestPlanDeterministic: whatever the number of workers and the cut of the changes and the state into batches, everything is the same to the byte. A history cut otherwise gives batches cut
// otherwise, of the same rows.
func TestPlanDeterministic(t *testing.T) {
	mem := arrowtest.Allocator(t)
	w := newWorld(t, mem, 3000, false)
	w.remembers(t)
	rnd := 0
	cut := func(recs []arrow.Record) (out []arrow.Record) {
		for _, rec := range recs {
			for at := int64(0); at < rec.NumRows(); {
				rnd = (rnd*31 + 17) % 1009
				n := min(rec.NumRows()-at, int64(rnd))
				out = append(out, rec.NewSlice(at, at+n))
				at += n
			}
		}
		t.Cleanup(func() { arrowtest.Release(out) })
		return out
	}
	type outcome struct {
		lists                  string
		history, staged, state []byte
		rows                   string
	}
	run := func(history, changes, state []arrow.Record, workers int) (o outcome) {
		table, opts := w.table, w.options(w.ignoring)
		table.Batches, opts.State, opts.Resources.Workers = history, state, workers
		m, err := scd2.Plan(t.Context(), table, changes, opts)
		if err != nil {
			t.Fatal(err)
		}
		o.lists = fmt.Sprint(m.Inserts, m.Closes, m.Rewrites, m.Removes, m.Unchanged, m.Ignored, m.Rejected, m.Report)
		next, err := m.Apply(t.Context(), mem, history)
		if err != nil {
			t.Fatal(err)
		}
		o.history, o.rows = bytesOf(next), arrowtest.FormatRows(arrowtest.All(next))
		arrowtest.Release(next)
		for call, to := range map[*[]byte]func(context.Context, memory.Allocator) (arrow.Record, error){&o.staged: m.Staged, &o.state: m.State} {
			rec, err := to(t.Context(), mem)
			if err != nil {
				t.Fatal(err)
			}
			*call = bytesOf([]arrow.Record{rec})
			rec.Release()
		}
		return o
	}
	want := run(w.history, w.changes, w.state, 1)
	for workers := 1; workers <= 7; workers++ {
		if got := run(w.history, cut(w.changes), cut(w.state), workers); got.lists != want.lists || !bytes.Equal(got.history, want.history) || !bytes.Equal(got.staged, want.staged) || !bytes.Equal(got.state, want.state) {
			t.Errorf("%d workers make something else: lists %v, history %v, staged %v, state %v", workers, got.lists == want.lists, bytes.Equal(got.history, want.history),
				bytes.Equal(got.staged, want.staged), bytes.Equal(got.state, want.state))
		}
		if got := run(cut(w.history), w.changes, w.state, workers); got.lists != want.lists || got.rows != want.rows || !bytes.Equal(got.staged, want.staged) || !bytes.Equal(got.state, want.state) {
			t.Errorf("%d workers make something else of a history that is cut: lists %v, rows %v, staged %v, state %v", workers, got.lists == want.lists, got.rows == want.rows,
				bytes.Equal(got.staged, want.staged), bytes.Equal(got.state, want.state))
		}
	}
}
