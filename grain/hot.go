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
	table *keyset.Table[K]
	keys  []hotKey // by id
	seen  int      // rows of this trial
	taken int      // of these, rows that went no further
}

type hotKey struct {
	hash  uint64
	count uint64
	rows  [onerow.MaxSampleRows]uint32 // the first min(count, len) of the worker's rows
}

func newHot[K keyset.Words](keys *keyset.Keys) *hot[K] {
	return &hot[K]{on: true, table: keyset.NewTable[K](keys)}
}

// absorb takes a block of rows in; those of other keys are dealt out.
func (h *hot[K]) absorb(c *counter[K], n int, row uint32) {
	for i := range n {
		if c.block.Null[i] == 0 {
			h.take(c, &c.block.Keys[i], c.block.Hash[i], row+uint32(i))
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

func (h *hot[K]) take(c *counter[K], key *K, hash uint64, row uint32) {
	id, known := h.table.Find(key, uint32(hash), row)
	if !known {
		if h.table.Len() >= hotKeys {
			c.parts.Add(hash, entry[K]{Payload: 1, Key: *key, Row: row, Hash: uint32(hash)})
			return
		}
		id, _ = h.table.Insert(key, uint32(hash), row)
		h.keys = append(h.keys, hotKey{hash: hash})
	}
	k := &h.keys[id]
	if k.count < uint64(len(k.rows)) {
		k.rows[k.count] = row
	}
	k.count++
	h.taken++
}

// flush deals the keys out and ends the work at hand. What rowsOf needs stays.
func (h *hot[K]) flush(c *counter[K]) {
	if !h.on {
		return
	}
	h.on = false
	for id := range h.keys {
		k := &h.keys[id]
		c.parts.Add(k.hash, entry[K]{Payload: k.count, Key: h.table.Key(uint32(id)), Row: k.rows[0], Hash: uint32(k.hash)})
	}
}

// rowsOf returns the first rows of a key that were counted here.
func (h *hot[K]) rowsOf(k *worstKey[K]) []uint32 {
	id, ok := h.table.Find(&k.key, k.hash, k.first)
	if !ok {
		return nil
	}
	key := &h.keys[id]
	return key.rows[:min(key.count, uint64(len(key.rows)))]
}
