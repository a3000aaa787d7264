package join_test

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
	"github.com/onerow-go/onerow/join"
)

var benchFacts = flag.Int("facts", 1_000_000, "facts of BenchmarkAsOf, with a tenth as many versions; the figures of the README are for 10000000")

// madeRange makes facts, and versions of ten a key, half-open, which meet, in no order (J3).
func madeRange(facts, versions int) (join.Facts, join.Versions) {
	rng := rand.New(rand.NewPCG(1, 2))
	const per, year = 10, 365 * 86_400_000_000
	typ := &arrow.TimestampType{Unit: arrow.Microsecond}
	keys := make([]int64, max(1, versions/per))
	for i := range keys {
		keys[i] = int64(rng.Uint64())
	}
	mem := memory.NewGoAllocator()
	record := func(names []string, rows int, row func(i int) []int64) arrow.Record {
		key := array.NewInt64Builder(mem)
		var times []*array.TimestampBuilder
		for range names[1:] {
			times = append(times, array.NewTimestampBuilder(mem, typ))
		}
		for i := range rows {
			r := row(i)
			key.Append(r[0])
			for k, t := range r[1:] {
				if t < 0 {
					times[k].AppendNull()
				} else {
					times[k].Append(arrow.Timestamp(t))
				}
			}
		}
		cols, fields := []arrow.Array{key.NewArray()}, []arrow.Field{{Name: names[0], Type: arrow.PrimitiveTypes.Int64}}
		for k, t := range times {
			cols = append(cols, t.NewArray())
			fields = append(fields, arrow.Field{Name: names[k+1], Type: typ, Nullable: true})
		}
		return array.NewRecord(arrow.NewSchema(fields, nil), cols, int64(rows))
	}
	order := rng.Perm(len(keys) * per)
	v := record([]string{"id", "valid_from", "valid_to"}, len(order), func(i int) []int64 {
		k, n := order[i]/per, int64(order[i]%per)
		end := (n + 1) * year / per
		if n == per-1 {
			end = -1
		}
		return []int64{keys[k], n * year / per, end}
	})
	f := record([]string{"id", "at"}, facts, func(int) []int64 { return []int64{keys[rng.IntN(len(keys))], rng.Int64N(year)} })
	return join.Facts{Batches: []arrow.Record{f}, Key: []string{"id"}, At: "at"},
		join.Versions{Batches: []arrow.Record{v}, ValidFrom: "valid_from", ValidTo: "valid_to"}
}

// BenchmarkAsOf measures J3, and the same with few versions.
func BenchmarkAsOf(b *testing.B) {
	for _, versions := range []int{*benchFacts / 10, 5000} {
		facts, history := madeRange(*benchFacts, versions)
		for _, workers := range []int{1, 2} {
			name := fmt.Sprintf("facts=%d/versions=%d/workers=%d", *benchFacts, versions, workers)
			opts := join.RangeOptions{Resources: onerow.Resources{Workers: workers}}
			run := func(b *testing.B, call func() error) {
				b.ReportAllocs()
				for b.Loop() {
					if err := call(); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(*benchFacts), "ns/fact")
			}
			b.Run("call=AsOf/"+name, func(b *testing.B) {
				run(b, func() error {
					m, err := join.AsOf(context.Background(), facts, history, opts)
					if err == nil && m.Report.OK != m.Report.Facts {
						return fmt.Errorf("%v", &m.Report)
					}
					return err
				})
			})
			b.Run("call=Between/"+name, func(b *testing.B) {
				run(b, func() error {
					_, err := join.Between(context.Background(), facts, history, opts)
					return err
				})
			})
		}
	}
}
