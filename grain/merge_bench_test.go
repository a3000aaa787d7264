package grain_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow/grain"
)

// BenchmarkMergeConflicts merges a tenth as many source rows, some of whose keys come twice, into a target.
func BenchmarkMergeConflicts(b *testing.B) {
	side := func(rows int, key, value func(i int) int64) arrow.Record {
		schema := arrow.NewSchema([]arrow.Field{{Name: "k", Type: arrow.PrimitiveTypes.Int64}, {Name: "v", Type: arrow.PrimitiveTypes.Int64}}, nil)
		builder := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		defer builder.Release()
		for i := range rows {
			builder.Field(0).(*array.Int64Builder).Append(key(i))
			builder.Field(1).(*array.Int64Builder).Append(value(i))
		}
		return builder.NewRecord()
	}
	const rows = 2_000_000
	scatter := func(i int) int64 { return int64(i) * 7919 % rows }
	target := side(rows, scatter, func(i int) int64 { return int64(i % 3) })
	defer target.Release()
	source := side(rows/10, func(i int) int64 { return scatter(i - i%100/99) }, func(i int) int64 { return int64(i % 5) })
	defer source.Release()
	for _, acts := range [][]string{nil, {"v"}} {
		b.Run(fmt.Sprintf("target=%d/source=%d/acts=%d", rows, rows/10, len(acts)), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r, err := grain.MergeConflicts(context.Background(), []arrow.Record{target}, []arrow.Record{source}, []string{"k"}, grain.MergeOptions{Acts: acts})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(r.Conflicts), "conflicts")
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(rows*1.1), "ns/row")
		})
	}
}
