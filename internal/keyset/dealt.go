package keyset

import (
	"math/bits"
	"sync"
	"unsafe"

	"github.com/onerow-go/onerow/internal/prefetch"
)

// ChunkRows is the number of entries that are handed on together, at most.
const ChunkRows = 256

// Chunks are cut from pooled slabs, of 1 MiB at first. Each new slab is a quarter of those before it, at most 32 MiB, so that their number
// hardly grows with the rows, and no more than an eighth lies idle on average.
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

// dealt is what was dealt out over partitions: entries of type E, without pointers, in chunks. It belongs to one goroutine while it is
// filled; several are read together.
type dealt[E any] struct {
	heads  []head[E]
	lists  []list
	links  []link // by chunk
	chunks []*E   // the first entry of each
	rest   []uint64
	slabs  [slabClasses][]*uint64
	words  int // of all slabs
}

// head is the chunk of a partition that is being filled. Without one, n is ChunkRows.
type head[E any] struct {
	buf *[ChunkRows]E
	n   uint
}

// list is the chunks of a partition: how many, the numbers of the first and the last, which is being filled, and how many entries those
// lack that were ended before they were full.
type list struct{ n, first, last, lack uint32 }

// link is the number of the chunk after one in its partition, valid for all but the last, and the most entries that it holds.
type link struct{ next, n uint32 }

func newDealt[E any](parts int) dealt[E] {
	d := dealt[E]{heads: make([]head[E], parts), lists: make([]list, parts)}
	for i := range d.heads {
		d.heads[i].n = ChunkRows
	}
	return d
}

// Len is the number of partitions.
func (d *dealt[E]) Len() int { return len(d.heads) }

// cut cuts a chunk off the last slab, or off a new one.
func (d *dealt[E]) cut() *[ChunkRows]E {
	n := int(unsafe.Sizeof(*new(E))) * ChunkRows / 8
	if len(d.rest) < n {
		class := min(max(bits.Len(uint(d.words/4/slabWords))-1, 0), slabClasses-1)
		d.rest = newSlab(class)
		d.words += len(d.rest)
		d.slabs[class] = append(d.slabs[class], &d.rest[0])
	}
	chunk := (*[ChunkRows]E)(unsafe.Pointer(&d.rest[0]))
	d.rest = d.rest[n:]
	return chunk
}

// start starts a new chunk in a partition.
func (d *dealt[E]) start(part uint64) {
	c := uint32(len(d.links))
	chunk := d.cut()
	d.chunks, d.links = append(d.chunks, &chunk[0]), append(d.links, link{n: ChunkRows})
	l := &d.lists[part]
	if l.n > 0 {
		d.links[l.last].next = c
	} else {
		l.first = c
	}
	l.n, l.last = l.n+1, c
	d.heads[part] = head[E]{buf: chunk}
	prefetch.Write(unsafe.Pointer(chunk))
}

// end ends the last chunk of a partition, so that the next entry begins a new one.
func (d *dealt[E]) end(part int) {
	if l, h := &d.lists[part], &d.heads[part]; l.n > 0 && h.n < ChunkRows {
		d.links[l.last].n = uint32(h.n)
		l.lack += ChunkRows - uint32(h.n)
		h.n = ChunkRows
	}
}

// stretch is the number of entries that are read together, some 16 lines: while one stretch is at work, the next is fetched, wherever it
// lies. Without that a worker waits for the memory of each chunk.
func (d *dealt[E]) stretch() int { return max(64, 16*prefetch.Line/int(unsafe.Sizeof(*new(E)))) }

// Chunks calls f with the entries of partition i, some at a time, at most ChunkRows, in the order in which they were added.
func (d *dealt[E]) Chunks(i int, f func([]E)) {
	l := &d.lists[i]
	if l.n == 0 {
		return
	}
	c, stretch := l.first, d.stretch()
	chunk := d.entries(i, c)
	for {
		var next []E
		if c != l.last {
			c = d.links[c].next
			next = d.entries(i, c)
			ahead := d.links[c].next // 0 after the last
			prefetch.Read(unsafe.Pointer(&d.links[ahead]), 1)
			prefetch.Read(unsafe.Pointer(&d.chunks[ahead]), 1)
		}
		for len(chunk) > stretch {
			fetch(chunk[stretch:], stretch)
			f(chunk[:stretch])
			chunk = chunk[stretch:]
		}
		fetch(next, stretch)
		f(chunk)
		if next == nil {
			return
		}
		chunk = next
	}
}

// Whole calls f with the chunks of partition i, in the order in which they were added to. It doesn't fetch them: [Fetch] does, for those
// who read several lists of chunks side by side.
func (d *dealt[E]) Whole(i int, f func([]E)) {
	l := &d.lists[i]
	if l.n == 0 {
		return
	}
	for c := l.first; ; c = d.links[c].next {
		f(d.entries(i, c))
		if c == l.last {
			return
		}
	}
}

// Fetch fetches the lines of some entries, at most those of a chunk.
func Fetch[E any](entries []E) { fetch(entries, len(entries)) }

// entries are those of chunk c of partition i. It doesn't touch them: to slice an array by its address reads its first byte.
func (d *dealt[E]) entries(i int, c uint32) []E {
	n := d.links[c].n
	if c == d.lists[i].last {
		n = min(n, uint32(d.heads[i].n))
	}
	return unsafe.Slice(d.chunks[c], n)
}

// fetch fetches the first of some entries.
func fetch[E any](entries []E, stretch int) {
	n := min(len(entries), stretch) * int(unsafe.Sizeof(*new(E)))
	prefetch.Read(unsafe.Pointer(unsafe.SliceData(entries)), (n+prefetch.Line-1)/prefetch.Line)
}

// Rows is the number of entries in partition i.
func (d *dealt[E]) Rows(i int) int {
	l := &d.lists[i]
	if l.n == 0 {
		return 0
	}
	return int(l.n-1)*ChunkRows + int(d.heads[i].n) - int(l.lack)
}

// Release gives the memory back. The entries may not be read any more.
func (d *dealt[E]) Release() {
	for class, owned := range d.slabs {
		for _, s := range owned {
			slabs[class].Put(s)
		}
	}
	*d = dealt[E]{}
}
