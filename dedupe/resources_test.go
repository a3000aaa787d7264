package dedupe_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	gocmp "github.com/google/go-cmp/cmp"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/dedupe"
	"github.com/onerow-go/onerow/internal/arrowtest"
)

// change is a row of a large table: key n at seq, with the content v. A negative n is a NULL key.
type change struct {
	n, seq, v int
}

// keyForms are the ways in which a large table holds the number of a key.
var keyForms = map[string]struct {
	typ    arrow.DataType
	append func(b array.Builder, n int)
}{
	"int64":      {arrow.PrimitiveTypes.Int64, func(b array.Builder, n int) { b.(*array.Int64Builder).Append(int64(n)) }},
	"short text": {arrow.BinaryTypes.String, func(b array.Builder, n int) { b.(*array.StringBuilder).Append(fmt.Sprint("c", n)) }},
	"long text": {arrow.BinaryTypes.LargeString, func(b array.Builder, n int) {
		b.(*array.LargeStringBuilder).Append(fmt.Sprintf("a text of more than fifteen bytes %d", n))
	}},
	"decimal": {&arrow.Decimal128Type{Precision: 20, Scale: 2}, func(b array.Builder, n int) {
		if err := b.AppendValueFromString(fmt.Sprint(n)); err != nil {
			panic(err)
		}
	}},
}

// largeTable makes one batch of changes: key k, order seq, content v.
func largeTable(t *testing.T, mem memory.Allocator, form string, changes []change) arrow.Record {
	t.Helper()
	f := keyForms[form]
	k, seq, v := array.NewBuilder(mem, f.typ), array.NewInt32Builder(mem), array.NewInt64Builder(mem)
	builders := []array.Builder{k, seq, v}
	for _, c := range changes {
		if c.n < 0 {
			k.AppendNull()
		} else {
			f.append(k, c.n)
		}
		seq.Append(int32(c.seq))
		v.Append(int64(c.v))
	}
	var cols []arrow.Array
	var fields []arrow.Field
	for i, b := range builders {
		cols = append(cols, b.NewArray())
		b.Release()
		fields = append(fields, arrow.Field{Name: []string{"k", "seq", "v"}[i], Type: cols[i].DataType(), Nullable: true})
	}
	rec := array.NewRecord(arrow.NewSchema(fields, nil), cols, int64(len(changes)))
	for _, c := range cols {
		c.Release()
	}
	t.Cleanup(rec.Release)
	return rec
}

// largeRows is more than a worker looks at before it judges whether to keep keys at hand, for each of several; in short mode, for
// two.
func largeRows() int {
	if testing.Short() {
		return 70_000
	}
	return 210_000
}

// spreads say how rows spread over keys.
var spreads = map[string]func(rnd *rand.Rand, i int) int{
	"few keys":  func(_ *rand.Rand, i int) int { return i % 40 },
	"many keys": func(rnd *rand.Rand, _ int) int { return rnd.IntN(largeRows()) },
	"one key has half": func(rnd *rand.Rand, i int) int {
		if i%2 == 0 {
			return 7
		}
		return rnd.IntN(60_000)
	},
	"more keys than at hand": func(rnd *rand.Rand, _ int) int { return rnd.IntN(9000) },
	"few, then many":         func(rnd *rand.Rand, i int) int { return rnd.IntN(40 + max(0, i-largeRows()/2)) },
	"keys come in runs":      func(_ *rand.Rand, i int) int { return i / 300 },
}

// allSpreads lists the spreads; in short mode, two that keep keys at hand for some of the rows.
func allSpreads() []string {
	if testing.Short() {
		return []string{"one key has half", "few, then many"}
	}
	return slices.Sorted(maps.Keys(spreads))
}

// largeChanges makes the changes of a large table; seqs is how many values of seq there are, so that few make ties.
func largeChanges(spread string, seqs int) []change {
	rnd := rand.New(rand.NewPCG(uint64(len(spread)), uint64(seqs)))
	changes := make([]change, largeRows())
	for i := range changes {
		changes[i] = change{spreads[spread](rnd, i), rnd.IntN(seqs), rnd.IntN(3)}
		if rnd.IntN(50) == 0 {
			changes[i].n = -1
		}
	}
	return changes
}

