package scd2

import (
	"context"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/keyset"
)

// Plan decides what the changes make of a history: which versions come new, are closed, rewritten or removed. Nothing is written, and
// nothing copied: see [Merge.Apply] and [Merge.Staged] for that. changes are one table (see package onerow) with the key and order columns,
// and columns of the history under the same names; what is of another type of the same family is converted exactly. They may hold many
// events of a key, in any order, and again what an earlier call had.
//
// The history needs the versions of the keys that the changes touch; what else it needs depends on the changes:
//
//	Changes, no late events    the last version of each key that they touch, with Options.Since
//	Changes, late events       all versions of the keys that they touch, or those that end at or after the earliest event, with Since
//	a truncate                 all open versions besides
//	Snapshot, AbsentKept       the last version of each key in the snapshot, with Options.Since
//	Snapshot, AbsentCloses     all open versions besides
//
// The outcome depends neither on how the rows are cut into batches, nor on their order, nor on encodings or the number of workers.
//
// Plan reads keys and boundaries of the whole history once, and more of those versions whose keys have events. While it runs it needs about
// 60 bytes of memory for each such version and event; the Merge keeps 40 for each row that it changes or adds, and 25 for each event that
// the state remembers, more where values of one version come from several rows. Columns of other types than the history's are converted
// whole. Keys whose only event comes after all that the history has of them take far less time than others, and those with a few events at
// positions where nothing else is said take less. It returns ctx.Err() soon after the context ends.
//
// Errors wrap [onerow.ErrMode], [onerow.ErrOption], [onerow.ErrNoKey], [onerow.ErrNoColumn], [onerow.ErrType], [onerow.ErrValue],
// [onerow.ErrSchema], [onerow.ErrNoBatches], [onerow.ErrNullKey], [onerow.ErrNullOrder], [onerow.ErrTie], [onerow.ErrBrokenHistory],
// [onerow.ErrLate], [onerow.ErrPartialHistory], [onerow.ErrTooManyClosed], [onerow.ErrEmptySource], [onerow.ErrNoChange],
// [onerow.ErrTooManyRows], [onerow.ErrTooLarge] or [onerow.ErrMalformed]; with several reasons to refuse, the error joins them.
func Plan(ctx context.Context, history Table, changes []arrow.Record, opts Options) (m *Merge, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	err = keyset.Guard(func() error {
		m, err = plan(ctx, history, changes, opts)
		return err
	})
	return m, err
}

func plan(ctx context.Context, history Table, changes []arrow.Record, opts Options) (*Merge, error) {
	j, err := newJob(ctx, history, changes, opts)
	if err != nil {
		return nil, err
	}
	if opts.Mode == Snapshot && j.changes.Rows == 0 && !opts.AllowEmpty {
		return nil, fmt.Errorf("%w: a snapshot without rows would say that everything is gone; see Options.AllowEmpty", onerow.ErrEmptySource)
	}
	if j.keys.OneWord() {
		return planKeys[[1]uint64](ctx, j)
	}
	return planKeys[[2]uint64](ctx, j)
}

// Empty says whether the plan changes nothing: no row and no column of the history, and nothing of the state. Planning the same changes
// again on the result is empty if the state is handed on; without it, what the state would know is new each time.
func (m *Merge) Empty() bool {
	if m.job == nil {
		return true
	}
	r := &m.Report
	return r.Insert+r.Close+r.Rewrite+r.Remove+r.Forgotten == 0 && len(m.out.mems) == 0 && len(m.out.newTruncates()) == 0 &&
		len(m.job.schema.Fields()) == len(m.job.history.Schema.Fields())
}

// Target describes the table of the given name, one element a part of it, that has the plan's history.
func (m *Merge) Target(name ...string) Target {
	if m.job == nil {
		return Target{Name: name}
	}
	t := Target{Name: name, Key: m.job.table.Key, ValidFrom: m.job.table.ValidFrom, NullKeys: m.job.opts.NullKey == onerow.EqualNullKeys}
	for _, f := range m.job.schema.Fields() {
		t.Columns = append(t.Columns, f.Name)
	}
	return t
}
