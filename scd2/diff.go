package scd2

import (
	"cmp"
	"slices"

	"github.com/onerow-go/onerow/internal/keyset"
)

// diff compares the versions to be with those of the history, and puts what differs into the outcome.
func (l *life) diff() {
	l.atBase = l.atBase[:0]
	for range l.his {
		l.atBase = append(l.atBase, -1)
	}
	for i := range l.next {
		if v := &l.next[i]; v.base < 0 {
			l.insert(i)
		} else {
			l.atBase[v.base] = int32(i)
			l.compare(i)
		}
	}
	for b, v := range l.atBase {
		if v < 0 {
			l.removeGiven(b)
		}
	}
	l.account()
}

func (l *life) insert(i int) {
	v := &l.next[i]
	v.changed = true
	e := &l.line[v.first]
	l.applies(v.first)
	if l.corrects(i) {
		l.applies(v.last)
	}
	l.applies(v.by)
	reason := Changed
	switch {
	case v.marker:
		reason = DeletionRow
	case e.origin == ofState || e.origin == ofHistory:
		reason = Remembered
	case e.late && !v.open:
		reason = Split
	case v.firstOfKey:
		reason = NewKey
	case v.afterGap:
		reason = Returned
	}
	// A row is where its values are from: those of the source, or the last ones of what a delete ended.
	row := l.values(i)[saidTracked]
	if row == l.j.nothing {
		row = e.key
	}
	c := l.keep(i)
	c.row, c.key, c.reason = row, e.key, reason
	l.inserts.add(c)
}

// corrects says whether the last event in a version left other untracked values than the first one.
func (l *life) corrects(i int) bool {
	v := &l.next[i]
	for s, row := range l.values(i) {
		if !l.j.tracks[s] && v.last != v.first && !l.same(s, l.line[v.first].note, row) {
			return true
		}
	}
	return false
}

// keep copies what the outcome needs of a version.
func (l *life) keep(i int) change {
	v := &l.next[i]
	k := change{from: v.fromCell, to: v.toCell, open: v.open, marker: v.marker, refs: l.keepRefs(l.values(i))}
	if v.open && v.base >= 0 && l.his[v.base].flags&endsOpen != 0 {
		k.to = l.j.cells.end(l.his[v.base].row) // its own kind of open end
	}
	if b := &l.j.cells; b.badFrom[k.from] || !k.open && b.badTo[k.to] {
		l.beyond = append(l.beyond, trouble{row: l.line[v.first].key, rows: l.changeRows(l.line), why: "a start or an end that the history's column can't hold exactly"})
	}
	return k
}

// keepRefs keeps the rows that give the slots of a version or memory, and returns the number of their list; where there is one used slot, the row itself.
func (l *life) keepRefs(values []uint32) uint32 {
	if len(l.j.used) == 1 {
		return values[l.j.used[0]]
	}
	for _, s := range l.j.used {
		l.keptRefs.add(values[s])
	}
	l.lists++
	return l.lists - 1
}

// compare compares a version with the one of the history that it goes on.
func (l *life) compare(i int) {
	v := &l.next[i]
	g := &l.his[v.base]
	values, differs := l.values(i), false
	for s := range values {
		if values[s] == g.row {
			continue
		}
		if l.same(s, values[s], g.row) {
			values[s] = g.row
		} else {
			differs = true
		}
	}
	wasOpen := g.flags&endsOpen != 0
	started := v.from != g.from
	ended := v.open != wasOpen || !v.open && v.to != g.to
	flag := l.j.current != nil && (g.flags&flagWrong != 0 || (g.flags&flagTrue != 0) != (v.open && !v.marker))
	if !differs && !started && !ended && !flag {
		return
	}
	v.changed = true
	if started || differs {
		l.applies(v.first)
	}
	if differs {
		l.applies(v.last)
	}
	if ended {
		l.applies(v.by)
	}
	// What stays in place refers to the row itself.
	if !started {
		v.fromCell = l.j.cells.start(g.row)
	}
	if !ended && !v.open {
		v.toCell = l.j.cells.end(g.row)
	}
	c := l.keep(i)
	c.row, c.key = g.row, g.row
	switch {
	case wasOpen && !v.open:
		c.close = true
		c.reason = l.whyEnded(v)
	case started:
		c.reason = StartMoved
	case ended:
		c.reason = EndMoved
	case differs:
		c.reason = Corrected
	default:
		c.reason = FlagMended
	}
	l.edits.add(c)
}

func (l *life) whyEnded(v *nextVersion) Reason {
	switch e := &l.line[v.by]; {
	case e.origin == ofAbsence:
		return WasAbsent
	case e.kind == truncated:
		return Truncated
	case e.kind != upsert:
		return Deleted
	case v.marker:
		return Returned
	}
	return Changed
}

