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

// What tells the rows of this table apart? The order and its line nearly do: one line was delivered twice.
func ExampleKeys() {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "order_id", Type: arrow.PrimitiveTypes.Int64},
		{Name: "line", Type: arrow.PrimitiveTypes.Int64},
		{Name: "loaded", Type: arrow.BinaryTypes.String},
	}, nil)
	batch, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(`[
		{"order_id": 7, "line": 1, "loaded": "monday"},
		{"order_id": 7, "line": 2, "loaded": "monday"},
		{"order_id": 8, "line": 1, "loaded": "monday"},
		{"order_id": 8, "line": 2, "loaded": "monday"},
		{"order_id": 8, "line": 2, "loaded": "tuesday"}]`))
	if err != nil {
		log.Fatal(err)
	}
	defer batch.Release()

	report, err := grain.Keys(context.Background(), []arrow.Record{batch}, grain.KeysOptions{NearShare: 0.2})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report)
	// Output:
	// 1 minimal key of at most 4 columns in 5 rows of 3 columns
	//   order_id, line, loaded
	//
	// violations  near-key        worst key  rows
	//          1  order_id, line  8, 2       3, 4
}
