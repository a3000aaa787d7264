package take_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow/internal/take"
)

const benchRows, benchTaken = 10_000_000, 1_000_000

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
		case *array.TimestampBuilder:
			b.Append(arrow.Timestamp(i))
		case *array.Float64Builder:
			b.Append(float64(i))
		case *array.BooleanBuilder:
			b.Append(i%3 == 0)
		case *array.StringBuilder:
			b.Append(fmt.Sprint("customer-", i))
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

// every10th lists 1 of 10 rows, at uneven steps.
func every10th() []uint32 {
	rows := make([]uint32, benchTaken)
	for i := range rows {
		rows[i] = uint32(i*10 + i*7919%10)
	}
	return rows
}

func BenchmarkTake(b *testing.B) {
	s, p := arrow.BinaryTypes, arrow.PrimitiveTypes
	types := map[string]arrow.DataType{
		"int64": p.Int64, "bool": arrow.FixedWidthTypes.Boolean, "string": s.String, "string_view": s.StringView,
		"list": arrow.ListOf(p.Int64), "dictionary": dict(p.Int32, s.String),
	}
	rows := every10th()
	for _, name := range []string{"int64", "bool", "string", "string_view", "list", "dictionary"} {
		for _, chunks := range []int{1, 100} {
			for _, nulls := range []bool{false, true} {
				b.Run(fmt.Sprintf("type=%s/rows=%d/chunks=%d/nulls=%v", name, benchTaken, chunks, nulls), func(b *testing.B) {
					cs := make([]arrow.Array, chunks)
					for i := range cs {
						cs[i] = benchChunk(types[name], benchRows/chunks, nulls)
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
				})
			}
		}
	}
}

func BenchmarkTakeRecord(b *testing.B) {
	p := arrow.PrimitiveTypes
	types := []arrow.DataType{p.Int64, arrow.FixedWidthTypes.Timestamp_us, p.Int64, p.Float64, arrow.BinaryTypes.String}
	fields, columns := make([]arrow.Field, len(types)), make([]arrow.Array, len(types))
	for i, typ := range types {
		fields[i] = field(fmt.Sprint("c", i), typ)
		columns[i] = benchChunk(typ, benchRows, false)
		defer columns[i].Release()
	}
	schema := arrow.NewSchema(fields, nil)
	batch := array.NewRecord(schema, columns, benchRows)
	defer batch.Release()
	rows := every10th()
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("columns=%d/rows=%d/workers=%d", len(types), benchTaken, workers), func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				rec, err := take.Record(context.Background(), memory.DefaultAllocator, schema, []arrow.Record{batch}, rows, workers)
				if err != nil {
					b.Fatal(err)
				}
				rec.Release()
			}
		})
	}
}
