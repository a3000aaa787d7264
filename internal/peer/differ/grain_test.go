package differ

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/grain"
)

// grouped makes the table ranked: rows with n, the row, g, the key's number, and nk for a NULL in the key; and keyed, those that count.
func (q *question) grouped(table string, key []column, equal bool) {
	q.Helper()
	keyed := "NOT nk"
	if equal {
		keyed = "true"
	}
	if err := q.db.Exec(q.Context(), fmt.Sprintf(`CREATE OR REPLACE TEMP TABLE ranked AS SELECT rowid AS n, dense_rank() OVER (ORDER BY %s) AS g, %s AS nk, * FROM %s;
CREATE OR REPLACE TEMP TABLE keyed AS SELECT * FROM ranked WHERE %s`, list(key), anyNull(key), table, keyed)); err != nil {
		q.Fatal(err)
	}
}

func TestCheck(t *testing.T) {
	each(t, func(t *testing.T, q *question) {
		key := q.columns("k", 3)
		batches := q.load("t", key, q.rows(q.IntN(60), key))
		opts := grain.Options{Nulls: one(q, grain.NullsDistinct, grain.NullsEqual), Worst: one(q, 0, 0, 1, 3, -1), Resources: onerow.Resources{Workers: 1 + q.IntN(3)}}
		q.tell("options %+v", opts)
		r, err := grain.Check(t.Context(), batches, names(key), opts)
		if err != nil {
			t.Fatal(err)
		}
		q.grouped("t", key, opts.Nulls == grain.NullsEqual)
		n := q.counts(`WITH c AS (SELECT count(*) AS c FROM keyed GROUP BY g)
SELECT (SELECT count(*) FROM t), count(*), count(*) FILTER (c > 1), coalesce(sum(c - 1), 0)::BIGINT, coalesce(max(c), 0), (SELECT count(*) FROM ranked WHERE nk) FROM c`)
		same(q, "counts", fmt.Sprint(r.Rows, r.Keys, r.DuplicateKeys, r.DuplicateRows, r.MaxCopies, r.NullKeyRows), strings.Trim(fmt.Sprint(n), "[]"))
		q.compareNulls(r.Nulls, "t", key)

		limit := opts.Worst
		if limit == 0 {
			limit = grain.DefaultWorst
		}
		var ours, theirs []string
		for _, w := range r.Worst {
			ours = append(ours, fmt.Sprint(w.Count, numbers(w.Rows)))
		}
		for _, w := range q.ask(`SELECT count(*), array_to_string(list(n ORDER BY n)[:%d], ' ') FROM keyed GROUP BY g HAVING count(*) > 1 ORDER BY count(*) DESC, min(n) LIMIT %d`,
			onerow.MaxSampleRows, max(0, limit)) {
			theirs = append(theirs, fmt.Sprintf("%v[%v]", w[0], w[1]))
		}
		for i := range ours {
			ours[i] = strings.Replace(ours[i], " [", "[", 1)
		}
		same(q, "worst keys", fmt.Sprint(ours), fmt.Sprint(theirs))
	})
}

// compareNulls compares the columns of a table that have NULLs.
func (q *question) compareNulls(ours []onerow.ColumnNulls, table string, columns []column) {
	q.Helper()
	var theirs []onerow.ColumnNulls
	for _, c := range columns {
		if n := q.counts("SELECT count(*), min(rowid) FROM %s WHERE %s IS NULL", table, c.name); n[0] > 0 {
			theirs = append(theirs, onerow.ColumnNulls{Column: c.name, Rows: n[0], First: uint32(n[1])})
		}
	}
	same(q, "NULLs", fmt.Sprint(ours), fmt.Sprint(theirs))
}

