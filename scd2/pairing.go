package scd2

import (
	"context"

	"github.com/onerow-go/onerow/internal/keyset"
)

// pairing knows of changes whether they say, in the tracked columns of the source, what the version that they fall in has. All are compared before
// the keys are worked off, in the order of the changes and column by column: one side of each pair is read in order then, and the loads of the other
// are under way many at once (see form.Column.SamePairs). Keys with many events or versions are left to their own comparisons.
type pairing struct {
	near []uint32 // by row of the changes: the row of the version; keyset.None
	same []bool   // by row of the changes, where near is set
}

// pairedEvents and pairedVersions bound the keys that are paired.
const (
	pairedEvents   = 4
	pairedVersions = 64
)

func newPairing(j *job) *pairing {
	p := &pairing{near: make([]uint32, j.changes.Rows), same: make([]bool, j.changes.Rows)}
	for i := range p.near {
		p.near[i] = keyset.None
	}
	return p
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
				p.near[e.row-j.firstChg] = g.row
				break
			}
		}
	}
}

// compare compares all pairs.
func (p *pairing) compare(ctx context.Context, j *job) error {
	if len(j.bySlot[saidTracked]) == 0 {
		for i := range p.same {
			p.same[i] = true
		}
		return nil
	}
	spans := keyset.Spans([]int{len(p.near)}, func(int) uint32 { return 0 })
	return j.run(ctx, len(spans), func(_, task int) error {
		s := spans[task]
		var changes, versions [keyset.BlockRows]uint32
		var same [keyset.BlockRows]bool
		s.Blocks(func(_, n int, row uint32) {
			k := 0
			for i, near := range p.near[row : row+uint32(n)] {
				if near != keyset.None {
					changes[k], versions[k], same[k] = j.firstChg+row+uint32(i), near, true
					k++
				}
			}
			for _, c := range j.bySlot[saidTracked] {
				c.cells.SamePairs(changes[:k], versions[:k], same[:k])
			}
			for i, change := range changes[:k] {
				p.same[change-j.firstChg] = same[i]
			}
		})
		return nil
	})
}

// find says whether a row of the changes and another row were compared, and how.
func (p *pairing) find(j *job, a, b uint32) (same, ok bool) {
	if a < j.firstChg || a >= j.firstSt {
		a, b = b, a
	}
	if a < j.firstChg || a >= j.firstSt || p.near[a-j.firstChg] != b {
		return false, false
	}
	return p.same[a-j.firstChg], true
}
