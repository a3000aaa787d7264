package bench

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/dedupe"
	"github.com/onerow-go/onerow/internal/peer/duck"
)

// B1: batches of 1,000 rows come to a target of 1 M keys. A call keeps the latest row of each key that is newer than the target's. Both sides hold
// the target from before: DuckDB as a table, we as a guard. Neither is changed by the calls, so that each batch may come again.

const (
	batchRows = 1000
	batches   = 16 // different ones, which come in turns
	// batchCalls is the number of calls of each side a run: enough that two of them lie beyond the 99th of a hundred.
	batchCalls = 200
)

// microBatch is the data of B1.
type microBatch struct {
	target  arrow.Record
	batches []arrow.Record
}

// makeMicroBatch draws the keys of batches from those of the target, and one in ten anew; half of the rows are older than the target's.
func makeMicroBatch(keys int) microBatch {
	rng := rand.New(rand.NewPCG(13, 14))
	size := min(batchRows, keys)
	made := func(n int, key func(i int) int, at func() int64, seq int64) arrow.Record {
		id, ts, seqs, amount, name := make([]int64, n), make([]int64, n), make([]int64, n), make([]float64, n), newTexts(n, 11)
		for i := range n {
			k := key(i)
			id[i], ts[i], seqs[i], amount[i] = spread(k), at(), seq+int64(i), float64(k%1000)/4
			name.bytes = append(name.bytes, "name-"...)
			name.digits(k%1_000_000, 6)
			name.end()
		}
		return table(int64s("id", id), times("updated_at", ts), int64s("seq", seqs), float64s("amount", amount), name.column("name"))
	}
	m := microBatch{target: made(keys, func(i int) int { return i }, func() int64 { return rng.Int64N(86_400_000_000) }, 0)}
	for b := range batches {
		m.batches = append(m.batches, made(size, func(int) int { return rng.IntN(keys + keys/10 + 1) },
			func() int64 { return rng.Int64N(2 * 86_400_000_000) }, int64(keys+b*size)))
	}
	return m
}

// guard reads the target.
func (m microBatch) guard(ctx context.Context, workers int) (*dedupe.Guard, error) {
	return dedupe.NewGuard(ctx, []arrow.Record{m.target}, []string{"id"}, latestOrder, dedupe.Options{Resources: onerow.Resources{Workers: workers}})
}

// ours is one call: the rows of a batch to write.
func (m microBatch) ours(ctx context.Context, g *dedupe.Guard, batch int) (arrow.Record, error) {
	p, err := g.Latest(ctx, m.batches[batch:batch+1])
	if err != nil {
		return nil, err
	}
	return p.Take(ctx, memory.DefaultAllocator)
}

// task is the first batch alone, to measure its memory.
func (m microBatch) task() task {
	g, guardErr := m.guard(context.Background(), 1)
	t := task{
		tables: map[string]arrow.Record{"target": m.target, "batch0": m.batches[0]},
		ours: func(ctx context.Context, _ int) (result, error) {
			if guardErr != nil {
				return result{}, guardErr
			}
			rec, err := m.ours(ctx, g, 0)
			if err != nil {
				return result{}, err
			}
			return recordsResult(nil, rec), nil
		},
	}
	for _, f := range batchForms {
		t.forms = append(t.forms, form{name: f.name, sql: batchSQL(f.sql, 0)})
	}
	return t
}

var batchColumns = []string{"id", "updated_at", "seq", "amount", "name"}

