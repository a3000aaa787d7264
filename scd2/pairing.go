package scd2

import (
	"context"
	"slices"

	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/keyset"
)

// pairing knows of changes whether they say, in the tracked columns of the source, what the version that they fall in has. All are compared before
// the keys are worked off, in the order of the changes and column by column: one side of each pair is read in order then, and the loads of the other
// are under way many at once (see form.Column.SamePairs). Keys with many events or versions are left to their own comparisons.
//
// It also knows of the changes that are settled by that comparison: see settle.
type pairing struct {
	out     *outcome
	of      []uint64 // by row of the changes: the row of the version, or keyset.None, and bits; one word, as each look is a cache miss
	columns []*form.Column
	settles bool // keys may be settled
	fresh   bool // those without a version, too
	ordered bool // each event that makes a version or ends one is remembered
	spans   []keyset.Span
	settled []settledSpan
}

// Bits of a change, beside the row of its version.
const (
	isSame    = 1 << 32 // change and version were found to be the same
	isSettled = 1 << 33 // nothing else is said of the key after its versions
	isGone    = 1 << 34 // the version ended before
)

// pairedEvents and pairedVersions bound the keys that are paired.
const (
	pairedEvents   = 4
	pairedVersions = 64
)

func newPairing(j *job) *pairing {
	p := &pairing{of: make([]uint64, j.changes.Rows)}
	for i := range p.of {
		p.of[i] = uint64(keyset.None)
	}
	for _, c := range j.bySlot[saidTracked] {
		p.columns = append(p.columns, c.cells)
	}
	slices.SortStableFunc(p.columns, func(a, b *form.Column) int { return one(b.Quick()) - one(a.Quick()) })
	p.spans = keyset.Spans([]int{len(p.of)}, func(int) uint32 { return 0 })
	p.settled = make([]settledSpan, len(p.spans))
	p.settleFor(j)
	return p
}

// one is 1 for true.
func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// add pairs the changes of a key with its versions.
func (p *pairing) add(j *job, evs []dealt, his []given) {
	if len(evs) > pairedEvents || len(his) > pairedVersions {
		return
	}
	for _, e := range evs {
		if e.row < j.firstChg || e.row >= j.firstSt || j.kinds[e.row-j.firstChg] != upsert {
			continue
		}
		for i := range his {
			g := &his[i]
			if g.flags&(noStart|isMarker) == 0 && g.from <= e.pos && (g.flags&endsOpen != 0 || e.pos < g.to) {
				p.of[e.row-j.firstChg] = uint64(g.row)
				break
			}
		}
	}
}

// compare compares all pairs, and decides what is settled by that.
func (p *pairing) compare(ctx context.Context, j *job) error {
	return j.run(ctx, len(p.spans), func(_, task int) error {
		s := p.spans[task]
		var changes, versions [keyset.BlockRows]uint32
		var same [keyset.BlockRows]bool
		s.Blocks(func(_, n int, row uint32) {
			k := 0
			for i, w := range p.of[row : row+uint32(n)] {
				changes[k], versions[k] = j.firstChg+row+uint32(i), uint32(w)
				if uint32(w) != keyset.None && w&isGone == 0 && j.kinds[row+uint32(i)] == upsert {
					k++
				}
			}
			for _, c := range p.columns {
				k = keepSame(c, changes[:k], versions[:k], same[:k])
			}
			for _, change := range changes[:k] {
				p.of[change-j.firstChg] |= isSame
			}
		})
		p.decide(j, task)
		return nil
	})
}

// keepSame leaves of pairs of rows those that are the same in a column, and returns their number.
func keepSame(c *form.Column, as, bs []uint32, same []bool) int {
	for k := range same {
		same[k] = true
	}
	c.SamePairs(as, bs, same)
	n := 0
	for k, s := range same {
		as[n], bs[n] = as[k], bs[k]
		if s {
			n++
		}
	}
	return n
}

// find says whether a row of the changes and another row were compared, and how.
func (p *pairing) find(j *job, a, b uint32) (same, ok bool) {
	if a < j.firstChg || a >= j.firstSt {
		a, b = b, a
	}
	if a < j.firstChg || a >= j.firstSt {
		return false, false
	}
	version := p.of[a-j.firstChg]
	return version&isSame != 0, uint32(version) == b
}
