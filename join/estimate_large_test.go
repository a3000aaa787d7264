package join_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
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
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/join"
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
	"long text": {arrow.BinaryTypes.String, func(b array.Builder, n int) { b.(*array.StringBuilder).Append(longKey(n)) },
		func(n int) string { return strconv.Quote(longKey(n)) }},
}

func longKey(n int) string { return fmt.Sprintf("a text of more than fifteen bytes %d", n) }

// largeSide makes one batch of keys, in column k and once more in column l. -2 is NULL.
func largeSide(t *testing.T, mem memory.Allocator, form string, keys []int) []arrow.Record {
	t.Helper()
	f := keyForms[form]
	b := array.NewBuilder(mem, f.typ)
	defer b.Release()
	for _, n := range keys {
		if n == nullNumber {
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
	return []arrow.Record{rec}
}

const nullNumber = -2

// sideRows is more than a worker looks at before it judges whether to keep keys at hand, for each of several; in short mode, for two.
func sideRows() int {
	if testing.Short() {
		return 70_000
	}
	return 80_000
}

// keySpreads say how rows spread over keys.
var keySpreads = map[string]func(rnd *rand.Rand, i int) int{
	"few keys":  func(_ *rand.Rand, i int) int { return i % 40 },
	"many keys": func(rnd *rand.Rand, _ int) int { return rnd.IntN(sideRows()) },
	"unique":    func(_ *rand.Rand, i int) int { return i },
	"-1 has half": func(rnd *rand.Rand, i int) int {
		if i%2 == 0 {
			return -1
		}
		return rnd.IntN(60_000)
	},
	"more keys than at hand": func(rnd *rand.Rand, _ int) int { return rnd.IntN(9000) },
	"few, then many":         func(rnd *rand.Rand, i int) int { return rnd.IntN(40 + max(0, i-sideRows()/2)) },
	"all alike":              func(*rand.Rand, int) int { return 7 },
}

func spreadKeys(spread string, seed uint64, n int) []int {
	rnd := rand.New(rand.NewPCG(uint64(len(spread)), seed))
	keys := make([]int, n)
	for i := range keys {
		if keys[i] = keySpreads[spread](rnd, i); rnd.IntN(50) == 0 {
			keys[i] = nullNumber
		}
	}
	return keys
}

// expectSize makes the size of a join on column k by Go maps: all but what is derived of other fields, placeholders and the lists of the sides.
func expectSize(form string, keys [2][]int, nulls join.Nulls, worst int) *join.Size {
	rows := [2]map[int]onerow.Rows{{}, {}}
	s := &join.Size{}
	for i, side := range []*join.Side{&s.Left, &s.Right} {
		side.Rows, side.Unique = int64(len(keys[i])), true
		for row, n := range keys[i] {
			if n == nullNumber {
				side.NullRows++
			}
			if n != nullNumber || nulls == join.NullsEqual {
				rows[i][n] = append(rows[i][n], uint32(row))
			}
		}
		side.Keys = int64(len(rows[i]))
		for _, list := range rows[i] {
			side.Unique = side.Unique && len(list) == 1
		}
	}
	inner := uint64(0)
	for n, left := range rows[0] {
		right := rows[1][n]
		if len(right) == 0 {
			continue
		}
		s.MatchedKeys++
		inner += uint64(len(left)) * uint64(len(right))
		s.Left.MatchedRows += int64(len(left))
		s.Right.MatchedRows += int64(len(right))
		s.Left.MaxFanOut, s.Right.MaxFanOut = max(s.Left.MaxFanOut, int64(len(right))), max(s.Right.MaxFanOut, int64(len(left)))
		value := "NULL"
		if n != nullNumber {
			value = keyForms[form].format(n)
		}
		if len(left)*len(right) > 1 {
			s.Worst = append(s.Worst, join.KeySize{Values: []string{value}, Left: int64(len(left)), Right: int64(len(right)),
				Inner: join.CountOf(uint64(len(left)) * uint64(len(right))), LeftRows: left[:min(len(left), 10)], RightRows: right[:min(len(right), 10)]})
		}
	}
	s.Rows.Inner = join.CountOf(inner)
	slices.SortFunc(s.Worst, func(a, b join.KeySize) int {
		return cmp.Or(b.Inner.Cmp(a.Inner), cmp.Compare(a.LeftRows[0], b.LeftRows[0]))
	})
	s.Worst = s.Worst[:min(len(s.Worst), worst)]
	return s
}

// known leaves of a size what expectSize knows.
func known(s *join.Size) *join.Size {
	out := &join.Size{MatchedKeys: s.MatchedKeys, Worst: slices.Clone(s.Worst)}
	out.Rows.Inner = s.Rows.Inner
	for i := range out.Worst {
		out.Worst[i].Share = 0
	}
	side := func(d join.Side) join.Side {
		return join.Side{Rows: d.Rows, Keys: d.Keys, Unique: d.Unique, NullRows: d.NullRows, MatchedRows: d.MatchedRows, MaxFanOut: d.MaxFanOut}
	}
	out.Left, out.Right = side(s.Left), side(s.Right)
	return out
}

// TestEstimateLarge compares large sizes with Go maps, for each number of workers.
func TestEstimateLarge(t *testing.T) {
	spreads := slices.Sorted(maps.Keys(keySpreads))
	for i, left := range spreads {
		for form := range keyForms {
			t.Run(left+"/"+form, func(t *testing.T) {
				mem := arrowtest.Allocator(t)
				for j, right := range []string{left, spreads[(i+1)%len(spreads)], "unique"} {
					if form != "int64" && j == 0 {
						continue // a side as the other: for the quick form only
					}
					n := []int{sideRows(), sideRows(), 20_000}[j]
					keys := [2][]int{spreadKeys(left, 1, sideRows()), spreadKeys(right, 2, n)}
					sides := [2][]arrow.Record{largeSide(t, mem, form, keys[0]), largeSide(t, mem, form, keys[1])}
					for k, workers := range []int{1, 3} {
						opts := join.Options{Worst: []int{0, 100}[k], Nulls: join.Nulls((j + k) % 2), Resources: onerow.Resources{Workers: workers}}
						got, err := join.Estimate(t.Context(), sides[0], sides[1], join.On("k"), opts)
						if err != nil {
							t.Fatal(err)
						}
						want := expectSize(form, keys, opts.Nulls, []int{20, 100}[k])
						if d := gocmp.Diff(want, known(got), plainCounts); d != "" {
							t.Fatalf("%s, %d workers (-want +got): %.3000s", right, workers, d)
						}
						checkLists(t, got)
						if left == "-1 has half" && form == "int64" && (len(got.Placeholders.Keys) != 1 || got.Placeholders.Keys[0].Values[0] != "-1") {
							t.Errorf("placeholders %+v", got.Placeholders)
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

// checkLists compares the lists of the sides with that of the worst keys, as far as it goes: a key has the same rows in each.
func checkLists(t *testing.T, s *join.Size) {
	t.Helper()
	repeats := [2][]join.KeySize{}
	for _, k := range s.Worst {
		if k.Left > 1 {
			repeats[0] = append(repeats[0], k)
		}
		if k.Right > 1 {
			repeats[1] = append(repeats[1], k)
		}
	}
	for i, side := range []join.Side{s.Left, s.Right} {
		n := min(len(repeats[i]), len(side.Repeats))
		if d := gocmp.Diff(repeats[i][:n], side.Repeats[:n], plainCounts); d != "" {
			t.Errorf("the lists differ: %s", d)
		}
	}
}

var plainCounts = gocmp.Comparer(func(a, b join.Count) bool { return a == b })

// joinCalls are the ways through the package that the tests of progress and cancellation take.
func joinCalls(t *testing.T, mem memory.Allocator, spread string) map[string]func(ctx context.Context, r onerow.Resources) error {
	left := largeSide(t, mem, "int64", spreadKeys(spread, 1, sideRows()))
	right := largeSide(t, mem, "int64", spreadKeys(spread, 2, sideRows()/2))
	estimate := func(nulls join.Nulls, on join.Key) func(ctx context.Context, r onerow.Resources) error {
		return func(ctx context.Context, r onerow.Resources) error {
			s, err := join.Estimate(ctx, left, right, on, join.Options{Nulls: nulls, Resources: r})
			if (s == nil) != (err != nil) {
				t.Errorf("size %v, error %v", s, err)
			}
			return err
		}
	}
	return map[string]func(ctx context.Context, r onerow.Resources) error{
		"never": estimate(join.NullsNever, join.On("k")), "equal": estimate(join.NullsEqual, join.On("k")),
		"pairs": estimate(join.NullsNever, join.On("k").And("l", "k")),
		"split": func(ctx context.Context, r onerow.Resources) error {
			_, err := join.Split(ctx, left, right, join.On("k"), join.SplitOptions{Resources: r})
			return err
		},
	}
}

// TestEstimateProgress: each stage counts up to its rows, in calls that don't overlap.
func TestEstimateProgress(t *testing.T) {
	for _, spread := range []string{"few keys", "many keys", "-1 has half"} {
		mem := arrowtest.Allocator(t)
		for name, call := range joinCalls(t, mem, spread) {
			for _, workers := range []int{1, 4} {
				var stage onerow.Stage
				var done, total int64
				var stages []onerow.Stage
				var busy atomic.Bool
				end := func() {
					if done != total {
						t.Errorf("%s, %s: %s ends at %d of %d", spread, name, stage, done, total)
					}
				}
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
				want := []onerow.Stage{onerow.StageEncode, onerow.StageGroup}
				if name == "split" {
					want = want[:1]
				}
				if err != nil || !slices.Equal(stages, want) {
					t.Errorf("%s, %s: stages %v, error %v", spread, name, stages, err)
				}
			}
		}
	}
}

// TestEstimateCancel ends the context at each point at which the calls look at it: they return the context's error, and no goroutine goes on.
func TestEstimateCancel(t *testing.T) {
	mem := arrowtest.Allocator(t)
	for name, call := range joinCalls(t, mem, "more keys than at hand") {
		for _, workers := range []int{1, 4} {
			before := runtime.NumGoroutine()
			for points := int64(0); ; points++ {
				ctx := arrowtest.EndAt(t.Context(), points)
				err := call(ctx, onerow.Resources{Workers: workers})
				arrowtest.GoroutinesEnd(t, before)
				if err == nil {
					if points < 5 {
						t.Errorf("%s, %d workers: the context is looked at %d times", name, workers, points)
					}
					break
				}
				if !errors.Is(err, context.Canceled) {
					t.Fatalf("%s, %d workers, at point %d: %v", name, workers, points, err)
				}
			}
		}
	}
}

// TestEstimateProgressPanics: a panic of the caller's own code is the caller's.
func TestEstimateProgressPanics(t *testing.T) {
	mem := arrowtest.Allocator(t)
	for name, call := range joinCalls(t, mem, "many keys") {
		func() {
			defer func() {
				if p := recover(); p == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			err := call(t.Context(), onerow.Resources{Workers: 4, Progress: func(int64, int64, onerow.Stage) { panic("mine") }})
			t.Errorf("%s: %v", name, err)
		}()
	}
}
