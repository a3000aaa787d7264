package keyset

import (
	"github.com/onerow-go/onerow/internal/form"
)

// Entry is one row on its way to the table of its partition, and in it: what is known of a key.
type Entry[K Words, P any] struct {
	Payload P // the verb's: an order word, a count, an id
	Key     K
	Row     uint32 // a row that has the key
	Hash    uint32 // Tag of the key's hash; 0 only in free slots
}

// Tag returns the part of a key's hash that entries carry.
func Tag(hash uint64) uint32 { return uint32(hash) | 1<<31 }

// maxProbe is how far a key may lie from its slot before the table turns to slots by a secret. In a table at most half full
// whose hashes are good, no key of a billion lies further.
const maxProbe = 128

// Table holds an entry a key. It has open addressing with linear probing, with the entries in the slots, and is at most half full: a
// probe is one cache line. A table belongs to one goroutine.
type Table[K Words, P any] struct {
	slots []Entry[K, P]
	mask  uint32
	n     int
	same  func(a, b uint32) bool
	exact bool // words alone decide
	// direct: words alone decide, and slots are by hash.
	direct bool
	keyed  bool // slots are by a secret
}

const firstSlots = 256

// NewTable returns a table for keys that k reads.
func NewTable[K Words, P any](k *Keys) *Table[K, P] {
	t := &Table[K, P]{exact: k.Exact(), direct: k.Exact(), same: k.Same}
	t.slots = make([]Entry[K, P], firstSlots)
	t.mask = firstSlots - 1
	return t
}

// Reset empties the table and keeps its memory.
func (t *Table[K, P]) Reset() {
	clear(t.slots)
	t.n, t.keyed, t.direct = 0, false, t.exact
}

// Len is the number of keys.
func (t *Table[K, P]) Len() int { return t.n }

// Hit returns the entry of a key that lies right at its slot and whose words decide, else nil. It is small enough to be inlined, and
// answers for most rows; At and Find know of the others.
func (t *Table[K, P]) Hit(e *Entry[K, P]) *Entry[K, P] {
	s := &t.slots[e.Hash&t.mask]
	if s.Hash == e.Hash && s.Key == e.Key && t.direct {
		return s
	}
	return nil
}

// At returns the entry of a key; if there is none yet, it becomes a copy of e, and fresh is true. The caller may change its payload,
// and its row to another that has the key. The pointer is valid until the next call.
func (t *Table[K, P]) At(e *Entry[K, P]) (s *Entry[K, P], fresh bool) {
	if 2*t.n >= len(t.slots) {
		t.rebuild(2 * len(t.slots))
	}
	slots, mask := t.slots, t.mask
	for i, probes := t.slot(e), 0; ; i, probes = (i+1)&mask, probes+1 {
		s = &slots[i&mask]
		if s.Hash == 0 {
			if probes > maxProbe && !t.keyed {
				t.keyed, t.direct = true, false
				t.rebuild(len(slots))
				return t.At(e)
			}
			*s = *e
			t.n++
			return s, true
		}
		if s.Hash == e.Hash && s.Key == e.Key && (t.exact || t.equal(s, e)) {
			return s, false
		}
	}
}

// Find returns the entry of a key, or nil. The pointer is valid until the next call of At.
func (t *Table[K, P]) Find(e *Entry[K, P]) *Entry[K, P] {
	for i := t.slot(e); ; i = (i + 1) & t.mask {
		s := &t.slots[i]
		if s.Hash == 0 {
			return nil
		}
		if s.Hash == e.Hash && s.Key == e.Key && (t.exact || t.equal(s, e)) {
			return s
		}
	}
}

// All calls f for each entry, in no order that means anything.
func (t *Table[K, P]) All(f func(*Entry[K, P])) {
	for i := range t.slots {
		if s := &t.slots[i]; s.Hash != 0 {
			f(s)
		}
	}
}

// slot returns where the search for a key begins.
func (t *Table[K, P]) slot(e *Entry[K, P]) uint32 {
	if !t.keyed || form.IsConstantHash() {
		return e.Hash & t.mask
	}
	return uint32(form.Mix2(e.Key[0]^secrets[0], e.Key[len(e.Key)-1]^secrets[1])) & t.mask
}

// equal decides on the cells where the words are a digest.
func (t *Table[K, P]) equal(s, e *Entry[K, P]) bool {
	if e.Key[len(e.Key)-1]>>56 != form.LongText {
		return true
	}
	return s.Row == e.Row || t.same(s.Row, e.Row)
}

// rebuild moves all entries to n slots.
func (t *Table[K, P]) rebuild(n int) {
	old := t.slots
	t.slots = make([]Entry[K, P], n)
	t.mask = uint32(n - 1)
	for i := range old {
		e := &old[i]
		if e.Hash == 0 {
			continue
		}
		at := t.slot(e)
		for t.slots[at].Hash != 0 {
			at = (at + 1) & t.mask
		}
		t.slots[at] = *e
	}
}
