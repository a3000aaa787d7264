package differ

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/dedupe"
	"github.com/onerow-go/onerow/internal/arrowtest"
)

// operations are those of an op column. d and t delete, r is a snapshot read.
var operations = family{"op", []string{"string", "dict<int8,string>"}, func(q *question) any { return one(q, "u", "u", "c", "d", "t", "r") }, false}

// latestCase is a call of dedupe.Latest, and how SQL says it.
type latestCase struct {
	*question
	key, all []column
	order    []onerow.Order
	opts     dedupe.Options
}

// drawLatest draws columns and options; so many of a hundred have an op column.
func (q *question) drawLatest(ops int) *latestCase {
	c := &latestCase{question: q, key: q.columns("k", 3)}
	order := q.columns("o", 3)
	if q.chance(10) {
		order = nil
	}
	c.all = slices.Concat(c.key, order, q.columns("v", 3))
	for _, o := range order {
		by := onerow.Order{Column: o.name, Ascending: q.chance(30), Nulls: one(q, onerow.RejectNulls, onerow.NullsAreLowest, onerow.NullsAreHighest)}
		if o.nulls > 0 && q.chance(80) {
			by.Nulls = one(q, onerow.NullsAreLowest, onerow.NullsAreHighest)
		}
		c.order = append(c.order, by)
	}
	if q.chance(ops) {
		c.all = append(c.all, q.column("op", operations))
		c.opts.Op = dedupe.Op{Column: "op", Delete: []onerow.Value{"d", "t"}}
		if q.chance(50) {
			c.opts.Op.Snapshot = []onerow.Value{"r"}
		}
	}
	c.opts.NullKey = one(q, onerow.RejectNullKeys, onerow.EqualNullKeys, onerow.EqualNullKeys, onerow.SetAsideNullKeys, onerow.SetAsideNullKeys)
	c.opts.Ties = one(q, dedupe.RejectTies, dedupe.TiesByContent, dedupe.TiesByContent, dedupe.FirstTied, dedupe.LastTied, dedupe.SetAsideTies)
	c.opts.Resources.Workers = 1 + q.IntN(3)
	q.Shuffle(len(c.all), func(i, j int) { c.all[i], c.all[j] = c.all[j], c.all[i] })
	return c
}

// ranked is a query over a table with columns beside its own: n the row, g the key's number, o the place in the order, c the number of the
// content, by which copies are told, w its place in the content order, del, and nk for a NULL in the key.
func (c *latestCase) ranked(table string) string {
	del, snap := "false", "false"
	if c.opts.Op.Column != "" {
		del = "coalesce(op IN ('d', 't'), false)"
		if c.opts.Op.Snapshot != nil {
			snap = "coalesce(op = 'r', false)"
		}
	}
	places := []string{"NOT " + snap}
	for _, o := range c.order {
		direction, nulls := "ASC", "NULLS FIRST"
		if o.Ascending {
			direction = "DESC"
		}
		if o.Ascending != (o.Nulls == onerow.NullsAreHighest) {
			nulls = "NULLS LAST"
		}
		places = append(places, o.Column+" "+direction+" "+nulls)
	}
	signs := ""
	for _, f := range c.all {
		if f.family.name == "float" {
			signs += ", " + sign(f.name) + " AS sign_" + f.name
		}
	}
	return fmt.Sprintf(`SELECT *, dense_rank() OVER (ORDER BY %s) AS g, dense_rank() OVER (ORDER BY %s) AS o,
  dense_rank() OVER (ORDER BY %s NULLS FIRST) AS c, dense_rank() OVER (ORDER BY %s) AS w, %s AS del, %s AS nk
FROM (SELECT *, rowid AS n%s FROM %s)`,
		list(c.key), strings.Join(places, ", "), strings.Join(names(c.all), " NULLS FIRST, "), contentOrder(c.all), del, anyNull(c.key), signs, table)
}

// contentOrder is the order of rows by content: columns from left to right, NULL lowest, NaN greatest, -0 below 0.
func contentOrder(columns []column) string {
	var terms []string
	for _, c := range columns {
		if terms = append(terms, c.name+" NULLS FIRST"); c.family.name == "float" {
			terms = append(terms, "sign_"+c.name)
		}
	}
	return strings.Join(terms, ", ")
}

