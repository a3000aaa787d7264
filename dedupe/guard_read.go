package dedupe

import (
	"context"
	"errors"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/frame"
	"github.com/onerow-go/onerow/internal/keyset"
	"github.com/onerow-go/onerow/internal/order"
)

// guardReader reads a target into a guard.
type guardReader struct {
	g      *Guard
	target *frame.Frame
	order  *order.Order // over the target's rows
	starts []uint32     // the target's row that each chunk begins with
}

// newGuardReader finds the columns of a target, and refuses what Latest would refuse of it.
func newGuardReader(ctx context.Context, g *Guard, target *frame.Frame) (*guardReader, error) {
	t, err := frame.NewTable(frame.Part{Frame: target})
	if err != nil {
		return nil, err
	}
	keys, err := t.Keys(g.key)
	errs := []error{err}
	var by []order.By
	var rejecting []*form.Column
	for _, o := range g.order {
		c, err := t.Column(o.Column, form.IsOrder)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		b := order.By{Column: c, Ascending: o.Ascending}
		switch o.Nulls {
		case onerow.NullsAreHighest:
			b.Nulls = order.Highest
		case onerow.RejectNulls:
			rejecting = append(rejecting, c)
		}
		by = append(by, b)
	}
	var op *form.Column
	if target.Has(g.opts.Op.Column) {
		op, err = t.Column(g.opts.Op.Column, nil)
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	var unmatched keyset.Bitmap
	if g.opts.NullKey != onerow.EqualNullKeys {
		if unmatched, _, err = frame.NullRows(ctx, keys, 0, t.Rows(), nil); err != nil {
			return nil, err
		}
	}
	null, perColumn, err := frame.NullRows(ctx, rejecting, 0, t.Rows(), unmatched)
	if err != nil {
		return nil, err
	}
	if null != nil {
		return nil, &onerow.NullError{Kind: onerow.ErrNullOrder, Input: target.Input, Columns: perColumn}
	}
	snapshot, err := heldMatcher(op, g.opts.Op.Snapshot)
	if err != nil {
		return nil, err
	}
	return &guardReader{g: g, target: target, order: order.New(by, op, snapshot)}, nil
}

// heldMatcher matches the values that a target's column can hold: it may be narrower than that of the batches.
func heldMatcher(c *form.Column, values []onerow.Value) (*form.Matcher, error) {
	if c == nil {
		return nil, nil
	}
	var fit []onerow.Value
	for _, v := range values {
		if _, err := form.NewMatcher(c.Type, []onerow.Value{v}); err == nil {
			fit = append(fit, v)
		}
	}
	if len(fit) == 0 {
		return nil, nil
	}
	return form.NewMatcher(c.Type, fit)
}

// read copies the target's rows, a chunk at a time, and finds the greatest of each key.
func (r *guardReader) read(ctx context.Context) error {
	h := &r.g.held
	n := uint32(r.target.Rows)
	for lo := uint32(0); lo < n; lo += maxChunk {
		rows := make([]uint32, min(maxChunk, n-lo))
		for i := range rows {
			rows[i] = lo + uint32(i)
		}
		recs, err := inPieces(rows, func(rows []uint32) (arrow.Record, error) {
			rec, err := onerow.Take(ctx, heap, r.target.Batches, rows)
			if err != nil {
				return nil, err
			}
			return owned(ctx, rec)
		})
		if err != nil {
			return err
		}
		start := lo
		for _, rec := range recs {
			if err := r.index(ctx, rec, start); err != nil {
				return err
			}
			start += uint32(rec.NumRows())
		}
	}
	h.tidy(ctx, r.g.seed)
	return ctx.Err()
}

// index makes a chunk of the target's rows from start on.
func (r *guardReader) index(ctx context.Context, rec arrow.Record, start uint32) error {
	h := &r.g.held
	c, err := h.chunk(rec)
	if err != nil {
		return err
	}
	if len(h.chunks) == maxChunks {
		_, err := h.free(1)
		return err
	}
	first := uint32(len(h.chunks)) << rowBits
	h.chunks, r.starts = append(h.chunks, c), append(r.starts, start)
	h.index.reserve(c.live)
	tagger, nulls := guardTagger{seed: r.g.seed}, r.g.opts.NullKey == onerow.EqualNullKeys
	for i := range uint32(rec.NumRows()) {
		if i&0xfff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		tag, null := tagger.tag(c.keys, int(i))
		if null && !nulls {
			h.kill(first | i)
			continue
		}
		s := h.find(tag, c.keys, int(i))
		if s.place1 != 0 && r.order.Compare(start+i, r.row(s.place1-1)) <= 0 {
			h.kill(first | i)
			continue
		}
		if before := h.index.put(s, tag, first|i); before != noRow {
			h.kill(before)
		}
	}
	return nil
}

// row returns the target's row that lies at a place.
func (r *guardReader) row(place uint32) uint32 {
	return r.starts[place>>rowBits] + place&(maxChunk-1)
}
