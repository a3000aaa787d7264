package scd2

import (
	"github.com/onerow-go/onerow/internal/keyset"
)

// Splicing is for keys with a few events that fall between sound versions, or come after them, where nothing but the tracked columns of the source is
// to be looked at and no two positions are equal: see settling.splices. It is what a life makes of such a key, made in one walk over versions and events,
// with two bits an event that tell whether it repeats what comes before it and is repeated by what comes after it. The bits come from comparing the rows of many keys at once.
//
// What an event makes is put into settling.of, where it has its place in the order of the changes.

// mostSpliced bounds the events of a key that is spliced.
const mostSpliced = 16

// lay puts the events of a key in order, and pairs them: with the version that each falls in, where it matters, and with what comes next. It fails where two
// positions are equal. Versions are in order, and sound.
func (j *job) lay(evs []dealt, his []given, pairs []pair) bool {
	for i := 1; i < len(evs); i++ {
		for k := i; k > 0 && evs[k].pos < evs[k-1].pos; k-- {
			evs[k], evs[k-1] = evs[k-1], evs[k]
		}
	}
	last := lastOf(his)
	h := 0 // versions that start before the event
	for i := range evs {
		e := &evs[i]
		for h < len(his) && his[h].from < e.pos {
			h++
		}
		if h < len(his) && his[h].from == e.pos || i > 0 && evs[i-1].pos == e.pos {
			return false
		}
		p := &pairs[i]
		*p = pair{row: e.row, in: keyset.None, next: keyset.None}
		ends, in := ^uint64(0), false // where what the event falls in ends at the latest
		if h > 0 {
			g := &his[h-1]
			switch open := g.flags&endsOpen != 0; {
			case open || e.pos < g.to:
				if in = true; !open {
					ends = g.to
				}
			case e.pos == g.to:
				return false
			}
		}
		if e.kind != upsert {
			p.row = keyset.None
			continue
		}
		if in && (e.pos < last || i == 0 || evs[i-1].pos < his[h-1].from || evs[i-1].kind != upsert) {
			p.in = his[h-1].row
		}
		switch {
		case i+1 < len(evs) && (h == len(his) || evs[i+1].pos < his[h].from):
			if n := &evs[i+1]; n.kind == upsert && n.pos < ends {
				p.next = n.row
			}
		case h < len(his) && his[h].from <= ends:
			p.next = his[h].row
		}
	}
	return true
}

// lastOf is the last boundary of some versions.
func lastOf(his []given) uint64 {
	if len(his) == 0 {
		return 0
	}
	g := &his[len(his)-1]
	if g.flags&endsOpen != 0 {
		return g.from
	}
	return g.to
}

// splicing is the walk over a key.
type splicing struct {
	l     *life
	evs   []dealt
	his   []given
	pairs []pair
	// The version that the walk is in: a version of the history, and the event that starts it, where one does; -1: none. Without both there is no version.
	base, event int
	prior       int    // the upsert right before, where no start comes after it; else -1
	ended       int    // the versions of the history whose end was passed
	started     bool   // there was a version before
	reason      Reason // why there is the version that the event starts
	word        uint64 // of the event, as in settling.of
}

// splice works a key off that was laid.
func (l *life) splice(evs []dealt, his []given, pairs []pair) {
	l.keys, l.spliced = l.keys+1, l.spliced+1
	s := splicing{l: l, evs: evs, his: his, pairs: pairs, base: -1, event: -1, prior: -1}
	h, last := 0, lastOf(his)
	for i := range evs {
		pos := evs[i].pos
		for ; h < len(his) && his[h].from < pos; h++ {
			s.endBefore(h, his[h].from)
			s.start(h)
		}
		s.endBefore(h, pos)
		s.change(i, h-1, last)
	}
	// What follows stays as it is, but for what comes next.
	if h == len(his) {
		s.endBefore(h, ^uint64(0))
	} else if s.endBefore(h, his[h].from); s.base < 0 && s.event >= 0 {
		s.start(h)
	}
	if s.base < 0 && s.event >= 0 {
		s.insert(l.j.cells.open, staysOpen)
	} else {
		s.leave()
	}
}

// endBefore passes the end of the version before version h, where it is before a position.
func (s *splicing) endBefore(h int, pos uint64) {
	if h == 0 || s.ended == h || s.his[h-1].flags&endsOpen != 0 || s.his[h-1].to >= pos {
		return
	}
	s.ended = h
	j, row := s.l.j, s.his[h-1].row
	switch {
	case s.base >= 0:
		s.leave()
	case s.event >= 0:
		s.insert(j.cells.end(row), 0)
	default: // something deleted it before
		s.remember(remove, j.cells.end(row), row, j.nothing)
	}
	s.base, s.event = -1, -1
}

