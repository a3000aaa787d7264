package grain_test

import (
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/grain"
)

// report is what Check says of a table of five rows.
var report = &grain.Report{
	Key:  []string{"tenant_id", "customer_id"},
	Rows: 5, Keys: 2, DuplicateKeys: 1, DuplicateRows: 2, MaxCopies: 3, NullKeyRows: 1,
	Nulls: []onerow.ColumnNulls{{Column: "customer_id", Rows: 1, First: 4}},
	Worst: []onerow.KeyRows{{Values: []string{`"acme"`, "7"}, Count: 3, Rows: onerow.Rows{0, 2, 3}}},
}

func ExampleReport_String() {
	fmt.Println(report)
	// Output:
	// not one row per tenant_id, customer_id: 1 key repeats; 1 row with NULL in key left out
	// rows                                5
	// keys                                2
	//   keys that repeat                  1
	// rows beyond the first of their key  2
	// rows of the worst key               3
	// rows with NULL in key               1
	//   in customer_id                    1
	//
	// copies  tenant_id  customer_id  rows
	//      3  "acme"     7            0, 2, 3
}

func ExampleReport_LogValue() {
	log := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: withoutTime}))
	log.Info("checked", "grain", report)
	// Output:
	// level=INFO msg=checked grain.key="[tenant_id customer_id]" grain.unique=false grain.rows=5 grain.keys=2 grain.duplicate_keys=1 grain.duplicate_rows=2 grain.max_copies=3 grain.null_key_rows=1 grain.null.customer_id=1
}

func withoutTime(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

// A pipeline stops when the key isn't one, and says which keys repeat.
func ExampleReport_Err() {
	err := report.Err()
	fmt.Println(err)

	var duplicate *grain.DuplicateKeyError
	if errors.As(err, &duplicate) {
		fmt.Println(duplicate.Keys[0].Rows)
	}
	// Output:
	// duplicate key: 1 key: more than one row each, 2 rows beyond the first ones; tenant_id="acme", customer_id=7 in 3 rows (rows 0, 2, 3)
	// [0 2 3]
}
