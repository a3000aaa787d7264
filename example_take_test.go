package onerow_test

import (
	"context"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
)

// people makes a batch of people; no name is NULL.
func people(mem memory.Allocator, ids []int64, names []string) arrow.Record {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64},
		{Name: "name", Type: arrow.BinaryTypes.String, Nullable: true},
	}, nil)
	b := array.NewRecordBuilder(mem, schema)
	defer b.Release()
	b.Field(0).(*array.Int64Builder).AppendValues(ids, nil)
	for _, n := range names {
		if n == "" {
			b.Field(1).AppendNull()
		} else {
			b.Field(1).(*array.StringBuilder).Append(n)
		}
	}
	return b.NewRecord()
}

// Rows are numbered across the batches: row 2 is the first of the second.
func ExampleTake() {
	first := people(memory.DefaultAllocator, []int64{10, 20}, []string{"Ada", ""})
	defer first.Release()
	second := people(memory.DefaultAllocator, []int64{30}, []string{"Mary"})
	defer second.Release()

	rec, err := onerow.Take(context.Background(), []arrow.Record{first, second}, onerow.Rows{2, 0, 1, 2}, onerow.Resources{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer rec.Release()
	fmt.Println(rec.NumRows(), "rows")
	fmt.Println(rec.Column(0))
	fmt.Println(rec.Column(1))
	// Output:
	// 4 rows
	// [30 10 20 30]
	// ["Mary" "Ada" (null) "Mary"]
}
