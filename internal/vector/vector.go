// Package vector has the loops that every row goes through and that processors do several rows at a time: in AVX-512 where there is that,
// else in Go, with equal results. Loops that count, or keep greatest rows, take a row at a time, in assembly for all processors of amd64,
// as does what is streamed to memory. With the build tag purego all is Go.
package vector

import "unsafe"

// Permutation is a permutation of words: two multiplications with odd numbers, after each of which the high bits come down.
type Permutation struct{ Add, By, Again uint64 }

// One returns the word for w.
func (p Permutation) One(w uint64) uint64 { return p.Mix(w ^ p.Add) }

// Mix is One for a word to which Add is added already, bit by bit.
func (p Permutation) Mix(w uint64) uint64 {
	w *= p.By
	w = (w ^ w>>32) * p.Again
	return w ^ w>>29
}

// Words puts the words for those of from into to, which is as long.
func (p Permutation) Words(to, from []uint64) {
	to = to[:len(from)]
	done := permute(to, from, p)
	to, from = to[done:], from[done:]
	for i, w := range from {
		to[i] = p.One(w)
	}
}

// Narrow puts words of 32 bits into to, which is as long as from: what is left of each word when base is taken off, without its lowest
// shift bits, at most 63, and the bits of flip the other way round. It returns the greatest of those before bits are cut off, 0 of none.
func Narrow(to []uint32, from []uint64, base uint64, shift uint, flip uint32) (greatest uint64) {
	to, shift = to[:len(from)], shift&63
	done, greatest := narrow(to, from, base, uint64(shift), flip)
	to, from = to[done:], from[done:]
	for i, w := range from {
		w -= base
		greatest = max(greatest, w)
		to[i] = uint32(w>>shift) ^ flip
	}
	return greatest
}

// Slots are a table of pairs of words, a key and a rank, in lines of Ways. A key has one line, in which it lies at most once.
type Slots struct {
	Base  unsafe.Pointer
	By    uint64 // what keys are multiplied with, twice; see Of
	Shift uint   // from which bit of the product the slot's number is taken, at least 4 and at most 63
	Mask  uint64 // the number of slots, a power of two and at least Ways, less one
}

const (
	// Ways is the number of slots of a line, which has 64 bytes.
	Ways     = 1 << lineBits
	lineBits = 2
	slotBits = 4 // 1<<slotBits bytes are a slot
)

// slot is a key and its rank.
type slot struct{ key, rank uint64 }

// Of returns the number of the slot at which a key is looked for first. The others of its line are those whose numbers differ in their last bits.
func (s Slots) Of(key uint64) uint64 {
	key *= s.By
	return (key ^ key>>32) * s.By >> (s.Shift & 63) & s.Mask
}

// line returns the line of a key.
func (s Slots) line(key uint64) *[Ways]slot {
	return (*[Ways]slot)(unsafe.Add(s.Base, s.Of(key)/Ways*Ways<<slotBits))
}

// Unbeaten lists rows: those whose key isn't in its line, or whose order, with the bits of flip the other way round, isn't less than the
// rank there. It begins with row i, puts the rows' numbers into list from m on, which has as much room as there are keys, and returns what
// it ended before and the length of the list then. It may end anywhere, also where it began: the caller goes on. The lines of rows that
// come later are fetched meanwhile, and so are keys and orders beyond the last.
func (s Slots) Unbeaten(keys, orders []uint64, flip uint64, list []uint16, i, m int) (end, n int) {
	orders, list = orders[:len(keys)], list[:len(keys)]
	if m > i || i > len(keys) {
		return i, m
	}
	return unbeaten(s, keys, orders, flip, list, i, m)
}

// Above is Unbeaten for ranks that are all at least least, more than which it doesn't ask of them: it lists rows whose key isn't in the
// slot where it is looked for first, or whose order isn't less than that.
func (s Slots) Above(keys, orders []uint64, flip, least uint64, list []uint16, i, m int) (end, n int) {
	orders, list = orders[:len(keys)], list[:len(keys)]
	if m > i || i > len(keys) {
		return i, m
	}
	return above(s, keys, orders, flip, least, list, i, m)
}

// Homeless takes rows out of a list of rows of keys: those whose key isn't in its line, all ranks of which are more than 0. It returns the
// rows that stay, in list, and puts the others into out, which has as much room. Both keep their order.
func (s Slots) Homeless(keys []uint64, list, out []uint16) (stay, gone []uint16) {
	out = out[:len(list)]
	if n, done := homeless(s, keys, list, out); done {
		return list[:len(list)-n], out[:n]
	}
	stays := 0
	for at, i := range list {
		key := keys[i]
		l := s.line(key)
		list[stays], out[at-stays] = i, i
		stays += one(l[0].key == key) | one(l[1].key == key) | one(l[2].key == key) | one(l[3].key == key) |
			one(min(l[0].rank, l[1].rank, l[2].rank, l[3].rank) == 0)
	}
	return list[:stays], out[:len(list)-stays]
}

// one is 1 for true, without a branch.
func one(b bool) (n int) {
	if b {
		n = 1
	}
	return n
}
