package differ

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/scd2"
)

// Some columns are tracked, the others corrected in place; and events come in several calls, in any order, each of which hands the state on to the
// next. The history at the end is that of all events at once.
func TestPlanInParts(t *testing.T) {
	remembered, corrected := int64(0), 0
	each(t, func(t *testing.T, q *question) {
		c := q.drawPlan()
		c.tracked = c.values
		if q.chance(50) {
			c.tracked = c.values[:1+q.IntN(len(c.values))]
		}
		history := c.history()
		h := q.load("h", c.all, history)
		rows := c.changes(history)
		q.load("c", c.events, rows)
		q.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		opts := scd2.Options{Mode: scd2.Changes, At: []onerow.Order{onerow.Desc("ts")}, NullKey: onerow.EqualNullKeys, Tracked: names(c.tracked),
			Op: scd2.Op{Column: "op", Delete: []onerow.Value{"d"}}}
		calls := 1 + q.IntN(4)
		q.tell("tracked %q, %d calls", opts.Tracked, calls)
		for call := range calls {
			part := q.load("part", c.events, rows[len(rows)*call/calls:len(rows)*(call+1)/calls])
			opts.Resources.Workers = 1 + q.IntN(3)
			m, err := scd2.Plan(t.Context(), scd2.Table{Batches: h, Key: names(c.key)}, part, opts)
			if err != nil {
				t.Fatal(err)
			}
			h, opts.State = c.advance(m, h)
			remembered += m.Report.Remembered
			for _, r := range m.Rewrites {
				if r.Reason == scd2.Corrected {
					corrected++
				}
			}
		}
		c.compareHistories(h, c.rebuilt())
	})
	t.Logf("%d events remembered, %d versions corrected", remembered, corrected)
}

// advance applies a plan, and gives the next history and state.
func (c *planCase) advance(m *scd2.Merge, h []arrow.Record) (next, state []arrow.Record) {
	c.Helper()
	next, err := m.Apply(c.Context(), c.mem, h)
	if err != nil {
		c.Fatal(err)
	}
	c.made = append(c.made, next...)
	rec, err := m.State(c.Context(), c.mem)
	if err != nil {
		c.Fatal(err)
	}
	c.made = append(c.made, rec)
	return next, []arrow.Record{rec}
}