// settle makes the tables keyed, of the rows that have a key, and won: a row a key, with its number g, whether it is tied, whether deletes
// won over upserts, and the content c of the winner.
func (c *latestCase) settle() {
	c.Helper()
	keyed := "SELECT * FROM ranked"
	if c.opts.NullKey != onerow.EqualNullKeys {
		keyed += " WHERE NOT nk"
	}
	content := map[dedupe.Ties]string{dedupe.FirstTied: "arg_min(c, n)", dedupe.LastTied: "arg_max(c, n)"}[c.opts.Ties]
	if content == "" {
		content = "arg_max(c, w)"
	}
	if err := c.db.Exec(c.Context(), fmt.Sprintf(`CREATE OR REPLACE TEMP TABLE ranked AS %s;
CREATE OR REPLACE TEMP TABLE keyed AS %s;
CREATE OR REPLACE TEMP TABLE won AS
WITH top AS (SELECT * FROM keyed QUALIFY o = max(o) OVER (PARTITION BY g))
SELECT g, any_value(o) AS o, NOT bool_or(del) AND count(DISTINCT c) > 1 AS tied, bool_or(del) AND NOT bool_and(del) AS deltie, bool_or(del) AS del,
  CASE WHEN bool_or(del) THEN arg_max(c, w) FILTER (del) ELSE %s END AS c
FROM top GROUP BY g`, c.ranked("t"), keyed, content)); err != nil {
		c.Fatal(err)
	}
}

// refusal is the error that the call should wrap: the first of NULLs in the key, NULLs in the order, ties.
func (c *latestCase) refusal() error {
	nulls := []string{"false"}
	for _, o := range c.order {
		if o.Nulls == onerow.RejectNulls {
			nulls = append(nulls, o.Column+" IS NULL")
		}
	}
	n := c.counts(`SELECT (SELECT count(*) FROM ranked WHERE nk), (SELECT count(*) FROM keyed WHERE %s), (SELECT count(*) FROM won WHERE tied)`,
		strings.Join(nulls, " OR "))
	switch {
	case c.opts.NullKey == onerow.RejectNullKeys && n[0] > 0:
		return onerow.ErrNullKey
	case n[1] > 0:
		return onerow.ErrNullOrder
	case c.opts.Ties == dedupe.RejectTies && n[2] > 0:
		return onerow.ErrTie
	}
	return nil
}

func TestLatest(t *testing.T) {
	refusals := 0
	each(t, func(t *testing.T, q *question) {
		c := q.drawLatest(50)
		batches := q.load("t", c.all, q.rows(q.IntN(40), c.all))
		q.tell("key %q, order %+v, options %+v", names(c.key), c.order, c.opts)
		c.settle()
		p, err := dedupe.Latest(t.Context(), batches, names(c.key), c.order, c.opts)
		if want := c.refusal(); want != nil || err != nil {
			refusals++
			if !errors.Is(err, want) {
				t.Errorf("DuckDB finds %v, onerow says %v", want, err)
			}
			return
		}
		c.compareRows(p)
		c.compareReport(p.Report)
	})
	t.Logf("%d of %d tables refused", refusals, *tables)
}

// compareRows compares winners by key and content, and the rows set aside and the deletes by number.
func (c *latestCase) compareRows(p *dedupe.Plan) {
	c.Helper()
	standing := "true"
	if c.opts.Ties == dedupe.SetAsideTies {
		standing = "NOT tied"
	}
	content := map[uint32]string{}
	for _, r := range c.ask("SELECT n, g, c, del FROM ranked") {
		content[uint32(r[0].(int64))] = fmt.Sprint(r[1:])
	}
	var ours, deletes, theirs []string
	for _, n := range p.Rows {
		ours = append(ours, content[n])
	}
	for _, n := range p.Deletes {
		deletes = append(deletes, content[n])
	}
	var theirDeletes []string
	for _, r := range c.ask("SELECT g, c, del FROM won WHERE %s", standing) {
		theirs = append(theirs, fmt.Sprint(r))
		if r[2].(bool) {
			theirDeletes = append(theirDeletes, fmt.Sprint(r))
		}
	}
	c.compareLists("winners (key, content, delete)", ours, theirs)
	c.compareLists("deletes", deletes, theirDeletes)

	aside := "SELECT n FROM keyed JOIN won USING (g) WHERE NOT " + standing
	if c.opts.NullKey == onerow.SetAsideNullKeys {
		aside += " UNION ALL SELECT n FROM ranked WHERE nk"
	}
	c.compareLists("rows set aside", numbers(p.SetAside), c.texts(aside))
}

