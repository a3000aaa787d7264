package keyset_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/keyset"
)

// paired are Pairs and what they should hold, of one partition.
type paired struct {
	pairs *keyset.Pairs
	part  int
	want  map[[1]uint64][2]uint64
	tag   uint64
}

func newPaired(part int) *paired {
	return &paired{pairs: keyset.NewPairs(), part: part, want: map[[1]uint64][2]uint64{}}
}

func (p *paired) sum(side int, keys ...[1]uint64) {
	for chunk := range slices.Chunk(keys, keyset.ChunkRows) {
		entries := make([]uint64, len(chunk))
		for i, k := range chunk {
			entries[i] = k[0]<<keyset.BareBits | p.tag%(1<<keyset.BareBits)
			p.tag += 3
			p.add(side, k, 1)
		}
		p.pairs.Sum(side, entries)
	}
}

func (p *paired) many(side int, key [1]uint64, n uint32) {
	p.pairs.AddMany(side, key, n)
	p.add(side, key, uint64(n))
}

func (p *paired) add(side int, key [1]uint64, n uint64) {
	rows := p.want[key]
	rows[side] += n
	p.want[key] = rows
}

// sums are PairSums with the pairs as one number.
type sums struct {
	keyset.PairSums
	pairs string
}

func (p *paired) sums() (s sums) {
	pairs := new(big.Int)
	for _, rows := range p.want {
		both := rows[0] > 0 && rows[1] > 0
		if both {
			s.Both++
		}
		pairs.Add(pairs, new(big.Int).Mul(new(big.Int).SetUint64(rows[0]), new(big.Int).SetUint64(rows[1])))
		for side, n := range rows {
			if n > 0 {
				s.Keys[side]++
			}
			if both {
				s.Rows[side] += int64(n)
				s.Most[side] = max(s.Most[side], uint32(n))
				s.Repeated[side] += int64(min(n-1, 1))
			}
		}
	}
	s.pairs = pairs.String()
	return s
}

// wanted says whether keys with so many rows are to be looked at.
func wanted(l keyset.Least, rows [2]uint64) bool {
	p := rows[0] * rows[1]
	for side, n := range rows {
		if n >= l.Rows[side] || p > 0 && n > 1 && p >= l.Repeated[side] {
			return true
		}
	}
	return p >= l.Product
}

func (p *paired) check(t *testing.T, rnd *rand.Rand) {
	t.Helper()
	rows := uint64(0)
	for k, n := range p.want {
		rows += n[0] + n[1]
		if got := p.pairs.Of(k); uint64(got[0]) != n[0] || uint64(got[1]) != n[1] {
			t.Fatalf("key %#x has %d rows, want %d", k, got, n)
		}
	}
	if got := p.pairs.Rows(); uint64(got) != rows {
		t.Fatalf("%d rows, want %d", got, rows)
	}
	some := func() uint64 { return []uint64{0, 1, 2, 3, 6, 200, 100_000, math.MaxUint64}[rnd.IntN(8)] }
	least := keyset.Least{Product: max(some(), 1), Repeated: [2]uint64{some(), some()}, Rows: [2]uint64{max(some(), 1), max(some(), 1)}}
	seen := map[[1]uint64]bool{}
	met := sums{PairSums: p.pairs.Meet(p.part, func() keyset.Least { return least }, func(pair keyset.Pair) {
		n, ok := p.want[pair.Key]
		if !ok || seen[pair.Key] || pair.Part != p.part || uint64(pair.Rows[0]) != n[0] || uint64(pair.Rows[1]) != n[1] {
			t.Fatalf("seen is %#x, want %d rows, again %v", pair, n, seen[pair.Key])
		}
		seen[pair.Key] = true
	})}
	pairs := new(big.Int).SetUint64(met.Hi)
	met.pairs = pairs.Add(pairs.Lsh(pairs, 64), new(big.Int).SetUint64(met.Lo)).String()
	met.Hi, met.Lo = 0, 0
	if want := p.sums(); met != want {
		t.Fatalf("sums are %+v, want %+v", met, want)
	}
	for k, n := range p.want {
		if wanted(least, n) && !seen[k] {
			t.Fatalf("key %#x with %d rows isn't seen, by %+v", k, n, least)
		}
		if !wanted(least, n) && seen[k] && n[0] <= keyset.MaxInSlot && n[1] <= math.MaxUint8 && k[0]<<keyset.BareBits != 0 {
			t.Fatalf("key %#x with %d rows is seen, by %+v", k, n, least)
		}
	}
	for range 20 {
		k := bareKey(p.part, rnd.Uint64())
		if _, have := p.want[k]; !have && p.pairs.Of(k) != [2]uint32{} {
			t.Fatalf("key %#x isn't among them, and has %d rows", k, p.pairs.Of(k))
		}
	}
}

