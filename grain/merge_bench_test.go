package grain_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow/grain"
)

// BenchmarkMergeConflicts merges a tenth as many source rows, some of whose keys come twice, into a target; and as many.
func BenchmarkMergeConflicts(b *testing.B) {
	target := 2 * benchSize()
	scatter := func(i int) int { return i * 7919 % target }
	for _, kind := range benchKeys {
		for _, source := range []int{target / 10, target} {
			sides := sync.OnceValue(func() [2]arrow.Record {
				return [2]arrow.Record{mergeSide(kind, target, scatter, 3),
					mergeSide(kind, source, func(i int) int { return scatter(i - i%100/99) }, 5)}
			})
			for _, acts := range [][]string{nil, {"v"}} {
				b.Run(fmt.Sprintf("key=%s/target=%d/source=%d/acts=%d", kind, target, source, len(acts)), func(b *testing.B) {
					s := sides()
					on := columnNames(s[0])[:s[0].NumCols()-1]
					b.ReportAllocs()
					for b.Loop() {
						r, err := grain.MergeConflicts(context.Background(), s[:1], s[1:], on, grain.MergeOptions{Acts: acts})
						if err != nil {
							b.Fatal(err)
						}
						b.ReportMetric(float64(r.Conflicts), "conflicts")
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(target+source), "ns/row")
				})
			}
		}
	}
}

// mergeSide makes a table of keys, and of values below a number.
func mergeSide(kind string, rows int, key func(i int) int, values int) arrow.Record {
	names, cols := keyColumns(kind, rows, key)
	v := array.NewInt64Builder(memory.DefaultAllocator)
	defer v.Release()
	for i := range rows {
		v.Append(int64(i % values))
	}
	return recordOf(append(names, "v"), append(cols, v.NewArray()))
}
