package arrow18_test

import (
	"fmt"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/onerow-go/onerow/adapters/arrow18"
)

// The cost of a column, there or back, doesn't depend on its rows. ns/column is the figure.
func BenchmarkColumns(b *testing.B) {
	const columns = 20
	for _, dt := range []arrow.DataType{
		arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String,
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String},
		arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
			arrow.Field{Name: "y", Type: arrow.PrimitiveTypes.Float64, Nullable: true}),
	} {
		for _, rows := range []int{1000, 10_000_000} {
			if testing.Short() && rows > 1000 {
				continue
			}
			batch := wide(dt, columns, rows)
			name := fmt.Sprintf("type=%s/rows=%d", dt.Name(), rows)
			b.Run("to=v15/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					rec, err := arrow18.FromBatch(batch)
					if err != nil {
						b.Fatal(err)
					}
					rec.Release()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/columns, "ns/column")
			})
			rec, err := arrow18.FromBatch(batch)
			if err != nil {
				b.Fatal(err)
			}
			b.Run("to=v18/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					back, err := arrow18.ToBatch(rec)
					if err != nil {
						b.Fatal(err)
					}
					back.Release()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/columns, "ns/column")
			})
			rec.Release()
			batch.Release()
		}
	}
}

// wide makes a batch of columns of zeros that share their memory.
func wide(dt arrow.DataType, columns, rows int) arrow.RecordBatch {
	zeros := memory.NewResizableBuffer(memory.NewGoAllocator())
	zeros.Resize((rows + 1) * 8)
	clear(zeros.Bytes())
	defer zeros.Release()
	var data func(dt arrow.DataType, n int) *array.Data
	data = func(dt arrow.DataType, n int) *array.Data {
		buffers := make([]*memory.Buffer, len(dt.Layout().Buffers))
		for i := range buffers {
			buffers[i] = zeros
		}
		switch dt := dt.(type) {
		case *arrow.DictionaryType:
			values := data(dt.ValueType, 100)
			defer values.Release()
			return array.NewDataWithDictionary(dt, n, buffers, n, 0, values)
		case *arrow.StructType:
			var kids []arrow.ArrayData
			for _, f := range dt.Fields() {
				kid := data(f.Type, n)
				defer kid.Release()
				kids = append(kids, kid)
			}
			return array.NewData(dt, n, buffers, kids, n, 0)
		}
		return array.NewData(dt, n, buffers, nil, n, 0)
	}
	var fields []arrow.Field
	var arrs []arrow.Array
	for i := range columns {
		d := data(dt, rows)
		defer d.Release()
		arr := array.MakeFromData(d)
		defer arr.Release()
		arrs = append(arrs, arr)
		fields = append(fields, arrow.Field{Name: fmt.Sprint("c", i), Type: dt, Nullable: true})
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), arrs, int64(rows))
}
