package grain

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/frame"
	"github.com/onerow-go/onerow/internal/keyset"
)

// entry's payload is a number of rows; its row is the first of them.
type entry[K keyset.Words] = keyset.Entry[K, uint32]

// counter is one worker's part of a check.
type counter[K keyset.Words] struct {
	keys  *keyset.Keys
	parts *keyset.Parts[K, uint32] // with bare, of keys that were counted at hand
	bare  *keyset.Bare             // nil unless keys are dealt out bare
	block *keyset.Block[K]
	hot   *keyset.Hot[K]
	table *keyset.Table[K, uint32]
	bares *keyset.Counts // with bare
	// With bare, once all is dealt out: rows finds rows, rank is the number of rows of a key of the partition that the worker is at.
	rows  *keyset.BareRows
	rank  func(key K) uint64
	nulls []onerow.ColumnNulls
	sum   Report
	worst keyset.Top[K]
}

func count[K keyset.Words](ctx context.Context, r *Report, t *frame.Table, keys *keyset.Keys, opts Options) error {
	bits, bare := keyset.PartBits(r.Rows), keyset.BareSuits[K](keys, r.Rows)
	if bare {
		bits = keyset.BareBits
	}
	spans := keyset.Spans(t.Lens(), t.Start)
	var workers []*counter[K]
	for range min(opts.Resources.WorkerCount(), max(len(spans), 1<<bits)) {
		workers = append(workers, newCounter[K](keys, bits, bare, t.Rows(), max(opts.Worst, 0)))
	}
	defer func() {
		for _, c := range workers {
			c.parts.Release()
			if c.bare != nil {
				c.bare.Release()
			}
		}
	}()
	progress := frame.NewProgress(opts.Resources)
	progress.Start(onerow.StageEncode, r.Rows)
	err := keyset.Run(ctx, len(workers), len(spans), func(w, task int) error {
		workers[w].deal(spans[task])
		progress.Add(int64(spans[task].N))
		return nil
	})
	if err != nil {
		return err
	}
	shared := new(atomic.Uint64)
	for _, c := range workers {
		c.drain()
		c.worst.Shared = shared
		c.setRows(workers)
	}
	keyed := r.Rows
	if opts.Nulls == NullsDistinct {
		for _, c := range workers {
			keyed -= c.sum.NullKeyRows
		}
	}
	progress.Start(onerow.StageGroup, keyed)
	err = keyset.Run(ctx, len(workers), 1<<bits, func(w, part int) error {
		progress.Add(workers[w].count(workers, part))
		return nil
	})
	if err != nil {
		return err
	}
	collect(r, workers)
	return list(ctx, r, workers, keys)
}

func newCounter[K keyset.Words](keys *keyset.Keys, bits int, bare bool, rows uint32, worst int) *counter[K] {
	c := &counter[K]{keys: keys, parts: keyset.NewParts[K, uint32](bits), block: keyset.NewBlock[K](keys),
		table: keyset.NewTable[K, uint32](keys), hot: keyset.HotCount[K](keys, rows, onerow.MaxSampleRows)}
	for _, col := range keys.Columns() {
		c.nulls = append(c.nulls, onerow.ColumnNulls{Column: col.Name})
	}
	if bare {
		c.bare, c.bares = keyset.NewBare(), keyset.NewCounts()
		c.parts = keyset.NewBareParts[K, uint32]()
	}
	c.worst.Limit = worst
	return c
}

// ones is the payload of plain rows.
var ones = func() []uint32 {
	v := make([]uint32, keyset.BlockRows)
	for i := range v {
		v[i] = 1
	}
	return v
}()

// deal reads the keys of a span and deals its rows out to the partitions.
func (c *counter[K]) deal(s keyset.Span) {
	s.Blocks(func(lo, n int, row uint32) {
		keyset.Read(c.keys, s.Chunk, lo, n, c.block)
		if c.block.NullRows > 0 {
			c.countNulls(row)
		}
		if c.hot.On() {
			c.absorb(row)
			return
		}
		c.hot.Look(c.block)
		var skip []uint8
		if c.block.AnyNull {
			skip = c.block.Null
		}
		if c.bare != nil {
			c.bare.AddBlock(oneWord(c.block.Keys), skip, row)
		} else {
			c.parts.AddBlock(c.block.Keys, ones[:n], skip, row)
		}
	})
}

func (c *counter[K]) countNulls(row uint32) {
	c.sum.NullKeyRows += int64(c.block.NullRows)
	for i, k := range c.block.NullCounts {
		if k == 0 {
			continue
		}
		col, first := c.keys.Columns()[i], row
		for !col.Null(first) {
			first++
		}
		if m := &c.nulls[i]; m.Rows == 0 || first < m.First {
			m.First = first
		}
		c.nulls[i].Rows += int64(k)
	}
}

// count counts the keys of one partition and returns the number of rows in it.
func (c *counter[K]) count(workers []*counter[K], part int) (rows int64) {
	if c.bare != nil {
		return c.countBare(workers, part)
	}
	c.table.Fill(func() {
		for _, from := range workers {
			from.parts.Chunks(part, func(chunk []entry[K]) { keyset.Sum(c.table, chunk) })
		}
	})
	c.sum.Keys += int64(c.table.Len())
	rows = c.walk(c.table.Slots(), part)
	c.worst.Trim(part, nil)
	return rows
}

// walk adds the keys of a table up, and returns the number of their rows; free slots have none. Only the worst keys take a branch: which slots are
// free can't be foretold.
func (c *counter[K]) walk(slots []entry[K], part int) (rows int64) {
	most, floor := uint32(0), max(c.worst.Floor(), 2)
	for i := range slots {
		n := slots[i].Payload
		again := n - min(n, 1)
		rows += int64(n)
		c.sum.DuplicateKeys += int64(min(again, 1))
		c.sum.DuplicateRows += int64(again)
		most = max(most, n)
		if uint64(n) >= floor {
			c.worst.Add(ranked(slots[i].Key, n, slots[i].Row1, part))
		}
	}
	c.most(most)
	return rows
}

func (c *counter[K]) most(copies uint32) {
	if copies > 1 {
		c.sum.MaxCopies = max(c.sum.MaxCopies, int64(copies))
	}
}

// collect adds the workers' counts up.
func collect[K keyset.Words](r *Report, workers []*counter[K]) {
	nulls := slices.Clone(workers[0].nulls)
	for w, c := range workers {
		r.Keys += c.sum.Keys
		r.DuplicateKeys += c.sum.DuplicateKeys
		r.DuplicateRows += c.sum.DuplicateRows
		r.NullKeyRows += c.sum.NullKeyRows
		r.MaxCopies = max(r.MaxCopies, c.sum.MaxCopies)
		for i, n := range c.nulls {
			if w == 0 || n.Rows == 0 {
				continue
			}
			if nulls[i].Rows == 0 || n.First < nulls[i].First {
				nulls[i].First = n.First
			}
			nulls[i].Rows += n.Rows
		}
	}
	if r.Keys > 0 {
		r.MaxCopies = max(r.MaxCopies, 1)
	}
	for _, n := range nulls {
		if n.Rows > 0 {
			r.Nulls = append(r.Nulls, n)
		}
	}
}
