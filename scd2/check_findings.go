package scd2

import (
	"cmp"
	"context"
	"slices"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/form"
)

// poll asks now and then whether the context is over.
type poll struct {
	ctx  context.Context
	n    int
	over error // the context's, once it was seen to be over
}

// pollAfter says whether the context is over; it asks once in some thousand rounds, of which n go by.
func (p *poll) pollAfter(n int) bool {
	if p.n += n; p.n >= 1<<13 {
		p.n = 0
		if p.over == nil {
			p.over = p.ctx.Err()
		}
	}
	return p.over != nil
}

// finding is a fault as it is found: its rows are first and second, which are one for faults of a single row, or those of a group.
type finding struct {
	first, second uint32
	kind          Kind
	rows          []uint32 // of a group, ascending; else nil
}

func (f finding) compare(g finding) int {
	return cmp.Or(cmp.Compare(f.first, g.first), cmp.Compare(f.kind, g.kind), cmp.Compare(f.second, g.second))
}

// findings keeps the first few of all findings, in order of first row, kind, and second row, whatever the order in which they come. It holds
// twice as many at most, and sorts when it is full.
type findings struct {
	*poll
	limit int
	list  []finding
	full  bool
	bar   finding // the last of those that were kept when it was full
}

func (s *findings) add(f finding) {
	if s.limit == 0 || s.full && f.compare(s.bar) >= 0 {
		return
	}
	s.list = append(s.list, f)
	if len(s.list) >= 2*s.limit {
		s.first()
	}
}

// takes says whether a finding with this first row may still be kept.
func (s *findings) takes(first uint32) bool {
	return s.limit > 0 && (!s.full || first <= s.bar.first)
}

// first returns those that are kept, in order.
func (s *findings) first() []finding {
	slices.SortFunc(s.list, func(f, g finding) int {
		if s.pollAfter(1) {
			return 0
		}
		return f.compare(g)
	})
	if len(s.list) >= s.limit && s.limit > 0 {
		clear(s.list[s.limit:])
		s.list = s.list[:s.limit]
		s.full, s.bar = true, s.list[s.limit-1]
	}
	return s.list
}

// list writes findings out.
func (c *checker) list(found []finding, p *poll) ([]Finding, error) {
	var out []Finding
	for _, f := range found {
		if p.pollAfter(64) {
			break
		}
		o := Finding{Kind: f.kind, Rows: onerow.Rows{f.first}}
		switch {
		case f.rows != nil:
			o.Rows = f.rows
		case f.second != f.first:
			o.Rows = onerow.Rows{f.first, f.second}
		}
		for _, k := range c.key {
			o.Key = append(o.Key, k.Format(f.first))
		}
		switch f.kind {
		case Overlap:
			o.From, o.To = c.shared(f.first, f.second)
		case Gap:
			o.From, o.To = c.between(f.first, f.second)
		}
		out = append(out, o)
	}
	return out, p.over
}

// byStart puts the row of the later start second.
func (c *checker) byStart(a, b uint32) (uint32, uint32) {
	x, _ := c.line.At(lineFrom, a)
	y, _ := c.line.At(lineFrom, b)
	if x > y {
		return b, a
	}
	return a, b
}

// shared is the time that two versions share: from the later start to the earlier end.
func (c *checker) shared(a, b uint32) (from, to string) {
	_, late := c.byStart(a, b)
	x, xOpen := c.end(a)
	y, yOpen := c.end(b)
	switch {
	case xOpen && yOpen:
		return c.from.Format(late), ""
	case xOpen || !yOpen && y < x:
		a = b
	}
	return c.from.Format(late), c.to.Format(a)
}

// end is the word of a version's end.
func (c *checker) end(row uint32) (w uint64, open bool) {
	w, ok := c.line.At(lineTo, row)
	return w, !ok || c.hasOpen && w == c.open
}

// between is the time between two versions: from the end of the one to the start of the other.
func (c *checker) between(a, b uint32) (from, to string) {
	early, late := c.byStart(a, b)
	return c.to.Format(early), c.from.Format(late)
}

// exceeds decides on the cells whether a version starts beyond the end of another by more than the step.
func (c *checker) exceeds(next, reach uint32) bool {
	k, i := c.from.At(next)
	l, j := c.to.At(reach)
	return form.Exceeds(c.from.Chunks[k], i, c.to.Chunks[l], j, c.stepCells)
}