// expect finds the outcome of Latest by content with NULL keys set aside, by a Go map.
func expect(changes []change) (rows, aside onerow.Rows, r dedupe.Report) {
	latest := map[int][]uint32{} // rows of the greatest seq
	for row, c := range changes {
		if c.n < 0 {
			aside = append(aside, uint32(row))
			continue
		}
		switch l := latest[c.n]; {
		case len(l) == 0 || c.seq > changes[l[0]].seq:
			latest[c.n] = append(l[:0:0], uint32(row))
		case c.seq == changes[l[0]].seq:
			latest[c.n] = append(l, uint32(row))
		}
	}
	r.In, r.NullKeyRows = int64(len(changes)), int64(len(aside))
	for _, l := range latest {
		// Greatest content wins; of copies the first.
		best := slices.MinFunc(l, func(a, b uint32) int { return cmp.Or(cmp.Compare(changes[b].v, changes[a].v), cmp.Compare(a, b)) })
		copies := 0
		for _, row := range l {
			if changes[row].v == changes[best].v {
				copies++
			}
		}
		r.Duplicates += int64(copies - 1)
		if copies < len(l) {
			r.TiedKeys++
		}
		rows = append(rows, best)
	}
	slices.Sort(rows)
	r.Kept, r.SetAside = int64(len(rows)), int64(len(aside))
	r.Superseded = r.In - r.Kept - r.Duplicates - r.SetAside
	return rows, aside, r
}

// outcome is what a plan says.
type outcome struct {
	Rows, SetAside, Stale, Ended onerow.Rows
	Report                       dedupe.Report
	Err                          string
}

func outcomeOf(p *dedupe.Plan, err error) outcome {
	if err != nil {
		return outcome{Err: err.Error()}
	}
	return outcome{p.Rows, p.SetAside, p.Stale, p.Ended, p.Report, ""}
}

// same compares outcomes, the large ones fast.
func same(t *testing.T, want, got outcome, format string, args ...any) {
	t.Helper()
	if !reflect.DeepEqual(want, got) {
		t.Fatalf("%s (-want +got): %.3000s", fmt.Sprintf(format, args...), gocmp.Diff(want, got))
	}
}

// TestLatestLarge compares large calls with a Go map, for each number of workers.
func TestLatestLarge(t *testing.T) {
	for _, spread := range allSpreads() {
		changes := largeChanges(spread, 8)
		var want outcome
		want.Rows, want.SetAside, want.Report = expect(changes)
		for form := range keyForms {
			if testing.Short() && form != "int64" {
				continue
			}
			t.Run(spread+"/"+form, func(t *testing.T) {
				mem := arrowtest.Allocator(t)
				batches := []arrow.Record{largeTable(t, mem, form, changes)}
				for _, workers := range []int{1, 2, 8} {
					opts := dedupe.Options{NullKey: onerow.SetAsideNullKeys, Ties: dedupe.TiesByContent}
					opts.Resources.Workers = workers
					got := outcomeOf(dedupe.Latest(t.Context(), batches, []string{"k"}, []onerow.Order{onerow.Desc("seq")}, opts))
					same(t, want, got, "%d workers", workers)
				}
			})
		}
	}
}

// TestWorkers: no number of workers changes an outcome, and neither does a second call.
func TestWorkers(t *testing.T) {
	mem := arrowtest.Allocator(t)
	for _, spread := range allSpreads() {
		changes := largeChanges(spread, 4)
		rec := largeTable(t, mem, "int64", changes)
		target := largeTable(t, mem, "int64", onePerKey(changes[:largeRows()/4]))
		for name, opts := range map[string]dedupe.Options{
			"reject":    {NullKey: onerow.EqualNullKeys},
			"first":     {NullKey: onerow.EqualNullKeys, Ties: dedupe.FirstTied},
			"last":      {NullKey: onerow.SetAsideNullKeys, Ties: dedupe.LastTied},
			"set aside": {NullKey: onerow.SetAsideNullKeys, Ties: dedupe.SetAsideTies},
			"guarded":   {NullKey: onerow.SetAsideNullKeys, Ties: dedupe.SetAsideTies, Against: []arrow.Record{target}},
			"carried": {NullKey: onerow.EqualNullKeys, Ties: dedupe.TiesByContent, Fill: []dedupe.Fill{{Column: "v", Unavailable: 0}},
				Op: dedupe.Op{Column: "seq", Delete: []onerow.Value{3}}},
		} {
			t.Run(spread+"/"+name, func(t *testing.T) {
				order := []onerow.Order{onerow.Asc("seq")}
				var want outcome
				for i, workers := range []int{1, 1, 2, 3, 8} {
					opts.Resources.Workers = workers
					got := outcomeOf(dedupe.Latest(t.Context(), []arrow.Record{rec}, []string{"k"}, order, opts))
					if i == 0 {
						want = got
					}
					same(t, want, got, "%d workers", workers)
				}
			})
		}
	}
}

