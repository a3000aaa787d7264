package grain_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/grain"
)

var benchRows = flag.Int("rows", 1_000_000, "rows of the benchmarks' tables; the figures of the README are for 10000000")

// benchSize is the number of rows of a benchmark's table.
func benchSize() int {
	if testing.Short() {
		return min(*benchRows, 20_000)
	}
	return *benchRows
}

// The keys of benchmarks: an integer, a text that is inlined, one that is a digest, and a text of few, which is read as a number, beside an integer.
var benchKeys = []string{"int", "text15", "uuid", "pair"}

// keyColumns makes columns of keys, one a row.
func keyColumns(kind string, rows int, key func(i int) int) (names []string, cols []arrow.Array) {
	mem := memory.DefaultAllocator
	texts := func(format func(k int) string, keys []int) arrow.Array {
		b := array.NewStringBuilder(mem)
		defer b.Release()
		for _, k := range keys {
			b.Append(format(k))
		}
		return b.NewArray()
	}
	integers := func(keys []int) arrow.Array {
		b := array.NewInt64Builder(mem)
		defer b.Release()
		for _, k := range keys {
			b.Append(int64(k) * 0x5851f42d4c957f2d)
		}
		return b.NewArray()
	}
	keys := make([]int, rows)
	for i := range keys {
		keys[i] = key(i)
	}
	switch kind {
	case "text15":
		return []string{"id"}, []arrow.Array{texts(func(k int) string { return fmt.Sprintf("cust-%010d", k) }, keys)}
	case "uuid":
		return []string{"id"}, []arrow.Array{texts(uuid, keys)}
	case "pair":
		return []string{"tenant", "id"}, []arrow.Array{texts(func(k int) string { return fmt.Sprintf("tenant-%d", k%97) }, keys), integers(keys)}
	}
	return []string{"id"}, []arrow.Array{integers(keys)}
}

// uuid makes a text of 36 bytes of a number.
func uuid(k int) string {
	h := uint64(k+1) * 0x9e3779b97f4a7c15
	return fmt.Sprintf("%08x-%04x-4%03x-a%03x-%012x", uint32(h>>32), uint16(h>>16), h>>4&0xfff, h&0xfff, k)
}

// recordOf makes a record of columns, and releases them.
func recordOf(names []string, cols []arrow.Array) arrow.Record {
	var fields []arrow.Field
	for i, c := range cols {
		fields = append(fields, arrow.Field{Name: names[i], Type: c.DataType()})
		defer c.Release()
	}
	return array.NewRecord(arrow.NewSchema(fields, nil), cols, int64(cols[0].Len()))
}

func BenchmarkCheck(b *testing.B) {
	rows := benchSize()
	for _, kind := range benchKeys {
		for _, share := range []int{1, 10, 10_000} {
			keys := max(1, rows/share)
			table := sync.OnceValue(func() arrow.Record {
				rng := rand.New(rand.NewPCG(1, 2))
				return recordOf(keyColumns(kind, rows, func(int) int { return rng.IntN(keys) }))
			})
			for _, workers := range []int{1, 2} {
				b.Run(fmt.Sprintf("key=%s/rows=%d/keys=%d/workers=%d", kind, rows, keys, workers), func(b *testing.B) {
					rec := table()
					opts := grain.Options{Resources: onerow.Resources{Workers: workers}}
					b.ReportAllocs()
					for b.Loop() {
						if _, err := grain.Check(context.Background(), []arrow.Record{rec}, columnNames(rec), opts); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/row")
				})
			}
		}
	}
}

func columnNames(rec arrow.Record) (names []string) {
	for _, f := range rec.Schema().Fields() {
		names = append(names, f.Name)
	}
	return names
}
