package oracle

import (
	"slices"

	"github.com/onerow-go/onerow/scd2"
)

// version is one row of the new history.
type version struct {
	from, to Value
	open     bool
	marker   bool
	vals     []Value
}

// replay walks over the positions of a key in ascending order; the event that decides at each makes, keeps or ends a version. It says whether
// events are tied.
func (h *history) replay(l *life) (versions []version, tied bool) {
	slices.SortStableFunc(l.events, func(a, b happening) int { return comparePlace(a.at, b.at) })
	for from := 0; from < len(l.events); {
		to := from + 1
		for to < len(l.events) && comparePlace(l.events[to].at, l.events[from].at) == 0 {
			to++
		}
		e, tie := h.decide(l.events[from:to])
		if tied = tied || tie; !tie {
			versions = h.happen(versions, e)
		}
		from = to
	}
	return versions, tied
}

// decide returns the event that decides at a position. One that the history gives is a delete, which wins, or an upsert, which loses to a
// delete and is corrected by an event that is equal to it in the tracked columns.
func (h *history) decide(events []happening) (decides happening, tied bool) {
	var given, came []happening
	for _, e := range events {
		if e.given {
			given = append(given, e)
		} else {
			came = append(came, e)
		}
	}
	if len(came) == 0 {
		return given[0], false
	}
	best := came[0]
	for _, e := range came[1:] {
		if h.compare(e, best) > 0 {
			best = e
		}
	}
	best = h.fill(best, came)
	resolve := h.opts.Ties == scd2.TiesByContent
	for _, e := range came {
		if !resolve && !best.gone && h.comparePlaces(e, best) == 0 && !h.sameSaid(e, best, false) {
			return best, true
		}
	}
	switch {
	case len(given) == 0:
		return best, false
	case given[0].gone || best.gone:
		best.gone = true
		return best, false
	case h.sameSaid(given[0], best, true):
		start := given[0]
		start.vals = slices.Clone(start.vals)
		for i, c := range h.columns {
			if best.says[i] && !c.tracked {
				start.vals[i] = best.vals[i]
			}
		}
		return start, false
	case !resolve:
		return best, true
	case h.compareSaid(given[0], best) > 0:
		return given[0], false
	}
	return best, false
}

// fill gives an event, where it says nothing, what lesser events of its position said last, after any delete.
func (h *history) fill(best happening, came []happening) happening {
	slices.SortStableFunc(came, h.compare)
	best.vals, best.says = slices.Clone(best.vals), slices.Clone(best.says)
	for i := range h.columns {
		if best.says[i] {
			continue
		}
		for _, e := range came {
			if h.compare(e, best) > 0 {
				break
			}
			if best.says[i] = !e.gone && (best.says[i] || e.says[i]); best.says[i] && e.says[i] {
				best.vals[i] = e.vals[i]
			}
		}
	}
	return best
}

// happen lets an event happen after all the versions so far.
func (h *history) happen(versions []version, e happening) []version {
	var last *version // the version that is valid, or the marker of a deletion
	vals := make([]Value, len(h.columns))
	if n := len(versions); n > 0 {
		last = &versions[n-1]
		copy(vals, last.vals)
	}
	valid := last != nil && last.open && !last.marker
	if e.gone {
		if valid {
			last.open, last.to = false, e.at
			if h.opts.Deletes == scd2.DeletesAsRows {
				versions = append(versions, version{from: e.at, open: true, marker: true, vals: vals})
			}
		}
		return versions
	}
	for i := range vals {
		if e.says[i] {
			vals[i] = e.vals[i]
		}
	}
	if valid && !e.apart && h.opts.Unchanged == scd2.CollapseUnchanged && h.sameTracked(vals, last.vals) {
		for i, c := range h.columns {
			if !c.tracked {
				last.vals[i] = vals[i]
			}
		}
		return versions
	}
	if last != nil && last.open {
		last.open, last.to = false, e.at
	}
	return append(versions, version{from: e.at, open: true, vals: vals})
}
