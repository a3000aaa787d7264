package keyset

import (
	"math/bits"
	"math/rand/v2"

	"github.com/onerow-go/onerow/internal/form"
)

// Entry is one row on its way to the table of its partition, and in it: what is known of a key. With a payload of four bytes it has 16 bytes
// for keys of one word, 24 for keys of two.
type Entry[K Words, P any] struct {
	Key     K
	Payload P      // the verb's: an order word, a count, an id
	Row1    uint32 // 1 + the number of a row that has the key; 0 only in free slots
}

// Row returns the number of the row.
func (e *Entry[K, P]) Row() uint32 { return e.Row1 - 1 }

// Table holds an entry a key. It has open addressing with linear probing, with the entries in the slots, and is at most half full: a
// probe is one cache line. Slots are by a hash of the key's words under a secret of the process, so that keys can't be crafted to
// collide. A table belongs to one goroutine.
type Table[K Words, P any] struct {
	slots []Entry[K, P]
	mask  uint32
	n     int
	same  func(a, b uint32) bool
	exact bool   // words alone decide
	keep  uint64 // ^0; 0 under one hash for all
	start []uint32
	trust *trust // while digests decide; see Fill
	probe Probe
	keys  *Keys
}

const firstSlots = 512

// NewTable returns a table for keys that k reads.
func NewTable[K Words, P any](k *Keys) *Table[K, P] {
	t := &Table[K, P]{exact: k.Exact(), same: k.Same, keep: ^uint64(0), keys: k}
	t.slots = make([]Entry[K, P], firstSlots)
	t.mask = firstSlots - 1
	if form.IsConstantHash() {
		t.keep = 0
	}
	return t
}

// Reset empties the table. It keeps its memory, unless that is far more than the keys needed: one large partition would make all those after it
// clear and walk what it left.
func (t *Table[K, P]) Reset() {
	if len(t.slots) > firstSlots && t.n < len(t.slots)/16 {
		t.slots = make([]Entry[K, P], len(t.slots)/8)
		t.mask = uint32(len(t.slots) - 1)
	} else {
		clear(t.slots)
	}
	t.n = 0
}

// Len is the number of keys.
func (t *Table[K, P]) Len() int { return t.n }

// secrets key the slots of tables.
var secrets = [2]uint64{rand.Uint64(), rand.Uint64() | 1}

// hash1 and hash2 fold the product of 128 bits of the words and the secrets (the step of Wang Yi's wyhash), twice: after one fold, keys that
// lie in steps still lie in steps, and fall on each other under an unlucky secret.
func hash1(k *[1]uint64) uint64 {
	hi, lo := bits.Mul64(k[0]^secrets[0], secrets[1])
	hi, lo = bits.Mul64(hi^lo, fold)
	return hi ^ lo
}

func hash2(k *[2]uint64) uint64 {
	hi, lo := bits.Mul64(k[0]^secrets[0], k[1]^secrets[1])
	hi, lo = bits.Mul64(hi^lo^k[0], fold)
	return hi ^ lo
}

const fold = 0x9e3779b97f4a7c15

// Start returns where the search for a key begins. It holds until the table grows.
func (t *Table[K, P]) Start(k *K) uint32 {
	switch k := any(k).(type) {
	case *[1]uint64:
		return uint32(hash1(k)&t.keep) & t.mask
	case *[2]uint64:
		return uint32(hash2(k)&t.keep) & t.mask
	}
	return 0
}

// Starts makes room for the keys of some entries, and returns where the search for each begins. Doing so for many at a time lets the
// processor work on several. The list is valid until the next call of Starts.
func (t *Table[K, P]) Starts(entries []Entry[K, P]) []uint32 {
	for 2*(t.n+len(entries)) > len(t.slots) {
		t.rebuild(2 * len(t.slots))
	}
	if cap(t.start) < len(entries) {
		t.start = make([]uint32, len(entries))
	}
	start := t.start[:len(entries)]
	StartsIn(t, entries, start)
	return start
}

// StartsIn puts where the search for the keys of some entries begins in a table into start, which has their number. It only reads the table.
func StartsIn[K Words, P, Q any](t *Table[K, P], entries []Entry[K, Q], start []uint32) {
	switch entries := any(entries).(type) {
	case []Entry[[1]uint64, Q]:
		for i := range start {
			start[i] = uint32(hash1(&entries[i].Key)&t.keep) & t.mask
		}
	case []Entry[[2]uint64, Q]:
		for i := range start {
			start[i] = uint32(hash2(&entries[i].Key)&t.keep) & t.mask
		}
	}
}

// Hit returns the entry of a key that lies right at its start and whose words decide, else nil. It is small enough to be inlined, and
// answers for most rows; At and Find know of the others.
func (t *Table[K, P]) Hit(e *Entry[K, P], start uint32) *Entry[K, P] {
	s := &t.slots[start]
	if s.Key == e.Key && s.Row1 != 0 && (t.exact || e.Key[len(e.Key)-1]>>56 != form.LongText) {
		return s
	}
	return nil
}

// At returns the entry of a key, whose search begins at start; if there is none yet, it becomes a copy of e, and fresh is true. The
// caller may change its payload, and its row to another that has the key. The pointer is valid until the next call of At or Starts.
func (t *Table[K, P]) At(e *Entry[K, P], start uint32) (s *Entry[K, P], fresh bool) {
	if 2*t.n >= len(t.slots) {
		t.rebuild(2 * len(t.slots))
		start = t.Start(&e.Key)
	}
	slots, mask := t.slots, t.mask
	for i := start; ; i = (i + 1) & mask {
		s = &slots[i]
		if s.Row1 == 0 {
			*s = *e
			t.n++
			return s, true
		}
		if s.Key == e.Key && (t.exact || t.equal(s, e)) {
			return s, false
		}
	}
}

// Find returns the entry of a key, or nil. The pointer is valid until the next call of At or Starts.
func (t *Table[K, P]) Find(e *Entry[K, P]) *Entry[K, P] { return t.FindAt(e, t.Start(&e.Key)) }

// FindAt is Find, for a key whose search begins at start.
func (t *Table[K, P]) FindAt(e *Entry[K, P], start uint32) *Entry[K, P] {
	for i := start; ; i = (i + 1) & t.mask {
		s := &t.slots[i]
		if s.Row1 == 0 {
			return nil
		}
		if s.Key == e.Key && (t.exact || t.equal(s, e)) {
			return s
		}
	}
}

// All calls f for each entry, in no order that means anything.
func (t *Table[K, P]) All(f func(*Entry[K, P])) {
	for i := range t.slots {
		if s := &t.slots[i]; s.Row1 != 0 {
			f(s)
		}
	}
}

// equal decides on the cells where the words are a digest.
func (t *Table[K, P]) equal(s, e *Entry[K, P]) bool {
	if e.Key[len(e.Key)-1]>>56 != form.LongText {
		return true
	}
	if t.trust != nil {
		t.trust.add(s.Row(), e.Row())
		return true
	}
	return s.Row1 == e.Row1 || t.same(s.Row(), e.Row())
}

// rebuild moves all entries to n slots.
func (t *Table[K, P]) rebuild(n int) {
	old := t.slots
	t.slots = make([]Entry[K, P], n)
	t.mask = uint32(n - 1)
	for i := range old {
		e := &old[i]
		if e.Row1 == 0 {
			continue
		}
		at := t.Start(&e.Key)
		for t.slots[at].Row1 != 0 {
			at = (at + 1) & t.mask
		}
		t.slots[at] = *e
	}
}
