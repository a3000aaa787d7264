package keyset

import "math/bits"

// Memory that is fresh from the system is dear: the first touch of a page costs more than all else that is done with most of them. So what a
// call needs much of, and for itself alone, comes out of the pools of slabs.

// lentWords is the number of words from which on memory is lent.
const lentWords = 1 << 14

// lend returns n zero words, which giveBack takes back.
func lend(n int) []uint64 {
	class := max(0, bits.Len(uint(max(n, 1)-1)/slabWords))
	if n < lentWords || class >= slabClasses {
		return make([]uint64, n)
	}
	words := newSlab(class)[:n]
	clear(words)
	return words
}

// giveBack takes words of lend back. Nothing may use them any more.
func giveBack(words []uint64) {
	if c := cap(words); c >= slabWords && c&(c-1) == 0 && c/slabWords < 1<<slabClasses {
		slabs[bits.TrailingZeros(uint(c/slabWords))].Put(&words[:1][0])
	}
}

// LendBitmap is NewBitmap, of memory that GiveBack takes back.
func LendBitmap(n uint32) Bitmap { return lend(int((uint64(n) + 63) / 64)) }

// GiveBack ends a bitmap of LendBitmap.
func (b Bitmap) GiveBack() { giveBack(b) }
