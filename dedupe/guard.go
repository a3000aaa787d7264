package dedupe

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/frame"
	"github.com/onerow-go/onerow/internal/keyset"
)

// Guard keeps what a target holds at hand, for a program that brings batch after batch to it: what a call of [Latest] with Options.Against
// finds in the time that the target's rows take, a guard finds in the time that the batch's take.
//
//	guard := NewGuard(target)          once: reads the target
//	plan  := guard.Latest(batches)     the rows that are newer than what the target has
//	plan.Take(…)                       write them
//	guard.Advance(plan)                once they are written
//
// A program that starts again makes the guard again, of the target. One that fails to write doesn't advance, and asks again.
//
// A guard holds a copy of the target's rows, with the columns that it was given: the key and order columns, the op column if deletes are to be
// remembered, and the others if rows equal in order are to be compared in content or values are to be carried forward from them. It borrows nothing
// beyond a call, and its memory is the Go heap's: there is nothing to release.
//
// It needs the bytes of these columns, without their dictionaries and runs, up to twice for rows that were replaced, and 24 to 48 bytes a key.
//
// A guard may be used by several goroutines at once. Calls of [Guard.Latest] run side by side, except while one of [Guard.Advance] does.
type Guard struct {
	key    []string
	order  []onerow.Order
	ranks  orders // order, to compare cells by
	opts   Options
	secret guardSecret

	shape atomic.Pointer[guardShape] // of the batches that came last

	mu    sync.RWMutex
	state uint64 // grows with each change: plans of another state are refused
	held  held
}

// NewGuard reads a target, as Options.Against would have it (see [Options]): batches of one schema, with the key and order columns under the names
// that the batches to come have them. Without batches the guard is that of an empty target, whose columns are those of the first plan that it
// advances by. Of several rows of a key the greatest counts.
//
// The options are those of the calls to come. Options.Against must be nil.
//
// It reads each row once, and takes some tenths of a microsecond a row. Errors wrap those of [Latest] that a target can make, [onerow.ErrOption] for an
// option that is set wrongly, or [onerow.ErrTooLarge].
func NewGuard(ctx context.Context, target []arrow.Record, key []string, order []onerow.Order, opts Options) (*Guard, error) {
	err := checkOptions(key, order, opts)
	if opts.Against != nil {
		err = errors.Join(err, fmt.Errorf("%w: Against is set, and a guard stands in its place", onerow.ErrOption))
	}
	if err != nil {
		return nil, err
	}
	opts.Op.Delete, opts.Op.Snapshot = slices.Clone(opts.Op.Delete), slices.Clone(opts.Op.Snapshot)
	opts.Op.PreviousKey, opts.Fill = slices.Clone(opts.Op.PreviousKey), slices.Clone(opts.Fill)
	g := &Guard{key: slices.Clone(key), order: slices.Clone(order), ranks: ordersOf(order), opts: opts, secret: newGuardSecret()}
	g.held = newHeld(g.ranks, opts.Resources.Workers)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(target) == 0 {
		return g, nil
	}
	if err := keyset.Guard(func() error { return g.read(ctx, target) }); err != nil {
		return nil, err
	}
	return g, nil
}

// Len is the number of keys that the guard knows, those that were deleted and are held as such included.
func (g *Guard) Len() int {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.held.index.n
}

// Latest is the function [Latest] with the guard's key, order and options, and the target as the guard knows it in Options.Against: it gives
// the same plan and the same errors. The plan borrows the batches, as there, until it has been taken and the guard was advanced by it; it doesn't
// depend on the guard, which may have advanced since when the plan is taken.
//
// It takes time and memory in proportion to the rows of the batches, however many keys the guard has. Up to 131072 rows are decided on the
// caller's goroutine, most of them by one look at what is held: a thousand rows take less than a tenth of a millisecond. That needs a first order column of the
// type that the guard's has; a key with rows equal in order takes some ten times as long, and so do all rows of batches with NULL in key or order
// columns, and of a guard with Options.Fill or Op.PreviousKey.
func (g *Guard) Latest(ctx context.Context, batches []arrow.Record) (p *Plan, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	err = keyset.Guard(func() error {
		p, err = g.latest(ctx, batches)
		return err
	})
	return p, err
}

func (g *Guard) latest(ctx context.Context, batches []arrow.Record) (*Plan, error) {
	m, err := g.meet(ctx, batches)
	if m.plan != nil {
		return m.plan, nil
	}
	opts := g.opts
	opts.Against = m.target
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		// What is wrong with the batches is told as Latest tells it.
		if _, other := latest(ctx, batches, g.key, g.order, opts); other != nil {
			return nil, other
		}
		return nil, err
	}
	j, err := newJob(batches, g.key, g.order, opts)
	if err != nil {
		return nil, err
	}
	j.guard, j.state, j.settled = g, m.state, m.settled
	return j.latest(ctx)
}

// Advance tells the guard that a plan was written to the target. It takes over the rows of plan.Rows as [Plan.Take] gives them, those of
// plan.Deletes also where the caller left them out of Rows, and ends the keys of plan.Ended. A caller that left out other rows didn't write
// them, and the guard doesn't know them.
//
// The guard then holds what a target with its columns would:
//
//   - A row takes the place of its key's. A column that the batches lack keeps its value; for a new key it is NULL. A column that only the batches
//     have is left out.
//   - Values are brought to the types of the guard's columns. One that its type can't hold exactly is a [*onerow.ValueError].
//   - A delete is a row like any other, if the guard has the op column; else the key is forgotten, as it would be in the target.
//   - A key that ends by a key change is held as a delete: its key and order, the first of Op.Delete, and NULL elsewhere. Without op column, or
//     without Op.Delete, it is forgotten.
//
// The plan's batches must still be alive. Only a plan that this guard made, and hasn't changed since, will do; else the error wraps
// [onerow.ErrStaleBase]. After an error the guard is what it was. A plan that changes nothing may be advanced by at any time.
//
// It takes time in proportion to the rows taken over, on average some microseconds a row. Now and then it lays together what it holds, at most
// 131072 rows at a time: then it takes some tens of milliseconds.
func (g *Guard) Advance(ctx context.Context, plan *Plan) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case plan == nil || plan.job == nil || plan.job.guard != g:
		return fmt.Errorf("%w: the plan is not one of this guard", onerow.ErrStaleBase)
	case ctx.Err() != nil:
		return ctx.Err()
	}
	rows := slices.Concat(plan.Rows, plan.Deletes)
	slices.Sort(rows)
	rows = slices.Compact(rows)
	if len(rows)+len(plan.Ended) == 0 {
		return nil
	}
	if plan.job.state != g.state {
		return fmt.Errorf("%w: the guard was advanced since the plan was made, or by it", onerow.ErrStaleBase)
	}
	return keyset.Guard(func() error {
		s := &step{g: g, plan: plan, next: g.held}
		if err := s.prepare(ctx, rows); err != nil {
			return err
		}
		g.state++
		s.commit()
		g.held.tidy(ctx, &g.secret)
		return nil
	})
}

// read takes over the rows of a target.
func (g *Guard) read(ctx context.Context, target []arrow.Record) error {
	f, err := frame.New("against", target)
	if err != nil {
		return err
	}
	r, err := newGuardReader(ctx, g, f)
	if err != nil {
		return err
	}
	if err := g.held.setSchema(f.Schema, g); err != nil {
		return err
	}
	return r.read(ctx)
}
