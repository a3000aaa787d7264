package grain

import (
	"math/bits"
	"sync/atomic"
)

// filter remembers hashes: it knows most of those that it hasn't got. Several goroutines may add to it, and then ask.
type filter struct {
	words []uint64
	mask  uint64
}

// newFilter makes a filter for a number of hashes: with 8 to 16 bits each, it takes at most every eighth strange one for known.
func newFilter(hashes uint32) *filter {
	n := uint64(1) << max(6, bits.Len64(8*uint64(hashes)))
	return &filter{words: make([]uint64, n/64), mask: n - 1}
}

// add adds hashes.
func (f *filter) add(hashes []uint64) {
	for _, h := range hashes {
		at, bit := h&f.mask>>6, uint64(1)<<(h&63)
		if atomic.LoadUint64(&f.words[at])&bit == 0 {
			atomic.OrUint64(&f.words[at], bit)
		}
	}
}

// strange puts 1 for hashes that weren't added, 0 for others, and says whether any may have been.
func (f *filter) strange(hashes []uint64, to []uint8) (some bool) {
	to = to[:len(hashes)]
	none := uint8(1)
	for i, h := range hashes {
		to[i] = uint8(^f.words[h&f.mask>>6]>>(h&63)) & 1
		none &= to[i]
	}
	return none == 0
}
