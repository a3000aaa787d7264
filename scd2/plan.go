package scd2

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
)

type job struct{}
type outcome struct{}

// Plan decides what the changes make of a history.
func Plan(ctx context.Context, history Table, changes []arrow.Record, opts Options) (*Merge, error) {
	panic("being written")
}

// Empty says whether nothing changes: no row of the history, and nothing that the state needs to remember.
func (m *Merge) Empty() bool { panic("being written") }

// Apply makes the new history. The batches are those of the history that the plan was made for: other contents, or another order of the
// rows, are an error that wraps onerow.ErrStaleBase.
func (m *Merge) Apply(ctx context.Context, alloc memory.Allocator, history []arrow.Record) ([]arrow.Record, error) {
	panic("being written")
}

// State gives what the next call needs to know.
func (m *Merge) State(ctx context.Context, alloc memory.Allocator) (arrow.Record, error) {
	panic("being written")
}

// Compact drops from a state what lies before a watermark.
func Compact(ctx context.Context, alloc memory.Allocator, state []arrow.Record, watermark onerow.Value) (arrow.Record, error) {
	panic("being written")
}

// Names of the first columns of a staged record.
const (
	// ActionColumn says what is to be done: "insert", "close", "rewrite" or "remove".
	ActionColumn = "onerow_action"
	// MergeKeyPrefix begins the names of the columns that a target row is found by: one for each key column, and one for its start, whose name ends in
	// that of the ValidFrom column. They are NULL for inserts, so that these match no row.
	MergeKeyPrefix = "onerow_merge_"
)

// Staged makes one record for a single MERGE: a row for each row of the target that is inserted, closed, rewritten or removed. Its columns are
// ActionColumn (text), the merge key (MergeKeyPrefix + key column…, MergeKeyPrefix + ValidFrom), then all columns of the new history, with the values that the row is to have;
// of a removed row, those it has.
func (m *Merge) Staged(ctx context.Context, alloc memory.Allocator) (arrow.Record, error) {
	panic("being written")
}

// Target describes the table of the given name that has the plan's history.
func (m *Merge) Target(name ...string) Target { panic("being written") }

// Fingerprint identifies the history that the plan was made for.
func (m *Merge) Fingerprint(ctx context.Context) (string, error) { panic("being written") }

// Audit is what to log after a merge.
type Audit struct{}

// Audit gives the record of this plan.
func (m *Merge) Audit(ctx context.Context) (Audit, error) { panic("being written") }