// texts gives the first column of a query as text.
func (q *question) texts(query string) (out []string) {
	q.Helper()
	for _, r := range q.ask("%s", query) {
		out = append(out, fmt.Sprint(r[0]))
	}
	return out
}

func numbers(rows onerow.Rows) (out []string) {
	for _, n := range rows {
		out = append(out, fmt.Sprint(n))
	}
	return out
}

// compareLists compares lists without regard to order.
func (q *question) compareLists(what string, ours, theirs []string) {
	q.Helper()
	ours, theirs = slices.Sorted(slices.Values(ours)), slices.Sorted(slices.Values(theirs))
	if !slices.Equal(ours, theirs) {
		q.Errorf("%s: onerow %v, DuckDB %v", what, ours, theirs)
	}
}

func (c *latestCase) compareReport(r dedupe.Report) {
	c.Helper()
	lost, orders := "won", []string{"false"}
	if c.opts.Ties == dedupe.SetAsideTies {
		lost = "(SELECT * FROM won WHERE NOT tied)"
	}
	for _, o := range c.order {
		orders = append(orders, o.Column+" IS NULL")
	}
	n := c.counts(`SELECT (SELECT count(*) FROM ranked), (SELECT count(*) FROM %[1]s),
  (SELECT count(*) FROM keyed k JOIN %[1]s w USING (g) WHERE k.o = w.o AND k.c = w.c) - (SELECT count(*) FROM %[1]s),
  (SELECT count(*) FROM won WHERE tied), (SELECT count(*) FROM ranked WHERE nk), (SELECT count(*) FROM keyed WHERE %[2]s),
  (SELECT count(*) FROM won WHERE del), (SELECT count(*) FROM won WHERE deltie), (SELECT count(*) FROM keyed), (SELECT count(*) FROM keyed JOIN %[1]s USING (g))`,
		lost, strings.Join(orders, " OR "))
	want := dedupe.Report{In: n[0], Kept: n[1], Duplicates: n[2], TiedKeys: n[3], NullKeyRows: n[4], NullOrderRows: n[5], Deletes: n[6], DeleteTies: n[7]}
	want.TiedRows = n[8] - n[9]
	want.SetAside = n[0] - n[9]
	want.Superseded = want.In - want.Kept - want.Duplicates - want.SetAside
	same(c.question, "report", r, want)
}

// A guard and carry-forward, where no two rows of a key are equal in order.
func TestLatestAgainstAndFill(t *testing.T) {
	filled, stale := int64(0), int64(0)
	each(t, func(t *testing.T, q *question) {
		c := q.drawLatest(80)
		unique := column{"u", "int64", familyNamed("wide"), 0}
		text := column{"fill", one(q, "string", "large_string", "dict<int8,string>"), family{draw: func(q *question) any { return one(q, "?", "?", "x", "y") }}, 10}
		c.all, c.order = append(c.all, unique, text), append(c.order, onerow.Desc("u"))
		c.opts.NullKey = one(q, onerow.EqualNullKeys, onerow.SetAsideNullKeys)
		for i := range c.order[:len(c.order)-1] {
			c.order[i].Nulls = one(q, onerow.NullsAreLowest, onerow.NullsAreHighest)
		}
		rows := q.rows(q.IntN(40), c.all)
		seq := q.Perm(len(rows) + 40)
		for i := range rows {
			rows[i] = slices.Clone(rows[i])
			rows[i][len(c.all)-2] = seq[i]
		}
		against := q.chance(40)
		if !against { // few keys, so that they have many rows
			c.key = c.key[:1]
			c.opts.Fill = []dedupe.Fill{{Column: "fill", Unavailable: "?"}}
		} else { // the target: rows of the batch, and others, one a key
			target := q.rows(q.IntN(20), c.all)
			for i := range target {
				target[i] = slices.Clone(target[i])
				target[i][len(c.all)-2] = seq[len(rows)+i]
				if len(rows) > 0 && q.chance(30) {
					target[i] = rows[q.IntN(len(rows))]
				}
			}
			batches := q.load("target", c.all, c.onePerKey(target))
			c.opts.Against = batches
		}
		batches := q.load("t", c.all, rows)
		q.tell("key %q, order %+v, options %+v", names(c.key), c.order, c.opts)
		p, err := dedupe.Latest(t.Context(), batches, names(c.key), c.order, c.opts)
		if err != nil {
			t.Fatal(err)
		}
		if against {
			c.compareGuard(p)
		} else {
			c.compareFill(p)
		}
		filled, stale = filled+p.Report.Filled, stale+p.Report.Stale
	})
	t.Logf("%d values filled, %d rows stale", filled, stale)
}

