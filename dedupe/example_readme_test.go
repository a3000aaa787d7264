package dedupe_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/dedupe"
)

func ExampleLatest() {
	schema := arrow.NewSchema([]arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int64}, {Name: "lsn", Type: arrow.PrimitiveTypes.Int64},
		{Name: "op", Type: arrow.BinaryTypes.String}, {Name: "email", Type: arrow.BinaryTypes.String, Nullable: true}}, nil)
	changes, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(`[
		{"id": 1, "lsn": 10, "op": "c", "email": "ann@old.example"}, {"id": 2, "lsn": 11, "op": "c", "email": "bob@example"},
		{"id": 1, "lsn": 12, "op": "u", "email": "ann@example"}, {"id": 1, "lsn": 12, "op": "u", "email": "ann@example"},
		{"id": 2, "lsn": 14, "op": "d", "email": null}]`))
	if err != nil {
		log.Fatal(err)
	}
	plan, err := dedupe.Latest(context.Background(), []arrow.Record{changes}, []string{"id"}, []onerow.Order{onerow.Desc("lsn")},
		dedupe.Options{Op: dedupe.Op{Column: "op", Delete: []onerow.Value{"d"}}})
	if err != nil {
		log.Fatal(err) // names the column, the type, or the keys
	}
	latest, err := plan.Take(context.Background(), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer latest.Release()
	fmt.Println(latest.Column(0), latest.Column(2), latest.Column(3))
	fmt.Println(plan.Report)
	// Output:
	// [1 2] ["u" "d"] ["ann@example" (null)]
	// rows in       5
	//   kept        2
	//     deletes   1
	//   superseded  2
	//   duplicates  1
}
