package cases

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/scd2"
)

// MergeCheck checks what holds for every plan, whatever the changes.
type MergeCheck struct {
	// Table, Changes and Opts are those of the call. Columns that the source adds to the history aren't known to the check.
	Table   scd2.Table
	Changes []arrow.Record
	Opts    scd2.Options
	// Open is the sentinel of open ends as a value of package arrowtest; nil if there is none.
	Open any
	// Fail is told of each fault.
	Fail func(want, got string)
}

// Plan checks that lists are in range and ascending, that no row is in two of them, and that the counts are those of the lists
// and add up. It returns false if the lists can't be used.
func (c *MergeCheck) Plan(m *scd2.Merge) bool {
	history, changes := rowCount(c.Table.Batches), rowCount(c.Changes)
	ok := c.ascending("closes, rewrites and removes", history, rowsOf(m.Closes), rowsOf(m.Rewrites), rowsOf(m.Removes)) &&
		c.ascending("unchanged, ignored and rejected", changes, m.Unchanged, rowsOf(m.Ignored), rowsOf(m.Rejected))
	p := m.Report
	if sum := p.Applied + p.Unchanged + p.Superseded + p.Duplicates + p.Ignored + p.Rejected; p.Events != int64(changes) || sum != p.Events {
		c.Fail(fmt.Sprintf("events %d = applied + unchanged + superseded + duplicates + ignored + rejected", changes), fmt.Sprintf("%+v", p))
	}
	lists := []int{len(m.Inserts), len(m.Closes), len(m.Rewrites), len(m.Removes), len(m.Unchanged), len(m.Ignored), len(m.Rejected)}
	counts := []int64{p.Insert, p.Close, p.Rewrite, p.Remove, p.Unchanged, p.Ignored, p.Rejected}
	for i, n := range counts {
		if n != int64(lists[i]) {
			c.Fail(fmt.Sprintf("counts of the lists, %v", lists), fmt.Sprint(counts))
			break
		}
	}
	if p.History != int64(history) {
		c.Fail(fmt.Sprint("history ", history), fmt.Sprint(p.History))
	}
	for name, n := range fieldsOf(p) {
		if text := fmt.Sprint(n); text[0] == '-' {
			c.Fail("report without negative counts", name+" "+text)
		}
	}
	for _, in := range m.Inserts {
		if in.Reason == 0 || in.From == scd2.FromChanges && int(in.Row) >= changes || in.From == scd2.FromHistory && int(in.Row) >= history {
			c.Fail("inserts of rows that are there, with a reason", fmt.Sprintf("%+v", in))
			return false
		}
	}
	return ok
}

func rowCount(batches []arrow.Record) (n int) {
	for _, b := range batches {
		n += int(b.NumRows())
	}
	return n
}

func rowsOf(list []scd2.Action) []uint32 {
	out := make([]uint32, len(list))
	for i, a := range list {
		out[i] = a.Row
	}
	return out
}

func (c *MergeCheck) ascending(what string, rows int, lists ...[]uint32) bool {
	seen := make(map[uint32]bool)
	for _, l := range lists {
		for i, row := range l {
			if int(row) >= rows || seen[row] || i > 0 && l[i-1] >= row {
				c.Fail(fmt.Sprintf("%s: ascending row numbers below %d, each once", what, rows), fmt.Sprint(lists))
				return false
			}
			seen[row] = true
		}
	}
	return true
}

// historyLayout says where the columns of a history are; -1 where there is none.
type historyLayout struct {
	names                            []string
	key                              []int
	validFrom, validTo, flag, marker int
	free                             map[int]bool // not tracked
}

func (c *MergeCheck) layout(schema *arrow.Schema) historyLayout {
	at := func(name string) int {
		if i := schema.FieldIndices(name); name != "" && len(i) > 0 {
			return i[0]
		}
		return -1
	}
	l := historyLayout{validFrom: at(named(c.Table.ValidFrom, scd2.DefaultValidFrom)), validTo: at(named(c.Table.ValidTo, scd2.DefaultValidTo)), flag: at(c.Table.Current), marker: at(c.Table.Deleted), free: make(map[int]bool)}
	for i, f := range schema.Fields() {
		l.names = append(l.names, f.Name)
		l.free[i] = c.Opts.Tracked != nil && !slices.Contains(c.Opts.Tracked, f.Name)
	}
	for _, o := range c.Opts.At {
		l.free[at(o.Column)] = l.free[at(o.Column)] || !slices.Contains(c.Opts.Tracked, o.Column)
	}
	l.free[at(c.Opts.Op.Column)] = true
	for _, name := range c.Table.Key {
		l.key = append(l.key, at(name))
		l.free[at(name)] = false
	}
	return l
}

