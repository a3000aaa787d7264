package grain_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow/grain"
)

// Is an order line known by its order and product? Not in this table.
func ExampleCheck() {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "order_id", Type: arrow.PrimitiveTypes.Int64},
		{Name: "product", Type: arrow.BinaryTypes.String},
		{Name: "quantity", Type: arrow.PrimitiveTypes.Int64},
	}, nil)
	lines, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(`[
		{"order_id": 7, "product": "bolt", "quantity": 10},
		{"order_id": 7, "product": "nut", "quantity": 20},
		{"order_id": 8, "product": "bolt", "quantity": 1},
		{"order_id": 7, "product": "bolt", "quantity": 5}]`))
	if err != nil {
		log.Fatal(err)
	}
	defer lines.Release()

	report, err := grain.Check(context.Background(), []arrow.Record{lines}, []string{"order_id", "product"}, grain.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report)
	fmt.Println()
	fmt.Println(report.Err())
	// Output:
	// not one row per order_id, product: 1 key repeats
	// rows                                4
	// keys                                3
	//   keys that repeat                  1
	// rows beyond the first of their key  1
	// rows of the worst key               2
	//
	// copies  order_id  product  rows
	//      2  7         "bolt"   0, 3
	//
	// duplicate key: 1 key: more than one row each, 1 row beyond the first ones; order_id=7, product="bolt" in 2 rows (rows 0, 3)
}
