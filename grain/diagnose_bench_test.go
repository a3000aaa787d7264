package grain_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow/grain"
)

// BenchmarkDiagnose explains the repeats of a table: none, one key in a hundred, half of the rows, all rows in one key.
func BenchmarkDiagnose(b *testing.B) {
	rows := benchSize()
	for _, repeats := range []struct {
		name string
		key  func(i int) int
	}{
		{"none", func(i int) int { return i + 1 }},
		{"few", func(i int) int { return i + 1 - i%100/99 }},
		{"half", func(i int) int { return i/4*4 + max(0, i%4-1) + 1 }},
		{"one", func(int) int { return 7 }},
	} {
		for _, kind := range benchKeys {
			table := sync.OnceValue(func() arrow.Record { return diagnoseTable(kind, rows, repeats.key) })
			b.Run(fmt.Sprintf("repeats=%s/key=%s/rows=%d", repeats.name, kind, rows), func(b *testing.B) {
				rec := table()
				key := columnNames(rec)[:rec.NumCols()-3]
				for b.Loop() {
					if _, err := grain.Diagnose(b.Context(), []arrow.Record{rec}, key, grain.DiagnoseOptions{}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/row")
			})
		}
	}
}

// diagnoseTable has a key, lines, a day that is a validity range no more than in one row, and an amount.
func diagnoseTable(kind string, rows int, key func(i int) int) arrow.Record {
	names, cols := keyColumns(kind, rows, key)
	mem := memory.DefaultAllocator
	line := array.NewInt32Builder(mem)
	at := array.NewTimestampBuilder(mem, &arrow.TimestampType{Unit: arrow.Microsecond})
	amount := array.NewFloat64Builder(mem)
	for i := range rows {
		line.Append(int32(i))
		at.Append(arrow.Timestamp(i))
		amount.Append(float64(i % 100))
	}
	for _, b := range []array.Builder{line, at, amount} {
		cols = append(cols, b.NewArray())
		b.Release()
	}
	return recordOf(append(names, "line", "at", "amount"), cols)
}
