package dedupe

import (
	"hash/maphash"
	"math/bits"

	"github.com/onerow-go/onerow/internal/form"
)

// guardIndex maps the keys of a guard to the places of their rows. It has open addressing with linear probing and is at most half full. A slot
// holds 32 bits of a hash of the key's canonical bytes, under a secret of the guard, and not the key: that is compared where the row lies. So
// keys may come in any encoding, width, scale or unit, and can't be crafted to collide.
type guardIndex struct {
	slots []guardSlot
	mask  uint32
	n     int
}

type guardSlot struct {
	tag    uint32
	place1 uint32 // 1 + the place; 0 in free slots
}

func newGuardIndex() guardIndex { return guardIndex{slots: make([]guardSlot, 64), mask: 63} }

// find returns the slot of a key: the first one from where its search begins that has its tag and that same says yes to; else a free one.
func (x *guardIndex) find(tag uint32, same func(place uint32) bool) *guardSlot {
	for i := tag; ; i++ {
		s := &x.slots[i&x.mask]
		if s.place1 == 0 || s.tag == tag && same(s.place1-1) {
			return s
		}
	}
}

// guess returns the first place that has the tag, or noRow if there is none, without a look at its row.
func (x *guardIndex) guess(tag uint32) uint32 {
	for i := tag; ; i++ {
		if s := x.slots[i&x.mask]; s.place1 == 0 || s.tag == tag {
			return s.place1 - 1
		}
	}
}

// reserve makes room for n keys more.
func (x *guardIndex) reserve(n int) {
	if need := 2 * (x.n + n); need > len(x.slots) {
		old := x.slots
		x.slots = make([]guardSlot, 1<<bits.Len(uint(need-1)))
		x.mask = uint32(len(x.slots) - 1)
		for _, s := range old {
			if s.place1 != 0 {
				*x.find(s.tag, func(uint32) bool { return false }) = s
			}
		}
	}
}

// put gives a slot that find returned to a place, and returns the place that had it, or noRow. There must be room.
func (x *guardIndex) put(s *guardSlot, tag, place uint32) (before uint32) {
	if before = s.place1 - 1; before == noRow {
		x.n++
	}
	*s = guardSlot{tag, place + 1}
	return before
}

// forget frees the slot of a place, if it has one. Slots behind it that were pushed on move up, so that every search still ends at its key.
func (x *guardIndex) forget(tag, place uint32) bool {
	hole := tag & x.mask
	for ; x.slots[hole].place1 != place+1; hole = (hole + 1) & x.mask {
		if x.slots[hole].place1 == 0 {
			return false
		}
	}
	x.n--
	for i := (hole + 1) & x.mask; x.slots[i].place1 != 0; i = (i + 1) & x.mask {
		if home := x.slots[i].tag & x.mask; (i-home)&x.mask >= (i-hole)&x.mask {
			x.slots[hole], hole = x.slots[i], i
		}
	}
	x.slots[hole] = guardSlot{}
	return true
}

// guardTagger makes the tags of keys. It belongs to one goroutine.
type guardTagger struct {
	seed  maphash.Seed
	bytes []byte
}

// tag returns the tag of the key of row i, and whether the key has NULL in it.
func (t *guardTagger) tag(cells []*form.Array, i int) (tag uint32, null bool) {
	t.bytes = t.bytes[:0]
	for _, a := range cells {
		null = null || a.Null(i)
		t.bytes = form.AppendCanonical(t.bytes, a, i)
	}
	if form.IsConstantHash() {
		return 0, null
	}
	h := maphash.Bytes(t.seed, t.bytes)
	return uint32(h ^ h>>32), null
}

// sameCells compares the keys of two rows.
func sameCells(a []*form.Array, i int, b []*form.Array, j int) bool {
	for c := range a {
		if form.Compare(a[c], i, b[c], j, form.ByValue) != 0 {
			return false
		}
	}
	return true
}
