package vector_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/onerow-go/onerow/internal/vector"
)

// countedBothWays is bothWays for loops that have assembly for all processors.
func countedBothWays(t *testing.T, f func(t *testing.T)) { ways(t, vector.CountInGo, f) }

const lowBits = 1<<vector.CountBits - 1

// TestDeal: keys come out in the chunks of their partitions, in order, up to the first whose chunk is full.
func TestDeal(t *testing.T) {
	countedBothWays(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(7, 8))
		for range 400 {
			chunks, want := make([]vector.Chunk, 1<<vector.CountBits), make([][]uint64, 1<<vector.CountBits)
			room := make([][vector.ChunkWords + 1]uint64, len(chunks))
			for i := range chunks {
				chunks[i] = vector.Chunk{Words: (*[vector.ChunkWords]uint64)(room[i][:]), N: vector.ChunkWords - uint(r.IntN(20))}
				if r.IntN(9) == 0 {
					chunks[i].N = 0
				}
				room[i][vector.ChunkWords] = 77
			}
			first := slices.Clone(chunks)
			keys, tag := words(r, r.IntN(600)), uint64(r.IntN(lowBits+1))
			done := vector.Deal(chunks, keys, tag)
			ended := len(keys)
			for i, k := range keys {
				part := k >> (64 - vector.CountBits)
				if first[part].N+uint(len(want[part])) == vector.ChunkWords {
					ended = i
					break
				}
				want[part] = append(want[part], k<<vector.CountBits|tag)
			}
			if done != ended {
				t.Fatalf("%d keys of %d are dealt out, want %d", done, len(keys), ended)
			}
			for i, c := range chunks {
				if c.N != first[i].N+uint(len(want[i])) || !slices.Equal(c.Words[first[i].N:c.N], want[i]) || room[i][vector.ChunkWords] != 77 {
					t.Fatalf("partition %d has %d words from %d on, want %d", i, c.N, first[i].N, len(want[i]))
				}
			}
		}
	})
}

// countedTable is a table as loops that count have it.
type countedTable struct {
	slots  []uint64
	second []uint8
	starts uint64
}

// counting makes a table with keys and numbers of all sorts, and entries that look for them.
func counting(r *rand.Rand) (c countedTable, entries []uint64) {
	n := 1 << (1 + r.IntN(8))
	c = countedTable{make([]uint64, n), make([]uint8, n), uint64(n-1) * uint64(min(r.IntN(9), 1))}
	keys := words(r, 1+r.IntN(2*n))
	for i := range keys {
		if keys[i] &^= lowBits; r.IntN(3) == 0 {
			keys[i] &= 3<<vector.CountShift | 1<<vector.CountBits // few starts, and keys that are alike, and zero
		}
	}
	for range r.IntN(n) {
		k := keys[r.IntN(len(keys))]
		at := (k>>vector.CountShift + uint64(r.IntN(2))) & c.starts
		c.slots[at] = k | []uint64{0, 1, lowBits - 1, lowBits, uint64(r.IntN(lowBits + 1))}[r.IntN(5)]
		c.second[at] = []uint8{0, 1, 254, 255}[r.IntN(4)]
	}
	for range r.IntN(vector.ChunkWords + 1) {
		entries = append(entries, keys[r.IntN(len(keys))]|uint64(r.IntN(lowBits+1)))
	}
	return c, entries
}

func (c countedTable) clone() countedTable {
	return countedTable{slices.Clone(c.slots), slices.Clone(c.second), c.starts}
}

// count counts an entry, by the slot at its start or the one after it, and says whether it did, and whether the slot was free.
func (c countedTable) count(e uint64, next bool) (did, free bool) {
	at, key := e>>vector.CountShift&c.starts, e&^lowBits
	if next {
		if c.slots[at]&^lowBits == key {
			return false, false
		}
		at = (at + 1) & c.starts
	}
	s := &c.slots[at]
	switch {
	case *s == 0:
		*s, free = key, true
	case *s&^lowBits != key || *s&lowBits == lowBits:
		return false, false
	}
	*s++
	return true, free
}

// countSecond is count for the number beside the slot.
func (c countedTable) countSecond(e uint64) (did, free bool) {
	at, key := e>>vector.CountShift&c.starts, e&^lowBits
	if key == 0 {
		return false, false
	}
	if c.slots[at] == 0 {
		c.slots[at], free = key, true
	}
	if c.slots[at]&^lowBits != key || c.second[at] == math.MaxUint8 {
		return false, free
	}
	c.second[at]++
	return true, free
}

