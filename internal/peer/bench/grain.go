package bench

import (
	"context"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/grain"
	"github.com/onerow-go/onerow/internal/peer/duck"
)

func grainWorkloads() []workload {
	of := func(kind keyKind) func(rows int) task {
		return func(rows int) task { return checked(rows, max(1, rows/10), kind) }
	}
	return []workload{
		{"G1", "grain", "grain-int", 10_000_000, of(intKey)},
		{"G2", "grain", "grain-text", 10_000_000, of(textKey)},
	}
}

var grainFigures = []string{"rows", "keys", "duplicate keys", "duplicate rows", "max copies"}

// checked is the task of counting the rows of each key. Our report has the 20 worst keys with their rows; the first form has totals alone.
func checked(rows, keys int, kind keyKind) task {
	c := makeChanges(rows, keys, kind, nil)
	t := task{
		rows: rows, keys: keys, tables: map[string]arrow.Record{"t": c.rec},
		ours: func(ctx context.Context, workers int) (result, error) {
			r, err := grain.Check(ctx, []arrow.Record{c.rec}, c.key, grain.Options{Resources: onerow.Resources{Workers: workers}})
			if err != nil {
				return result{}, err
			}
			return countsResult(figures{"rows": uint64(r.Rows), "keys": uint64(r.Keys), "duplicate keys": uint64(r.DuplicateKeys),
				"duplicate rows": uint64(r.DuplicateRows), "max copies": uint64(r.MaxCopies)}), nil
		},
	}
	const (
		into   = "CREATE OR REPLACE TEMP TABLE r AS WITH g AS MATERIALIZED (SELECT id, count(*) AS n FROM t GROUP BY id) SELECT "
		totals = "sum(n)::UBIGINT AS s, count(*) AS k, count(*) FILTER (n > 1) AS d, sum(n - 1)::UBIGINT AS e, max(n) AS m"
		// As many keys have n rows as c says.
		histogram = "CREATE OR REPLACE TEMP TABLE r AS WITH g AS (SELECT n, count(*) AS c FROM (SELECT count(*) AS n FROM t GROUP BY id) GROUP BY n) SELECT " +
			"sum(n * c)::UBIGINT AS s, sum(c)::UBIGINT AS k, sum(c) FILTER (n > 1)::UBIGINT AS d, sum((n - 1) * c)::UBIGINT AS e, max(n) AS m FROM g"
		worst = ", (SELECT list({'id': id, 'n': n}) FROM (SELECT id, n FROM g WHERE n > 1 ORDER BY n DESC LIMIT 20)) AS worst"
	)
	read := func(ctx context.Context, db *duck.DB) (figures, error) {
		return queryFigures(ctx, db, "SELECT s, k, d, e, m FROM r", grainFigures...)
	}
	t.forms = []form{
		{"totals", strings.Replace(into, "MATERIALIZED", "", 1) + totals + " FROM g", []string{"r"}, read},
		{"totals of a histogram", histogram, []string{"r"}, read},
		{"totals, worst", into + totals + worst + " FROM g", []string{"r"}, read},
	}
	if kind == intKey {
		t.beside = []yardstick{{floorName, c.keyFloor, ""}, {mapName, c.countMap, "keys"}}
	}
	return t
}

// keyFloor reads the key column once.
func (c changes) keyFloor() int64 {
	var sum int64
	for _, id := range c.ids {
		sum += id
	}
	return sum
}

// countMap counts the rows of each key in a map. It gives the number of keys.
func (c changes) countMap() int64 {
	counts := map[int64]int32{}
	for _, id := range c.ids {
		counts[id]++
	}
	return int64(len(counts))
}
