package scd2

import (
	"github.com/onerow-go/onerow/internal/keyset"
)

// snapshot makes of the row of a key in a snapshot, or of its absence, an event at the place where it belongs: after the last version. It
// says whether there is anything to do.
func (l *life) snapshot() bool {
	j := l.j
	if len(l.changes) == 0 {
		return l.isAbsent()
	}
	if len(l.his) == 0 {
		return true
	}
	last, e := &l.his[len(l.his)-1], &l.changes[0]
	if last.flags&(endsOpen|isMarker) == endsOpen {
		newest := last.from
		if pos, ok := l.seenIn(last); ok {
			newest = pos
		}
		if e.pos > newest {
			return true
		}
		// Not newer than the open version. It may say the same, and, at the place of the version's last event, correct what isn't tracked.
		switch {
		case l.repeats(e, last.row) && e.pos == newest:
			e.order = keyset.None
			return true
		case l.repeats(e, last.row) && l.notes(last.row, e.note) == 0:
			l.set(e, unchanged)
			l.changes = l.changes[:0]
			return true
		case j.opts.From == "":
			l.late = append(l.late, trouble{row: e.key, rows: l.changeRows(l.changes), why: "the clock is not after the start of the open version"})
		default:
			l.set(e, ignoredOld)
			l.changes = l.changes[:0]
			return true
		}
		return false
	}
	end, cell := last.to, j.cells.end(last.row)
	if last.flags&endsOpen != 0 {
		end, cell = last.from, j.cells.start(last.row)
	}
	switch {
	case e.pos > end:
	case j.opts.From != "" || e.pos == end: // it is back, with an order value or a clock from before it went
		e.pos, e.cell, e.apart = end, cell, true
	default:
		l.late = append(l.late, trouble{row: e.key, rows: l.changeRows(l.changes), why: "the clock is before the end of the last version"})
		return false
	}
	return true
}

// isAbsent closes the open version of a key that the snapshot doesn't have.
func (l *life) isAbsent() bool {
	j := l.j
	last := &l.his[len(l.his)-1]
	if last.flags&(endsOpen|isMarker) != endsOpen {
		return false
	}
	if last.from >= j.now {
		l.late = append(l.late, trouble{row: last.row, why: "it is absent, and the clock is not after the start of its open version"})
		return false
	}
	l.changes = append(l.changes, event{pos: j.now, cell: j.cells.now, said: j.nothing, note: j.nothing, other: keyset.None, keep: keyset.None, key: last.row,
		order: keyset.None, mem: keyset.None, base: -1, kind: remove, origin: ofAbsence})
	return true
}
