package scd2

import (
	"math/bits"
	"sort"
)

// editRun is some rows of the history, one after the other, and what changes in them: the edits that lives found, and versions that settled changes
// close. Edits are put together a run at a time.
type editRun struct {
	found            []change
	settled          []uint64 // the row above that of the change, from 0
	at               int      // where the edits of the run begin in all
	closes, rewrites int      // likewise, of each kind
}

// editRuns deals the edits out by the upper bits of their row, and makes the lists of their rows.
func (c *collector) editRuns() []editRun {
	const most = 6 // bits
	shift := uint(max(0, bits.Len32(c.j.firstChg)-most))
	list := make([]editRun, c.j.firstChg>>shift+1)
	counts := make([]int, len(list))
	n := 0
	for i := range c.s.found {
		n += len(c.s.found[i].closes)
		for _, w := range c.s.found[i].closes {
			counts[w>>32>>shift]++
		}
	}
	settled, at := make([]uint64, n), 0
	for i := range list {
		list[i].settled, at = settled[at:at:at+counts[i]], at+counts[i]
	}
	for i := range c.s.found {
		for _, w := range c.s.found[i].closes {
			s := &list[w>>32>>shift]
			s.settled = append(s.settled, w)
		}
	}
	rest, next := c.found.edits, editRun{}
	for i := range list {
		s := &list[i]
		k := sort.Search(len(rest), func(k int) bool { return int(rest[k].row>>shift) > i })
		s.found, rest = rest[:k], rest[k:]
		s.at, s.closes, s.rewrites = next.at, next.closes, next.rewrites
		closes := len(s.settled)
		for k := range s.found {
			closes += one(s.found[k].close)
		}
		n := len(s.settled) + len(s.found)
		next.at, next.closes, next.rewrites = next.at+n, next.closes+closes, next.rewrites+n-closes
	}
	c.m.Closes, c.m.Rewrites = room[Action](next.closes), room[Action](next.rewrites)
	return list
}

// editRun puts the edits of a run together.
func (c *collector) editRun(s editRun) {
	j, out, settled, found := c.j, c.out, byHigh(s.settled), s.found
	for at := s.at; len(settled)+len(found) > 0; at++ {
		e := &out.edits[at]
		if len(settled) == 0 || len(found) > 0 && found[0].row < uint32(settled[0]>>32) {
			*e, found = found[0], found[1:]
			e.refs = c.laid(at, e.refs)
		} else {
			j.closeOf(e, uint32(settled[0]>>32), j.firstChg+uint32(settled[0]))
			e.refs, settled = uint32(at), settled[1:]
			refs := c.refsAt(at)
			for i := range refs {
				refs[i] = e.row
			}
		}
		if e.close {
			c.m.Closes[s.closes] = Action{e.row, e.reason}
			s.closes++
		} else {
			c.m.Rewrites[s.rewrites] = Action{e.row, e.reason}
			s.rewrites++
		}
	}
}
