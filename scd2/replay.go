package scd2

import (
	"github.com/onerow-go/onerow/internal/keyset"
)

// replay makes the versions to be of what was said, from the first event to the last.
func (l *life) replay() {
	l.next, l.refs = l.next[:0], l.refs[:0]
	cur := -1 // the version that is open at this point
	for i := range l.line {
		if l.Over() {
			return
		}
		e := &l.line[i]
		e.starts, e.within = -1, -1
		if e.kind == upsert {
			cur = l.upsert(i, cur)
		} else {
			cur = l.end(i, cur)
		}
	}
	if cur >= 0 {
		l.next[cur].open, l.next[cur].toCell = true, l.j.cells.open
	}
}

// values are the rows that give the slots of a version.
func (l *life) values(v int) []uint32 {
	at := l.next[v].refs
	return l.refs[at : at+l.j.slots : at+l.j.slots]
}

func (l *life) upsert(i, cur int) int {
	e := &l.line[i]
	at := len(l.refs)
	values := l.valuesOf(e, cur)
	if cur >= 0 && !l.next[cur].marker {
		if !l.startsAnyway(e, cur) && l.j.opts.Unchanged == CollapseUnchanged && l.equalTo(cur, values) {
			l.refs = l.refs[:at]
			l.fallIn(i, cur, values)
			return cur
		}
	}
	if cur >= 0 {
		l.close(i, cur)
	}
	return l.open(i, at, e.base, false)
}

// open starts a version whose values have been put at the end of refs.
func (l *life) open(i, refs int, base int32, marker bool) int {
	e := &l.line[i]
	n := len(l.next)
	e.starts = int32(n)
	v := nextVersion{from: e.pos, fromCell: e.cell, base: base, marker: marker, refs: refs, first: int32(i), last: int32(i), by: -1, firstOfKey: n == 0}
	v.afterGap = n > 0 && (l.next[n-1].marker || l.next[n-1].to != e.pos)
	l.next = append(l.next, v)
	return n
}

func (l *life) close(i, cur int) {
	e, v := &l.line[i], &l.next[cur]
	v.to, v.toCell, v.by = e.pos, e.cell, int32(i)
	e.ended = true
}

// valuesOf puts the rows that give the slots of an event's version at the end of refs. What the event doesn't say stays as it was in the
// version before it, deleted or not.
func (l *life) valuesOf(e *event, cur int) []uint32 {
	j := l.j
	at := len(l.refs)
	for range j.slots {
		l.refs = append(l.refs, j.nothing)
	}
	to := l.refs[at:]
	var before []uint32
	if n := len(l.next); n > 0 {
		before = l.values(n - 1)
	}
	to[saidTracked], to[saidUntracked] = e.said, e.note
	switch {
	case e.other != keyset.None:
		to[otherTracked], to[otherUntracked] = e.other, e.other
	case before != nil:
		to[otherTracked], to[otherUntracked] = before[otherTracked], before[otherUntracked]
	case len(j.bySlot[otherTracked])+len(j.bySlot[otherUntracked]) > 0:
		l.unknownBefore(e)
	}
	for s := ownSlots; s < j.slots; s++ {
		switch {
		case !j.bySlot[s][0].cells.Null(e.note):
			to[s] = e.note
		case e.own != 0 && l.ownOf(e)[s-ownSlots] != j.nothing:
			to[s] = l.ownOf(e)[s-ownSlots]
		case e.keep != keyset.None:
			to[s] = e.keep
		case before != nil:
			to[s] = before[s]
		default:
			l.unknownBefore(e)
		}
	}
	if j.opts.Columns.Group && cur >= 0 && e.origin == ofHistory && e.mem == keyset.None && e.base >= 0 && l.carried(int(e.base)) && !l.untouched(cur, e.base-1) {
		// This start is another source's: what this one said before holds on.
		to[saidTracked], to[saidUntracked] = before[saidTracked], before[saidUntracked]
		copy(to[ownSlots:], before[ownSlots:])
	}
	return to
}

// unknownBefore refuses to take values over from a version that wasn't given.
func (l *life) unknownBefore(e *event) {
	if l.j.opts.Since == nil || e.origin == ofHistory {
		return
	}
	l.partial = append(l.partial, trouble{row: e.key, rows: l.changeRows([]event{*e})})
}

// untouched says whether a version to be has, in what the source says, the values of a version of the history.
func (l *life) untouched(v int, base int32) bool {
	if base < 0 || l.next[v].base != base {
		return false
	}
	for s, row := range l.values(v) {
		if s != otherTracked && s != otherUntracked && !l.same(s, row, l.his[base].row) {
			return false
		}
	}
	return true
}

// startsAnyway says whether an event makes a version without a look at the values: it was a version of the history, and the one before it
// is as it was there. (Neighbours that a given history has equal aren't joined.)
func (l *life) startsAnyway(e *event, cur int) bool {
	if e.apart {
		return true
	}
	b := e.base
	if b <= 0 || e.said != l.his[b].row || l.next[cur].base != b-1 || !l.follows(int(b)) {
		return false
	}
	for s, row := range l.values(cur) {
		if l.j.tracks[s] && row != l.his[b-1].row {
			return false
		}
	}
	return true
}

// equalTo says whether values repeat those of a version in all tracked columns.
func (l *life) equalTo(v int, values []uint32) bool {
	have := l.values(v)
	for s, tracked := range l.j.tracks {
		if tracked && !l.same(s, have[s], values[s]) {
			return false
		}
	}
	return true
}

// fallIn puts an event into a version that it repeats: what isn't tracked is corrected, and a version of the history that started with it
// starts earlier.
func (l *life) fallIn(i, cur int, values []uint32) {
	e, v := &l.line[i], &l.next[cur]
	e.within, v.last = int32(cur), int32(i)
	have := l.values(cur)
	for s, tracked := range l.j.tracks {
		if !tracked {
			have[s] = values[s]
		}
	}
	if v.base < 0 && e.base >= 0 {
		v.base = e.base
		for s, tracked := range l.j.tracks {
			if tracked {
				have[s] = values[s] // equal; the row keeps its bits
			}
		}
	}
}

// end works off a delete.
func (l *life) end(i, cur int) int {
	e := &l.line[i]
	switch {
	case cur < 0 && (e.base < 0 || l.follows(int(e.base))):
		return -1 // there is nothing to delete, or no more
	case cur < 0: // a deletion row that the history has without a version before it
		return l.marker(i, nil)
	case !l.next[cur].marker:
		l.close(i, cur)
		if e.base >= 0 || l.j.opts.Deletes == DeletesAsRows && e.origin != ofHistory {
			return l.marker(i, &cur)
		}
		return -1
	case e.ends:
		l.close(i, cur)
		return -1
	}
	v := &l.next[cur]
	e.within = int32(cur)
	if v.base < 0 && e.base >= 0 {
		v.base = e.base
	}
	return cur
}

// marker starts the deletion row of a delete, with the last values of the version that it ended. One that the history has stays as it is as long
// as that version does.
func (l *life) marker(i int, ended *int) int {
	e := &l.line[i]
	at := len(l.refs)
	asGiven := ended == nil
	if ended != nil && e.base > 0 && l.follows(int(e.base)) && l.next[*ended].base == e.base-1 {
		asGiven = true
		for _, row := range l.values(*ended) {
			asGiven = asGiven && row == l.his[e.base-1].row
		}
	}
	for s := range l.j.slots {
		if asGiven {
			l.refs = append(l.refs, l.his[e.base].row)
		} else {
			l.refs = append(l.refs, l.values(*ended)[s])
		}
	}
	return l.open(i, at, e.base, true)
}
