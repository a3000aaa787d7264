package grain

import (
	"math/bits"
	"sync/atomic"

	"github.com/onerow-go/onerow/internal/keyset"
)

// filter remembers keys: it knows most of those that it hasn't got. Several goroutines may add to it, and then ask.
type filter struct {
	words []uint64
	mask  uint64
}

// newFilter makes a filter for a number of keys: with 8 to 16 bits each, it takes at most every eighth strange one for known.
func newFilter(keys uint32) *filter {
	n := uint64(1) << max(0, bits.Len64(8*uint64(keys))-6)
	return &filter{words: make([]uint64, n), mask: n - 1}
}

// slotOf is where a key is in a filter: a word, and a bit of it.
func slotOf[K keyset.Words](f *filter, k *K) (at, bit uint64) {
	h := keyset.Mixed(k)
	return h & f.mask, h >> 58
}

// addKeys adds keys.
func addKeys[K keyset.Words](f *filter, keys []K) {
	for i := range keys {
		at, bit := slotOf(f, &keys[i])
		if atomic.LoadUint64(&f.words[at])>>bit&1 == 0 {
			atomic.OrUint64(&f.words[at], 1<<bit)
		}
	}
}

// strange puts 1 for keys that weren't added, 0 for others, and says whether any may have been.
func strange[K keyset.Words](f *filter, keys []K, to []uint8) (some bool) {
	to = to[:len(keys)]
	none := uint8(1)
	for i := range keys {
		at, bit := slotOf(f, &keys[i])
		to[i] = uint8(^f.words[at]>>bit) & 1
		none &= to[i]
	}
	return none == 0
}
