package scd2

import (
	"cmp"
	"context"
	"slices"

	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/keyset"
)

// event is something that was said of a key: by a version of the history, by the state, or by a row of the changes.
type event struct {
	pos    uint64
	cell   uint32 // of bounds: its position
	said   uint32 // a row with its values: of the tracked columns of the source
	note   uint32 // of its other columns
	other  uint32 // of columns that the source lacks; keyset.None: they stay as they were
	keep   uint32 // of columns of KeepNull that it doesn't say; keyset.None: they stay as they were
	key    uint32 // a row that has its key
	order  uint32 // a row that has its order; keyset.None: unknown
	mem    uint32 // the row of the state that knows it; else keyset.None
	base   int32  // the version or deletion row of the history that it starts, in life.his; else -1
	kind   kind
	origin origin
	// own is where the rows of earlier events of its position are that say what it doesn't; see life.ownOf. (There are no pointers in an event:
	// it is copied a few times.)
	own uint32
	// apart: a version of its own, even when it repeats the one before.
	apart bool
	// ends: what ends here is a deletion row, and nothing follows.
	ends bool
	// late: it comes before the last boundary of its key.
	late bool
	// unsure: it is a deletion whose order isn't known, beside a truncate whose order is.
	unsure bool

	// Written by replay: the version that it starts, or falls in without starting it; else -1.
	starts, within int32
	// Written by replay: it ended a version, or a deletion row.
	ended bool
	// Written by diff: it makes a difference.
	applied bool
}

// origin says where an event is from.
type origin uint8

const (
	ofHistory origin = iota
	ofState
	ofChange
	ofPrevious // a change, under its previous key
	ofAbsence
)

// nextVersion is a version of the history to be.
type nextVersion struct {
	from, to         uint64
	fromCell, toCell uint32
	open, marker     bool
	base             int32 // the version of the history that it goes on; else -1
	refs             int   // in life.refs: a row for each slot
	first, last, by  int32 // events: that it starts with, the last one in it, the one that ends it
	afterGap         bool  // something ended before it, and not where it starts
	firstOfKey       bool
	changed          bool // written by diff
}

// life works the keys off, one after the other. It belongs to one goroutine.
type life struct {
	keyset.Watch
	ctx context.Context
	j   *job
	out *outcome
	found

	settling *settling
	words    []changeWord // see splice

	// Of the key in work. Once the context is over, what is made of it means nothing.
	his     []given // by start
	said    []event // of history and state, by position
	changes []event // by position
	line    []event // what decides, by position
	next    []nextVersion
	refs    []uint32
	atBase  []int32 // by version of his: the version of next that goes on with it; -1: none
	scratch []event // what the state says, by position
	merged  []event
	loaded  []event // all changes, under SetAsideTies
	points  []uint64
	owned   []uint32 // see ownOf
	pairs   []pair
}

func newLife(ctx context.Context, j *job, out *outcome, s *settling) life {
	return life{Watch: keyset.NewWatch(ctx), ctx: ctx, j: j, out: out, settling: s}
}

// key works off one key: its versions and its events.
func (l *life) key(his []given, evs []dealt, pairs []pair) {
	if l.pairs = pairs; len(evs) > pairedEvents {
		l.pairs = nil
	}
	l.load(his, evs)
	if !l.touched() {
		return
	}
	l.keys++
	if l.j.opts.Ties == SetAsideTies {
		l.loaded = append(l.loaded[:0], l.changes...)
	}
	if len(l.his) > 1 {
		sortWatched(&l.Watch, l.his, func(a, b given) int {
			return cmp.Or(cmp.Compare(a.flags&noStart, b.flags&noStart), cmp.Compare(a.from, b.from), cmp.Compare(a.row, b.row))
		})
	}
	if l.isBroken() {
		return
	}
	if l.work(); l.tied && l.j.opts.Ties == SetAsideTies && len(l.j.newTrunc) > 0 {
		// The key's own changes are set aside; a truncate speaks of all keys.
		l.changes, l.tied = l.changes[:0], false
		l.work()
	}
}

// work decides what the changes of a key make of its history.
func (l *life) work() {
	l.saidByHistory()
	l.saidByState()
	if l.decideChanges(); l.tied {
		return
	}
	if l.j.opts.Mode == Snapshot && !l.snapshot() {
		return
	}
	l.saidByTruncates()
	if l.sortOutLate(); !l.merge() {
		return
	}
	for _, step := range [...]func(*life){(*life).replay, (*life).diff, (*life).remember} {
		if step(l); l.Done() {
			return
		}
	}
}

