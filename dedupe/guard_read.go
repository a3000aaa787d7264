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
	var snapshot *form.Matcher
	if op != nil {
		if snapshot, err = heldMatcher(op.Type, g.opts.Op.Snapshot); err != nil {
			return nil, err
		}
	}
	return &guardReader{g: g, target: target, order: order.New(by, op, snapshot)}, nil
}

// heldMatcher matches the values that a target's column can hold: it may be narrower than that of the batches.
func heldMatcher(t arrow.DataType, values []onerow.Value) (*form.Matcher, error) {
	var fit []onerow.Value
	for _, v := range values {
		if _, err := form.NewMatcher(t, []onerow.Value{v}); err == nil {
			fit = append(fit, v)
		}
	}
	if len(fit) == 0 {
		return nil, nil
	}
	return form.NewMatcher(t, fit)
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
			rec, err := h.take(ctx, r.target.Batches, rows)
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
	h.tidy(ctx, &r.g.secret)
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
	ranks, keys, words := h.ranks(c), r.g.secret.reader(c.keys), make([]uint64, wordBlock)
	for lo := 0; lo < len(ranks); lo += wordBlock {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		block := words[:min(wordBlock, len(ranks)-lo)]
		keys.read(lo, block)
		h.index.touch(block)
		for i, word := range block {
			r.enter(c, word, ranks[lo+i], first|uint32(lo+i), start+uint32(lo+i))
		}
	}
	return nil
}

// enter puts a row of the target, which lies at a place, into the index, if it is the greatest of its key so far.
func (r *guardReader) enter(c *guardChunk, word uint64, rank, place, row uint32) {
	h, i := &r.g.held, int(place&(maxChunk-1))
	if mayNull(c.keys) && hasNull(c.keys, i) {
		if r.g.opts.NullKey != onerow.EqualNullKeys {
			h.kill(place)
			return
		}
		h.nullKeys = true
	}
	s := h.find(word, c.keys, i)
	if s.place1 != 0 && r.order.Compare(row, r.row(s.place1-1)) <= 0 {
		h.kill(place)
		return
	}
	if before := h.index.put(s, word, rank, place); before != noRow {
		h.kill(before)
	}
}

// row returns the target's row that lies at a place.
func (r *guardReader) row(place uint32) uint32 {
	return r.starts[place>>rowBits] + place&(maxChunk-1)
}
