package dedupe

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/recast"
	"github.com/onerow-go/onerow/internal/take"
)

// step is one call of Advance. What can fail is done before anything changes.
type step struct {
	g    *Guard
	plan *Plan
	next held // its slices are the guard's until commit

	come    []*guardChunk
	words   [][]uint64 // of the rows of come
	numbers []uint32   // of come
	gone    []guardSlot
}

// prepare makes chunks of the rows to take over, and finds the keys to forget.
func (s *step) prepare(ctx context.Context, rows []uint32) error {
	j := s.plan.job
	if n := len(rows); n > 0 && rows[n-1] >= j.rows {
		return &onerow.RowError{Row: rows[n-1], Rows: int64(j.rows)}
	}
	if s.next.schema == nil {
		if err := s.next.setSchema(j.batches.Schema, s.g); err != nil {
			return err
		}
	}
	holdsOp := j.op != nil && len(s.next.schema.FieldIndices(j.op.Name)) == 1
	come := rows
	var deletes []uint32
	if !holdsOp && j.deletes != nil {
		come = nil
		for _, r := range rows {
			if j.isDelete(r) {
				deletes = append(deletes, r)
			} else {
				come = append(come, r)
			}
		}
	}
	if err := s.take(ctx, come, asRows); err != nil {
		return err
	}
	if err := s.take(ctx, deletes, asDeletes); err != nil {
		return err
	}
	if err := s.end(ctx, holdsOp); err != nil {
		return err
	}
	var err error
	s.numbers, err = s.next.free(len(s.come))
	return err
}

// end takes over the keys that end by a key change.
func (s *step) end(ctx context.Context, holdsOp bool) error {
	if !holdsOp || len(s.plan.Ended) == 0 {
		return s.take(ctx, s.plan.Ended, asEnded)
	}
	at := s.next.schema.FieldIndices(s.plan.job.op.Name)[0]
	for _, v := range s.g.opts.Op.Delete {
		// The column may be narrower than that of the batches.
		if op, err := recast.Literal(heap, s.next.schema.Field(at).Type, v); err == nil {
			return s.take(ctx, s.plan.Ended, asEnded.tombstones(at, op))
		}
	}
	return s.take(ctx, s.plan.Ended, asEnded)
}

// source says what rows of a plan are to a guard.
type source struct {
	ended  bool // their previous keys are what counts
	forget bool
	// op is the value that all of them have in column at; nil: their own.
	op arrow.Array
	at int
}

var (
	asRows    = source{}
	asDeletes = source{forget: true}
	asEnded   = source{ended: true, forget: true}
)

func (f source) tombstones(at int, op arrow.Array) source {
	return source{ended: f.ended, op: op, at: at}
}

// take takes rows of the plan over.
func (s *step) take(ctx context.Context, rows []uint32, from source) error {
	if len(rows) == 0 {
		return nil
	}
	start := 0
	recs, err := inPieces(rows, func(rows []uint32) (arrow.Record, error) {
		part := *s.plan
		part.Rows, part.Ended = rows, rows
		give := part.Take
		if from.ended {
			give = part.TakeEnded
		}
		rec, err := give(ctx, heap)
		if err != nil {
			return nil, err
		}
		return owned(ctx, rec)
	})
	if err != nil {
		return err
	}
	for _, rec := range recs {
		if from.forget {
			err = s.forget(rec)
		} else {
			err = s.hold(ctx, rec, rows[start:], from)
		}
		if err != nil {
			return err
		}
		start += int(rec.NumRows())
	}
	return nil
}

// forget finds the keys of a record, to forget them.
func (s *step) forget(rec arrow.Record) error {
	cells := make([]*form.Array, len(s.g.key))
	for i, k := range s.g.key {
		var err error
		if cells[i], err = form.Of(rec.Column(rec.Schema().FieldIndices(k)[0])); err != nil {
			return castError(k, err)
		}
	}
	for i, word := range s.wordsOf(cells, int(rec.NumRows())) {
		if slot := s.next.find(word, cells, i); slot.place1 != 0 {
			s.gone = append(s.gone, *slot)
		}
	}
	return nil
}

// wordsOf reads the words of n keys.
func (s *step) wordsOf(cells []*form.Array, n int) []uint64 {
	keys, words := s.g.secret.reader(cells), make([]uint64, n)
	for lo := 0; lo < n; lo += wordBlock {
		keys.read(lo, words[lo:min(lo+wordBlock, n)])
	}
	s.next.index.touch(words)
	return words
}

