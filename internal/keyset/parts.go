package keyset

import (
	"math/bits"
	"unsafe"

	"github.com/onerow-go/onerow/internal/form"
)

// Parts deals entries out over partitions by the top bits of their keys' first word. A Parts belongs to one goroutine while it is filled; several
// are read together.
type Parts[K Words, P any] struct {
	dealt[Entry[K, P]]
	keep  uint64 // ^0; 0 under one hash for all, and if there is one partition
	shift uint
}

// NewParts returns 1<<p empty partitions.
func NewParts[K Words, P any](p int) *Parts[K, P] {
	s := &Parts[K, P]{dealt: newDealt[Entry[K, P]](1 << p), keep: ^uint64(0), shift: uint(64 - p)}
	if p == 0 || form.IsConstantHash() {
		s.keep, s.shift = 0, 0
	}
	return s
}

// PartBits returns how many bits of partition suit a number of rows: partitions whose table stays in a core's own cache
// even when all keys differ.
func PartBits(rows int64) int {
	const perPart = 1 << 13
	return min(max(bits.Len64(uint64(rows/perPart)), 0), 10)
}

// Of returns the partition of a key.
func (p *Parts[K, P]) Of(k *K) uint64 { return (*k)[0] & p.keep >> (p.shift & 63) }

// Add puts an entry into its partition.
func (p *Parts[K, P]) Add(e Entry[K, P]) {
	part := p.Of(&e.Key)
	h := &p.heads[part]
	if h.n == ChunkRows {
		p.start(part)
	}
	h.buf[h.n%ChunkRows] = e
	h.n++
}

// AddBlock puts a block of rows into their partitions, except those for which skip is 1; a nil skip skips none.
func (p *Parts[K, P]) AddBlock(keys []K, payload []P, skip []uint8, row uint32) {
	for done := 0; done < len(keys); {
		if rest := row + uint32(done); skip == nil {
			done += p.fill(keys[done:], payload[done:], rest)
		} else {
			done += p.fillSome(keys[done:], payload[done:], skip[done:], rest)
		}
		if done < len(keys) {
			p.start(p.Of(&keys[done]))
		}
	}
}

// fill puts rows into the chunks of their partitions up to the first whose chunk is full, and returns their number. This is the hot loop of
// partitioning: one write of an entry a row.
func (p *Parts[K, P]) fill(keys []K, payload []P, row uint32) int {
	heads, shift, keep := unsafe.Pointer(&p.heads[0]), p.shift&63, p.keep
	payload = payload[:len(keys)]
	for i := range keys {
		k := &keys[i] // a copy of two words would go through the stack
		h := (*head[Entry[K, P]])(unsafe.Add(heads, ((*k)[0]&keep>>shift)*uint64(unsafe.Sizeof(head[Entry[K, P]]{}))))
		n := h.n
		if n == ChunkRows {
			return i
		}
		h.n = n + 1
		// Not through h.buf: the compiler would look whether that is nil, by a read that misses the cache.
		e := slotAt[K, P](unsafe.Pointer(h.buf), uint32(n%ChunkRows))
		e.Key, e.Payload, e.Row1 = *k, payload[i], row+uint32(i)+1
	}
	return len(keys)
}

// fillSome is fill for rows of which some are skipped.
func (p *Parts[K, P]) fillSome(keys []K, payload []P, skip []uint8, row uint32) int {
	heads := p.heads
	payload, skip = payload[:len(keys)], skip[:len(keys)]
	for i := range keys {
		if skip[i] != 0 {
			continue
		}
		h := &heads[p.Of(&keys[i])]
		n := h.n
		if n == ChunkRows {
			return i
		}
		h.n = n + 1
		e := slotAt[K, P](unsafe.Pointer(h.buf), uint32(n%ChunkRows))
		e.Key, e.Payload, e.Row1 = keys[i], payload[i], row+uint32(i)+1
	}
	return len(keys)
}
