package cases

import (
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/dedupe"
	"github.com/onerow-go/onerow/internal/arrowtest"
)

// conserves checks what holds for every plan: the lists are ascending and in range and don't overlap, the counts add up,
// and each key has one winner. It returns false if the lists can't be used.
func (r *runner) conserves(plan *dedupe.Plan, batches []arrow.Record, key []string) bool {
	if plan == nil {
		r.fail("a plan", "nil")
		return false
	}
	all := arrowtest.All(batches)
	if !r.disjoint(plan, len(all)) {
		return false
	}
	p := plan.Report
	if sum := p.Kept + p.Superseded + p.Duplicates + p.SetAside + p.Stale; p.In != int64(len(all)) || sum != p.In {
		r.fail(fmt.Sprintf("in %d = kept + superseded + duplicates + set_aside + stale", len(all)),
			fmt.Sprintf("%d and %d + %d + %d + %d + %d", p.In, p.Kept, p.Superseded, p.Duplicates, p.SetAside, p.Stale))
	}
	if len(plan.Rows) != int(p.Kept) || len(plan.SetAside) != int(p.SetAside) || len(plan.Stale) != int(p.Stale) {
		r.fail(fmt.Sprintf("lists of kept %d, set_aside %d, stale %d", p.Kept, p.SetAside, p.Stale),
			fmt.Sprintf("%d, %d, %d", len(plan.Rows), len(plan.SetAside), len(plan.Stale)))
	}
	for name, n := range fieldsOf(p) {
		if text := fmt.Sprint(n); text[0] == '-' {
			r.fail("report without negative counts", name+" "+text)
		}
	}
	winner := make(map[string]uint32)
	columns := keyColumns(batches, key)
	for _, row := range plan.Rows {
		k := keyText(all[row], columns)
		if other, twice := winner[k]; twice {
			r.fail("one winner for each key", fmt.Sprintf("rows %d and %d for %s", other, row, k))
		}
		winner[k] = row
	}
	return true
}

func (r *runner) disjoint(plan *dedupe.Plan, rows int) bool {
	lists := []struct {
		name string
		rows onerow.Rows
	}{{"rows", plan.Rows}, {"set aside", plan.SetAside}, {"stale", plan.Stale}, {"ended", plan.Ended}}
	in := make(map[uint32]string)
	for _, l := range lists {
		for i, row := range l.rows {
			other, twice := in[row]
			switch {
			case int(row) >= rows:
				r.fail(fmt.Sprintf("row numbers below %d", rows), fmt.Sprintf("%s %v", l.name, l.rows))
				return false
			case i > 0 && l.rows[i-1] >= row:
				r.fail("ascending row numbers", fmt.Sprintf("%s %v", l.name, l.rows))
				return false
			case l.name == "ended":
			case twice:
				r.fail("row in one list only", fmt.Sprintf("row %d in %s and %s", row, other, l.name))
				return false
			default:
				in[row] = l.name
			}
		}
	}
	return true
}

// keyColumns returns the positions of the key columns.
func keyColumns(batches []arrow.Record, key []string) []int {
	var out []int
	for _, name := range key {
		out = append(out, batches[0].Schema().FieldIndices(name)...)
	}
	return out
}

// keyText writes the key of a row so that two keys read alike if and only if they are equal.
func keyText(row []any, columns []int) string { return arrowtest.FormatRow(keyOf(row, columns)) }

func keyOf(row []any, columns []int) []any {
	var out []any
	for _, c := range columns {
		out = append(out, arrowtest.Key(row[c]))
	}
	return out
}

// isTaken checks that a record holds the rows of the plan, in order and to the bit, but for the columns that may be
// filled.
func (r *runner) isTaken(plan *dedupe.Plan, taken arrow.Record, batches []arrow.Record, filled func(string) bool) bool {
	if got, want := taken.Schema(), batches[0].Schema(); !got.Equal(want) {
		r.fail("schema "+want.String(), got.String())
		return false
	}
	var all [][]any
	for _, b := range batches {
		all = append(all, arrowtest.Bits(b)...)
	}
	got := arrowtest.Bits(taken)
	if len(got) != len(plan.Rows) {
		r.fail(fmt.Sprintf("%d rows taken", len(plan.Rows)), fmt.Sprint(len(got)))
		return false
	}
	for i, row := range plan.Rows {
		want := slices.Clone(all[row])
		for c, f := range taken.Schema().Fields() {
			if filled(f.Name) {
				want[c] = got[i][c]
			}
		}
		if w, g := arrowtest.FormatRow(want), arrowtest.FormatRow(got[i]); w != g {
			r.fail(fmt.Sprintf("row %d taken as it is: %s", row, w), g)
		}
	}
	return true
}
