package dedupe

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/keyset"
	"github.com/onerow-go/onerow/internal/take"
)

// heap makes the buffers that a guard holds. They need no release.
var heap = memory.NewGoAllocator()

// A place is the number of a chunk and the number of a row in it.
const (
	rowBits   = 17
	maxChunk  = 1 << rowBits // rows
	maxChunks = 1<<(32-rowBits) - 1
	// maxMerged bounds the bytes of chunks that are laid together, far below what 32-bit offsets can address.
	maxMerged = 1 << 29
)

// held are the rows that a guard holds, in chunks that never change. A row that is replaced or forgotten is dead, until its chunk is laid together
// with others.
type held struct {
	schema   *arrow.Schema // plain; nil: no batch said yet which columns there are
	keyAt    []int
	orderAt  []int
	opAt     int // -1: none
	snapshot *form.Matcher
	fills    []heldFill
	nullKeys bool          // a key may have NULL in it
	chunks   []*guardChunk // by number; nil: free
	index    guardIndex
	scale    guardScale
	workers  int // of the options: they make records of many rows
}

// heldFill is a column to carry forward from: it must have the type that it came with.
type heldFill struct {
	at    int
	field arrow.Field
}

type guardChunk struct {
	rec   arrow.Record
	keys  []*form.Array
	order []*form.Array
	op    *form.Array // nil: no row is a snapshot read
	dead  keyset.Bitmap
	live  int
	bytes int64
}

func newHeld(o orders, workers int) held {
	h := held{index: newGuardIndex(), opAt: -1, workers: workers}
	if len(o) > 0 {
		h.scale = newGuardScale(&o[0])
	}
	return h
}

// setSchema sets the columns, from those of a target or the first rows. The key and order columns are in it.
func (h *held) setSchema(s *arrow.Schema, g *Guard) (err error) {
	h.schema = take.PlainSchema(s)
	for _, k := range g.key {
		h.keyAt = append(h.keyAt, s.FieldIndices(k)[0])
	}
	for _, o := range g.order {
		h.orderAt = append(h.orderAt, s.FieldIndices(o.Column)[0])
	}
	if at := s.FieldIndices(g.opts.Op.Column); len(at) == 1 && g.opts.Op.Column != "" {
		h.opAt = at[0]
		h.snapshot, err = heldMatcher(h.schema.Field(h.opAt).Type, g.opts.Op.Snapshot)
	}
	for _, f := range g.opts.Fill {
		if at := s.FieldIndices(f.Column); len(at) == 1 && !form.SameType(s.Field(at[0]).Type, h.schema.Field(at[0]).Type) {
			h.fills = append(h.fills, heldFill{at[0], s.Field(at[0])})
		}
	}
	return err
}

// chunk makes a chunk of a record of the schema.
func (h *held) chunk(rec arrow.Record) (*guardChunk, error) {
	c := &guardChunk{rec: rec, dead: keyset.NewBitmap(uint32(rec.NumRows())), live: int(rec.NumRows())}
	var err error
	read := func(at int) *form.Array {
		a, e := form.Of(rec.Column(at))
		err = cmp.Or(err, e)
		return a
	}
	for _, at := range h.keyAt {
		c.keys = append(c.keys, read(at))
	}
	for _, at := range h.orderAt {
		c.order = append(c.order, read(at))
	}
	if h.snapshot != nil {
		c.op = read(h.opAt)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", onerow.ErrMalformed, err)
	}
	for _, col := range rec.Columns() {
		c.bytes += bytesBelow(col.Data())
	}
	return c, nil
}

// free returns the numbers of n chunks that are free.
func (h *held) free(n int) ([]uint32, error) {
	var free []uint32
	for k := 0; len(free) < n; k++ {
		switch {
		case k == maxChunks:
			return nil, fmt.Errorf("%w: a guard can't hold more", onerow.ErrTooManyRows)
		case k >= len(h.chunks) || h.chunks[k] == nil:
			free = append(free, uint32(k))
		}
	}
	return free, nil
}

func (h *held) set(number uint32, c *guardChunk) {
	for int(number) >= len(h.chunks) {
		h.chunks = append(h.chunks, nil)
	}
	h.chunks[number] = c
}