func TestProfile(t *testing.T) {
	each(t, func(t *testing.T, q *question) {
		key, values := q.columns("k", 2), q.columns("v", 4)
		all := append(append([]column{}, key...), values...)
		batches := q.load("t", all, q.rows(q.IntN(60), all))
		opts := grain.ProfileOptions{Nulls: one(q, grain.NullsDistinct, grain.NullsEqual), Resources: onerow.Resources{Workers: 1 + q.IntN(3)}}
		for _, c := range all {
			if c.family.sums {
				opts.Sums = append(opts.Sums, c.name)
			}
		}
		if q.chance(20) {
			key = nil
		}
		q.tell("key %q, options %+v", names(key), opts)
		p, err := grain.Profile(t.Context(), batches, names(key), opts)
		if err != nil {
			t.Fatal(err)
		}
		same(q, "rows", p.Rows, q.counts("SELECT count(*) FROM t")[0])
		if key != nil {
			q.grouped("t", key, opts.Nulls == grain.NullsEqual)
			n := q.counts("SELECT count(DISTINCT g), count(*) - count(DISTINCT g), (SELECT count(*) FROM ranked WHERE nk) FROM keyed")
			same(q, "keys", fmt.Sprint(p.Keys, p.DuplicateRows, p.NullKeyRows), strings.Trim(fmt.Sprint(n), "[]"))
		}
		for i, c := range all {
			same(q, "NULLs of "+c.name, p.Columns[i].Nulls, q.counts("SELECT count(*) FROM t WHERE %s IS NULL", c.name)[0])
		}
		next := 0
		for _, c := range all {
			if c.family.sums {
				q.compareSum(c, p.Sums[next])
				next++
			}
		}
	})
}

// compareSum compares a sum, exactly but for floats.
func (q *question) compareSum(c column, ours grain.Sum) {
	q.Helper()
	if c.family.name == "float" {
		r := q.ask(`SELECT count(%[1]s), CAST(sum(%[1]s::DOUBLE) AS VARCHAR), CAST(sum(abs(%[1]s::DOUBLE)) AS VARCHAR) FROM t`, c.name)[0]
		same(q, "values of "+c.name, ours.Rows, r[0].(int64))
		if n := int(ours.Rows); !sameSum(number(q, ours.Sum), number(q, r[1]), number(q, r[2]), n) {
			q.Errorf("sum of %s: onerow %s, DuckDB %v", c.name, ours.Sum, r[1])
		}
		return
	}
	cast := "::HUGEINT"
	if c.family.name == "decimal" {
		cast = ""
	}
	r := q.ask(`SELECT count(%[1]s), CAST(coalesce(sum(%[1]s%[2]s), 0) AS VARCHAR) FROM t`, c.name, cast)[0]
	same(q, "values of "+c.name, ours.Rows, r[0].(int64))
	a, ok := new(big.Rat).SetString(ours.Sum)
	b, ok2 := new(big.Rat).SetString(r[1].(string))
	if !ok || !ok2 || a.Cmp(b) != 0 {
		q.Errorf("sum of %s: onerow %s, DuckDB %v", c.name, ours.Sum, r[1])
	}
}

// number reads a float as either side writes it; no sum is 0.
func number(q *question, text any) float64 {
	q.Helper()
	if text == nil {
		return 0
	}
	f, err := strconv.ParseFloat(strings.Replace(text.(string), "-nan", "nan", 1), 64)
	if err != nil {
		q.Fatal(err)
	}
	return f
}

// Align: keys of two lists of columns, and of both together, NULL equal to NULL.
func TestAlign(t *testing.T) {
	verdicts := map[[2]bool]int{}
	each(t, func(t *testing.T, q *question) {
		all := q.columns("k", 4)
		batches := q.load("t", all, q.rows(q.IntN(20), all))
		pick := func() []column {
			out := append([]column{}, all...)
			q.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
			return out[:1+q.IntN(len(out))]
		}
		deduped, on := pick(), pick()
		q.tell("deduped %q, on %q", names(deduped), names(on))
		a, err := grain.Align(t.Context(), batches, names(deduped), names(on), grain.Options{Resources: onerow.Resources{Workers: 1 + q.IntN(3)}})
		if err != nil {
			t.Fatal(err)
		}
		distinct := func(columns string) int64 {
			return q.counts("SELECT count(*) FROM (SELECT %s FROM t GROUP BY ALL)", columns)[0]
		}
		n := []int64{distinct(list(deduped)), distinct(list(on)), distinct("1, " + list(deduped) + ", " + list(on))}
		same(q, "keys", fmt.Sprint(a.Deduped.Keys, a.On.Keys, a.BothKeys), strings.Trim(fmt.Sprint(n), "[]"))
		same(q, "coarser, finer", fmt.Sprint(a.Coarser(), a.Finer()), fmt.Sprint(n[2] > n[1], n[2] > n[0]))
		verdicts[[2]bool{a.Coarser(), a.Finer()}]++
	})
	t.Logf("coarser, finer: %v", verdicts)
}

