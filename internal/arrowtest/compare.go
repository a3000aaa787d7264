package arrowtest

import (
	"fmt"
	"slices"
	"strings"
)

// Equal says whether two values are equal.
func Equal(a, b any) bool { return Format(a) == Format(b) }

// DiffRows compares rows as multisets, value by value. It returns "" if they are the same, else the rows that are
// missing and those that are too many.
func DiffRows(want, got [][]any) string {
	count := make(map[string]int)
	for _, r := range want {
		count[FormatRow(r)]++
	}
	for _, r := range got {
		count[FormatRow(r)]--
	}
	var lines []string
	for row, n := range count {
		switch {
		case n > 0:
			lines = append(lines, fmt.Sprintf("missing %s%s", row, times(n)))
		case n < 0:
			lines = append(lines, fmt.Sprintf("surplus %s%s", row, times(-n)))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func times(n int) string {
	if n == 1 {
		return ""
	}
	return fmt.Sprintf(" %d times", n)
}

// DiffList compares rows in order, value by value. It returns "" if they are the same, else the first difference.
func DiffList(want, got [][]any) string {
	for i := range min(len(want), len(got)) {
		if w, g := FormatRow(want[i]), FormatRow(got[i]); w != g {
			return fmt.Sprintf("row %d: want %s, got %s", i, w, g)
		}
	}
	if len(want) != len(got) {
		return fmt.Sprintf("want %d rows, got %d", len(want), len(got))
	}
	return ""
}
