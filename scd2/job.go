package scd2

import (
	"cmp"
	"context"
	"errors"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/frame"
	"github.com/onerow-go/onerow/internal/keyset"
	"github.com/onerow-go/onerow/internal/order"
	"github.com/onerow-go/onerow/internal/position"
)

// job is a call of Plan with its columns found, its options checked, and what was said with other types brought to the types of the
// history.
//
// Rows are numbered over the history, the changes, the state, and one row in which everything is NULL; keys also over the changes once
// more, for their previous keys.
type job struct {
	opts     Options
	table    Table // with its defaults
	history  *frame.Frame
	changes  *frame.Frame
	state    *frame.Frame
	given    []arrow.Record // the history as it was given; its arrays may be longer than its rows
	firstChg uint32         // rows of the history end here
	firstSt  uint32         // rows of the changes end here
	nothing  uint32         // the row in which everything is NULL
	firstOld uint32         // previous keys of the changes begin here

	schema  *arrow.Schema // of the new history
	columns []column      // as in schema
	slots   int           // see slotOf
	used    []int         // slots that have columns
	place   []int         // by slot: where it is in used
	tracks  []bool        // by slot: its columns make versions
	lens    []int         // of all batches, over history, changes, state and nothing

	keyCols []*form.Column // of the history's types, over all rows
	keys    *keyset.Keys

	// What is compared: the columns of a slot, and those of the first two, which the source says.
	bySlot [][]*column
	said   []*form.Column // what the source says, in schema order: the content of an event

	cells bounds
	line  *position.Line

	order     *order.Order // of what At has beside positions; nil without
	orderCols []*form.Column
	nullable  []bool       // by column of orderCols: NULL is a value
	inHistory bool         // the history has all columns of At, not tracked, so that it tells of the last event in each version
	seenAt    *form.Column // then the history's own column of positions; else nil
	ordered   *form.Column // of the state: whether the order of a row is known

	current *form.Column // flags, over the history; nil without
	deleted *form.Column

	kinds    []kind // of the changes
	stKinds  []kind // of the state
	aside    keyset.Bitmap
	trunc    []truncate // of changes and state, by position
	oldTrunc []truncate // those of the state
	newTrunc []truncate // those of the changes that are applied
	fresh    []uint64   // the positions of newTrunc
	openEnd  uint64     // the sentinel's word, with hasOpen
	hasOpen  bool
	now      uint64 // with opts.Now
	since    uint64 // with opts.Since
	lowest   uint64 // events below are rejected, with hasLow
	hasLow   bool
	progress *frame.Progress
}

// kind says what a row of changes or state does.
type kind uint8

const (
	upsert kind = iota
	remove
	truncated
	watermark
)

// truncate is a delete of every key.
type truncate struct {
	pos  uint64
	cell uint32
	row  uint32 // of changes or state
}

// truncates says whether the changes have a truncate to be applied.
func (j *job) truncates() bool {
	return len(j.fresh) > 0
}

// columns of the line.
const (
	atFrom = iota
	atTo
	atChange
	atState
	atNow
	atOpen
	atSince
	atSeen
)

func newJob(ctx context.Context, history Table, changes []arrow.Record, opts Options) (*job, error) {
	j := &job{opts: opts, table: history.withDefaults(), progress: frame.NewProgress(opts.Resources)}
	if err := j.checkOptions(); err != nil {
		return nil, err
	}
	var errs [3]error
	j.history, errs[0] = frame.New("history", history.Batches)
	j.changes, errs[1] = frame.New("changes", changes)
	j.state, errs[2] = frame.New("state", opts.State)
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}
	j.given = history.Batches
	if err := errors.Join(trim(j.history), trim(j.changes), trim(j.state)); err != nil {
		return nil, err
	}
	if j.history.Schema == nil {
		return nil, errNoHistory
	}
	if err := j.layOut(); err != nil {
		return nil, err
	}
	if err := j.findColumns(ctx); err != nil {
		return nil, err
	}
	if err := errors.Join(j.readOrder(), j.readPositions(ctx)); err != nil {
		return nil, err
	}
	if err := errors.Join(j.readFlags(), j.readOps(ctx)); err != nil {
		return nil, cmp.Or(ctx.Err(), err)
	}
	return j, j.checkNulls(ctx)
}

func (t Table) withDefaults() Table {
	if t.ValidFrom == "" {
		t.ValidFrom = DefaultValidFrom
	}
	if t.ValidTo == "" {
		t.ValidTo = DefaultValidTo
	}
	return t
}

// layOut numbers the rows.
func (j *job) layOut() error {
	h, c, s := j.history.Rows, j.changes.Rows, j.state.Rows
	if n := 3*h + 2*c + s + 4; n > onerow.MaxRows {
		return tooManyRows(n)
	}
	j.firstChg, j.firstSt, j.nothing = uint32(h), uint32(h+c), uint32(h+c+s)
	j.firstOld = j.nothing + 1
	j.lens = append(j.state.Lens(j.changes.Lens(j.history.Lens(nil))), 1)
	return nil
}

// checkNulls applies the NULL policies of key and order to the changes.
func (j *job) checkNulls(ctx context.Context) error {
	var skip keyset.Bitmap
	for _, t := range j.trunc {
		if t.row < j.firstSt {
			if skip == nil {
				skip = keyset.NewBitmap(j.firstSt - j.firstChg)
			}
			skip.Set(t.row - j.firstChg)
		}
	}
	var errs []error
	aside, perKey, err := frame.NullRows(ctx, j.keyCols, j.firstChg, j.firstSt, skip)
	if err != nil {
		return err
	}
	switch {
	case aside == nil:
	case j.opts.NullKey == onerow.RejectNullKeys:
		errs = append(errs, &onerow.NullError{Kind: onerow.ErrNullKey, Input: "changes", Columns: perKey})
	case j.opts.NullKey == onerow.SetAsideNullKeys:
		j.aside = aside
	}
	errs = append(errs, j.checkPrevious(ctx))
	var rejecting []*form.Column
	for _, o := range j.opts.At {
		if o.Nulls == onerow.RejectNulls {
			c, err := j.orderColumn(o.Column)
			if err != nil {
				return err
			}
			rejecting = append(rejecting, c)
		}
	}
	_, perOrder, err := frame.NullRows(ctx, rejecting, j.firstChg, j.firstSt, j.aside)
	if err != nil {
		return err
	}
	if perOrder != nil {
		errs = append(errs, &onerow.NullError{Kind: onerow.ErrNullOrder, Input: "changes", Columns: perOrder})
	}
	return errors.Join(errs...)
}

// run works tasks off on the call's workers.
func (j *job) run(ctx context.Context, n int, do func(worker, task int) error) error {
	return keyset.Run(ctx, j.opts.Resources.WorkerCount(), n, do)
}

// keyed says whether a row of the changes takes part: it has a key, and its key isn't to be set aside.
func (j *job) keyed(change uint32) bool {
	return j.kinds[change] != truncated && (j.aside == nil || !j.aside.Has(change))
}
