package grain

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/frame"
	"github.com/onerow-go/onerow/internal/keyset"
)

// class says what kind of key a row has: equal keys are of one class.
type class uint8

const (
	// plain keys are neither of the others.
	plain class = iota
	// listed keys hold a value that may be a placeholder.
	listed
	// keyless keys hold NULL.
	keyless

	classes = 3

	// leftOut rows are of no class.
	leftOut class = 0xff
)

// sorted is the rows of a table by key, as far as keys repeat.
type sorted struct {
	// keys and rows count those of each class.
	keys, rows [classes]int64
	// groups are the rows of each key that repeats, and of each key with NULL. Keys stand in order of first appearance, rows in ascending
	// order. Nil if there are none.
	groups *keyset.Groups
}

// classify puts the classes of rows lo to lo+n of a batch, of which row is the number of the first, and says whether any isn't plain.
// nulls counts the NULLs of these rows for each key column.
type classify func(chunk, lo, n int, row uint32, nulls []int, to []class) (other bool)

// sortRows finds the keys that repeat. NULL equals NULL in the keys.
func sortRows(ctx context.Context, t *frame.Table, keys *keyset.Keys, f classify, res onerow.Resources) (*sorted, error) {
	if keys.OneWord() {
		return sortKeys[[1]uint64](ctx, t, keys, f, res)
	}
	return sortKeys[[2]uint64](ctx, t, keys, f, res)
}

func sortKeys[K keyset.Words](ctx context.Context, t *frame.Table, keys *keyset.Keys, f classify, res onerow.Resources) (*sorted, error) {
	bits := keyset.PartBits(int64(t.Rows()))
	spans := keyset.Spans(t.Lens(), t.Start)
	var workers []*sorter[K]
	for range min(res.WorkerCount(), max(len(spans), 1<<bits)) {
		workers = append(workers, newSorter[K](ctx, keys, bits))
	}
	defer func() {
		for _, s := range workers {
			for _, p := range s.parts {
				p.Release()
			}
		}
	}()
	progress := frame.NewProgress(res)
	progress.Start(onerow.StageEncode, int64(t.Rows()))
	err := keyset.Run(ctx, len(workers), len(spans), func(w, task int) error {
		workers[w].deal(spans[task], f)
		progress.Add(int64(spans[task].N))
		return nil
	})
	if err != nil {
		return nil, err
	}
	out, ids := &sorted{}, &groupIDs{rows: t.Rows()}
	for _, s := range workers {
		for c := range out.rows {
			out.rows[c] += s.rows[c]
		}
	}
	progress.Start(onerow.StageGroup, out.rows[plain]+out.rows[listed]+out.rows[keyless])
	err = keyset.Run(ctx, len(workers), classes<<bits, func(w, task int) error {
		progress.Add(workers[w].gather(workers, class(task%classes), task/classes, ids))
		return workers[w].watch.Err()
	})
	if err != nil {
		return nil, err
	}
	for _, s := range workers {
		for c := range out.keys {
			out.keys[c] += s.keys[c]
		}
	}
	out.groups, err = ids.groups(ctx)
	return out, err
}

// sorter is one worker's part.
type sorter[K keyset.Words] struct {
	keys, rows [classes]int64
	parts      [classes]*keyset.Parts[K, uint32]
	read       *keyset.Keys
	block      *keyset.Block[K]
	table      *keyset.Table[K, uint32] // a payload is a number of rows, then of a group
	found      [keyset.ChunkRows]*entry[K]
	class      [keyset.BlockRows]class
	skip       [keyset.BlockRows]uint8
	watch      keyset.Watch
}

func newSorter[K keyset.Words](ctx context.Context, keys *keyset.Keys, bits int) *sorter[K] {
	s := &sorter[K]{read: keys, block: keyset.NewBlock[K](keys), table: keyset.NewTable[K, uint32](keys), watch: keyset.NewWatch(ctx)}
	for c := range s.parts {
		s.parts[c] = keyset.NewParts[K, uint32](bits)
	}
	return s
}

