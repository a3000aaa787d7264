package keyset_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/onerow-go/onerow/internal/keyset"
)

type rankedKey = keyset.Ranked[[1]uint64]

// rowsKnown are all keys with their first rows, as a column has them.
type rowsKnown struct {
	t    *testing.T
	rnd  *rand.Rand
	rows map[[1]uint64]uint32
	part map[int][]rankedKey
}

func byRankAndRow(a, b rankedKey) int {
	return cmp.Or(cmp.Compare(b.Rank, a.Rank), cmp.Compare(a.Row1, b.Row1))
}

func (r *rowsKnown) First(keys []rankedKey, n int) []rankedKey {
	if n > len(keys) {
		r.t.Errorf("the first %d are asked for of %d keys", n, len(keys))
	}
	out := make([]rankedKey, len(keys))
	seen := map[[1]uint64]bool{}
	for i, k := range keys {
		if seen[k.Key] {
			r.t.Errorf("key %#x comes twice", k.Key)
		}
		seen[k.Key] = true
		row1 := r.rows[k.Key] + 1
		if k.Row1 != 0 && k.Row1 != row1 {
			r.t.Errorf("key %#x comes with row %d, not %d", k.Key, k.Row1-1, row1-1)
		}
		out[i] = k
		out[i].Row1 = row1
	}
	slices.SortFunc(out, func(a, b rankedKey) int { return cmp.Compare(a.Row1, b.Row1) })
	return out[:n]
}

// Early calls f for others too.
func (r *rowsKnown) Early(part int, row1 uint32, f func(key [1]uint64)) {
	for _, k := range r.part[part] {
		if r.rows[k.Key]+1 < row1 || r.rnd.IntN(10) == 0 {
			for range 1 + r.rnd.IntN(2) {
				f(k.Key)
			}
		}
	}
}

// TestTop compares what is left of keys that are added in rounds to one Top or several with a sort of all. Many are equal in rank; their rows are known, or found
// where they decide.
func TestTop(t *testing.T) {
	most := keyset.MaxTies
	defer func() { keyset.MaxTies = most }()
	seeds := uint64(1500)
	if testing.Short() {
		seeds = 300
	}
	for seed := range seeds {
		rnd := rand.New(rand.NewPCG(seed, 6))
		keyset.MaxTies = []int{0, 1, 3, 64}[rnd.IntN(4)]
		limit := []int{0, 1, 2, 5, 20, math.MaxInt / 2, math.MaxInt}[rnd.IntN(7)]
		known, ranks, floors := rnd.IntN(2) == 0, []uint64{1, 2, 3, 40, 1 << 63}[rnd.IntN(5)], rnd.IntN(3)
		total := rnd.IntN([]int{3, 40, 2000}[rnd.IntN(3)])
		rows := &rowsKnown{t: t, rnd: rnd, rows: map[[1]uint64]uint32{}, part: map[int][]rankedKey{}}
		parts := 1 + rnd.IntN(60)
		numbers := rnd.Perm(total)
		if rnd.IntN(4) == 0 {
			slices.Sort(numbers) // partitions one after the other
		}
		var all []rankedKey
		for i, row := range numbers {
			k := rankedKey{Key: [1]uint64{uint64(i)}, Row1: uint32(row) + 1, Part: i * parts / max(1, total), Rank: 2 + rnd.Uint64N(ranks)}
			if rnd.IntN(3) == 0 {
				k.Rank = 2
			}
			all = append(all, k)
			rows.rows[k.Key] = uint32(row)
			rows.part[k.Part] = append(rows.part[k.Part], k)
		}
		tops := make([]keyset.Top[[1]uint64], 1+rnd.IntN(3))
		shared := []*atomic.Uint64{nil, new(atomic.Uint64)}[rnd.IntN(2)]
		for i := range tops {
			tops[i].Shared = shared
			if tops[i].Limit = limit; !known {
				tops[i].Rows = rows
			}
		}
		for _, part := range rnd.Perm(parts) {
			top := &tops[rnd.IntN(len(tops))]
			keys := rows.part[part]
			floor := top.Floor()
			for _, i := range rnd.Perm(len(keys)) {
				k := keys[i]
				if !known {
					k.Row1 = 0
				}
				if floors == 0 || floors == 1 && k.Rank >= floor || floors == 2 && k.Rank >= top.Floor() {
					top.Add(k)
				}
			}
			top.Trim(part, func(key [1]uint64) uint64 { return all[key[0]].Rank })
			if far := 3*limit + keyset.MaxTies + len(keys); limit < 100 && len(top.Keys) > far {
				t.Fatalf("seed %d: %d keys are kept, with a limit of %d", seed, len(top.Keys), limit)
			}
		}
		merged := tops[0]
		for i := range tops[1:] {
			merged.Keys = append(merged.Keys, tops[i+1].Keys...)
		}
		merged.Cut()
		slices.SortFunc(all, byRankAndRow)
		want := all[:min(limit, len(all))]
		if !slices.Equal(merged.Keys, want) {
			t.Fatalf("seed %d: %d keys, limit %d, most ties %d, rows known %v, %d workers: got %v\nwant %v", seed, total, limit, keyset.MaxTies, known, len(tops),
				merged.Keys, want)
		}
	}
}

// TestTopTies: keys of one rank are not kept, nor are their rows looked for, beyond those that may be first.
func TestTopTies(t *testing.T) {
	const parts, each, limit = 200, 500, 20
	rnd := rand.New(rand.NewPCG(1, 1))
	rows := &rowsKnown{t: t, rnd: rnd, rows: map[[1]uint64]uint32{}, part: map[int][]rankedKey{}}
	top := keyset.Top[[1]uint64]{Limit: limit, Rows: rows}
	numbers := rnd.Perm(parts * each)
	for i, row := range numbers {
		k := rankedKey{Key: [1]uint64{uint64(i)}, Part: i / each, Rank: 2}
		rows.rows[k.Key] = uint32(row)
		rows.part[k.Part] = append(rows.part[k.Part], k)
	}
	for part := range parts {
		for _, k := range rows.part[part] {
			top.Add(k)
		}
		if part > 0 && len(top.Keys) > 3*limit+2*keyset.MaxTies {
			t.Fatalf("%d keys are kept", len(top.Keys))
		}
		top.Trim(part, func([1]uint64) uint64 { return 2 })
		if len(top.Keys) > 2*limit+keyset.MaxTies {
			t.Fatalf("%d keys are kept after a round", len(top.Keys))
		}
	}
	top.Cut()
	for i, k := range top.Keys {
		if k.Row() != uint32(i) {
			t.Fatalf("key %d has row %d", i, k.Row())
		}
	}
}
