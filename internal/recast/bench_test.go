package recast

import (
	"fmt"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow/internal/arrowtest"
)

func BenchmarkArray(b *testing.B) {
	const rows = 100_000
	for _, pair := range []struct{ from, to string }{
		{"int32", "int64"}, {"int64", "int32"}, {"timestamp[ms]", "timestamp[us]"}, {"timestamp[us]", "timestamp[ms]"}, {"float32", "float64"},
		{"decimal(5,1)", "decimal(9,2)"}, {"decimal(9,2)", "decimal256(40,4)"}, {"string", "large_string"}, {"string", "string_view"},
		{"dict<int32,string>", "string"}, {"string", "dict<int32,string>"}, {"dict<int32,string>", "dict<int16,large_string>"}, {"list<int32>", "large_list<int64>"},
		{"struct<a:int32,b:string>", "struct<a:int64,b:string>"},
	} {
		for _, nulls := range []int{0, 10} {
			name := pair.from + " to " + pair.to
			if nulls > 0 {
				name += " with NULLs"
			}
			b.Run(name, func(b *testing.B) {
				mem := memory.NewGoAllocator()
				schema, err := arrowtest.Schema([]string{"c:" + pair.from})
				if err != nil {
					b.Fatal(err)
				}
				cells := make([][]any, rows)
				for i := range cells {
					if cells[i] = []any{benchCell(schema.Field(0).Type, i)}; nulls > 0 && i%nulls == 0 {
						cells[i][0] = nil
					}
				}
				rec, err := arrowtest.Record(mem, schema, cells)
				if err != nil {
					b.Fatal(err)
				}
				to := mustType(b, pair.to)
				for b.Loop() {
					out, unfit, err := Array(mem, rec.Column(0), to)
					if err != nil || len(unfit) > 0 {
						b.Fatal(err, unfit)
					}
					out.Release()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
			})
		}
	}
}

func benchCell(t arrow.DataType, i int) any {
	switch t := t.(type) {
	case *arrow.DictionaryType:
		return benchCell(t.ValueType, i%1000)
	case *arrow.StringType:
		return fmt.Sprint("customer ", i%5000)
	case *arrow.ListType:
		return list(1, i)
	case *arrow.StructType:
		return pair(i, "x")
	case *arrow.TimestampType:
		return i * 1000
	case arrow.DecimalType:
		return dec(fmt.Sprint(i % 1000))
	case *arrow.Float32Type:
		return float64(i)
	}
	return i
}
