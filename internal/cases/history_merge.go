package cases

import (
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/scd2"
)

// Staged executes the staged rows as one MERGE would: each is matched by its merge key with the rows of the history as they were. The
// outcome must be that of applying the plan.
func (c *MergeCheck) Staged(m *scd2.Merge, staged arrow.Record, next []arrow.Record) {
	l := c.layout(c.Table.Batches[0].Schema())
	before, after := arrowtest.All(c.Table.Batches), arrowtest.All(next)
	if !c.stagedSchema(l, next[0].Schema(), staged) {
		return
	}
	p := m.Report
	if want := p.Insert + p.Close + p.Rewrite + p.Remove; staged.NumRows() != want {
		c.Fail(fmt.Sprintf("%d staged rows", want), fmt.Sprint(staged.NumRows()))
		return
	}
	on := len(l.key) + 1
	place := append(slices.Clone(l.key), l.validFrom)
	rows := slices.Clone(before)
	for i, row := range rows { // columns that come new are NULL
		rows[i] = append(slices.Clone(row), make([]any, len(next[0].Schema().Fields())-len(row))...)
	}
	given := slices.Clone(rows)
	var gone, inserts [][]any
	for _, s := range arrowtest.Cells(staged) {
		action, match, values := s[0], s[1:1+on], s[1+on:]
		if action == "insert" {
			if slices.ContainsFunc(match, func(v any) bool { return v != nil }) {
				c.Fail("NULL as merge key of an insert", arrowtest.FormatRow(s))
			}
			inserts = append(inserts, values)
			continue
		}
		matched := matching(before, place, match)
		if len(matched) != 1 {
			c.Fail("one row for each merge key", fmt.Sprintf("rows %v for %s", matched, arrowtest.FormatRow(s)))
			return
		}
		switch action {
		case "close", "rewrite":
			rows[matched[0]] = values
		case "remove":
			rows[matched[0]] = nil
			gone = append(gone, values)
			if d := arrowtest.DiffRows([][]any{given[matched[0]]}, [][]any{values}); d != "" {
				c.Fail("the values of a removed row", arrowtest.FormatRow(values))
			}
		default:
			c.Fail("an action", arrowtest.Format(action))
		}
	}
	merged := append(slices.DeleteFunc(rows, func(row []any) bool { return row == nil }), inserts...)
	if d := arrowtest.DiffRows(after, merged); d != "" || len(gone) != int(p.Remove) || len(inserts) != int(p.Insert) {
		c.Fail("staged rows that make the new history "+rowList(after), rowList(merged))
	}
}

func matching(rows [][]any, place []int, match []any) (found []int) {
	all := make([]int, len(match))
	for i := range all {
		all[i] = i
	}
	want := keyText(match, all)
	for i, row := range rows {
		if keyText(row, place) == want {
			found = append(found, i)
		}
	}
	return found
}

func (c *MergeCheck) stagedSchema(l historyLayout, next *arrow.Schema, staged arrow.Record) bool {
	want := []string{scd2.ActionColumn}
	for _, k := range l.key {
		want = append(want, scd2.MergeKeyPrefix+l.names[k])
	}
	want = append(want, scd2.MergeKeyPrefix+l.names[l.validFrom])
	for _, f := range next.Fields() {
		want = append(want, f.Name)
	}
	var got []string
	for _, f := range staged.Schema().Fields() {
		got = append(got, f.Name)
	}
	if !slices.Equal(got, want) {
		c.Fail(fmt.Sprint("staged columns ", want), fmt.Sprint(got))
		return false
	}
	return true
}
