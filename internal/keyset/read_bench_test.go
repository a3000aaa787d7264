package keyset_test

import (
	"fmt"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/keyset"
)

// BenchmarkRead reads the keys of 65,536 rows, which stay in the cache.
func BenchmarkRead(b *testing.B) {
	const rows = 1 << 16
	texts := func(text func(i int) string) arrow.Array {
		t := array.NewStringBuilder(memory.DefaultAllocator)
		for i := range rows {
			t.Append(text(i))
		}
		return t.NewArray()
	}
	ids, days := array.NewInt64Builder(memory.DefaultAllocator), array.NewDate32Builder(memory.DefaultAllocator)
	for i := range rows {
		ids.Append(int64(uint64(i+1) * 0x9e3779b97f4a7c15))
		days.Append(arrow.Date32(i % 4000))
	}
	id, day := ids.NewArray(), days.NewArray()
	tenant := texts(func(i int) string { return fmt.Sprintf("tenant-%02d", i*7919%97) })
	country := texts(func(i int) string { return string([]byte{'A' + byte(i*31%26), 'A' + byte(i*17%26)}) })
	plant := texts(func(i int) string { return fmt.Sprintf("a plant with a long name, %d", i*7919%97) })
	for _, key := range []struct {
		name string
		cols []arrow.Array
	}{
		{"text", []arrow.Array{tenant}},
		{"few,int64", []arrow.Array{tenant, id}},
		{"short,int64", []arrow.Array{country, id}},
		{"long,int64", []arrow.Array{plant, id}},
		{"few,few,date", []arrow.Array{tenant, plant, day}},
		{"int64,date", []arrow.Array{id, day}},
	} {
		var cols []*form.Column
		for _, arr := range key.cols {
			chunks, err := form.OfAll([]arrow.Array{arr})
			if err != nil {
				b.Fatal(err)
			}
			cols = append(cols, &form.Column{Name: "k", Type: arr.DataType(), Chunks: chunks, Layout: form.NewLayout([]int{rows})})
		}
		b.Run("key="+key.name, func(b *testing.B) {
			keys := keyset.NewKeys(cols, false)
			block := keyset.NewBlock[[2]uint64](keys)
			for b.Loop() {
				for lo := 0; lo < rows; lo += keyset.BlockRows {
					keyset.Read(keys, 0, lo, keyset.BlockRows, block)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
		})
	}
}
