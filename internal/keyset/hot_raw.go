package keyset

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"unsafe"

	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/vector"
)

// HotRaw keeps keys at hand as [Hot] does, where both the key and the first order column are words of 64 bits without NULL, and reads these
// where they stand: nothing is made of a row that loses to one at hand, neither the scrambled word of its key nor the word of its order. A
// HotRaw belongs to one goroutine.
//
// A slot is a key and its greatest order so far. In the first step each row looks at its line, or, one by one, at one slot of it, and is
// done with if its key is there with a greater order. Of the others, those whose line is full of other keys go on to the partitions; the
// rest look closer. Lines go by the top bits of one product, so that the lines of a table are parts of those of a smaller one, and those of
// several workers have the same keys.
type HotRaw struct {
	on    bool
	most  int    // slots that there may be
	by    uint64 // odd, and a secret; 0 under one hash for all
	mask  uint64 // len(slots) - 1
	slots []rawSlot
	rows  []uint32 // by slot: 1 + the number of the greatest row; 0: the slot is free
	used  int
	// memory is that of slots and rows, which is lent.
	memory [2][]uint64
	// least is no more than any rank at hand; 0 while it isn't known, or leaves too many rows. at are the slots that are used, or were some
	// time ago. rounds is the number of trials, and next when least is found again.
	least        uint64
	at           []uint32
	rounds, next int
	// few and rising say of the block before that few of its rows were left, or that most were the greatest so far; rises counts these.
	few, rising bool
	rises       int
	// spilled tells lines of which some rows may have gone on, beside those that are full now, of whose keys none went on that is at hand.
	spilled Bitmap

	seen, merged, fresh int // as Hot has them

	homes   [BlockRows]uint32 // slots at which rows of the block look
	missed  [BlockRows]uint16
	refused []uint16
}

// rawSlot is a key at hand. Free ones have no key in particular, and the least rank, to which no row loses.
type rawSlot struct{ key, rank uint64 }

const (
	rawWays = vector.Ways
	// rawMost is how many slots there are at most: they lie in the third cache, which is still quicker than dealing out.
	rawMost     = 1 << rawMostBits
	rawMostBits = 17
	// rawShare is how many slots there are to be for a key: where keys are few, hardly any finds its slot taken. rawGrowth is by how much
	// they grow, in bits.
	rawShare, rawGrowth = 128, 2
	// rawLeast is the most keys of which the least rank is found: after rawRounds trials, and again after a quarter as many as there were,
	// as ranks rise ever more slowly.
	rawLeast, rawRounds = 2048, 4
)

// RawSlots is how many slots there are at first, and RawNear the number of keys whose lines lie in a core's own cache. They are variables
// for tests.
var RawSlots, RawNear = 1 << 13, 1 << 13

// rawSecret multiplies keys.
var rawSecret = rand.Uint64() | 1

// NewHotRaw returns an empty HotRaw for that many rows; nil, which is off, when rows are so few that dealing them out costs little.
func NewHotRaw(rows uint32) *HotRaw {
	if int64(rows) <= 2*int64(HotTrial) {
		return nil
	}
	h := &HotRaw{on: true, next: rawRounds, refused: make([]uint16, 0, BlockRows), most: max(2*rawWays, min(rawMost, 1<<bits.Len32(rows/16)))}
	if !form.IsConstantHash() {
		h.by = rawSecret
	}
	h.make(min(h.most, RawSlots))
	return h
}

func (h *HotRaw) make(n int) {
	h.memory = [2][]uint64{lend(2 * n), lend((n + 1) / 2)}
	h.slots = unsafe.Slice((*rawSlot)(unsafe.Pointer(&h.memory[0][0])), n)
	h.rows = unsafe.Slice((*uint32)(unsafe.Pointer(&h.memory[1][0])), n)
	h.spilled, h.mask = NewBitmap(uint32(n/rawWays)), uint64(n-1)
}

// Release gives the memory back. What was at hand may not be asked for any more.
func (h *HotRaw) Release() {
	if h == nil {
		return
	}
	h.on, h.slots, h.rows = false, nil, nil
	for i := range h.memory {
		giveBack(h.memory[i])
		h.memory[i] = nil
	}
}

// On says whether rows are to be merged. Once off, it stays off.
func (h *HotRaw) On() bool { return h != nil && h.on }

// Greatest merges a block of rows, given by their keys and by words that, flipped, are the greater the greater the row; what these have
// room for are the rows that come next. It returns the rows of the block, by their places in it, that go on to the partitions. row is the
// number of the block's first row, and compare compares rows in full. The list is valid until the next call.
func (h *HotRaw) Greatest(keys, orders []uint64, flip uint64, row uint32, compare func(a, b uint32) int) (refused []uint16) {
	h.rises = 0
	m := h.look(keys, orders, flip, row+1)
	left, refused := h.table().Homeless(keys, h.missed[:m], h.refused[:BlockRows])
	h.refused = refused
	for _, i := range left {
		h.weigh(keys[i], orders[i]^flip, i, row+uint32(i)+1, compare)
	}
	if h.few, h.rising = m < len(keys)/16, h.rises > len(keys)/2; !h.few {
		h.least, h.next = 0, min(h.next, h.rounds+rawRounds)
	}
	h.seen += len(keys)
	h.merged += len(keys) - len(h.refused)
	return h.refused
}

