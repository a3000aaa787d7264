package take_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow/internal/take"
)

// benchRows is the number of rows of the benchmarks' chunks.
func benchRows() int {
	if testing.Short() {
		return 100_000
	}
	return 10_000_000
}

// benchChunk makes rows values of a type; 1 of 10 is NULL if asked for.
func benchChunk(typ arrow.DataType, rows int, nulls bool) arrow.Array {
	b := array.NewBuilder(memory.DefaultAllocator, typ)
	defer b.Release()
	b.Reserve(rows)
	for i := range rows {
		if nulls && uint32(i)*2654435761>>8%10 == 0 {
			b.AppendNull()
			continue
		}
		switch b := b.(type) {
		case *array.Int64Builder:
			b.Append(int64(i))
		case *array.Uint64Builder:
			b.Append(uint64(i))
		case *array.TimestampBuilder:
			b.Append(arrow.Timestamp(i))
		case *array.Float64Builder:
			b.Append(float64(i))
		case *array.BooleanBuilder:
			b.Append(i%3 == 0)
		case *array.StringBuilder:
			b.Append(fmt.Sprint("name-", i*7919%1_000_000))
		case *array.BinaryBuilder:
			b.AppendString(fmt.Sprintf("cust-%010d", i))
		case *array.StringViewBuilder:
			b.Append(fmt.Sprint("customer-", i))
		case *array.ListBuilder:
			b.Append(true)
			for k := range i % 5 {
				b.ValueBuilder().(*array.Int64Builder).Append(int64(k))
			}
		case *array.BinaryDictionaryBuilder:
			if err := b.AppendString(fmt.Sprint("plan-", i%50)); err != nil {
				panic(err)
			}
		}
	}
	return b.NewArray()
}

// shareOf lists about as many rows of n, at uneven steps.
func shareOf(share float64, n int) (rows []uint32) {
	rng := rand.New(rand.NewPCG(1, 2))
	for r := range n {
		if rng.Float64() < share {
			rows = append(rows, uint32(r))
		}
	}
	return rows
}

// perRow reports the time of an output row.
func perRow(b *testing.B, rows []uint32) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(rows)), "ns/row")
}

// BenchmarkTake gathers single columns, by one goroutine.
func BenchmarkTake(b *testing.B) {
	s, p := arrow.BinaryTypes, arrow.PrimitiveTypes
	types := map[string]arrow.DataType{
		"int64": p.Int64, "bool": arrow.FixedWidthTypes.Boolean, "string": s.String, "string_view": s.StringView,
		"list": arrow.ListOf(p.Int64), "dictionary": dict(p.Int32, s.String),
	}
	n := benchRows()
	rows := shareOf(0.1, n)
	for _, name := range []string{"int64", "bool", "string", "string_view", "list", "dictionary"} {
		for _, chunks := range []int{1, 100} {
			for _, nulls := range []bool{false, true} {
				b.Run(fmt.Sprintf("rows=%d/share=0.1/type=%s/chunks=%d/nulls=%v", n, name, chunks, nulls), func(b *testing.B) {
					cs := make([]arrow.Array, chunks)
					for i := range cs {
						cs[i] = benchChunk(types[name], n/chunks, nulls)
						defer cs[i].Release()
					}
					b.ReportAllocs()
					b.ResetTimer()
					for range b.N {
						got, err := take.Column(context.Background(), memory.DefaultAllocator, cs, rows)
						if err != nil {
							b.Fatal(err)
						}
						got.Release()
					}
					perRow(b, rows)
				})
			}
		}
	}
}

// BenchmarkTakeRecord gathers the columns of the workloads L1, L2, L4 and L6: key, time, sequence, amount, name.
func BenchmarkTakeRecord(b *testing.B) {
	p, s := arrow.PrimitiveTypes, arrow.BinaryTypes
	n := benchRows()
	made := map[arrow.DataType]arrow.Array{}
	for _, w := range []struct {
		name  string
		key   arrow.DataType
		share float64
	}{{"int", p.Int64, 0.1}, {"text", s.Binary, 0.1}, {"unique", p.Int64, 0.604}, {"dict", dict(p.Int32, s.String), 0.1}} {
		types := []arrow.DataType{w.key, arrow.FixedWidthTypes.Timestamp_us, p.Uint64, p.Float64, s.String}
		fields, columns := make([]arrow.Field, len(types)), make([]arrow.Array, len(types))
		for i, typ := range types {
			if made[typ] == nil {
				made[typ] = benchChunk(typ, n, false)
			}
			fields[i], columns[i] = field(fmt.Sprint("c", i), typ), made[typ]
		}
		schema := arrow.NewSchema(fields, nil)
		batch := array.NewRecord(schema, columns, int64(n))
		rows := shareOf(w.share, n)
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("rows=%d/share=%v/type=%s/workers=%d", n, w.share, w.name, workers), func(b *testing.B) {
				b.ReportAllocs()
				for range b.N {
					rec, err := take.Record(context.Background(), memory.DefaultAllocator, schema, []arrow.Record{batch}, rows, workers)
					if err != nil {
						b.Fatal(err)
					}
					rec.Release()
				}
				perRow(b, rows)
			})
		}
		batch.Release()
	}
	for _, arr := range made {
		arr.Release()
	}
}
