package join

import (
	"context"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/frame"
	"github.com/onerow-go/onerow/internal/keyset"
)

// compact counts the keys of the buffered records, and takes new ones over: the keys so far and the buffer are one table, of which the first row
// of each key stays. Then, if there are too many, it deals them out to disk.
func (s *sideKeys) compact(ctx context.Context) error {
	if len(s.buffer) == 0 {
		return nil
	}
	chunks := s.buffer
	if s.held.rec != nil {
		chunks = append([]keyChunk{s.held}, s.buffer...)
	}
	found, err := s.count(ctx, chunks)
	if err != nil {
		return err
	}
	keys, err := onerow.Take(ctx, recordsOf(chunks), found.rows, s.call.opts.Resources)
	if err != nil {
		return err
	}
	s.held.release()
	s.dropBuffer()
	s.held = keyChunk{rec: keys, counts: found.counts, firsts: found.firsts}
	if s.room > 0 {
		s.held.bytes = frame.Bytes(keys)
	}
	if s.crowded() {
		return s.flush(ctx)
	}
	return nil
}

// keyCounts are the keys of some chunks, in order of first appearance: the row of the chunks that is the first of each, and what a keyChunk has
// of it.
type keyCounts struct{ rows, counts, firsts []uint32 }

// count finds the keys of chunks.
func (s *sideKeys) count(ctx context.Context, chunks []keyChunk) (out keyCounts, err error) {
	err = keyset.Guard(func() error {
		cols, t, err := s.columns(recordsOf(chunks))
		if err != nil {
			return err
		}
		var counts []uint32
		if keys := keyset.NewKeys(cols, s.call.opts.Nulls == NullsEqual); keys.OneWord() {
			counts, err = countStream[[1]uint64](ctx, s, chunks, t, keys)
		} else {
			counts, err = countStream[[2]uint64](ctx, s, chunks, t, keys)
		}
		if err != nil {
			return err
		}
		out, err = listKeys(ctx, chunks, counts)
		return err
	})
	return out, err
}

// listKeys lists the keys of chunks. counts has, for the first row of each key, its number of rows, and 0 for others.
func listKeys(ctx context.Context, chunks []keyChunk, counts []uint32) (out keyCounts, err error) {
	n := 0
	for _, count := range counts {
		if count > 0 {
			n++
		}
	}
	out = keyCounts{rows: make([]uint32, 0, n), counts: make([]uint32, 0, n), firsts: make([]uint32, 0, n)}
	row := uint32(0)
	for _, c := range chunks {
		for i := range uint32(c.rows()) {
			if row%(1<<20) == 0 && ctx.Err() != nil {
				return keyCounts{}, ctx.Err()
			}
			if counts[row] > 0 {
				first := c.first + i
				if c.firsts != nil {
					first = c.firsts[i]
				}
				out.rows, out.counts, out.firsts = append(out.rows, row), append(out.counts, counts[row]), append(out.firsts, first)
			}
			row++
		}
	}
	return out, nil
}

func recordsOf(chunks []keyChunk) (out []arrow.Record) {
	for _, c := range chunks {
		out = append(out, c.rec)
	}
	return out
}

// columns are the key columns of records as one table, by pair of the key.
func (s *sideKeys) columns(batches []arrow.Record) (pairs []*form.Column, t *frame.Table, err error) {
	f, err := frame.New(sideNames[s.side], batches)
	if err != nil {
		return nil, nil, err
	}
	if t, err = frame.NewTable(frame.Part{Frame: f}); err != nil {
		return nil, nil, err
	}
	cols, err := t.Keys(s.names)
	if err != nil {
		return nil, nil, err
	}
	for _, i := range s.pairs {
		pairs = append(pairs, cols[i])
	}
	return pairs, t, nil
}

// streamWorker is one worker's part in counting keys.
type streamWorker[K keyset.Words] struct {
	parts    *keyset.Parts[K, uint32]
	block    *keyset.Block[K]
	table    *keyset.Table[K, uint32]
	nulls    []onerow.ColumnNulls
	nullRows int64
	watch    keyset.Watch
}

// countStream returns the number of rows of each key, at its first row in the table.
func countStream[K keyset.Words](ctx context.Context, s *sideKeys, chunks []keyChunk, t *frame.Table, keys *keyset.Keys) ([]uint32, error) {
	bits := keyset.PartBits(int64(t.Rows()))
	spans := keyset.Spans(t.Lens(), t.Start)
	var workers []*streamWorker[K]
	for range min(s.call.workers(int64(t.Rows())), max(len(spans), 1<<bits)) {
		workers = append(workers, &streamWorker[K]{parts: keyset.NewParts[K, uint32](bits), block: keyset.NewBlock[K](keys),
			table: keyset.NewTable[K, uint32](keys), nulls: make([]onerow.ColumnNulls, len(s.names)), watch: keyset.NewWatch(ctx)})
	}
	defer func() {
		for _, w := range workers {
			w.parts.Release()
		}
	}()
	err := keyset.Run(ctx, len(workers), len(spans), func(w, task int) error {
		workers[w].deal(s, &chunks[spans[task].Chunk], keys, spans[task])
		return nil
	})
	if err != nil {
		return nil, err
	}
	counts := make([]uint32, t.Rows())
	err = keyset.Run(ctx, len(workers), 1<<bits, func(worker, part int) error {
		w := workers[worker]
		w.table.Reset()
		for _, from := range workers {
			from.parts.Chunks(part, func(chunk []sizeEntry[K]) {
				if !w.watch.OverAfter(len(chunk)) {
					keyset.Sum(w.table, chunk)
				}
			})
		}
		w.table.All(func(e *sizeEntry[K]) { counts[e.Row()] = e.Payload })
		return w.watch.Err()
	})
	if err != nil {
		return nil, err
	}
	for _, w := range workers {
		s.nullRows += w.nullRows
		for i, n := range w.nulls {
			addNulls(&s.nulls[i], n)
		}
	}
	return counts, nil
}

// deal deals a span out: keys with their counts, rows as one each.
func (w *streamWorker[K]) deal(s *sideKeys, from *keyChunk, keys *keyset.Keys, span keyset.Span) {
	span.Blocks(func(lo, n int, row uint32) {
		keyset.Read(keys, span.Chunk, lo, n, w.block)
		count := ones[:n]
		if from.counts != nil {
			count = from.counts[lo:][:n]
		} else if w.block.NullRows > 0 {
			w.countNulls(s, keys.Columns(), from.first+uint32(lo), row)
		}
		var skip []uint8
		if w.block.AnyNull {
			skip = w.block.Null
		}
		w.parts.AddBlock(w.block.Keys, count, skip, row)
	})
}

// countNulls counts those of a block, by names. The block begins at a row of the table, which is row number own of the stream.
func (w *streamWorker[K]) countNulls(s *sideKeys, cols []*form.Column, own, row uint32) {
	w.nullRows += int64(w.block.NullRows)
	for i, k := range w.block.NullCounts {
		if k == 0 || slices.Index(s.pairs, s.pairs[i]) < i {
			continue // none, or a column that is in an earlier pair too
		}
		first := row
		for !cols[i].Null(first) {
			first++
		}
		addNulls(&w.nulls[s.pairs[i]], onerow.ColumnNulls{Rows: int64(k), First: own + first - row})
	}
}
