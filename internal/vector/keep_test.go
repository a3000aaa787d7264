package vector_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/onerow-go/onerow/internal/vector"
)

// keptBySlots merges one entry into a slot, and says whether it is left, and whether the slot was free.
func keptBySlots(s *vector.Kept, e vector.Kept) (left, free bool) {
	switch {
	case s.Row1 == 0:
		*s = e
		return false, true
	case s.Key != e.Key || s.Payload == e.Payload:
		return true, false
	case e.Payload > s.Payload:
		*s = e
	}
	return false, false
}

// TestKeep: entries are merged as one by one, at their start and then in the slot that comes next, in tables of all sizes, also under one
// hash, with keys and payloads that are equal or zero.
func TestKeep(t *testing.T) {
	countedBothWays(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(11, 12))
		var freed, leftOver int
		for range 3000 {
			size := 1 << r.IntN(12)
			mask := uint64(size - 1)
			starts := mask
			if r.IntN(8) == 0 {
				starts = 0
			}
			slots := make([]vector.Kept, size)
			slots[0].Key = ^uint64(0) // as tables have it
			few := words(r, 1+r.IntN(size+20))
			for i := range few {
				few[i] <<= r.IntN(vector.KeepShift + 10)
			}
			want := slices.Clone(slots)
			for batch := range 1 + r.IntN(4) {
				entries := make([]vector.Kept, r.IntN(257))
				for i := range entries {
					entries[i] = vector.Kept{Key: few[r.IntN(len(few))], Row1: uint32(batch*1000 + i + 1), Payload: r.Uint32N(5) - 1}
				}
				var wantLeft, wantNext []uint8
				wantFree, wantFreeNext := 0, 0
				for i, e := range entries {
					left, free := keptBySlots(&want[e.Key>>vector.KeepShift&starts], e)
					if left {
						wantLeft = append(wantLeft, uint8(i))
					}
					if free {
						wantFree++
					}
				}
				left := make([]uint8, 257)
				left[256] = 77
				n, free := vector.Keep(slots, starts, entries, left[:256:256])
				if !slices.Equal(left[:n], wantLeft) || free != wantFree || !slices.Equal(slots, want) || left[256] != 77 {
					t.Fatalf("%d slots: %v are left and %d were free, want %v and %d", size, left[:n], free, wantLeft, wantFree)
				}
				for _, i := range wantLeft {
					e := entries[i]
					at := e.Key >> vector.KeepShift & starts
					if want[at].Key == e.Key {
						wantNext = append(wantNext, i)
						continue
					}
					left, free := keptBySlots(&want[(at+1)&mask], e)
					if left {
						wantNext = append(wantNext, i)
					}
					if free {
						wantFreeNext++
					}
				}
				n, free = vector.KeepNext(slots, starts, mask, entries, left[:n])
				if !slices.Equal(left[:n], wantNext) || free != wantFreeNext || !slices.Equal(slots, want) {
					t.Fatalf("%d slots: %v are left after the next and %d were free, want %v and %d", size, left[:n], free, wantNext, wantFreeNext)
				}
				freed, leftOver = freed+free, leftOver+n
			}
		}
		if min(freed, leftOver) < 10_000 {
			t.Errorf("%d free slots came next, and %d entries were left", freed, leftOver)
		}
	})
}

// TestKeepLengths: what is too short, or too long, is refused before anything is written.
func TestKeepLengths(t *testing.T) {
	countedBothWays(t, func(t *testing.T) {
		slots, left := make([]vector.Kept, 16), make([]uint8, 256)
		entries := slices.Repeat([]vector.Kept{{Key: 1 << 40, Row1: 1, Payload: 1}}, 600)
		for i, f := range []func(){
			func() { vector.Keep(slots, 16, entries[:8], left) },
			func() { vector.Keep(slots, 15, entries[:8], left[:8:8]) },
			func() { vector.Keep(slots, 15, entries[:257], left) },
			func() { vector.Keep(slots, 15, entries, make([]uint8, 600)) },
			func() { vector.KeepNext(slots, 16, 15, entries[:8], left[:1]) },
			func() { vector.KeepNext(slots, 15, 16, entries[:8], left[:1]) },
		} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("call %d isn't refused", i)
					}
				}()
				f()
			}()
		}
		if slices.Max(left) != 0 || slices.ContainsFunc(slots, func(s vector.Kept) bool { return s != vector.Kept{} }) {
			t.Error("something was written")
		}
	})
}