func (l *life) removeGiven(b int) {
	g := &l.his[b]
	at, found := slices.BinarySearchFunc(l.line, g.from, func(e event, pos uint64) int { return cmp.Compare(e.pos, pos) })
	reason := Repeated
	if found {
		l.applies(int32(at))
		switch e := &l.line[at]; {
		case e.kind != upsert:
			reason = Deleted
		case e.base < 0:
			reason = Replaced
		}
	}
	l.removes = append(l.removes, Action{Row: g.row, Reason: reason})
}

// applies marks an event as one that makes a difference.
func (l *life) applies(i int32) {
	if i >= 0 {
		l.line[i].applied = true
	}
}

// account counts what became of the changes that decide.
func (l *life) account() {
	for i := range l.line {
		e := &l.line[i]
		switch {
		case e.origin == ofAbsence:
			l.absent++
		case e.origin != ofChange && e.origin != ofPrevious:
		case e.applied:
			f := applied
			if e.late {
				f = appliedLate
			}
			l.set(e, f)
		default:
			l.set(e, unchanged)
		}
	}
}

// remember finds what was said of the key and isn't shown by its history.
func (l *life) remember() {
	if l.j.opts.Mode == Snapshot {
		return
	}
	at := len(l.keptMems)
	for i := range l.line {
		e := &l.line[i]
		if l.Over() || !l.needsMemory(e) {
			continue
		}
		if e.mem != keyset.None {
			l.keptMems = append(l.keptMems, e.mem)
			continue
		}
		l.mems.add(remembered{kind: min(e.kind, remove), cell: e.cell, key: e.key, order: e.order, refs: l.keepRefs(l.memoryOf(e))})
	}
	held := l.keptMems[at:]
	slices.Sort(held)
	for i := range l.scratch {
		if m := l.scratch[i].mem; m != keyset.None {
			if _, ok := slices.BinarySearch(held, m); !ok {
				l.forgotten = append(l.forgotten, m)
			}
		}
	}
	l.keptMems = l.keptMems[:at]
}

// memoryOf are the rows that give the slots of a memory.
func (l *life) memoryOf(e *event) []uint32 {
	j := l.j
	l.memRefs = l.memRefs[:0]
	for range j.slots {
		l.memRefs = append(l.memRefs, e.note)
	}
	if e.kind != upsert {
		return l.memRefs
	}
	l.memRefs[saidTracked] = e.said
	for k, row := range l.ownOf(e) {
		if row != j.nothing {
			l.memRefs[ownSlots+k] = row
		}
	}
	v := e.starts
	if v < 0 {
		v = e.within
	}
	for _, s := range []int{otherTracked, otherUntracked} {
		if l.memRefs[s] = e.other; e.other == keyset.None {
			l.memRefs[s] = l.values(int(v))[s]
		}
	}
	return l.memRefs
}

// needsMemory says whether the new history doesn't show an event.
func (l *life) needsMemory(e *event) bool {
	j := l.j
	ordered := j.order != nil && e.order != keyset.None
	switch {
	case e.kind == truncated || e.ends:
		return false
	case j.opts.Columns.Group && e.origin == ofHistory && e.base >= 0 && e.mem == keyset.None && e.kind == upsert && l.carried(int(e.base)):
		return false // another source's start is no event of this one
	case e.kind != upsert:
		return !e.ended && e.starts < 0 || ordered || e.unsure || e.order == keyset.None && e.mem != keyset.None
	case e.within >= 0: // the history's own order columns tell of the last one
		v := &l.next[e.within]
		return j.seenAt == nil || &l.line[v.last] != e || !l.tells(e) || !l.shows(int(e.within), e)
	case ordered && !j.inHistory, !l.shows(int(e.starts), e):
		return true
	}
	if v := int(e.starts); j.opts.Columns.Group {
		// It has what the version right before it has, or NULL, as a start of another source's would.
		for s, row := range l.values(v) {
			before := j.nothing
			if v > 0 && !l.next[v].afterGap {
				before = l.values(v - 1)[s]
			}
			if j.tracks[s] && s != otherTracked && !l.same(s, before, row) {
				return false
			}
		}
		return true
	}
	return false
}

// tells says whether the order columns of an event's row are those of the event. A row of the history, or what the state took of it, may
// tell of a later one, which a delete has taken.
func (l *life) tells(e *event) bool {
	pos, ok := l.j.line.At(atSeen, e.note)
	return ok && pos == e.pos
}

// shows says whether a version has what an event says of the columns that aren't tracked.
func (l *life) shows(v int, e *event) bool {
	values := l.values(v)
	for s := ownSlots; s < l.j.slots; s++ {
		if !l.j.tracks[s] && !l.j.bySlot[s][0].cells.Null(e.note) && !l.same(s, values[s], e.note) {
			return false
		}
	}
	return l.same(saidUntracked, values[saidUntracked], e.note)
}
