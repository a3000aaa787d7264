package join_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/keyset"
	"github.com/onerow-go/onerow/join"
)

// dealtBare makes keys of few rows be dealt out bare, and looks for the first rows of all keys once so many are equal in rank.
func dealtBare(t *testing.T, ties int) {
	rows, most := keyset.MinBareRows, keyset.MaxTies
	keyset.MinBareRows, keyset.MaxTies = 0, ties
	t.Cleanup(func() { keyset.MinBareRows, keyset.MaxTies = rows, most })
}

// TestEstimateBare runs the properties of Estimate with keys that are dealt out bare.
func TestEstimateBare(t *testing.T) {
	for _, ties := range []int{0, 2, 64} {
		dealtBare(t, ties)
		estimateProperties(t)
	}
}

// TestEstimateBareUnderOneHash runs them while all keys begin at one slot.
func TestEstimateBareUnderOneHash(t *testing.T) {
	form.ConstantHash(true)
	defer form.ConstantHash(false)
	dealtBare(t, 1)
	estimateProperties(t)
}

// bareSides say which keys the rows of both sides have; nullNumber is NULL.
var bareSides = map[string]func(rnd *rand.Rand, side, i, n int) int{
	"unique, the same":    func(_ *rand.Rand, side, i, n int) int { return (i + side*n/2) % n },
	"twice on both sides": func(_ *rand.Rand, side, i, n int) int { return []int{i % ((n + 1) / 2), i / 2}[side] },
	"twice on the left":   func(_ *rand.Rand, side, i, n int) int { return []int{min(i, n-1-i), i}[side] },
	"twice on the right":  func(_ *rand.Rand, side, i, n int) int { return []int{n - i, i * 7 % (n / 2)}[side] },
	"twice, late": func(_ *rand.Rand, side, i, n int) int {
		if i < n/2 {
			return (2+side)*n + i
		}
		return i % (n / 4)
	},
	"thrice": func(_ *rand.Rand, side, i, n int) int { return i % (n/3 + side) },
	"random": func(rnd *rand.Rand, side, _, n int) int { return rnd.IntN(n/(2+2*side)) - 3 },
	"some common": func(rnd *rand.Rand, _, _, n int) int {
		return rnd.IntN(1+rnd.IntN(1+rnd.IntN(n))) - 2
	},
	"few, then many": func(rnd *rand.Rand, _, i, n int) int {
		if i < n/2 {
			return rnd.IntN(9)
		}
		return rnd.IntN(n)
	},
	"twice on one side or the other": func(_ *rand.Rand, side, i, _ int) int { // all with two pairs, but for the last
		if i%3 == 2 {
			return 2*(i/3) + 1 - side
		}
		return 2*(i/3) + side
	},
	"a placeholder thrice": func(_ *rand.Rand, _, i, n int) int {
		if i%(n/3) == n/4 {
			return -1
		}
		return i
	},
	"few on the right": func(rnd *rand.Rand, side, _, n int) int { return rnd.IntN([]int{n, 12}[side]) },
	"apart":            func(rnd *rand.Rand, side, _, n int) int { return side*n + rnd.IntN(n/2) },
	"one key for long": func(rnd *rand.Rand, _, i, n int) int {
		if i < n/20 || i > n-n/20 {
			return rnd.IntN(n / 15)
		}
		return 0
	},
	"NULL for long": func(rnd *rand.Rand, _, i, n int) int {
		if i < n/20 || i > n-n/20 {
			return rnd.IntN(n / 15)
		}
		return nullNumber
	},
}

// cutAt cuts a batch, so that there are several workers' spans, and short blocks.
func cutAt(t *testing.T, rnd *rand.Rand, rec arrow.Record) (batches []arrow.Record) {
	n := int(rec.NumRows())
	for at, most := 0, []int{100, 3000, n}[rnd.IntN(3)]; at < n; {
		end := min(n, at+rnd.IntN(most+1))
		batches = append(batches, rec.NewSlice(int64(at), int64(end)))
		at = end
	}
	t.Cleanup(func() { arrowtest.Release(batches) })
	return batches
}

