package keyset

import (
	"math/bits"
	"math/rand/v2"
	"sync"
	"unsafe"
)

// ChunkRows is the number of entries that are handed on together, at most.
const ChunkRows = 256

// slabWords is the size of the pooled slabs that chunks are cut from: 1 MiB.
const slabWords = 1 << 17

var slabs = sync.Pool{New: func() any { return new([slabWords]uint64) }}

// dealing takes hashes to partitions: the top bits of the product. It is a secret of the process, so that neither crafted keys nor those of one
// partition of onerow.Partition, which share the top bits of their hashes, meet in one of these.
var dealing = rand.Uint64() | 1

// Parts deals entries out over partitions by the hash. A Parts belongs to one goroutine while it is filled; several
// are read together.
type Parts[K Words, P any] struct {
	shift uint
	heads []head[K, P]
	full  [][]*[ChunkRows]Entry[K, P] // by partition: chunks before the one that is being filled
	slab  []uint64                    // what is left of the current slab
	owned []*[slabWords]uint64
}

// head is the chunk of a partition that is being filled. Without one, n is ChunkRows.
type head[K Words, P any] struct {
	buf *[ChunkRows]Entry[K, P]
	n   uint
}

// NewParts returns 1<<p empty partitions.
func NewParts[K Words, P any](p int) *Parts[K, P] {
	n := 1 << p
	s := &Parts[K, P]{shift: uint(64 - p), heads: make([]head[K, P], n), full: make([][]*[ChunkRows]Entry[K, P], n)}
	for i := range s.heads {
		s.heads[i].n = ChunkRows
	}
	return s
}

// PartBits returns how many bits of partition suit a number of rows: partitions whose table stays in a core's own cache
// even when all keys differ.
func PartBits(rows int64) int {
	const perPart = 1 << 15
	return min(max(bits.Len64(uint64(rows/perPart)), 0), 9)
}

// Len is the number of partitions.
func (p *Parts[K, P]) Len() int { return len(p.heads) }

// Of returns the partition of a hash.
func (p *Parts[K, P]) Of(hash uint64) uint64 { return hash * dealing >> p.shift }

// Add puts an entry into its partition.
func (p *Parts[K, P]) Add(hash uint64, e Entry[K, P]) {
	part := p.Of(hash)
	h := &p.heads[part]
	if h.n == ChunkRows {
		p.next(part)
	}
	h.buf[h.n%ChunkRows] = e
	h.n++
}

// AddBlock puts a block of rows into their partitions, except those for which skip is 1; a nil skip skips none. This is the hot loop
// of partitioning: one write of an entry a row.
func (p *Parts[K, P]) AddBlock(keys []K, hash []uint64, payload []P, skip []uint8, row uint32) {
	hash, payload = hash[:len(keys)], payload[:len(keys)]
	heads, shift, by := p.heads, p.shift, dealing
	for i := range keys {
		if skip != nil && skip[i] != 0 {
			continue
		}
		part := hash[i] * by >> shift
		h := &heads[part]
		n := h.n
		if n == ChunkRows {
			p.next(part)
			n = 0
		}
		e := &h.buf[n%ChunkRows]
		e.Key, e.Payload, e.Row1 = keys[i], payload[i], row+uint32(i)+1
		h.n = n + 1
	}
}

// next starts a new chunk in a partition.
func (p *Parts[K, P]) next(part uint64) {
	h := &p.heads[part]
	if h.buf != nil {
		p.full[part] = append(p.full[part], h.buf)
	}
	words := int(unsafe.Sizeof(Entry[K, P]{})) / 8 * ChunkRows
	if len(p.slab) < words {
		s := slabs.Get().(*[slabWords]uint64)
		p.owned = append(p.owned, s)
		p.slab = s[:]
	}
	h.buf, h.n = (*[ChunkRows]Entry[K, P])(unsafe.Pointer(&p.slab[0])), 0
	p.slab = p.slab[words:]
}

// Chunks calls f with the entries of partition i, a chunk at a time.
func (p *Parts[K, P]) Chunks(i int, f func([]Entry[K, P])) {
	for _, c := range p.full[i] {
		f(c[:])
	}
	if h := &p.heads[i]; h.buf != nil {
		f(h.buf[:h.n])
	}
}

// Rows is the number of entries in partition i.
func (p *Parts[K, P]) Rows(i int) int {
	n := len(p.full[i]) * ChunkRows
	if h := &p.heads[i]; h.buf != nil {
		n += int(h.n)
	}
	return n
}

// Release gives the memory back. The entries may not be read any more.
func (p *Parts[K, P]) Release() {
	for _, s := range p.owned {
		slabs.Put(s)
	}
	p.owned, p.heads, p.full, p.slab = nil, nil, nil, nil
}
