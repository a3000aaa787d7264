package differ

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/scd2"
)

// planCase is a sound history, and events whose positions are neither boundaries nor those of other events.
type planCase struct {
	*question
	key, values, all []column
	// tracked are those of the values that make versions.
	tracked []column
	// at draws the n-th of the positions: even ones are for boundaries.
	at     family
	place  func(n int) any
	events []column
}

const positions = 60

func (q *question) drawPlan() *planCase {
	c := &planCase{question: q, key: q.columns("k", 2), values: q.columns("v", 3)}
	if q.chance(40) { // so that many events repeat a version
		c.values[0] = q.column(c.values[0].name, familyNamed("bool"))
	}
	c.tracked = c.values
	c.at, c.place = q.places()
	from := column{"valid_from", one(q, c.at.types...), c.at, 0}
	to := from
	to.name, to.typ = "valid_to", one(q, c.at.types...)
	ts := column{"ts", one(q, c.at.types...), c.at, 0}
	op := column{"op", "string", operations, 10}
	c.all = slices.Concat(c.key, c.values, []column{from, to})
	c.events = slices.Concat(c.key, c.values, []column{ts, op})
	return c
}

// places draws the type of positions, and how to write the n-th.
func (q *question) places() (family, func(n int) any) {
	f := one(q, moments[:4]...)
	return f, map[string]func(n int) any{
		"position": func(n int) any { return n },
		"day":      func(n int) any { return arrowtest.Date(int64(20000+n) * dayMillis) },
		"second":   func(n int) any { return arrowtest.Timestamp{Sec: int64(n - positions/2)} },
		"instant":  func(n int) any { return arrowtest.Timestamp{Sec: int64(n), Zoned: true} },
	}[f.name]
}

// history draws versions of some keys that follow each other, with gaps, and no two of one key that meet and say the same.
func (c *planCase) history() (rows [][]any) {
	seen := map[string]bool{}
	for range c.IntN(6) {
		var key []any
		for _, k := range c.key {
			key = append(key, c.cell(k))
		}
		text := c.says(c.key, key)
		if seen[text] {
			continue
		}
		seen[text] = true
		before := ""
		for n := 2 * c.IntN(positions/4); n < positions; {
			end := n + 2*(1+c.IntN(8))
			var cells []any
			for _, v := range c.values {
				cells = append(cells, c.cell(v))
			}
			var to any
			if end < positions || c.chance(30) {
				to = c.place(min(end, positions))
			}
			if says := c.says(c.tracked, cells[:len(c.tracked)]); says == before {
				before = "" // a gap instead: neighbours that say the same aren't joined
			} else {
				before = says
				rows = append(rows, append(append(slices.Clone(key), cells...), c.place(n), to))
			}
			if n = end; c.chance(20) {
				n, before = n+2, ""
			}
		}
	}
	c.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	return rows
}

// says writes cells as the keys of a map, by value.
func (c *planCase) says(columns []column, cells []any) string {
	specs := make([]string, len(columns))
	for i, col := range columns {
		specs[i] = col.String()
	}
	schema, err := arrowtest.Schema(specs)
	if err != nil {
		c.Fatal(err)
	}
	values, err := arrowtest.Values(schema, [][]any{cells})
	if err != nil {
		c.Fatal(err)
	}
	for i, v := range values[0] {
		values[0][i] = sameValue(v)
	}
	return arrowtest.FormatRow(values[0])
}

// changes draws events, of keys of the history and others.
func (c *planCase) changes(history [][]any) (rows [][]any) {
	at := c.Perm(positions / 2)
	for i := range c.IntN(positions / 3) {
		var row []any
		for _, k := range c.events[:len(c.key)+len(c.values)] {
			row = append(row, c.cell(k))
		}
		if len(history) > 0 && c.chance(70) {
			of := history[c.IntN(len(history))]
			copy(row, of[:len(c.key)])
			if c.chance(40) { // it repeats a version, or what is tracked of one
				copy(row, of[:len(c.key)+len(one(c.question, c.values, c.tracked))])
			}
		}
		op := any(one(c.question, "u", "u", "u", "d"))
		if c.chance(10) {
			op = nil
		}
		rows = append(rows, append(row, c.place(2*at[i]+1), op))
	}
	return rows
}

