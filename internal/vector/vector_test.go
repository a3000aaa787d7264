package vector_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/onerow-go/onerow/internal/vector"
)

// bothWays runs a test of loops that have AVX-512 with the assembly and without.
func bothWays(t *testing.T, f func(t *testing.T)) { ways(t, vector.InGo, f) }

// ways runs a test with the assembly and without, as inGo chooses.
func ways(t *testing.T, inGo func(on bool) (had bool), f func(t *testing.T)) {
	t.Run("go", func(t *testing.T) {
		inGo(true)
		defer inGo(false)
		f(t)
	})
	t.Run("assembly", func(t *testing.T) {
		if !inGo(false) {
			t.Skip("this processor, or build, goes the way without assembly")
		}
		f(t)
	})
}

var corners = []uint64{0, 1, 2, math.MaxInt64, 1 << 63, 1<<63 + 1, math.MaxUint64, math.MaxUint64 - 1, 1 << 32, 1<<32 - 1, 1 << 31}

func words(r *rand.Rand, n int) []uint64 {
	out := make([]uint64, n)
	for i := range out {
		if out[i] = r.Uint64() >> r.IntN(64); r.IntN(4) == 0 {
			out[i] = corners[r.IntN(len(corners))]
		}
	}
	return out
}

// lengths are those around whole vectors, and of blocks.
var lengths = []int{0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 1023, 1024}

func TestPermutation(t *testing.T) {
	bothWays(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		for _, n := range lengths {
			for off := range 3 { // memory need not be aligned to vectors
				p := vector.Permutation{Add: r.Uint64(), By: r.Uint64() | 1, Again: r.Uint64() | 1}
				from, to := words(r, n+off)[off:], words(r, n+off+1)[off:]
				beyond := to[n]
				p.Words(to[:n], from)
				for i, w := range from {
					x := (w ^ p.Add) * p.By
					x = (x ^ x>>32) * p.Again
					if x ^= x >> 29; to[i] != x || p.One(w) != x {
						t.Fatalf("%d words: word %d, %#x, is %#x and %#x, not %#x", n, i, w, to[i], p.One(w), x)
					}
				}
				if to[n] != beyond {
					t.Fatalf("%d words: wrote beyond the last", n)
				}
			}
		}
	})
}

func TestNarrow(t *testing.T) {
	bothWays(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 4))
		for _, n := range lengths {
			for shift := range uint(64) {
				from, base, flip := words(r, n), words(r, 1)[0], uint32(r.IntN(2))*math.MaxUint32
				to := make([]uint32, n+1)
				to[n] = 77
				greatest := vector.Narrow(to[:n], from, base, shift, flip)
				most := uint64(0)
				for i, w := range from {
					most = max(most, w-base)
					if want := uint32((w-base)>>shift) ^ flip; to[i] != want {
						t.Fatalf("%d words, shift %d: word %d is %#x, not %#x", n, shift, i, to[i], want)
					}
				}
				if greatest != most {
					t.Fatalf("%d words, shift %d: the greatest is %#x, not %#x", n, shift, greatest, most)
				}
				if to[n] != 77 {
					t.Fatalf("%d words: wrote beyond the last", n)
				}
			}
		}
	})
}

// randomSlots makes a table of slots, some of them free, and keys that are in it or not.
func randomSlots(r *rand.Rand, n int, oneLine bool) (table [][2]uint64, s vector.Slots, keys []uint64) {
	size := vector.Ways << r.IntN(10)
	table = make([][2]uint64, size)
	s = vector.Slots{Base: unsafe.Pointer(&table[0]), By: r.Uint64() | 1, Shift: uint(4 + r.IntN(50)), Mask: uint64(size - 1)}
	if oneLine {
		s.By = 0
	}
	few := words(r, 1+r.IntN(6*size))
	slices.Sort(few)
	few = slices.Compact(few)
	share := r.IntN(9)
	for _, k := range few {
		at := s.Of(k) ^ r.Uint64N(vector.Ways)
		if r.IntN(8) < share && table[at] == [2]uint64{} {
			table[at] = [2]uint64{k, words(r, 1)[0]}
		}
	}
	keys = make([]uint64, n)
	for i := range keys {
		keys[i] = few[r.IntN(len(few))]
	}
	return table, s, keys
}

