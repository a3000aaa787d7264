package dedupe_test

import (
	"context"
	"fmt"
	"log"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/dedupe"
)

// The source sends "__unavailable" for a large value that didn't change. Take gives the winner the value that it had
// before; everything else in the row is the winner's own.
func ExamplePlan_Take() {
	notes := arrow.Field{Name: "notes", Type: arrow.BinaryTypes.String}
	version := arrow.Field{Name: "version", Type: arrow.PrimitiveTypes.Int64}
	changes := table(`[
		{"id": 1, "version": 1, "email": "ann@old.example", "notes": "a long text"},
		{"id": 1, "version": 2, "email": "ann@example", "notes": "__unavailable"}]`, id, version, email, notes)

	ctx := context.Background()
	plan, err := dedupe.Latest(ctx, changes, []string{"id"}, []onerow.Order{onerow.Desc("version")},
		dedupe.Options{Fill: []dedupe.Fill{{Column: "notes", Unavailable: "__unavailable"}}})
	if err != nil {
		log.Fatal(err)
	}
	latest, err := plan.Take(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer latest.Release()
	fmt.Println(latest.Column(1), latest.Column(2), latest.Column(3))
	// Output:
	// [2] ["ann@example"] ["a long text"]
}
