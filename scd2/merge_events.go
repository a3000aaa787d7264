package scd2

import (
	"cmp"
	"slices"

	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/keyset"
)

// sortOutLate finds the late ones of the changes, and does with them what the options say.
func (l *life) sortOutLate() {
	last, found := l.lastBoundary()
	if !found || l.j.opts.Mode == Snapshot {
		return
	}
	n := 0
	for i := range l.changes {
		if l.Over() {
			return
		}
		e := &l.changes[i]
		if e.pos < last && !l.isThere(e) {
			e.late = true
			switch l.j.opts.Late {
			case IgnoreLate:
				if e.kind == truncated {
					break // it speaks of all keys
				}
				l.set(e, ignoredLate)
				continue
			case RejectLate:
				l.late = append(l.late, trouble{row: e.key, rows: l.changeRows([]event{*e}), why: "before the last boundary of the key"})
			}
		}
		if n < i {
			l.changes[n] = *e
		}
		n++
	}
	l.changes = l.changes[:n]
}

// lastBoundary is the last start or end in the history of the key, or delete that the state knows of. Where the source speaks for a group
// of columns, starts at which these don't change are others' business.
func (l *life) lastBoundary() (last uint64, found bool) {
	for i := len(l.his) - 1; i >= 0; i-- {
		g := &l.his[i]
		if g.flags&endsOpen == 0 {
			last, found = max(last, g.to), true
		}
		if l.j.opts.Columns.Group && l.carried(i) {
			continue
		}
		last, found = max(last, g.from), true
		break
	}
	for i := range l.scratch {
		if e := &l.scratch[i]; found && e.kind == remove {
			last = max(last, e.pos) // a delete of what wasn't there
		}
	}
	return last, found
}

// carried says whether a version says nothing new in the columns of the source: it has what the version right before it has, or, where none
// is, NULL.
func (l *life) carried(i int) bool {
	j := l.j
	if l.his[i].flags&isMarker != 0 || j.opts.Mode == Snapshot {
		return false
	}
	before := j.nothing
	if l.follows(i) {
		if l.his[i-1].flags&isMarker != 0 {
			return false
		}
		before = l.his[i-1].row
	}
	for s := range j.slots {
		if j.tracks[s] && s != otherTracked && !l.same(s, before, l.his[i].row) {
			return false
		}
	}
	return true
}

// follows says whether a version of the history starts where the one before it ends.
func (l *life) follows(i int) bool {
	return i > 0 && l.his[i-1].flags&endsOpen == 0 && l.his[i-1].to == l.his[i].from
}

// isThere says whether an event says what the history says at its position already, or loses to it.
func (l *life) isThere(e *event) bool {
	if i, found := at(l.said, e.pos); found && e.kind == upsert {
		s := &l.said[i]
		rank := 0
		if s.order != keyset.None && l.j.order != nil {
			rank = l.j.order.Compare(e.order, s.order)
		}
		byContent := l.j.opts.Ties == TiesByContent && l.content(e.note, s.note, form.ByValue) < 0
		if rank < 0 || rank == 0 && (s.kind != upsert || byContent) {
			return true
		}
	}
	if g := l.versionAt(e.pos); g != nil && g.flags&isMarker == 0 {
		return e.kind == upsert && l.repeats(e, g.row)
	}
	return e.kind != upsert
}

// versionAt is the version of the history, or the deletion row, that holds a position; nil in a gap.
func (l *life) versionAt(pos uint64) *given {
	i, found := slices.BinarySearchFunc(l.his, pos, func(g given, pos uint64) int { return cmp.Compare(g.from, pos) })
	if !found {
		i--
	}
	if i < 0 || l.his[i].flags&endsOpen == 0 && pos >= l.his[i].to {
		return nil
	}
	return &l.his[i]
}

// repeats says whether an event of the changes says nothing new of the tracked columns of a row.
func (l *life) repeats(e *event, row uint32) bool {
	j := l.j
	if !l.same(saidTracked, e.said, row) {
		return false
	}
	for s := ownSlots; s < j.slots; s++ {
		said := e.note
		if own := l.ownOf(e); own != nil && own[s-ownSlots] != j.nothing {
			said = own[s-ownSlots]
		}
		if j.tracks[s] && !j.bySlot[s][0].cells.Null(said) && !l.same(s, said, row) {
			return false
		}
	}
	return true
}

// merge lays what history and state say and the changes on one line. It fails when they tie.
func (l *life) merge() bool {
	l.line = l.line[:0]
	a, b := l.said, l.changes
	for (len(a) > 0 || len(b) > 0) && !l.Over() {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].pos < b[0].pos:
			l.line = append(l.line, a[0])
			a = a[1:]
		case len(a) == 0 || b[0].pos < a[0].pos:
			l.line = append(l.line, b[0])
			b = b[1:]
		default:
			e := l.meet(a[0], b[0])
			if l.tied {
				return false
			}
			l.line = append(l.line, e)
			a, b = a[1:], b[1:]
		}
	}
	return true
}