// onePerKey keeps the first change of each key that isn't NULL.
func onePerKey(changes []change) (out []change) {
	seen := map[int]bool{-1: true}
	for _, c := range changes {
		if !seen[c.n] {
			seen[c.n] = true
			out = append(out, c)
		}
	}
	return out
}

// calls are the ways through Latest that the tests of progress and cancellation take.
func calls(t *testing.T, mem memory.Allocator, changes []change) map[string]func(ctx context.Context, r onerow.Resources) error {
	rec := largeTable(t, mem, "int64", changes)
	target := largeTable(t, mem, "int64", onePerKey(changes[:len(changes)/4]))
	latest := func(opts dedupe.Options) func(ctx context.Context, r onerow.Resources) error {
		return func(ctx context.Context, r onerow.Resources) error {
			opts.Resources = r
			p, err := dedupe.Latest(ctx, []arrow.Record{rec}, []string{"k"}, []onerow.Order{onerow.Desc("seq").NullsLowest()}, opts)
			if (p == nil) != (err != nil) {
				return fmt.Errorf("a plan: %v, beside the error %w", p != nil, err)
			}
			return err
		}
	}
	return map[string]func(ctx context.Context, r onerow.Resources) error{
		"winners": latest(dedupe.Options{NullKey: onerow.EqualNullKeys, Ties: dedupe.TiesByContent}),
		"aside":   latest(dedupe.Options{NullKey: onerow.SetAsideNullKeys, Ties: dedupe.SetAsideTies}),
		"guarded": latest(dedupe.Options{NullKey: onerow.SetAsideNullKeys, Ties: dedupe.TiesByContent, Against: []arrow.Record{target}}),
		"carried": latest(dedupe.Options{NullKey: onerow.EqualNullKeys, Ties: dedupe.TiesByContent,
			Fill: []dedupe.Fill{{Column: "v", Unavailable: 0}}}),
		"key changes": latest(dedupe.Options{NullKey: onerow.EqualNullKeys, Ties: dedupe.TiesByContent,
			Op: dedupe.Op{PreviousKey: []string{"v"}}}),
	}
}

// TestProgress: each stage counts up to its rows, in calls that don't overlap.
func TestProgress(t *testing.T) {
	for _, spread := range allSpreads() {
		mem := arrowtest.Allocator(t)
		for name, call := range calls(t, mem, largeChanges(spread, 4)) {
			for _, workers := range []int{1, 4} {
				t.Run(fmt.Sprintf("%s/%s/%d workers", spread, name, workers), func(t *testing.T) {
					var stage onerow.Stage
					var done, total int64
					var stages []onerow.Stage
					end := func() {
						if done != total {
							t.Errorf("%s ends at %d of %d", stage, done, total)
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
						if n != total || d < done || d > n {
							t.Errorf("%s: %d of %d, after %d of %d", s, d, n, done, total)
						}
						done = d
					}})
					end()
					if err != nil || !slices.Equal(stages, []onerow.Stage{onerow.StageEncode, onerow.StageGroup}) {
						t.Errorf("stages %v, error %v", stages, err)
					}
				})
			}
		}
	}
}

// TestCancel ends the context at each point at which Latest looks at it: it returns the context's error, and no goroutine
// goes on.
func TestCancel(t *testing.T) {
	mem := arrowtest.Allocator(t)
	changes := largeChanges("more keys than at hand", 4)[:70_000]
	for name, call := range calls(t, mem, changes) {
		for _, workers := range []int{1, 4} {
			t.Run(fmt.Sprintf("%s/%d workers", name, workers), func(t *testing.T) {
				before := runtime.NumGoroutine()
				r := onerow.Resources{Workers: workers}
				points := int64(0)
				for ; ; points++ {
					err := call(arrowtest.EndAt(t.Context(), points), r)
					arrowtest.GoroutinesEnd(t, before)
					if err == nil {
						break
					}
					if err != context.Canceled {
						t.Fatalf("at point %d: %v", points, err)
					}
					if points += points / 16; testing.Short() { // with many points not each of them
						points += points / 2
					}
				}
				if points < 4 {
					t.Errorf("Latest looks at the context %d times", points)
				}
			})
		}
	}
}

