package keyset

import (
	"slices"
	"unsafe"

	"github.com/onerow-go/onerow/internal/form"
)

// Entry is one row on its way to the table of its partition, and in it: what is known of a key. With a payload of four bytes it has 16 bytes
// for keys of one word, 24 for keys of two.
type Entry[K Words, P any] struct {
	Key     K
	Row1    uint32 // 1 + the number of a row that has the key; 0 only in free slots
	Payload P      // the verb's: an order word, a count, an id
}

// Row returns the number of the row.
func (e *Entry[K, P]) Row() uint32 { return e.Row1 - 1 }

// Table holds an entry a key. It has open addressing with linear probing, with the entries in the slots, and is at most a quarter full, or half if it
// is large: a probe is one cache line. A table belongs to one goroutine.
type Table[K Words, P any] struct {
	slots  []Entry[K, P]
	mask   uint32
	starts uint32 // mask; 0 under one hash for all
	n      int
	limit  int // the number of keys at which the table grows
	same   func(a, b uint32) bool
	exact  bool   // words alone decide
	long   uint64 // the top byte of words that don't; out of reach if all do
	start  []uint32
	left   []uint8 // room for Sum and Keep
	trust  *trust  // while digests decide; see Fill
	probe  Probe
	keys   *Keys
}

const firstSlots = 512

// NewTable returns a table for keys that k reads.
func NewTable[K Words, P any](k *Keys) *Table[K, P] {
	t := &Table[K, P]{exact: k.Exact(), same: k.Same, keys: k, left: make([]uint8, ChunkRows), long: form.LongText}
	if t.exact {
		t.long = 1 << 8
	}
	t.make(firstSlots)
	return t
}

// quarterSlots is the size up to which a table, which then lies in a core's own cache, is at most three eighths full, and not half: a key that isn't
// at its start costs a branch that was guessed wrong, as much as all else that is done for a row.
const quarterSlots = 1 << 16

// roomIn is the number of keys that n slots have room for.
func roomIn(n int) int {
	if n <= quarterSlots {
		return n/4 + n/8
	}
	return n / 2
}

// make gives the table n free slots.
func (t *Table[K, P]) make(n int) {
	t.slots = make([]Entry[K, P], n)
	t.mask = uint32(n - 1)
	t.starts, t.limit = t.mask, roomIn(n)
	if form.IsConstantHash() {
		t.starts = 0
	}
	t.slots[0].Key[0] = ^uint64(0)
}

// Grow makes room for n more keys, so that no call of At for them moves the entries.
func (t *Table[K, P]) Grow(n int) {
	for t.n+n > t.limit {
		t.rebuild(2 * len(t.slots))
	}
}

// Reset empties the table. It keeps its memory, unless that is far more than the keys needed: one large partition would make all those after it
// clear and walk what it left.
func (t *Table[K, P]) Reset() {
	if len(t.slots) > firstSlots && t.n < len(t.slots)/32 {
		t.make(max(firstSlots, len(t.slots)/8))
	}
	t.clear()
}

// Len is the number of keys.
func (t *Table[K, P]) Len() int { return t.n }

// Start returns where the search for a key begins. It holds until the table grows.
func (t *Table[K, P]) Start(k *K) uint32 { return uint32((*k)[0]>>slotShift) & t.starts }

// Starts makes room for the keys of some entries, and returns where the search for each begins. The list is valid until the next call of Starts.
func (t *Table[K, P]) Starts(entries []Entry[K, P]) []uint32 {
	t.Grow(len(entries))
	if cap(t.start) < len(entries) {
		t.start = make([]uint32, len(entries))
	}
	start := t.start[:len(entries)]
	StartsIn(t, entries, start)
	return start
}

// StartsIn puts where the search for the keys of some entries begins in a table into start, which has their number. It only reads the table.
func StartsIn[K Words, P, Q any](t *Table[K, P], entries []Entry[K, Q], start []uint32) {
	starts := t.starts
	for i := range start {
		start[i] = uint32(entries[i].Key[0]>>slotShift) & starts
	}
}

// missed is 0 if words alone say that the key of e is that of s, the slot at its start, else 1; At and Find know of the others. It has no branch.
// long is that of the table. A free slot is missed: see clear.
func missed[K Words, P any](s, e *Entry[K, P], long uint64) (miss uint32) {
	last := len(e.Key) - 1
	if (s.Key[0]^e.Key[0])|(s.Key[last]^e.Key[last]) != 0 {
		miss = 1
	}
	if last == 1 && e.Key[last]>>56 == long {
		miss = 1
	}
	return miss
}

// base and slotAt are the slots without the check of bounds that costs hot loops a register. A slot is at most t.mask.
func (t *Table[K, P]) base() unsafe.Pointer { return unsafe.Pointer(&t.slots[0]) }

func slotAt[K Words, P any](base unsafe.Pointer, i uint32) *Entry[K, P] {
	return (*Entry[K, P])(unsafe.Add(base, uintptr(i)*unsafe.Sizeof(Entry[K, P]{})))
}

// clear frees all slots. A free slot has zero words, and is found at the start of no key: the only one that would begin with zero begins at slot 0,
// which has other words while it is free.
func (t *Table[K, P]) clear() {
	clear(t.slots)
	t.slots[0].Key[0] = ^uint64(0)
	t.n = 0
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
	if t.n >= t.limit {
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

// place is At for one of those that Grow made room for: nil stands for a fresh entry.
func (t *Table[K, P]) place(e *Entry[K, P]) *Entry[K, P] {
	slots, mask := t.base(), t.mask
	for i := t.Start(&e.Key); ; i++ {
		s := slotAt[K, P](slots, i&mask)
		if s.Row1 == 0 {
			*s = *e
			t.n++
			return nil
		}
		if s.Key == e.Key && (t.exact || t.equal(s, e)) {
			return s
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

// Mark marks the rows of all entries.
func (t *Table[K, P]) Mark(rows Bitmap) {
	var taken [256]uint32
	for slots := range slices.Chunk(t.slots, len(taken)) {
		n := 0
		for i := range slots { // without a branch: which are free can't be foretold
			taken[n%len(taken)] = slots[i].Row1 - 1
			n += int(min(slots[i].Row1, 1))
		}
		rows.SetAll(taken[:n])
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
	t.make(n)
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
