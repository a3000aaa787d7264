package join

import (
	"context"
	"sync/atomic"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/frame"
	"github.com/onerow-go/onerow/internal/keyset"
)

// sizeEntry's payload is a number of rows of one side; its row is the first of them.
type sizeEntry[K keyset.Words] = keyset.Entry[K, uint32]

// sizer is one worker's part of an estimate.
type sizer[K keyset.Words] struct {
	e     *estimate
	block *keyset.Block[K]
	by    [2]sizedSide[K]
	sum   sums
	worst keyset.Top[K]
	// oftenest are the keys with the most rows of a side: those that may turn out to be placeholders, or are.
	oftenest [2]keyset.Top[K]
	// repeats are the matched keys that repeat on a side.
	repeats [2]keyset.Top[K]
	bare    *barePairs[K] // nil unless keys are dealt out bare
	// ranks are the ranks of a key in the lists, where keys were dealt out bare, of the partition that the worker is at.
	ranks [len(sidesOfLists)]func(key K) uint64
	watch keyset.Watch
	// keys are being looked for, found is what they are found as, pairs are of both.
	keys  [atATime]sizeEntry[K]
	found [atATime]*sizeEntry[K]
	pairs [atATime]pair[K]
}

// atATime is how many keys are looked for at a time.
const atATime = 256

// pair is a key of both sides.
type pair[K keyset.Words] struct {
	key  K
	rows [2]uint32
	row1 uint32 // of the left side, as in its table's entry
}

// sizedSide is what a worker has of a side: the rows that it dealt out, and the keys of the partition that it is at.
type sizedSide[K keyset.Words] struct {
	parts *keyset.Parts[K, uint32] // with bare, of keys that were counted at hand
	bare  *keyset.Bare             // nil unless keys are dealt out bare
	hot   *keyset.Hot[K]
	table *keyset.Table[K, uint32]
	rows  *keyset.BareRows // with bare, once all is dealt out
	nulls []onerow.ColumnNulls
}

