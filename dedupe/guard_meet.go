package dedupe

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/frame"
	"github.com/onerow-go/onerow/internal/recast"
)

// meet returns the rows of the keys that are in the batches too, as a target of these keys alone: without any, a batch without rows. It is nil
// while nothing is known of the columns. It comes with an error too.
func (h *held) meet(ctx context.Context, g *Guard, batches []arrow.Record) ([]arrow.Record, error) {
	if h.schema == nil {
		return nil, nil
	}
	places, err := h.places(ctx, g, batches)
	if err != nil {
		places = nil
	}
	recs, other := h.gather(ctx, places)
	return recs, cmp.Or(err, other)
}

// places finds the rows of the keys that the batches have, previous keys included, in ascending order.
func (h *held) places(ctx context.Context, g *Guard, batches []arrow.Record) ([]uint32, error) {
	f, err := frame.New("batches", batches)
	if err != nil || len(batches) == 0 {
		return nil, err
	}
	empty, err := h.none()
	if err != nil {
		return nil, err
	}
	none, err := frame.New("against", []arrow.Record{empty})
	if err != nil {
		return nil, err
	}
	var places []uint32
	for _, names := range [][]string{g.key, g.opts.Op.PreviousKey} {
		if names == nil {
			continue
		}
		as := map[string]string{}
		for i, k := range g.key {
			as[k] = names[i]
		}
		t, err := frame.NewTable(frame.Part{Frame: f, Names: as}, frame.Part{Frame: none})
		if err != nil {
			return nil, err
		}
		cols, err := t.Keys(g.key)
		if err != nil {
			return nil, err
		}
		if places, err = h.look(ctx, g, cols, batches, places); err != nil {
			return nil, err
		}
	}
	slices.Sort(places)
	return slices.Compact(places), nil
}

// look appends the places of the keys of some columns, whose first chunks are those of the batches.
func (h *held) look(ctx context.Context, g *Guard, cols []*form.Column, batches []arrow.Record, places []uint32) ([]uint32, error) {
	const block = 1 << 10
	var tags, guesses, rows, others [block]uint32
	var same [block]bool
	tagger, nulls := guardTagger{seed: g.seed}, g.opts.NullKey == onerow.EqualNullKeys
	cells := make([]*form.Array, len(cols))
	both, starts, err := h.beside(cols, batches)
	if err != nil {
		return nil, err
	}
	for k, b := range batches {
		for c := range cols {
			cells[c] = cols[c].Chunks[k]
		}
		for lo := 0; lo < int(b.NumRows()); lo += block {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			// Step by step for all rows of a block, so that the processor waits for several of them at a time.
			size, n := min(block, int(b.NumRows())-lo), 0
			for i := range size {
				if tag, null := tagger.tag(cells, lo+i); !null || nulls {
					tags[n], rows[n] = tag, uint32(lo+i)
					n++
				}
			}
			met := 0
			for i, tag := range tags[:n] {
				if guess := h.index.guess(tag); guess != noRow {
					tags[met], guesses[met], rows[met], same[met] = tag, guess, rows[i], true
					met++
				}
			}
			for i, guess := range guesses[:met] {
				others[i] = starts[guess>>rowBits] + guess&(maxChunk-1)
				rows[i] += both[0].Start(k)
			}
			for _, c := range both {
				c.SamePairs(rows[:met], others[:met], same[:met])
			}
			for i, guess := range guesses[:met] {
				if same[i] {
					places = append(places, guess)
				} else if s := h.find(tags[i], cells, int(rows[i]-both[0].Start(k))); s.place1 != 0 {
					places = append(places, s.place1-1)
				}
			}
		}
	}
	return places, nil
}

// beside lays the keys of the chunks behind those of the batches; starts are the rows that the chunks begin with.
func (h *held) beside(cols []*form.Column, batches []arrow.Record) (both []*form.Column, starts []uint32, err error) {
	lens, total := make([]int, 0, len(batches)+len(h.chunks)), int64(0)
	for _, b := range batches {
		lens, total = append(lens, int(b.NumRows())), total+b.NumRows()
	}
	starts = make([]uint32, len(h.chunks))
	for k, c := range h.chunks {
		if starts[k] = uint32(total); c != nil {
			lens, total = append(lens, int(c.rec.NumRows())), total+c.rec.NumRows()
		}
	}
	if total > onerow.MaxRows {
		return nil, nil, fmt.Errorf("%w: %d with those of the guard, of at most %d", onerow.ErrTooManyRows, total, int64(onerow.MaxRows))
	}
	layout := form.NewLayout(lens)
	for i, col := range cols {
		c := &form.Column{Name: col.Name, Type: col.Type, Chunks: slices.Clone(col.Chunks[:len(batches)]), Layout: layout}
		for _, chunk := range h.chunks {
			if chunk != nil {
				c.Chunks = append(c.Chunks, chunk.keys[i])
			}
		}
		both = append(both, c)
	}
	return both, starts, nil
}

// gather takes the rows at some places, in ascending order, and gives columns to carry forward their own type.
func (h *held) gather(ctx context.Context, places []uint32) ([]arrow.Record, error) {
	if len(places) == 0 {
		none, err := h.none()
		if err != nil {
			return nil, err
		}
		return h.dressed(none)
	}
	chunks, starts := h.layOut()
	rows := make([]uint32, len(places))
	for i, p := range places {
		rows[i] = starts[p>>rowBits] + p&(maxChunk-1)
	}
	recs, err := inPieces(rows, func(rows []uint32) (arrow.Record, error) { return onerow.Take(ctx, heap, chunks, rows) })
	if err != nil {
		return nil, err
	}
	return h.dressed(recs...)
}

// none makes a record without rows.
func (h *held) none() (arrow.Record, error) {
	cols := make([]arrow.Array, h.schema.NumFields())
	for i, f := range h.schema.Fields() {
		var err error
		if cols[i], err = nulls(f.Type, 0); err != nil {
			return nil, castError(f.Name, err)
		}
	}
	return array.NewRecord(h.schema, cols, 0), nil
}

// dressed gives columns to carry forward from the type that they came with.
func (h *held) dressed(recs ...arrow.Record) ([]arrow.Record, error) {
	if len(h.fills) == 0 {
		return recs, nil
	}
	out := make([]arrow.Record, len(recs))
	for i, rec := range recs {
		fields, cols := rec.Schema().Fields(), slices.Clone(rec.Columns())
		for _, f := range h.fills {
			arr, _, err := recast.Array(heap, cols[f.at], f.field.Type)
			if err != nil {
				return nil, castError(f.field.Name, err)
			}
			fields[f.at], cols[f.at] = f.field, arr
		}
		out[i] = array.NewRecord(arrow.NewSchema(fields, nil), cols, rec.NumRows())
	}
	return out, nil
}
