package grain

import (
	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/keyset"
)

const (
	// hotKeys is how many keys a worker keeps at hand: their table stays in the core's own cache.
	hotKeys = 1 << 12
	// hotTrial is how many rows a worker reads before it judges whether that pays, again and again.
	hotTrial = 1 << 13
)

// hot counts the rows of a few keys before rows are dealt out, and keeps the first rows of each. At the end each key is dealt out as
// one entry with its count, so the outcome is the same with and without it.
type hot[K keyset.Words] struct {
	on    bool
	table *keyset.Table[K, hotKey]
	seen  int // rows of this trial
	taken int // of these, rows that went no further
}

type hotKey struct {
	hash  uint64 // the whole hash of the key
	count uint64
	rows  [onerow.MaxSampleRows]uint32 // the first min(count, len) of the worker's rows
}

func newHot[K keyset.Words](keys *keyset.Keys) *hot[K] {
	return &hot[K]{on: true, table: keyset.NewTable[K, hotKey](keys)}
}

// absorb takes a block of rows in; those of other keys are dealt out.
func (h *hot[K]) absorb(c *counter[K], n int, row uint32) {
	for i := range n {
		if c.block.Null[i] != 0 {
			continue
		}
		hash := c.block.Hash[i]
		e := keyset.Entry[K, hotKey]{Key: c.block.Keys[i], Row: row + uint32(i), Hash: keyset.Tag(hash)}
		e.Payload.hash = hash
		if !h.take(&e) {
			c.parts.Add(hash, entry[K]{Payload: 1, Key: e.Key, Row: e.Row, Hash: e.Hash})
		}
	}
	h.seen += n
	if h.seen >= hotTrial {
		if 2*h.taken < h.seen && h.table.Len() >= hotKeys {
			h.flush(c)
		}
		h.seen, h.taken = 0, 0
	}
}

// take counts a row of a key at hand; it refuses rows of other keys when it has no room for more.
func (h *hot[K]) take(e *keyset.Entry[K, hotKey]) bool {
	s := h.table.Hit(e)
	if s == nil {
		if h.table.Len() >= hotKeys {
			if s = h.table.Find(e); s == nil {
				return false
			}
		} else {
			s, _ = h.table.At(e)
		}
	}
	k := &s.Payload
	if k.count < uint64(len(k.rows)) {
		k.rows[k.count] = e.Row
	}
	k.count++
	h.taken++
	return true
}

// flush deals the keys out and ends the work at hand. What rowsOf needs stays.
func (h *hot[K]) flush(c *counter[K]) {
	if !h.on {
		return
	}
	h.on = false
	h.table.All(func(s *keyset.Entry[K, hotKey]) {
		c.parts.Add(s.Payload.hash, entry[K]{Payload: s.Payload.count, Key: s.Key, Row: s.Row, Hash: s.Hash})
	})
}

// rowsOf returns the first rows of a key that were counted here.
func (h *hot[K]) rowsOf(k *worstKey[K]) []uint32 {
	s := h.table.Find(&keyset.Entry[K, hotKey]{Key: k.Key, Row: k.Row, Hash: k.Hash})
	if s == nil {
		return nil
	}
	return s.Payload.rows[:min(s.Payload.count, uint64(len(s.Payload.rows)))]
}