// meet is what decides at a position where something was said before, and a change says something now.
func (l *life) meet(s, c event) event {
	known := s.order != keyset.None && c.order != keyset.None
	rank := 0
	if known && l.j.order != nil {
		rank = l.j.order.Compare(c.order, s.order)
	}
	if l.j.opts.Columns.Group && s.base >= 0 && s.mem == keyset.None && s.kind == upsert && c.kind == upsert && l.carried(int(s.base)) {
		c.base = s.base // another source's start
		l.inherit(&c, &s)
		return c
	}
	switch {
	case c.apart || rank > 0 && (s.kind == upsert || c.kind == upsert):
		return l.takeOver(s, c)
	case rank < 0, s.kind != upsert && c.kind == upsert:
		l.set(&c, superseded)
		return s
	case s.kind != upsert: // two deletes
		l.set(&c, unchanged)
		return l.bothDelete(s, c)
	case c.kind != upsert:
		return l.takeOver(s, c)
	}
	return l.meetUpserts(s, c, known)
}

// takeOver lets a change win over what was said. A version that starts there goes, unless it says the same.
func (l *life) takeOver(s, c event) event {
	if s.kind == upsert && c.kind == upsert {
		l.inherit(&c, &s)
		if l.repeats(&c, s.said) {
			c.base, c.said = s.base, s.said
		}
	}
	return c
}

// meetUpserts is for two upserts that are equal in order, as far as that is known.
func (l *life) meetUpserts(s, c event, known bool) event {
	if !l.repeats(&c, s.said) && !l.leftOut(&c, &s) {
		if l.j.opts.Ties != TiesByContent {
			l.tie([]event{c}, &s)
			return s
		}
		if l.content(s.note, c.note, form.ByContent) < 0 {
			return l.takeOver(s, c)
		}
		l.set(&c, superseded)
		return s
	}
	if c.order == keyset.None {
		c.order = s.order
	}
	diff := l.notes(s.note, c.note)
	switch {
	case diff != 0 && l.isOutlived(&s):
		l.set(&c, unchanged)
		return s
	case diff == 0:
		l.set(&c, unchanged)
		if !known && l.j.order != nil {
			s.order, s.mem, s.key = c.order, keyset.None, c.key
		}
		return s
	case diff > 0 && l.j.opts.Ties == TiesByContent && l.isOfPlace(&s):
		l.set(&c, superseded)
		return s
	}
	c.base, c.said = s.base, s.said
	l.inherit(&c, &s)
	return c
}

// leftOut says whether a change differs from what the state remembers only in columns of KeepNull which that didn't say.
func (l *life) leftOut(c, s *event) bool {
	j := l.j
	if s.mem == keyset.None || j.slots == ownSlots || !l.same(saidTracked, c.said, s.said) {
		return false
	}
	for k := ownSlots; k < j.slots; k++ {
		cells := j.bySlot[k][0].cells
		if j.tracks[k] && !cells.Null(s.note) && !cells.Null(c.note) && !l.same(k, c.note, s.note) {
			return false
		}
	}
	return true
}

// inherit lets a change leave what it doesn't say as another upsert at its position said it.
func (l *life) inherit(c, s *event) {
	if l.isTruncated(s) {
		return
	}
	c.other, c.keep = s.other, s.keep
	if l.j.slots > ownSlots {
		lesser := *s
		l.fold(c, []event{lesser})
	}
}

// isOfPlace says whether the untracked values of what was said are known to be of its position, and not of a later event's.
func (l *life) isOfPlace(s *event) bool {
	if s.mem != keyset.None || l.j.seenAt == nil {
		return s.mem != keyset.None
	}
	pos, ok := l.j.line.At(atSeen, s.note)
	return ok && pos == s.pos
}

// isOutlived says whether the untracked values of a version of the history are of an event after its end, which a delete has taken: what
// was said at its start is older.
func (l *life) isOutlived(s *event) bool {
	if s.origin != ofHistory || s.base < 0 || s.mem != keyset.None || l.j.seenAt == nil {
		return false
	}
	g := &l.his[s.base]
	pos, ok := l.j.line.At(atSeen, g.row)
	return ok && g.flags&endsOpen == 0 && pos >= g.to
}

// notes ranks two rows by the untracked columns of the source.
func (l *life) notes(a, b uint32) int {
	for _, c := range l.j.bySlot[saidUntracked] {
		if r := c.cells.Compare(a, b, form.ByValue); r != 0 {
			return r
		}
	}
	for s := ownSlots; s < l.j.slots; s++ {
		c := l.j.bySlot[s][0].cells
		if l.j.tracks[s] || c.Null(b) {
			continue
		}
		if r := c.Compare(a, b, form.ByValue); r != 0 {
			return r
		}
	}
	return 0
}
