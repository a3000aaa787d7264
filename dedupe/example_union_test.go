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

// table makes a record of JSON rows.
func table(rows string, fields ...arrow.Field) []arrow.Record {
	rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, arrow.NewSchema(fields, nil), strings.NewReader(rows))
	if err != nil {
		log.Fatal(err)
	}
	return []arrow.Record{rec}
}

var (
	id    = arrow.Field{Name: "id", Type: arrow.PrimitiveTypes.Int64}
	email = arrow.Field{Name: "email", Type: arrow.BinaryTypes.String}
	phone = arrow.Field{Name: "phone", Type: arrow.BinaryTypes.String}
)

// Two systems know the same customers. The one that is trusted more comes last.
func ExampleUnion() {
	shop := table(`[{"email": "ann@old.example", "id": 1}, {"email": "bob@example", "id": 2}]`, email, id)
	crm := table(`[{"id": 1, "email": "ann@example", "phone": "01"}]`, id, email, phone)

	batches, err := dedupe.Union(nil,
		[]dedupe.Source{{Name: "shop", Batches: shop}, {Name: "crm", Batches: crm}},
		dedupe.UnionOptions{Missing: dedupe.NullMissing, RankColumn: "source_rank"})
	if err != nil {
		log.Fatal(err)
	}
	for _, rec := range batches {
		defer rec.Release()
		fmt.Println(rec.Column(0), rec.Column(1), rec.Column(2), rec.Column(3))
	}
	// Output:
	// ["ann@old.example" "bob@example"] [1 2] [(null) (null)] [0 0]
	// ["ann@example"] [1] ["01"] [1]
}

// Of two systems' rows for one customer, the one of the more trusted system wins.
func ExampleUnion_latest() {
	shop := table(`[{"email": "ann@old.example", "id": 1}, {"email": "bob@example", "id": 2}]`, email, id)
	crm := table(`[{"id": 1, "email": "ann@example"}]`, id, email)

	batches, err := dedupe.Union(nil, []dedupe.Source{{Name: "shop", Batches: shop}, {Name: "crm", Batches: crm}},
		dedupe.UnionOptions{RankColumn: "source_rank"})
	if err != nil {
		log.Fatal(err)
	}
	for _, rec := range batches {
		defer rec.Release()
	}
	ctx := context.Background()
	plan, err := dedupe.Latest(ctx, batches, []string{"id"}, []onerow.Order{onerow.Desc("source_rank")}, dedupe.Options{})
	if err != nil {
		log.Fatal(err)
	}
	customers, err := plan.Take(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer customers.Release()
	fmt.Println(customers.Column(1), customers.Column(0), customers.Column(2))
	// Output:
	// [2 1] ["bob@example" "ann@example"] [0 1]
}

// A column that a source lacks is refused until the caller says what it means.
func ExampleUnion_missing() {
	shop := table(`[{"id": 1, "email": "ann@example"}]`, id, email)
	crm := table(`[{"id": 1, "phone": "01"}]`, id, phone)
	sources := []dedupe.Source{{Name: "shop", Batches: shop}, {Name: "crm", Batches: crm}}

	_, err := dedupe.Union(nil, sources, dedupe.UnionOptions{})
	fmt.Println(err)

	batches, err := dedupe.Union(nil, sources, dedupe.UnionOptions{Missing: dedupe.DropMissing})
	if err != nil {
		log.Fatal(err)
	}
	for _, rec := range batches {
		defer rec.Release()
		fmt.Println(rec.ColumnName(0), rec.Column(0), rec.NumCols(), "column")
	}
	// Output:
	// union: column "email": no such column in source "crm" (it has id, phone), though source "shop" has it: see UnionOptions.Missing
	// column "phone": no such column in source "shop" (it has id, email), though source "crm" has it: see UnionOptions.Missing
	// id [1] 1 column
	// id [1] 1 column
}

// Take of all rows makes exactly one record of a union.
func ExampleUnion_record() {
	north := table(`[{"id": 1, "email": "ann@example"}]`, id, email)
	south := table(`[{"email": "bob@example", "id": 2}]`, email, id)
	batches, err := dedupe.Union(nil, []dedupe.Source{{Batches: north}, {Batches: south}}, dedupe.UnionOptions{})
	if err != nil {
		log.Fatal(err)
	}
	var rows onerow.Rows
	for _, rec := range batches {
		defer rec.Release()
		for range rec.NumRows() {
			rows = append(rows, uint32(len(rows)))
		}
	}
	rec, err := onerow.Take(context.Background(), batches, rows, onerow.Resources{})
	if err != nil {
		log.Fatal(err)
	}
	defer rec.Release()
	fmt.Println(rec.Column(0), rec.Column(1))
	// Output:
	// [1 2] ["ann@example" "bob@example"]
}
