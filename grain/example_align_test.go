package grain_test

import (
	"context"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow/grain"
)

// orders makes a batch of order lines.
func orders(ids, lines []int64) arrow.Record {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "order_id", Type: arrow.PrimitiveTypes.Int64},
		{Name: "line", Type: arrow.PrimitiveTypes.Int64},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	b.Field(0).(*array.Int64Builder).AppendValues(ids, nil)
	b.Field(1).(*array.Int64Builder).AppendValues(lines, nil)
	return b.NewRecord()
}

func ExampleAlign() {
	batch := orders([]int64{100, 100, 101}, []int64{1, 2, 1})
	defer batch.Release()

	deduped, on := []string{"order_id", "line"}, []string{"order_id"}
	a, err := grain.Align(context.Background(), []arrow.Record{batch}, deduped, on, grain.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("missing from ON:", a.Missing)
	fmt.Println(a.Err())
	// Output:
	// missing from ON: [line]
	// grain differs: deduped by (order_id, line), ON names (order_id): 3 keys meet in 2: duplicate key: 1 key: more than one row each, 1 row beyond the first ones; order_id=100 in 2 rows (rows 0, 1)
}

func ExampleAlignment_String() {
	batch := orders([]int64{100, 100, 101}, []int64{1, 2, 1})
	defer batch.Release()

	a, err := grain.Align(context.Background(), []arrow.Record{batch}, []string{"order_id", "line"}, []string{"order_id"}, grain.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(a)
	// Output:
	// deduped by (order_id, line), ON names (order_id): ON is coarser
	// rows                   3
	// keys of the dedupe     3
	// keys of ON             2
	//   that repeat          1
	// keys of both together  3
}

func ExampleAlignment_LogValue() {
	batch := orders([]int64{100, 100, 101}, []int64{1, 2, 1})
	defer batch.Release()

	a, err := grain.Align(context.Background(), []arrow.Record{batch}, []string{"order_id"}, []string{"order_id", "line"}, grain.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(a.LogValue())
	// Output: [deduped=[order_id] on=[order_id line] coarser=false finer=true rows=3 deduped_keys=2 on_keys=3 on_duplicate_keys=0 both_keys=3]
}

func ExampleAlignment_Err() {
	batch := orders([]int64{100, 100, 101}, []int64{1, 2, 1})
	defer batch.Release()

	a, err := grain.Align(context.Background(), []arrow.Record{batch}, []string{"order_id", "line"}, []string{"line", "order_id"}, grain.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(a.Err())
	// Output: <nil>
}

func ExampleAlignment_Coarser() {
	batch := orders([]int64{100, 100, 101}, []int64{1, 2, 1})
	defer batch.Release()

	a, err := grain.Align(context.Background(), []arrow.Record{batch}, []string{"order_id", "line"}, []string{"order_id"}, grain.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("coarser:", a.Coarser(), "finer:", a.Finer())
	// Output: coarser: true finer: false
}

func ExampleAlignment_Finer() {
	batch := orders([]int64{100, 100, 101}, []int64{1, 2, 1})
	defer batch.Release()

	a, err := grain.Align(context.Background(), []arrow.Record{batch}, []string{"order_id"}, []string{"order_id", "line"}, grain.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("coarser:", a.Coarser(), "finer:", a.Finer())
	// Output: coarser: false finer: true
}
