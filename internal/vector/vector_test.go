package vector_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/onerow-go/onerow/internal/vector"
)

// bothWays runs a test with the assembly and without.
func bothWays(t *testing.T, f func(t *testing.T)) {
	t.Run("go", func(t *testing.T) {
		vector.InGo(true)
		defer vector.InGo(false)
		f(t)
	})
	t.Run("assembly", func(t *testing.T) {
		if !vector.InGo(false) {
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

// TestSlots: rows are listed as one by one, up to where vectors end; what the list had before stays.
func TestSlots(t *testing.T) {
	bothWays(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(5, 6))
		for round := range 3000 {
			size := 1 << (1 + r.IntN(10))
			table := make([][2]uint64, size)
			s := vector.Slots{Base: unsafe.Pointer(&table[0]), By: r.Uint64() | 1, Shift: uint(1 + r.IntN(54)), Mask: uint64(size - 1)}
			if round%50 == 0 {
				s.By = 0 // all keys in one slot
			}
			few, n := words(r, 1+r.IntN(2*size)), r.IntN(100)
			keys, orders, flip, least := make([]uint64, n), words(r, n), uint64(r.IntN(2))<<63, words(r, 1)[0]
			for i := range keys {
				keys[i] = few[r.IntN(len(few))]
				if p := &table[s.Of(keys[i])]; r.IntN(3) > 0 {
					*p = [2]uint64{keys[i], words(r, 1)[0]}
				}
				if r.IntN(5) == 0 {
					orders[i] = []uint64{table[s.Of(keys[i])][1], least}[r.IntN(2)] ^ flip
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
				var want []uint16
				for i := range listed {
					want = append(want, list[i])
				}
				for i := from; i < end; i++ {
					slot := table[s.Of(keys[i])]
					bar := slot[1]
					if above {
						bar = least
					}
					if slot[0] != keys[i] || orders[i]^flip >= bar {
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
