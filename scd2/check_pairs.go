package scd2

import (
	"cmp"
	"slices"
	"sort"

	"github.com/onerow-go/onerow/internal/keyset"
)

// listPairs lists the overlapping pairs of a key, of which there are total, as far as they are among the first of all findings.
//
// A key of n versions may have n² of them. So where they are many, the pairs are found in their order, row by row: of the rows after it, a
// row overlaps those that start by its last word and reach its start. A tree of the greatest reach over the versions in order of their
// starts finds each of these in log n.
func (s *sweeper) listPairs(live []stretch, total uint64) {
	first := live[0].row
	for i := range live {
		first = min(first, live[i].row)
	}
	if !s.found.takes(first) {
		return
	}
	if total <= 2*uint64(s.found.limit) {
		s.allPairs(live)
		return
	}
	s.firstPairs(live)
}

func (s *sweeper) allPairs(live []stretch) {
	for i := range live {
		for j := i + 1; j < len(live) && live[j].from <= live[i].last; j++ {
			s.pair(live[i].row, live[j].row)
		}
		if s.pollAfter(1) {
			return
		}
	}
}

func (s *sweeper) pair(a, b uint32) {
	s.found.add(finding{first: min(a, b), second: max(a, b), kind: Overlap})
}

// firstPairs lists pairs in order of their first row, until there are as many as are listed at all.
func (s *sweeper) firstPairs(live []stretch) {
	byRow := make([]uint32, len(live))
	for i := range byRow {
		byRow[i] = uint32(i)
	}
	slices.SortFunc(byRow, func(a, b uint32) int {
		if s.pollAfter(1) {
			return 0
		}
		return cmp.Compare(live[a].row, live[b].row)
	})
	t := newReachTree(live, &s.poll)
	listed := 0
	for _, i := range byRow {
		if s.pollAfter(16) || listed >= s.found.limit || !s.found.takes(live[i].row) {
			return
		}
		t.remove(i)
		starts := sort.Search(len(live), func(j int) bool { return live[j].from > live[i].last })
		t.each(1, 0, t.leaves, uint32(starts), live[i].from, func(j uint32) bool {
			s.pair(live[i].row, live[j].row)
			listed++
			return !s.pollAfter(4)
		})
	}
}

// reachTree finds versions by their last word among the first ones in order of start. Node k has the children 2k and 2k+1, and holds the version of the
// greatest last word below it.
type reachTree struct {
	live   []stretch
	leaves uint32
	best   []uint32 // keyset.None where no version is left
}

func newReachTree(live []stretch, p *poll) *reachTree {
	t := &reachTree{live: live, leaves: 1}
	for int(t.leaves) < len(live) {
		t.leaves *= 2
	}
	t.best = make([]uint32, 2*uint64(t.leaves))
	for i := range t.best[t.leaves:] {
		leaf := keyset.None
		if i < len(live) {
			leaf = uint32(i)
		}
		t.best[int(t.leaves)+i] = leaf
	}
	for k := t.leaves - 1; k > 0 && !p.pollAfter(1); k-- {
		t.set(k)
	}
	return t
}

func (t *reachTree) set(k uint32) {
	a, b := t.best[2*k], t.best[2*k+1]
	if a == keyset.None || b != keyset.None && t.live[b].last > t.live[a].last {
		a = b
	}
	t.best[k] = a
}

func (t *reachTree) remove(i uint32) {
	k := t.leaves + i
	t.best[k] = keyset.None
	for k /= 2; k > 0; k /= 2 {
		t.set(k)
	}
}

// each calls f for the versions below node k, which are those from lo to hi, that are among the first n and valid at a word or later, until f says
// no.
func (t *reachTree) each(k, lo, hi, n uint32, from uint64, f func(uint32) bool) bool {
	best := t.best[k]
	if lo >= n || best == keyset.None || t.live[best].last < from {
		return true
	}
	if k >= t.leaves {
		return f(best)
	}
	mid := lo + (hi-lo)/2
	return t.each(2*k, lo, mid, n, from, f) && t.each(2*k+1, mid, hi, n, from, f)
}
