package grain

import (
	"context"
	"sync/atomic"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/frame"
	"github.com/onerow-go/onerow/internal/keyset"
)

// merger brings the rows of each key of an ON clause together. NULL is a value to it; what a plain ON does with it is decided per key.
type merger[K keyset.Words] struct {
	*mergeJob
	keys    *keyset.Keys
	workers []*mergeWorker[K]
	// rivals has, for the rows of keys that the target has and the source has twice or more: of a target row, the number of source rows
	// that act on it; of a source row, 1. All others are 0.
	rivals []uint32
	some   atomic.Bool // rivals has such rows
}

// mergeWorker is one worker's part.
type mergeWorker[K keyset.Words] struct {
	m     *merger[K]
	watch keyset.Watch
	parts *keyset.Parts[K, uint32] // a payload of 1 marks a key with NULL in it
	block *keyset.Block[K]
	pays  []uint32
	skip  []uint8
	table *keyset.Table[K, uint32] // a payload is the number of a key in sums
	sums  []sides
	nulls []onerow.ColumnNulls
	sum   MergeReport

	conflicts, duplicates worst[K]
}

// sides are the counts of one key.
type sides struct {
	target, source uint32
	first          uint32 // of its source rows, or of its target rows in conflict
	null           bool
}

// newMerger deals the rows that skip leaves, all if it is nil, out to partitions by key.
func newMerger[K keyset.Words](ctx context.Context, j *mergeJob, keys *keyset.Keys, skip []uint32, done func(rows int)) (*merger[K], error) {
	m := &merger[K]{mergeJob: j, keys: keys}
	rows := j.table.Rows()
	bits := keyset.PartBits(int64(rows))
	spans := keyset.Spans(j.table.Lens(), j.table.Start)
	for range min(j.opts.Resources.WorkerCount(), max(len(spans), 1<<bits)) {
		w := &mergeWorker[K]{m: m, watch: keyset.NewWatch(ctx), parts: keyset.NewParts[K, uint32](bits), block: keyset.NewBlock[K](keys),
			pays: make([]uint32, keyset.BlockRows), skip: make([]uint8, keyset.BlockRows), table: keyset.NewTable[K, uint32](keys)}
		for _, c := range keys.Columns() {
			w.nulls = append(w.nulls, onerow.ColumnNulls{Column: c.Name})
		}
		w.conflicts.limit, w.duplicates.limit = j.opts.Worst, j.opts.Worst
		m.workers = append(m.workers, w)
	}
	err := keyset.Run(ctx, len(m.workers), len(spans), func(w, task int) error {
		m.workers[w].deal(spans[task], skip)
		done(spans[task].N)
		return nil
	})
	if err != nil {
		m.release()
		return nil, err
	}
	return m, nil
}

func (m *merger[K]) release() {
	for _, w := range m.workers {
		w.parts.Release()
	}
}

// each calls f for each partition.
func (m *merger[K]) each(ctx context.Context, f func(w *mergeWorker[K], part int)) error {
	return keyset.Run(ctx, len(m.workers), m.workers[0].parts.Len(), func(w, part int) error {
		f(m.workers[w], part)
		return m.workers[w].watch.Err()
	})
}

// merge does the call: it counts the rows of each key, takes the matches that don't act away, and lists what is left.
func merge[K keyset.Words](ctx context.Context, j *mergeJob, keys *keyset.Keys) error {
	progress := frame.NewProgress(j.opts.Resources)
	rows := j.report.TargetRows + j.report.SourceRows
	progress.Start(onerow.StageEncode, rows)
	m, err := newMerger[K](ctx, j, keys, nil, func(rows int) { progress.Add(int64(rows)) })
	if err != nil {
		return err
	}
	defer m.release()
	m.rivals = make([]uint32, rows)
	progress.Start(onerow.StageGroup, rows)
	if err := m.each(ctx, func(w *mergeWorker[K], part int) { progress.Add(w.count(part)) }); err != nil {
		return err
	}
	if m.some.Load() && !j.neverActs() {
		if err := m.subtract(ctx); err != nil {
			return err
		}
		if err := m.each(ctx, (*mergeWorker[K]).tell); err != nil {
			return err
		}
	}
	m.collect()
	return m.list(ctx)
}

