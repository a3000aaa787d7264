package join

import (
	"math/bits"

	"github.com/onerow-go/onerow/internal/keyset"
)

// probing is room for facts that are looked up together: the key that each is found to have, and, of those whose key there is, the row, the time and
// the steps to search.
type probing[K keyset.Words] struct {
	keyset.Probe
	known []*keyset.Entry[K, uint32]
	rows  []uint32
	times []uint64
	lo, n []uint32
	found []holders
}

func newProbing[K keyset.Words]() probing[K] {
	const n = keyset.BlockRows
	return probing[K]{known: make([]*keyset.Entry[K, uint32], n), rows: make([]uint32, n), times: make([]uint64, n), lo: make([]uint32, n),
		n: make([]uint32, n), found: make([]holders, n)}
}

// probe finds what holds some facts. It works on all of them in each of its loops, so that the processor waits for the memory of many at a time.
func (w *rangeWorker[K]) probe(p *part[K], es []keyset.Entry[K, word]) {
	if len(es) == 0 || w.OverAfter(len(es)) {
		return
	}
	b := &w.probing
	known := b.known[:len(es)]
	keyset.FindAll(&b.Probe, p.table, es, known)
	found := 0
	for i, s := range known {
		e := &es[i]
		if s == nil {
			w.sink.refuse(w.id, e.Row(), NoKey)
			continue
		}
		lo := p.bounds[s.Payload]
		b.lo[found], b.n[found] = lo, p.bounds[s.Payload+1]-lo
		b.rows[found], b.times[found] = e.Row(), e.Payload.whole()
		found++
	}
	b.search(&p.steps, found)
	w.sink.take(w.id, b.rows[:found], b.found[:found])
}

// search finds the step of each of the first count facts.
func (b *probing[K]) search(s *steps, count int) {
	los, ns, times, found := b.lo[:count], b.n[:count], b.times[:count], b.found[:count]
	for i, t := range times {
		found[i] = s.at(uint(los[i]), uint(ns[i]), t)
	}
}

// at returns what holds a time of the key whose n steps begin at lo. Where the search goes is no branch to be guessed: half of the guesses would be wrong, and
// the search for the next facts would have to wait.
func (s *steps) at(lo, n uint, t uint64) holders {
	for n > 1 {
		half := n >> 1
		lo += half
		_, before := bits.Sub64(t, s.from[lo], 0) // 1 if t is
		lo -= half & -uint(before)
		n -= half
	}
	if s.from[lo] > t {
		return holders{0, uint32(BeforeFirst)}
	}
	return s.holds[lo]
}
