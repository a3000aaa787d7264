package scd2

import (
	"github.com/onerow-go/onerow/internal/keyset"
)

// Most keys have one event in a call, which comes after all that the history has of them. What becomes of such a key is settled by one comparison:
// its last version stays, or ends where the event says, and the event is unchanged or makes the next version. They are not worked off by a life, and
// what is made of them is written right into the lists of the outcome, in the order of the changes.

// settledSpan is what was settled of the changes of a span.
type settledSpan struct {
	inserts, mems int
	closes        []uint64 // the row of the history above that of the changes, from 0
}

// neverSettle is set by tests, which compare what is settled with what a life makes of it.
var neverSettle = false

// settleFor says whether the call's options allow to settle keys. They don't where more is to be looked at than the tracked columns of the last
// version: values that aren't tracked, or that come from several rows, truncates, positions beyond what a column can hold, and snapshots.
func (p *pairing) settleFor(j *job) {
	o := &j.opts
	p.settles = o.Mode == Changes && o.Unchanged == CollapseUnchanged && o.Deletes == DeletesClose && !o.Columns.Group &&
		len(j.trunc) == 0 && j.slots == ownSlots && len(j.bySlot[saidUntracked]) == 0 && j.seenAt == nil &&
		len(j.cells.badFrom)+len(j.cells.badTo) == 0 && !neverSettle
	p.fresh = o.Since == nil || len(j.bySlot[otherTracked])+len(j.bySlot[otherUntracked]) == 0
	p.ordered = j.order != nil
}

// settle notes a key whose only event comes after the end of its last version, or within it and after its start. It puts the versions in order.
// Of a key that it can't settle it says how many of its versions come before all that its events speak of: these stay as they are.
func (p *pairing) settle(j *job, evs []dealt, his []given) (before uint32, settled bool) {
	if !p.settles || len(his) > pairedVersions {
		return 0, false
	}
	first, only := evs[0].pos, len(evs) == 1
	for i := range evs {
		if evs[i].row < j.firstChg || evs[i].row >= j.firstSt {
			return 0, false
		}
		first = min(first, evs[i].pos)
	}
	if len(his) == 0 {
		if only && (p.fresh || j.kinds[evs[0].row-j.firstChg] != upsert) {
			p.of[evs[0].row-j.firstChg] |= isSettled
			return 0, true
		}
		return 0, false
	}
	if !j.inOrder(his) {
		return 0, false
	}
	last := &his[len(his)-1]
	if only && first > last.from && (last.flags&endsOpen != 0 || first > last.to) {
		w := isSettled | uint64(last.row)
		if last.flags&endsOpen == 0 {
			w |= isGone
		}
		p.of[evs[0].row-j.firstChg] = w
		return 0, true
	}
	for int(before)+1 < len(his) && his[before+1].from < first {
		before++
	}
	return before, false
}

// inOrder puts versions in order, and says whether they are a history without deletion rows and without faults.
func (j *job) inOrder(his []given) bool {
	for i := 1; i < len(his); i++ {
		for k := i; k > 0 && his[k].from < his[k-1].from; k-- {
			his[k], his[k-1] = his[k-1], his[k]
		}
	}
	for i := range his {
		g := &his[i]
		switch open := g.flags&endsOpen != 0; {
		case g.flags&(noStart|isMarker|flagWrong) != 0, j.beyond(g.from), !open && g.to <= g.from:
			return false
		case i+1 < len(his) && (open || g.to > his[i+1].from):
			return false
		}
	}
	return true
}

// decide says what became of the settled changes of a span, and counts what there is to write.
func (p *pairing) decide(j *job, task int) {
	s, found := p.spans[task], &p.settled[task]
	perVersion := 0
	if p.ordered {
		perVersion = 1
	}
	closes := 0
	of, status, kinds := p.of[s.Row:][:s.N], p.out.status[s.Row:][:s.N], j.kinds[s.Row:][:s.N]
	for i, w := range of {
		switch insert, close := settledTo(w, kinds[i]); {
		case w&isSettled == 0:
		case insert || close:
			status[i] = applied
			found.mems += perVersion
			found.inserts += one(insert)
			closes += one(close)
		default:
			status[i] = unchanged
			found.mems++
		}
	}
	if closes == 0 {
		return
	}
	found.closes = make([]uint64, 0, closes)
	for i, w := range of {
		if _, close := settledTo(w, kinds[i]); close {
			found.closes = append(found.closes, w<<32|uint64(s.Row)+uint64(i))
		}
	}
}

// settledTo says whether a settled change makes a version, and closes the last one.
func settledTo(w uint64, k kind) (insert, close bool) {
	open := uint32(w) != keyset.None && w&isGone == 0
	switch {
	case w&isSettled == 0:
		return false, false
	case k == upsert:
		differs := w&isSame == 0
		return !open || differs, open && differs
	}
	return false, open
}

// insertOf is the version that a settled change makes; row is of all rows.
func (j *job) insertOf(row uint32, w uint64) change {
	c := change{from: j.cellOf(row), to: j.cells.open, row: row, key: row, open: true, reason: Changed}
	switch {
	case uint32(w) == keyset.None:
		c.reason = NewKey
	case w&isGone != 0:
		c.reason = Returned
	}
	return c
}

// closeOf is the end of the version that a settled change closes.
func (j *job) closeOf(version, row uint32) change {
	c := change{from: j.cells.start(version), to: j.cellOf(row), row: version, key: version, reason: Changed, close: true}
	if j.kinds[row-j.firstChg] != upsert {
		c.reason = Deleted
	}
	return c
}

// settledRefs are the rows that give the slots of the version or memory that a settled change makes.
func (j *job) settledRefs(refs []uint32, row uint32, w uint64) {
	for i, s := range j.used {
		switch {
		case j.kinds[row-j.firstChg] != upsert:
			refs[i] = j.nothing
		case s < otherTracked:
			refs[i] = row
		case uint32(w) == keyset.None:
			refs[i] = j.nothing
		default:
			refs[i] = uint32(w)
		}
	}
}
