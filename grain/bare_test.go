package grain_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	gocmp "github.com/google/go-cmp/cmp"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/grain"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/keyset"
)

// dealtBare makes keys of few rows be dealt out bare, and looks for the first rows of all keys once so many are equal in rank.
func dealtBare(t *testing.T, ties int) {
	rows, most := keyset.MinBareRows, keyset.MaxTies
	keyset.MinBareRows, keyset.MaxTies = 0, ties
	t.Cleanup(func() { keyset.MinBareRows, keyset.MaxTies = rows, most })
}

// TestCheckBare runs the properties of Check with keys that are dealt out bare.
func TestCheckBare(t *testing.T) {
	for _, ties := range []int{0, 2, 64} {
		dealtBare(t, ties)
		checkProperties(t)
	}
}

// TestCheckBareUnderOneHash runs them while all keys begin at one slot.
func TestCheckBareUnderOneHash(t *testing.T) {
	form.ConstantHash(true)
	defer form.ConstantHash(false)
	dealtBare(t, 1)
	checkProperties(t)
}

// bareSpreads say which keys rows have; -1 is NULL.
var bareSpreads = map[string]func(rnd *rand.Rand, i, n int) int{
	"unique":          func(_ *rand.Rand, i, _ int) int { return i },
	"twice, far":      func(_ *rand.Rand, i, n int) int { return i % ((n + 1) / 2) },
	"twice, beside":   func(_ *rand.Rand, i, _ int) int { return i / 2 },
	"twice, mirrored": func(_ *rand.Rand, i, n int) int { return min(i, n-1-i) },
	"twice, late": func(_ *rand.Rand, i, n int) int {
		if i < n/2 {
			return n + i
		}
		return i % (n / 4)
	},
	"random":      func(rnd *rand.Rand, _, n int) int { return rnd.IntN(n/3) - 1 },
	"some common": func(rnd *rand.Rand, _, n int) int { return rnd.IntN(1+rnd.IntN(1+rnd.IntN(n))) - 1 },
	"few, then many": func(rnd *rand.Rand, i, n int) int {
		if i < n/2 {
			return rnd.IntN(9)
		}
		return rnd.IntN(n) - 1
	},
	"one key for long": func(rnd *rand.Rand, i, n int) int {
		if i < n/20 || i > n-n/20 {
			return rnd.IntN(n / 15)
		}
		return 0
	},
	"NULL for long": func(rnd *rand.Rand, i, n int) int {
		if i < n/20 || i > n-n/20 {
			return rnd.IntN(n / 15)
		}
		return -1
	},
}

// bareTable makes batches of keys, in one column or as two that fit one word.
func bareTable(t *testing.T, rnd *rand.Rand, mem memory.Allocator, keys []int, two bool) (batches []arrow.Record, names []string) {
	t.Helper()
	whole, high := array.NewInt64Builder(mem), array.NewInt32Builder(mem)
	defer whole.Release()
	defer high.Release()
	low := array.NewInt16Builder(mem)
	defer low.Release()
	for _, k := range keys {
		switch {
		case k < 0 && !two:
			whole.AppendNull()
		case k < 0:
			high.AppendNull()
			low.Append(int16(rnd.IntN(3)))
		case !two:
			whole.Append(int64(k))
		default:
			high.Append(int32(k / 1000))
			low.Append(int16(k % 1000))
		}
	}
	cols := []arrow.Array{whole.NewArray()}
	fields := []arrow.Field{{Name: "k", Type: cols[0].DataType(), Nullable: true}}
	if names = []string{"k"}; two {
		cols[0].Release()
		cols = []arrow.Array{high.NewArray(), low.NewArray()}
		names = []string{"high", "low"}
		fields = []arrow.Field{{Name: "high", Type: cols[0].DataType(), Nullable: true}, {Name: "low", Type: cols[1].DataType(), Nullable: true}}
	}
	all := array.NewRecord(arrow.NewSchema(fields, nil), cols, int64(len(keys)))
	defer all.Release()
	for _, c := range cols {
		c.Release()
	}
	for at, most := 0, []int{100, 3000, len(keys)}[rnd.IntN(3)]; at < len(keys); {
		end := min(len(keys), at+rnd.IntN(most+1))
		batches = append(batches, all.NewSlice(int64(at), int64(end)))
		at = end
	}
	t.Cleanup(func() { arrowtest.Release(batches) })
	return batches, names
}