// TestCancelInProgress ends the context from the call that says how far the work is.
func TestCancelInProgress(t *testing.T) {
	mem := arrowtest.Allocator(t)
	changes := largeChanges("many keys", 4)
	for name, call := range calls(t, mem, changes) {
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
				if !errors.Is(err, context.Canceled) {
					t.Errorf("%s, %d workers, in %s: %v", name, workers, stage, err)
				}
				if n := after.Load(); n > int64(workers) {
					t.Errorf("%s, %d workers, in %s: %d tasks done after the end", name, workers, stage, n)
				}
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, call := range calls(t, mem, changes[:1000]) {
		if err := call(ctx, onerow.Resources{Progress: func(int64, int64, onerow.Stage) { t.Errorf("%s: progress", name) }}); err != context.Canceled {
			t.Errorf("%s, canceled before: %v", name, err)
		}
	}
}

// TestCancelAmongNulls: looking for NULLs in a large batch looks at the context too.
func TestCancelAmongNulls(t *testing.T) {
	mem := arrowtest.Allocator(t)
	count := func(changes []change) int64 {
		p := arrowtest.EndAt(t.Context(), 1<<40)
		opts := dedupe.Options{NullKey: onerow.SetAsideNullKeys, Ties: dedupe.TiesByContent, Resources: onerow.Resources{Workers: 1}}
		if _, err := dedupe.Latest(p, []arrow.Record{largeTable(t, mem, "int64", changes)}, []string{"k"}, []onerow.Order{onerow.Desc("seq")}, opts); err != nil {
			t.Fatal(err)
		}
		return 1<<40 - p.Left()
	}
	changes := largeChanges("few keys", 4)
	for i := range changes {
		changes[i].seq = i // no ties: settling them looks at the context as well
	}
	with := count(changes)
	for i := range changes {
		changes[i].n = max(0, changes[i].n)
	}
	if without := count(changes); with < without+int64(largeRows()/70_000) {
		t.Errorf("Latest looks at the context %d times among NULLs, %d without any", with, without)
	}
}

// TestTinyBatches: thousands of batches of one row, and empty ones, are one table.
func TestTinyBatches(t *testing.T) {
	n := 20_000
	if testing.Short() {
		n = 3000
	}
	for form := range keyForms {
		mem := arrowtest.Allocator(t)
		changes := largeChanges("more keys than at hand", 4)[:n]
		rec := largeTable(t, mem, form, changes)
		var tiny []arrow.Record
		for i := range int64(n) {
			tiny = append(tiny, rec.NewSlice(i, i+1))
			if i%1000 == 0 {
				tiny = append(tiny, rec.NewSlice(i, i))
			}
		}
		defer arrowtest.Release(tiny)
		target := largeTable(t, mem, form, onePerKey(changes[:n/4]))
		for name, opts := range map[string]dedupe.Options{
			"winners": {Ties: dedupe.TiesByContent}, "aside": {Ties: dedupe.SetAsideTies},
			"guarded": {Ties: dedupe.LastTied, Against: []arrow.Record{target}},
		} {
			opts.NullKey = onerow.SetAsideNullKeys
			order := []onerow.Order{onerow.Desc("seq")}
			want, err := dedupe.Latest(t.Context(), []arrow.Record{rec}, []string{"k"}, order, opts)
			if err != nil {
				t.Fatal(err)
			}
			got, err := dedupe.Latest(t.Context(), tiny, []string{"k"}, order, opts)
			same(t, outcomeOf(want, nil), outcomeOf(got, err), "%s, %s", form, name)
			if name != "winners" {
				continue
			}
			a, err := want.Take(t.Context(), mem)
			if err != nil {
				t.Fatal(err)
			}
			b, err := got.Take(t.Context(), mem)
			if err != nil {
				t.Fatal(err)
			}
			if d := arrowtest.DiffList(arrowtest.Cells(a), arrowtest.Cells(b)); d != "" {
				t.Errorf("%s: %s", form, d)
			}
			a.Release()
			b.Release()
		}
	}
}

// TestNoRows: a call on nothing is no error, and finds nothing.
func TestNoRows(t *testing.T) {
	mem := arrowtest.Allocator(t)
	empty := largeTable(t, mem, "int64", nil)
	full := largeTable(t, mem, "int64", []change{{1, 1, 1}})
	for name, batches := range map[string][]arrow.Record{"no batches": nil, "an empty batch": {empty}, "empty batches": {empty, empty, empty}} {
		for _, against := range [][]arrow.Record{nil, {empty}, {full}} {
			for _, fill := range [][]dedupe.Fill{nil, {{Column: "v", Unavailable: 0}}} {
				opts := dedupe.Options{Against: against, Fill: fill}
				got := outcomeOf(dedupe.Latest(t.Context(), batches, []string{"k"}, []onerow.Order{onerow.Desc("seq")}, opts))
				if d := gocmp.Diff(outcome{}, got); d != "" {
					t.Errorf("%s, against %d, fill %v: %s", name, len(against), fill, d)
				}
			}
		}
	}
}

// TestLongColumns: Arrow lets the columns of a record be longer than the record. What is beyond its rows is no part of it.
func TestLongColumns(t *testing.T) {
	mem := arrowtest.Allocator(t)
	changes := []change{{1, 1, 10}, {2, 2, 0}, {-1, 3, 7}, {1, 9, 9}, {1, 2, 0}, {2, 1, 20}, {-1, 1, 1}}
	first, second := largeTable(t, mem, "int64", changes[:4]), largeTable(t, mem, "int64", changes[4:])
	var batches []arrow.Record
	for _, r := range []arrow.Record{first, second} {
		short := array.NewRecord(r.Schema(), r.Columns(), 2) // without the last rows
		defer short.Release()
		batches = append(batches, short)
	}
	opts := dedupe.Options{Fill: []dedupe.Fill{{Column: "v", Unavailable: 0}}}
	for _, rejecting := range []bool{true, false} {
		if !rejecting {
			opts.NullKey = onerow.SetAsideNullKeys
		}
		p, err := dedupe.Latest(t.Context(), batches, []string{"k"}, []onerow.Order{onerow.Desc("seq")}, opts)
		if err != nil {
			t.Fatal(err)
		}
		want := outcome{Rows: onerow.Rows{1, 2}, Report: dedupe.Report{In: 4, Kept: 2, Superseded: 2, Filled: 2}}
		if d := gocmp.Diff(want, outcomeOf(p, nil)); d != "" {
			t.Errorf("rejecting %v (-want +got): %s", rejecting, d)
		}
		rec, err := p.Take(t.Context(), mem)
		if err != nil {
			t.Fatal(err)
		}
		if got := arrowtest.FormatRows(arrowtest.Cells(rec)); got != arrowtest.FormatRows([][]any{{int64(2), int64(2), int64(20)}, {int64(1), int64(2), int64(10)}}) {
			t.Errorf("taken:\n%s", got)
		}
		rec.Release()
	}
}

// TestTooManyRows: batches of the null type may claim any number of rows.
func TestTooManyRows(t *testing.T) {
	const most = 1<<31 - 1
	col := array.NewNull(most)
	defer col.Release()
	rec := array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "k", Type: arrow.Null, Nullable: true}}, nil), []arrow.Array{col}, most)
	defer rec.Release()
	small := array.NewRecord(rec.Schema(), []arrow.Array{col}, 1)
	defer small.Release()
	key := []string{"k"}
	for name, call := range map[string]func() (*dedupe.Plan, error){
		"batches": func() (*dedupe.Plan, error) {
			return dedupe.Latest(t.Context(), []arrow.Record{rec, rec, rec}, key, nil, dedupe.Options{})
		},
		"batches and target": func() (*dedupe.Plan, error) {
			return dedupe.Latest(t.Context(), []arrow.Record{small}, key, nil, dedupe.Options{Against: []arrow.Record{rec, rec, rec}})
		},
		"previous keys": func() (*dedupe.Plan, error) {
			return dedupe.Latest(t.Context(), []arrow.Record{rec, rec}, key, nil, dedupe.Options{Op: dedupe.Op{PreviousKey: key}})
		},
	} {
		if p, err := call(); !errors.Is(err, onerow.ErrTooManyRows) || p != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
