package onerowtest

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow"
)

// Text writes batches as the table that [Records] reads: types in the header, columns aligned, a line of dashes between two
// batches. What it writes reads back as batches of equal values, of the same lengths, types and nullability, where the types have a
// notation (see the package documentation); of others it shows what it can. Without batches it returns "".
//
// Batches that differ in their columns, or whose arrays are broken, give a comment that says so, and no table.
func Text(batches []arrow.Record) string {
	if len(batches) == 0 {
		return ""
	}
	t, err := tableOf("table", batches)
	if err != nil {
		return fmt.Sprintf("# %v\n", err)
	}
	if len(t.columns) == 0 {
		return fmt.Sprintf("# %d rows without columns\n", len(t.rows()))
	}
	lines := [][]string{t.header()}
	for i, rows := range t.batches {
		if i > 0 {
			lines = append(lines, nil)
		}
		for _, r := range rows {
			lines = append(lines, t.texts(r))
		}
	}
	return align(lines)
}

// align lays lines out in columns. A line of no cells is a cut.
func align(lines [][]string) string {
	widths := make([]int, len(lines[0]))
	for _, cells := range lines {
		for c, text := range cells {
			widths[c] = max(widths[c], utf8.RuneCountInString(text))
		}
	}
	var b strings.Builder
	for _, cells := range lines {
		var line strings.Builder
		for c, text := range cells {
			if c > 0 {
				line.WriteString("  ")
			}
			line.WriteString(text)
			line.WriteString(strings.Repeat(" ", widths[c]-utf8.RuneCountInString(text)))
		}
		if cells == nil {
			line.WriteString("---")
		}
		b.WriteString(strings.TrimRight(line.String(), " "))
		b.WriteByte('\n')
	}
	return b.String()
}
