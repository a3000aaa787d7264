package grain_test

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
	"github.com/onerow-go/onerow/grain"
)

var benchRows = flag.Int("rows", 1_000_000, "rows of the benchmarks' tables; the figures of the README are for 10000000")

// keyed makes a column of uniform keys, as integers spread over 64 bits or as texts of 15 bytes.
func keyed(rows, keys int, text bool) arrow.Record {
	rng := rand.New(rand.NewPCG(1, 2))
	var col arrow.Array
	if text {
		b := array.NewStringBuilder(memory.DefaultAllocator)
		for range rows {
			b.Append(fmt.Sprintf("cust-%010d", rng.IntN(keys)))
		}
		col = b.NewArray()
	} else {
		b := array.NewInt64Builder(memory.DefaultAllocator)
		for range rows {
			b.Append(int64(rng.IntN(keys)) * 0x5851f42d4c957f2d)
		}
		col = b.NewArray()
	}
	return array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "id", Type: col.DataType()}}, nil), []arrow.Array{col}, int64(rows))
}

func BenchmarkCheck(b *testing.B) {
	for _, text := range []bool{false, true} {
		for _, share := range []int{1, 10, 10_000} {
			rows := *benchRows
			keys := max(1, rows/share)
			rec := keyed(rows, keys, text)
			for _, workers := range []int{1, 2} {
				b.Run(fmt.Sprintf("text=%v/rows=%d/keys=%d/workers=%d", text, rows, keys, workers), func(b *testing.B) {
					opts := grain.Options{Resources: onerow.Resources{Workers: workers}}
					b.ReportAllocs()
					for b.Loop() {
						if _, err := grain.Check(context.Background(), []arrow.Record{rec}, []string{"id"}, opts); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/row")
				})
			}
		}
	}
}
