package scd2

import (
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
)

// Names of the boundary columns where a [Table] names none.
const (
	DefaultValidFrom = "valid_from"
	DefaultValidTo   = "valid_to"
)

// Table describes a history: its rows, and which columns say what. Row numbers count across its batches.
type Table struct {
	// Batches are the rows, of one schema. The table is borrowed as long as what a call returned is in use. For [Plan] they need at least one batch,
	// which may be without rows: it says what the columns are.
	Batches []arrow.Record

	// Key names the columns that a thing is known by.
	Key []string

	// ValidFrom and ValidTo name the boundary columns. They are of one family that has an order: timestamps of any unit, dates,
	// integers such as a log position, and others. Default DefaultValidFrom and DefaultValidTo.
	ValidFrom, ValidTo string

	// Current names the boolean column that marks a key's open version. Default "": there is none.
	Current string

	// Deleted names the boolean column that marks deletion rows: they stand for the time in which the key was deleted, and hold its last
	// values. NULL is false. Default "": there is none.
	Deleted string

	// OpenEnd is the sentinel that ValidTo holds in open versions, such as 9999-12-31. NULL reads as open too. Default nil: NULL alone.
	OpenEnd onerow.Value

	// Bounds says whether the end belongs to the version. [Plan] knows HalfOpen alone. Default HalfOpen.
	Bounds Bounds

	// Unit is the step between an end and the next start under Closed bounds: an integer for integers, a time.Duration for dates
	// and timestamps. Default nil: 1 for integers, a day for dates, a tick of ValidTo's unit for timestamps. Values of other types, such as
	// decimals and text, have no step: any start beyond the end leaves a gap.
	Unit onerow.Value
}

// Bounds says whether the end of a version belongs to it.
type Bounds uint8

const (
	// HalfOpen says that it doesn't: valid on [ValidFrom, ValidTo).
	HalfOpen Bounds = iota
	// Closed says that it does: valid on [ValidFrom, ValidTo].
	Closed
)
