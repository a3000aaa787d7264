package grain

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/keyset"
)

// DefaultSamples is the number of keys that a [Finding] lists unless the options say otherwise.
const DefaultSamples = 5

// DiagnoseOptions are the optional parts of [Diagnose]. What they name is not searched for.
type DiagnoseOptions struct {
	// ValidFrom and ValidTo name the start and the end of versions: columns outside the key, both dates, both integers, or both timestamps with or
	// without a zone. Either goes with the other. Default "": the pairs of columns that Versions describes.
	ValidFrom, ValidTo string

	// Load names the columns that say when, or by which load, a row came: rows that differ in nothing else are Retries. Default nil:
	// all timestamps outside the key that are no part of a validity range. An empty list is none.
	Load []string

	// Placeholders are the values that stand for no value in key columns, each in the columns whose type can hold it. Default nil: those that
	// Placeholder describes. An empty list is none.
	Placeholders []onerow.Value

	// Samples is the number of keys that each finding lists. Default 0: DefaultSamples. Negative: none.
	Samples int

	// Resources bounds what the call may use. Default: all processors.
	Resources onerow.Resources
}

// Cause says why a key has several rows, or why several keys are one.
type Cause uint8

// Each key has the first cause that fits, in this order; TextForm comes on top. From ExactCopies on they are about keys that repeat.
// Values are equal as package onerow says, and outside the key NULL equals NULL.
const (
	// NullKey: a key column is NULL. Finding.Columns are the key columns with a NULL. Such rows count for nothing else.
	NullKey Cause = iota
	// Placeholder: a key column holds a value that stands for none, on at least 3 rows, and on at least 3 times as many as keys without such a
	// value have on average. The values are the numbers 0, -1 and three or more nines with either sign; text that is, trimmed and in any case,
	// empty, -, ?, 0, -1, three or more zeros or nines, the nil UUID, n/a, na, nan, nil, none, null, unknown, undefined, missing, default or tbd;
	// bytes that are all zero or none; the days 0001-01-01, 1900-01-01, 1970-01-01 and 9999-12-31, as timestamps at their midnight.
	// Columns are the key columns with such a value.
	Placeholder
	// ExactCopies: the rows of the key are equal in all columns.
	ExactCopies
	// Versions: the rows of the key follow each other in time. Two columns outside the key are the start and, to its right, the end of a range:
	// both dates, or both timestamps with or without a zone; no start is NULL, each end is open (NULL, or on the day 9999-12-31) or after its
	// start, and at least one is open, in the whole table. The distinct rows of the key each end at or before the next start. Columns are these
	// two; of several pairs that fit, the first.
	Versions
	// Retries: the rows differ in load times alone. Columns are those that differ.
	Retries
	// MissingColumn: of at least two keys that are left here, all distinct rows are told apart by at most three columns, and something else
	// differs as well. The columns are of type bool, integer, text, binary, date, time or timestamp, without NULL in these rows and no part of a
	// validity range. Columns are the fewest that do, and of as many the first in the table.
	MissingColumn
	// Conflict: there are no such columns. Columns are those that differ within a key.
	Conflict
	// TextForm: different keys are equal when their text is trimmed of white space, case-folded (full Unicode folding, without a locale) and
	// composed (NFC). Keys with NULL or placeholders don't count. Finding.Keys is the number of keys after that which hold several before,
	// Columns are the key columns in which they differ.
	TextForm

	causes = int(TextForm) + 1
)

// Finding is one cause, and the keys that it explains.
type Finding struct {
	Cause Cause `json:"cause"`
	// Columns are the columns that are to blame, in table order: see the causes.
	Columns []string `json:"columns"`
	// Keys is the number of keys. With NULL in a key, NULL equals NULL.
	Keys int64 `json:"keys"`
	// Rows is the number of rows of these keys. Those of all causes but TextForm are the rows with NULL in the key and all rows of keys that repeat,
	// each once.
	Rows int64 `json:"rows"`
	// Samples are the keys with the most rows, equal ones by first appearance. For TextForm each is several keys: its rows are the first of each of
	// them, its values those of the first, and Why names the others.
	Samples []onerow.KeyRows `json:"samples,omitempty"`
	// Remedy is what to do about it, in a sentence.
	Remedy string `json:"remedy"`
}

// Diagnosis says why keys repeat.
type Diagnosis struct {
	// Key are the key columns.
	Key []string `json:"key"`
	// Rows is the number of rows of the input.
	Rows int64 `json:"rows"`
	// Keys is the number of distinct keys without NULL, DuplicateKeys that of those with two rows or more.
	Keys          int64 `json:"keys"`
	DuplicateKeys int64 `json:"duplicate_keys"`
	// Causes are the causes that explain at least one key, in the order in which Cause lists them.
	Causes []Finding `json:"causes"`
}

// Diagnose says why a key isn't unique: what the rows of its repeated keys have in common, and what to do about it. The batches are one table
// (see package onerow); key names its key columns. Column names mean nothing: all follows from values and types.
//
// It reads the key columns once and the rows of repeated keys once more, in all columns; date and timestamp columns outside the key are read
// to the end where they may be a validity range, if any repeated key isn't mere copies; and key columns of text are brought to their form if
// any cell isn't in it. While it runs, it needs 16 to 24 bytes of memory a row, 4 more a row if any key repeats, 8 for each row of repeated keys
// and some 70 for each such key, and 4 for each of these rows and each column that is tried as the missing one; and most of that again for text that
// isn't in its form. The outcome depends neither on how the rows are cut into batches, nor on encodings, nor on the number of workers,
// and but for row numbers and the order of samples not on the order of rows. It returns ctx.Err() soon after the context ends.
//
// Errors wrap [onerow.ErrNoKey], [onerow.ErrNoColumn], [onerow.ErrType], [onerow.ErrSchema], [onerow.ErrOption],
// [onerow.ErrTooManyRows] or [onerow.ErrMalformed].
func Diagnose(ctx context.Context, batches []arrow.Record, key []string, opts DiagnoseOptions) (r *Diagnosis, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	err = keyset.Guard(func() error {
		r, err = diagnose(ctx, batches, key, opts)
		return err
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}
