package grain

import (
	"context"
	"sync/atomic"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/keyset"
)

// merger brings the rows of each key of an ON clause together. NULL is a value to it; what a plain ON does with it is decided per key.
//
//	source rows ─► filter, partitions ─┐
//	target rows ─► filter ─► partitions ─► count: a table of the source's keys, which the target's rows look up
//
// Target rows whose key the source hasn't go no further than the filter, but for some that it lets pass.
type merger[K keyset.Words] struct {
	*mergeJob
	keys    *keyset.Keys
	filter  *filter // of the source's hashes; nil: all target rows are dealt
	workers []*mergeWorker[K]
	// rivals is there when a match may not act. It has, for the rows of keys that the target has and the source has twice or more: of a target
	// row, the number of source rows that act on it; of a source row, 1. All others are 0.
	rivals []uint32
	some   atomic.Bool // rivals has such rows
}

// The sides of a merge.
const (
	ofTarget = iota
	ofSource
)

// mergeWorker is one worker's part.
type mergeWorker[K keyset.Words] struct {
	m     *merger[K]
	watch keyset.Watch
	parts [2]*keyset.Parts[K, uint32] // by side; in those of the source a payload of 1 marks a key with NULL in it, all others are 0
	block *keyset.Block[K]
	pays  []uint32
	skip  []uint8
	table *keyset.Table[K, uint32] // a payload is the number of a key in sums
	found [keyset.ChunkRows]*entry[K]
	sums  []sides
	nulls []onerow.ColumnNulls
	sum   MergeReport

	conflicts, duplicates keyset.Top[K]
}

// sides are the counts of one key.
type sides struct {
	target, source           uint32
	firstTarget, firstSource uint32 // rows; that of the target means nothing without target rows
	null                     bool
}

// newMerger deals the rows that skip leaves, all if it is nil, out to partitions by key.
func newMerger[K keyset.Words](ctx context.Context, j *mergeJob, keys *keyset.Keys, skip []uint32, done func(rows int)) (*merger[K], error) {
	m := &merger[K]{mergeJob: j, keys: keys}
	rows := j.table.Rows()
	var spans [2][]keyset.Span
	for _, s := range keyset.Spans(j.table.Lens(), j.table.Start) {
		side := ofTarget
		if s.Row >= j.first {
			side = ofSource
		}
		spans[side] = append(spans[side], s)
	}
	if skip == nil && rows-j.first <= j.first {
		m.filter = newFilter(rows - j.first)
	}
	bits := keyset.PartBits(int64(rows))
	for range min(j.opts.Resources.WorkerCount(), max(len(spans[ofTarget]), len(spans[ofSource]), 1<<bits)) {
		m.workers = append(m.workers, newMergeWorker(ctx, m, bits))
	}
	for _, side := range []int{ofSource, ofTarget} {
		err := keyset.Run(ctx, len(m.workers), len(spans[side]), func(w, task int) error {
			m.workers[w].deal(side, spans[side][task], skip)
			done(spans[side][task].N)
			return nil
		})
		if err != nil {
			m.release()
			return nil, err
		}
	}
	return m, nil
}

func newMergeWorker[K keyset.Words](ctx context.Context, m *merger[K], bits int) *mergeWorker[K] {
	w := &mergeWorker[K]{m: m, watch: keyset.NewWatch(ctx), block: keyset.NewBlock[K](m.keys), table: keyset.NewTable[K, uint32](m.keys),
		pays: make([]uint32, keyset.BlockRows), skip: make([]uint8, keyset.BlockRows)}
	for side := range w.parts {
		w.parts[side] = keyset.NewParts[K, uint32](bits)
	}
	for _, c := range m.keys.Columns() {
		w.nulls = append(w.nulls, onerow.ColumnNulls{Column: m.sourceName(c.Name)})
	}
	w.conflicts.Limit, w.duplicates.Limit = max(m.opts.Worst, 0), max(m.opts.Worst, 0)
	return w
}

func (m *merger[K]) release() {
	for _, w := range m.workers {
		for _, p := range w.parts {
			p.Release()
		}
	}
}

// rows is the number of rows that were dealt.
func (m *merger[K]) rows() (n int64) {
	for part := range m.workers[0].parts[ofSource].Len() {
		for _, w := range m.workers {
			n += int64(w.parts[ofTarget].Rows(part) + w.parts[ofSource].Rows(part))
		}
	}
	return n
}

// each calls f for each partition.
func (m *merger[K]) each(ctx context.Context, f func(w *mergeWorker[K], part int)) error {
	return keyset.Run(ctx, len(m.workers), m.workers[0].parts[ofSource].Len(), func(w, part int) error {
		f(m.workers[w], part)
		return m.workers[w].watch.Err()
	})
}

// deal deals the rows of a span out to the partitions, but for those whose number in skip, if it isn't nil, is 0, and those that the filter
// knows to have no partner.
func (w *mergeWorker[K]) deal(side int, s keyset.Span, skip []uint32) {
	s.Blocks(func(lo, n int, row uint32) {
		var out []uint8
		if skip != nil {
			if out = w.skip[:n]; !zeros(skip[row:row+uint32(n)], out) {
				return
			}
		}
		keyset.Read(w.m.keys, s.Chunk, lo, n, w.block)
		pays := w.pays[:n]
		clear(pays)
		switch {
		case side == ofSource:
			w.markNulls(s.Chunk, lo, row, pays)
			if w.m.filter != nil {
				addKeys(w.m.filter, w.block.Keys)
			}
		case w.m.filter != nil:
			if out = w.skip[:n]; !strange(w.m.filter, w.block.Keys, out) {
				return
			}
		}
		w.parts[side].AddBlock(w.block.Keys, pays, out, row)
	})
}

// zeros puts 1 where a number is 0, else 0, and says whether some are not.
func zeros(numbers []uint32, to []uint8) (some bool) {
	clear(to)
	for i, r := range numbers {
		if r == 0 {
			to[i] = 1
		} else {
			some = true
		}
	}
	return some
}

// markNulls marks and counts the source rows of a block with NULL in their key.
func (w *mergeWorker[K]) markNulls(chunk, lo int, row uint32, marks []uint32) {
	if w.block.NullRows == 0 {
		return
	}
	w.sum.NullKeyRows += int64(w.block.NullRows)
	for c, k := range w.block.NullCounts {
		if k == 0 {
			continue
		}
		a, n := w.m.keys.Columns()[c].Chunks[chunk], &w.nulls[c]
		for i := range marks {
			if !a.Null(lo + i) {
				continue
			}
			marks[i] = 1
			if at := row + uint32(i); n.Rows == 0 || at < n.First {
				n.First = at
			}
			n.Rows++
		}
	}
}

// chunks calls f with the rows of a side in a partition, and returns their number.
func (w *mergeWorker[K]) chunks(side, part int, f func([]entry[K])) (rows int64) {
	for _, from := range w.m.workers {
		from.parts[side].Chunks(part, func(chunk []entry[K]) {
			if w.watch.OverAfter(len(chunk)) {
				return
			}
			rows += int64(len(chunk))
			f(chunk)
		})
	}
	return rows
}
