package grain

import (
	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/keyset"
)

// atHand counts the rows of a key at hand, and keeps the first ones.
type atHand struct {
	hash  uint64 // the whole hash of the key
	count uint64
	rows  [onerow.MaxSampleRows]uint32 // the first min(count, len) of the worker's rows
}

// absorb counts a block of rows with the keys at hand; the others are dealt out.
func (c *counter[K]) absorb(n int, row uint32) {
	merged := 0
	for i := range n {
		if c.block.Null[i] != 0 {
			continue
		}
		hash := c.block.Hash[i]
		e := keyset.Entry[K, atHand]{Key: c.block.Keys[i], Row: row + uint32(i), Hash: keyset.Tag(hash)}
		e.Payload.hash = hash
		s, _ := c.hot.Place(&e)
		if s == nil {
			c.parts.Add(hash, entry[K]{Payload: 1, Key: e.Key, Row: e.Row, Hash: e.Hash})
			continue
		}
		merged++
		if k := &s.Payload; k.count < uint64(len(k.rows)) {
			k.rows[k.count] = e.Row
		}
		s.Payload.count++
	}
	if !c.hot.Judge(n, merged) {
		c.drain()
	}
}

// drain deals the keys at hand out, each as one entry with its count.
func (c *counter[K]) drain() {
	c.hot.Drain(func(s *keyset.Entry[K, atHand]) {
		c.parts.Add(s.Payload.hash, entry[K]{Payload: s.Payload.count, Key: s.Key, Row: s.Row, Hash: s.Hash})
	})
}

// rowsAtHand returns the first rows of a key that were counted at hand.
func (c *counter[K]) rowsAtHand(k *worstKey[K]) []uint32 {
	s := c.hot.Find(&keyset.Entry[K, atHand]{Key: k.Key, Row: k.Row, Hash: k.Hash})
	if s == nil {
		return nil
	}
	return s.Payload.rows[:min(s.Payload.count, uint64(len(s.Payload.rows)))]
}