// subtract takes the matches that don't act away from rivals: those with source rows that are equal in On and Acts.
func (m *merger[K]) subtract(ctx context.Context) error {
	if len(m.acts) == 0 {
		return nil
	}
	cols := append(append([]*form.Column(nil), m.on...), m.acts...)
	keys := keyset.NewKeys(cols, true)
	if keys.OneWord() {
		return subtract[[1]uint64](ctx, m.mergeJob, keys, m.rivals)
	}
	return subtract[[2]uint64](ctx, m.mergeJob, keys, m.rivals)
}

func subtract[K keyset.Words](ctx context.Context, j *mergeJob, keys *keyset.Keys, rivals []uint32) error {
	m, err := newMerger[K](ctx, j, keys, rivals, func(int) {})
	if err != nil {
		return err
	}
	defer m.release()
	return m.each(ctx, func(w *mergeWorker[K], part int) {
		w.bring(part)
		w.again(part, func(row uint32, s *sides) {
			if row < j.first {
				rivals[row] -= s.source
			}
		})
	})
}

// deal deals the rows of a span out to the partitions, but for those whose number in skip, if it isn't nil, is 0.
func (w *mergeWorker[K]) deal(s keyset.Span, skip []uint32) {
	s.Blocks(func(lo, n int, row uint32) {
		var out []uint8
		if skip != nil {
			some := false
			out = w.skip[:n]
			clear(out)
			for i, r := range skip[row : row+uint32(n)] {
				if r == 0 {
					out[i] = 1
				} else {
					some = true
				}
			}
			if !some {
				return
			}
		}
		keyset.Read(w.m.keys, s.Chunk, lo, n, w.block)
		pays := w.pays[:n]
		clear(pays)
		if w.block.NullRows > 0 {
			for i := range pays {
				if w.m.keys.Null(row + uint32(i)) {
					pays[i] = 1
				}
			}
			if row >= w.m.first {
				w.countNulls(row)
			}
		}
		w.parts.AddBlock(w.block.Keys, w.block.Hash, pays, out, row)
	})
}

func (w *mergeWorker[K]) countNulls(row uint32) {
	w.sum.NullKeyRows += int64(w.block.NullRows)
	for i, k := range w.block.NullCounts {
		if k == 0 {
			continue
		}
		first := row
		for !w.m.keys.Columns()[i].Null(first) {
			first++
		}
		if c := &w.nulls[i]; c.Rows == 0 || first < c.First {
			c.First = first
		}
		w.nulls[i].Rows += int64(k)
	}
}

// bring counts the rows of each key of a partition that the source has, into sums. It returns the number of rows in the partition.
func (w *mergeWorker[K]) bring(part int) (rows int64) {
	w.table.Reset()
	w.sums = w.sums[:0]
	first := w.m.first
	rows = w.chunks(part, func(e *entry[K]) {
		row := e.Row()
		if row < first {
			return
		}
		n := *e
		n.Payload = uint32(len(w.sums))
		at, fresh := w.table.At(&n, w.table.Start(&n.Key))
		if fresh {
			w.sums = append(w.sums, sides{null: e.Payload != 0, first: row})
		}
		s := &w.sums[at.Payload]
		s.source++
		s.first = min(s.first, row)
	})
	if w.table.Len() > 0 {
		w.again(part, func(row uint32, s *sides) {
			if row < first {
				s.target++
			}
		})
	}
	return rows
}

// chunks calls f for each row of a partition, and returns their number.
func (w *mergeWorker[K]) chunks(part int, f func(e *entry[K])) (rows int64) {
	for _, from := range w.m.workers {
		from.parts.Chunks(part, func(chunk []entry[K]) {
			if w.watch.OverAfter(len(chunk)) {
				return
			}
			rows += int64(len(chunk))
			for i := range chunk {
				f(&chunk[i])
			}
		})
	}
	return rows
}

// again calls f for each row of a partition whose key the source has.
func (w *mergeWorker[K]) again(part int, f func(row uint32, s *sides)) {
	w.chunks(part, func(e *entry[K]) {
		if s := w.table.Find(e); s != nil {
			f(e.Row(), &w.sums[s.Payload])
		}
	})
}
