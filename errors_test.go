package onerow_test

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
)

var sentinels = []error{
	onerow.ErrNoKey, onerow.ErrNoColumn, onerow.ErrType, onerow.ErrSchema, onerow.ErrNullKey, onerow.ErrNullOrder, onerow.ErrTie,
	onerow.ErrDuplicateKey, onerow.ErrGrain, onerow.ErrOption, onerow.ErrTooLarge, onerow.ErrTooManyRows, onerow.ErrMalformed, onerow.ErrRow,
}

func TestErrors(t *testing.T) {
	utc := &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}
	key := []string{"tenant_id", "customer_id"}
	two := onerow.KeyRows{Values: []string{`"acme"`, "7"}, Count: 2, Rows: onerow.Rows{0, 41}}
	many := onerow.KeyRows{Values: []string{"NULL", "-1"}, Count: 300, Rows: onerow.Rows{1, 2, 3}}
	tests := []struct {
		err  error
		is   error
		want string
	}{
		{&onerow.ColumnError{Column: "id", Input: "batches", Have: []string{"key", "value"}}, onerow.ErrNoColumn,
			`column "id": no such column in batches (it has key, value)`},
		{&onerow.ColumnError{Column: "id", Input: `source "crm"`, Found: 2, Have: []string{"id", "id"}}, onerow.ErrNoColumn,
			`column "id": 2 columns of source "crm" have this name`},
		{&onerow.TypeError{Column: "at", Type: utc, Why: "no order by it"}, onerow.ErrType,
			`column "at" of type timestamp[us, tz=UTC]: no order by it`},
		{&onerow.TypeError{Column: "id", Type: arrow.PrimitiveTypes.Int64, OtherColumn: "key", OtherType: arrow.BinaryTypes.String, Why: "never equal"}, onerow.ErrType,
			`column "id" of type int64 and column "key" of type utf8: never equal`},
		{&onerow.SchemaError{Input: "against", Batch: 3, Why: "2 columns and 3 columns"}, onerow.ErrSchema,
			`against: batch 3 differs in schema from batch 0: 2 columns and 3 columns`},
		{&onerow.NullError{Kind: onerow.ErrNullKey, Input: "batches", Columns: []onerow.ColumnNulls{{Column: "tenant_id", Rows: 3, First: 17}, {Column: "customer_id", Rows: 2, First: 0}}}, onerow.ErrNullKey,
			`NULL in key of batches: column "tenant_id" in 3 rows (first: row 17), column "customer_id" in 2 rows (first: row 0)`},
		{&onerow.NullError{Kind: onerow.ErrNullOrder, Input: "against", Columns: []onerow.ColumnNulls{{Column: "lsn", Rows: 4, First: 9}}}, onerow.ErrNullOrder,
			`NULL in order of against: column "lsn" in 4 rows (first: row 9)`},
		{&onerow.KeysError{Kind: onerow.ErrTie, Columns: key, Total: 1, Keys: []onerow.KeyRows{two}, Why: "equal in order"}, onerow.ErrTie,
			`tie: 1 key: equal in order; tenant_id="acme", customer_id=7 in 2 rows (rows 0, 41)`},
		{&onerow.KeysError{Kind: onerow.ErrDuplicateKey, Columns: key, Total: 120, Keys: []onerow.KeyRows{many, two, two, two, two}, Why: "repeated"}, onerow.ErrDuplicateKey,
			`duplicate key: 120 keys: repeated; tenant_id=NULL, customer_id=-1 in 300 rows (rows 1, 2, 3, …); ` +
				`tenant_id="acme", customer_id=7 in 2 rows (rows 0, 41); tenant_id="acme", customer_id=7 in 2 rows (rows 0, 41); … (117 more)`},
		{&onerow.SizeError{Column: "name", Type: arrow.BinaryTypes.String, Size: 3 << 30, Limit: 1<<31 - 1, Unit: "bytes"}, onerow.ErrTooLarge,
			`column "name" of type utf8: output too large: 3221225472 bytes, of at most 2147483647; take fewer rows at a time, or use a large type`},
		{&onerow.RowError{Row: 7, Rows: 5}, onerow.ErrRow,
			`row 7: no such row: the batches have 5 rows`},
	}
	for _, test := range tests {
		if got := test.err.Error(); got != test.want {
			t.Errorf("%T says\n%s, want\n%s", test.err, got, test.want)
		}
		wrapped := fmt.Errorf("customers: %w", errors.Join(errors.New("other"), test.err))
		for _, sentinel := range sentinels {
			if got, want := errors.Is(wrapped, sentinel), sentinel == test.is; got != want {
				t.Errorf("%T is %q: %v", test.err, sentinel, got)
			}
		}
		target := reflect.New(reflect.TypeOf(test.err))
		if !errors.As(wrapped, target.Interface()) || target.Elem().Interface() != test.err {
			t.Errorf("errors.As doesn't find the %T", test.err)
		}
	}
}

// No two sentinels read alike, so that a message says which one it is.
func TestSentinels(t *testing.T) {
	seen := map[string]bool{}
	for _, err := range sentinels {
		if seen[err.Error()] {
			t.Errorf("two sentinels say %q", err)
		}
		seen[err.Error()] = true
	}
}
