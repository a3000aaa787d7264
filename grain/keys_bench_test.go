package grain_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow/grain"
)

// wideTable has a key of three columns (shop, order, line), nearly unique surrogate numbers, and columns of 2 to 100,000 values that depend on
// an order or on nothing.
func wideTable(rows, columns int) arrow.Record {
	rnd := rand.New(rand.NewPCG(1, 2))
	var fields []arrow.Field
	var cols []arrow.Array
	b := array.NewInt64Builder(memory.DefaultAllocator)
	defer b.Release()
	add := func(name string, value func(i int) int64) {
		for i := range rows {
			b.Append(value(i))
		}
		fields = append(fields, arrow.Field{Name: name, Type: arrow.PrimitiveTypes.Int64})
		cols = append(cols, b.NewArray())
	}
	order := func(i int) int64 { return int64(i / 4) }
	add("shop", func(i int) int64 { return order(i) % 50 })
	add("order", func(i int) int64 { return order(i) / 50 })
	add("line", func(i int) int64 { return int64(i % 4) })
	add("surrogate", func(i int) int64 { return int64(max(i, 20)) })
	for c := len(cols); c < columns; c++ {
		values := []int64{2, 5, 20, 100, 1000, 20_000, 100_000}[c%7]
		salt := rnd.Int64()
		if c%2 == 0 {
			add(fmt.Sprintf("order_%d", c), func(i int) int64 { return int64(uint64(order(i)*6364136223846793005+salt)>>20) % values })
		} else {
			add(fmt.Sprintf("free_%d", c), func(int) int64 { return rnd.Int64N(values) })
		}
	}
	rec := array.NewRecord(arrow.NewSchema(fields, nil), cols, int64(rows))
	for _, c := range cols {
		c.Release()
	}
	return rec
}

// BenchmarkKeys looks for keys of up to max columns.
func BenchmarkKeys(b *testing.B) {
	for _, size := range []struct{ rows, columns, most, near int }{
		{100_000, 20, 3, 0}, {1_000_000, 20, 3, 0}, {1_000_000, 50, 3, 0}, {1_000_000, 50, 4, 0}, {1_000_000, 50, 4, -1},
	} {
		b.Run(fmt.Sprintf("rows=%d/columns=%d/max=%d/near=%d", size.rows, size.columns, size.most, size.near), func(b *testing.B) {
			if testing.Short() {
				size.rows = 10_000
			}
			rec := wideTable(size.rows, size.columns)
			defer rec.Release()
			b.ReportAllocs()
			for b.Loop() {
				r, err := grain.Keys(context.Background(), []arrow.Record{rec}, grain.KeysOptions{MaxColumns: size.most, MaxNear: size.near})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(r.Keys)), "keys")
			}
		})
	}
}

// BenchmarkKeysText numbers columns of texts that are digests: one that has a value twice, one of a tenth as many values, one of ten.
func BenchmarkKeysText(b *testing.B) {
	rows := benchSize()
	b.Run(fmt.Sprintf("key=uuid/rows=%d/columns=3", rows), func(b *testing.B) {
		var names []string
		var cols []arrow.Array
		for _, values := range []int{rows - 1, rows / 10, 10} {
			_, c := keyColumns("uuid", rows, func(i int) int { return i * 7919 % values })
			names, cols = append(names, fmt.Sprint("values_", values)), append(cols, c...)
		}
		rec := recordOf(names, cols)
		defer rec.Release()
		for b.Loop() {
			if _, err := grain.Keys(context.Background(), []arrow.Record{rec}, grain.KeysOptions{MaxColumns: 1, MaxNear: -1}); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(3*rows), "ns/cell")
	})
}
