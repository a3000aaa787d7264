package scd2

import (
	"context"

	"github.com/onerow-go/onerow"
)

// Kind is a kind of fault that [Check] finds.
type Kind uint8

const (
	// Overlap: two versions of a key share time. A finding for each pair.
	Overlap Kind = iota + 1
	// Gap: no version of a key is valid between two others.
	Gap
	// Inverted: a version ends before it starts.
	Inverted
	// ZeroLength: a version ends where it starts.
	ZeroLength
	// TwoOpen: a key has several open versions. A finding for each key.
	TwoOpen
	// DuplicateStart: several versions of a key start at one time. A finding for each such time.
	DuplicateStart
	// NullStart: a version has no start.
	NullStart
	// NullKey: a row has NULL in a key column.
	NullKey
	// CurrentMismatch: the current flag is NULL, or says otherwise than the end.
	CurrentMismatch
)

// ZeroLengths says whether versions that end where they start are findings.
type ZeroLengths uint8

const (
	// ReportZeroLength: they are.
	ReportZeroLength ZeroLengths = iota
	// AllowZeroLength: they aren't.
	AllowZeroLength
)

// Gaps says whether time between two versions of a key, in which none is valid, is a finding.
type Gaps uint8

const (
	// AllowGaps: it isn't; the key was deleted.
	AllowGaps Gaps = iota
	// ReportGaps: it is.
	ReportGaps
)

// DefaultMaxFindings is the number of findings that a report lists unless the options say otherwise.
const DefaultMaxFindings = 1000

// CheckOptions are the optional parts of [Check].
type CheckOptions struct {
	// ZeroLength says whether empty versions are findings. Default ReportZeroLength.
	ZeroLength ZeroLengths
	// Gaps says whether gaps are findings. Default AllowGaps.
	Gaps Gaps
	// MaxFindings is the number of findings that the report lists; all are counted. Default 0: DefaultMaxFindings. Negative: none.
	MaxFindings int
	// Resources bounds what the call may use. Default: all processors.
	Resources onerow.Resources
}

// Finding is one fault.
type Finding struct {
	Kind Kind `json:"kind"`
	// Rows are the rows that it is about, in ascending order: two of an overlap or a gap, one or more of the others.
	Rows onerow.Rows `json:"rows"`
	// Key has the values of the key columns as text.
	Key []string `json:"key"`
	// From and To are the time that two versions share, or that is between them, as text; "" where it doesn't apply, and for the end of two open versions.
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
}

// CheckReport is the outcome of [Check].
type CheckReport struct {
	// Rows is the number of rows of the history, Keys the number of its keys.
	Rows int64 `json:"rows"`
	Keys int64 `json:"keys"`
	// Overlaps is the exact number of pairs of versions of one key that share time; the others count findings of their kind.
	Overlaps          uint64 `json:"overlaps"`
	Gaps              int64  `json:"gaps"`
	Inverted          int64  `json:"inverted"`
	ZeroLength        int64  `json:"zero_length"`
	TwoOpen           int64  `json:"two_open"`
	DuplicateStarts   int64  `json:"duplicate_starts"`
	NullStarts        int64  `json:"null_starts"`
	NullKeys          int64  `json:"null_keys"`
	CurrentMismatches int64  `json:"current_mismatches"`
	// Findings are the faults, by first row, then kind; at most as many as the options say.
	Findings []Finding `json:"findings,omitempty"`

	key []string
}

// Check finds what is wrong with a history. TODO
func Check(ctx context.Context, table Table, opts CheckOptions) (*CheckReport, error) {
	panic("not written yet")
}