func (c *MergeCheck) isOpen(v any) bool {
	return v == nil || c.Open != nil && arrowtest.Equal(v, c.Open)
}

// Applied checks the history that a plan leads to: its rows and theirs alone, each key as well formed as it was.
func (c *MergeCheck) Applied(m *scd2.Merge, next []arrow.Record) bool {
	if !c.sameSchema(next) {
		return false
	}
	l := c.layout(c.Table.Batches[0].Schema())
	before, after := arrowtest.All(c.Table.Batches), arrowtest.All(next)
	c.onlyWhatIsListed(m, l, next, before, after)
	c.wellFormed(m, l, before, after)
	return true
}

// sameSchema checks that the columns and their types stay; a column may become nullable, and new ones may come behind.
func (c *MergeCheck) sameSchema(next []arrow.Record) bool {
	if len(next) == 0 {
		c.Fail("a new history", "no batches")
		return false
	}
	text := func(fields []arrow.Field) string {
		var out []string
		for _, f := range fields {
			out = append(out, fmt.Sprintf("%s:%v", f.Name, f.Type))
		}
		return strings.Join(out, ", ")
	}
	want := c.Table.Batches[0].Schema().Fields()
	for _, b := range next {
		got := b.Schema().Fields()
		if len(got) < len(want) || c.Opts.Columns.New != scd2.AddNew && len(got) > len(want) || text(got[:len(want)]) != text(want) {
			c.Fail("columns "+text(want), text(got))
			return false
		}
	}
	return true
}

// onlyWhatIsListed checks that the new history has the rows of the old one in their order, without those removed, and then the inserts; that
// rows which aren't listed are the same to the bit; and that a row changes only where its action may change it.
func (c *MergeCheck) onlyWhatIsListed(m *scd2.Merge, l historyLayout, next []arrow.Record, before, after [][]any) {
	if want := len(before) - len(m.Removes) + len(m.Inserts); len(after) != want {
		c.Fail(fmt.Sprintf("%d rows", want), rowList(after))
		return
	}
	action := make(map[uint32]string)
	for name, list := range map[string][]scd2.Action{"close": m.Closes, "rewrite": m.Rewrites, "remove": m.Removes} {
		for _, a := range list {
			if action[a.Row] = name; a.Reason == 0 {
				c.Fail("a reason for each "+name, fmt.Sprintf("%+v", list))
			}
		}
	}
	bitsBefore, bitsAfter := allBits(c.Table.Batches), allBits(next)
	at := 0
	for i, old := range before {
		did := action[uint32(i)]
		if did == "remove" {
			continue
		}
		row := after[at]
		same := arrowtest.FormatRow(bitsBefore[i]) == arrowtest.FormatRow(bitsAfter[at][:len(old)]) && allNil(row[len(old):])
		at++
		if said := c.mayBecome(did, l, old, row, same); said != "" {
			c.Fail(said, fmt.Sprintf("%s row %d: %s became %s", did, i, arrowtest.FormatRow(old), arrowtest.FormatRow(row)))
		}
	}
	for _, row := range after[at:] {
		if end := row[l.validTo]; c.isOpen(end) && !arrowtest.Equal(end, c.Open) {
			c.Fail("the declared end in new open rows", arrowtest.FormatRow(row))
		}
	}
}

func allNil(values []any) bool {
	return !slices.ContainsFunc(values, func(v any) bool { return v != nil })
}

func allBits(batches []arrow.Record) (rows [][]any) {
	for _, b := range batches {
		rows = append(rows, arrowtest.Bits(b)...)
	}
	return rows
}

// mayBecome says what is wrong with what became of a row; "" if nothing is.
func (c *MergeCheck) mayBecome(did string, l historyLayout, old, row []any, same bool) string {
	wasOpen, isOpen := c.isOpen(old[l.validTo]), c.isOpen(row[l.validTo])
	switch {
	case did == "" && !same:
		return "a row that isn't listed stays as it is"
	case did != "" && same:
		return "a listed row changes"
	case did == "close" && (!wasOpen || isOpen):
		return "a close gives an open row an end"
	case did == "rewrite" && wasOpen && !isOpen:
		return "a row that gets an end is a close"
	case wasOpen && isOpen && !arrowtest.Equal(old[l.validTo], row[l.validTo]):
		return "an open end keeps its kind"
	}
	marker := l.marker >= 0 && old[l.marker] == true
	for i := range old {
		bound := i == l.validTo || i == l.flag || i == l.validFrom && did != ""
		if !bound && !l.free[i] && !marker && !arrowtest.Equal(arrowtest.Key(old[i]), arrowtest.Key(row[i])) {
			return "column " + l.names[i] + " stays in a row of the history"
		}
	}
	return ""
}