func countKeys[K keyset.Words](ctx context.Context, e *estimate) (*findings, error) {
	rows := [2]int64{e.frames[leftSide].Rows, e.frames[rightSide].Rows}
	bits, bare := keyset.PartBits(rows[leftSide]+rows[rightSide]), false
	if e.stream == nil && e.marked == nil && keyset.BareSuits[K](e.keys, rows[leftSide]+rows[rightSide]) {
		bits, bare = keyset.BareBits, true
	}
	spans := keyset.Spans(e.rows.Lens(), e.rows.Start)
	var workers []*sizer[K]
	for range min(e.workers(), max(len(spans), 1<<bits)) {
		workers = append(workers, newSizer[K](ctx, e, bits, bare))
	}
	defer func() {
		for _, w := range workers {
			w.release()
		}
	}()
	progress := e.progress
	if e.stream == nil {
		progress = frame.NewProgress(e.opts.Resources)
		progress.Start(onerow.StageEncode, rows[leftSide]+rows[rightSide])
	}
	err := keyset.Run(ctx, len(workers), len(spans), func(w, task int) error {
		workers[w].deal(spans[task])
		if e.stream == nil {
			progress.Add(int64(spans[task].N))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	f := &findings{}
	shared := [len(sidesOfLists)]atomic.Uint64{}
	for _, w := range workers {
		for i, list := range w.lists() {
			list.Shared = &shared[i]
		}
		w.drain(leftSide)
		w.drain(rightSide)
		f.sum.addNulls(&w.sum)
		w.setRows(workers)
	}
	if e.stream == nil {
		for side := range sideNames {
			f.nulls[side] = nullsOf(workers, side)
		}
		progress.Start(onerow.StageGroup, f.sum.keyed(rows[leftSide], leftSide, e.opts.Nulls)+f.sum.keyed(rows[rightSide], rightSide, e.opts.Nulls))
	}
	err = keyset.Run(ctx, len(workers), 1<<bits, func(w, part int) error {
		n, err := workers[w].count(workers, part)
		progress.Add(n)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, w := range workers {
		f.sum.add(&w.sum)
	}
	return f, findKeys(ctx, e, workers, f)
}

func newSizer[K keyset.Words](ctx context.Context, e *estimate, bits int, bare bool) *sizer[K] {
	w := &sizer[K]{e: e, block: keyset.NewBlock[K](e.keys), watch: keyset.NewWatch(ctx)}
	w.worst.Limit = int(min(int64(max(e.opts.Worst, 0)), int64(e.rows.Rows())))
	for side := range w.by {
		w.by[side] = sizedSide[K]{parts: keyset.NewParts[K, uint32](bits), table: keyset.NewTable[K, uint32](e.keys),
			hot: keyset.HotCount[K](e.keys, e.repeating(side), onerow.MaxSampleRows), nulls: make([]onerow.ColumnNulls, len(e.cols))}
		if bare {
			w.by[side].bare = keyset.NewBare()
			w.by[side].parts = keyset.NewBareParts[K, uint32]()
		}
		w.oftenest[side].Limit = maxPlaceholders
		w.repeats[side].Limit = onerow.MaxSampleKeys
	}
	if bare {
		w.bare = newBarePairs(w)
	}
	return w
}

func (w *sizer[K]) release() {
	for side := range w.by {
		w.by[side].parts.Release()
		if bare := w.by[side].bare; bare != nil {
			bare.Release()
		}
	}
}

// repeating is the number of rows of a side among which keys may repeat.
func (e *estimate) repeating(side int) uint32 {
	if e.stream != nil {
		return 0
	}
	return uint32(e.frames[side].Rows)
}

// ones is the payload of plain rows.
var ones = func() []uint32 {
	v := make([]uint32, keyset.BlockRows)
	for i := range v {
		v[i] = 1
	}
	return v
}()

// deal reads the keys of a span, which is of one side, and deals its rows out to the partitions.
func (w *sizer[K]) deal(s keyset.Span) {
	side := w.e.of(s.Row)
	by := &w.by[side]
	s.Blocks(func(lo, n int, row uint32) {
		keyset.Read(w.e.keys, s.Chunk, lo, n, w.block)
		count := ones[:n]
		if w.e.stream != nil {
			first := w.e.own(row)
			count = w.e.stream[side].held.counts[first:][:n]
		} else if w.block.NullRows > 0 {
			w.countNulls(side, row)
		}
		if by.hot.On() {
			w.absorb(side, row)
			return
		}
		by.hot.Look(w.block)
		var skip []uint8
		if w.block.AnyNull {
			skip = w.block.Null
		}
		if by.bare != nil {
			by.bare.AddBlock(oneWord(w.block.Keys), skip, row)
		} else {
			by.parts.AddBlock(w.block.Keys, count, skip, row)
		}
	})
}

func (w *sizer[K]) countNulls(side int, row uint32) {
	w.sum.nullRows[side] += int64(w.block.NullRows)
	for i, k := range w.block.NullCounts {
		if k == 0 {
			continue
		}
		first := row
		for !w.e.cols[i].Null(first) {
			first++
		}
		addNulls(&w.by[side].nulls[i], onerow.ColumnNulls{Rows: int64(k), First: w.e.own(first)})
	}
}

func addNulls(to *onerow.ColumnNulls, n onerow.ColumnNulls) {
	if n.Rows == 0 {
		return
	}
	if to.Rows == 0 || n.First < to.First {
		to.First = n.First
	}
	to.Rows += n.Rows
}

// nullsOf adds up what the workers counted for the columns of a side.
func nullsOf[K keyset.Words](workers []*sizer[K], side int) (out []onerow.ColumnNulls) {
	for i, name := range workers[0].e.names(side) {
		n := onerow.ColumnNulls{Column: name}
		for _, w := range workers {
			addNulls(&n, w.by[side].nulls[i])
		}
		if n.Rows > 0 {
			out = append(out, n)
		}
	}
	return out
}
