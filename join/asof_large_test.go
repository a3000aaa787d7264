package join_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/join"
)

// largeRange is more versions than are looked up without partitions, and their facts. -1 is NULL. Times are from 0 to span-1.
type largeRange struct {
	facts, versions int // how many to make
	keyOf           func(r *rand.Rand) int
	version         func(r *rand.Rand, span int) (from, to int)

	closed        bool
	span          int
	factKey, at   []int
	key, from, to []int
}

const largeSpan = 300

// anyVersion is a version of any kind, but that few are broken.
func anyVersion(r *rand.Rand, span int) (from, to int) {
	from, to = r.IntN(span), -1
	if r.IntN(3) > 0 {
		to = min(from+r.IntN(1+r.IntN(span)), span-1)
	}
	if r.IntN(40) == 0 {
		from = -1
	}
	if r.IntN(40) == 0 {
		from, to = to, from
	}
	return from, to
}

// shapes are ways in which versions lie, and in which rows spread over keys.
var shapes = map[string]largeRange{
	"many keys":   {facts: 40_000, versions: 30_000, keyOf: func(r *rand.Rand) int { return r.IntN(6000) }, version: anyVersion},
	"few keys":    {facts: 40_000, versions: 20_000, keyOf: func(r *rand.Rand) int { return r.IntN(7) }, version: anyVersion},
	"one key":     {facts: 40_000, versions: 20_000, keyOf: func(*rand.Rand) int { return 5 }, version: anyVersion},
	"few":         {facts: 90_000, versions: 4000, keyOf: func(r *rand.Rand) int { return r.IntN(500) }, version: anyVersion},
	"no versions": {facts: 90_000, keyOf: func(r *rand.Rand) int { return r.IntN(500) }},
	"no facts":    {versions: 20_000, keyOf: func(r *rand.Rand) int { return r.IntN(500) }, version: anyVersion},
	"nested": {facts: 20_000, versions: 20_000, keyOf: func(r *rand.Rand) int { return r.IntN(300) }, version: func(r *rand.Rand, span int) (int, int) {
		n := r.IntN(span / 2)
		return n, span - n
	}},
}

func (l *largeRange) fill(seed uint64) {
	r := rand.New(rand.NewPCG(seed, 5))
	l.span = largeSpan
	orNull := func(n int) int {
		if r.IntN(50) == 0 {
			return -1
		}
		return n
	}
	for range l.facts {
		l.factKey, l.at = append(l.factKey, orNull(l.keyOf(r))), append(l.at, orNull(r.IntN(l.span)))
	}
	for range l.versions {
		from, to := l.version(r, l.span)
		l.key, l.from, l.to = append(l.key, orNull(l.keyOf(r))), append(l.from, from), append(l.to, to)
	}
}

// line counts, for each time, the versions of a key that hold it, and adds up their rows.
type line struct{ count, rows [largeSpan + 2]int }

// expect answers by difference arrays.
func (l *largeRange) expect() (rows []uint32, status []join.Status, inner int) {
	lines := map[int]*line{}
	first := map[int]int{}
	for i, k := range l.key {
		if k < 0 {
			continue
		}
		n := lines[k]
		if n == nil {
			n = &line{}
			lines[k] = n
		}
		from, end := l.from[i], l.to[i]
		if from < 0 {
			continue
		}
		if end < 0 {
			end = l.span
		} else if l.closed {
			end++
		}
		if end <= from {
			continue
		}
		if was, ok := first[k]; !ok || from < was {
			first[k] = from
		}
		n.count[from]++
		n.count[end]--
		n.rows[from] += i
		n.rows[end] -= i
	}
	for _, n := range lines {
		for t := 1; t <= l.span; t++ {
			n.count[t] += n.count[t-1]
			n.rows[t] += n.rows[t-1]
		}
	}
	for i, k := range l.factKey {
		row, s, t := join.NoMatch, join.OK, l.at[i]
		n := lines[k]
		start, lasting := first[k]
		switch {
		case k < 0:
			s = join.NullKey
		case t < 0:
			s = join.NullTime
		case n == nil:
			s = join.NoKey
		case lasting && t < start:
			s = join.BeforeFirst
		case n.count[t] == 0:
			s = join.Gap
		case n.count[t] > 1:
			s = join.Ambiguous
		default:
			row = uint32(n.rows[t])
		}
		if k >= 0 && t >= 0 && n != nil {
			inner += n.count[t]
		}
		rows, status = append(rows, row), append(status, s)
	}
	return rows, status, inner
}

