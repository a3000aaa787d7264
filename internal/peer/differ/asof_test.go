package differ

import (
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/join"
	"github.com/onerow-go/onerow/scd2"
)

// moments are the families that boundaries are of, with few values, so that they meet.
var moments = []family{
	{"position", []string{"int16", "int64", "uint8", "uint64"}, func(q *question) any { return q.IntN(12) }, false},
	{"day", []string{"date32", "date64"}, func(q *question) any { return arrowtest.Date(int64(20000+q.IntN(12)) * dayMillis) }, false},
	{"second", []string{"timestamp[s]", "timestamp[ms]", "timestamp[us]", "timestamp[ns]"}, func(q *question) any { return arrowtest.Timestamp{Sec: int64(q.IntN(12) - 6)} }, false},
	{"instant", []string{"timestamp[s,UTC]", "timestamp[us,UTC]"}, func(q *question) any { return arrowtest.Timestamp{Sec: int64(q.IntN(12)), Zoned: true} }, false},
	{"amount", []string{"decimal(10,3)", "decimal(18,2)"}, func(q *question) any { return arrowtest.Decimal(fmt.Sprint(q.IntN(12))) }, false},
	{"name", []string{"string", "dict<int8,string>"}, func(q *question) any { return string(rune('a' + q.IntN(12))) }, false},
	{"clock", []string{"time32[s]", "time64[us]"}, func(q *question) any { return arrowtest.TimeOfDay{Sec: int64(q.IntN(12))} }, false},
}

// boundaries draws a start and an end of one family. Now and then starts are NULL.
func (q *question) boundaries(f family) (from, to column) {
	return column{"valid_from", one(q, f.types...), f, one(q, 0, 0, 10)}, column{"valid_to", one(q, f.types...), f, one(q, 0, 15, 30)}
}

// openEnd draws a sentinel for open ends now and then, and says how SQL reads an end.
func (q *question) openEnd(to column) (sentinel onerow.Value, end string) {
	if q.chance(70) {
		return nil, "valid_to"
	}
	to.nulls = 0
	sentinel = q.clock(q.load("sentinel", []column{to}, [][]any{{q.cell(to)}}))
	q.tell("open end %v", sentinel)
	return sentinel, "nullif(valid_to, (SELECT valid_to FROM sentinel))"
}

// clock gives the one value of a table as an option takes it.
func (q *question) clock(batches []arrow.Record) onerow.Value {
	switch v := arrowtest.All(batches)[0][0].(type) {
	case int64, string:
		return v
	case arrowtest.Decimal:
		return string(v)
	default:
		return arrowtest.Format(v)
	}
}

