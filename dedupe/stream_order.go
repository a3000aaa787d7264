package dedupe

import (
	"context"
	"errors"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/frame"
	"github.com/onerow-go/onerow/internal/spill"
)

// ordered brings rows of a stream, which come file by file, back into the order of their numbers. What has no room is written as runs, each in order, which
// are merged in the end.
type ordered struct {
	*stream
	name  string
	rows  int64
	held  []arrow.Record
	bytes int64
	// tiers are runs on disk: those of tier n+1 are made of tierRuns of tier n.
	tiers [][]*spill.Set

	now    *window
	merged *merge // of the runs, once all rows are there; nil: all were held
}

// tierRuns is how many runs there are of a size before they are made one: so many frames of each size are in memory when all are merged.
const tierRuns = 16

func newOrdered(s *stream, name string) *ordered { return &ordered{stream: s, name: name} }

// add takes a record over, whose numbers ascend.
func (o *ordered) add(ctx context.Context, rec arrow.Record) error {
	bytes := frame.Bytes(rec) + columnCost*rec.NumCols()
	o.held, o.bytes, o.rows = append(o.held, rec), o.bytes+bytes, o.rows+rec.NumRows()
	if o.room > 0 && o.bytes > o.room/8 {
		return o.flush(ctx)
	}
	return nil
}

// hold takes records over of which some rows, in order, are all that there will be.
func (o *ordered) hold(recs []arrow.Record, rows onerow.Rows) {
	o.now, o.rows = &window{recs: recs, rows: rows}, int64(len(rows))
}

// flush writes the rows that are held as a run.
func (o *ordered) flush(ctx context.Context) error {
	w, err := newWindow(ctx, o.held)
	o.held, o.bytes = nil, 0
	if err != nil {
		return err
	}
	defer w.release()
	run := o.folder.NewSet(o.name, o.kept, 1)
	if err := o.writeRun(ctx, run, 0, w); err != nil {
		return err
	}
	for tier := 0; len(o.tiers[tier]) == tierRuns; tier++ {
		runs := o.tiers[tier]
		o.tiers[tier] = nil
		if err := o.mergeRuns(ctx, tier+1, runs); err != nil {
			return err
		}
	}
	return nil
}

// mergeRuns makes one run of some.
func (o *ordered) mergeRuns(ctx context.Context, tier int, runs []*spill.Set) (err error) {
	m := newMerge(o.stream, runs)
	defer func() { err = errors.Join(err, m.close()) }()
	return o.writeRun(ctx, o.folder.NewSet(o.name, o.kept, 1), tier, m)
}

// ascending gives records whose numbers ascend, and nil after the last one.
type ascending interface {
	next(ctx context.Context, res onerow.Resources, limit int64) (arrow.Record, error)
}

func (o *ordered) writeRun(ctx context.Context, run *spill.Set, tier int, from ascending) error {
	defer run.Close()
	// A frame of each run is in memory when they are merged.
	limit := max(1, o.room/8/(4*tierRuns))
	err := o.write(run, func(res onerow.Resources, put func(int, arrow.Record) error) error {
		for {
			rec, err := from.next(ctx, res, limit)
			if err != nil || rec == nil {
				return err
			}
			if err := put(0, rec); err != nil {
				return err
			}
		}
	})
	if err != nil {
		return err
	}
	for len(o.tiers) <= tier {
		o.tiers = append(o.tiers, nil)
	}
	o.tiers[tier] = append(o.tiers[tier], run)
	return run.Seal()
}

// seal ends the adding.
func (o *ordered) seal(ctx context.Context) error {
	if len(o.tiers) == 0 {
		if o.now != nil {
			return nil
		}
		var err error
		o.now, err = newWindow(ctx, o.held)
		o.held = nil
		return err
	}
	if len(o.held) > 0 {
		if err := o.flush(ctx); err != nil {
			return err
		}
	}
	o.merged = newMerge(o.stream, slices.Concat(o.tiers...))
	o.tiers = nil
	return nil
}

// A record that goes out has no more rows, and no more bytes where it has several; the least is for small budgets.
const (
	outputRows       = 1 << 16
	outputBytes      = 32 << 20
	leastOutputBytes = 1 << 20
)

// next gives the next rows; nil after the last one.
func (o *ordered) next(ctx context.Context) (arrow.Record, error) {
	limit := int64(outputBytes)
	if o.room > 0 {
		limit = min(limit, max(leastOutputBytes, o.room/8))
	}
	if o.merged != nil {
		return o.merged.next(ctx, o.opts.Resources, limit)
	}
	return o.now.next(ctx, o.opts.Resources, limit)
}

// empty says that there was nothing to read.
func (o *ordered) empty() bool { return o.rows == 0 }

func (o *ordered) close() {
	release(o.held)
	o.held = nil
	if o.now != nil {
		o.now.release()
	}
	if o.merged != nil {
		_ = o.merged.close() // the folder goes, and tells what stays
	}
}

// window are rows in memory, and how far they are read.
type window struct {
	recs []arrow.Record
	rows []uint32 // over recs, by their numbers
	cut  *pieces  // nil: not looked at yet
}

// newWindow takes records over.
func newWindow(ctx context.Context, recs []arrow.Record) (*window, error) {
	w := &window{recs: recs}
	parts := make([][2]int, len(recs))
	for i, rec := range recs {
		parts[i][1] = int(rec.NumRows())
	}
	var err error
	if w.rows, err = inOrder(ctx, recs, parts); err != nil {
		w.release()
	}
	return w, err
}

func (w *window) release() {
	release(w.recs)
	w.recs, w.rows, w.cut = nil, nil, nil
}

// next takes the next rows, as many as are no larger together than limit, or one.
func (w *window) next(ctx context.Context, res onerow.Resources, limit int64) (arrow.Record, error) {
	if len(w.rows) == 0 {
		return nil, nil
	}
	if w.cut == nil {
		var err error
		if w.cut, err = newPieces(w.recs, limit); err != nil {
			return nil, err
		}
	}
	n, err := w.cut.cut(w.rows[:min(len(w.rows), outputRows)])
	if err != nil {
		return nil, err
	}
	rec, err := onerow.Take(ctx, w.recs, w.rows[:n], res)
	if err != nil {
		return nil, err
	}
	if w.rows = w.rows[n:]; len(w.rows) == 0 {
		w.release()
	}
	return rec, nil
}
