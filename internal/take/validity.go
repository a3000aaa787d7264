package take

import (
	"encoding/binary"
	"math"

	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// validity is the validity of an output array. The zero value: no NULLs.
type validity struct {
	// bits is nil without NULLs.
	bits   []byte
	buffer *memory.Buffer
	nulls  int
}

// at says whether output row k is not NULL, in a validity with bits.
func (v *validity) at(k int) bool { return bit(v.bits, k) }

func bit(bits []byte, i int) bool { return bits[i>>3]>>(i&7)&1 != 0 }

// validity gathers the validity bitmap, under the mask.
func (g *gather) validity(cs []chunk, p *picks) (validity, error) {
	bitmaps := typed[uint8](cs, 0)
	if p.mask == nil && p.isFull(cs, bitmaps) || len(p.rows) == 0 {
		return validity{}, nil
	}
	v := validity{buffer: g.buffer((len(p.rows) + 7) / 8)}
	v.bits = v.buffer.Bytes()
	clear(v.bits)
	err := g.each(p, func(g *gather, _ int, segs []segment) error {
		for _, s := range segs {
			if err := g.tick(s.hi - s.lo); err != nil {
				return err
			}
			if src := bitmaps[s.chunk]; len(src) > 0 {
				gatherBits(v.bits, src, cs[s.chunk].at, s, p.rows, p.mask)
				continue
			}
			bitutil.SetBitsTo(v.bits, int64(s.lo), int64(s.hi-s.lo), true)
		}
		return nil
	})
	if err != nil {
		return validity{}, err
	}
	if p.mask != nil {
		for i := range v.bits {
			v.bits[i] &= p.mask[i]
		}
	}
	v.nulls = len(p.rows) - bitutil.CountSetBits(v.bits, 0, len(p.rows))
	if v.nulls == 0 {
		return validity{}, nil
	}
	return v, nil
}

// isFull says whether the chunks that rows are taken from have no NULL: builders make bitmaps whether there is one or not, and looking at the words of
// a bitmap is faster than at the bits of rows, if not too few are taken.
func (p *picks) isFull(cs []chunk, bitmaps [][]byte) bool {
	taken := make([]int, len(cs))
	for _, s := range p.segs {
		taken[s.chunk] += s.hi - s.lo
	}
	for i, n := range taken {
		if n == 0 || len(bitmaps[i]) == 0 {
			continue
		}
		c := cs[i]
		if c.n > 64*n || c.at+c.n > 8*len(bitmaps[i]) || !allSet(bitmaps[i], c.at, c.at+c.n) {
			return false
		}
	}
	return true
}

// allSet says whether the bits from lo to hi are all 1.
func allSet(bits []byte, lo, hi int) bool {
	for ; lo < hi && lo&63 != 0; lo++ {
		if !bit(bits, lo) {
			return false
		}
	}
	words := bits[lo>>3 : max(lo, hi&^63)>>3]
	for len(words) >= 8 {
		if binary.LittleEndian.Uint64(words) != math.MaxUint64 {
			return false
		}
		words, lo = words[8:], lo+64
	}
	for ; lo < hi; lo++ {
		if !bit(bits, lo) {
			return false
		}
	}
	return true
}

// isConstant says whether all of some rows are one: many cells of a column may be of one row, such as one that stands for NULL.
func isConstant(rows []uint32) bool {
	n := len(rows)
	if n < 16 || rows[0] != rows[n-1] || rows[0] != rows[n/2] {
		return false
	}
	differs := uint32(0)
	for _, r := range rows {
		differs |= r ^ rows[0]
	}
	return differs == 0
}

// gatherBits sets the bits of the rows of a segment. Where valid has a 0 bit the source isn't read and the bit is 0; nil
// valid means all rows are read. The bits of the segment must be 0 before, and those after it.
func gatherBits(dst, src []byte, at int, s segment, rows []uint32, valid []byte) {
	base := s.base + at
	if valid == nil && isConstant(rows[s.lo:s.hi]) {
		e := int(rows[s.lo]) + base
		if src[e>>3]>>(e&7)&1 != 0 {
			bitutil.SetBitsTo(dst, int64(s.lo), int64(s.hi-s.lo), true)
		}
		return
	}
	i, n, acc := s.lo>>3, uint(s.lo&7), byte(0)
	for k, r := range rows[s.lo:s.hi] {
		if valid == nil || bit(valid, s.lo+k) {
			e := int(r) + base
			acc |= src[e>>3] >> (e & 7) & 1 << n
		}
		if n++; n == 8 {
			dst[i] |= acc
			i, n, acc = i+1, 0, 0
		}
	}
	if n > 0 {
		dst[i] |= acc
	}
}
