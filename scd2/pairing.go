package scd2

// pairing compares, for the keys of a partition, what events say with the versions that they fall in, before the keys are worked off:
// column by column, so that the loads of many keys are under way at once (see form.Column.SamePairs). Keys with many events are left to
// their own comparisons.
type pairing struct {
	events, rows []uint32 // pairs of a row of the changes and one of the history
	same         []bool   // in the tracked columns that the source says
	starts       []uint32 // by key: its first pair
	of           int      // the key in work
}

// pairedEvents and pairedVersions bound the keys that are paired.
const (
	pairedEvents   = 4
	pairedVersions = 64
)

// reset forgets the pairs.
func (p *pairing) reset() {
	p.events, p.rows, p.same, p.starts = p.events[:0], p.rows[:0], p.same[:0], p.starts[:0]
}

// add pairs the events of the next key with its versions.
func (p *pairing) add(j *job, evs []dealt, his []given) {
	p.starts = append(p.starts, uint32(len(p.events)))
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
				p.events, p.rows, p.same = append(p.events, e.row), append(p.rows, g.row), append(p.same, true)
				break
			}
		}
	}
}

// compare compares all pairs.
func (p *pairing) compare(j *job) {
	p.starts = append(p.starts, uint32(len(p.events)))
	for _, c := range j.bySlot[saidTracked] {
		c.cells.SamePairs(p.events, p.rows, p.same)
	}
}

// find says whether two rows of the key in work were compared, and how.
func (p *pairing) find(a, b uint32) (same, ok bool) {
	for i := p.starts[p.of]; i < p.starts[p.of+1]; i++ {
		if p.events[i] == a && p.rows[i] == b || p.events[i] == b && p.rows[i] == a {
			return p.same[i], true
		}
	}
	return false, false
}
