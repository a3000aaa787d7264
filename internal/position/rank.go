package position

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/keyset"
)

// cell is a cell that isn't NULL, and a word that never says otherwise than its value: a greater word is a greater cell, equal
// words say nothing.
type cell struct {
	word uint64
	lane uint32
	row  uint32
}

// rank sorts the cells of all columns and numbers those that differ.
func (l *Line) rank(ctx context.Context, workers int) error {
	l.unit = 0
	workers = max(workers, 1)
	cells, err := l.collect(ctx, workers)
	if err == nil {
		cells, err = l.sort(ctx, workers, cells)
	}
	if err != nil {
		return err
	}
	for i := range l.lanes {
		c := &l.lanes[i]
		c.turns, c.ranks = nil, make([]uint64, c.col.Rows())
	}
	n := uint64(0)
	for i := range cells {
		if i&0xffff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if i == 0 || l.compare(&cells[i-1], &cells[i]) != 0 {
			n++
		}
		l.lanes[cells[i].lane].ranks[cells[i].row] = n
	}
	return nil
}

func (l *Line) compare(a, b *cell) int {
	if a.word != b.word {
		return cmp.Compare(a.word, b.word)
	}
	x, y := l.lanes[a.lane].col, l.lanes[b.lane].col
	ka, i := x.At(a.row)
	kb, j := y.At(b.row)
	return form.Compare(x.Chunks[ka], i, y.Chunks[kb], j, form.ByValue)
}

// collect lists the cells of all columns.
func (l *Line) collect(ctx context.Context, workers int) ([]cell, error) {
	type task struct {
		lane uint32
		span keyset.Span
		at   int // its place in the list
	}
	var tasks []task
	n := 0
	for i, c := range l.lanes {
		for _, s := range keyset.Spans(lens(c.col), c.col.Start) {
			tasks = append(tasks, task{uint32(i), s, n})
			n += s.N
		}
	}
	cells, counts := make([]cell, n), make([]int, len(tasks))
	coarse := l.coarse()
	err := keyset.Run(ctx, workers, len(tasks), func(_, t int) error {
		room := l.rooms.Get().(*form.Block)
		lane, s, at := tasks[t].lane, tasks[t].span, tasks[t].at
		c := &l.lanes[lane]
		m := c.col.Chunks[s.Chunk].Measure()
		s.Blocks(func(lo, n int, row uint32) {
			c.reader.Read(s.Chunk, lo, n, room)
			for i, w := range room.K0 {
				if room.Null[i] == 0 {
					cells[at] = cell{coarse(m, w), lane, row + uint32(i)}
					at++
				}
			}
		})
		l.rooms.Put(room)
		counts[t] = at - tasks[t].at
		return nil
	})
	if err != nil {
		return nil, err
	}
	n = 0
	for t, k := range counts {
		n += copy(cells[n:], cells[tasks[t].at:tasks[t].at+k])
	}
	return cells[:n], nil
}

// coarse takes the ordinals of columns that differ in what they mean to words that agree. Of integers and times in their finest unit, which
// have up to 94 bits, the upper ones remain.
func (l *Line) coarse() func(m form.Measure, ordinal uint64) uint64 {
	widest, scales := uint64(1), map[int32]bool{}
	for _, c := range l.lanes {
		for _, a := range c.col.Chunks {
			m := a.Measure()
			widest = max(widest, m.Unit)
			if m.Decimals {
				scales[m.Scale] = true
			}
		}
	}
	drop := bits.Len64(widest)
	return func(m form.Measure, w uint64) uint64 {
		switch {
		case m.Integers:
			if !m.Unsigned {
				w ^= signBit
			}
			high, low := bits.Mul64(w, m.Unit)
			if !m.Unsigned && w >= signBit {
				high -= m.Unit
			}
			return (high<<(64-drop) | low>>drop) ^ signBit
		case len(scales) > 1:
			return 0
		}
		return w
	}
}

// runCells is the number of cells that are sorted at a time: some milliseconds of work.
const runCells = 1 << 14

func (l *Line) sort(ctx context.Context, workers int, cells []cell) ([]cell, error) {
	order := func(a, b cell) int { return l.compare(&a, &b) }
	n := len(cells)
	err := keyset.Run(ctx, workers, (n+runCells-1)/runCells, func(_, t int) error {
		slices.SortFunc(cells[t*runCells:min((t+1)*runCells, n)], order)
		return nil
	})
	into := make([]cell, n)
	for run := runCells; run < n && err == nil; run *= 2 {
		err = keyset.Run(ctx, workers, (n+2*run-1)/(2*run), func(_, t int) error {
			lo := 2 * t * run
			mid, hi := min(lo+run, n), min(lo+2*run, n)
			return l.merge(ctx, into[lo:hi], cells[lo:mid], cells[mid:hi])
		})
		cells, into = into, cells
	}
	return cells, err
}

func (l *Line) merge(ctx context.Context, into, a, b []cell) error {
	for i := range into {
		if i&0x3fff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if len(b) == 0 || len(a) > 0 && l.compare(&a[0], &b[0]) <= 0 {
			into[i], a = a[0], a[1:]
		} else {
			into[i], b = b[0], b[1:]
		}
	}
	return nil
}