// deal reads the keys of a span and deals its rows out, each class to partitions of its own.
func (s *sorter[K]) deal(span keyset.Span, f classify) {
	span.Blocks(func(lo, n int, row uint32) {
		keyset.Read(s.read, span.Chunk, lo, n, s.block)
		var skip []uint8
		if f(span.Chunk, lo, n, row, s.block.NullCounts, s.class[:n]) {
			skip = s.skip[:n]
			s.dealOthers(skip, row)
			n = 0
			for _, z := range skip {
				n += 1 - int(z)
			}
		}
		s.rows[plain] += int64(n)
		s.parts[plain].AddBlock(s.block.Keys, ones[:len(s.block.Keys)], skip, row)
	})
}

// dealOthers deals out what isn't plain, and marks it.
func (s *sorter[K]) dealOthers(skip []uint8, row uint32) {
	for i := range skip {
		c := s.class[i]
		if skip[i] = 1; c == plain {
			skip[i] = 0
		} else if c != leftOut {
			s.rows[c]++
			s.parts[c].Add(entry[K]{Key: s.block.Keys[i], Payload: 1, Row1: row + uint32(i) + 1})
		}
	}
}

// gather counts the keys of one class in one partition, and gives the rows of those that become groups their ids. It returns the number of
// rows.
func (s *sorter[K]) gather(workers []*sorter[K], c class, part int, ids *groupIDs) int64 {
	rows := 0
	for _, from := range workers {
		rows += from.parts[c].Rows(part)
	}
	if rows == 0 {
		return 0
	}
	t := s.table
	t.Fill(func() {
		s.each(workers, c, part, func(chunk []entry[K]) { keyset.Sum(t, chunk) })
	})
	s.keys[c] += int64(t.Len())
	if t.Len() == rows && c != keyless { // no key repeats
		return int64(rows)
	}
	least, groups := uint32(2), uint32(0)
	if c == keyless {
		least = 1
	}
	t.All(func(e *entry[K]) {
		if e.Payload < least {
			e.Payload = 0
			return
		}
		groups++
		e.Payload = groups
	})
	if groups > 0 {
		base := ids.reserve(groups)
		s.each(workers, c, part, func(chunk []entry[K]) {
			found := s.found[:len(chunk)]
			t.FindAll(chunk, found)
			for i, e := range found {
				if e.Payload > 0 {
					ids.of[chunk[i].Row()] = base + e.Payload - 1
				}
			}
		})
	}
	return int64(rows)
}

// each calls f with the entries of one class in one partition, until the context ends.
func (s *sorter[K]) each(workers []*sorter[K], c class, part int, f func([]entry[K])) {
	for _, from := range workers {
		from.parts[c].Chunks(part, func(chunk []entry[K]) {
			if !s.watch.OverAfter(len(chunk)) {
				f(chunk)
			}
		})
	}
}

// groupIDs collects the group of each row. Workers write to different rows.
type groupIDs struct {
	rows  uint32
	first sync.Once
	of    []uint32 // None for rows in no group; nil before the first group
	n     atomic.Uint32
}

// reserve returns the first of n new ids.
func (g *groupIDs) reserve(n uint32) uint32 {
	g.first.Do(func() {
		g.of = make([]uint32, g.rows)
		for i := range g.of {
			g.of[i] = keyset.None
		}
	})
	return g.n.Add(n) - n
}

// groups makes the groups, numbered by their first rows.
func (g *groupIDs) groups(ctx context.Context) (*keyset.Groups, error) {
	if g.of == nil {
		return nil, ctx.Err()
	}
	watch := keyset.NewWatch(ctx)
	number := make([]uint32, g.n.Load()) // 1 and up
	next := uint32(0)
	for row, id := range g.of {
		if watch.Over() {
			return nil, watch.Err()
		}
		if id == keyset.None {
			continue
		}
		if number[id] == 0 {
			next++
			number[id] = next
		}
		g.of[row] = number[id] - 1
	}
	return keyset.NewGroups(ctx, g.of, len(number))
}
