package scd2

import (
	"context"
	"slices"

	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/keyset"
)

// settling is of the keys that have one event in a call, after all that the history has of them: most have no more. What becomes of such a key is
// settled by one comparison: its last version stays, or ends where the event says, and the event is unchanged or makes the next version. It isn't
// worked off by a life, and what is made of it is written right into the lists of the outcome. That is done in the order of the changes, in
// which one side of each comparison is read forwards.
type settling struct {
	j       *job
	out     *outcome
	columns []*form.Column // the tracked ones of the source, those with small cells first
	on      bool           // keys may be settled
	fresh   bool           // those without a version, too
	splices bool           // others may be spliced
	ordered bool           // each event that makes a version or ends one is remembered
	of      []uint64       // by row of the changes: 1 + the row of its version, or 0, and bits; one word, as each look is a cache miss
	spans   []keyset.Span
	found   []settledSpan // by span
}

// Bits of a change, beside the row of its version.
const (
	isSame    = 1 << 32 // change and version were found to be the same
	isSettled = 1 << 33
	isGone    = 1 << 34 // the version ended before
)

// Bits of a change that was spliced, which has the cell of the end of the version that it makes in the lower half.
const (
	makesVersion = 1 << 32
	isApplied    = 1 << 33
	isRemembered = 1 << 34
	isSpliced    = 1 << 35
	isLate       = 1 << 36
	staysOpen    = 1 << 37 // the version
	reasonShift  = 40      // why there is one
)

// verdict says what is known of a key that may be settled.
type verdict uint8

const (
	unsettled verdict = iota
	sound             // its versions are in order and without faults, and all that is said comes from the history and the changes
	settled
)

// settledSpan is what was settled of the changes of a span.
type settledSpan struct {
	inserts, mems int
	closes        []uint64 // the row of the history above that of the changes, from 0
}

// neverSettle is set by tests, which compare what is settled with what a life makes of it.
var neverSettle = false

// newSettling says whether the call's options allow to settle keys. They don't where more is to be looked at than the tracked columns of the last
// version: values that aren't tracked, or that come from several rows, truncates, positions beyond what a column can hold, and snapshots.
func newSettling(j *job, out *outcome) *settling {
	s := &settling{j: j, out: out}
	for _, c := range j.bySlot[saidTracked] {
		s.columns = append(s.columns, c.cells)
	}
	slices.SortStableFunc(s.columns, func(a, b *form.Column) int { return one(b.Quick()) - one(a.Quick()) })
	o := &j.opts
	s.on = o.Mode == Changes && o.Unchanged == CollapseUnchanged && o.Deletes == DeletesClose && !o.Columns.Group &&
		len(j.trunc) == 0 && j.slots == ownSlots && len(j.bySlot[saidUntracked]) == 0 && j.seenAt == nil &&
		len(j.cells.badFrom)+len(j.cells.badTo) == 0 && !neverSettle
	if !s.on {
		return s
	}
	s.fresh = o.Since == nil || len(j.bySlot[otherTracked])+len(j.bySlot[otherUntracked]) == 0
	s.ordered = j.order != nil
	s.splices = o.Late == RewriteLate && len(j.used) == 1 && j.used[0] == saidTracked
	s.of = make([]uint64, j.changes.Rows)
	s.spans = keyset.Spans([]int{len(s.of)}, func(int) uint32 { return 0 })
	s.found = make([]settledSpan, len(s.spans))
	return s
}

