package join

import (
	"context"
	"errors"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/frame"
	"github.com/onerow-go/onerow/internal/keyset"
	"github.com/onerow-go/onerow/internal/placeholder"
)

// DefaultWorst is the number of keys that [Size] lists unless the options say otherwise.
const DefaultWorst = 20

// Options are the optional parts of [Estimate].
type Options struct {
	// Nulls says whether NULLs in key columns meet. Default NullsNever.
	Nulls Nulls

	// Placeholders are values that stand for no value, such as "unknown" or -1: a key with one of them in a column is a placeholder. Each
	// must be a value that some key column can hold. Default nil: they are detected, see [Placeholders]. Empty, but not nil: there are
	// none.
	Placeholders []onerow.Value

	// Worst is the number of keys that Size.Worst lists. Default 0: DefaultWorst. Negative: none.
	Worst int

	// Resources bounds what the call may use. Default: all processors.
	Resources onerow.Resources
}

// Estimate says how many rows a join of two tables makes, of each kind of join, without joining them. The counts are exact. The batches of
// each side are one table (see package onerow); on says which columns are to be equal. Their types need not be the same: see Equality in
// package onerow.
//
// Estimate reads the key columns once. It needs 8 to 24 bytes of memory a row while it runs, and as much again for the keys that it is at. The
// outcome depends neither on how the rows are cut into batches, nor on encodings, nor on the number of workers. It returns ctx.Err() soon after
// the context ends. A key that explodes is no error of Estimate: see [Size.Require] and [Size.MaxGrowth].
//
// Errors wrap [onerow.ErrNoKey], [onerow.ErrNoColumn], [onerow.ErrType], [onerow.ErrSchema], [onerow.ErrOption], [onerow.ErrTooManyRows] (of both
// sides together) or [onerow.ErrMalformed].
func Estimate(ctx context.Context, left, right []arrow.Record, on Key, opts Options) (s *Size, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	err = keyset.Guard(func() error {
		e, err := newEstimate(left, right, on, opts)
		if err != nil {
			return err
		}
		s, err = e.size(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// estimate is a call with its columns found.
//
//	rows ─► deal: an entry a row, by side ─► partitions ─► count: a table a side ─► match: keys of both tables ─► findings ─► Size
type estimate struct {
	*sides
	opts   Options
	marked *marked // the given placeholders; nil when they are detected
	usual  []*placeholder.Matches

	// Of a part of the keys of streams, else nil: the sides are then keys, not rows, and the progress is that of the whole call.
	stream   *streamed
	progress *frame.Progress
}

func newEstimate(left, right []arrow.Record, on Key, opts Options) (*estimate, error) {
	if opts.Worst == 0 {
		opts.Worst = DefaultWorst
	}
	e := &estimate{opts: opts}
	var err error
	if e.sides, err = newSides(left, right, on, opts.Nulls); err != nil {
		return nil, err
	}
	if opts.Placeholders != nil {
		e.marked, err = e.mark(opts.Placeholders)
	}
	return e, err
}

// newSides checks what was given and finds the columns. What is wrong with several things comes back together.
func newSides(left, right []arrow.Record, on Key, nulls Nulls) (*sides, error) {
	s := &sides{on: on.clone()}
	errs := []error{on.check(), checkNulls(nulls)}
	for side, batches := range [][]arrow.Record{left, right} {
		f, err := frame.New(sideNames[side], batches)
		s.frames[side] = f
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return s, s.read(nulls)
}

func (e *estimate) size(ctx context.Context) (*Size, error) {
	f, err := e.find(ctx)
	if err != nil {
		return nil, err
	}
	return f.size(e.on, e.opts, [2]int64{e.frames[leftSide].Rows, e.frames[rightSide].Rows}), nil
}

// workers is the number of those that work on the rows.
func (e *estimate) workers() int {
	if e.stream != nil {
		return e.stream[leftSide].call.workers(int64(e.rows.Rows()))
	}
	return e.opts.Resources.WorkerCount()
}

func (e *estimate) find(ctx context.Context) (*findings, error) {
	switch {
	case e.keys == nil:
		return &findings{}, ctx.Err()
	case e.keys.OneWord():
		return countKeys[[1]uint64](ctx, e)
	}
	return countKeys[[2]uint64](ctx, e)
}

func checkNulls(n Nulls) error {
	if n > NullsEqual {
		return fmt.Errorf("%w: Nulls has no value %d", onerow.ErrOption, n)
	}
	return nil
}
