package main

import (
	"fmt"
	"strconv"
	"strings"
)

// span is the time in which a version is valid: from its start on, up to its end and not including it. An open one has no end.
type span struct {
	from, to int64
	open     bool
}

// axis is a time line, drawn in cells of one character each.
type axis struct {
	lo, hi int64
	cells  int
}

// scale writes the ends of the axis above its first and its last cell.
func (a axis) scale() string {
	lo := strconv.FormatInt(a.lo, 10)
	return lo + fmt.Sprintf("%*d", a.cells-len(lo), a.hi)
}

// cell is the edge between cells that is nearest to a time. What lies beyond the axis is at its end. Where one version ends
// and another starts, both have the same edge, so their bars meet and don't overlap.
func (a axis) cell(at int64) int {
	width := a.hi - a.lo
	return int((max(0, min(width, at-a.lo))*int64(a.cells) + width/2) / width)
}

// edges are the edges between which the bar of a version is drawn. They are one where a version is too short for a cell, or
// where it ends at or before its start.
func (a axis) edges(s span) (start, end int) {
	start, end = a.cell(s.from), a.cells
	if !s.open {
		end = max(start, a.cell(s.to))
	}
	return start, end
}

// bar draws a version: a block for each cell, the last one an arrow if it is open, a stroke if it is too short for a cell, and a
// cross if it is valid at no time, since it ends at or before its start.
func (a axis) bar(s span) string {
	start, end := a.edges(s)
	before := strings.Repeat(" ", min(start, a.cells-1))
	switch {
	case !s.open && s.to <= s.from:
		return before + "×"
	case s.open:
		return before + strings.Repeat("█", max(0, end-start-1)) + "▶"
	case start == end:
		return before + "│"
	}
	return before + strings.Repeat("█", end-start)
}

// count writes in each cell how many versions are valid there: nothing for none.
func (a axis) count(spans []span) string {
	valid := make([]int, a.cells)
	for _, s := range spans {
		start, end := a.edges(s)
		for c := start; c < end; c++ {
			valid[c]++
		}
	}
	var line strings.Builder
	for _, n := range valid {
		switch {
		case n == 0:
			line.WriteByte(' ')
		case n > 9:
			line.WriteByte('+')
		default:
			line.WriteByte(byte('0' + n))
		}
	}
	return line.String()
}
