package scd2

import (
	"context"
	"fmt"
	"slices"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/frame"
	"github.com/onerow-go/onerow/internal/keyset"
)

// Current returns the rows of the open versions, deletion rows left out, in ascending order: what each key looks like now. It goes by
// Table.ValidTo and Table.OpenEnd alone, not by the current flag, and doesn't look at keys: in a sound history, for which see [Check], there is at
// most one row a key.
//
// The batches are borrowed for the call and not changed. It takes one pass over the boundary columns; see [Check] for those that don't fit
// 64 bits. It returns within some milliseconds after the context ends. Errors wrap [onerow.ErrNoColumn], [onerow.ErrType], [onerow.ErrSchema],
// [onerow.ErrOption], [onerow.ErrTooManyRows] or [onerow.ErrMalformed].
func Current(ctx context.Context, table Table, res onerow.Resources) (onerow.Rows, error) {
	return selectRows(ctx, table, res, func(_ *timeline, e *ends, n int, row uint32, out onerow.Rows) onerow.Rows {
		for i, z := range e.noTo[:n] {
			if z != 0 && !e.isDeleted(i) {
				out = append(out, row+uint32(i))
			}
		}
		return out
	})
}

// AsOf returns the rows of the versions that are valid at a time, deletion rows left out, in ascending order: what each key looked like then. A
// version is valid at its start; at its end it is under Closed bounds only. Versions without a start, inverted and empty ones are valid at no
// time. In a sound history, for which see [Check], there is at most one row a key.
//
// The time must be a value that ValidFrom's type can hold exactly, or ValidTo's: a time.Time is truncated to the column's unit first, by its
// Truncate. Between an inclusive end and the next start, which are a Table.Unit apart, no version is valid.
//
// The batches are borrowed for the call and not changed. It takes one pass over the boundary columns; see [Check] for those that don't fit
// 64 bits. It returns within some milliseconds after the context ends. Errors wrap [onerow.ErrNoColumn], [onerow.ErrType], [onerow.ErrSchema],
// [onerow.ErrOption], [onerow.ErrTooManyRows] or [onerow.ErrMalformed].
func AsOf(ctx context.Context, table Table, at onerow.Value, res onerow.Resources) (onerow.Rows, error) {
	return selectRows(ctx, table, res, func(t *timeline, e *ends, n int, row uint32, out onerow.Rows) onerow.Rows {
		if !t.hasAt { // the boundaries are NULL everywhere
			return out
		}
		at, closed := t.at, t.table.Bounds == Closed
		for i, from := range e.from[:n] {
			if from > at || e.noFrom[i] != 0 {
				continue
			}
			if to := e.to[i]; (to > at || to == at && closed || e.noTo[i] != 0) && !e.isDeleted(i) {
				out = append(out, row+uint32(i))
			}
		}
		return out
	}, at)
}

// selectRows lists the rows of each block that pick appends.
func selectRows(ctx context.Context, table Table, res onerow.Resources,
	pick func(t *timeline, e *ends, n int, row uint32, out onerow.Rows) onerow.Rows, at ...onerow.Value) (rows onerow.Rows, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	err = keyset.Guard(func() error {
		t, err := newTimeline(table)
		if err != nil {
			return err
		}
		if err := t.findColumns(); err != nil {
			return err
		}
		if len(at) > 0 && at[0] == nil {
			return fmt.Errorf("%w: at is nil", onerow.ErrOption)
		}
		if err := t.lay(ctx, res, at...); err != nil {
			return err
		}
		spans := keyset.Spans(t.rows.Lens(), t.rows.Start)
		picked := make([]onerow.Rows, len(spans))
		rooms := make([]*ends, res.WorkerCount())
		progress := frame.NewProgress(res)
		progress.Start(onerow.StageEncode, t.frame.Rows)
		err = keyset.Run(ctx, len(rooms), len(spans), func(w, task int) error {
			if rooms[w] == nil {
				rooms[w] = t.newEnds()
			}
			s := spans[task]
			s.Blocks(func(lo, n int, row uint32) {
				t.read(s.Chunk, lo, n, rooms[w])
				picked[task] = pick(t, rooms[w], n, row, picked[task])
			})
			progress.Add(int64(s.N))
			return nil
		})
		rows = slices.Concat(picked...)
		return err
	})
	if err != nil {
		return nil, err
	}
	return rows, nil
}