func TestAsOfAndBetween(t *testing.T) {
	counts := map[join.Status]int{}
	each(t, func(t *testing.T, q *question) {
		l, r, on := q.keyPair("a", "b")
		f := one(q, moments...)
		at := column{"moment", one(q, f.types...), f, one(q, 0, 10)}
		from, to := q.boundaries(f)
		factColumns, versionColumns := append(l[:len(l):len(l)], at), append(r[:len(r):len(r)], from, to)
		facts := join.Facts{Batches: q.load("f", factColumns, q.rows(q.IntN(40), factColumns)), Key: on.Left, At: at.name}
		versions := join.Versions{Batches: q.load("v", versionColumns, q.rows(q.IntN(30), versionColumns)), Key: on.Right,
			ValidFrom: "valid_from", ValidTo: "valid_to", Bounds: one(q, join.HalfOpen, join.HalfOpen, join.Closed)}
		opts := join.RangeOptions{Nulls: one(q, join.NullsNever, join.NullsEqual), Resources: onerow.Resources{Workers: 1 + q.IntN(3)}}
		q.tell("bounds %v, options %+v", versions.Bounds, opts)
		var end string
		versions.OpenEnd, end = q.openEnd(to)
		size, err := join.Between(t.Context(), facts, versions, opts)
		if err != nil {
			t.Fatal(err)
		}
		q.holders(l, r, versions, opts, at.name, end)
		n := q.counts(`WITH h AS (SELECT n, count(v) AS c FROM held GROUP BY n)
SELECT count(*), count(*) FILTER (c > 0), coalesce(max(c), 0), coalesce(arg_min(n, (-c, n)), 0), coalesce(sum(c), 0), coalesce(sum(greatest(c, 1)), 0) FROM h`)
		if n[2] == 0 {
			n[3] = 0
		}
		same(q, "range join", fmt.Sprint(size.Facts, size.Held, size.Most, size.MostAt, size.Inner, size.Left), strings.Trim(fmt.Sprint(n), "[]"))
		q.compareVersions(size.Versions, r, opts.Nulls == join.NullsEqual, versions.Bounds == join.Closed)

		if q.chance(30) {
			versions.ValidTo, versions.OpenEnd, versions.Bounds = "", nil, join.HalfOpen
			// the next start that is greater
			q.holders(l, r, versions, opts, at.name, "(SELECT min(x.valid_from) FROM v x WHERE x.valid_from > v.valid_from AND "+
				condition("v", r, "x", r, opts.Nulls == join.NullsEqual)+")")
		}
		m, err := join.AsOf(t.Context(), facts, versions, opts)
		if err != nil {
			t.Fatal(err)
		}
		var ours, theirs []string
		for i, status := range m.Status {
			counts[status]++
			row := fmt.Sprint(int64(m.Rows[i]))
			if m.Rows[i] == join.NoMatch {
				row = "none"
			}
			ours = append(ours, fmt.Sprint(i, " ", status, " ", row))
		}
		for _, r := range q.ask("SELECT n, status, v FROM status ORDER BY n") {
			if r[2] == nil {
				r[2] = "none"
			}
			theirs = append(theirs, fmt.Sprintf("%v %v %v", r...))
		}
		same(q, "matches", strings.Join(ours, "; "), strings.Join(theirs, "; "))
	})
	t.Log(counts)
}

// holders makes the tables held, of the facts n with each version v that holds it, or NULL, and status, of each fact's status and match. SQL
// reads an end as end says.
func (q *question) holders(l, r []column, versions join.Versions, opts join.RangeOptions, at, end string) {
	q.Helper()
	equal := opts.Nulls == join.NullsEqual
	less := "<"
	if versions.Bounds == join.Closed {
		less = "<="
	}
	noKey := anyNull(l)
	if equal {
		noKey = "false"
	}
	match := condition("f", l, "s", r, equal)
	if err := q.db.Exec(q.Context(), fmt.Sprintf(`CREATE OR REPLACE TEMP TABLE spans AS SELECT *, rowid AS row, %[1]s AS e FROM v;
CREATE OR REPLACE TEMP TABLE lasting AS SELECT * FROM spans WHERE valid_from IS NOT NULL AND (e IS NULL OR valid_from %[2]s e);
CREATE OR REPLACE TEMP TABLE held AS SELECT f.rowid AS n, s.row AS v FROM f LEFT JOIN lasting s ON %[3]s AND s.valid_from <= f.%[4]s AND (s.e IS NULL OR f.%[4]s %[2]s s.e);
CREATE OR REPLACE TEMP TABLE status AS SELECT n, status, CASE WHEN status = 'ok' THEN v END AS v FROM (
SELECT f.rowid AS n, h.v, CASE WHEN %[5]s THEN 'null_key' WHEN %[4]s IS NULL THEN 'null_time'
  WHEN NOT EXISTS (FROM spans s WHERE %[3]s) THEN 'no_key'
  WHEN EXISTS (FROM lasting s WHERE %[3]s) AND NOT EXISTS (FROM lasting s WHERE %[3]s AND s.valid_from <= f.%[4]s) THEN 'before_first'
  WHEN c = 0 THEN 'gap' WHEN c > 1 THEN 'ambiguous' ELSE 'ok' END AS status
FROM f JOIN (SELECT n, count(v) AS c, any_value(v) AS v FROM held GROUP BY n) h ON f.rowid = h.n)`, end, less, match, at, noKey)); err != nil {
		q.Fatal(err)
	}
}

