package grain_test

import (
	"fmt"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow/grain"
)

// BenchmarkDiagnose explains the repeats of a million rows: none, one key in a hundred, half of the rows, all rows in one key.
func BenchmarkDiagnose(b *testing.B) {
	const rows = 1_000_000
	for name, key := range map[string]func(i int) int{
		"none": func(i int) int { return i + 1 },
		"few":  func(i int) int { return i + 1 - i%100/99 },
		"half": func(i int) int { return i/4*4 + max(0, i%4-1) + 1 },
		"one":  func(int) int { return 7 },
	} {
		for _, text := range []bool{false, true} {
			b.Run(fmt.Sprintf("repeats=%s/text=%v", name, text), func(b *testing.B) {
				rec := diagnoseTable(rows, key, text)
				defer rec.Release()
				b.SetBytes(rows) // MB/s reads as million rows a second
				for b.Loop() {
					if _, err := grain.Diagnose(b.Context(), []arrow.Record{rec}, []string{"k"}, grain.DiagnoseOptions{}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// diagnoseTable has a key, lines, a day that is a validity range no more than in one row, and an amount.
func diagnoseTable(rows int, key func(i int) int, text bool) arrow.Record {
	var typ arrow.DataType = arrow.PrimitiveTypes.Int64
	if text {
		typ = arrow.BinaryTypes.String
	}
	schema := arrow.NewSchema([]arrow.Field{{Name: "k", Type: typ}, {Name: "line", Type: arrow.PrimitiveTypes.Int32},
		{Name: "at", Type: &arrow.TimestampType{Unit: arrow.Microsecond}}, {Name: "amount", Type: arrow.PrimitiveTypes.Float64}}, nil)
	rb := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer rb.Release()
	for i := range rows {
		switch k := rb.Field(0).(type) {
		case *array.Int64Builder:
			k.Append(int64(key(i)))
		case *array.StringBuilder:
			k.Append(fmt.Sprint("Customer ", key(i)))
		}
		rb.Field(1).(*array.Int32Builder).Append(int32(i))
		rb.Field(2).(*array.TimestampBuilder).Append(arrow.Timestamp(i))
		rb.Field(3).(*array.Float64Builder).Append(float64(i % 100))
	}
	return rb.NewRecord()
}
