package keyset

import (
	"math/bits"
	"sync"
	"unsafe"
)

// chunkRows is the number of entries that are handed on together.
const chunkRows = 256

// slabWords is the size of the pooled slabs that chunks are cut from: 1 MiB.
const slabWords = 1 << 17

var slabs = sync.Pool{New: func() any { return new([slabWords]uint64) }}

// Parts deals entries out over partitions by the top bits of the hash. A Parts belongs to one goroutine while it is filled; several
// are read together.
type Parts[K Words, P any] struct {
	shift uint
	heads []head[K, P]
	slab  []uint64 // what is left of the current slab
	owned []*[slabWords]uint64
}

type head[K Words, P any] struct {
	buf  []Entry[K, P] // being filled: cap chunkRows
	full [][]Entry[K, P]
}

// NewParts returns 1<<p empty partitions.
func NewParts[K Words, P any](p int) *Parts[K, P] {
	return &Parts[K, P]{shift: uint(64 - p), heads: make([]head[K, P], 1<<p)}
}

// PartBits returns how many bits of partition suit a number of rows: partitions whose table stays in a core's own cache
// even when all keys differ.
func PartBits(rows int64) int {
	const perPart = 1 << 15
	return min(max(bits.Len64(uint64(rows/perPart)), 0), 9)
}

// Len is the number of partitions.
func (p *Parts[K, P]) Len() int { return len(p.heads) }

// Add puts an entry into its partition.
func (p *Parts[K, P]) Add(hash uint64, e Entry[K, P]) {
	h := &p.heads[hash>>p.shift]
	if len(h.buf) == cap(h.buf) {
		p.next(h)
	}
	h.buf = h.buf[:len(h.buf)+1]
	h.buf[len(h.buf)-1] = e
}

// next starts a new chunk in a partition.
func (p *Parts[K, P]) next(h *head[K, P]) {
	if len(h.buf) > 0 {
		h.full = append(h.full, h.buf)
	}
	words := int(unsafe.Sizeof(Entry[K, P]{})) / 8 * chunkRows
	if len(p.slab) < words {
		s := slabs.Get().(*[slabWords]uint64)
		p.owned = append(p.owned, s)
		p.slab = s[:]
	}
	h.buf = unsafe.Slice((*Entry[K, P])(unsafe.Pointer(&p.slab[0])), chunkRows)[:0]
	p.slab = p.slab[words:]
}

// Chunks calls f with the entries of partition i, a chunk at a time.
func (p *Parts[K, P]) Chunks(i int, f func([]Entry[K, P])) {
	h := &p.heads[i]
	for _, c := range h.full {
		f(c)
	}
	if len(h.buf) > 0 {
		f(h.buf)
	}
}

// Rows is the number of entries in partition i.
func (p *Parts[K, P]) Rows(i int) int {
	h := &p.heads[i]
	return len(h.full)*chunkRows + len(h.buf)
}

// Release gives the memory back. The entries may not be read any more.
func (p *Parts[K, P]) Release() {
	for _, s := range p.owned {
		slabs.Put(s)
	}
	p.owned, p.heads, p.slab = nil, nil, nil
}