// onePerKey leaves the first row of each key.
func (c *latestCase) onePerKey(rows [][]any) (out [][]any) {
	seen := map[string]bool{}
	specs := make([]string, len(c.all))
	for i, col := range c.all {
		specs[i] = col.String()
	}
	schema, err := arrowtest.Schema(specs)
	if err != nil {
		c.Fatal(err)
	}
	values, err := arrowtest.Values(schema, rows)
	if err != nil {
		c.Fatal(err)
	}
	for i, row := range values {
		var key []any
		for k, col := range c.all {
			if slices.ContainsFunc(c.key, func(o column) bool { return o.name == col.name }) {
				key = append(key, sameValue(row[k]))
			}
		}
		if text := arrowtest.FormatRow(key); !seen[text] {
			seen[text] = true
			out = append(out, rows[i])
		}
	}
	return out
}

// compareGuard compares the rows that are newer than the target's.
func (c *latestCase) compareGuard(p *dedupe.Plan) {
	c.Helper()
	with := strings.Join(names(c.all), ", ")
	if err := c.db.Exec(c.Context(), fmt.Sprintf(`CREATE OR REPLACE TEMP TABLE both_sides AS SELECT %[1]s, -1 - rowid AS row FROM target UNION ALL SELECT %[1]s, rowid FROM t;
CREATE OR REPLACE TEMP TABLE ranked AS %[2]s;
CREATE OR REPLACE TEMP TABLE keyed AS SELECT r.*, t.o AS old FROM (SELECT * FROM ranked WHERE row >= 0 AND %[3]s) r
  LEFT JOIN (SELECT * FROM ranked WHERE row < 0 AND %[3]s) t USING (g)`,
		with, strings.Replace(c.ranked("both_sides"), "rowid AS n", "row AS n", 1), map[bool]string{true: "true", false: "NOT nk"}[c.opts.NullKey == onerow.EqualNullKeys])); err != nil {
		c.Fatal(err)
	}
	c.compareLists("stale rows", numbers(p.Stale), c.texts("SELECT n FROM keyed WHERE o <= old"))
	c.compareLists("winners", numbers(p.Rows), c.texts("SELECT max_by(n, o) FROM keyed WHERE old IS NULL OR o > old GROUP BY g"))
	n := c.counts("SELECT (SELECT count(*) FROM keyed WHERE o = old), (SELECT count(*) FROM keyed)")
	same(c.question, "replays", p.Report.Replays, n[0])
	same(c.question, "rows set aside", p.Report.SetAside, p.Report.In-n[1])
}

// compareFill compares the values that winners have in the filled column.
func (c *latestCase) compareFill(p *dedupe.Plan) {
	c.Helper()
	c.settle()
	want := map[uint32]any{}
	unfilled := int64(0)
	for _, r := range c.ask(`WITH w AS (SELECT k.* FROM keyed k JOIN won USING (g, o)),
  ends AS (SELECT k.g, max(k.o) AS ended FROM keyed k JOIN w USING (g) WHERE k.del AND k.o < w.o GROUP BY k.g),
  found AS (SELECT k.g, arg_max({'v': k.fill}, k.o) AS f FROM keyed k JOIN w USING (g) LEFT JOIN ends USING (g)
    WHERE k.o < w.o AND k.o > coalesce(ended, 0) AND k.fill IS DISTINCT FROM '?' GROUP BY k.g)
SELECT w.n, CASE WHEN w.fill = '?' AND NOT w.del AND found.g IS NOT NULL THEN f.v ELSE w.fill END, w.fill = '?' AND NOT w.del AND found.g IS NULL
FROM w LEFT JOIN found USING (g)`) {
		want[uint32(r[0].(int64))] = r[1]
		if r[2] == true {
			unfilled++
		}
	}
	same(c.question, "winners", len(p.Rows), len(want))
	rec, err := p.Take(c.Context(), c.mem)
	if err != nil {
		c.Fatal(err)
	}
	defer rec.Release()
	got := arrowtest.Column(rec.Column(len(c.all) - 1))
	for i, n := range p.Rows {
		if v, ok := want[n]; !ok || v != got[i] {
			c.Errorf("row %d has %v, DuckDB %v, %t", n, got[i], v, ok)
		}
	}
	same(c.question, "values unfilled", p.Report.Unfilled, unfilled)
}