// expectBare is the report on keys by a Go map, without texts.
func expectBare(keys []int, names []string, worst int) *grain.Report {
	r := &grain.Report{Key: names, Rows: int64(len(keys))}
	rows := map[int]*onerow.KeyRows{}
	for row, k := range keys {
		if k < 0 {
			if r.NullKeyRows++; r.Nulls == nil {
				r.Nulls = []onerow.ColumnNulls{{Column: names[0], First: uint32(row)}}
			}
			r.Nulls[0].Rows++
			continue
		}
		if rows[k] == nil {
			rows[k] = &onerow.KeyRows{}
		}
		if rows[k].Count++; rows[k].Count <= onerow.MaxSampleRows {
			rows[k].Rows = append(rows[k].Rows, uint32(row))
		}
	}
	r.Keys = int64(len(rows))
	for _, k := range rows {
		r.DuplicateRows += k.Count - 1
		if r.MaxCopies = max(r.MaxCopies, k.Count); k.Count > 1 {
			r.DuplicateKeys++
			r.Worst = append(r.Worst, *k)
		}
	}
	slices.SortFunc(r.Worst, func(a, b onerow.KeyRows) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Rows[0], b.Rows[0]))
	})
	r.Worst = r.Worst[:min(worst, len(r.Worst))]
	return r
}

// checkBare compares a report on keys that are dealt out bare with a Go map.
func checkBare(t *testing.T, seed uint64, spread string, n int) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(seed, 9))
	keys := make([]int, n)
	for i := range keys {
		keys[i] = bareSpreads[spread](rnd, i, n)
	}
	if rnd.IntN(3) == 0 {
		rnd.Shuffle(n, func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	}
	batches, names := bareTable(t, rnd, arrowtest.Allocator(t), keys, seed%2 == 1)
	trial := keyset.HotTrial
	defer func() { keyset.HotTrial = trial }()
	for range 3 {
		keyset.HotTrial = []int{0, 700, n / 3, n}[rnd.IntN(4)]
		keyset.MaxTies = []int{0, 1, 3, 64}[rnd.IntN(4)]
		opts := grain.Options{Worst: []int{1, 3, 20, 1000}[rnd.IntN(4)], Resources: onerow.Resources{Workers: 1 + rnd.IntN(4)}}
		got, err := grain.Check(t.Context(), batches, names, opts)
		if err != nil {
			t.Fatal(err)
		}
		want := plain(expectBare(keys, names, opts.Worst))
		if d := gocmp.Diff(want, plain(got)); d != "" {
			t.Fatalf("seed %d, %d rows in %d batches, at hand for %d rows, at most %d ties, options %+v (-want +got): %.2000s", seed, n, len(batches), keyset.HotTrial,
				keyset.MaxTies, opts, d)
		}
	}
}

// TestCheckBareLarger checks tables of thousands of rows, of which some are counted at hand.
func TestCheckBareLarger(t *testing.T) {
	dealtBare(t, 0)
	for spread := range bareSpreads {
		for seed := range uint64(3) {
			if testing.Short() && seed > 1 {
				break
			}
			for _, hash := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%d/one hash %v", spread, seed, hash), func(t *testing.T) {
					form.ConstantHash(hash)
					defer form.ConstantHash(false)
					n := 5000 + int(seed)*5000
					if hash {
						n = 2000
					}
					checkBare(t, seed, spread, n)
				})
			}
		}
	}
}

// TestCheckBareLong checks a table of more blocks than entries can tell apart, in which most partitions have no rows for long.
func TestCheckBareLong(t *testing.T) {
	if testing.Short() {
		t.Skip("many rows")
	}
	dealtBare(t, 0)
	for _, spread := range []string{"one key for long", "NULL for long"} {
		t.Run(spread, func(t *testing.T) { checkBare(t, 2, spread, 700_000) })
	}
}