func TestPlanAndApply(t *testing.T) {
	var sum scd2.Report
	each(t, func(t *testing.T, q *question) {
		c := q.drawPlan()
		history := c.history()
		h := q.load("h", c.all, history)
		events := q.load("c", c.events, c.changes(history))
		table := scd2.Table{Batches: h, Key: names(c.key)}
		m, err := scd2.Plan(t.Context(), table, events, scd2.Options{Mode: scd2.Changes, At: []onerow.Order{onerow.Desc("ts")}, NullKey: onerow.EqualNullKeys,
			Op: scd2.Op{Column: "op", Delete: []onerow.Value{"d"}}, Resources: onerow.Resources{Workers: 1 + q.IntN(3)}})
		if err != nil {
			t.Fatal(err)
		}
		next, err := m.Apply(t.Context(), q.mem, h)
		if err != nil {
			t.Fatal(err)
		}
		defer arrowtest.Release(next)
		c.compareHistories(next, c.rebuilt())
		sum.Insert, sum.Close, sum.Rewrite, sum.Remove, sum.Unchanged, sum.Late = sum.Insert+m.Report.Insert, sum.Close+m.Report.Close,
			sum.Rewrite+m.Report.Rewrite, sum.Remove+m.Report.Remove, sum.Unchanged+m.Report.Unchanged, sum.Late+m.Report.Late
	})
	t.Logf("%d inserts, %d closes, %d rewrites, %d removes, %d unchanged, %d late", sum.Insert, sum.Close, sum.Rewrite, sum.Remove, sum.Unchanged, sum.Late)
}

// rebuilt is a query: the history h after the events c. Starts, ends, and events are points in a row; one that says what the point before it
// says, in the tracked columns, goes; each of the others lasts until the next of them. Columns that aren't tracked are as they were said last
// before that.
func (c *planCase) rebuilt() string {
	var differs, olds, none []string
	for i, v := range c.values {
		none = append(none, "NULL AS "+v.name)
		if i < len(c.tracked) {
			differs = append(differs, v.name+" IS DISTINCT FROM old_"+v.name)
			olds = append(olds, "lag("+v.name+") OVER w AS old_"+v.name)
		}
	}
	return fmt.Sprintf(`WITH points AS (
  SELECT %[1]s, %[2]s, valid_from AS ts, false AS gone, 1 AS rank FROM h
  UNION ALL SELECT %[1]s, %[3]s, valid_to, true, 0 FROM h WHERE valid_to IS NOT NULL
  UNION ALL SELECT %[1]s, %[2]s, ts, coalesce(op = 'd', false), 1 FROM c
), placed AS (SELECT *, dense_rank() OVER (ORDER BY %[1]s) AS g FROM points QUALIFY row_number() OVER (PARTITION BY %[1]s, ts ORDER BY rank DESC) = 1
), told AS (SELECT *, lag(gone) OVER w AS was_gone, %[4]s FROM placed WINDOW w AS (PARTITION BY g ORDER BY ts)
), made AS (SELECT *, count(*) FILTER (coalesce(was_gone, true) <> gone OR NOT gone AND (%[5]s)) OVER (PARTITION BY g ORDER BY ts) AS run FROM told
), runs AS (SELECT g, run, any_value(gone) AS gone, min(ts) AS start, arg_max({%[6]s}, ts) AS said FROM made WHERE run > 0 GROUP BY g, run
), versions AS (SELECT *, lead(start) OVER (PARTITION BY g ORDER BY start) AS valid_to FROM runs)
SELECT %[7]s, start AS valid_from, valid_to FROM versions WHERE NOT gone`,
		list(c.key), list(c.values), strings.Join(none, ", "), strings.Join(olds, ", "), strings.Join(differs, " OR "), pairs(slices.Concat(c.key, c.values)),
		"said."+strings.Join(names(slices.Concat(c.key, c.values)), ", said."))
}

