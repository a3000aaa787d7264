package bench

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/peer/duck"
	"github.com/onerow-go/onerow/join"
)

func joinWorkloads() []workload {
	return []workload{
		{"J1", "join", "join-size", 10_000_000, joinSize},
		{"J2", "join", "join-skew", 1_000_000, joinSkew},
		{"J3", "join", "asof", 10_000_000, asOf},
	}
}

// joinSize has the keys of L1 on the left, and a tenth as many rows on the right, each with a key of its own.
func joinSize(rows int) task {
	right := max(1, rows/10)
	c := makeChanges(rows, right, intKey, nil)
	ids := make([]int64, right)
	for i := range ids {
		ids[i] = spread(i)
	}
	t := estimate(c.ids, ids)
	t.keys = right
	t.beside = []yardstick{
		{floorName, c.keyFloor, ""},
		{mapName, func() int64 { return pairMap(c.ids, ids) }, "inner"},
	}
	return t
}

// joinSkew has as many rows on either side; of 50 one has the key -1.
func joinSkew(rows int) task {
	rng := rand.New(rand.NewPCG(3, 4))
	side := func() []int64 {
		ids := make([]int64, rows)
		for i := range ids {
			if ids[i] = spread(rng.IntN(rows)); rng.IntN(50) == 0 {
				ids[i] = -1
			}
		}
		return ids
	}
	t := estimate(side(), side())
	t.keys = rows
	return t
}

// estimate is the task of counting the rows of a join. Ours gives all kinds of join and the 20 worst keys; the forms give the inner join's count.
func estimate(left, right []int64) task {
	l, r := table(int64s("id", left)), table(int64s("id", right))
	const into = "CREATE OR REPLACE TEMP TABLE r AS "
	figuresOf := func(ctx context.Context, db *duck.DB) (figures, error) {
		return queryFigures(ctx, db, "SELECT n FROM r", "inner")
	}
	const (
		countedL = "(SELECT id, count(*) AS n FROM l GROUP BY id) l"
		countedR = "(SELECT id, count(*) AS n FROM other GROUP BY id) r"
	)
	return task{
		rows: len(left) + len(right), tables: map[string]arrow.Record{"l": l, "other": r},
		ours: func(ctx context.Context, workers int) (result, error) {
			s, err := join.Estimate(ctx, []arrow.Record{l}, []arrow.Record{r}, join.On("id"), join.Options{Resources: onerow.Resources{Workers: workers}})
			if err != nil {
				return result{}, err
			}
			return countsResult(figures{"inner": s.Rows.Inner.Big().Uint64()}), nil
		},
		forms: []form{
			{"count-multiply", into + "SELECT sum(l.n * r.n)::UBIGINT AS n FROM " + countedL + " JOIN " + countedR + " USING (id)", []string{"r"}, figuresOf},
			{"count-multiply, right", into + "SELECT sum(r.n)::UBIGINT AS n FROM l JOIN " + countedR + " USING (id)", []string{"r"}, figuresOf},
			{"count-multiply, left", into + "SELECT sum(l.n)::UBIGINT AS n FROM " + countedL + " JOIN other USING (id)", []string{"r"}, figuresOf},
			{"one aggregate", into + "SELECT sum(l * r)::UBIGINT AS n FROM (SELECT sum(l) AS l, sum(r) AS r FROM " +
				"(SELECT id, 1::UINTEGER AS l, 0::UINTEGER AS r FROM l UNION ALL SELECT id, 0, 1 FROM other) GROUP BY id)", []string{"r"}, figuresOf},
			{"count of the join", into + "SELECT count(*)::UBIGINT AS n FROM l JOIN other USING (id)", []string{"r"}, figuresOf},
		},
	}
}

// pairMap counts the pairs of a join with a map of the right side.
func pairMap(left, right []int64) int64 {
	counts := map[int64]int64{}
	for _, id := range right {
		counts[id]++
	}
	var pairs int64
	for _, id := range left {
		pairs += counts[id]
	}
	return pairs
}

const year = 365 * 86_400_000_000

// asOf has facts, and ten versions a key, which are half-open and meet, in no order. (A range join that asks for an end that is NULL or
// later takes a hundred times as long as one with a sentinel. A window over facts and versions together is slower than both forms.)
func asOf(facts int) task {
	const per = 10
	rng := rand.New(rand.NewPCG(5, 6))
	keys := max(1, facts/per/per)
	id, at, n := make([]int64, facts), make([]int64, facts), make([]int64, facts)
	for i := range facts {
		id[i], at[i], n[i] = spread(rng.IntN(keys)), rng.Int64N(year), int64(i)
	}
	versions := keys * per
	vid, from, to, vn := make([]int64, versions), make([]int64, versions), make([]int64, versions), make([]int64, versions)
	for i, p := range rng.Perm(versions) {
		k, v := p/per, int64(p%per)
		vid[i], from[i], to[i], vn[i] = spread(k), v*year/per, (v+1)*year/per, int64(i)
		if v == per-1 {
			to[i] = -1
		}
	}
	f := table(int64s("id", id), times("at", at), int64s("n", n))
	v := table(int64s("id", vid), times("valid_from", from), ends(to), int64s("n", vn))
	matched := func(ctx context.Context, db *duck.DB) (figures, error) {
		return tableFigures(ctx, db, "match", "r", []string{"n", "v"})
	}
	const into = "CREATE OR REPLACE TEMP TABLE r AS SELECT f.n, "
	return task{
		rows: facts, keys: keys, tables: map[string]arrow.Record{"f": f, "v": v},
		ours: func(ctx context.Context, workers int) (result, error) {
			m, err := join.AsOf(ctx, join.Facts{Batches: []arrow.Record{f}, Key: []string{"id"}, At: "at"},
				join.Versions{Batches: []arrow.Record{v}, ValidFrom: "valid_from", ValidTo: "valid_to"},
				join.RangeOptions{Resources: onerow.Resources{Workers: workers}})
			if err != nil {
				return result{}, err
			}
			return result{func() (figures, error) { return matchFigures(n, m.Rows) }, func() {}, 5 * int64(facts)}, nil
		},
		forms: []form{
			{"asof left join", into + "CASE WHEN v.valid_to IS NULL OR f.at < v.valid_to THEN v.n END AS v FROM f ASOF LEFT JOIN v ON f.id = v.id AND f.at >= v.valid_from",
				[]string{"r"}, matched},
			{"range join", into + "v.n AS v FROM f LEFT JOIN (SELECT id, valid_from, coalesce(valid_to, 'infinity'::TIMESTAMP) AS valid_to, n FROM v) v " +
				"ON f.id = v.id AND f.at >= v.valid_from AND f.at < v.valid_to", []string{"r"}, matched},
		},
	}
}

// matchFigures makes a table of facts and their versions, as DuckDB's result is one, and sums it.
func matchFigures(facts []int64, versions []uint32) (figures, error) {
	v := make([]int64, len(versions))
	for i, row := range versions {
		if v[i] = int64(row); row == math.MaxUint32 {
			v[i] = -1
		}
	}
	return rowFigures("match", []arrow.Record{table(int64s("n", facts), int64s("v", v))}, []string{"n", "v"}, nil)
}
