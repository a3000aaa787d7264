package keyset

import (
	"math/bits"

	"github.com/onerow-go/onerow/internal/form"
)

// hotSlots is the most slots that a worker has for keys at hand: they stay in the second cache of a core, and where keys are few, most of them
// find the slot free at which they look.
const hotSlots = 1 << 15

// HotTrial is how many rows a worker reads before it judges whether keys at hand pay, again and again. It is a variable for tests.
var HotTrial = 1 << 13

// hotWays is the number of slots that a key may lie in, a power of two: those of one cache line, where a key is one word.
const hotWays = 4

// Hot keeps a few keys at hand before rows are dealt out to partitions. Rows of these keys are merged into their slots as they come, so that
// they go no further: nearly all rows, when keys are few or a few keys have most of the rows. In the end what is at hand is dealt out
// like rows, so the outcome is the same with and without it. A Hot belongs to one goroutine.
//
// A block of rows takes two steps. In the first, a loop that has no branch that could be guessed wrong, each row looks at one slot. The rows
// that don't find their key there, and the few that need a closer look, are listed, and take the second.
type Hot[K Words] struct {
	on    bool
	marks Bitmap // while keys are looked at: their bits
	keys  *Keys
	free  uint64 // the state of slots without a key
	slots []hotSlot[K]
	size  int // the number of slots, which are made for the first block
	used  int
	home  uint32 // len(slots) - 1; 0 under one hash for all
	long  uint64 // the top byte of words that don't decide; out of reach if all do
	// samples is how many of the first rows of a key are kept, first are those of all slots; for Count.
	samples int
	first   []uint32

	seen, merged, fresh int // rows of this trial; of these, rows that went no further; of these, those that became entries

	missed, closer [BlockRows]uint16 // rows of the block
	refused        []uint16
}

// hotSlot is a key at hand. Its state is a word, over 1 + the number of a row, which is 0 in free slots.
type hotSlot[K Words] struct {
	key   K
	state uint64
}

func (s *hotSlot[K]) row1() uint32 { return uint32(s.state) }
func (s *hotSlot[K]) word() uint32 { return uint32(s.state >> 32) }

// rowMask is the part of a state that is a row.
const rowMask = 1<<32 - 1

// HotGreatest returns an empty Hot for [Hot.Greatest]. It is off from the start when rows are so few that dealing them out costs little.
func HotGreatest[K Words](k *Keys, rows uint32) *Hot[K] {
	return newHot[K](k, rows, ^uint64(rowMask), 0)
}

// HotCount returns an empty Hot for [Hot.Count], which keeps some first rows of each key.
func HotCount[K Words](k *Keys, rows uint32, samples int) *Hot[K] {
	return newHot[K](k, rows, 0, samples)
}

func newHot[K Words](k *Keys, rows uint32, free uint64, samples int) *Hot[K] {
	h := &Hot[K]{keys: k, free: free, samples: samples, long: form.LongText}
	if int64(rows) > 2*int64(HotTrial) {
		h.marks = NewBitmap(hotMarks)
	}
	if k.Exact() {
		h.long = 1 << 8
	}
	h.size = max(2*hotWays, min(hotSlots, 1<<bits.Len32(rows/4)))
	return h
}

// begin makes room for keys before the first block.
func (h *Hot[K]) begin() {
	if h.slots == nil {
		h.refused = make([]uint16, 0, BlockRows)
		h.make(h.size)
	}
	h.refused = h.refused[:0]
}

// make makes a table of n slots.
func (h *Hot[K]) make(n int) {
	h.slots, h.first = make([]hotSlot[K], n), make([]uint32, n*h.samples)
	h.home = uint32(n - 1)
	if form.IsConstantHash() {
		h.home = 0
	}
	// No row is to find its key in a free slot, so the key there is one that looks elsewhere.
	for i := range h.slots {
		h.slots[i].state = h.free
		if i < hotWays {
			h.slots[i].key[0] = hotWays << slotShift
		}
	}
}

// homeOf returns the slot that rows of a key look at.
func (h *Hot[K]) homeOf(k *K) uint32 { return uint32((*k)[0]>>slotShift) & h.home }

// hotMarks is the number of bits by which keys are looked at, far more than rows are.
const hotMarks = 1 << 18

// Look looks at a block of rows which are dealt out, before it turns itself on, or else stays off: only then is there room for keys. To keep keys at hand
// pays only where some of the first rows have a key in common with one before.
func (h *Hot[K]) Look(b *Block[K]) {
	if h.marks == nil {
		return
	}
	rows := len(b.Keys)
	for i := range b.Keys {
		at := uint32(b.Keys[i][0]>>slotShift) % hotMarks
		word, bit := &h.marks[at/64], uint64(1)<<(at%64)
		if b.AnyNull && b.Null[i] != 0 {
			bit = 0
			rows--
		}
		h.fresh += int(min(bit&^*word, 1))
		*word |= bit
	}
	if h.seen += rows; h.seen >= HotTrial && h.seen > 0 {
		h.on = 8*(h.seen-h.fresh) >= h.seen
		h.marks, h.seen, h.fresh = nil, 0, 0
	}
}

// On says whether rows are to be merged. Once it was on and is off, it stays off.
func (h *Hot[K]) On() bool { return h.on }

// Pays says whether to go on. Now and then it looks at how many of the rows that came were merged: most of them must be, or, while there is room
// for more keys, some of them.
func (h *Hot[K]) Pays() bool {
	if h.seen < HotTrial {
		return true
	}
	seen, merged := h.seen, h.merged-h.fresh
	h.seen, h.merged, h.fresh = 0, 0, 0
	return 2*merged >= seen || 8*merged >= seen && 4*h.used < 3*len(h.slots)
}

// firstOf has room for the first rows of the key in a slot.
func (h *Hot[K]) firstOf(at uint32) []uint32 { return h.first[int(at)*h.samples:][:h.samples] }

// find returns the slot of a key, or a free one that it may have, or neither.
func (h *Hot[K]) find(k *K, row1 uint32) (at uint32, found, free bool) {
	home := h.homeOf(k)
	for j := range uint32(hotWays) {
		to := home ^ j
		s := &h.slots[to]
		if s.row1() == 0 {
			if !free {
				at, free = to, true
			}
		} else if s.key == *k && h.same(k, s.row1(), row1) {
			return to, true, false
		}
	}
	return at, false, free
}

// same decides on the cells where the words are a digest.
func (h *Hot[K]) same(k *K, a, b uint32) bool {
	return (*k)[len(*k)-1]>>56 != h.long || h.keys.Same(a-1, b-1)
}

// Drain turns it off for good, and calls f with each key at hand; only the first time. FirstRows still knows them.
func (h *Hot[K]) Drain(f func(Entry[K, uint32])) {
	h.marks = nil
	if !h.on {
		return
	}
	h.on = false
	for i := range h.slots {
		if s := &h.slots[i]; s.row1() != 0 {
			f(Entry[K, uint32]{Key: s.key, Payload: s.word(), Row1: s.row1()})
		}
	}
}
