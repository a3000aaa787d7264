package bench

import (
	"context"
	"math/rand/v2"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/peer/duck"
	"github.com/onerow-go/onerow/scd2"
)

// ranges has ten versions a key, which meet, as they came in time; of a thousand one ends too late. Of DuckDB's forms, lag() is as fast as lead(); an
// as-of join of the table with itself, and sorted lists, are slower.
func ranges(rows int) task {
	const per, day = 10, 86_400_000_000
	rng := rand.New(rand.NewPCG(11, 12))
	keys := max(1, rows/per)
	n := keys * per
	id, from, to := make([]int64, n), make([]int64, n), make([]int64, n)
	for k := range keys {
		at := rng.Int64N(day)
		for v := range per {
			i := v*keys + k
			id[i], from[i] = spread(k), at
			at += 1_000_000 + rng.Int64N(day)
			if to[i] = at; v == per-1 {
				to[i] = -1
			} else if (k*per+v)%1000 == 7 {
				to[i] += 1000
			}
		}
	}
	h := table(int64s("id", id), times("valid_from", from), ends(to))
	const into, end = "CREATE OR REPLACE TEMP TABLE r AS SELECT count(*)::UBIGINT AS n FROM ", "coalesce(valid_to, 'infinity'::TIMESTAMP)"
	read := func(ctx context.Context, db *duck.DB) (figures, error) {
		return queryFigures(ctx, db, "SELECT n FROM r", "overlaps")
	}
	return task{
		rows: n, keys: keys, tables: map[string]arrow.Record{"h": h},
		ours: func(ctx context.Context, workers int) (result, error) {
			r, err := scd2.Check(ctx, scd2.Table{Batches: []arrow.Record{h}, Key: []string{"id"}}, scd2.CheckOptions{Resources: onerow.Resources{Workers: workers}})
			if err != nil {
				return result{}, err
			}
			return countsResult(figures{"overlaps": r.Overlaps}), nil
		},
		forms: []form{
			{"lead", into + "(SELECT " + end + " AS e, lead(valid_from) OVER (PARTITION BY id ORDER BY valid_from) AS s FROM h) WHERE s < e", []string{"r"}, read},
			{"running max", into + "(SELECT valid_from AS s, max(" + end + ") OVER (PARTITION BY id ORDER BY valid_from, " + end +
				" ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS e FROM h) WHERE s < e", []string{"r"}, read},
		},
	}
}