// hold makes a chunk of a record; rows are those of the plan that it was made of.
func (s *step) hold(ctx context.Context, rec arrow.Record, rows []uint32, from source) error {
	schema, n := s.next.schema, int(rec.NumRows())
	cols := make([]arrow.Array, schema.NumFields())
	for i, f := range schema.Fields() {
		var err error
		if at := rec.Schema().FieldIndices(f.Name); from.op != nil && i == from.at {
			cols[i], err = take.Column(ctx, heap, []arrow.Array{from.op}, make([]uint32, n))
		} else if len(schema.FieldIndices(f.Name)) == 1 && (len(at) == 1 || from.ended && len(at) > 0) {
			cols[i], err = s.cast(rec.Column(at[0]), f, rows)
		}
		if err != nil {
			return err
		}
	}
	keys := make([]*form.Array, len(s.next.keyAt))
	for i, at := range s.next.keyAt {
		var err error
		if keys[i], err = form.Of(cols[at]); err != nil {
			return castError(s.g.key[i], err)
		}
	}
	words := s.wordsOf(keys, n)
	if err := s.keep(ctx, cols, keys, words, from); err != nil {
		return err
	}
	c, err := s.next.chunk(array.NewRecord(schema, cols, int64(n)))
	s.come, s.words = append(s.come, c), append(s.words, words)
	return err
}

// cast brings values of the batches to the type of a column.
func (s *step) cast(arr arrow.Array, to arrow.Field, rows []uint32) (arrow.Array, error) {
	out, unfit, err := recast.Array(heap, arr, to.Type)
	if err != nil {
		return nil, castError(to.Name, err)
	}
	if len(unfit) == 0 {
		return out, nil
	}
	cells, err := form.Of(arr)
	if err != nil {
		return nil, castError(to.Name, err)
	}
	return nil, &onerow.ValueError{Column: to.Name, Type: arr.DataType(), Input: "batches", Row: rows[unfit[0]], Value: form.Format(cells, unfit[0]),
		Into: to.Name, IntoType: to.Type}
}

// keep fills the columns that the batches lack with what the guard has for the keys, or NULL.
func (s *step) keep(ctx context.Context, cols []arrow.Array, keys []*form.Array, words []uint64, from source) error {
	var rows []uint32
	chunks, starts := s.next.layOut()
	none := uint32(0)
	for _, c := range chunks {
		none += uint32(c.NumRows())
	}
	for i := range cols {
		if cols[i] != nil {
			continue
		}
		if rows == nil {
			rows = make([]uint32, len(words))
			for r, word := range words {
				rows[r] = none
				if slot := s.next.find(word, keys, r); slot.place1 != 0 && !from.ended {
					rows[r] = starts[(slot.place1-1)>>rowBits] + (slot.place1-1)&(maxChunk-1)
				}
			}
		}
		null, err := nulls(s.next.schema.Field(i).Type, 1)
		if err != nil {
			return castError(s.next.schema.Field(i).Name, err)
		}
		var parts []arrow.Array
		for _, c := range chunks {
			parts = append(parts, c.Column(i))
		}
		if cols[i], err = take.Column(ctx, heap, append(parts, null), rows); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return castError(s.next.schema.Field(i).Name, err)
		}
	}
	return nil
}

// commit changes the guard.
func (s *step) commit() {
	h := &s.next
	for _, slot := range s.gone {
		if h.index.forget(slot.word, slot.place1-1) {
			h.kill(slot.place1 - 1)
		}
	}
	for k, c := range s.come {
		h.set(s.numbers[k], c)
		h.index.reserve(c.live)
		h.nullKeys = h.nullKeys || mayNull(c.keys)
		ranks := h.ranks(c)
		for i, word := range s.words[k] {
			slot := h.find(word, c.keys, i)
			if before := h.index.put(slot, word, ranks[i], s.numbers[k]<<rowBits|uint32(i)); before != noRow {
				h.kill(before)
			}
		}
	}
	s.g.held = *h
}

// nulls makes n NULLs of a type.
func nulls(t arrow.DataType, n int) (arrow.Array, error) {
	arr, _, err := recast.Array(heap, array.NewNull(n), t)
	return arr, err
}
