package cases

import (
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/scd2"
)

// merges executes the staged rows as one MERGE would: each is matched by its merge key with the rows of the history as they were. The
// outcome must be that of applying the plan.
func (c *historyCalls) merges(m *scd2.Merge, l historyLayout, staged arrow.Record, before, after [][]any) {
	if !c.stagedSchema(l, staged) {
		return
	}
	p := m.Report
	if want := p.Insert + p.Close + p.Rewrite + p.Remove; staged.NumRows() != want {
		c.r.fail(fmt.Sprintf("%d staged rows", want), fmt.Sprint(staged.NumRows()))
		return
	}
	on := len(l.key) + 1
	place := append(slices.Clone(l.key), l.validFrom)
	rows := slices.Clone(before)
	var gone, inserts [][]any
	for _, s := range arrowtest.Cells(staged) {
		action, match, values := s[0], s[1:1+on], s[1+on:]
		if action == "insert" {
			if slices.ContainsFunc(match, func(v any) bool { return v != nil }) {
				c.r.fail("NULL as merge key of an insert", arrowtest.FormatRow(s))
			}
			inserts = append(inserts, values)
			continue
		}
		matched := matching(before, place, match)
		if len(matched) != 1 {
			c.r.fail("one row for each merge key", fmt.Sprintf("rows %v for %s", matched, arrowtest.FormatRow(s)))
			return
		}
		switch action {
		case "close", "rewrite":
			rows[matched[0]] = values
		case "remove":
			rows[matched[0]] = nil
			gone = append(gone, values)
			if d := arrowtest.DiffRows([][]any{before[matched[0]]}, [][]any{values}); d != "" {
				c.r.fail("the values of a removed row", arrowtest.FormatRow(values))
			}
		default:
			c.r.fail("an action", arrowtest.Format(action))
		}
	}
	merged := append(slices.DeleteFunc(rows, func(row []any) bool { return row == nil }), inserts...)
	if d := arrowtest.DiffRows(after, merged); d != "" || len(gone) != int(p.Remove) || len(inserts) != int(p.Insert) {
		c.r.fail("staged rows that make the new history "+rowList(after), rowList(merged))
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

func (c *historyCalls) stagedSchema(l historyLayout, staged arrow.Record) bool {
	want := []string{scd2.ActionColumn}
	for _, k := range l.key {
		want = append(want, scd2.MergeKeyPrefix+l.names[k])
	}
	want = append(append(want, scd2.MergeKeyPrefix+l.names[l.validFrom]), l.names...)
	var got []string
	for _, f := range staged.Schema().Fields() {
		got = append(got, f.Name)
	}
	if !slices.Equal(got, want) {
		c.r.fail(fmt.Sprint("staged columns ", want), fmt.Sprint(got))
		return false
	}
	return true
}
