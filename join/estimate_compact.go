package join

import (
	"cmp"
	"context"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/frame"
	"github.com/onerow-go/onerow/internal/keyset"
)

// compact counts the keys of the buffered batches, and takes new ones over: the keys so far and the batches are one table, of which the first row
// of each key stays.
func (s *sideKeys) compact(ctx context.Context) error {
	if len(s.buffer) == 0 {
		return nil
	}
	return keyset.Guard(func() error {
		f, err := frame.New(s.input, s.batches())
		if err != nil {
			return err
		}
		t, err := frame.NewTable(frame.Part{Frame: f})
		if err != nil {
			return err
		}
		cols, err := t.Keys(s.names)
		if err != nil {
			return err
		}
		var found []keyCount
		if keys := keyset.NewKeys(cols, s.opts.Nulls == NullsEqual); keys.OneWord() {
			found, err = countStream[[1]uint64](ctx, s, t, cols, keys)
		} else {
			found, err = countStream[[2]uint64](ctx, s, t, cols, keys)
		}
		if err != nil {
			return err
		}
		return s.takeOver(ctx, f.Batches, found)
	})
}

// keyCount is a key by its first row in the table, and its number of rows.
type keyCount struct{ row, count uint32 }

// takeOver keeps the first row of each key.
func (s *sideKeys) takeOver(ctx context.Context, batches []arrow.Record, found []keyCount) error {
	slices.SortFunc(found, func(a, b keyCount) int { return cmp.Compare(a.row, b.row) })
	rows, counts, firsts := make(onerow.Rows, len(found)), make([]uint32, len(found)), make([]uint32, len(found))
	for i, k := range found {
		rows[i], counts[i] = k.row, k.count
		if old := uint32(len(s.firsts)); k.row < old {
			firsts[i] = s.firsts[k.row]
		} else {
			firsts[i] = uint32(s.rows) + k.row - old
		}
	}
	keys, err := onerow.Take(ctx, s.mem, batches, rows)
	if err != nil {
		return err
	}
	if s.keys != nil {
		s.keys.Release()
	}
	s.keys, s.counts, s.firsts = keys, counts, firsts
	s.rows += s.buffered
	s.dropBuffer()
	return nil
}

// streamWorker is one worker's part in counting keys.
type streamWorker[K keyset.Words] struct {
	parts    *keyset.Parts[K, uint32]
	block    *keyset.Block[K]
	table    *keyset.Table[K, uint32]
	nulls    []onerow.ColumnNulls
	nullRows int64
	found    []keyCount
	watch    keyset.Watch
}

func countStream[K keyset.Words](ctx context.Context, s *sideKeys, t *frame.Table, cols []*form.Column, keys *keyset.Keys) ([]keyCount, error) {
	bits := keyset.PartBits(int64(t.Rows()))
	spans := keyset.Spans(t.Lens(), t.Start)
	var workers []*streamWorker[K]
	for range min(s.opts.Resources.WorkerCount(), max(len(spans), 1<<bits)) {
		workers = append(workers, &streamWorker[K]{parts: keyset.NewParts[K, uint32](bits), block: keyset.NewBlock[K](keys),
			table: keyset.NewTable[K, uint32](keys), nulls: make([]onerow.ColumnNulls, len(cols)), watch: keyset.NewWatch(ctx)})
	}
	defer func() {
		for _, w := range workers {
			w.parts.Release()
		}
	}()
	err := keyset.Run(ctx, len(workers), len(spans), func(w, task int) error {
		workers[w].deal(s, cols, keys, spans[task])
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = keyset.Run(ctx, len(workers), 1<<bits, func(worker, part int) error {
		w := workers[worker]
		w.table.Reset()
		for _, from := range workers {
			from.parts.Chunks(part, func(chunk []sizeEntry[K]) {
				if !w.watch.OverAfter(len(chunk)) {
					insert(w.table, chunk)
				}
			})
		}
		w.table.All(func(e *sizeEntry[K]) { w.found = append(w.found, keyCount{e.Row(), e.Payload}) })
		return w.watch.Err()
	})
	if err != nil {
		return nil, err
	}
	var found []keyCount
	for _, w := range workers {
		found = append(found, w.found...)
		s.nullRows += w.nullRows
		for i, n := range w.nulls {
			addNulls(&s.nulls[i], n)
		}
	}
	return found, nil
}

// deal deals a span out: keys with their counts, rows as one each.
func (w *streamWorker[K]) deal(s *sideKeys, cols []*form.Column, keys *keyset.Keys, span keyset.Span) {
	old := uint32(len(s.counts))
	span.Blocks(func(lo, n int, row uint32) {
		keyset.Read(keys, span.Chunk, lo, n, w.block)
		count := ones[:n]
		if row < old {
			count = s.counts[row:][:n]
		} else if w.block.NullRows > 0 {
			w.nullRows += int64(w.block.NullRows)
			for i, k := range w.block.NullCounts {
				if k > 0 {
					first := row
					for !cols[i].Null(first) {
						first++
					}
					addNulls(&w.nulls[i], onerow.ColumnNulls{Rows: int64(k), First: uint32(s.rows) + first - old})
				}
			}
		}
		var skip []uint8
		if w.block.AnyNull {
			skip = w.block.Null
		}
		w.parts.AddBlock(w.block.Keys, w.block.Hash, count, skip, row)
	})
}
