package take

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
)

// RowError says that a row number lies outside the chunks.
type RowError struct {
	Row uint32
	// Rows is the number of rows that the chunks have.
	Rows int64
}

func (e *RowError) Error() string {
	return fmt.Sprintf("row %d of chunks of %d rows", e.Row, e.Rows)
}

// SizeError says that an output array would hold more than its type can address.
type SizeError struct {
	// Type is the type of the array, which may be a child of the column.
	Type arrow.DataType
	// Size is what the array would hold, in Unit; Limit is what its type can address.
	Size, Limit int64
	// Unit is one of the constants below.
	Unit string
}

// The units of a SizeError.
const (
	// Bytes are those of text or binary.
	Bytes = "bytes"
	// Elements are those of lists, or of one child of a dense union.
	Elements = "elements"
	// Values are the distinct values of a dictionary.
	Values = "dictionary values"
	// Rows are those of a run-end array.
	Rows = "rows"
)

func (e *SizeError) Error() string {
	return fmt.Sprintf("type %v: %d %s, of at most %d", e.Type, e.Size, e.Unit, e.Limit)
}

// DataError says that a chunk isn't what its type says: another type than the others, a missing buffer, an offset
// outside its data.
type DataError struct {
	Type arrow.DataType
	Why  string
}

func (e *DataError) Error() string {
	return fmt.Sprintf("type %v: %s", e.Type, e.Why)
}

// ColumnError says which column of a record an error is about.
type ColumnError struct {
	Index int
	Err   error
}

func (e *ColumnError) Error() string { return fmt.Sprintf("column %d: %v", e.Index, e.Err) }

func (e *ColumnError) Unwrap() error { return e.Err }