// TestPairs counts entries, and numbers of rows at once, on both sides, in any order, of few keys and of many, with one Pairs for all that follows.
func TestPairs(t *testing.T) {
	for _, hash := range []bool{false, true} {
		t.Run(fmt.Sprintf("one hash %v", hash), func(t *testing.T) {
			form.ConstantHash(hash)
			defer form.ConstantHash(false)
			rnd := rand.New(rand.NewPCG(5, 3))
			p := newPaired(0)
			for round, n := range []int{1, 40, 3000, 2, 300, 40_000, 1, 1, 9000, 500, 5, 7, 900} {
				if hash {
					n = min(n, 400)
				}
				if testing.Short() && n > 9000 {
					continue
				}
				p.pairs.Reset()
				clear(p.want)
				p.part = []int{0, 511, 200}[round%3]
				keys := bareKeys(rnd, p.part, n) // the first is zero as an entry
				for step := range 6 {
					side := []int{0, 1, step % 2, rnd.IntN(2)}[round%4]
					if round%4 < 2 { // one side after the other, as they come
						side = []int{side, 1 - side}[step/3]
					}
					batch := make([][1]uint64, rnd.IntN(n+1000))
					for i := range batch { // of which some are of this side alone
						batch[i] = keys[min(side*n/5+rnd.IntN(n-n/5), rnd.IntN(n))]
					}
					p.sum(side, batch...)
					for range rnd.IntN(30) {
						p.many(side, keys[rnd.IntN(n)], []uint32{1, 2, 254, 255, 256, 257, 509, 510, 511, 512, 513, 1022, 1 << 20}[rnd.IntN(13)])
					}
					if rnd.IntN(3) == 0 {
						p.check(t, rnd)
					}
				}
				p.check(t, rnd)
			}
		})
	}
}

// TestPairsOutgrow: numbers at which a slot, or the byte beside it, is full, and fuller, by entries and at once; so many pairs that 64 bits
// don't hold them.
func TestPairsOutgrow(t *testing.T) {
	rnd := rand.New(rand.NewPCG(6, 3))
	for _, below := range []uint64{0, 1, 1 << 23, ^uint64(0)} {
		for _, n := range [][2]uint32{{0, 1}, {1, 0}, {1, 1}, {2, 254}, {510, 255}, {511, 256}, {512, 257}, {3, 509}, {1023, 510}, {1024, 511}, {0, 5000}, {5000, 0}, {5000, 5000}} {
			for _, first := range [][2]uint32{{}, {1, 0}, {0, 1}, {511, 255}, {512, 256}, {0, 1<<32 - 5001}, {1<<32 - 5001, 1<<32 - 5001}} {
				p := newPaired(5)
				k := bareKey(5, below)
				for side := range 2 {
					if first[side] > 0 {
						p.many(side, k, first[side])
					}
				}
				p.sum(1, slices.Repeat([][1]uint64{k}, int(n[1]))...)
				p.sum(0, slices.Repeat([][1]uint64{k}, int(n[0]))...)
				if rnd.IntN(2) == 0 { // beside another key of so many rows, and pairs
					other := bareKey(5, 99<<23)
					p.many(0, other, 1<<32-1)
					p.many(1, other, 1<<32-1)
				}
				p.check(t, rnd)
			}
		}
	}
}

// TestPairsWrap: what a slot says is taken off sums of pairs that just went over 64 bits, or are about to.
func TestPairsWrap(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 3))
	for i := range 80 { // keys that outgrew their slots come in any order
		p := newPaired(5)
		great, rest, slot := bareKey(5, 1<<23), bareKey(5, 2<<23), bareKey(5, 3<<23)
		for side := range 2 {
			p.many(side, great, 1<<32-1) // with rest 1<<64 - 1000 pairs, or - 345,073
			p.many(side, rest, [2][2]uint32{{2_863_311_197, 3}, {4_294_794_759, 2}}[i%2][side])
			p.many(side, slot, 512-256*uint32(side))
			p.sum(side, slices.Repeat([][1]uint64{slot}, 200)...)
		}
		p.check(t, rnd)
	}
}
