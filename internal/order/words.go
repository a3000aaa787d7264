package order

import (
	"math"
	"math/bits"

	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/vector"
)

// narrow maps ordinals of 64 bits to 32, growing with them. It is fitted to a sample, so that ordinals as they come keep as much of their
// differences as fits; those outside are cut off at either end, which loses differences, never the order.
type narrow struct {
	base  uint64
	shift uint
}

// fit reads some rows all over a column and fits to twice their range.
func fit(by *By, r *form.Reader) narrow {
	const blocks, size = 64, 64
	low, high := uint64(math.MaxUint64), uint64(0)
	b := form.NewBlock(size)
	rows := uint64(by.Rows())
	for s := range uint64(blocks) {
		if rows == 0 {
			break
		}
		c, i := by.At(uint32(rows * s / blocks))
		r.Read(c, i, min(size, by.Chunks[c].Len-i), b)
		for k, w := range b.K0 {
			if b.Null[k] == 0 {
				low, high = min(low, w), max(high, w)
			}
		}
		b.Grow(size)
	}
	if low > high {
		return narrow{}
	}
	half := (high - low) / 2
	n := narrow{base: low - min(low, half)}
	span := high + min(half, math.MaxUint64-high) - n.base
	n.shift = uint(max(0, bits.Len64(span)-32))
	return n
}

func (n narrow) word(w uint64) uint32 {
	w = max(w, n.base) - n.base
	return uint32(min(w>>(n.shift&63), math.MaxUint32))
}

// words makes words of those of a column, in which flip, the highest bit or none, is the wrong way round; the bits of down come out flipped. Most
// often none lies outside of what was fitted; else they are made once more, cut off at either end.
func (n narrow) words(from []uint64, flip uint64, down uint32, dst []uint32) {
	greatest := vector.Narrow(dst, from, n.base-flip, n.shift, down)     // to flip the highest bit is to add it
	if greatest <= ^n.base && greatest>>(n.shift&63) <= math.MaxUint32 { // a word below the base comes out above ^base
		return
	}
	for i, w := range from {
		dst[i] = n.word(w^flip) ^ down
	}
}

// raw makes the words right from the column's memory, where that holds words of 64 bits without NULL.
func (o *Order) raw(a *form.Array, lo int, dst []uint32) bool {
	words, _ := a.Raw(lo, len(dst))
	if words == nil {
		return false
	}
	flip, down := a.Flip(), uint32(0)
	if o.by[0].Ascending {
		down = ^down
	}
	o.narrow.words(words, flip, down, dst)
	return true
}

// Words puts for each of rows lo to lo+n of batch c a word that grows with its rank: a greater word is a greater row,
// equal words say nothing. b is room to work in.
func (o *Order) Words(c, lo, n int, b *form.Block, dst []uint32) {
	dst = dst[:n]
	if o.first == nil {
		clear(dst)
	} else if a := o.by[0].Chunks[c]; !o.raw(a, lo, dst) {
		b.Grow(n)
		o.first.Read(c, lo, n, b)
		for i, w := range b.K0 {
			dst[i] = o.narrow.word(w)
		}
		by := &o.by[0]
		if b.AnyNull {
			null := uint32(0)
			if by.Nulls == Highest {
				null = ^null
			}
			for i, z := range b.Null {
				if z != 0 {
					dst[i] = null
				}
			}
		}
		if by.Ascending {
			for i := range dst {
				dst[i] = ^dst[i]
			}
		}
	}
	if o.snap != nil {
		a := o.above.Chunks[c]
		for i := range dst {
			dst[i] >>= 1
			if !o.snap.Match(a, lo+i) {
				dst[i] |= 1 << 31
			}
		}
	}
}
