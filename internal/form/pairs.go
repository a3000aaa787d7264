package form

import (
	"sync"

	"github.com/apache/arrow/go/v15/arrow/decimal128"
)

// SamePairs compares rows of a column pair by pair: it clears same[k] where the cells of rows as[k] and bs[k] aren't equal as keys; NULL
// equals NULL. Pairs that are known to differ are passed over.
//
// Pairs lie anywhere, so that each cell is a cache miss. One column at a time, and with nothing between two loads that could be guessed wrong,
// the processor has many of them under way at once: that is what this is for. So pairs are taken a block at a time, those that are known to
// differ are left out first, and cells are loaded before any is compared.
func (c *Column) SamePairs(as, bs []uint32, same []bool) {
	compare := c.pairLoop()
	p := pairRooms.Get().(*pairs)
	defer pairRooms.Put(p) // nothing in it outlives a block
	for lo := 0; lo < len(as); lo += pairBlock {
		hi := min(lo+pairBlock, len(as))
		if n := p.take(as[lo:hi], bs[lo:hi], same[lo:hi]); n > 0 {
			p.a.find(c, p.a.rows[:n])
			p.b.find(c, p.b.rows[:n])
			compare(c, p, n)
			for k, at := range p.at[:n] {
				same[lo+int(at)] = p.same[k]
			}
		}
	}
}

// Quick says whether the cells of a column are of few bytes each, of one width, so that it is well compared before others.
func (c *Column) Quick() bool {
	kind, ok := c.oneKind()
	return ok && kind <= KindF64
}

const pairBlock = 256

var pairRooms = sync.Pool{New: func() any { return new(pairs) }}

// pairs is a block of pairs that aren't known to differ.
type pairs struct {
	a, b    pairSide
	at      [pairBlock]uint8 // the place in the block
	same    [pairBlock]bool  // written by the loops
	touched byte             // what was loaded to have it in the cache
}

// pairSide is one side of the pairs.
type pairSide struct {
	rows  [pairBlock]uint32
	chunk *Array // that all rows are of; nil when they are of several
	start uint32 // the number of its first row
	null  [pairBlock]bool
}

// find finds the chunk that all of some rows are of.
func (s *pairSide) find(c *Column, rows []uint32) {
	k, _ := c.At(rows[0])
	s.chunk, s.start = c.Chunks[k], c.Start(k)
	n, outside := uint32(s.chunk.Len), false
	for _, row := range rows {
		outside = outside || row-s.start >= n
	}
	if outside {
		s.chunk = nil
	}
}

// take leaves out the pairs that are known to differ.
func (p *pairs) take(as, bs []uint32, same []bool) int {
	n := uint8(0)
	bs, same = bs[:len(as)], same[:len(as)]
	all := true
	for k, a := range as {
		p.a.rows[n], p.b.rows[n], p.at[n] = a, bs[k], uint8(k)
		all = all && same[k]
		if same[k] {
			n++
		}
	}
	if all && len(as) == pairBlock {
		return pairBlock // n has gone around
	}
	return int(n)
}

// pairLoop chooses what compares a block of pairs.
func (c *Column) pairLoop() func(c *Column, p *pairs, n int) {
	kind, ok := c.oneKind()
	if !ok {
		return (*Column).anyPairs
	}
	switch kind {
	case KindBool:
		return (*Column).boolPairs
	case KindI8:
		return fixedPairs(func(a *Array) []int8 { return a.i8 })
	case KindI16:
		return fixedPairs(func(a *Array) []int16 { return a.i16 })
	case KindI32:
		return fixedPairs(func(a *Array) []int32 { return a.i32 })
	case KindI64:
		return fixedPairs(func(a *Array) []int64 { return a.i64 })
	case KindU8:
		return fixedPairs(func(a *Array) []uint8 { return a.u8 })
	case KindU16:
		return fixedPairs(func(a *Array) []uint16 { return a.u16 })
	case KindU32:
		return fixedPairs(func(a *Array) []uint32 { return a.u32 })
	case KindU64:
		return fixedPairs(func(a *Array) []uint64 { return a.u64 })
	case KindF32:
		return fixedPairs(func(a *Array) []float32 { return a.f32 })
	case KindF64:
		return fixedPairs(func(a *Array) []float64 { return a.f64 })
	case KindDec128:
		return fixedPairs(func(a *Array) []decimal128.Num { return a.d128 })
	case KindBytes32:
		return (*Column).textPairs
	}
	return (*Column).anyPairs
}

