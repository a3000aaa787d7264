package take

import (
	"math"
	"slices"
	"sort"
	"sync"

	"github.com/apache/arrow/go/v15/arrow/bitutil"
)

// block is the number of output rows of a part, a multiple of 64. It bounds the length of a segment, so that a loop over one is short enough not to
// look at the context.
const block = 1 << 15

// picks says which element each output row takes.
type picks struct {
	// rows and segs give the element: row k lies in one segment s, and takes element rows[k]+s.base of chunk s.chunk.
	rows []uint32
	segs []segment
	// mask is nil, or a bitmap over the output rows: where its bit is 0 the row is NULL and its element isn't read. It
	// may be longer than the rows.
	mask []byte
}

// segment is a run of output rows [lo, hi) that take elements of one chunk. The segments of a row list follow each
// other without gaps. None lies in two parts.
type segment struct {
	chunk, base int
	lo, hi      int
}

// room is how many rows can be added to a segment that is the last.
func (s *segment) room() int { return partEnd(s.lo) - s.hi }

// parts is the number of parts of the output rows: block of them each, the last as many as there are.
func (p *picks) parts() int { return (len(p.rows) + block - 1) / block }

// part returns the segments of part i.
func (p *picks) part(i int) []segment {
	lo := sort.Search(len(p.segs), func(s int) bool { return p.segs[s].lo >= i*block })
	n := sort.Search(len(p.segs)-lo, func(s int) bool { return p.segs[lo+s].lo >= (i+1)*block })
	return p.segs[lo : lo+n]
}

// locate makes picks of row numbers that run on from chunk to chunk. starts holds the number of the first row of each
// chunk, and the number of all rows at the end. The rows are dealt to workers goroutines.
func locate(starts []int64, rows []uint32, workers int) (*picks, error) {
	p := &picks{rows: rows}
	n := min(workers, p.parts())
	if n < 2 {
		var err error
		p.segs, err = segments(starts, rows, 0, len(rows))
		return p, err
	}
	segs, errs := make([][]segment, n), make([]error, n)
	cut := func(w int) int { return min(len(rows), p.parts()*w/n*block) }
	var wg sync.WaitGroup
	for w := range n {
		wg.Go(func() { segs[w], errs[w] = segments(starts, rows, cut(w), cut(w+1)) })
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	p.segs = slices.Concat(segs...)
	return p, nil
}

// segments makes the segments of the rows from lo to end.
func segments(starts []int64, rows []uint32, lo, end int) ([]segment, error) {
	var segs []segment
	first, total := lo, starts[len(starts)-1]
	for lo < end {
		r := int64(rows[lo])
		if r >= total {
			return nil, &RowError{Row: rows[lo], Rows: total}
		}
		c := chunkOf(starts, r, segs)
		start, length := starts[c], uint64(starts[c+1]-starts[c])
		limit := min(end, partEnd(lo))
		hi := lo + 1
		for hi < limit && uint64(int64(rows[hi])-start) < length {
			hi++
		}
		if n := len(segs); n >= 64 && n == cap(segs) {
			segs = slices.Grow(segs, n*(end-lo)/(lo-first)+64) // as many as so far, for as many rows
		}
		segs = append(segs, segment{chunk: c, base: -int(start), lo: lo, hi: hi})
		lo = hi
	}
	return segs, nil
}

// partEnd is the end of the part that output row k lies in.
func partEnd(k int) int { return (k/block + 1) * block }

// chunkOf finds the chunk that holds row r, trying the chunks of the last segment and after it first.
func chunkOf(starts []int64, r int64, segs []segment) int {
	if len(segs) > 0 {
		c := segs[len(segs)-1].chunk
		for ; c < min(len(starts)-1, segs[len(segs)-1].chunk+2); c++ {
			if starts[c] <= r && r < starts[c+1] {
				return c
			}
		}
	}
	return sort.Search(len(starts)-1, func(c int) bool { return starts[c+1] > r })
}

// newPicks returns picks without rows, with room for n.
func newPicks(n int) *picks { return &picks{rows: make([]uint32, 0, n)} }

// add picks count elements of a chunk, from start on.
func (p *picks) add(chunk, start, count int) {
	for count > 0 {
		s := p.segment(chunk, start)
		n := min(count, s.room())
		first := uint32(start - s.base)
		for i := range n {
			p.rows = append(p.rows, first+uint32(i))
		}
		if p.mask != nil {
			p.growMask()
			bitutil.SetBitsTo(p.mask, int64(s.hi), int64(n), true)
		}
		s.hi += n
		start, count = start+n, count-n
	}
}

// addNull picks count NULLs.
func (p *picks) addNull(count int) {
	if p.mask == nil {
		p.growMask()
		if len(p.rows) > 0 {
			bitutil.SetBitsTo(p.mask, 0, int64(len(p.rows)), true)
		}
	}
	for count > 0 {
		s := p.last()
		if s == nil || s.room() == 0 {
			p.segs = append(p.segs, segment{lo: len(p.rows), hi: len(p.rows)})
			s = p.last()
		}
		n := min(count, s.room())
		for range n {
			p.rows = append(p.rows, 0)
		}
		p.growMask()
		s.hi += n
		count -= n
	}
}

// growMask makes the mask long enough for the rows, with 0 bits.
func (p *picks) growMask() {
	need := int(bitutil.BytesForBits(int64(max(len(p.rows), 1))))
	if need > len(p.mask) {
		room := int(bitutil.BytesForBits(int64(cap(p.rows))))
		p.mask = append(p.mask, make([]byte, max(need, room)-len(p.mask))...)
	}
}

func (p *picks) last() *segment {
	if len(p.segs) == 0 {
		return nil
	}
	return &p.segs[len(p.segs)-1]
}

// segment returns the last segment if it can take the element, or else a new one. Element numbers that don't fit 32 bits
// are counted from a base of their own.
func (p *picks) segment(chunk, element int) *segment {
	const reach = math.MaxUint32 - block
	if s := p.last(); s != nil && s.chunk == chunk && s.room() > 0 &&
		element >= s.base && uint64(element-s.base) <= reach {
		return s
	}
	base := 0
	if uint64(element) > reach {
		base = element
	}
	p.segs = append(p.segs, segment{chunk: chunk, base: base, lo: len(p.rows), hi: len(p.rows)})
	return p.last()
}
