package tally

import (
	"strconv"
	"strings"
)

// Name is a column's name as tables show it: in quotes if it would break a line or hide its ends.
func Name(name string) string {
	if quoted := strconv.Quote(name); quoted != `"`+name+`"` || strings.TrimSpace(name) != name || name == "" {
		return quoted
	}
	return name
}

// Cut cuts a value to what a cell of a table shows: 40 characters, of which East Asian ones count twice and combining marks don't count.
func Cut(value string) string {
	const most = 40
	if fitting(value, most) == len(value) {
		return value
	}
	return value[:fitting(value, most-1)] + "…"
}

// Number is a number with its noun: 1 row, 2 rows.
func Number(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.FormatInt(n, 10) + " " + many
}

// Rows lists row numbers, the first of n: 3, 7, ….
func Rows(rows []uint32, n int64) string {
	var list []string
	for _, row := range rows {
		list = append(list, strconv.FormatUint(uint64(row), 10))
	}
	if int64(len(rows)) < n {
		list = append(list, "…")
	}
	return strings.Join(list, ", ")
}
