package keyset

import (
	"math/bits"
	"sync"
	"unsafe"

	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/prefetch"
)

// ChunkRows is the number of entries that are handed on together, at most.
const ChunkRows = 256

// Chunks are cut from pooled slabs, of 1 MiB at first. Each new slab is a quarter of those before it, at most 32 MiB, so that their number hardly grows
// with the rows, and no more than an eighth lies idle on average.
const (
	slabWords   = 1 << 17
	slabClasses = 6
)

var slabs [slabClasses]sync.Pool

// newSlab returns a slab of slabWords<<class words.
func newSlab(class int) []uint64 {
	if s, ok := slabs[class].Get().(*uint64); ok {
		return unsafe.Slice(s, slabWords<<class)
	}
	return make([]uint64, slabWords<<class)
}

// Parts deals entries out over partitions by the top bits of their keys' first word. A Parts belongs to one goroutine while it is filled; several
// are read together.
type Parts[K Words, P any] struct {
	keep   uint64 // ^0; 0 under one hash for all, and if there is one partition
	shift  uint
	heads  []head[K, P]
	lists  []list
	next   []uint32       // by chunk: the number of the chunk after it in its partition, valid for all but the last
	chunks []*Entry[K, P] // the first entry of each
	rest   []uint64       // of the last slab
	slabs  [slabClasses][]*uint64
	words  int // of all slabs
}

// head is the chunk of a partition that is being filled. Without one, n is ChunkRows.
type head[K Words, P any] struct {
	buf *[ChunkRows]Entry[K, P]
	n   uint
}

// list is the chunks of a partition: how many, and the numbers of the first and the last, which is being filled.
type list struct{ n, first, last uint32 }

// NewParts returns 1<<p empty partitions.
func NewParts[K Words, P any](p int) *Parts[K, P] {
	n := 1 << p
	s := &Parts[K, P]{keep: ^uint64(0), shift: uint(64 - p), heads: make([]head[K, P], n), lists: make([]list, n)}
	if p == 0 || form.IsConstantHash() {
		s.keep, s.shift = 0, 0
	}
	for i := range s.heads {
		s.heads[i].n = ChunkRows
	}
	return s
}

// PartBits returns how many bits of partition suit a number of rows: partitions whose table stays in a core's own cache
// even when all keys differ.
func PartBits(rows int64) int {
	const perPart = 1 << 13
	return min(max(bits.Len64(uint64(rows/perPart)), 0), 10)
}

// Len is the number of partitions.
func (p *Parts[K, P]) Len() int { return len(p.heads) }

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
		k := keys[i]
		h := (*head[K, P])(unsafe.Add(heads, (k[0]&keep>>shift)*uint64(unsafe.Sizeof(head[K, P]{}))))
		n := h.n
		if n == ChunkRows {
			return i
		}
		h.n = n + 1
		// Not through h.buf: the compiler would look whether that is nil, by a read that misses the cache.
		e := slotAt[K, P](unsafe.Pointer(h.buf), uint32(n%ChunkRows))
		e.Key, e.Payload, e.Row1 = k, payload[i], row+uint32(i)+1
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

// cut cuts a chunk off the last slab, or off a new one.
func (p *Parts[K, P]) cut() *[ChunkRows]Entry[K, P] {
	n := int(unsafe.Sizeof(Entry[K, P]{})) * ChunkRows / 8
	if len(p.rest) < n {
		class := min(max(bits.Len(uint(p.words/4/slabWords))-1, 0), slabClasses-1)
		p.rest = newSlab(class)
		p.words += len(p.rest)
		p.slabs[class] = append(p.slabs[class], &p.rest[0])
	}
	chunk := (*[ChunkRows]Entry[K, P])(unsafe.Pointer(&p.rest[0]))
	p.rest = p.rest[n:]
	return chunk
}

// start starts a new chunk in a partition.
func (p *Parts[K, P]) start(part uint64) {
	c := uint32(len(p.next))
	chunk := p.cut()
	p.chunks, p.next = append(p.chunks, &chunk[0]), append(p.next, 0)
	l := &p.lists[part]
	if l.n > 0 {
		p.next[l.last] = c
	} else {
		l.first = c
	}
	l.n, l.last = l.n+1, c
	p.heads[part] = head[K, P]{buf: chunk}
	prefetch.Write(unsafe.Pointer(chunk))
}

// stretch is the number of entries that are read together: while one stretch is at work, the next is fetched, wherever it lies. Without that a worker
// waits for the memory of each chunk.
const stretch = 64

// Chunks calls f with the entries of partition i, some at a time, at most ChunkRows, in the order in which they were added.
func (p *Parts[K, P]) Chunks(i int, f func([]Entry[K, P])) {
	l := &p.lists[i]
	if l.n == 0 {
		return
	}
	c := l.first
	chunk := p.entries(i, c)
	for {
		var next []Entry[K, P]
		if c != l.last {
			c = p.next[c]
			next = p.entries(i, c)
			ahead := p.next[c] // 0 after the last
			prefetch.Read(unsafe.Pointer(&p.next[ahead]), 1)
			prefetch.Read(unsafe.Pointer(&p.chunks[ahead]), 1)
		}
		for len(chunk) > stretch {
			fetch(chunk[stretch:])
			f(chunk[:stretch])
			chunk = chunk[stretch:]
		}
		fetch(next)
		f(chunk)
		if next == nil {
			return
		}
		chunk = next
	}
}

// entries are those of chunk c of partition i. It doesn't touch them: to slice an array by its address reads its first byte.
func (p *Parts[K, P]) entries(i int, c uint32) []Entry[K, P] {
	n := uint(ChunkRows)
	if c == p.lists[i].last {
		n = p.heads[i].n
	}
	return unsafe.Slice(p.chunks[c], n)
}

// fetch fetches the first stretch of some entries.
func fetch[K Words, P any](entries []Entry[K, P]) {
	n := min(len(entries), stretch) * int(unsafe.Sizeof(Entry[K, P]{}))
	prefetch.Read(unsafe.Pointer(unsafe.SliceData(entries)), (n+prefetch.Line-1)/prefetch.Line)
}

// Rows is the number of entries in partition i.
func (p *Parts[K, P]) Rows(i int) int {
	if p.lists[i].n == 0 {
		return 0
	}
	return int(p.lists[i].n-1)*ChunkRows + int(p.heads[i].n)
}

// Release gives the memory back. The entries may not be read any more.
func (p *Parts[K, P]) Release() {
	for class, owned := range p.slabs {
		for _, s := range owned {
			slabs[class].Put(s)
		}
	}
	*p = Parts[K, P]{}
}
