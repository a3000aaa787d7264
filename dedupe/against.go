package dedupe

import (
	"slices"

	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/keyset"
)

// targetOf returns the greatest row of the target among some events, the first of equal ones, or noRow.
func (l *lives) targetOf(group []uint32) uint32 {
	target := noRow
	for _, e := range group {
		if e >= l.rows && e < l.known && (target == noRow || l.compare(e, target) > 0 || l.compare(e, target) == 0 && e < target) {
			target = e
		}
	}
	return target
}

// compareTarget ranks an event and the target's row; every event is above a target that has none.
func (l *lives) compareTarget(event, target uint32) int {
	if target == noRow {
		return 1
	}
	return l.compare(event, target)
}

// meetTarget decides a level that the target's row of the key is part of, with nothing above it.
func (l *lives) meetTarget(w *liver, v *level) {
	replays := l.replays(&w.Watch, v)
	stale := func() {
		w.report.Replays += replays
		l.setStale(w, v.upserts)
		l.setStale(w, v.deletes)
	}
	switch {
	case l.isDelete(v.target):
		w.report.count(verdict{deleteTie: len(v.upserts) > 0})
		stale()
	case len(v.deletes) > 0:
		winner := l.greatest(&w.Watch, v.deletes)
		w.report.count(verdict{copies: l.copies(&w.Watch, winner, v.deletes), deleteTie: true})
		w.kept.Set(winner)
	case len(v.ends) > 0:
		w.report.count(verdict{deleteTie: true})
		w.ended.Set(l.greatest(&w.Watch, v.ends))
	case replays == int64(len(v.upserts)):
		stale()
	default:
		w.report.TiedKeys++
		l.tieWithTarget(w, v, stale)
	}
}

// tieWithTarget applies the rule for ties to upserts that are equal in order to the target's row and differ from it. A row that wins
// but says what the target has already is stale.
func (l *lives) tieWithTarget(w *liver, v *level, stale func()) {
	if l.opts.Ties == RejectTies || l.opts.Ties == SetAsideTies {
		w.ties = append(w.ties, tie{rows: slices.Clone(v.upserts), target: true})
		for _, r := range v.upserts {
			w.aside.Set(r)
			w.report.TiedRows++
		}
		return
	}
	winner := v.upserts[len(v.upserts)-1]
	if l.opts.Ties == TiesByContent {
		winner = l.greatest(&w.Watch, v.upserts)
	}
	switch {
	case l.opts.Ties == FirstTied,
		l.againstTarget(winner, v.target, form.ByValue) == 0,
		l.opts.Ties == TiesByContent && l.againstTarget(winner, v.target, form.ByContent) < 0:
		stale()
	default:
		w.kept.Set(winner)
		w.report.Duplicates += l.copies(&w.Watch, winner, v.upserts)
	}
}

// replays counts the rows of a level that are equal to the target's row.
func (l *lives) replays(w *keyset.Watch, v *level) (n int64) {
	for _, list := range [][]uint32{v.upserts, v.deletes} {
		for _, r := range list {
			if w.Over() {
				return n
			}
			if l.againstTarget(r, v.target, form.ByValue) == 0 {
				n++
			}
		}
	}
	return n
}

// againstTarget ranks a row and the target's by the columns that both have. A value that the row doesn't have, being unavailable,
// says nothing.
func (l *lives) againstTarget(row, target uint32, rank form.Rank) int {
	for _, c := range l.common {
		if l.unavailable(c, row) {
			continue
		}
		if r := c.Compare(row, target, rank); r != 0 {
			return r
		}
	}
	return 0
}

func (l *lives) unavailable(c *form.Column, row uint32) bool {
	for _, f := range l.fills {
		if f.Name == c.Name {
			return c.Match(f.gone, row)
		}
	}
	return false
}