// pairs writes columns as the members of a struct.
func pairs(columns []column) string {
	var out []string
	for _, c := range columns {
		out = append(out, "'"+c.name+"': "+c.name)
	}
	return strings.Join(out, ", ")
}

// compareHistories compares rows of a history by value.
func (c *planCase) compareHistories(ours []arrow.Record, query string) {
	c.Helper()
	theirs := c.ask("%s", query)
	rows := arrowtest.All(ours)
	for _, list := range [][][]any{rows, theirs} {
		for _, row := range list {
			for i := range row {
				row[i] = sameValue(row[i])
				switch n := row[i].(type) { // a HUGEINT, which boundaries of signed and unsigned types meet in, comes as a decimal
				case int64, uint64:
					row[i] = arrowtest.Decimal(fmt.Sprint(n))
				}
			}
		}
	}
	if diff := arrowtest.DiffRows(theirs, rows); diff != "" {
		c.Errorf("the history differs (want DuckDB's):\n%s", diff)
	}
}

func TestPlanSnapshot(t *testing.T) {
	var sum scd2.Report
	each(t, func(t *testing.T, q *question) {
		c := q.drawPlan()
		history := c.history()
		h := q.load("h", c.all, history)
		source := append(c.key[:len(c.key):len(c.key)], c.values...)
		var rows [][]any
		seen := map[string]bool{}
		for _, row := range c.changes(history) {
			if text := c.says(c.key, row[:len(c.key)]); !seen[text] {
				seen[text] = true
				rows = append(rows, row[:len(source)])
			}
		}
		s := q.load("s", source, rows)
		opts := scd2.Options{Mode: scd2.Snapshot, Absent: one(q, scd2.AbsentCloses, scd2.AbsentKept), MaxClose: 1, AllowEmpty: true, NullKey: onerow.EqualNullKeys,
			Resources: onerow.Resources{Workers: 1 + q.IntN(3)}}
		clock := q.load("clock", []column{{"now", c.all[len(c.all)-2].typ, c.at, 0}}, [][]any{{c.place(positions + 2)}})
		opts.Now = q.clock(clock)
		q.tell("options %+v", opts)
		m, err := scd2.Plan(t.Context(), scd2.Table{Batches: h, Key: names(c.key)}, s, opts)
		if err != nil {
			t.Fatal(err)
		}
		next, err := m.Apply(t.Context(), q.mem, h)
		if err != nil {
			t.Fatal(err)
		}
		defer arrowtest.Release(next)
		c.compareHistories(next, c.snapshot(opts.Absent))
		sum.Insert, sum.Close, sum.Unchanged, sum.ClosedByAbsence = sum.Insert+m.Report.Insert, sum.Close+m.Report.Close, sum.Unchanged+m.Report.Unchanged, sum.ClosedByAbsence+m.Report.ClosedByAbsence
	})
	t.Logf("%d inserts, %d closes, %d by absence, %d unchanged", sum.Insert, sum.Close, sum.ClosedByAbsence, sum.Unchanged)
}

// snapshot is a query: the history h after the snapshot s, at the time in the table clock.
func (c *planCase) snapshot(absent scd2.Absent) string {
	var differs []string
	for _, v := range c.values {
		differs = append(differs, "s."+v.name+" IS DISTINCT FROM h."+v.name)
	}
	same := condition("s", c.key, "h", c.key, true)
	closes := "EXISTS (FROM s WHERE " + same + " AND (" + strings.Join(differs, " OR ") + "))"
	if absent == scd2.AbsentCloses {
		closes += " OR NOT EXISTS (FROM s WHERE " + same + ")"
	}
	return fmt.Sprintf(`SELECT %[1]s, %[2]s, valid_from, CASE WHEN valid_to IS NULL AND (%[3]s) THEN (SELECT now FROM clock) ELSE valid_to END AS valid_to FROM h
UNION ALL SELECT %[1]s, %[2]s, (SELECT now FROM clock), NULL FROM s WHERE NOT EXISTS (FROM h WHERE %[4]s AND valid_to IS NULL AND NOT (%[5]s))`,
		list(c.key), list(c.values), closes, same, strings.Join(differs, " OR "))
}
