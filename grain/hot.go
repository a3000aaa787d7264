package grain

import (
	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/keyset"
)

// atHand counts the rows of a key at hand, and keeps the first ones.
type atHand struct {
	count uint32
	rows  [onerow.MaxSampleRows]uint32 // the first min(count, len) of the worker's rows
}

// absorb counts a block of rows with the keys at hand; the others are dealt out.
func (c *counter[K]) absorb(n int, row uint32) {
	merged := 0
	for i := range n {
		if c.block.Null[i] != 0 {
			continue
		}
		e := keyset.Entry[K, atHand]{Key: c.block.Keys[i], Row1: row + uint32(i) + 1}
		s, _ := c.hot.Place(&e)
		if s == nil {
			c.parts.Add(entry[K]{Payload: 1, Key: e.Key, Row1: e.Row1})
			continue
		}
		merged++
		if k := &s.Payload; k.count < uint32(len(k.rows)) {
			k.rows[k.count] = e.Row()
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
		c.parts.Add(entry[K]{Payload: s.Payload.count, Key: s.Key, Row1: s.Row1})
	})
}

// rowsAtHand returns the first rows of a key that were counted at hand.
func (c *counter[K]) rowsAtHand(k *worstKey[K]) []uint32 {
	s := c.hot.Find(&keyset.Entry[K, atHand]{Key: k.Key, Row1: k.Row1})
	if s == nil {
		return nil
	}
	return s.Payload.rows[:min(s.Payload.count, uint32(len(s.Payload.rows)))]
}
