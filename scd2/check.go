package scd2

import (
	"context"
	"errors"
	"fmt"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/frame"
	"github.com/onerow-go/onerow/internal/keyset"
)

// Kind is a kind of fault that [Check] finds.
type Kind uint8

const (
	// Overlap is said of two versions of a key that share time. A finding for each pair.
	Overlap Kind = iota + 1
	// Gap is time between two versions of a key in which none is valid.
	Gap
	// Inverted is said of a version that ends before it starts.
	Inverted
	// ZeroLength is said of a version that ends where it starts.
	ZeroLength
	// TwoOpen is said of several open versions of a key. A finding for each key.
	TwoOpen
	// DuplicateStart is said of several versions of a key that start at one time. A finding for each such time.
	DuplicateStart
	// NullStart is said of a version without a start.
	NullStart
	// NullKey is said of a row with NULL in a key column.
	NullKey
	// CurrentMismatch is said of a version whose current flag is NULL, or says otherwise than its end.
	CurrentMismatch
)

// ZeroLengths says whether versions that end where they start are findings.
type ZeroLengths uint8

const (
	// ReportZeroLength says that they are.
	ReportZeroLength ZeroLengths = iota
	// AllowZeroLength says that they aren't.
	AllowZeroLength
)

// Gaps says whether time between two versions of a key, in which none is valid, is a finding.
type Gaps uint8

const (
	// AllowGaps says that it isn't: the key was deleted.
	AllowGaps Gaps = iota
	// ReportGaps says that it is.
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
	// Key are the key columns.
	Key []string `json:"key"`
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
	// BrokenKeys is the number of keys with a finding. A row with NULL in its key counts as a key of its own.
	BrokenKeys int64 `json:"broken_keys"`
	// Findings are the faults, by first row, then kind, then second row; at most as many as the options say.
	Findings []Finding `json:"findings,omitempty"`
}

// Check finds what is wrong with a history, whoever wrote it. It counts every fault, and lists the first of them with their rows.
//
// Versions of one key are compared with each other, all with all: a long version that holds short ones overlaps each of them, whatever lies
// between. The number of overlapping pairs is exact; pairs beyond those listed are never looked at one by one. Versions that meet at their ends
// share no time under HalfOpen bounds, and do under Closed ones. An open version reaches beyond all others.
//
// Empty and inverted versions are reported as such; they overlap nothing and bound no gap, but an empty one counts for DuplicateStart. So it is
// with a version without a start, which may be one of TwoOpen. A row with NULL in its key is compared with nothing. Every fault of a row is
// a finding of its own: a version can be empty and have the wrong flag.
//
// A gap is time in which no version of a key is valid, between the longest reach of those before it and the next start; under Closed bounds, more
// than Table.Unit. Deletion rows are versions like any other; an open one is no current version, and its flag must say so.
//
// The batches are borrowed for the call and not changed. The report never depends on how the rows are cut into batches, on encodings, or on
// the number of workers. A call without batches, or without rows, has no findings.
//
// It takes time near-linear in the number of rows, least where versions come in order of time, and n log n in the rows of a key that come out of
// order. It holds 32 or 40 bytes a row, 24 more for each version that has a fault of its own, and some 80 for the rows of a key that isn't sound
// or in order, one key at a time. Boundary columns whose values don't fit 64 bits in a common unit (text, for one) are sorted first, which takes
// longer and some 80 bytes a row more. It returns within some milliseconds after the context ends.
//
// Findings are no error of Check: see [CheckReport.Err]. Errors wrap [onerow.ErrNoKey], [onerow.ErrNoColumn], [onerow.ErrType],
// [onerow.ErrSchema], [onerow.ErrOption], [onerow.ErrTooManyRows] or [onerow.ErrMalformed].
func Check(ctx context.Context, table Table, opts CheckOptions) (r *CheckReport, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	err = keyset.Guard(func() error {
		r, err = check(ctx, table, opts)
		return err
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

func check(ctx context.Context, table Table, opts CheckOptions) (*CheckReport, error) {
	t, err := newTimeline(table)
	if err != nil {
		return nil, err
	}
	key, err := t.rows.Keys(table.Key)
	if err := errors.Join(err, t.findColumns(), opts.check()); err != nil {
		return nil, err
	}
	if err := t.lay(ctx, opts.Resources); err != nil {
		return nil, err
	}
	c := &checker{timeline: t, opts: opts, key: key, keys: keyset.NewKeys(key, false), progress: frame.NewProgress(opts.Resources)}
	switch {
	case opts.MaxFindings == 0:
		c.limit = DefaultMaxFindings
	case opts.MaxFindings > 0:
		c.limit = min(opts.MaxFindings, maxListed)
	}
	if c.keys.OneWord() {
		return checkKeys[[1]uint64](ctx, c)
	}
	return checkKeys[[2]uint64](ctx, c)
}

// maxListed bounds MaxFindings, so that twice as many can be held.
const maxListed = 1 << 29

func (o CheckOptions) check() error {
	var errs []error
	if o.ZeroLength > AllowZeroLength {
		errs = append(errs, fmt.Errorf("%w: ZeroLength has no value %d", onerow.ErrOption, o.ZeroLength))
	}
	if o.Gaps > ReportGaps {
		errs = append(errs, fmt.Errorf("%w: Gaps has no value %d", onerow.ErrOption, o.Gaps))
	}
	return errors.Join(errs...)
}
