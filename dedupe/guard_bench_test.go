package dedupe_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/dedupe"
)

// BenchmarkGuard brings micro-batches to a guard. It measures finding and taking the winners (p50, p99), and to advance the guard by them
// (advance-p50, advance-p99).
func BenchmarkGuard(b *testing.B) {
	const keys, size = 1_000_000, 1000
	for _, kind := range []string{intKey, textKey} {
		b.Run(fmt.Sprintf("key=%s/keys=%d/batch=%d", kind, keys, size), func(b *testing.B) {
			ctx, rng := context.Background(), rand.New(rand.NewPCG(7, 8))
			target := microTable(kind, keys, func(i int) int { return i }, rng, 1)
			g, err := dedupe.NewGuard(ctx, []arrow.Record{target}, []string{"id"}, latestOrder, dedupe.Options{Resources: onerow.Resources{Workers: 1}})
			if err != nil || g.Len() != keys {
				b.Fatal(g.Len(), err)
			}
			var asked, advanced []time.Duration
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				// One key in eleven is new, and half of the rows are newer than the target's.
				batch := microTable(kind, size, func(int) int { return rng.IntN(keys + keys/10) }, rng, 2)
				b.StartTimer()
				start := time.Now()
				p, err := g.Latest(ctx, []arrow.Record{batch})
				if err != nil {
					b.Fatal(err)
				}
				rec, err := p.Take(ctx, nil)
				if err != nil {
					b.Fatal(err)
				}
				asked = append(asked, time.Since(start))
				rec.Release()
				start = time.Now()
				if err := g.Advance(ctx, p); err != nil {
					b.Fatal(err)
				}
				advanced = append(advanced, time.Since(start))
			}
			for name, times := range map[string][]time.Duration{"": asked, "advance-": advanced} {
				slices.Sort(times)
				b.ReportMetric(float64(times[len(times)/2].Nanoseconds())/1e3, name+"p50-µs")
				b.ReportMetric(float64(times[len(times)*99/100].Nanoseconds())/1e3, name+"p99-µs")
			}
		})
	}
}

// microTable makes rows with some keys and a time within so many days.
func microTable(kind string, rows int, key func(i int) int, rng *rand.Rand, days int64) arrow.Record {
	mem := memory.DefaultAllocator
	at, seq := array.NewTimestampBuilder(mem, &arrow.TimestampType{Unit: arrow.Microsecond}), array.NewInt64Builder(mem)
	amount, name := array.NewFloat64Builder(mem), array.NewStringBuilder(mem)
	ids, texts := array.NewInt64Builder(mem), array.NewStringBuilder(mem)
	for i := range rows {
		k := key(i)
		ids.Append(int64(uint64(k) * 0x9e3779b97f4a7c15))
		texts.Append(fmt.Sprintf("cust-%010d", k))
		at.Append(arrow.Timestamp(rng.Int64N(days * 86_400_000_000)))
		seq.Append(rng.Int64())
		amount.Append(float64(k))
		name.Append(fmt.Sprintf("name-%d", k))
	}
	var id arrow.Array = ids.NewArray()
	if kind == textKey {
		id = texts.NewArray()
	}
	cols := []arrow.Array{id, at.NewArray(), seq.NewArray(), amount.NewArray(), name.NewArray()}
	var fields []arrow.Field
	for i, n := range []string{"id", "updated_at", "seq", "amount", "name"} {
		fields = append(fields, arrow.Field{Name: n, Type: cols[i].DataType()})
	}
	return array.NewRecord(arrow.NewSchema(fields, nil), cols, int64(rows))
}