// one is 1 for true.
func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// settle notes a key whose only event comes after the end of its last version, or within it and after its start. It puts the versions in order.
// Of a key that it can't settle it says how many of its versions come before all that its events speak of: these stay as they are.
func (l *life) settle(evs []dealt, his []given) (before uint32, is verdict) {
	j, s := l.j, l.settling
	if !s.on || len(his) > pairedVersions {
		return 0, unsettled
	}
	first, only := evs[0].pos, len(evs) == 1
	for i := range evs {
		if evs[i].row < j.firstChg || evs[i].row >= j.firstSt {
			return 0, unsettled
		}
		first = min(first, evs[i].pos)
	}
	if len(his) == 0 {
		if only && (s.fresh || evs[0].kind != upsert) {
			l.words = append(l.words, changeWord{isSettled, evs[0].row - j.firstChg})
			return 0, settled
		}
		return 0, sound
	}
	if !j.inOrder(his) {
		return 0, unsettled
	}
	last := &his[len(his)-1]
	if only && first > last.from && (last.flags&endsOpen != 0 || first > last.to) {
		w := isSettled | uint64(last.row+1)
		if last.flags&endsOpen == 0 {
			w |= isGone
		}
		l.words = append(l.words, changeWord{w, evs[0].row - j.firstChg})
		return 0, settled
	}
	for int(before)+1 < len(his) && his[before+1].from < first {
		before++
	}
	return before, sound
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

// compare compares settled changes with their versions, and decides what becomes of them.
func (s *settling) compare(ctx context.Context) error {
	j := s.j
	return j.run(ctx, len(s.spans), func(_, task int) error {
		span := s.spans[task]
		room := rooms.Get().(*comparing)
		span.Blocks(func(_, n int, row uint32) {
			of, kinds := s.of[row:][:n], j.kinds[row:][:n]
			for i, w := range of {
				if uint32(w) != 0 && w&(isSettled|isGone|isSpliced) == isSettled && kinds[i] == upsert {
					room.add(j.firstChg+row+uint32(i), uint32(w)-1, uint32(i))
				}
			}
			for _, i := range room.left(s.columns) {
				of[i] |= isSame
			}
		})
		rooms.Put(room)
		s.decide(task)
		return nil
	})
}

// settledFate is what becomes of a settled change.
type settledFate struct {
	insert, close, mem uint8 // makes a version, closes the last one, is remembered
	fate               fate
}

// fateOf tells what becomes of a settled change by its bits, its kind, and whether it has a version, and what a spliced one makes.
func (s *settling) fateOf(w uint64, k kind) *settledFate {
	at := w >> 32 & 31
	if uint32(w) == 0 {
		at |= 32
	}
	if k != upsert {
		at |= 64
	}
	return &settledFates[one(s.ordered)][at]
}

// settledFates has, with and without an order beside the position, what becomes of a change of each kind: see settling.fateOf for the index.
var settledFates = func() (all [2][128]settledFate) {
	for ordered := range all {
		for at := range all[ordered] {
			same, gone, none, isDelete := at&1 != 0, at&4 != 0, at&32 != 0, at&64 != 0
			open, f := !gone && !none, &all[ordered][at]
			switch {
			case at&8 != 0: // spliced
				f.insert, f.mem, f.fate = uint8(at&1), uint8(at>>2&1), unchanged
				if at&2 != 0 {
					f.fate = applied + fate(at>>4&1)
				}
				continue
			case at&2 == 0:
				continue // not settled
			case isDelete:
				f.close = uint8(one(open))
			default:
				f.insert, f.close = uint8(one(!open || !same)), uint8(one(open && !same))
			}
			if f.fate = applied; f.insert+f.close == 0 {
				f.fate = unchanged
			}
			f.mem = uint8(ordered | one(f.fate == unchanged))
		}
	}
	return all
}()

// decide says what became of the settled changes of a span, and counts what there is to write.
func (s *settling) decide(task int) {
	span, found := s.spans[task], &s.found[task]
	of, status, kinds := s.of[span.Row:][:span.N], s.out.status[span.Row:][:span.N], s.j.kinds[span.Row:][:span.N]
	closes := make([]uint64, span.N)
	n := 0
	for i, w := range of {
		f := s.fateOf(w, kinds[i])
		status[i] = max(status[i], f.fate) // of what isn't settled, a life has said it
		found.inserts += int(f.insert)
		found.mems += int(f.mem)
		closes[n] = (w-1)<<32 | uint64(span.Row) + uint64(i)
		n += int(f.close)
	}
	found.closes = closes[:n]
}

// insertOf puts the version that a settled change makes into c; row is of all rows. (Like closeOf, it writes to where the change stays: a copy in a
// register or two would wait until all small writes are done.)
func (j *job) insertOf(c *change, row uint32, w uint64) {
	c.from, c.row, c.key = j.cellOf(row), row, row
	c.to, c.open, c.reason = j.cells.open, true, Changed
	switch {
	case w&isSpliced != 0:
		c.to, c.open, c.reason = uint32(w), w&staysOpen != 0, Reason(w>>reasonShift)
	case uint32(w) == 0:
		c.reason = NewKey
	case w&isGone != 0:
		c.reason = Returned
	}
}

// closeOf puts the end of the version that a settled change closes into c.
func (j *job) closeOf(c *change, version, row uint32) {
	c.from, c.to, c.row, c.key = j.cells.start(version), j.cellOf(row), version, version
	c.reason, c.close = Changed, true
	if j.kinds[row-j.firstChg] != upsert {
		c.reason = Deleted
	}
}

// settledRefs are the rows that give the slots of the version or memory that a settled change makes.
func (j *job) settledRefs(refs []uint32, row uint32, w uint64) {
	for i, s := range j.used {
		switch {
		case j.kinds[row-j.firstChg] != upsert:
			refs[i] = j.nothing
		case s < otherTracked:
			refs[i] = row
		case uint32(w) == 0:
			refs[i] = j.nothing
		default:
			refs[i] = uint32(w) - 1
		}
	}
}