// homeOf returns the slot that rows of a key look at.
func (h *HotRaw) homeOf(key uint64) uint32 { return uint32(h.table().Of(key)) }

// weigh looks closer at row i of the block, one whose key may be in its line, or find room there. The rows of slots lie elsewhere, and are
// looked at only where they have to be.
func (h *HotRaw) weigh(key, rank uint64, i uint16, row1 uint32, compare func(a, b uint32) int) {
	home := h.homeOf(key)
	for j := range uint32(rawWays) {
		at := home ^ j
		s := &h.slots[at]
		if s.key != key || s.rank == 0 && h.rows[at] == 0 {
			continue
		}
		switch {
		case rank > s.rank:
			s.rank, h.rows[at] = rank, row1
			h.rises++
		case rank == s.rank:
			switch c := compare(row1-1, h.rows[at]-1); {
			case c > 0:
				h.rows[at] = row1
			case c == 0:
				h.refused = append(h.refused, i)
				h.spilled.Set(home / rawWays)
			}
		}
		if j != 0 && row1%8 == 0 { // keys that come often are looked at first
			h.slots[at], h.slots[home] = h.slots[home], h.slots[at]
			h.rows[at], h.rows[home] = h.rows[home], h.rows[at]
		}
		return
	}
	for j := range uint32(rawWays) {
		if at := home ^ j; h.slots[at].rank == 0 && h.rows[at] == 0 {
			h.slots[at], h.rows[at] = rawSlot{key, rank}, row1
			h.least = min(h.least, rank)
			h.used++
			h.fresh++
			return
		}
	}
	h.refused = append(h.refused, i)
}

// Pays says whether to go on, as that of Hot does. While it pays, there are to be so many slots that most keys find theirs free.
func (h *HotRaw) Pays() bool {
	if h.seen < HotTrial {
		return true
	}
	seen, merged := h.seen, h.merged-h.fresh
	h.seen, h.merged, h.fresh = 0, 0, 0
	if h.rounds++; h.rounds >= h.next {
		h.setLeast()
		h.next = h.rounds + max(rawRounds, h.rounds/4)
	}
	if 8*merged < seen {
		return false
	}
	if rawShare*h.used > len(h.slots) && len(h.slots) < h.most {
		h.grow(min(rawGrowth, bits.TrailingZeros(uint(h.most))-bits.TrailingZeros(uint(len(h.slots)))))
		return true
	}
	return 2*merged >= seen || 4*h.used < 3*len(h.slots)
}

// setLeast finds the least rank at hand, where keys are so few that this costs little, and few rows are left anyway. Ranks at hand only
// rise, but for those of new keys, so it stays right: most rows are less than all of them, and nothing but their key is looked for.
func (h *HotRaw) setLeast() {
	h.least = 0
	if !h.few || h.used > rawLeast {
		return
	}
	h.at = slices.DeleteFunc(h.at, func(at uint32) bool { return h.rows[at] == 0 })
	if len(h.at) != h.used {
		h.at = h.at[:0]
		for at, row1 := range h.rows {
			if row1 != 0 {
				h.at = append(h.at, uint32(at))
			}
		}
	}
	least := uint64(math.MaxUint64)
	for _, at := range h.at {
		least = min(least, h.slots[at].rank)
	}
	h.least = least
}

// grow takes each line apart into 1<<n.
func (h *HotRaw) grow(n int) {
	old := *h
	defer old.Release()
	h.at, h.least = nil, 0
	h.make(len(old.slots) << n)
	for at, row1 := range old.rows {
		if row1 == 0 {
			continue
		}
		home := h.homeOf(old.slots[at].key)
		to := home
		for j := uint32(1); h.rows[to] != 0; j++ { // the keys of one line are in several now, so that each finds room
			to = home ^ j
		}
		h.slots[to], h.rows[to] = old.slots[at], row1
	}
	lines := uint32(len(old.slots) / rawWays)
	for line := range lines {
		if old.spilled.Has(line) || old.full(line*rawWays) {
			for to := line; to < lines<<n; to += lines {
				h.spilled.Set(to)
			}
		}
	}
}

// full says whether no slot of the line that begins at a slot is free.
func (h *HotRaw) full(at uint32) bool { return !slices.Contains(h.rows[at:at+rawWays], 0) }

// Direct returns the keys of rows lo to lo+n of batch c where they are words of 64 bits without NULL, in the column's own memory; else nil.
func (k *Keys) Direct(c, lo, n int) []uint64 {
	if k.how != single {
		return nil
	}
	words, _ := k.cols[0].Chunks[c].Raw(lo, n)
	return words
}