// oneKind is the kind, unit and scale that all chunks have, but for those without a value.
func (c *Column) oneKind() (kind Kind, ok bool) {
	var mul uint64
	var scale int32
	for _, a := range c.Chunks {
		switch {
		case a.Kind == KindNull || a.Len == 0:
		case mul == 0:
			kind, mul, scale = a.Kind, a.mul, a.scale
		case kind != a.Kind || mul != a.mul || scale != a.scale:
			return 0, false
		}
	}
	return kind, mul != 0
}

func (c *Column) anyPairs(p *pairs, n int) {
	for k, a := range p.a.rows[:n] {
		p.same[k] = c.Compare(a, p.b.rows[k], ByValue) == 0
	}
}

// fixedPairs compares cells of fixed width.
func fixedPairs[T comparable](values func(*Array) []T) func(c *Column, p *pairs, n int) {
	return func(c *Column, p *pairs, n int) {
		var xs, ys [pairBlock]T
		if !loadCells(c, &p.a, xs[:n], values) || !loadCells(c, &p.b, ys[:n], values) {
			c.anyPairs(p, n)
			return
		}
		for k := range n {
			x, y := xs[k], ys[k]
			p.same[k] = x == y || x != x && y != y
		}
		c.minusNulls(p, n)
	}
}

// loadCells loads cells; those of NULL mean nothing. It fails where a chunk has fewer than its rows, as those without any value may.
func loadCells[T any](c *Column, s *pairSide, out []T, values func(*Array) []T) bool {
	rows := s.rows[:len(out)]
	if a, start := s.chunk, s.start; a != nil {
		cells := values(a)
		if a.Kind == KindNull || len(cells) < a.off+a.Len {
			return false
		}
		cells = cells[a.off : a.off+a.Len]
		for k, row := range rows {
			out[k] = cells[row-start]
		}
		return true
	}
	for k, row := range rows {
		i, at := c.At(row)
		a := c.Chunks[i]
		cells := values(a)
		if at += a.off; a.Kind == KindNull || at >= len(cells) {
			return false
		}
		out[k] = cells[at]
	}
	return true
}

// minusNulls puts right what was said of pairs with NULL.
func (c *Column) minusNulls(p *pairs, n int) {
	an, bn := p.a.loadNulls(c, n), p.b.loadNulls(c, n)
	if !an && !bn {
		return
	}
	for k := range n {
		if x, y := p.a.null[k], p.b.null[k]; x || y {
			p.same[k] = x && y
		}
	}
}

// loadNulls says which of some cells are NULL, of arrays that have validity bits alone; some is false when none can be.
func (s *pairSide) loadNulls(c *Column, n int) (some bool) {
	rows, null := s.rows[:n], s.null[:n]
	if a := s.chunk; a != nil {
		if a.valid == nil {
			clear(null)
			return false
		}
		for k, row := range rows {
			null[k] = !bit(a.valid, a.off+int(row-s.start))
		}
		return true
	}
	for k, row := range rows {
		i, at := c.At(row)
		a := c.Chunks[i]
		null[k] = a.valid != nil && !bit(a.valid, a.off+at)
	}
	return true
}

func (c *Column) boolPairs(p *pairs, n int) {
	var xs, ys [pairBlock]bool
	if !p.a.loadBits(c, xs[:n]) || !p.b.loadBits(c, ys[:n]) {
		c.anyPairs(p, n)
		return
	}
	for k := range n {
		p.same[k] = xs[k] == ys[k]
	}
	c.minusNulls(p, n)
}