// batchForms are the ways to ask DuckDB; %[1]s is the batch's table. Prepared statements that insert into an emptied table, an index on the target, and
// the target's rows of the batch's keys first were no faster.
var batchForms = []struct{ name, sql string }{
	{"window, left join", `SELECT b.* FROM (SELECT * FROM %[1]s QUALIFY row_number() OVER (PARTITION BY id ORDER BY updated_at DESC, seq DESC) = 1) b
LEFT JOIN target t ON b.id = t.id WHERE t.id IS NULL OR (b.updated_at, b.seq) > (t.updated_at, t.seq)`},
	{"arg_max, left join", `SELECT b.* FROM (SELECT * FROM %[1]s WHERE rowid IN (SELECT arg_max(rowid, epoch_us(updated_at)::HUGEINT * 18446744073709551616 + seq) FROM %[1]s GROUP BY id)) b
LEFT JOIN target t ON b.id = t.id WHERE t.id IS NULL OR b.updated_at > t.updated_at OR b.updated_at = t.updated_at AND b.seq > t.seq`},
	{"arg_max, anti join", `SELECT b.* FROM (SELECT * FROM %[1]s WHERE rowid IN (SELECT arg_max(rowid, epoch_us(updated_at)::HUGEINT * 18446744073709551616 + seq) FROM %[1]s GROUP BY id)) b
ANTI JOIN (SELECT t.* FROM target t WHERE t.id IN (SELECT id FROM %[1]s)) t ON b.id = t.id AND (b.updated_at < t.updated_at OR b.updated_at = t.updated_at AND b.seq <= t.seq)`},
}

func batchSQL(form string, batch int) string {
	return "CREATE OR REPLACE TEMP TABLE r AS " + fmt.Sprintf(form, fmt.Sprintf("batch%d", batch))
}

// latencies are the times of calls, in seconds.
type latencies []float64

// quantile is the smallest latency that a share of the calls don't exceed.
func (l latencies) quantile(share float64) float64 {
	s := slices.Sorted(slices.Values(l))
	return s[max(0, int(math.Ceil(share*float64(len(s))))-1)]
}

// batchTiming is what B1 gave: latencies a run.
type batchTiming struct {
	ours, peer []latencies
	form       string
	forms      map[string]float64
}

// measure runs both sides in turns, so many calls each, after a warm-up that checks every batch in every form.
func (m microBatch) measure(ctx context.Context, threads, runs int) (t batchTiming, err error) {
	db, err := duck.Open(ctx, threads)
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := db.Load(ctx, "target", m.target); err != nil {
		return t, err
	}
	for i, b := range m.batches {
		if err := db.Load(ctx, fmt.Sprintf("batch%d", i), b); err != nil {
			return t, err
		}
	}
	g, err := m.guard(ctx, threads)
	if err != nil {
		return t, err
	}
	t.forms = map[string]float64{}
	var best string
	for _, f := range batchForms {
		l, err := m.check(ctx, db, g, f.name, f.sql)
		if err != nil {
			return t, err
		}
		if t.forms[f.name] = l.quantile(0.5); t.form == "" || t.forms[f.name] < t.forms[t.form] {
			t.form, best = f.name, f.sql
		}
	}
	for range runs {
		var ours, peer latencies
		for i := range batchCalls {
			start := time.Now()
			rec, err := m.ours(ctx, g, i%batches)
			ours = append(ours, time.Since(start).Seconds())
			if err != nil {
				return t, err
			}
			rec.Release()
			start = time.Now()
			err = db.Exec(ctx, batchSQL(best, i%batches))
			peer = append(peer, time.Since(start).Seconds())
			if err != nil {
				return t, err
			}
		}
		t.ours, t.peer = append(t.ours, ours), append(t.peer, peer)
	}
	return t, nil
}

// check compares what both sides make of each batch. It gives DuckDB's latencies.
func (m microBatch) check(ctx context.Context, db *duck.DB, g *dedupe.Guard, name, sql string) (latencies, error) {
	var l latencies
	for i := range m.batches {
		rec, err := m.ours(ctx, g, i)
		if err != nil {
			return nil, err
		}
		want, err := rowFigures("batch", []arrow.Record{rec}, batchColumns, nil)
		rec.Release()
		if err != nil {
			return nil, err
		}
		start := time.Now()
		if err := db.Exec(ctx, batchSQL(sql, i)); err != nil {
			return nil, err
		}
		l = append(l, time.Since(start).Seconds())
		got, err := tableFigures(ctx, db, "batch", "r", batchColumns)
		if err != nil {
			return nil, err
		}
		if !maps.Equal(got, want) {
			return nil, fmt.Errorf("%w: ours %v, %s of DuckDB %v", errDiffer, want, name, got)
		}
	}
	return l, nil
}