// compareVersions compares what is said of the versions, from the tables spans and lasting.
func (q *question) compareVersions(ours join.VersionReport, key []column, equal, closed bool) {
	q.Helper()
	less := "<"
	if closed {
		less = "<="
	}
	noKey := anyNull(key)
	if equal {
		noKey = "false"
	}
	n := q.counts(`WITH keyed AS (SELECT *, dense_rank() OVER (ORDER BY %[1]s) AS g FROM spans WHERE NOT %[2]s),
  pairs AS (SELECT a.g FROM keyed a JOIN keyed b ON a.g = b.g AND a.row < b.row AND a.row IN (SELECT row FROM lasting) AND b.row IN (SELECT row FROM lasting)
    AND (a.e IS NULL OR b.valid_from %[3]s a.e) AND (b.e IS NULL OR a.valid_from %[3]s b.e))
SELECT (SELECT count(*) FROM spans), (SELECT count(DISTINCT g) FROM keyed), (SELECT count(*) FROM spans WHERE %[2]s),
  (SELECT count(*) FROM spans) - (SELECT count(*) FROM lasting), (SELECT count(*) FROM pairs), (SELECT count(DISTINCT g) FROM pairs)`, list(key), noKey, less)
	same(q, "versions", fmt.Sprint(ours.Rows, ours.Keys, ours.NullKeys, ours.Idle, ours.Overlaps, ours.OverlappingKeys), strings.Trim(fmt.Sprint(n), "[]"))
}

func TestHistoryCheck(t *testing.T) {
	var faults scd2.CheckReport
	each(t, func(t *testing.T, q *question) {
		key := q.columns("k", 2)
		f := one(q, moments...)
		from, to := q.boundaries(f)
		current := column{"current", "bool", familyNamed("bool"), 10}
		all := append(key[:len(key):len(key)], from, to, current)
		table := scd2.Table{Batches: q.load("t", all, q.rows(q.IntN(40), all)), Key: names(key), Bounds: one(q, scd2.HalfOpen, scd2.HalfOpen, scd2.Closed)}
		if q.chance(50) {
			table.Current = "current"
		}
		opts := scd2.CheckOptions{ZeroLength: one(q, scd2.ReportZeroLength, scd2.AllowZeroLength), Resources: onerow.Resources{Workers: 1 + q.IntN(3)}}
		if table.Bounds == scd2.HalfOpen { // the step between an end and a start has no short form in SQL
			opts.Gaps = one(q, scd2.AllowGaps, scd2.ReportGaps)
		}
		q.tell("bounds %v, current %q, options %+v", table.Bounds, table.Current, opts)
		var end string
		table.OpenEnd, end = q.openEnd(to)
		r, err := scd2.Check(t.Context(), table, opts)
		if err != nil {
			t.Fatal(err)
		}
		n := q.faults(key, table, opts, end)
		same(q, "faults", fmt.Sprint(r.Rows, r.Keys, r.Overlaps, r.Gaps, r.Inverted, r.ZeroLength, r.TwoOpen, r.DuplicateStarts, r.NullStarts, r.NullKeys, r.CurrentMismatches, r.BrokenKeys),
			strings.Trim(fmt.Sprint(n), "[]"))
		faults.Overlaps, faults.Gaps, faults.DuplicateStarts = faults.Overlaps+r.Overlaps, faults.Gaps+r.Gaps, faults.DuplicateStarts+r.DuplicateStarts
	})
	t.Logf("%d overlaps, %d gaps, %d duplicate starts", faults.Overlaps, faults.Gaps, faults.DuplicateStarts)
}