// Compare: two tables of the same columns, where a figure is refused that changed by more than a share.
func TestCompare(t *testing.T) {
	refused := 0
	each(t, func(t *testing.T, q *question) {
		key := q.columns("k", 2)
		v := column{"v", one(q, "int32", "int64", "decimal(18,2)"), family{draw: func(q *question) any { return q.IntN(9) - 4 }}, 20}
		if v.typ == "decimal(18,2)" {
			v.family = familyNamed("decimal")
		}
		all := append(append([]column{}, key...), v)
		var profiles [2]*grain.TableProfile
		for i, table := range []string{"before", "after"} {
			var err error
			profiles[i], err = grain.Profile(t.Context(), q.load(table, all, q.rows(q.IntN(20), all)), names(key), grain.ProfileOptions{Sums: []string{"v"}, Nulls: grain.NullsEqual})
			if err != nil {
				t.Fatal(err)
			}
		}
		allowed := grain.Tolerance{Growth: one(q, 0, 0.25, 0.5, 1.5), Loss: one(q, 0, 0.125, 0.5)}
		q.tell("%+v", allowed)
		c, err := grain.Compare(profiles[0], profiles[1], allowed)
		if err != nil {
			t.Fatal(err)
		}
		refused += q.compareFigures(c, key, all, allowed)
	})
	t.Logf("%d figures refused", refused)
}

// compareFigures compares what grain.Compare refuses with what SQL does. It gives their number.
func (q *question) compareFigures(c *grain.Comparison, key, all []column, allowed grain.Tolerance) int {
	q.Helper()
	keys := "(SELECT count(*) FROM (SELECT 1 FROM %s GROUP BY " + list(key) + "))"
	figures := []string{"'rows', count(*)", "'keys', 0 * count(*) + " + keys, "'duplicate_rows', count(*) - " + keys, "'null_key_rows', count(*) FILTER " + anyNull(key)}
	for _, col := range all {
		figures = append(figures, "'nulls("+col.name+")', count(*) FILTER ("+col.name+" IS NULL)")
	}
	figures = append(figures, "'sum(v)', coalesce(sum(v), 0)")
	side := func(table string) string {
		var out []string
		for i, f := range figures {
			at := strings.Index(f, ", ")
			out = append(out, fmt.Sprintf("SELECT %d AS place, %s AS name, (%s)::DECIMAL(30,4) AS n FROM %s", i, f[:at], strings.ReplaceAll(f[at+2:], "%s", table), table))
		}
		return strings.Join(out, " UNION ALL ")
	}
	var ours, theirs []string
	for _, f := range c.Figures {
		if f.Refused {
			ours = append(ours, f.Name)
		}
	}
	for _, r := range q.ask(`SELECT b.name FROM (%s) b JOIN (%s) a USING (place) WHERE a.n > b.n AND a.n - b.n > %v * abs(b.n) OR a.n < b.n AND b.n - a.n > %v * abs(b.n) ORDER BY place`,
		side("before"), side("after"), allowed.Growth, allowed.Loss) {
		theirs = append(theirs, r[0].(string))
	}
	same(q, "figures refused", fmt.Sprint(ours), fmt.Sprint(theirs))
	return len(ours)
}
