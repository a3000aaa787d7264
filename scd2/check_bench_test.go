package scd2_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/scd2"
)

var benchVersions = flag.Int("versions", 1_000_000, "versions of the history of BenchmarkCheck; the figures of the README are for 10000000")

// Orders in which a history may lie.
const (
	byTime  = "time" // as it grew
	byKey   = "key"  // key by key, each by start
	noOrder = "none" // anyhow
)

// madeHistory has ten versions a key, which meet, and of a thousand one that ends too late.
func madeHistory(rows, keys int, order string) arrow.Record {
	rng := rand.New(rand.NewPCG(1, 2))
	type row struct{ key, from, to int64 }
	all := make([]row, 0, rows)
	per := rows / keys
	for range keys {
		key, at := int64(rng.Uint64()), rng.Int64N(86_400_000_000)
		for i := range per {
			r := row{key: key, from: at}
			at += 1 + rng.Int64N(86_400_000_000)
			if r.to = at; i == per-1 {
				r.to = -1
			} else if len(all)%1000 == 7 {
				r.to += 1_000
			}
			all = append(all, r)
		}
	}
	switch order {
	case noOrder:
		rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	case byTime:
		byTime := make([]row, 0, rows)
		for i := range per {
			for k := range keys {
				byTime = append(byTime, all[k*per+i])
			}
		}
		all = byTime
	}
	mem := memory.NewGoAllocator()
	typ := &arrow.TimestampType{Unit: arrow.Microsecond}
	key, from, to := array.NewInt64Builder(mem), array.NewTimestampBuilder(mem, typ), array.NewTimestampBuilder(mem, typ)
	for _, r := range all {
		key.Append(r.key)
		from.Append(arrow.Timestamp(r.from))
		if r.to < 0 {
			to.AppendNull()
		} else {
			to.Append(arrow.Timestamp(r.to))
		}
	}
	cols := []arrow.Array{key.NewArray(), from.NewArray(), to.NewArray()}
	schema := arrow.NewSchema([]arrow.Field{{Name: "id", Type: cols[0].DataType()}, {Name: "valid_from", Type: typ}, {Name: "valid_to", Type: typ, Nullable: true}}, nil)
	return array.NewRecord(schema, cols, int64(len(all)))
}

// BenchmarkCheck measures a history of ten versions a key, one in a thousand of which overlaps the next (R1).
func BenchmarkCheck(b *testing.B) {
	rows := *benchVersions
	for _, order := range []string{byTime, byKey, noOrder} {
		rec := madeHistory(rows, max(1, rows/10), order)
		for _, gaps := range []scd2.Gaps{scd2.AllowGaps, scd2.ReportGaps} {
			for _, workers := range []int{1, 2} {
				b.Run(fmt.Sprintf("order=%s/gaps=%d/rows=%d/keys=%d/workers=%d", order, gaps, rows, rows/10, workers), func(b *testing.B) {
					table := scd2.Table{Batches: []arrow.Record{rec}, Key: []string{"id"}}
					opts := scd2.CheckOptions{Gaps: gaps, Resources: onerow.Resources{Workers: workers}}
					b.ReportAllocs()
					for b.Loop() {
						r, err := scd2.Check(context.Background(), table, opts)
						if err != nil || r.Overlaps == 0 {
							b.Fatal(err)
						}
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/row")
				})
			}
		}
	}
}
