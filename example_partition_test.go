package onerow_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
)

// Each worker of a job takes one partition: all rows of a key are in it, on whatever machine it was made.
func ExamplePartition() {
	schema := arrow.NewSchema([]arrow.Field{{Name: "customer", Type: arrow.BinaryTypes.String}}, nil)
	rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(
		`[{"customer": "ann"}, {"customer": "bob"}, {"customer": "ann"}, {"customer": "cy"}, {"customer": "ann"}]`))
	if err != nil {
		log.Fatal(err)
	}
	defer rec.Release()

	parts, err := onerow.Partition(context.Background(), []arrow.Record{rec}, []string{"customer"}, 4)
	if err != nil {
		log.Fatal(err)
	}
	for _, rows := range parts {
		for _, row := range rows {
			if row == 0 {
				fmt.Println("ann is in a partition with the rows", rows)
			}
		}
	}
	fmt.Println(len(parts), "partitions")
	// Output:
	// ann is in a partition with the rows [0 2 4]
	// 4 partitions
}
