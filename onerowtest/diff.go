package onerowtest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow/internal/arrowtest"
)

// maxLines is the number of rows that a diff shows.
const maxLines = 200

// Diff compares the rows of two tables, whatever their order and their batches, and tells how they differ; it returns "" if they
// don't. A row that occurs several times must do so as often on both sides. Columns must be equal in name and order; types may differ where
// values are equal (see the package documentation).
//
// The key names the columns that a row is known by: of two rows with one key, the cells that differ are shown. Without a key
// each row stands for itself. The diff is a table, in the order of the key, or of all columns:
//
//	  id:int64  plan:string      valid_from:date32
//	~ 7         basic → premium  2026-01-01          the row differs from the one wanted: want → got
//	- 7         basic            2026-02-01          wanted, and missing
//	+ 8         basic            2026-01-01          there, and not wanted
//
// It shows 200 rows at most, and counts the others. What can't be compared, such as tables with other columns, is told in words.
func Diff(want, got []arrow.Record, key ...string) string {
	return diff(want, got, nil, key)
}

// diff compares two tables whose rows are known by the columns of identity. Rows of both sides are shown too, if one differs that has
// the same values in the columns of group.
func diff(want, got []arrow.Record, group, identity []string) string {
	w, err := tableOf("want", want)
	if err != nil {
		return err.Error()
	}
	g, err := tableOf("got", got)
	if err != nil {
		return err.Error()
	}
	if why := differentColumns(w, g); why != "" {
		return why
	}
	d := &comparison{want: w, got: g}
	if d.group, err = w.find(group); err == nil {
		d.identity, err = w.find(identity)
	}
	if err != nil {
		return err.Error()
	}
	return d.String()
}

// differentColumns says how two tables differ in the names of their columns. A table without batches has none.
func differentColumns(want, got *table) string {
	names := func(t *table) string {
		var out []string
		for _, c := range t.columns {
			out = append(out, c.name)
		}
		return strings.Join(out, ", ")
	}
	switch {
	case slices.EqualFunc(want.columns, got.columns, func(a, b column) bool { return a.name == b.name }):
		return ""
	case len(want.batches) == 0:
		return "want has no batches, so that it isn't known what columns it has"
	case len(got.batches) == 0:
		return "got has no batches"
	}
	return fmt.Sprintf("the columns differ\n- %s\n+ %s", names(want), names(got))
}

// find returns the numbers of the named columns.
func (t *table) find(names []string) ([]int, error) {
	var out []int
	for _, name := range names {
		at := slices.IndexFunc(t.columns, func(c column) bool { return c.name == name })
		if at < 0 {
			return nil, fmt.Errorf("no column is called %q", name)
		}
		out = append(out, at)
	}
	return out, nil
}

// comparison compares two tables of equal columns.
type comparison struct {
	want, got       *table
	group, identity []int
}

// entry is a line of a diff: a row wanted, one got, or both.
type entry struct {
	mark      byte
	want, got []any
}

func (e entry) row() []any {
	if e.want != nil {
		return e.want
	}
	return e.got
}

// String writes the diff, "" if there is none.
func (d *comparison) String() string {
	entries := d.entries()
	if !slices.ContainsFunc(entries, func(e entry) bool { return e.mark != ' ' }) {
		return ""
	}
	lines := [][]string{d.header()}
	for _, e := range entries[:min(len(entries), maxLines)] {
		lines = append(lines, d.line(e))
	}
	text := align(lines)
	if more := len(entries) - maxLines; more > 0 {
		text += fmt.Sprintf("… and %d more\n", more)
	}
	return text
}

// entries are the lines of the diff, in their order.
func (d *comparison) entries() []entry {
	same, missing, surplus := match(d.want.rows(), d.got.rows())
	entries := d.pair(missing, surplus)
	if len(d.group) > 0 {
		differs := map[string]bool{}
		for _, e := range entries {
			differs[rowKey(e.row(), d.group)] = true
		}
		for _, r := range same {
			if differs[rowKey(r, d.group)] {
				entries = append(entries, entry{' ', r, r})
			}
		}
	}
	all := d.all()
	slices.SortStableFunc(entries, func(a, b entry) int {
		return cmp.Or(compareRows(a.row(), b.row(), d.identity), compareRows(a.row(), b.row(), all))
	})
	return entries
}

// match tells rows that both sides have from those of one.
func match(want, got [][]any) (same, missing, surplus [][]any) {
	count := map[string]int{}
	for _, r := range got {
		count[arrowtest.FormatRow(r)]++
	}
	for _, r := range want {
		if key := arrowtest.FormatRow(r); count[key] > 0 {
			count[key]--
			same = append(same, r)
		} else {
			missing = append(missing, r)
		}
	}
	for _, r := range slices.Backward(got) { // of equal rows the last are too many
		if key := arrowtest.FormatRow(r); count[key] > 0 {
			count[key]--
			surplus = append(surplus, r)
		}
	}
	return same, missing, surplus
}

// pair puts rows together that have one identity.
func (d *comparison) pair(missing, surplus [][]any) []entry {
	all := d.all()
	byContent := func(a, b []any) int { return compareRows(a, b, all) }
	slices.SortFunc(missing, byContent)
	slices.SortFunc(surplus, byContent)
	waiting := map[string][][]any{}
	if len(d.identity) > 0 {
		for _, r := range surplus {
			key := rowKey(r, d.identity)
			waiting[key] = append(waiting[key], r)
		}
	}
	var out []entry
	paired := map[string]int{}
	for _, r := range missing {
		key := rowKey(r, d.identity)
		if rows := waiting[key]; len(rows) > 0 {
			out = append(out, entry{'~', r, rows[0]})
			waiting[key] = rows[1:]
			paired[key]++
			continue
		}
		out = append(out, entry{'-', r, nil})
	}
	for _, r := range surplus {
		if key := rowKey(r, d.identity); paired[key] > 0 {
			paired[key]--
			continue
		}
		out = append(out, entry{'+', nil, r})
	}
	return out
}

func rowKey(row []any, columns []int) string {
	key := make([]any, len(columns))
	for i, c := range columns {
		key[i] = row[c]
	}
	return arrowtest.FormatRow(key)
}

func (d *comparison) all() []int {
	out := make([]int, len(d.want.columns))
	for i := range out {
		out[i] = i
	}
	return out
}

// header writes the columns, with both types where they differ.
func (d *comparison) header() []string {
	out := d.want.header()
	for i, c := range d.got.columns {
		if got, want := typeText(c.dt), typeText(d.want.columns[i].dt); got != want {
			out[i] += " → " + got
		}
	}
	return marked(' ', out)
}

// line writes an entry.
func (d *comparison) line(e entry) []string {
	switch e.mark {
	case '+':
		return marked('+', d.got.texts(e.got))
	case '~':
		out, got := d.want.texts(e.want), d.got.texts(e.got)
		for i := range out {
			if !arrowtest.Equal(e.want[i], e.got[i]) {
				out[i] += " → " + got[i]
			}
		}
		return marked('~', out)
	}
	return marked(e.mark, d.want.texts(e.want))
}

// marked puts the mark of a line before its first cell.
func marked(mark byte, cells []string) []string {
	if len(cells) == 0 {
		return []string{string(mark)}
	}
	cells[0] = string(mark) + " " + cells[0]
	return cells
}
