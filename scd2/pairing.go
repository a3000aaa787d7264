package scd2

import (
	"slices"
	"sync"

	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/keyset"
)

// pair says of an event of the changes which rows it will be compared with, in the tracked columns of the source: the version that it falls in, and what
// comes next in its key, a version or an event. Pairs are compared many at a time, before their keys are worked off, column by column: the loads of
// their cells are under way many at once then (see form.Column.SamePairs). Keys with many events or versions are left to their own comparisons.
type pair struct {
	row, in, next    uint32 // keyset.None: there is none
	sameIn, sameNext bool   // written when compared
}

// pairedEvents and pairedVersions bound the keys that are paired.
const (
	pairedEvents   = 4
	pairedVersions = 64
)

// pairUp pairs the events of a key.
func (j *job) pairUp(evs []dealt, his []given, pairs []pair) {
	for i := range pairs {
		pairs[i] = pair{row: keyset.None, in: keyset.None, next: keyset.None}
	}
	if len(evs) > pairedEvents || len(his) > pairedVersions {
		return
	}
	for i, e := range evs {
		if e.row < j.firstChg || e.row >= j.firstSt || e.kind != upsert {
			continue
		}
		p := &pairs[i]
		p.row = e.row
		next, found := uint64(0), false
		for k := range his {
			g := &his[k]
			switch {
			case g.flags&(noStart|isMarker) != 0:
			case g.from > e.pos:
				if !found || g.from < next {
					next, found, p.next = g.from, true, g.row
				}
			case g.flags&endsOpen != 0 || e.pos < g.to:
				p.in = g.row
			}
		}
		for k := range evs {
			if o := &evs[k]; o.pos > e.pos && (!found || o.pos < next) {
				if next, found, p.next = o.pos, true, o.row; o.kind != upsert {
					p.next = keyset.None
				}
			}
		}
	}
}

// comparing is a worker's room to compare pairs in.
type comparing struct {
	as, bs, at []uint32
	same       []bool
}

// rooms are empty: one in which a malformed array made a panic doesn't come back.
var rooms = sync.Pool{New: func() any { return new(comparing) }}

// add takes a pair of rows; at is what it will be known by.
func (c *comparing) add(a, b, at uint32) {
	c.as, c.bs, c.at = append(c.as, a), append(c.bs, b), append(c.at, at)
}

// left compares the pairs in some columns, and returns what those are known by that are the same in all. The room is empty then.
func (c *comparing) left(columns []*form.Column) []uint32 {
	n := len(c.as)
	c.same = slices.Grow(c.same[:0], n)[:n]
	for _, col := range columns {
		as, bs, at, same := c.as[:n], c.bs[:n], c.at[:n], c.same[:n]
		for k := range same {
			same[k] = true
		}
		col.SamePairs(as, bs, same)
		n = 0
		for k, s := range same {
			as[n], bs[n], at[n] = as[k], bs[k], at[k]
			if s {
				n++
			}
		}
	}
	same := c.at[:n]
	c.as, c.bs, c.at = c.as[:0], c.bs[:0], c.at[:0]
	return same
}

// compare compares pairs.
func (c *comparing) compare(columns []*form.Column, pairs []pair) {
	for lo := 0; lo < len(pairs); lo += keyset.BlockRows {
		some := pairs[lo:min(lo+keyset.BlockRows, len(pairs))]
		for i := range some {
			if p := &some[i]; p.in != keyset.None {
				c.add(p.row, p.in, uint32(2*i))
			}
			if p := &some[i]; p.next != keyset.None && p.row != keyset.None {
				c.add(p.row, p.next, uint32(2*i+1))
			}
		}
		for _, at := range c.left(columns) {
			if p := &some[at/2]; at&1 == 0 {
				p.sameIn = true
			} else {
				p.sameNext = true
			}
		}
	}
}

// compared says whether two rows were compared, and how.
func (l *life) compared(a, b uint32) (same, ok bool) {
	for i := range l.pairs {
		switch p := &l.pairs[i]; {
		case p.row == a && p.in == b, p.row == b && p.in == a:
			return p.sameIn, true
		case p.row == a && p.next == b, p.row == b && p.next == a:
			return p.sameNext, true
		}
	}
	return false, false
}