// largeForms are the ways in which a large table holds the number of a key.
var largeForms = map[string]func(b array.Builder, n int){
	"int64":      func(b array.Builder, n int) { b.(*array.Int64Builder).Append(int64(n) << 32) },
	"short text": func(b array.Builder, n int) { b.(*array.StringBuilder).Append(fmt.Sprint(n)) },
	"long text": func(b array.Builder, n int) {
		b.(*array.StringBuilder).Append(fmt.Sprintf("a text of more than fifteen bytes %d", n))
	},
}

func largeRecord(t testing.TB, mem memory.Allocator, form string, key []int, times ...[]int) arrow.Record {
	t.Helper()
	typ := arrow.DataType(arrow.BinaryTypes.String)
	if form == "int64" {
		typ = arrow.PrimitiveTypes.Int64
	}
	fields := []arrow.Field{{Name: "k", Type: typ, Nullable: true}}
	for i := range times {
		fields = append(fields, arrow.Field{Name: []string{"t", "u"}[i], Type: arrow.PrimitiveTypes.Int32, Nullable: true})
	}
	b := array.NewRecordBuilder(mem, arrow.NewSchema(fields, nil))
	defer b.Release()
	for i, n := range key {
		if n < 0 {
			b.Field(0).AppendNull()
		} else {
			largeForms[form](b.Field(0), n)
		}
		for c, cells := range times {
			if f := b.Field(c + 1).(*array.Int32Builder); cells[i] < 0 {
				f.AppendNull()
			} else {
				f.Append(int32(cells[i]))
			}
		}
	}
	rec := b.NewRecord()
	t.Cleanup(rec.Release)
	return rec
}

func (l *largeRange) build(t testing.TB, mem memory.Allocator, form string) (join.Facts, join.Versions) {
	v := join.Versions{Batches: []arrow.Record{largeRecord(t, mem, form, l.key, l.from, l.to)}, ValidFrom: "t", ValidTo: "u"}
	if l.closed {
		v.Bounds = join.Closed
	}
	return join.Facts{Batches: []arrow.Record{largeRecord(t, mem, form, l.factKey, l.at)}, Key: []string{"k"}, At: "t"}, v
}

// TestRangeLarge compares large calls with difference arrays, for each number of workers.
func TestRangeLarge(t *testing.T) {
	for name, shape := range shapes {
		for form := range largeForms {
			for _, closed := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%s/closed=%v", name, form, closed), func(t *testing.T) {
					l := shape
					l.closed = closed
					l.fill(uint64(len(name)))
					facts, versions := l.build(t, arrowtest.Allocator(t), form)
					rows, status, inner := l.expect()
					var report join.AsOfReport
					for i, workers := range []int{1, 3, 2} {
						if i < 2 {
							defer join.SetBoards(i == 0)()
						}
						opts := join.RangeOptions{Resources: onerow.Resources{Workers: workers}}
						m, err := join.AsOf(t.Context(), facts, versions, opts)
						if err != nil {
							t.Fatal(err)
						}
						if !slices.Equal(m.Rows, rows) || !slices.Equal(m.Status, status) {
							t.Fatalf("%d workers: other matches", workers)
						}
						if i > 0 && !reflect.DeepEqual(m.Report, report) {
							t.Errorf("%d workers: %+v\nwas %+v", workers, m.Report, report)
						}
						report = m.Report
						s, err := join.Between(t.Context(), facts, versions, opts)
						if err != nil {
							t.Fatal(err)
						}
						if s.Inner != join.CountOf(uint64(inner)) || s.Left != join.CountOf(uint64(inner)+uint64(s.Facts-s.Held)) || s.Held != report.OK+report.Ambiguous {
							t.Errorf("%d workers: %+v, want %d inner rows", workers, s, inner)
						}
					}
				})
				if testing.Short() {
					break
				}
			}
		}
	}
}

