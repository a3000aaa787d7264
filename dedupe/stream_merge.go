package dedupe

import (
	"context"
	"errors"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/keyset"
	"github.com/onerow-go/onerow/internal/spill"
)

// merge reads runs as one. It holds a frame of each: up to the least of their last numbers, all rows are there.
type merge struct {
	runs []*run
	now  window
}

// run is a file of rows in order.
type run struct {
	set *spill.Set
	*spill.Cursor
	rec  arrow.Record // nil: it is at its end, or wasn't read yet
	from int          // the rows of rec before are in the window, or were
}

func newMerge(s *stream, sets []*spill.Set) *merge {
	m := &merge{}
	for _, set := range sets {
		m.runs = append(m.runs, &run{set: set, Cursor: set.Open(0, s.mem)})
	}
	return m
}

func (m *merge) next(ctx context.Context, res onerow.Resources, limit int64) (arrow.Record, error) {
	if len(m.now.rows) == 0 {
		if err := m.fill(ctx); err != nil {
			return nil, err
		}
	}
	return m.now.next(ctx, res, limit)
}

// fill puts rows into the window that come before all others.
func (m *merge) fill(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, r := range m.runs {
		if err := r.fill(); err != nil {
			return err
		}
	}
	m.runs = slices.DeleteFunc(m.runs, func(r *run) bool { return r.rec == nil })
	if len(m.runs) == 0 {
		return nil
	}
	until := ^uint32(0)
	for _, r := range m.runs {
		numbers := numbersOf(r.rec)
		until = min(until, numbers[len(numbers)-1])
	}
	parts := make([][2]int, 0, len(m.runs))
	for _, r := range m.runs {
		at, found := slices.BinarySearch(numbersOf(r.rec), until)
		if found {
			at++
		}
		parts = append(parts, [2]int{r.from, at})
		r.from = at
		r.rec.Retain()
		m.now.recs = append(m.now.recs, r.rec)
	}
	var err error
	m.now.rows, err = inOrder(ctx, m.now.recs, parts)
	return err
}

// fill reads the next frame where all rows of the last one are gone, and removes the file at its end.
func (r *run) fill() error {
	for r.rec != nil && r.from == int(r.rec.NumRows()) || r.rec == nil {
		if r.rec != nil {
			r.rec.Release()
			r.rec = nil
		}
		rec, err := r.Next()
		if err != nil {
			return err
		}
		if rec == nil {
			return errors.Join(r.Close(), r.set.Remove(0))
		}
		r.rec, r.from = rec, 0
	}
	return nil
}

// close releases what is left.
func (m *merge) close() error {
	var errs []error
	m.now.release()
	for _, r := range m.runs {
		if r.rec != nil {
			r.rec.Release()
		}
		errs = append(errs, r.Close())
	}
	m.runs = nil
	return errors.Join(errs...)
}

// inOrder lists rows of records by their numbers: of each record those from one on, up to another.
func inOrder(ctx context.Context, recs []arrow.Record, parts [][2]int) ([]uint32, error) {
	n, start := 0, uint32(0)
	for _, p := range parts {
		n += p[1] - p[0]
	}
	by := make([]uint64, 0, n)
	for i, rec := range recs {
		numbers := numbersOf(rec)
		for at := parts[i][0]; at < parts[i][1]; at++ {
			by = append(by, uint64(numbers[at])<<32|uint64(start+uint32(at)))
		}
		start += uint32(len(numbers))
	}
	by, err := keyset.ByHigh(ctx, by)
	if err != nil {
		return nil, err
	}
	rows := make([]uint32, n)
	for i, v := range by {
		rows[i] = uint32(v)
	}
	return rows, nil
}
