package dedupe

import (
	"math"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/order"
)

// guardScale maps the ordinals of the first order column (form.Ordinal) to ranks of 32 bits, growing with them: a greater rank is a greater row, equal
// ranks say nothing. The ordinals of rows that are held are never cut off: the scale grows with them, to more than they need, so that this is seldom.
type guardScale struct {
	base, top uint64 // ordinals below and above are cut off
	shift     uint8
	set       bool   // a row is held
	down      uint32 // flips all bits where the least value wins
	null      uint32
}

func newGuardScale(by *order.By) guardScale {
	s := guardScale{}
	if by.Ascending {
		s.down = math.MaxUint32
	}
	if by.Nulls == order.Highest {
		s.null = math.MaxUint32
	}
	s.null ^= s.down
	return s
}

// rank has 0 and the greatest for what is cut off.
func (s *guardScale) rank(ordinal uint64) uint32 {
	switch {
	case ordinal < s.base:
		return s.down
	case ordinal > s.top:
		return ^s.down
	}
	return (uint32(ordinal>>(s.shift&63)-s.base>>(s.shift&63)) + 1) ^ s.down
}

// fits says whether ordinals are on the scale.
func (s *guardScale) fits(low, high uint64) bool { return s.set && s.base <= low && high <= s.top }

// widened returns a scale for the ordinals of this one and others, with as much room again.
func (s *guardScale) widened(low, high uint64) guardScale {
	w := *s
	if s.set {
		low, high = min(low, s.base), max(high, s.top)
	}
	half := (high - low) / 2
	w.base, w.top, w.set = low-min(low, half), high+min(half, math.MaxUint64-high), true
	for w.top>>w.shift-w.base>>w.shift > math.MaxUint32-2 {
		w.shift++
	}
	return w
}

// moved takes a rank to another scale that has all of this one and is no finer. Where nothing is cut off, there are only those of NULLs and
// snapshots at the ends, which stay there.
func (s *guardScale) moved(rank uint32, to *guardScale) uint32 {
	rank ^= s.down
	if rank != 0 && rank != math.MaxUint32 {
		kept := uint64(rank-1) + s.base>>s.shift
		rank = uint32(kept>>(to.shift-s.shift)-to.base>>to.shift) + 1
	}
	return rank ^ s.down
}

// rankReader reads the ranks of the rows of one batch or chunk. It belongs to one goroutine.
type rankReader struct {
	first    *form.Array // of the first order column
	op       *form.Array // nil: no row is a snapshot read
	snapshot *form.Matcher
	reader   *form.Reader
	block    *form.Block
}

// ordinals reads the rows from lo on, at most wordBlock. Without NULL, null is nil.
func (r *rankReader) ordinals(lo, n int) (words []uint64, flip uint64, null []uint8) {
	if words, _ := r.first.Raw(lo, n); words != nil {
		return words, r.first.Flip(), nil
	}
	if r.block == nil {
		r.reader, r.block = form.NewReader([]*form.Array{r.first}, form.Ordinal), form.NewBlock(wordBlock)
	}
	if r.reader.Read(0, lo, n, r.block); r.block.AnyNull {
		null = r.block.Null
	}
	return r.block.K0, 0, null
}

// read puts the ranks of the rows from lo on, at most wordBlock. Snapshot reads are below all others, or not above.
func (r *rankReader) read(s *guardScale, lo int, dst []uint32) {
	words, flip, null := r.ordinals(lo, len(dst))
	for i, w := range words[:len(dst)] {
		dst[i] = s.rank(w ^ flip)
	}
	for i, z := range null {
		if z != 0 {
			dst[i] = s.null
		}
	}
	if r.op != nil {
		for i := range dst {
			if r.snapshot.Match(r.op, lo+i) {
				dst[i] = 0
			}
		}
	}
}

// limits returns the least and the greatest ordinal of some rows; ok is false when all are NULL.
func (r *rankReader) limits(rows int) (low, high uint64, ok bool) {
	low = math.MaxUint64
	for lo := 0; lo < rows; lo += wordBlock {
		words, flip, null := r.ordinals(lo, min(wordBlock, rows-lo))
		for i, w := range words {
			if null == nil || null[i] == 0 {
				low, high, ok = min(low, w^flip), max(high, w^flip), true
			}
		}
	}
	return low, high, ok
}

// ranks returns the ranks of the rows of a chunk that comes, after the scale was widened for them.
func (h *held) ranks(c *guardChunk) []uint32 {
	rows := int(c.rec.NumRows())
	out := make([]uint32, rows)
	if len(c.order) == 0 {
		return out
	}
	r := rankReader{first: c.order[0], op: c.op, snapshot: h.snapshot}
	if low, high, ok := r.limits(rows); ok && !h.scale.fits(low, high) {
		wide := h.scale.widened(low, high)
		for i := range h.index.slots {
			if s := &h.index.slots[i]; s.place1 != 0 {
				s.rank = h.scale.moved(s.rank, &wide)
			}
		}
		h.scale = wide
	}
	for lo := 0; lo < rows; lo += wordBlock {
		r.read(&h.scale, lo, out[lo:min(lo+wordBlock, rows)])
	}
	return out
}

// orders is the order of a guard, to compare cells by. Arrays are one an order column.
type orders []order.By

func ordersOf(by []onerow.Order) orders {
	out := make(orders, len(by))
	for i, o := range by {
		if out[i].Ascending = o.Ascending; o.Nulls == onerow.NullsAreHighest {
			out[i].Nulls = order.Highest
		}
	}
	return out
}

// compare ranks two rows, as order.Order does; snap says which are snapshot reads.
func (o orders) compare(a []*form.Array, i int, aSnap bool, b []*form.Array, j int, bSnap bool) int {
	switch {
	case aSnap && !bSnap:
		return -1
	case bSnap && !aSnap:
		return 1
	}
	for k := range o {
		if c := o[k].CompareCells(a[k], i, b[k], j); c != 0 {
			return c
		}
	}
	return 0
}
