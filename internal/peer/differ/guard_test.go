package differ

import (
	"fmt"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/dedupe"
)

// A guard is asked of several batches, and advances by each; DuckDB's target takes the latest rows over. No two rows are equal in order, but for those
// that come again.
func TestGuard(t *testing.T) {
	kept, stale := 0, 0
	each(t, func(t *testing.T, q *question) {
		c := q.drawLatest(60)
		c.all, c.order = append(c.all, column{"u", "int64", familyNamed("wide"), 0}), append(c.order, onerow.Desc("u"))
		c.opts.NullKey = one(q, onerow.EqualNullKeys, onerow.SetAsideNullKeys)
		for i := range c.order[:len(c.order)-1] {
			c.order[i].Nulls = one(q, onerow.NullsAreLowest, onerow.NullsAreHighest)
		}
		rows := q.rows(q.IntN(60), c.all)
		for i, n := range q.Perm(len(rows)) {
			rows[i] = append(rows[i][:len(c.all)-1:len(c.all)-1], n)
		}
		parts := 1 + q.IntN(4)
		part := func(i int) [][]any { return rows[len(rows)*i/(parts+1) : len(rows)*(i+1)/(parts+1)] }
		target := q.load("target", c.all, c.onePerKey(part(0)))
		q.tell("key %q, order %+v, options %+v", names(c.key), c.order, c.opts)
		g, err := dedupe.NewGuard(t.Context(), target, names(c.key), c.order, c.opts)
		if err != nil {
			t.Fatal(err)
		}
		for i := range parts {
			batch, before := part(i+1), q.Perm(len(rows)*(i+1)/(parts+1))
			for _, n := range before[:min(len(before), q.IntN(3))] { // they come again
				batch = append(batch[:len(batch):len(batch)], rows[n])
			}
			p := c.guarded(g, q.load("t", c.all, batch))
			kept, stale = kept+len(p.Rows), stale+len(p.Stale)
		}
	})
	t.Logf("%d rows kept, %d stale", kept, stale)
}

// guarded asks a guard of a batch, compares, and advances both sides.
func (c *latestCase) guarded(g *dedupe.Guard, batch []arrow.Record) *dedupe.Plan {
	c.Helper()
	p, err := g.Latest(c.Context(), batch)
	if err != nil {
		c.Fatal(err)
	}
	c.compareGuard(p)
	if err := g.Advance(c.Context(), p); err != nil {
		c.Fatal(err)
	}
	keyed := "NOT nk"
	if c.opts.NullKey == onerow.EqualNullKeys {
		keyed = "true"
	}
	if err := c.db.Exec(c.Context(), fmt.Sprintf("CREATE OR REPLACE TABLE target AS SELECT %s FROM ranked WHERE %s QUALIFY row_number() OVER (PARTITION BY g ORDER BY o DESC) = 1",
		list(c.all), keyed)); err != nil {
		c.Fatal(err)
	}
	return p
}