// repeatsOf are the lists of the sides, of all keys that both sides have.
func repeatsOf(worst []join.KeySize) (left, right []join.KeySize) {
	for _, k := range worst {
		if k.Left > 1 {
			left = append(left, k)
		}
		if k.Right > 1 {
			right = append(right, k)
		}
	}
	return left[:min(len(left), onerow.MaxSampleKeys)], right[:min(len(right), onerow.MaxSampleKeys)]
}

// estimateBare compares a size of sides whose keys are dealt out bare with Go maps, and with what is found of keys that aren't.
func estimateBare(t *testing.T, seed uint64, spread string, sizes [2]int) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(seed, 10))
	var keys [2][]int
	var sides [2][]arrow.Record
	mem := arrowtest.Allocator(t)
	for side, n := range sizes {
		keys[side] = make([]int, n)
		for i := range keys[side] {
			if keys[side][i] = bareSides[spread](rnd, side, i, n); keys[side][i] < -1 {
				keys[side][i] = nullNumber
			}
		}
		if rnd.IntN(3) == 0 {
			rnd.Shuffle(n, func(i, j int) { keys[side][i], keys[side][j] = keys[side][j], keys[side][i] })
		}
		sides[side] = cutAt(t, rnd, largeSide(t, mem, "int64", keys[side])[0])
	}
	trial, least := keyset.HotTrial, keyset.MinBareRows
	defer func() { keyset.HotTrial, keyset.MinBareRows = trial, least }()
	all := expectSize("int64", keys, join.NullsNever, sizes[0])
	left, right := repeatsOf(all.Worst)
	for range 2 {
		keyset.HotTrial = []int{0, 700, sizes[0] / 3, sizes[0]}[rnd.IntN(4)]
		keyset.MaxTies = []int{0, 1, 3, 64}[rnd.IntN(4)]
		opts := join.Options{Worst: []int{1, 3, 20, 300}[rnd.IntN(4)], Resources: onerow.Resources{Workers: 1 + rnd.IntN(4)}}
		estimate := func(least int64) *join.Size {
			keyset.MinBareRows = least
			s, err := join.Estimate(t.Context(), sides[0], sides[1], join.On("k"), opts)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		about := fmt.Sprintf("seed %d, at hand for %d rows, at most %d ties, options %+v (-want +got)", seed, keyset.HotTrial, keyset.MaxTies, opts)
		got, want := estimate(0), *all
		want.Worst = want.Worst[:min(len(want.Worst), opts.Worst)]
		if d := gocmp.Diff(&want, known(got), plainCounts, cmpopts.EquateEmpty()); d != "" {
			t.Fatalf("%s: %.2000s", about, d)
		}
		lists := gocmp.Options{plainCounts, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(join.KeySize{}, "Share")}
		if d := gocmp.Diff([2][]join.KeySize{left, right}, [2][]join.KeySize{got.Left.Repeats, got.Right.Repeats}, lists); d != "" {
			t.Fatalf("keys that repeat, %s: %.2000s", about, d)
		}
		if d := gocmp.Diff(estimate(never), got, plainCounts, cmpopts.EquateEmpty()); d != "" {
			t.Fatalf("not bare, %s: %.2000s", about, d)
		}
	}
}

const never = 1 << 62

// TestEstimateBareLarger joins sides of thousands of rows, of which some are counted at hand.
func TestEstimateBareLarger(t *testing.T) {
	dealtBare(t, 0)
	for spread := range bareSides {
		for seed := range uint64(3) {
			if testing.Short() && seed > 1 {
				break
			}
			for _, hash := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%d/one hash %v", spread, seed, hash), func(t *testing.T) {
					form.ConstantHash(hash)
					defer form.ConstantHash(false)
					n := []int{5000, 8000, 20_000}[seed]
					if hash {
						n = 2000
					}
					estimateBare(t, seed, spread, [2]int{n, []int{n + 300, 1000, n}[seed]})
				})
			}
		}
	}
}

// TestEstimateBareLong joins sides of more blocks than entries can tell apart, in which most partitions have no rows for long.
func TestEstimateBareLong(t *testing.T) {
	if testing.Short() {
		t.Skip("many rows")
	}
	dealtBare(t, 0)
	for _, spread := range []string{"one key for long", "NULL for long"} {
		t.Run(spread, func(t *testing.T) { estimateBare(t, 2, spread, [2]int{400_000, 300_000}) })
	}
}
