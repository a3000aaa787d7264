package keyset

import "math/bits"

// Bitmap marks rows.
type Bitmap []uint64

// NewBitmap returns a bitmap for n rows, none marked.
func NewBitmap(n uint32) Bitmap { return make(Bitmap, (uint64(n)+63)/64) }

// Set marks a row.
func (b Bitmap) Set(row uint32) { b[row>>6] |= 1 << (row & 63) }

// Clear takes the mark from a row.
func (b Bitmap) Clear(row uint32) { b[row>>6] &^= 1 << (row & 63) }

// Has says whether a row is marked.
func (b Bitmap) Has(row uint32) bool { return b[row>>6]>>(row&63)&1 != 0 }

// Or marks the rows of another bitmap of the same size.
func (b Bitmap) Or(o Bitmap) {
	for i, w := range o {
		b[i] |= w
	}
}

// Count is the number of marked rows.
func (b Bitmap) Count() int {
	n := 0
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}

// Rows lists the marked rows in ascending order.
func (b Bitmap) Rows() []uint32 {
	n := b.Count()
	if n == 0 {
		return nil
	}
	out := make([]uint32, 0, n)
	for i, w := range b {
		for ; w != 0; w &= w - 1 {
			out = append(out, uint32(i)<<6|uint32(bits.TrailingZeros64(w)))
		}
	}
	return out
}
