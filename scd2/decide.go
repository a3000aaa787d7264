package scd2

import (
	"cmp"
	"slices"

	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/keyset"
	"github.com/onerow-go/onerow/internal/order"
)

// decideChanges sorts the changes of a key, and leaves of those at one position the one that decides.
func (l *life) decideChanges() {
	evs := l.changes
	if l.j.opts.Mode == Snapshot {
		l.decideSnapshot()
		return
	}
	if len(evs) > 1 {
		sortWatched(&l.Watch, evs, func(a, b event) int {
			return cmp.Or(cmp.Compare(a.pos, b.pos), -l.rank(&a, &b), cmp.Compare(a.key, b.key))
		})
	}
	n := 0
	for lo := 0; lo < len(evs) && !l.Over(); n++ {
		hi := lo + 1
		for hi < len(evs) && evs[hi].pos == evs[lo].pos {
			hi++
		}
		switch {
		case hi-lo > 1:
			evs[n] = l.winner(evs[lo:hi])
		case n < lo:
			evs[n] = evs[lo]
		}
		if l.tied {
			return
		}
		lo = hi
	}
	l.changes = evs[:n]
}

// decideSnapshot leaves one row of a key in a snapshot: it is one key, one row. Copies count once; other rows tie, whatever their order.
func (l *life) decideSnapshot() {
	evs := l.changes
	if len(evs) < 2 {
		return
	}
	sortWatched(&l.Watch, evs, func(a, b event) int {
		return cmp.Or(-cmp.Compare(a.pos, b.pos), -l.rank(&a, &b), cmp.Compare(a.key, b.key))
	})
	n := 1
	for n < len(evs) && evs[n].pos == evs[0].pos {
		n++
	}
	if n < len(evs) && l.j.opts.Ties != TiesByContent {
		l.tie(evs, nil)
		return
	}
	winner := l.winner(evs[:n])
	for i := n; i < len(evs); i++ {
		l.set(&evs[i], superseded)
	}
	l.changes = append(evs[:0], winner)
}

// rank compares events of one position: the greater order, then the delete.
func (l *life) rank(a, b *event) int {
	if l.j.order != nil {
		if c := l.j.order.Compare(a.order, b.order); c != 0 {
			return c
		}
	}
	return cmp.Compare(min(a.kind, remove), min(b.kind, remove))
}

// winner is the event that decides, of events of one position in descending rank.
func (l *life) winner(evs []event) event {
	n := 1
	for n < len(evs) && l.rank(&evs[0], &evs[n]) == 0 {
		n++
	}
	best := 0
	for i := 1; i < n && evs[0].kind == upsert; i++ {
		if l.j.opts.Ties != TiesByContent && l.content(evs[best].note, evs[i].note, form.ByValue) != 0 && !l.isBeaten(&evs[0]) {
			l.tie(evs[:n], nil)
			return event{}
		}
		if cmp.Or(l.content(evs[best].note, evs[i].note, form.ByContent), l.content(evs[best].note, evs[i].note, form.ByBits)) < 0 {
			best = i
		}
	}
	for i := range evs {
		switch {
		case i == best:
		case i < n && (evs[0].kind != upsert || l.content(evs[best].note, evs[i].note, form.ByValue) == 0):
			l.set(&evs[i], duplicate)
		default:
			l.set(&evs[i], superseded)
		}
	}
	e := evs[best]
	l.fold(&e, evs[n:])
	return e
}

// isBeaten says whether something greater than an event is known at its position, so that it doesn't matter what ties with it.
func (l *life) isBeaten(e *event) bool {
	if i, found := at(l.said, e.pos); found && l.j.order != nil && l.said[i].order != keyset.None && l.j.order.Compare(e.order, l.said[i].order) < 0 {
		return true
	}
	return l.isTruncated(e)
}

// isTruncated says whether a truncate wins over an event at its position.
func (l *life) isTruncated(e *event) bool {
	for _, all := range [][]truncate{l.j.newTrunc, l.j.oldTrunc} {
		i, _ := slices.BinarySearchFunc(all, e.pos, func(t truncate, pos uint64) int { return cmp.Compare(t.pos, pos) })
		for ; i < len(all) && all[i].pos == e.pos; i++ {
			if l.j.order == nil || e.order != keyset.None && l.j.order.Compare(all[i].row, e.order) >= 0 {
				return true
			}
		}
	}
	return false
}

