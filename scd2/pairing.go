package scd2

import (
	"context"

	"github.com/onerow-go/onerow/internal/keyset"
)

// pairing knows of changes whether they say, in the tracked columns of the source, what the version that they fall in has. All are compared before
// the keys are worked off, in the order of the changes and column by column: one side of each pair is read in order then, and the loads of the other
// are under way many at once (see form.Column.SamePairs). Keys with many events or versions are left to their own comparisons.
type pairing struct {
	of []uint64 // by row of the changes: the row of the version, or keyset.None, and isSame; one word, as each look is a cache miss
}

// isSame is set where change and version were found to be the same.
const isSame = 1 << 32

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
				p.of[e.row-j.firstChg] = uint64(g.row)
				break
			}
		}
	}
}

// compare compares all pairs.
func (p *pairing) compare(ctx context.Context, j *job) error {
	spans := keyset.Spans([]int{len(p.of)}, func(int) uint32 { return 0 })
	return j.run(ctx, len(spans), func(_, task int) error {
		s := spans[task]
		var changes, versions [keyset.BlockRows]uint32
		var same [keyset.BlockRows]bool
		s.Blocks(func(_, n int, row uint32) {
			k := 0
			for i, version := range p.of[row : row+uint32(n)] {
				if uint32(version) != keyset.None {
					changes[k], versions[k], same[k] = j.firstChg+row+uint32(i), uint32(version), true
					k++
				}
			}
			for _, c := range j.bySlot[saidTracked] {
				c.cells.SamePairs(changes[:k], versions[:k], same[:k])
			}
			for i, change := range changes[:k] {
				if same[i] {
					p.of[change-j.firstChg] |= isSame
				}
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
	if a < j.firstChg || a >= j.firstSt {
		return false, false
	}
	version := p.of[a-j.firstChg]
	return version&isSame != 0, uint32(version) == b
}
