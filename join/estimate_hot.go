package join

import (
	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/keyset"
)

// keptAtHand counts the rows of a key at hand, and keeps the first ones.
type keptAtHand struct {
	count uint32
	rows  [onerow.MaxSampleRows]uint32 // the first min(count, len) of the worker's rows
}

// absorb counts a block of rows of a side with the keys at hand; the others are dealt out.
func (w *sizer[K]) absorb(side, n int, row uint32) {
	by := &w.by[side]
	merged := 0
	for i := range n {
		if w.block.Null[i] != 0 {
			continue
		}
		e := keyset.Entry[K, keptAtHand]{Key: w.block.Keys[i], Row1: row + uint32(i) + 1}
		s, _ := by.hot.Place(&e)
		if s == nil {
			by.parts.Add(sizeEntry[K]{Payload: 1, Key: e.Key, Row1: e.Row1})
			continue
		}
		merged++
		if k := &s.Payload; k.count < uint32(len(k.rows)) {
			k.rows[k.count] = e.Row()
		}
		s.Payload.count++
	}
	if !by.hot.Judge(n, merged) {
		w.drain(side)
	}
}

// drain deals the keys at hand out, each as one entry with its count.
func (w *sizer[K]) drain(side int) {
	by := &w.by[side]
	by.hot.Drain(func(s *keyset.Entry[K, keptAtHand]) {
		by.parts.Add(sizeEntry[K]{Payload: s.Payload.count, Key: s.Key, Row1: s.Row1})
	})
}

// rowsAtHand returns the first rows of a key that were counted at hand.
func (b *sizedSide[K]) rowsAtHand(key K, row1 uint32) []uint32 {
	s := b.hot.Find(&keyset.Entry[K, keptAtHand]{Key: key, Row1: row1})
	if s == nil {
		return nil
	}
	return s.Payload.rows[:min(s.Payload.count, uint32(len(s.Payload.rows)))]
}