// lineOf returns the line of a key, and the rank that it has there.
func lineOf(table [][2]uint64, s vector.Slots, key uint64) (line [][2]uint64, rank uint64) {
	line = table[s.Of(key)/vector.Ways*vector.Ways:][:vector.Ways]
	for _, slot := range line {
		if slot[0] == key {
			rank = max(rank, slot[1])
		}
	}
	return line, rank
}

// TestSlots: rows are listed as one by one, up to where vectors end; what the list had before stays.
func TestSlots(t *testing.T) {
	bothWays(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(5, 6))
		for round := range 3000 {
			n := r.IntN(200)
			table, s, keys := randomSlots(r, n, round%50 == 0)
			orders, flip, least := words(r, n), uint64(r.IntN(2))<<63, words(r, 1)[0]
			for i := range orders {
				if _, rank := lineOf(table, s, keys[i]); r.IntN(3) == 0 {
					orders[i] = []uint64{rank, rank - 1, least}[r.IntN(3)] ^ flip
				}
			}
			from := r.IntN(n + 1)
			listed := r.IntN(from + 1)
			for _, above := range []bool{false, true} {
				list := make([]uint16, n)
				for i := range list {
					list[i] = 7777
				}
				var end, m int
				if above {
					end, m = s.Above(keys, orders, flip, least, list, from, listed)
				} else {
					end, m = s.Unbeaten(keys, orders, flip, list, from, listed)
				}
				if end != from && end != from+(n-from)/8*8 {
					t.Fatalf("rows from %d of %d end before %d", from, n, end)
				}
				want := slices.Clone(list[:listed])
				for i := from; i < end; i++ {
					_, bar := lineOf(table, s, keys[i])
					if above {
						if bar = least; table[s.Of(keys[i])][0] != keys[i] {
							bar = 0
						}
					}
					if orders[i]^flip >= bar {
						want = append(want, uint16(i))
					}
				}
				if !slices.Equal(list[:m], want) || listed > 0 && list[0] != 7777 {
					t.Fatalf("above %v, rows from %d to %d: listed are %v, want %v", above, from, end, list[:m], want)
				}
			}
		}
	})
}

// TestHomeless: of some rows, those go whose key isn't in its line, which is full.
func TestHomeless(t *testing.T) {
	bothWays(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(7, 8))
		both := [2]int{}
		for round := range 3000 {
			_, s, keys := randomSlots(r, r.IntN(200), round%50 == 0)
			var list, stay, gone []uint16
			for i, k := range keys {
				if r.IntN(3) == 0 {
					continue
				}
				list = append(list, uint16(i))
				full, here := true, false
				for way := range uint64(vector.Ways) {
					slot := unsafe.Slice((*[2]uint64)(s.Base), s.Mask+1)[s.Of(k)^way]
					full, here = full && slot[1] != 0, here || slot[0] == k
				}
				if full && !here {
					gone = append(gone, uint16(i))
				} else {
					stay = append(stay, uint16(i))
				}
			}
			out := make([]uint16, len(list)+1)
			out[len(list)] = 7777
			gotStay, gotGone := s.Homeless(keys, list, out)
			if !slices.Equal(gotStay, stay) || !slices.Equal(gotGone, gone) || out[len(list)] != 7777 {
				t.Fatalf("%v stay and %v go, want %v and %v", gotStay, gotGone, stay, gone)
			}
			both[0], both[1] = both[0]+len(stay), both[1]+len(gone)
		}
		if min(both[0], both[1]) < 10_000 {
			t.Errorf("%d rows stay and %d go", both[0], both[1])
		}
	})
}

// TestLengths: what is too short is refused before anything is written.
func TestLengths(t *testing.T) {
	bothWays(t, func(t *testing.T) {
		panics := func(f func()) (did bool) {
			defer func() { did = recover() != nil }()
			f()
			return false
		}
		room, narrow := make([]uint64, 16), make([]uint32, 16)
		if !panics(func() { vector.Permutation{By: 1, Again: 1}.Words(room[:8:8], make([]uint64, 16)) }) ||
			!panics(func() { vector.Narrow(narrow[:8:8], make([]uint64, 16), 0, 0, 1) }) {
			t.Error("room that is too short is written to")
		}
		if slices.Max(room) != 0 || slices.Max(narrow) != 0 {
			t.Error("something was written")
		}
	})
}
