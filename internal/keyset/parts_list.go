package keyset

import "unsafe"

// AddList puts some entries into their partitions. It is quicker than Add for each.
func (p *Parts[K, P]) AddList(entries []Entry[K, P]) {
	for len(entries) > 0 {
		if entries = entries[p.fillList(entries):]; len(entries) > 0 {
			p.start(p.Of(&entries[0].Key))
		}
	}
}

// fillList is fill for a list.
func (p *Parts[K, P]) fillList(entries []Entry[K, P]) int {
	heads := p.heads
	for i := range entries {
		e := &entries[i]
		h := &heads[p.Of(&e.Key)]
		n := h.n
		if n == ChunkRows {
			return i
		}
		h.n = n + 1
		*slotAt[K, P](unsafe.Pointer(h.buf), uint32(n%ChunkRows)) = *e
	}
	return len(entries)
}
