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

// Why is an invoice not known by its number? One was loaded twice, some have none, and one was typed by hand.
func ExampleDiagnose() {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "invoice", Type: arrow.BinaryTypes.String},
		{Name: "total", Type: arrow.PrimitiveTypes.Int64},
		{Name: "loaded", Type: &arrow.TimestampType{Unit: arrow.Second}},
	}, nil)
	invoices, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(`[
		{"invoice": "A-7", "total": 10, "loaded": "2026-01-30T01:00:00"},
		{"invoice": "A-7", "total": 10, "loaded": "2026-01-31T01:00:00"},
		{"invoice": "A-8", "total": 20, "loaded": "2026-01-30T01:00:00"},
		{"invoice": "n/a", "total": 30, "loaded": "2026-01-30T01:00:00"},
		{"invoice": "n/a", "total": 40, "loaded": "2026-01-30T01:00:00"},
		{"invoice": "n/a", "total": 50, "loaded": "2026-01-30T01:00:00"},
		{"invoice": "n/a", "total": 60, "loaded": "2026-01-30T01:00:00"},
		{"invoice": "a-8 ", "total": 20, "loaded": "2026-01-31T01:00:00"}]`))
	if err != nil {
		log.Fatal(err)
	}
	defer invoices.Release()

	diagnosis, err := grain.Diagnose(context.Background(), []arrow.Record{invoices}, []string{"invoice"}, grain.DiagnoseOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(diagnosis)
	// Output:
	// invoice: 2 keys of 4 repeat
	//
	// placeholder: 1 key, 4 rows, by invoice
	//   Quarantine the placeholders in invoice, or make them NULL at the source: they stand for many things, not for one.
	//   invoice="n/a": 4 rows, 3, 4, 5, 6
	//
	// retries: 1 key, 2 rows, by loaded
	//   Keep the last load of each key (dedupe.Latest, ordered by loaded).
	//   invoice="A-7": 2 rows, 0, 1
	//
	// text_form: 1 key, 2 rows, by invoice
	//   Normalise invoice before keys are compared: trim, fold case, compose (NFC).
	//   invoice="A-8": 2 rows, 2, 7; also invoice="a-8 "
}