// load takes a key over.
func (l *life) load(his []given, evs []dealt) {
	j := l.j
	l.his = append(l.his[:0], his...)
	l.changes, l.scratch, l.owned = l.changes[:0], l.scratch[:0], l.owned[:0]
	l.tied = false
	for i := range evs {
		if l.Over() {
			return
		}
		e := &evs[i]
		l.changes = append(l.changes, event{pos: e.pos, said: e.row, note: e.row, other: keyset.None, keep: keyset.None, key: e.row, order: e.row,
			mem: keyset.None, base: -1, kind: e.kind, origin: ofChange})
		ev := &l.changes[len(l.changes)-1]
		switch {
		case e.row > j.nothing:
			change := j.firstChg + e.row - j.firstOld
			ev.origin, ev.order = ofPrevious, change
			ev.cell = j.cellOf(change)
		case e.row >= j.firstSt:
			ev.origin, ev.cell = ofState, j.cells.said(e.row)
			ev.mem = e.row
			if !j.opts.Columns.Group {
				ev.other = e.row
			}
			if j.order != nil && (!j.orderKnown(e.row) || l.unordered(e.row)) {
				ev.order = keyset.None
			}
			l.scratch = append(l.scratch, ev.values(j.nothing))
			l.changes = l.changes[:len(l.changes)-1]
			continue
		default:
			ev.cell = j.cellOf(e.row)
		}
		if ev.kind != upsert {
			*ev = ev.values(j.nothing)
		}
	}
}

// ownOf are, by column of KeepNull, the rows of earlier events of an event's position that say what it doesn't; nil: there are none.
func (l *life) ownOf(e *event) []uint32 {
	if e.own == 0 {
		return nil
	}
	n := l.j.slots - ownSlots
	return l.owned[int(e.own-1)*n : int(e.own)*n]
}

// values leaves deletes without values.
func (e event) values(nothing uint32) event {
	if e.kind != upsert {
		e.said, e.note, e.other, e.keep = nothing, nothing, keyset.None, keyset.None
	}
	return e
}

// cellOf is the bounds' cell of the position of a row of the changes.
func (j *job) cellOf(change uint32) uint32 {
	if j.opts.From == "" {
		return j.cells.now
	}
	return j.cells.said(change)
}

// touched says whether the call has anything to say of the key.
func (l *life) touched() bool {
	if len(l.changes) > 0 {
		return true
	}
	for i := range l.his {
		g := &l.his[i]
		if g.flags&isMarker != 0 {
			if l.isUnsure(g.from) {
				return true
			}
			continue
		}
		if l.j.opts.Absent == AbsentCloses && g.flags&endsOpen != 0 {
			return true
		}
		// The first truncate of the call at or after its start.
		at, _ := slices.BinarySearch(l.j.fresh, g.from)
		if at < len(l.j.fresh) && (g.flags&endsOpen != 0 || l.j.fresh[at] < g.to || l.isUnsure(g.to)) {
			return true
		}
	}
	return false
}

// isBroken looks for faults of the given versions.
func (l *life) isBroken() bool {
	why := ""
	for i := range l.his {
		g := &l.his[i]
		open := g.flags&endsOpen != 0
		switch {
		case g.flags&noStart != 0:
			why = "a version has no start"
		case l.j.beyond(g.from):
			why = "a version starts at or beyond the open end"
		case !open && g.to < g.from:
			why = "a version ends before it starts"
		case !open && g.to == g.from:
			why = "a version ends where it starts"
		}
		if i == 0 || g.flags&noStart != 0 {
			continue
		}
		switch p := &l.his[i-1]; {
		case p.flags&endsOpen != 0 && open:
			why = "two versions are open"
		case p.flags&endsOpen != 0 || p.to > g.from:
			why = "versions overlap"
		}
	}
	if why == "" {
		return false
	}
	l.broken = append(l.broken, trouble{row: l.his[0].row, rows: l.givenRows(), why: why})
	return true
}

func (l *life) givenRows() []uint32 {
	rows := make([]uint32, len(l.his))
	for i := range l.his {
		rows[i] = l.his[i].row
	}
	slices.Sort(rows)
	return rows
}

// changeRows lists rows of the changes, from 0, of some events.
func (l *life) changeRows(evs []event) []uint32 {
	var rows []uint32
	for i := range evs {
		if c, ok := l.j.changeOf(&evs[i]); ok {
			rows = append(rows, c)
		}
	}
	slices.Sort(rows)
	return slices.Compact(rows)
}

// changeOf is the row of the changes, from 0, that an event is of.
func (j *job) changeOf(e *event) (uint32, bool) {
	switch {
	case e.origin == ofPrevious:
		return e.key - j.firstOld, true
	case e.origin == ofChange && e.kind == truncated:
		return e.order - j.firstChg, e.order < j.firstSt
	case e.origin == ofChange:
		return e.key - j.firstChg, true
	}
	return 0, false
}

// same compares two rows by the columns of a slot.
func (l *life) same(slot int, a, b uint32) bool {
	if a == b {
		return true
	}
	if slot == saidTracked {
		if same, ok := l.compared(a, b); ok {
			return same
		}
	}
	for _, c := range l.j.bySlot[slot] {
		if !equal(c.cells, a, b) {
			return false
		}
	}
	return true
}

func equal(c *form.Column, a, b uint32) bool {
	return c.Compare(a, b, form.ByValue) == 0
}
