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
		slices.SortFunc(evs, func(a, b event) int {
			if l.Over() {
				return 0
			}
			return cmp.Or(cmp.Compare(a.pos, b.pos), -l.rank(&a, &b), cmp.Compare(a.key, b.key))
		})
	}
	kept := evs[:0]
	for lo := 0; lo < len(evs) && !l.Over(); {
		hi := lo + 1
		for hi < len(evs) && evs[hi].pos == evs[lo].pos {
			hi++
		}
		winner := l.winner(evs[lo:hi])
		if l.tied {
			return
		}
		kept = append(kept, winner)
		lo = hi
	}
	l.changes = kept
}

// decideSnapshot leaves one row of a key in a snapshot: it is one key, one row. Copies count once; other rows tie, whatever their order.
func (l *life) decideSnapshot() {
	evs := l.changes
	if len(evs) < 2 {
		return
	}
	slices.SortFunc(evs, func(a, b event) int {
		if l.Over() {
			return 0
		}
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
		if l.j.opts.Ties != TiesByContent && l.content(evs[best].note, evs[i].note, form.ByValue) != 0 {
			l.tie(evs[:n], nil)
			return event{}
		}
		if l.content(evs[best].note, evs[i].note, form.ByBits) < 0 {
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

// fold takes over what lesser events of a position say in columns of KeepNull that the one which decides leaves out, up to a delete.
func (l *life) fold(e *event, lesser []event) {
	j := l.j
	if e.kind != upsert || len(lesser) == 0 || j.slots == ownSlots {
		return
	}
	e.own = make([]uint32, j.slots-ownSlots)
	for k := range e.own {
		e.own[k] = j.nothing
		cells := j.bySlot[ownSlots+k][0].cells
		for i := 0; cells.Null(e.note) && i < len(lesser) && lesser[i].kind == upsert; i++ {
			if !cells.Null(lesser[i].note) {
				e.own[k] = lesser[i].note
				break
			}
		}
	}
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

// saidByHistory makes events of the given versions: an upsert at each start, a delete at each end where none follows.
func (l *life) saidByHistory() {
	l.said = l.said[:0]
	j := l.j
	for i := range l.his {
		g := &l.his[i]
		order := keyset.None
		if j.order == nil {
			order = g.row // there is no more to know than the position
		}
		e := event{pos: g.from, cell: j.cells.start(g.row), said: g.row, note: g.row, other: g.row, key: g.row, order: order, mem: keyset.None, base: int32(i)}
		if g.flags&isMarker != 0 {
			e.kind = remove
		} else {
			e.order = l.orderOf(g)
		}
		l.said = append(l.said, e.values(j.nothing))
		l.seen(g)
		last := i+1 == len(l.his)
		if g.flags&endsOpen != 0 || !last && l.his[i+1].from == g.to {
			continue
		}
		l.said = append(l.said, event{pos: g.to, cell: j.cells.end(g.row), said: j.nothing, note: j.nothing, other: keyset.None, key: g.row,
			order: order, mem: keyset.None, base: -1, kind: remove, ends: g.flags&isMarker != 0})
	}
}

// orderOf is where the order of the event that started a version is known from: the history's own columns, where they are of
// that event and not of a later one that corrected them.
func (l *life) orderOf(g *given) uint32 {
	j := l.j
	switch {
	case j.order == nil:
		return g.row
	case !j.inHistory:
		return keyset.None
	case j.seenAt != nil:
		if pos, ok := j.line.At(atSeen, g.row); ok && pos == g.from {
			return g.row
		}
		return keyset.None
	case j.state.Schema != nil:
		return g.row
	}
	return keyset.None
}

// seen adds the last event that fell in a version, where the history's own order columns tell of it.
func (l *life) seen(g *given) {
	j := l.j
	pos, ok := l.seenIn(g)
	if !ok || j.opts.Unchanged == KeepUnchanged {
		return
	}
	l.said = append(l.said, event{pos: pos, cell: j.cells.seen(g.row), said: g.row, note: g.row, other: g.row, key: g.row, order: g.row, mem: keyset.None, base: -1})
}

// seenIn is the position of the last event that fell in a version after its start, where the history's own column of positions tells of one.
func (l *life) seenIn(g *given) (pos uint64, ok bool) {
	if l.j.seenAt == nil || g.flags&isMarker != 0 {
		return 0, false
	}
	pos, ok = l.j.line.At(atSeen, g.row)
	return pos, ok && pos > g.from && (g.flags&endsOpen != 0 || pos < g.to)
}

// saidByState adds what the state knows of the key, and truncates: those of the state to what was said, those of this call to the changes. Of two that
// speak of one position, the greater stays; a row of the state stands for the start of a version too, and knows what was said then.
func (l *life) saidByState() {
	if l.j.opts.Mode == Snapshot {
		return
	}
	slices.SortFunc(l.scratch, func(a, b event) int {
		if l.Over() {
			return 0
		}
		return cmp.Or(cmp.Compare(a.pos, b.pos), cmp.Compare(a.key, b.key))
	})
	l.dropUnknown()
	l.said = l.weave(l.said, l.scratch)
	if len(l.j.trunc) == 0 {
		return
	}
	l.points = l.points[:0]
	for _, list := range [][]event{l.said, l.changes} {
		for i := range list {
			l.points = append(l.points, list[i].pos)
		}
	}
	slices.Sort(l.points)
	l.points = slices.Compact(l.points)
	l.said = l.weave(l.said, l.truncates(ofState))
	l.changes = l.weave(l.changes, l.truncates(ofChange))
}

// dropUnknown leaves out what the state says of times before Options.Since of which no version was given.
func (l *life) dropUnknown() {
	if l.j.opts.Since == nil {
		return
	}
	l.scratch = slices.DeleteFunc(l.scratch, func(e event) bool { return e.pos < l.j.since && l.versionAt(e.pos) == nil })
}

// truncates are the truncates of the state or of this call as events of the key: those at a point where something is said, and the first one after it. Others find
// nothing to end.
func (l *life) truncates(from origin) []event {
	var evs []event
	all := l.j.oldTrunc
	if from == ofChange {
		all = l.j.newTrunc
	}
	at := 0
	for i, p := range l.points {
		k, _ := slices.BinarySearchFunc(all[at:], p, func(t truncate, pos uint64) int { return cmp.Compare(t.pos, pos) })
		for at += k; at < len(all) && (i+1 == len(l.points) || all[at].pos < l.points[i+1]); at++ {
			t := all[at]
			if from == ofState && l.outranked(&t) {
				continue
			}
			evs = append(evs, event{pos: t.pos, cell: t.cell, said: l.j.nothing, note: l.j.nothing, other: keyset.None, key: l.anyKey(), order: t.row,
				mem: keyset.None, base: -1, kind: truncated, origin: from})
			if t.pos > p {
				break
			}
		}
	}
	return evs
}

// outranked says whether a change is greater than a truncate of the state at its position.
func (l *life) outranked(t *truncate) bool {
	at, found := slices.BinarySearchFunc(l.changes, t.pos, func(e event, pos uint64) int { return cmp.Compare(e.pos, pos) })
	return found && l.j.order != nil && l.changes[at].kind == upsert && l.j.order.Compare(l.changes[at].order, t.row) > 0
}

// weave puts two lists of events, each by position, into one, with one event a position.
func (l *life) weave(a, b []event) []event {
	if len(b) == 0 {
		return a
	}
	out := l.merged[:0]
	for (len(a) > 0 || len(b) > 0) && !l.Over() {
		var e event
		if len(b) == 0 || len(a) > 0 && a[0].pos <= b[0].pos {
			e, a = a[0], a[1:]
		} else {
			e, b = b[0], b[1:]
		}
		if n := len(out); n > 0 && out[n-1].pos == e.pos {
			out[n-1] = l.both(out[n-1], e)
		} else {
			out = append(out, e)
		}
	}
	l.merged = out
	return slices.Clone(out)
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

// bothDelete is the greater of two deletes, at the place of a: its deletion row and end are there already. Of a truncate and a delete that are equal the truncate
// stays: it is known for all keys. A deletion of the history whose order isn't known is the greatest; the state tells its order, changes don't.
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
		a.unsure = a.unsure || b.kind == truncated // or the truncate would be taken for it
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
