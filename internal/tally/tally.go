// Package tally prints and logs the counts of a report.
//
// A report lists its counts once; the text for people and the attributes for logs both come from that list, and leave out
// the same zeros.
package tally

import (
	"fmt"
	"log/slog"
	"strings"
)

// Count is one number of a report.
type Count struct {
	// Key names it in logs, as the report's JSON does.
	Key string
	// Label names it in text.
	Label string
	// Depth indents the label: the count is a part of the one above that has a smaller depth.
	Depth int
	N     int64
	// Rare counts are left out when they are zero.
	Rare bool
}

// Counts are the counts of a report, in the order in which they are read.
type Counts []Count

// shown leaves out rare zeros.
func (c Counts) shown() Counts {
	var out Counts
	for _, x := range c {
		if x.N != 0 || !x.Rare {
			out = append(out, x)
		}
	}
	return out
}

// String is a line for each count: the labels, then the numbers, aligned. It ends without a newline.
func (c Counts) String() string {
	var rows [][]string
	for _, x := range c.shown() {
		rows = append(rows, []string{strings.Repeat("  ", x.Depth) + x.Label, fmt.Sprint(x.N)})
	}
	return Table(rows, 1)
}

// Attrs are the counts as attributes.
func (c Counts) Attrs() []slog.Attr {
	var out []slog.Attr
	for _, x := range c.shown() {
		out = append(out, slog.Int64(x.Key, x.N))
	}
	return out
}

// Table aligns rows of cells as terminals show them, two spaces apart: the columns of the given numbers to the right, others to the left. It
// ends without a newline, and no line ends in spaces.
func Table(rows [][]string, right ...int) string {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], width(cell))
		}
	}
	toRight := make([]bool, len(widths))
	for _, i := range right {
		if i < len(toRight) {
			toRight[i] = true
		}
	}
	lines := make([]string, len(rows))
	for r, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			if i > 0 {
				b.WriteString("  ")
			}
			pad := strings.Repeat(" ", widths[i]-width(cell))
			if toRight[i] {
				cell = pad + cell
			} else {
				cell += pad
			}
			b.WriteString(cell)
		}
		lines[r] = strings.TrimRight(b.String(), " ")
	}
	return strings.Join(lines, "\n")
}