func (s *pairSide) loadBits(c *Column, out []bool) bool {
	rows := s.rows[:len(out)]
	if a := s.chunk; a != nil && a.Kind == KindBool && 8*len(a.bits) >= a.off+a.Len {
		for k, row := range rows {
			out[k] = bit(a.bits, a.off+int(row-s.start))
		}
		return true
	}
	for k, row := range rows {
		i, at := c.At(row)
		a := c.Chunks[i]
		if at += a.off; a.Kind == KindNull || at >= 8*len(a.bits) {
			return false
		}
		out[k] = bit(a.bits, at)
	}
	return true
}

// pairTexts are where the bytes of some cells of one chunk are.
type pairTexts struct {
	data     []byte
	from, to [pairBlock]int32
}

// textPairs compares bytes behind 32-bit offsets: the offsets of all pairs first, then the bytes of those of one length.
func (c *Column) textPairs(p *pairs, n int) {
	var x, y pairTexts
	if !p.a.loadOffsets(c, n, &x) || !p.b.loadOffsets(c, n, &y) {
		c.cellPairs(p, n)
		return
	}
	var alike [pairBlock]uint8 // pairs of one length
	count, touched := 0, byte(0)
	for k := range n {
		alike[count] = uint8(k)
		p.same[k] = x.to[k]-x.from[k] == y.to[k]-y.from[k] && p.a.null[k] == p.b.null[k]
		if p.same[k] {
			count++
		}
		if count == pairBlock {
			break // k was the last
		}
	}
	for _, k := range alike[:count] {
		touched |= x.first(k) | y.first(k)
	}
	p.touched = touched
	for _, k := range alike[:count] {
		p.same[k] = string(x.data[x.from[k]:x.to[k]]) == string(y.data[y.from[k]:y.to[k]])
	}
}

// first loads a byte of a cell, for the sake of loading.
func (t *pairTexts) first(k uint8) byte {
	if at := uint(t.from[k]); at < uint(len(t.data)) {
		return t.data[at]
	}
	return 0
}

// loadOffsets loads where the bytes of cells of one chunk are; those of NULL are empty.
func (s *pairSide) loadOffsets(c *Column, n int, t *pairTexts) bool {
	a, start, rows := s.chunk, s.start, s.rows[:n]
	if a == nil || a.Kind == KindNull || len(a.i32) < a.off+a.Len+1 {
		return false
	}
	t.data = a.data
	offsets := a.i32[a.off : a.off+a.Len+1]
	for k, row := range rows {
		i := row - start
		t.from[k], t.to[k] = offsets[i], offsets[i+1]
	}
	if s.loadNulls(c, n) {
		for k := range rows {
			if s.null[k] {
				t.from[k], t.to[k] = 0, 0
			}
		}
	}
	return true
}

// cellPairs is textPairs for cells of several chunks.
func (c *Column) cellPairs(p *pairs, n int) {
	var xs, ys [pairBlock][]byte
	if !p.a.loadTexts(c, xs[:n]) || !p.b.loadTexts(c, ys[:n]) {
		c.anyPairs(p, n)
		return
	}
	touched := byte(0)
	for k := range n {
		x, y := xs[k], ys[k]
		if p.same[k] = len(x) == len(y) && p.a.null[k] == p.b.null[k]; p.same[k] && len(x) > 0 {
			touched |= x[0] | y[0]
		}
	}
	p.touched = touched
	for k := range n {
		p.same[k] = p.same[k] && string(xs[k]) == string(ys[k])
	}
}

// loadTexts loads where the bytes of cells are; those of NULL are empty.
func (s *pairSide) loadTexts(c *Column, out [][]byte) bool {
	s.loadNulls(c, len(out))
	for k, row := range s.rows[:len(out)] {
		i, at := c.At(row)
		a := c.Chunks[i]
		if a.Kind == KindNull {
			return false
		}
		out[k] = nil
		if !s.null[k] {
			out[k] = a.bytes(at)
		}
	}
	return true
}