// fold takes over what lesser events of a position say in columns of KeepNull that the one which decides leaves out, up to a delete.
func (l *life) fold(e *event, lesser []event) {
	j := l.j
	if e.kind != upsert || len(lesser) == 0 || j.slots == ownSlots {
		return
	}
	own := make([]uint32, j.slots-ownSlots)
	for k := range own {
		own[k] = j.nothing
		if mine := l.ownOf(e); mine != nil && mine[k] != j.nothing {
			own[k] = mine[k]
			continue
		}
		cells := j.bySlot[ownSlots+k][0].cells
		for i := 0; cells.Null(e.note) && i < len(lesser) && lesser[i].kind == upsert && !l.isTruncated(&lesser[i]); i++ {
			s := &lesser[i]
			switch theirs := l.ownOf(s); {
			case !cells.Null(s.note):
				own[k] = s.note
			case theirs != nil && theirs[k] != j.nothing:
				own[k] = theirs[k]
			default:
				continue
			}
			break
		}
	}
	l.owned = append(l.owned, own...)
	e.own = uint32(len(l.owned) / len(own))
}

// content ranks two rows by what the source says.
func (l *life) content(a, b uint32, rank form.Rank) int { return order.Content(l.j.said, a, b, rank) }

// tie records a tie of the key: between changes, or of one with what is there already.
func (l *life) tie(evs []event, there *event) {
	l.tied = true
	if l.j.opts.Ties == SetAsideTies {
		for i := range l.loaded {
			l.set(&l.loaded[i], rejectedTie)
		}
		return
	}
	t := trouble{row: evs[0].key, rows: l.changeRows(evs), why: "equal in order, and they differ in content"}
	if l.j.opts.Mode == Snapshot {
		t.why = "they differ, and a snapshot has one row a key"
	}
	if there != nil {
		t.why = "a version starts there already, and says otherwise"
		if there.origin == ofState {
			t.why = "something else was said at its position before"
		}
	}
	l.ties = append(l.ties, t)
}

// both is what decides at a position of which history and state, two rows of the state, or a change and a truncate say something.
func (l *life) both(a, b event) event {
	switch {
	case a.origin >= ofChange:
		if l.rank(&a, &b) <= 0 {
			l.set(&a, superseded)
			return b
		}
		return a
	case a.kind == upsert && b.kind == upsert && a.origin == ofHistory:
		if !l.same(saidTracked, a.said, b.said) {
			l.mismatch(&a)
		}
		a.note, a.order, a.mem = b.note, b.order, b.mem
		return a
	case a.kind != upsert && b.kind != upsert:
		return l.bothDelete(a, b)
	case l.less(&a, &b):
		return b
	}
	return a
}

// bothDelete is the greater of two deletes, at the place of a: its deletion row and end are there already. Of a truncate and a delete that
// are equal the truncate stays: it is known for all keys. A deletion of the history whose order isn't known is the greatest; the state
// tells its order, changes don't.
func (l *life) bothDelete(a, b event) event {
	if a.order != keyset.None && b.order != keyset.None {
		rank := 0
		if l.j.order != nil {
			rank = l.j.order.Compare(a.order, b.order)
		}
		if rank > 0 || rank == 0 && b.kind != truncated {
			return a
		}
	} else if a.order == keyset.None && (b.origin >= ofChange || a.mem != keyset.None) {
		return a
	}
	a.order, a.mem, a.kind, a.key = b.order, b.mem, b.kind, b.key
	return a
}

// less says whether an event loses to another at its position. Where one of the orders isn't known, a delete wins.
func (l *life) less(a, b *event) bool {
	if a.order != keyset.None && b.order != keyset.None {
		return l.rank(a, b) < 0
	}
	return a.kind == upsert && b.kind != upsert
}

// mismatch records that the state knows a version that the history has otherwise.
func (l *life) mismatch(e *event) {
	l.broken = append(l.broken, trouble{row: e.key, rows: []uint32{e.key}, why: "the state has this version with other values"})
}

// anyKey is a row that has the key in work.
func (l *life) anyKey() uint32 {
	if len(l.changes) > 0 {
		return l.changes[0].key
	}
	if len(l.his) > 0 {
		return l.his[0].row
	}
	return l.j.nothing
}
