package keyset

import (
	"github.com/onerow-go/onerow/internal/form"
)

// Entry is one row on its way to the table of its partition.
type Entry[K Words, P any] struct {
	Payload P // the verb's: an order word, a count
	Key     K
	Row     uint32
	Hash    uint32 // low half of the key's hash
}

// maxProbe is how far a key may lie from its slot before the table turns to slots by a secret. In a table at most half full
// whose hashes are good, no key of a billion lies further.
const maxProbe = 128

// Table numbers distinct keys 0, 1, 2… in order of insertion. It has open addressing with linear probing; it is at most
// half full. A table belongs to one goroutine.
type Table[K Words] struct {
	slots []uint64 // tag<<32 | id+1; 0 is free
	mask  uint32
	keys  []K      // by id
	rows  []uint32 // by id: the row that was inserted first
	same  func(a, b uint32) bool
	keyed bool
	exact bool
	// direct: slots are by hash, and no key needs its cells compared.
	direct bool
}

// NewTable returns a table for keys that k reads.
func NewTable[K Words](k *Keys) *Table[K] {
	t := &Table[K]{exact: k.Exact(), direct: k.Exact()}
	if !k.Exact() {
		t.same = k.Same
	}
	t.slots = make([]uint64, 256)
	t.mask = 255
	return t
}

// Reset empties the table and keeps its memory.
func (t *Table[K]) Reset() {
	clear(t.slots)
	t.keys, t.rows, t.keyed, t.direct = t.keys[:0], t.rows[:0], false, t.exact
}

// Len is the number of keys.
func (t *Table[K]) Len() int { return len(t.keys) }

// Row returns the row that was inserted first with the key of the id.
func (t *Table[K]) Row(id uint32) uint32 { return t.rows[id] }

// Key returns the words of the key of the id.
func (t *Table[K]) Key(id uint32) K { return t.keys[id] }

// tag returns the hash that places a key.
func (t *Table[K]) tag(k *K, hash uint32) uint32 {
	if t.keyed {
		return keyedTag((*k)[0], (*k)[len(*k)-1])
	}
	return hash
}

func keyedTag(a, b uint64) uint32 {
	if form.IsConstantHash() {
		return 0
	}
	return uint32(form.Mix2(a^secrets[0], b^secrets[1]))
}

// Hit returns the id of a key that lies right at its slot and whose words decide; it is small enough to be inlined, and answers for
// most rows. Where it is false, Insert and Find know.
func (t *Table[K]) Hit(k *K, hash uint32) (id uint32, ok bool) {
	s := t.slots[hash&t.mask]
	id = uint32(s) - 1
	return id, s>>32 == uint64(hash) && int(id) < len(t.keys) && t.keys[id] == *k && t.direct
}

// Insert returns the id of a key, and whether it is new. row is a row that has it.
func (t *Table[K]) Insert(k *K, hash, row uint32) (id uint32, fresh bool) {
	if 2*len(t.keys) >= len(t.slots) {
		t.grow(2 * len(t.slots))
	}
	tag := t.tag(k, hash)
	slots, mask := t.slots, t.mask
	for i, probes := tag&mask, 0; ; i, probes = (i+1)&mask, probes+1 {
		s := slots[i]
		if s == 0 {
			if probes > maxProbe && !t.keyed {
				t.keyed, t.direct = true, false
				t.grow(len(t.slots))
				return t.Insert(k, hash, row)
			}
			id = uint32(len(t.keys))
			slots[i] = uint64(tag)<<32 | uint64(id+1)
			t.keys = append(t.keys, *k)
			t.rows = append(t.rows, row)
			return id, true
		}
		if uint32(s>>32) == tag {
			id = uint32(s) - 1
			if t.keys[id] == *k && (t.same == nil || t.equal(k, id, row)) {
				return id, false
			}
		}
	}
}

// Find returns the id of a key, if it is in the table.
func (t *Table[K]) Find(k *K, hash, row uint32) (id uint32, ok bool) {
	tag := t.tag(k, hash)
	for i := tag & t.mask; ; i = (i + 1) & t.mask {
		s := t.slots[i]
		if s == 0 {
			return 0, false
		}
		if uint32(s>>32) == tag {
			id = uint32(s) - 1
			if t.keys[id] == *k && (t.same == nil || t.equal(k, id, row)) {
				return id, true
			}
		}
	}
}

// equal decides on the cells where the words are a digest.
func (t *Table[K]) equal(k *K, id, row uint32) bool {
	if (*k)[len(*k)-1]>>56 != form.LongText {
		return true
	}
	return t.rows[id] == row || t.same(t.rows[id], row)
}

// grow moves all keys to n slots.
func (t *Table[K]) grow(n int) {
	old := t.slots
	t.slots = make([]uint64, n)
	t.mask = uint32(n - 1)
	for _, s := range old {
		if s == 0 {
			continue
		}
		tag := uint32(s >> 32)
		if t.keyed {
			tag = t.tag(&t.keys[uint32(s)-1], 0)
		}
		i := tag & t.mask
		for t.slots[i] != 0 {
			i = (i + 1) & t.mask
		}
		t.slots[i] = uint64(tag)<<32 | s&0xffffffff
	}
}
