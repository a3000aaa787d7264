package dedupe

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/keyset"
)

// Latest finds the latest row of each key. The batches are one table (see package onerow); key names its key columns, order the
// columns that decide which row is later. Without order columns every row of a key ties with every other, so
// that only copies collapse.
//
// The outcome never depends on how the rows are cut into batches, on encodings or on the number of workers; without
// FirstTied and LastTied it doesn't depend on the order of the rows either, except for their numbers.
//
// Latest reads the key and order columns once, and all columns of rows that are equal in order. While it runs it needs about 20 bytes of
// memory a row, 8 more where a key takes two words (texts, several columns), and 0.2 more for each worker; with Fill, PreviousKey or Against up to
// 120, or 165 with two words, when all keys differ. It returns ctx.Err() soon after the context ends.
//
// Errors wrap [onerow.ErrNoKey], [onerow.ErrNoColumn], [onerow.ErrType], [onerow.ErrSchema], [onerow.ErrOption],
// [onerow.ErrNullKey], [onerow.ErrNullOrder], [onerow.ErrTie], [onerow.ErrTooManyRows] or [onerow.ErrMalformed].
func Latest(ctx context.Context, batches []arrow.Record, key []string, order []onerow.Order, opts Options) (p *Plan, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	err = keyset.Guard(func() error {
		p, err = latest(ctx, batches, key, order, opts)
		return err
	})
	return p, err
}

func latest(ctx context.Context, batches []arrow.Record, key []string, order []onerow.Order, opts Options) (*Plan, error) {
	j, err := newJob(batches, key, order, opts)
	if err != nil {
		return nil, err
	}
	return j.latest(ctx)
}

func (j *job) latest(ctx context.Context) (*Plan, error) {
	if len(j.batches.Batches) == 0 {
		return j.finish(&Plan{}), ctx.Err()
	}
	if err := j.checkNulls(ctx); err != nil {
		return nil, err
	}
	switch one, grouped := j.keys.OneWord(), j.grouped(); {
	case one && grouped:
		return followLives[[1]uint64](ctx, j)
	case one:
		return findWinners[[1]uint64](ctx, j)
	case grouped:
		return followLives[[2]uint64](ctx, j)
	}
	return findWinners[[2]uint64](ctx, j)
}

// finish completes the report: what isn't listed or a copy was superseded.
func (j *job) finish(p *Plan) *Plan {
	r := &j.report
	r.Kept, r.SetAside, r.Stale = int64(len(p.Rows)), int64(len(p.SetAside)), int64(len(p.Stale))
	r.EndedKeys = int64(len(p.Ended))
	if j.deletes != nil {
		for _, row := range p.Rows {
			if j.isDelete(row) {
				p.Deletes = append(p.Deletes, row)
			}
		}
	}
	r.Deletes = int64(len(p.Deletes))
	r.Superseded = r.In - r.Kept - r.Duplicates - r.SetAside - r.Stale
	p.Report, p.job = *r, j
	return p
}
