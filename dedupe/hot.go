package dedupe

import (
	"cmp"

	"github.com/onerow-go/onerow/internal/keyset"
)

// atHand is the word of the order of a key's greatest row so far.
type atHand struct {
	word uint32
}

// absorb merges a block of rows into the keys at hand; the others are dealt out.
func (f *finder[K]) absorb(n int, row uint32) {
	merged := 0
	for i := range n {
		if f.keys.Null[i] != 0 {
			continue
		}
		e := keyset.Entry[K, atHand]{Payload: atHand{f.words[i]}, Key: f.keys.Keys[i], Row1: row + uint32(i) + 1}
		if f.merge(&e) {
			merged++
		} else {
			f.parts.Add(entry[K]{Payload: f.words[i], Key: e.Key, Row1: e.Row1})
		}
	}
	if !f.hot.Judge(n, merged) {
		f.drain()
	}
}

// merge keeps a row as the greatest of its key, or drops it for a greater one. It refuses rows equal in order to the greatest, which the
// partition settles, and those of keys that aren't at hand.
func (f *finder[K]) merge(e *keyset.Entry[K, atHand]) bool {
	s, fresh := f.hot.Place(e)
	if s == nil || fresh {
		return fresh
	}
	c := cmp.Compare(e.Payload.word, s.Payload.word)
	if c == 0 {
		c = f.j.order.Compare(e.Row(), s.Row())
	}
	if c > 0 {
		s.Payload.word, s.Row1 = e.Payload.word, e.Row1
	}
	return c != 0
}

// drain deals the greatest rows of the keys at hand out.
func (f *finder[K]) drain() {
	f.hot.Drain(func(s *keyset.Entry[K, atHand]) {
		f.parts.Add(entry[K]{Payload: s.Payload.word, Key: s.Key, Row1: s.Row1})
	})
}
