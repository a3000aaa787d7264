package grain

import (
	"context"
	"errors"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
)

// Nulls says whether NULLs in key columns are equal to each other.
type Nulls uint8

const (
	// NullsDistinct leaves rows with NULL in a key column out: they are counted, and are no duplicates of each other.
	NullsDistinct Nulls = iota
	// NullsEqual treats NULL as a value that equals itself.
	NullsEqual
)

// Options are the optional parts of [Check] and [Covers].
type Options struct {
	// Nulls says whether NULLs in key columns are equal to each other. Default NullsDistinct.
	Nulls Nulls

	// Worst is the number of keys that the report lists. Default 0: 20. Negative: none.
	Worst int

	// Resources bounds what the call may use. Default: all processors.
	Resources onerow.Resources
}

// Report says what one row of the table stands for. Rows = Keys + DuplicateRows + the rows left out for NULL.
type Report struct {
	// Key are the key columns.
	Key []string `json:"key"`
	// Rows is the number of rows of the input.
	Rows int64 `json:"rows"`
	// Keys is the number of distinct keys, keys with NULL only under NullsEqual.
	Keys int64 `json:"keys"`
	// DuplicateKeys is the number of keys that have two rows or more.
	DuplicateKeys int64 `json:"duplicate_keys"`
	// DuplicateRows is the number of rows beyond the first of each key.
	DuplicateRows int64 `json:"duplicate_rows"`
	// MaxCopies is the number of rows of the key that has the most; 0 without keyed rows.
	MaxCopies int64 `json:"max_copies"`
	// NullKeyRows is the number of rows with NULL in a key column.
	NullKeyRows int64 `json:"null_key_rows"`
	// Nulls counts the rows with NULL for each key column that has any.
	Nulls []onerow.ColumnNulls `json:"nulls,omitempty"`
	// Worst are the keys with the most rows, only keys that repeat, worst first, equal ones by first appearance.
	Worst []onerow.KeyRows `json:"worst,omitempty"`
}

// DuplicateKeyError is a *onerow.KeysError with Kind ErrDuplicateKey.
type DuplicateKeyError = onerow.KeysError

// Check counts the rows of each key.
func Check(ctx context.Context, batches []arrow.Record, key []string, opts Options) (*Report, error) {
	return nil, errors.New("skeleton")
}