// wellFormed checks that each key which had a well-formed history has one still, and that one which the changes speak of has the right flags.
func (c *MergeCheck) wellFormed(m *scd2.Merge, l historyLayout, before, after [][]any) {
	was, is := byKey(before, l.key), byKey(after, l.key)
	touched := make(map[string]bool)
	if len(m.Ignored)+len(m.Rejected) == 0 && len(c.Changes) > 0 {
		columns := keyColumns(c.Changes, c.Table.Key)
		for _, row := range arrowtest.All(c.Changes) {
			touched[keyText(row, columns)] = true
		}
	}
	for key, rows := range is {
		if c.fault(l, was[key], false) != "" {
			continue
		}
		flags := touched[key] || c.fault(l, was[key], true) == ""
		if f := c.fault(l, rows, flags); f != "" {
			c.Fail("a well-formed history", f+" of "+key+": "+rowList(rows))
		}
	}
	starts := make(map[string]bool)
	for _, row := range after {
		starts[keyText(row, append(slices.Clone(l.key), l.validFrom))] = true
	}
	for _, a := range m.Closes {
		row := slices.Clone(after[int(a.Row)-removedBefore(m, a.Row)])
		row[l.validFrom] = row[l.validTo]
		if a.Reason == scd2.Changed && !starts[keyText(row, append(slices.Clone(l.key), l.validFrom))] {
			c.Fail("a version that starts where the one before ends", fmt.Sprintf("row %d ends at %s", a.Row, arrowtest.Format(row[l.validTo])))
		}
	}
}

func removedBefore(m *scd2.Merge, row uint32) int {
	n, _ := slices.BinarySearchFunc(m.Removes, row, func(a scd2.Action, row uint32) int { return cmp.Compare(a.Row, row) })
	return n
}

func byKey(rows [][]any, key []int) map[string][][]any {
	out := make(map[string][][]any)
	for _, row := range rows {
		k := keyText(row, key)
		out[k] = append(out[k], row)
	}
	return out
}

// fault says what is wrong with the versions of one key; "" if nothing is.
func (c *MergeCheck) fault(l historyLayout, rows [][]any, flags bool) string {
	rows = slices.Clone(rows)
	for _, row := range rows {
		marker := l.marker >= 0 && row[l.marker] == true
		open := c.isOpen(row[l.validTo])
		switch {
		case row[l.validFrom] == nil:
			return "NULL start"
		case !open && comparePositions(row[l.validFrom], row[l.validTo]) >= 0:
			return "empty or inverted version"
		case flags && l.flag >= 0 && row[l.flag] != (open && !marker):
			return "wrong current flag"
		}
	}
	slices.SortFunc(rows, func(a, b []any) int { return comparePositions(a[l.validFrom], b[l.validFrom]) })
	for i, row := range rows[:max(len(rows)-1, 0)] {
		if c.isOpen(row[l.validTo]) || comparePositions(row[l.validTo], rows[i+1][l.validFrom]) > 0 {
			return "overlap"
		}
	}
	return ""
}

// comparePositions compares two starts or ends of one column.
func comparePositions(a, b any) int {
	switch a := a.(type) {
	case int64:
		if b, ok := b.(int64); ok {
			return cmp.Compare(a, b)
		}
		return -1 // the other one is beyond
	case uint64:
		if b, ok := b.(uint64); ok {
			return cmp.Compare(a, b)
		}
		return 1
	case arrowtest.Date:
		return cmp.Compare(a, b.(arrowtest.Date))
	case arrowtest.Timestamp:
		b := b.(arrowtest.Timestamp)
		return cmp.Or(cmp.Compare(a.Sec, b.Sec), cmp.Compare(a.Nano, b.Nano))
	case arrowtest.Float:
		return cmp.Compare(a.Float64(), b.(arrowtest.Float).Float64())
	case arrowtest.Decimal:
		x, _ := new(big.Rat).SetString(string(a))
		y, _ := new(big.Rat).SetString(string(b.(arrowtest.Decimal)))
		return x.Cmp(y)
	case string:
		return strings.Compare(a, b.(string))
	}
	panic(fmt.Sprintf("the runner can't compare positions of type %T", a))
}
