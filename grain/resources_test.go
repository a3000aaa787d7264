package grain_test

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
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	gocmp "github.com/google/go-cmp/cmp"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/grain"
	"github.com/onerow-go/onerow/internal/arrowtest"
)

// keyForms are the ways in which a large table holds the number of a key, and how a report writes it.
var keyForms = map[string]struct {
	typ    arrow.DataType
	append func(b array.Builder, n int)
	format func(n int) string
}{
	"int64": {arrow.PrimitiveTypes.Int64, func(b array.Builder, n int) { b.(*array.Int64Builder).Append(int64(n)) }, strconv.Itoa},
	"short text": {arrow.BinaryTypes.String, func(b array.Builder, n int) { b.(*array.StringBuilder).Append(strconv.Itoa(n)) },
		func(n int) string { return strconv.Quote(strconv.Itoa(n)) }},
	"long text": {arrow.BinaryTypes.String, func(b array.Builder, n int) { b.(*array.StringBuilder).Append(longText(n)) },
		func(n int) string { return strconv.Quote(longText(n)) }},
}

func longText(n int) string { return fmt.Sprintf("a text of more than fifteen bytes %d", n) }

// largeTable makes one batch of keys, in column k and once more in column l. A negative number is NULL.
func largeTable(t *testing.T, mem memory.Allocator, form string, keys []int) arrow.Record {
	t.Helper()
	f := keyForms[form]
	b := array.NewBuilder(mem, f.typ)
	defer b.Release()
	for _, n := range keys {
		if n < 0 {
			b.AppendNull()
		} else {
			f.append(b, n)
		}
	}
	col := b.NewArray()
	defer col.Release()
	schema := arrow.NewSchema([]arrow.Field{{Name: "k", Type: f.typ, Nullable: true}, {Name: "l", Type: f.typ, Nullable: true}}, nil)
	rec := array.NewRecord(schema, []arrow.Array{col, col}, int64(len(keys)))
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
	"unique":    func(_ *rand.Rand, i int) int { return i },
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

func largeKeys(spread string, nulls bool) []int {
	rnd := rand.New(rand.NewPCG(uint64(len(spread)), 7))
	keys := make([]int, largeRows())
	for i := range keys {
		if keys[i] = spreads[spread](rnd, i); nulls && rnd.IntN(50) == 0 {
			keys[i] = -1
		}
	}
	return keys
}

// expect makes the report of Check on column k by a Go map.
func expect(form string, keys []int, nulls grain.Nulls, limit int) *grain.Report {
	r := &grain.Report{Key: []string{"k"}, Rows: int64(len(keys))}
	rows := map[int][]uint32{}
	for row, n := range keys {
		if n < 0 {
			if r.NullKeyRows++; r.NullKeyRows == 1 {
				r.Nulls = []onerow.ColumnNulls{{Column: "k", First: uint32(row)}}
			}
			r.Nulls[0].Rows++
		}
		if n >= 0 || nulls == grain.NullsEqual {
			rows[n] = append(rows[n], uint32(row))
		}
	}
	var repeated []int
	r.Keys = int64(len(rows))
	for n, list := range rows {
		r.MaxCopies = max(r.MaxCopies, int64(len(list)))
		if len(list) > 1 {
			r.DuplicateKeys++
			r.DuplicateRows += int64(len(list) - 1)
			repeated = append(repeated, n)
		}
	}
	slices.SortFunc(repeated, func(a, b int) int {
		return cmp.Or(cmp.Compare(len(rows[b]), len(rows[a])), cmp.Compare(rows[a][0], rows[b][0]))
	})
	for _, n := range repeated[:min(len(repeated), limit)] {
		value := "NULL"
		if n >= 0 {
			value = keyForms[form].format(n)
		}
		r.Worst = append(r.Worst, onerow.KeyRows{Values: []string{value}, Count: int64(len(rows[n])),
			Rows: rows[n][:min(len(rows[n]), onerow.MaxSampleRows)]})
	}
	return r
}

// TestCheckLarge compares large reports with a Go map, for each number of workers and in a second call.
func TestCheckLarge(t *testing.T) {
	for _, spread := range slices.Sorted(maps.Keys(spreads)) {
		for form := range keyForms {
			t.Run(spread+"/"+form, func(t *testing.T) {
				mem := arrowtest.Allocator(t)
				for _, nulls := range []bool{false, true} {
					keys := largeKeys(spread, nulls)
					batches := []arrow.Record{largeTable(t, mem, form, keys)}
					all := []*grain.Report{expect(form, keys, grain.NullsDistinct, 100), expect(form, keys, grain.NullsEqual, 100)}
					for i, workers := range []int{1, 1, 2, 3, 8} {
						opts := grain.Options{Worst: []int{0, 3, -1, 100}[i%4], Nulls: grain.Nulls(i % 2)}
						opts.Resources.Workers = workers
						limit := max(opts.Worst, 0)
						if opts.Worst == 0 {
							limit = grain.DefaultWorst
						}
						want := *all[opts.Nulls]
						want.Worst = append([]onerow.KeyRows(nil), want.Worst[:min(len(want.Worst), limit)]...)
						got, err := grain.Check(t.Context(), batches, []string{"k"}, opts)
						if err != nil {
							t.Fatal(err)
						}
						if !reflect.DeepEqual(&want, got) {
							t.Fatalf("%d workers, %+v (-want +got): %.3000s", workers, opts, gocmp.Diff(&want, got))
						}
					}
				}
			})
			if testing.Short() {
				break
			}
		}
	}
}

// calls are the ways through the package that the tests of progress and cancellation take.
func calls(t *testing.T, mem memory.Allocator, keys []int) map[string]func(ctx context.Context, r onerow.Resources) error {
	batches := []arrow.Record{largeTable(t, mem, "int64", keys)}
	check := func(nulls grain.Nulls, key ...string) func(ctx context.Context, r onerow.Resources) error {
		return func(ctx context.Context, r onerow.Resources) error {
			_, err := grain.Check(ctx, batches, key, grain.Options{Nulls: nulls, Resources: r})
			return err
		}
	}
	return map[string]func(ctx context.Context, r onerow.Resources) error{
		"distinct": check(grain.NullsDistinct, "k"), "equal": check(grain.NullsEqual, "k"), "pairs": check(grain.NullsDistinct, "k", "l"),
	}
}

// TestProgress: each stage counts up to its rows, in calls that don't overlap.
func TestProgress(t *testing.T) {
	for _, spread := range slices.Sorted(maps.Keys(spreads)) {
		mem := arrowtest.Allocator(t)
		for name, call := range calls(t, mem, largeKeys(spread, true)) {
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

// TestCancel ends the context at each point at which Check looks at it: it returns the context's error, and no goroutine
// goes on.
func TestCancel(t *testing.T) {
	mem := arrowtest.Allocator(t)
	for name, call := range calls(t, mem, largeKeys("more keys than at hand", true)) {
		for _, workers := range []int{1, 4} {
			before := runtime.NumGoroutine()
			points := int64(0)
			for ; ; points++ {
				err := call(arrowtest.EndAt(t.Context(), points), onerow.Resources{Workers: workers})
				arrowtest.GoroutinesEnd(t, before)
				if err == nil {
					break
				}
				if err != context.Canceled {
					t.Fatalf("%s, %d workers, at point %d: %v", name, workers, points, err)
				}
			}
			// While it reads the rows, and while it counts those of each partition.
			if points < int64(2*largeRows()/70_000) {
				t.Errorf("%s, %d workers: Check looks at the context %d times", name, workers, points)
			}
		}
	}
}

// TestCancelInProgress ends the context from the call that says how far the work is.
func TestCancelInProgress(t *testing.T) {
	mem := arrowtest.Allocator(t)
	keys := largeKeys("many keys", true)
	for name, call := range calls(t, mem, keys) {
		for _, stage := range []onerow.Stage{onerow.StageEncode, onerow.StageGroup} {
			for _, workers := range []int{1, 2} {
				before := runtime.NumGoroutine()
				ctx, cancel := context.WithCancel(t.Context())
				err := call(ctx, onerow.Resources{Workers: workers, Progress: func(_, _ int64, s onerow.Stage) {
					if s == stage {
						cancel()
					}
				}})
				cancel()
				arrowtest.GoroutinesEnd(t, before)
				if !errors.Is(err, context.Canceled) {
					t.Errorf("%s, %d workers, in %s: %v", name, workers, stage, err)
				}
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, call := range calls(t, mem, keys[:1000]) {
		if err := call(ctx, onerow.Resources{Progress: func(int64, int64, onerow.Stage) { t.Errorf("%s: progress", name) }}); err != context.Canceled {
			t.Errorf("%s, canceled before: %v", name, err)
		}
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
		keys := largeKeys("more keys than at hand", true)[:n]
		rec := largeTable(t, mem, form, keys)
		var tiny []arrow.Record
		for i := range int64(n) {
			tiny = append(tiny, rec.NewSlice(i, i+1))
			if i%1000 == 0 {
				tiny = append(tiny, rec.NewSlice(i, i))
			}
		}
		for nulls := range grain.NullsEqual + 1 {
			got, err := grain.Check(t.Context(), tiny, []string{"k"}, grain.Options{Nulls: nulls})
			if err != nil {
				t.Fatal(err)
			}
			if want := expect(form, keys, nulls, grain.DefaultWorst); !reflect.DeepEqual(want, got) {
				t.Errorf("%s (-want +got): %.2000s", form, gocmp.Diff(want, got))
			}
		}
		arrowtest.Release(tiny)
	}
}

// TestNoRows: a call on nothing is no error, and finds nothing.
func TestNoRows(t *testing.T) {
	mem := arrowtest.Allocator(t)
	empty := largeTable(t, mem, "int64", nil)
	for name, batches := range map[string][]arrow.Record{"no batches": nil, "an empty batch": {empty}, "empty batches": {empty, empty}} {
		got, err := grain.Check(t.Context(), batches, []string{"k", "l"}, grain.Options{})
		if want := (&grain.Report{Key: []string{"k", "l"}}); err != nil || !reflect.DeepEqual(want, got) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// TestLongColumns: Arrow lets the columns of a record be longer than the record. What is beyond its rows is no part of it.
func TestLongColumns(t *testing.T) {
	mem := arrowtest.Allocator(t)
	first, second := largeTable(t, mem, "int64", []int{1, 2, -1, 1}), largeTable(t, mem, "int64", []int{1, 3, 1})
	var batches []arrow.Record
	for _, r := range []arrow.Record{first, second} {
		short := array.NewRecord(r.Schema(), r.Columns(), 2)
		defer short.Release()
		batches = append(batches, short)
	}
	for nulls := range grain.NullsEqual + 1 {
		got, err := grain.Check(t.Context(), batches, []string{"k"}, grain.Options{Nulls: nulls})
		if want := expect("int64", []int{1, 2, 1, 3}, nulls, grain.DefaultWorst); err != nil || !reflect.DeepEqual(want, got) {
			t.Errorf("%v (-want +got): %s", err, gocmp.Diff(want, got))
		}
	}
}

// TestTooManyRows: batches of the null type may claim any number of rows.
func TestTooManyRows(t *testing.T) {
	const most = 1<<31 - 1
	col := array.NewNull(most)
	defer col.Release()
	rec := array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "k", Type: arrow.Null, Nullable: true}}, nil), []arrow.Array{col}, most)
	defer rec.Release()
	batches := []arrow.Record{rec, rec, rec}
	if r, err := grain.Check(t.Context(), batches, []string{"k"}, grain.Options{}); !errors.Is(err, onerow.ErrTooManyRows) || r != nil {
		t.Errorf("Check: %+v, %v", r, err)
	}
	if a, err := grain.Align(t.Context(), batches, []string{"k"}, []string{"k"}, grain.Options{}); !errors.Is(err, onerow.ErrTooManyRows) || a != nil {
		t.Errorf("Align: %+v, %v", a, err)
	}
}

// TestProgressPanics: a panic of the caller's own code is the caller's, whatever it is, and is no fault of an array.
func TestProgressPanics(t *testing.T) {
	mem := arrowtest.Allocator(t)
	for name, call := range calls(t, mem, largeKeys("many keys", false)) {
		for _, workers := range []int{1, 4} {
			for _, f := range []func(){func() { panic("mine") }, func() { _ = []int{1}[len(t.Name())] }} {
				before := runtime.NumGoroutine()
				func() {
					defer func() {
						if p := recover(); p == nil {
							t.Errorf("%s, %d workers: no panic", name, workers)
						}
					}()
					err := call(t.Context(), onerow.Resources{Workers: workers, Progress: func(int64, int64, onerow.Stage) { f() }})
					t.Errorf("%s, %d workers: %v", name, workers, err)
				}()
				arrowtest.GoroutinesEnd(t, before)
			}
		}
	}
}