func (h *held) at(place uint32) (c *guardChunk, row int) {
	return h.chunks[place>>rowBits], int(place & (maxChunk - 1))
}

// kill marks the row at a place as dead.
func (h *held) kill(place uint32) {
	c, row := h.at(place)
	c.dead.Set(uint32(row))
	c.live--
}

// find returns the slot of the key of row i of some cells.
func (h *held) find(word uint64, cells []*form.Array, i int) *guardSlot {
	return h.index.find(word, func(place uint32) bool {
		c, row := h.at(place)
		return sameCells(cells, i, c.keys, row)
	})
}

// layOut numbers the rows of all chunks one after the other.
func (h *held) layOut() (chunks []arrow.Record, starts []uint32) {
	starts = make([]uint32, len(h.chunks))
	n := uint32(0)
	for k, c := range h.chunks {
		if starts[k] = n; c != nil {
			chunks = append(chunks, c.rec)
			n += uint32(c.rec.NumRows())
		}
	}
	return chunks, starts
}

// tidy lays chunks of like size together, without their dead rows, and those that are half dead anew. So a row is moved a number of times that grows with the
// logarithm of the rows, there are few chunks, and dead rows are no more than live ones. What fails, such as for a context that ends, is left to
// the next time: it changes nothing but the time that calls take.
func (h *held) tidy(ctx context.Context, secret *guardSecret) {
	for {
		together := h.untidy()
		if together == nil || h.merge(ctx, secret, together) != nil {
			return
		}
	}
}

// untidy returns the numbers of chunks that are to become one, or nil.
func (h *held) untidy() []uint32 {
	var all []uint32
	for k, c := range h.chunks {
		switch {
		case c == nil:
		case c.live == 0, 2*c.live < int(c.rec.NumRows()):
			return []uint32{uint32(k)}
		default:
			all = append(all, uint32(k))
		}
	}
	slices.SortFunc(all, func(a, b uint32) int { return cmp.Compare(h.chunks[a].live, h.chunks[b].live) })
	for i := range max(0, len(all)-1) {
		a, b := h.chunks[all[i]], h.chunks[all[i+1]]
		if 2*a.live >= b.live && a.live+b.live <= maxChunk && a.bytes+b.bytes <= maxMerged {
			return []uint32{all[i], all[i+1]}
		}
	}
	return nil
}

// take makes a record that the guard can hold.
func (h *held) take(ctx context.Context, recs []arrow.Record, rows []uint32) (arrow.Record, error) {
	return onerow.Take(ctx, recs, rows, onerow.Resources{Workers: h.workers, Allocator: heap})
}

// merge makes one chunk of the live rows of some.
func (h *held) merge(ctx context.Context, secret *guardSecret, numbers []uint32) error {
	var recs []arrow.Record
	var rows, places []uint32
	start := uint32(0)
	for _, k := range numbers {
		c := h.chunks[k]
		for i := range uint32(c.rec.NumRows()) {
			if !c.dead.Has(i) {
				rows, places = append(rows, start+i), append(places, k<<rowBits|i)
			}
		}
		recs = append(recs, c.rec)
		start += uint32(c.rec.NumRows())
	}
	var merged *guardChunk
	if len(rows) > 0 {
		rec, err := h.take(ctx, recs, rows)
		if err != nil {
			return err
		}
		if merged, err = h.chunk(rec); err != nil {
			return err
		}
	}
	// The first number goes on, and from here on nothing fails. A row never gets a place that one behind it still has: those of the first chunk
	// come first and only move up.
	if len(rows) > 0 {
		keys, words := secret.reader(merged.keys), make([]uint64, wordBlock)
		for lo := 0; lo < len(places); lo += wordBlock {
			olds := places[lo:min(lo+wordBlock, len(places))]
			keys.read(lo, words[:len(olds)])
			h.index.move(words, olds, (numbers[0]<<rowBits|uint32(lo))+1)
		}
	}
	for _, k := range numbers {
		h.chunks[k] = nil
	}
	h.chunks[numbers[0]] = merged
	return nil
}
