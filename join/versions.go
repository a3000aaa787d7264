package join

import (
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
)

// Facts describes rows that each have a key and a time, such as orders. Row numbers count across its batches.
type Facts struct {
	// Batches are the rows, of one schema.
	Batches []arrow.Record

	// Key names the columns that a thing is known by.
	Key []string

	// At names the column of the time: a timestamp of any unit, a date, an integer such as a log position, or any other type that has an order.
	At string
}

// Versions describes the versions of things: a history, a price list, a slowly changing dimension. Row numbers count across its batches.
type Versions struct {
	// Batches are the rows, of one schema.
	Batches []arrow.Record

	// Key names the columns that go with those of Facts.Key, one by one; a column may go with several. Default nil: they have the same names.
	Key []string

	// ValidFrom names the column of the start, ValidTo that of the end. They are of the family of Facts.At; units and widths may differ. Without
	// ValidTo a version lasts until the next start of its key. [Between] needs both.
	ValidFrom, ValidTo string

	// OpenEnd is the sentinel that ValidTo holds in open versions, such as 9999-12-31. NULL is open too. Default nil: NULL alone.
	OpenEnd onerow.Value

	// Bounds says whether the end belongs to the version. Default HalfOpen.
	Bounds Bounds
}

// Bounds says whether the end of a version belongs to it.
type Bounds uint8

const (
	// HalfOpen says that it doesn't: a version holds what is on [ValidFrom, ValidTo).
	HalfOpen Bounds = iota
	// Closed says that it does: a version holds what is on [ValidFrom, ValidTo].
	Closed
)

// RangeOptions are the optional parts of [AsOf] and [Between].
type RangeOptions struct {
	// Nulls says whether NULLs in key columns meet. Default NullsNever.
	Nulls Nulls

	// Resources bounds what the call may use. Default: all processors.
	Resources onerow.Resources
}

// Nulls says whether NULLs in key columns are equal to each other.
type Nulls uint8

const (
	// NullsNever says that a row with NULL in a key column meets no other.
	NullsNever Nulls = iota
	// NullsEqual treats NULL as a value that equals itself.
	NullsEqual
)
