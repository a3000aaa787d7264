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
		q.compareNulls(r.Nulls, key)

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

// compareNulls compares the columns of t that have NULLs.
func (q *question) compareNulls(ours []onerow.ColumnNulls, columns []column) {
	q.Helper()
	var theirs []onerow.ColumnNulls
	for _, c := range columns {
		if n := q.counts("SELECT count(*), min(rowid) FROM t WHERE %s IS NULL", c.name); n[0] > 0 {
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
