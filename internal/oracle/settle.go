package oracle

import (
	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/dedupe"
)

// settle decides the fates of the rows of one key.
func (l *latest) settle(g *group) {
	if len(g.events) == 0 {
		return
	}
	top := l.latestOf(g.events)
	if g.target != nil {
		l.markStale(g, top)
		switch c := l.compare(top[0], *g.target); {
		case c < 0:
			return
		case c == 0:
			l.settleBesideTarget(g, top)
			return
		}
	}
	l.settleTop(g, top)
}

// latestOf returns the events that no other is later than.
func (l *latest) latestOf(events []event) []event {
	var top []event
	for _, e := range events {
		switch {
		case len(top) == 0 || l.compare(e, top[0]) > 0:
			top = []event{e}
		case l.compare(e, top[0]) == 0:
			top = append(top, e)
		}
	}
	return top
}

// markStale marks the rows older than the target's, and those beside it when there is a later event.
func (l *latest) markStale(g *group, top []event) {
	later := l.compare(top[0], *g.target) > 0
	for _, e := range g.events {
		c := l.compare(e, *g.target)
		if c < 0 || c == 0 && later {
			l.stale(e, *g.target)
		}
	}
}

func (l *latest) stale(e, target event) {
	if e.kind == end {
		return
	}
	l.fates[e.row] = stale
	if l.compare(e, target) == 0 && l.repeats(e, target) {
		l.tally.Replays++
	}
}

// settleTop decides among the latest events of a key that are newer than what the target has.
func (l *latest) settleTop(g *group, top []event) {
	upserts, deletes, ends := split(top)
	if len(deletes)+len(ends) > 0 {
		l.end(deletes, ends, len(upserts) > 0)
		return
	}
	if !tied(upserts) {
		l.keep(pick(upserts, dedupe.TiesByContent), upserts)
		return
	}
	l.tally.TiedKeys++
	switch l.opts.Ties {
	case dedupe.RejectTies:
		l.tie(upserts)
	case dedupe.SetAsideTies:
		l.setAside(g)
	default:
		l.keep(pick(upserts, l.opts.Ties), upserts)
	}
}

// settleBesideTarget decides among the latest events of a key that are equal in order to the target's row.
func (l *latest) settleBesideTarget(g *group, top []event) {
	upserts, deletes, ends := split(top)
	switch {
	case g.target.kind == remove:
		if len(upserts) > 0 {
			l.tally.DeleteTies++
		}
		l.allStale(top, *g.target)
		return
	case len(deletes)+len(ends) > 0:
		l.end(deletes, ends, true)
		return
	}
	if l.allRepeat(upserts, *g.target) {
		l.allStale(upserts, *g.target)
		return
	}

	l.tally.TiedKeys++
	switch winner := pick(upserts, l.opts.Ties); {
	case l.opts.Ties == dedupe.RejectTies:
		l.tie(upserts)
	case l.opts.Ties == dedupe.SetAsideTies:
		l.setAside(g)
	case l.opts.Ties == dedupe.FirstTied, l.repeats(winner, *g.target),
		l.opts.Ties == dedupe.TiesByContent && l.compareWithTarget(winner, *g.target) < 0:
		l.allStale(upserts, *g.target)
	default:
		l.keep(winner, upserts)
	}
}

func split(events []event) (upserts, deletes, ends []event) {
	for _, e := range events {
		switch e.kind {
		case upsert:
			upserts = append(upserts, e)
		case remove:
			deletes = append(deletes, e)
		case end:
			ends = append(ends, e)
		}
	}
	return upserts, deletes, ends
}

func tied(rows []event) bool {
	for _, e := range rows {
		if !same(e, rows[0]) {
			return true
		}
	}
	return false
}

// end lets the deletes win, or else the ends. overUpsert says whether they win over an upsert equal in order.
func (l *latest) end(deletes, ends []event, overUpsert bool) {
	if overUpsert {
		l.tally.DeleteTies++
	}
	if len(deletes) == 0 {
		l.ended = append(l.ended, pick(ends, dedupe.TiesByContent).row)
		return
	}
	l.keep(pick(deletes, dedupe.TiesByContent), deletes)
	l.tally.Deletes++
}

// keep keeps one of some rows equal in order; its copies are duplicates.
func (l *latest) keep(winner event, rows []event) {
	for _, e := range rows {
		if same(e, winner) {
			l.fates[e.row] = duplicate
		}
	}
	l.fates[winner.row] = kept
}

func (l *latest) allStale(events []event, target event) {
	for _, e := range events {
		l.stale(e, target)
	}
}

// setAside sets aside all rows of a key but the stale ones.
func (l *latest) setAside(g *group) {
	for _, e := range g.events {
		if e.kind != end && l.fates[e.row] != stale {
			l.fates[e.row] = setAside
			l.tally.TiedRows++
		}
	}
}

func (l *latest) tie(rows []event) {
	k := onerow.KeyRows{Count: int64(len(rows))}
	for _, v := range cells(rows[0].cells, l.columns.key) {
		k.Values = append(k.Values, v.String())
	}
	for _, e := range rows {
		if len(k.Rows) < onerow.MaxSampleRows {
			k.Rows = append(k.Rows, uint32(e.row))
		}
	}
	l.ties = append(l.ties, k)
}