// rangeCalls are the ways through the package that the tests of progress and cancellation take.
func rangeCalls(t *testing.T, shape string) map[string]func(ctx context.Context, r onerow.Resources) error {
	l := shapes[shape]
	l.fill(1)
	facts, versions := l.build(t, arrowtest.Allocator(t), "int64")
	return map[string]func(ctx context.Context, r onerow.Resources) error{
		"AsOf": func(ctx context.Context, r onerow.Resources) error {
			m, err := join.AsOf(ctx, facts, versions, join.RangeOptions{Resources: r})
			if (m == nil) != (err != nil) {
				t.Errorf("%v, %v", m, err)
			}
			return err
		},
		"Between": func(ctx context.Context, r onerow.Resources) error {
			s, err := join.Between(ctx, facts, versions, join.RangeOptions{Nulls: join.NullsEqual, Resources: r})
			if (s == nil) != (err != nil) {
				t.Errorf("%v, %v", s, err)
			}
			return err
		},
	}
}

// TestRangeProgress: each stage counts up to its rows, in calls that don't overlap.
func TestRangeProgress(t *testing.T) {
	for _, shape := range []string{"many keys", "one key", "few"} {
		for name, call := range rangeCalls(t, shape) {
			for _, workers := range []int{1, 4} {
				var stages []onerow.Stage
				var done, total int64
				var busy atomic.Bool
				end := func() {
					if done != total {
						t.Errorf("%s of %s: %v ends at %d of %d", name, shape, stages, done, total)
					}
				}
				err := call(t.Context(), onerow.Resources{Workers: workers, Progress: func(d, n int64, s onerow.Stage) {
					if !busy.CompareAndSwap(false, true) {
						t.Error("two calls at a time")
					}
					defer busy.Store(false)
					if len(stages) == 0 || s != stages[len(stages)-1] {
						end()
						stages, done, total = append(stages, s), 0, n
					}
					if n != total || d < done || d > n {
						t.Errorf("%s of %s, %s: %d of %d, after %d of %d", name, shape, s, d, n, done, total)
					}
					done = d
				}})
				end()
				if err != nil || !slices.Equal(stages, []onerow.Stage{onerow.StageEncode, onerow.StageGroup}) {
					t.Errorf("%s of %s: stages %v, error %v", name, shape, stages, err)
				}
			}
		}
	}
}

// countdown is a context that ends when it has been asked so often.
type countdown struct {
	context.Context
	left atomic.Int64
}

func newCountdown(ctx context.Context, n int64) *countdown {
	c := &countdown{Context: ctx}
	c.left.Store(n)
	return c
}

func (c *countdown) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestRangeCancel ends the context at points at which it is looked at: the call returns the context's error, and no goroutine goes on.
func TestRangeCancel(t *testing.T) {
	for _, shape := range []string{"many keys", "one key", "few"} {
		for name, call := range rangeCalls(t, shape) {
			for _, workers := range []int{1, 4} {
				before := runtime.NumGoroutine()
				points := int64(0)
				for ; ; points += 1 + points/20 {
					err := call(newCountdown(t.Context(), points), onerow.Resources{Workers: workers})
					arrowtest.GoroutinesEnd(t, before)
					if err == nil {
						break
					}
					if err != context.Canceled {
						t.Fatalf("%s of %s, %d workers, at point %d: %v", name, shape, workers, points, err)
					}
				}
				// While it reads the rows, makes the index, and looks facts up in it.
				if points < 8 {
					t.Errorf("%s of %s, %d workers: looks at the context %d times", name, shape, workers, points)
				}
			}
		}
	}
}

// TestRangeProgressPanics: a panic of the caller's own code is the caller's.
func TestRangeProgressPanics(t *testing.T) {
	for name, call := range rangeCalls(t, "few") {
		before := runtime.NumGoroutine()
		func() {
			defer func() {
				if p := recover(); p == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			err := call(t.Context(), onerow.Resources{Workers: 2, Progress: func(int64, int64, onerow.Stage) { panic("mine") }})
			t.Errorf("%s: %v", name, err)
		}()
		arrowtest.GoroutinesEnd(t, before)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, call := range rangeCalls(t, "no facts") {
		if err := call(ctx, onerow.Resources{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s, canceled before: %v", name, err)
		}
	}
}
