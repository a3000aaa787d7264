package main

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// table writes rows under a header, if there is one. Columns of numbers stand to the right.
func (p *printer) table(header []string, rows [][]string) {
	columns := len(rows[0])
	widths, numeric := make([]int, columns), make([]bool, columns)
	for c := range columns {
		numeric[c] = true
		for _, row := range rows {
			widths[c] = max(widths[c], utf8.RuneCountInString(row[c]))
			numeric[c] = numeric[c] && strings.Trim(row[c], "-0123456789.,") == ""
		}
	}
	if header != nil {
		for c := range columns {
			widths[c] = max(widths[c], utf8.RuneCountInString(header[c]))
		}
		rows = slices.Concat([][]string{header}, rows)
	}
	for _, row := range rows {
		var line strings.Builder
		for c, text := range row {
			pad := strings.Repeat(" ", widths[c]-utf8.RuneCountInString(text))
			if numeric[c] {
				line.WriteString("  " + pad + text)
			} else {
				line.WriteString("  " + text + pad)
			}
		}
		p.printf("%s\n", strings.TrimRight(line.String(), " "))
	}
}

// count writes how many there are, with commas between thousands.
func count[N int | int64](n N) string {
	s := strconv.FormatInt(int64(n), 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// value is NULL for nil, and ” for an empty text.
func value(s *string) string {
	switch {
	case s == nil:
		return "NULL"
	case *s == "":
		return "''"
	}
	return *s
}

// seconds shortens 2026-11-30T04:19:33.000000Z to 2026-11-30 04:19:33.
func seconds(timestamp string) string {
	day, clock, ok := strings.Cut(timestamp, "T")
	if !ok {
		return timestamp
	}
	clock, _, _ = strings.Cut(clock, ".")
	return day + " " + clock
}

// short cuts a text to n characters, and replaces those that would break the line.
func short(s string, n int) string {
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '·'
		}
		return r
	}, s)
	if runes := []rune(s); len(runes) > n {
		return string(runes[:n-1]) + "…"
	}
	return s
}