// TestCount: entries are counted, and others listed, as one by one.
func TestCount(t *testing.T) {
	countedBothWays(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(9, 10))
		for round := range 4000 {
			c, entries := counting(r)
			want := c.clone()
			check := func(name string, left []uint8, free int, wantLeft []uint8, wantFree int) {
				t.Helper()
				if !slices.Equal(left, wantLeft) || free != wantFree || !slices.Equal(c.slots, want.slots) || !slices.Equal(c.second, want.second) {
					t.Fatalf("round %d, %s of %d entries in %d slots: left are %v, and %d slots were free, want %v and %d;\nslots %#x\nwant  %#x", round, name, len(entries),
						len(c.slots), left, free, wantLeft, wantFree, c.slots, want.slots)
				}
			}
			var wantLeft, wantNext []uint8
			wantFree := 0
			one := func(to []uint8, i int, did, free bool) []uint8 {
				if free {
					wantFree++
				}
				if !did {
					to = append(to, uint8(i))
				}
				return to
			}
			left := make([]uint8, vector.ChunkWords)
			if round%3 == 0 {
				for i, e := range entries {
					did, free := want.countSecond(e)
					wantLeft = one(wantLeft, i, did, free)
				}
				n, free := vector.CountSecond(c.slots, c.second, c.starts, entries, left)
				check("CountSecond", left[:n], free, wantLeft, wantFree)
				continue
			}
			for i, e := range entries {
				did, free := want.count(e, false)
				wantLeft = one(wantLeft, i, did, free)
			}
			n, free := vector.Count(c.slots, c.starts, entries, left)
			check("Count", left[:n], free, wantLeft, wantFree)
			wantFree = 0
			for _, i := range wantLeft {
				did, free := want.count(entries[i], true)
				wantNext = one(wantNext, int(i), did, free)
			}
			n, free = vector.CountNext(c.slots, c.starts, entries, left[:n])
			check("CountNext", left[:n], free, wantNext, wantFree)
		}
	})
}

// TestMeet: sums are those of the keys one by one, and keys are listed that any of the numbers ask for.
func TestMeet(t *testing.T) {
	bothWays(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(11, 12))
		for range 3000 {
			var met vector.Met
			var keys, rows, most, repeated [2]uint64
			var both, pairs uint64
			for range 1 + r.IntN(3) {
				slots, second := words(r, r.IntN(70)), make([]uint8, 70)
				for i := range slots {
					if second[i] = []uint8{0, 1, 2, 3, 255, uint8(r.IntN(256))}[r.IntN(6)]; r.IntN(2) == 0 {
						slots[i] = slots[i]&^lowBits | uint64(r.IntN(4))
					}
				}
				some := func() uint64 { return []uint64{0, 1, 2, 3, 6, 200, 1000, 100_000, math.MaxUint64}[r.IntN(9)] }
				least := vector.Least{Product: some(), Repeated: [2]uint64{some(), some()}, Rows: [2]uint64{some(), some()}}
				var want []uint16
				for i, s := range slots {
					n := [2]uint64{s & lowBits, uint64(second[i])}
					p := n[0] * n[1]
					look := p >= least.Product
					pairs += p
					for side, n := range n {
						keys[side] += min(n, 1)
						look = look || n >= least.Rows[side] || p > 0 && n > 1 && p >= least.Repeated[side]
						if p > 0 {
							rows[side] += n
							most[side] = max(most[side], n)
							repeated[side] += min(n-1, 1)
						}
					}
					both += min(p, 1)
					if look {
						want = append(want, uint16(i))
					}
				}
				list := make([]uint16, len(slots)+1)
				list[len(slots)] = 7777
				n := met.Meet(slots, second, &least, list[:len(slots)])
				if !slices.Equal(list[:n], want) || list[len(slots)] != 7777 {
					t.Fatalf("%+v of %d slots: listed are %v, want %v", least, len(slots), list[:n], want)
				}
			}
			if met.Both() != both || met.Pairs() != pairs {
				t.Fatalf("%d keys of both sides, %d pairs, want %d and %d", met.Both(), met.Pairs(), both, pairs)
			}
			for side := range 2 {
				if met.Keys(side) != keys[side] || met.Rows(side) != rows[side] || met.Most(side) != most[side] || met.Repeated(side) != repeated[side] {
					t.Fatalf("side %d: %d keys, %d rows, at most %d, %d repeat, want %d, %d, %d and %d", side, met.Keys(side), met.Rows(side), met.Most(side),
						met.Repeated(side), keys[side], rows[side], most[side], repeated[side])
				}
			}
		}
	})
}

// TestCountLengths: what is too short, or too long, is refused before anything is written.
func TestCountLengths(t *testing.T) {
	countedBothWays(t, func(t *testing.T) {
		slots, second, left := make([]uint64, 16), make([]uint8, 16), make([]uint8, vector.ChunkWords)
		entries := slices.Repeat([]uint64{1 << 40}, 600)
		var met vector.Met
		for i, f := range []func(){
			func() { vector.Count(slots, 16, entries[:8], left) },
			func() { vector.Count(slots, 15, entries[:8], left[:8:8]) },
			func() { vector.Count(slots, 15, entries[:257], left) },
			func() { vector.Count(slots, 15, entries, make([]uint8, 600)) },
			func() { vector.CountSecond(slots, second[:8], 15, entries[:8], left) },
			func() { vector.CountSecond(slots, second, 16, entries[:8], left) },
			func() { vector.CountNext(slots, 16, entries[:8], left[:1]) },
			func() { met.Meet(slots, second[:8:8], &vector.Least{}, make([]uint16, 16)) },
			func() { met.Meet(slots, second, &vector.Least{}, make([]uint16, 8)) },
			func() { vector.Deal(make([]vector.Chunk, 511), entries, 0) },
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
		if slices.Max(slots) != 0 || slices.Max(second) != 0 || slices.Max(left) != 0 {
			t.Error("something was written")
		}
	})
}
