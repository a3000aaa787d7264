package onerow_test

import (
	"errors"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
)

func ExampleFormatKey() {
	fmt.Println(onerow.FormatKey([]string{"tenant_id", "customer_id"}, []string{`"acme"`, "7"}))
	// Output:
	// tenant_id="acme", customer_id=7
}

// A tie says which keys are tied, and in which rows.
func ExampleKeysError() {
	var err error = &onerow.KeysError{
		Kind: onerow.ErrTie, Columns: []string{"id"}, Total: 1, Why: "rows equal in order, different in content",
		Keys: []onerow.KeyRows{{Values: []string{"7"}, Count: 2, Rows: onerow.Rows{3, 8}}},
	}
	fmt.Println(err)

	var keys *onerow.KeysError
	if errors.Is(err, onerow.ErrTie) && errors.As(err, &keys) {
		for _, k := range keys.Keys {
			fmt.Println(onerow.FormatKey(keys.Columns, k.Values), k.Rows)
		}
	}
	// Output:
	// tie: 1 key: rows equal in order, different in content; id=7 in 2 rows (rows 3, 8)
	// id=7 [3 8]
}

func ExampleColumnError() {
	fmt.Println(&onerow.ColumnError{Column: "id", Input: "batches", Have: []string{"key", "value"}})
	// Output:
	// column "id": no such column in batches (it has key, value)
}

func ExampleTypeError() {
	fmt.Println(&onerow.TypeError{Column: "attributes", Type: arrow.MapOf(arrow.BinaryTypes.String, arrow.BinaryTypes.String), Why: "a map is no key"})
	// Output:
	// column "attributes" of type map<utf8, utf8, items_nullable>: a map is no key
}

func ExampleNullError() {
	fmt.Println(&onerow.NullError{Kind: onerow.ErrNullKey, Input: "batches", Columns: []onerow.ColumnNulls{{Column: "id", Rows: 12, First: 40}}})
	// Output:
	// NULL in key of batches: column "id" in 12 rows (first: row 40)
}
