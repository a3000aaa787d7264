package scd2

import (
	"cmp"
	"slices"

	"github.com/onerow-go/onerow/internal/keyset"
)

// saidByHistory makes events of the given versions: an upsert at each start, a delete at each end where none follows.
func (l *life) saidByHistory() {
	l.said = l.said[:0]
	j := l.j
	for i := range l.his {
		if l.Over() {
			return
		}
		g := &l.his[i]
		order := keyset.None
		if j.order == nil {
			order = g.row // there is no more to know than the position
		}
		l.said = append(l.said, event{pos: g.from, cell: j.cells.start(g.row), said: g.row, note: g.row, other: g.row, keep: g.row, key: g.row, order: order,
			mem: keyset.None, base: int32(i)})
		if e := &l.said[len(l.said)-1]; g.flags&isMarker != 0 {
			e.kind, e.unsure = remove, l.isUnsure(g.from)
			*e = e.values(j.nothing)
		} else {
			e.order = l.orderOf(g)
		}
		l.seen(g)
		last := i+1 == len(l.his)
		if g.flags&endsOpen != 0 || !last && l.his[i+1].from == g.to {
			continue
		}
		l.said = append(l.said, event{pos: g.to, cell: j.cells.end(g.row), said: j.nothing, note: j.nothing, other: keyset.None, keep: keyset.None, key: g.row,
			order: order, mem: keyset.None, base: -1, kind: remove, ends: g.flags&isMarker != 0, unsure: l.isUnsure(g.to)})
	}
}

// isUnsure says whether a deletion of the history, whose order isn't known, is at the place of a truncate of this call: the state, which
// will know of that one, must not take it for the deletion.
func (l *life) isUnsure(pos uint64) bool {
	_, found := slices.BinarySearch(l.j.fresh, pos)
	return found && l.j.order != nil
}

// orderOf is where the order of the event that started a version is known from: the history's own columns, where they are of
// that event and not of a later one that corrected them.
func (l *life) orderOf(g *given) uint32 {
	j := l.j
	switch {
	case j.order == nil:
		return g.row
	case !j.inHistory, l.unordered(g.row):
		return keyset.None
	}
	if pos, ok := j.line.At(atSeen, g.row); !ok || pos != g.from {
		return keyset.None
	}
	return g.row
}

// unordered says whether an order column of a version is NULL where an event's may not be: it was there before the column.
func (l *life) unordered(row uint32) bool {
	for i, c := range l.j.orderCols {
		if !l.j.nullable[i] && c.Null(row) {
			return true
		}
	}
	return false
}

// seen adds the last event that fell in a version, where the history's own order columns tell of it.
func (l *life) seen(g *given) {
	j := l.j
	pos, ok := l.seenIn(g)
	if !ok || j.opts.Unchanged == KeepUnchanged {
		return
	}
	l.said = append(l.said, event{pos: pos, cell: j.cells.seen(g.row), said: g.row, note: g.row, other: g.row, keep: g.row, key: g.row, order: g.row, mem: keyset.None, base: -1})
}

// seenIn is the position of the last event that fell in a version after its start, where the history's own column of positions tells of one.
func (l *life) seenIn(g *given) (pos uint64, ok bool) {
	if l.j.seenAt == nil || g.flags&isMarker != 0 {
		return 0, false
	}
	pos, ok = l.j.line.At(atSeen, g.row)
	return pos, ok && pos > g.from && !l.j.beyond(pos) && (g.flags&endsOpen != 0 || pos < g.to)
}

// saidByState adds what the state knows of the key. Of two that speak of one position, the greater stays; a row of the state stands for the
// start of a version too, and knows what was said then.
func (l *life) saidByState() {
	if l.j.opts.Mode == Snapshot {
		return
	}
	sortWatched(&l.Watch, l.scratch, func(a, b event) int {
		return cmp.Or(cmp.Compare(a.pos, b.pos), cmp.Compare(a.key, b.key))
	})
	l.dropUnknown()
	l.said = l.weave(l.said, l.scratch)
}

// saidByTruncates adds truncates: those of the state to what was said, those of this call to the changes.
func (l *life) saidByTruncates() {
	if l.j.opts.Mode == Snapshot || len(l.j.trunc) == 0 {
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

// truncates are the truncates of the state or of this call as events of the key: those at a point where something is said, and the first
// one after it. Others find nothing to end.
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
			evs = append(evs, event{pos: t.pos, cell: t.cell, said: l.j.nothing, note: l.j.nothing, other: keyset.None, keep: keyset.None, key: l.anyKey(), order: t.row,
				mem: keyset.None, base: -1, kind: truncated, origin: from})
			if t.pos > p {
				break
			}
		}
	}
	return evs
}

// at finds the event of a position in a list that is by position.
func at(list []event, pos uint64) (int, bool) {
	return slices.BinarySearchFunc(list, pos, func(e event, pos uint64) int { return cmp.Compare(e.pos, pos) })
}

// outranked says whether a truncate of the state, at the start of a version whose order isn't known, has no say, since a change there is greater.
func (l *life) outranked(t *truncate) bool {
	if i, found := at(l.said, t.pos); !found || l.said[i].kind != upsert || l.said[i].order != keyset.None {
		return false
	}
	at, found := at(l.changes, t.pos)
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
