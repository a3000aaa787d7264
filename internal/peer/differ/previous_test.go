package differ

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/dedupe"
)

// drawPrevious draws a case whose rows name the key that they had before: that of a row, another, NULL in part, or none. No two rows are equal in
// order.
func (q *question) drawPrevious() (c *latestCase, previous []column) {
	c = q.drawLatest(50)
	c.all = append(c.all, column{"u", "int64", familyNamed("wide"), 0})
	c.order = append(c.order, onerow.Desc("u"))
	c.opts.NullKey = one(q, onerow.EqualNullKeys, onerow.SetAsideNullKeys)
	for i := range c.order[:len(c.order)-1] {
		c.order[i].Nulls = one(q, onerow.NullsAreLowest, onerow.NullsAreHighest)
	}
	for i, k := range c.key {
		p := q.column(fmt.Sprintf("p%d", i), k.family)
		previous, c.opts.Op.PreviousKey = append(previous, p), append(c.opts.Op.PreviousKey, p.name)
	}
	c.all = append(c.all, previous...)
	return c, previous
}

// keysChange gives rows a unique order and previous keys.
func (c *latestCase) keysChange(rows [][]any, previous []column) {
	at := func(name string) int { return slices.IndexFunc(c.all, func(o column) bool { return o.name == name }) }
	seq := c.Perm(len(rows))
	for i := range rows {
		rows[i] = slices.Clone(rows[i])
		rows[i][at("u")] = seq[i]
	}
	for i := range rows {
		of := rows[c.IntN(len(rows))]
		none, other := c.chance(40), c.chance(20)
		for k, p := range previous {
			switch cell := &rows[i][at(p.name)]; {
			case none:
				*cell = nil
			case !other:
				*cell = of[at(c.key[k].name)]
			}
		}
	}
}

// A row ends the key that it had before, as a delete would.
func TestLatestPreviousKey(t *testing.T) {
	kept, ended := 0, 0
	each(t, func(t *testing.T, q *question) {
		c, previous := q.drawPrevious()
		rows := q.rows(q.IntN(40), c.all)
		c.keysChange(rows, previous)
		batches := q.load("t", c.all, rows)
		q.tell("key %q, order %+v, options %+v", names(c.key), c.order, c.opts)
		p, err := dedupe.Latest(t.Context(), batches, names(c.key), c.order, c.opts)
		if err != nil {
			t.Fatal(err)
		}
		c.comparePrevious(p, previous)
		kept, ended = kept+len(p.Rows), ended+len(p.Ended)
	})
	t.Logf("%d rows kept, %d keys ended", kept, ended)
}

// comparePrevious compares what is latest of each key: a row, or the end that another row made of it.
func (c *latestCase) comparePrevious(p *dedupe.Plan, previous []column) {
	c.Helper()
	keyed, whole := "true", "true"
	if c.opts.NullKey == onerow.SetAsideNullKeys {
		keyed, whole = "NOT nk", "NOT "+anyNull(previous)
	}
	var changed, none []string
	for i, k := range c.key {
		changed, none = append(changed, k.name+" IS DISTINCT FROM "+previous[i].name), append(none, previous[i].name+" IS NULL")
	}
	if err := c.db.Exec(c.Context(), fmt.Sprintf(`CREATE OR REPLACE TEMP TABLE ranked AS %[1]s;
CREATE OR REPLACE TEMP TABLE top AS SELECT * FROM (SELECT *, dense_rank() OVER (ORDER BY %[2]s) AS id FROM (
  SELECT n, o, del, false AS ends, %[2]s FROM ranked WHERE %[3]s
  UNION ALL SELECT n, o, false, true, %[4]s FROM ranked WHERE %[3]s AND %[5]s AND (%[6]s) AND NOT (%[7]s))) QUALIFY o = max(o) OVER (PARTITION BY id)`,
		c.ranked("t"), list(c.key), keyed, list(previous), whole, strings.Join(changed, " OR "), strings.Join(none, " AND "))); err != nil {
		c.Fatal(err)
	}
	c.compareLists("winners", numbers(p.Rows), c.texts("SELECT n FROM top WHERE NOT ends"))
	c.compareLists("deletes", numbers(p.Deletes), c.texts("SELECT n FROM top WHERE del"))
	c.compareLists("ends", numbers(p.Ended), c.texts("SELECT n FROM top WHERE ends"))
	n := c.counts("SELECT (SELECT count(*) FROM ranked), (SELECT count(*) FROM top WHERE NOT ends), (SELECT count(*) FROM top WHERE ends), (SELECT count(*) FROM ranked WHERE NOT (%s))", keyed)
	same(c.question, "counts", fmt.Sprint(p.Report.In, p.Report.Kept, p.Report.EndedKeys, p.Report.SetAside), strings.Trim(fmt.Sprint(n), "[]"))
}
