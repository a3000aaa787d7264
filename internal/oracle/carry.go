package oracle

import (
	"slices"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/dedupe"
)

// outcome makes the lists, the counts and the values of the kept rows.
func (l *latest) outcome() *Outcome {
	o := &Outcome{Report: l.tally}
	lists := map[fate]*onerow.Rows{kept: &o.Rows, setAside: &o.SetAside, stale: &o.Stale}
	counts := map[fate]*int64{
		kept: &o.Report.Kept, setAside: &o.Report.SetAside, stale: &o.Report.Stale,
		superseded: &o.Report.Superseded, duplicate: &o.Report.Duplicates,
	}
	for r, f := range l.fates {
		*counts[f]++
		if list, ok := lists[f]; ok {
			*list = append(*list, uint32(r))
		}
	}
	slices.Sort(l.ended)
	for _, r := range l.ended {
		o.Ended = append(o.Ended, uint32(r))
	}
	o.Report.In = int64(len(l.fates))
	o.Report.EndedKeys = int64(len(l.ended))
	for _, r := range o.Rows {
		o.Taken = append(o.Taken, l.take(o, int(r)))
	}
	return o
}

// take returns the values of a kept row, with those that carry-forward finds.
func (l *latest) take(o *Outcome, row int) []Value {
	e := l.event(l.batch, row)
	values := slices.Clone(e.cells)
	if e.kind == remove {
		return values
	}
	for _, f := range l.fills {
		if !f.unavailable.have(values[f.column]) {
			continue
		}
		source, column, found := l.carry(e, f)
		if target := l.group(l.key(e)).target; target != nil && l.compare(*target, e) == 0 {
			// The winner of a tie with the target: no older row is nearer than the target's.
			source, column = *target, f.target
			found = column >= 0 && !f.unavailable.have(target.cells[max(column, 0)])
		}
		if !found {
			o.Report.Unfilled++
			continue
		}
		o.Report.Filled++
		o.Filled = append(o.Filled, Carried{Row: row, Column: l.batch.names[f.column], From: source.row, FromTarget: source.target})
		values[f.column] = source.cells[column]
	}
	return values
}

// carry walks back along the life of a row to the nearest that has a value.
func (l *latest) carry(e event, f fill) (source event, column int, found bool) {
	for {
		key := l.key(e)
		if previous, changed := l.previous(e); changed {
			key = previous
		}
		older, ok := l.before(e, key)
		switch {
		case !ok:
			return event{}, 0, false
		case older.target:
			found = f.target >= 0 && !f.unavailable.have(older.cells[f.target])
			return older, f.target, found
		case !f.unavailable.have(older.cells[f.column]):
			return older, f.column, true
		}
		e = older
	}
}

// before returns the row of a key that is the nearest older than an event. There is none across a delete or an end, and
// none among several different ones.
func (l *latest) before(e event, key string) (event, bool) {
	g := l.group(key)
	var past []event
	for _, p := range g.events {
		if l.compare(p, e) < 0 {
			past = append(past, p)
		}
	}
	target := g.target
	if target != nil && l.compare(*target, e) >= 0 {
		target = nil
	}
	if len(past) == 0 {
		if target == nil || target.kind != upsert {
			return event{}, false
		}
		return *target, true
	}

	top := l.latestOf(past)
	upserts, deletes, ends := split(top)
	if target != nil {
		switch c := l.compare(*target, top[0]); {
		case c > 0:
			return *target, target.kind == upsert
		case c == 0:
			alive := len(deletes)+len(ends) == 0 && target.kind == upsert
			return *target, alive && l.allRepeat(upserts, *target)
		}
	}
	if len(deletes)+len(ends) > 0 || tied(upserts) {
		return event{}, false
	}
	return pick(upserts, dedupe.TiesByContent), true
}