// start passes the start of version h.
func (s *splicing) start(h int) {
	j, row := s.l.j, s.his[h].row
	switch {
	case s.base >= 0:
		s.leave()
		s.event = -1
	case s.event >= 0 && s.pairs[s.prior].sameNext: // the version starts earlier
		s.say(&s.evs[s.event], s.word)
		s.remember(upsert, j.cells.start(row), row, row)
	case s.event >= 0:
		s.insert(j.cells.start(row), 0)
		s.event = -1
	}
	s.base, s.prior, s.started = h, -1, true
}

// remember keeps what the history says no more, in row said.
func (s *splicing) remember(k kind, cell, row, said uint32) {
	m := remembered{kind: k, cell: cell, key: row, order: row, refs: said}
	if s.l.j.order != nil {
		m.order = keyset.None
	}
	s.l.mems.add(m)
}

// change passes an event; version h, if there is one, starts before it.
func (s *splicing) change(i, h int, last uint64) {
	j, e, p := s.l.j, &s.evs[i], &s.pairs[i]
	is, in := s.base >= 0 || s.event >= 0, h >= 0 && s.ended <= h
	w := uint64(isSpliced | isRemembered)
	if j.order == nil {
		w = isSpliced
	}
	switch {
	case e.kind != upsert && is:
		s.say(e, w|applies(e.pos < last && in))
		s.end(e, Deleted)
		s.base, s.event, s.prior = -1, -1, -1
	case e.kind != upsert:
		s.say(e, isSpliced|isRemembered)
		s.prior = -1
	case is && (s.prior >= 0 && s.pairs[s.prior].sameNext || s.prior < 0 && p.sameIn):
		s.say(e, isSpliced|isRemembered)
		s.prior = i
	default:
		reason := NewKey
		if is {
			s.end(e, Changed)
			reason = Changed
		} else if s.started {
			reason = Returned
		}
		w |= applies(e.pos < last && !(in && p.sameIn))
		s.base, s.event, s.prior, s.started, s.reason, s.word = -1, i, i, true, reason, w
	}
}

// applies are the bits of a change that makes a difference.
func applies(late bool) uint64 {
	if late {
		return isApplied | isLate
	}
	return isApplied
}

// say says what becomes of a change.
func (s *splicing) say(e *dealt, w uint64) {
	s.l.words = append(s.l.words, changeWord{w, e.row - s.l.j.firstChg})
}

// changeWord is a word of settling.of: words lie anywhere in memory, so that those of many keys are written together, once each.
type changeWord struct {
	word uint64
	row  uint32
}

// writeWords puts the words of changes in their place.
func (l *life) writeWords() {
	of := l.settling.of
	for i := range l.words {
		of[l.words[i].row] = l.words[i].word
	}
	l.words = l.words[:0]
}

// insert ends the version that an event makes at a cell; open is staysOpen of one that doesn't end.
func (s *splicing) insert(to uint32, open uint64) {
	reason := s.reason
	if s.word&isLate != 0 && open == 0 {
		reason = Split
	}
	s.say(&s.evs[s.event], s.word|makesVersion|open|uint64(reason)<<reasonShift|uint64(to))
}

// end ends the version that the walk is in at an event.
func (s *splicing) end(e *dealt, why Reason) {
	j := s.l.j
	if s.base < 0 {
		s.insert(j.cellOf(e.row), 0)
		return
	}
	c := s.given(EndMoved)
	c.to, c.open, c.close = j.cellOf(e.row), false, c.open
	if c.close {
		c.reason = why
	}
	s.l.edits.add(c)
}

// leave leaves a version of the history as it is, but for its start, if that is moved.
func (s *splicing) leave() {
	if s.base >= 0 && s.event >= 0 {
		s.l.edits.add(s.given(StartMoved))
	}
}

// given is the version of the history that the walk is in, with its end, as an edit.
func (s *splicing) given(why Reason) change {
	j, g := s.l.j, &s.his[s.base]
	c := change{from: j.cells.start(g.row), to: j.cells.end(g.row), refs: g.row, row: g.row, key: g.row, open: g.flags&endsOpen != 0, reason: why}
	if s.event >= 0 {
		c.from, c.reason = j.cellOf(s.evs[s.event].row), StartMoved
	}
	return c
}
