package grain

import (
	"context"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/frame"
	"github.com/onerow-go/onerow/internal/keyset"
)

// Nulls says whether NULLs in key columns are equal to each other.
type Nulls uint8

const (
	// NullsDistinct leaves rows with NULL in a key column out: they are counted, and are no duplicates of each other.
	NullsDistinct Nulls = iota
	// NullsEqual treats NULL as a value that equals itself.
	NullsEqual
)

// DefaultWorst is the number of keys that a report lists unless the options say otherwise.
const DefaultWorst = 20

// Options are the optional parts of [Check] and [Align].
type Options struct {
	// Nulls says whether NULLs in key columns are equal to each other. Default NullsDistinct.
	Nulls Nulls

	// Worst is the number of keys that the report lists. Default 0: DefaultWorst. Negative: none.
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

// Check counts the rows of each key: is the key unique, and if not, by how much and where. The batches are one table (see package
// onerow); key names its key columns.
//
// Check reads the key columns once, and needs 8 to 28 bytes of memory a row while it runs. The outcome depends neither on how the rows
// are cut into batches, nor on encodings, nor on the number of workers. It returns ctx.Err() soon after the context ends.
//
// Duplicates are no error of Check: see [Report.Err]. Errors wrap [onerow.ErrNoKey], [onerow.ErrNoColumn],
// [onerow.ErrType], [onerow.ErrSchema], [onerow.ErrOption], [onerow.ErrTooManyRows] or [onerow.ErrMalformed].
func Check(ctx context.Context, batches []arrow.Record, key []string, opts Options) (r *Report, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	err = keyset.Guard(func() error {
		r, err = check(ctx, batches, key, opts)
		return err
	})
	return r, err
}

func check(ctx context.Context, batches []arrow.Record, key []string, opts Options) (*Report, error) {
	if opts.Nulls > NullsEqual {
		return nil, fmt.Errorf("%w: Nulls has no value %d", onerow.ErrOption, opts.Nulls)
	}
	if opts.Worst == 0 {
		opts.Worst = DefaultWorst
	}
	f, err := frame.New("batches", batches)
	if err != nil {
		return nil, err
	}
	t, err := frame.NewTable(frame.Part{Frame: f})
	if err != nil {
		return nil, err
	}
	cols, err := t.Keys(key)
	if err != nil {
		return nil, err
	}
	report := &Report{Key: append([]string(nil), key...), Rows: f.Rows}
	if len(batches) == 0 {
		return report, ctx.Err()
	}
	opts.Worst = int(min(int64(opts.Worst), f.Rows))
	keys := keyset.NewKeys(cols, opts.Nulls == NullsEqual)
	if keys.OneWord() {
		err = count[[1]uint64](ctx, report, t, keys, opts)
	} else {
		err = count[[2]uint64](ctx, report, t, keys, opts)
	}
	if err != nil {
		return nil, err
	}
	return report, nil
}
