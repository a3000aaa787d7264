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
	var words [wordBlock]uint64
	var at, ranks [wordBlock]uint32
	lens := make([]int, len(batches))
	for k, b := range batches {
		lens[k] = int(b.NumRows())
	}
	both, starts, err := h.beside(cols, lens)
	if err != nil {
		return nil, err
	}
	p := pairing{held: h, both: both, starts: starts}
	cells := make([]*form.Array, len(cols))
	for k, b := range batches {
		for c := range cols {
			cells[c] = cols[c].Chunks[k]
		}
		keys, skip := g.secret.reader(cells), g.opts.NullKey != onerow.EqualNullKeys && mayNull(cells)
		for lo := 0; lo < int(b.NumRows()); lo += wordBlock {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			n := min(wordBlock, int(b.NumRows())-lo)
			keys.read(lo, words[:n])
			h.index.seek(words[:n], at[:n], ranks[:n])
			for i := range n {
				if skip && hasNull(cells, lo+i) {
					at[i] = noSlot
				}
			}
			for i, same := range p.compare(both[0].Start(k)+uint32(lo), at[:n]) {
				if at[i] == noSlot {
					continue
				}
				place1 := h.index.slots[at[i]].place1
				if !same {
					place1 = h.find(words[i], cells, lo+i).place1
				}
				if place1 != 0 {
					places = append(places, place1-1)
				}
			}
		}
	}
	return places, nil
}

// pairing compares keys of batches with those of the slots that have their words, many at a time.
type pairing struct {
	*held
	both         []*form.Column // of the batches, then of the chunks
	starts       []uint32       // the row of both that each chunk begins with
	rows, others [wordBlock]uint32
	from         [wordBlock]uint32
	same, out    [wordBlock]bool
}

// compare says for the rows from first on which of them have the key of their slot. For noSlot it means nothing. It is valid until the next call.
func (p *pairing) compare(first uint32, at []uint32) []bool {
	n := 0
	for i, slot := range at {
		if slot != noSlot {
			place := p.index.slots[slot].place1 - 1
			p.rows[n], p.others[n] = first+uint32(i), p.starts[place>>rowBits]+place&(maxChunk-1)
			p.from[n], p.same[n] = uint32(i), true
			n++
		}
	}
	for _, c := range p.both {
		c.SamePairs(p.rows[:n], p.others[:n], p.same[:n])
	}
	for k, i := range p.from[:n] {
		p.out[i] = p.same[k]
	}
	return p.out[:len(at)]
}

// beside lays the keys of the chunks behind those of batches of some lengths; starts are the rows that the chunks begin with.
func (h *held) beside(cols []*form.Column, batches []int) (both []*form.Column, starts []uint32, err error) {
	lens, total := make([]int, 0, len(batches)+len(h.chunks)), int64(0)
	for _, n := range batches {
		lens, total = append(lens, n), total+int64(n)
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
	recs, err := inPieces(rows, func(rows []uint32) (arrow.Record, error) { return h.take(ctx, chunks, rows) })
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