// faults counts what is wrong with the table t, whose ends SQL reads as end says.
func (q *question) faults(key []column, table scd2.Table, opts scd2.CheckOptions, end string) []int64 {
	q.Helper()
	less, zero, gaps, flag := "<", "lasts IS NOT DISTINCT FROM false AND valid_to = valid_from", "false", "false"
	if table.Bounds == scd2.Closed {
		less, zero = "<=", "false"
	}
	if opts.ZeroLength == scd2.AllowZeroLength {
		zero = "false"
	}
	if opts.Gaps == scd2.ReportGaps {
		gaps = "true"
	}
	if table.Current != "" {
		flag = "current IS DISTINCT FROM (valid_to IS NULL)"
	}
	if err := q.db.Exec(q.Context(), fmt.Sprintf(`CREATE OR REPLACE TEMP TABLE ended AS SELECT * REPLACE (%[7]s AS valid_to), rowid AS n FROM t;
CREATE OR REPLACE TEMP TABLE r AS SELECT *, %[1]s AS nk, dense_rank() OVER (ORDER BY %[2]s) AS g,
  valid_from IS NOT NULL AND (valid_to IS NULL OR valid_from %[3]s valid_to) AS lasts FROM ended;
CREATE OR REPLACE TEMP TABLE faults AS
  SELECT 'inverted' AS kind, g, n FROM r WHERE valid_to < valid_from
  UNION ALL SELECT 'zero', g, n FROM r WHERE %[4]s
  UNION ALL SELECT 'null start', g, n FROM r WHERE valid_from IS NULL
  UNION ALL SELECT 'flag', g, n FROM r WHERE %[5]s
  UNION ALL SELECT 'null key', g, n FROM r WHERE nk
  UNION ALL SELECT 'two open', g, min(n) FROM r WHERE NOT nk AND valid_to IS NULL GROUP BY g HAVING count(*) > 1
  UNION ALL SELECT 'start', g, min(n) FROM r WHERE NOT nk AND (valid_to IS NULL OR valid_to >= valid_from) AND valid_from IS NOT NULL GROUP BY g, valid_from HAVING count(*) > 1
  UNION ALL SELECT 'overlap', a.g, a.n FROM r a JOIN r b ON a.g = b.g AND a.n < b.n AND NOT a.nk AND NOT b.nk AND a.lasts AND b.lasts
    AND (a.valid_to IS NULL OR b.valid_from %[3]s a.valid_to) AND (b.valid_to IS NULL OR a.valid_from %[3]s b.valid_to)
  UNION ALL SELECT 'gap', g, 0 FROM (SELECT DISTINCT b.g, b.valid_from FROM r b WHERE %[6]s AND b.lasts AND NOT b.nk
    AND EXISTS (FROM r a WHERE a.g = b.g AND a.lasts AND a.valid_from < b.valid_from)
    AND NOT EXISTS (FROM r a WHERE a.g = b.g AND a.lasts AND a.valid_from < b.valid_from AND (a.valid_to IS NULL OR a.valid_to >= b.valid_from)))`,
		anyNull(key), list(key), less, zero, flag, gaps, end)); err != nil {
		q.Fatal(err)
	}
	return q.counts(`SELECT (SELECT count(*) FROM r), (SELECT count(DISTINCT g) FROM r WHERE NOT nk), count(*) FILTER (kind = 'overlap'), count(*) FILTER (kind = 'gap'),
  count(*) FILTER (kind = 'inverted'), count(*) FILTER (kind = 'zero'), count(*) FILTER (kind = 'two open'), count(*) FILTER (kind = 'start'),
  count(*) FILTER (kind = 'null start'), count(*) FILTER (kind = 'null key'), count(*) FILTER (kind = 'flag'),
  count(DISTINCT CASE WHEN n IN (SELECT n FROM r WHERE nk) AND kind <> 'gap' THEN -1 - n ELSE g END) FROM faults`)
}
