package dedupe

import (
	"math/bits"
	"runtime"
)

// guardIndex maps the keys of a guard to the places of their rows. It has open addressing with linear probing and is at most two thirds full.
//
// A slot holds a word of the key (see [guardSecret]) and one of its order (see [guardScale]): a row that comes is most often found and ranked
// by one look into memory that no cache has. Where the words don't decide, the cells do, where the row lies.
type guardIndex struct {
	slots []guardSlot
	shift uint8 // the search for a word begins at word >> shift
	n     int
}

type guardSlot struct {
	word   uint64
	rank   uint32
	place1 uint32 // 1 + the place; 0 in free slots
}

func newGuardIndex() guardIndex { return indexOf(6) }

// indexOf makes an index of 1<<width slots.
func indexOf(width int) guardIndex {
	return guardIndex{slots: make([]guardSlot, 1<<width), shift: uint8(64 - width)}
}

func (x *guardIndex) mask() int { return len(x.slots) - 1 }

// home is the slot where the search for a word begins.
func (x *guardIndex) home(word uint64) int { return int(word >> (x.shift & 63)) }

// find returns the slot of a key: the first one from where its search begins that has its word and that same says yes to; else a free one.
func (x *guardIndex) find(word uint64, same func(place uint32) bool) *guardSlot {
	for i := x.home(word); ; i++ {
		s := &x.slots[i&x.mask()]
		if s.place1 == 0 || s.word == word && same(s.place1-1) {
			return s
		}
	}
}

// noSlot stands where no slot has a word.
const noSlot = ^uint32(0)

// seek finds the first slot of each of some words, without a look at the rows: it puts its number, or noSlot, and its rank.
//
// Words are followed one step at a time, all of them, until none is left. There is no branch on what is found, which can't be foretold.
func (x *guardIndex) seek(words []uint64, at, ranks []uint32) {
	x.touch(words)
	slots, shift, mask := x.slots, x.shift&63, uint32(x.mask())
	var rest [wordBlock]uint16
	at, ranks = at[:len(words)], ranks[:len(words)]
	left := rest[:len(words)]
	n := 0
	for k, w := range words {
		left[n] = uint16(k)
		n += follow(slots, uint32(w>>shift), w, &at[k], &ranks[k])
	}
	for left = left[:n]; len(left) > 0; left = left[:n] {
		n = 0
		for _, k := range left {
			left[n] = k
			n += follow(slots, (at[k]+1)&mask, words[k], &at[k], &ranks[k])
		}
	}
}

// follow looks for a word at a slot, and returns 1 if the search goes on behind it, else 0.
func follow(slots []guardSlot, slot uint32, word uint64, at, rank *uint32) (on int) {
	s := &slots[slot]
	used := differs(uint64(s.place1), 0)
	*at, *rank = slot|uint32(used-1), s.rank // noSlot if it is free
	return int(used & differs(s.word, word))
}

// differs is 0 for equal words, else 1.
func differs(a, b uint64) uint64 { return (a ^ b | -(a ^ b)) >> 63 }

// touch loads the slots where the searches for some words begin, for the sake of loading: all at a time, with nothing between that could be guessed
// wrong, so that the processor waits for many of them at once.
func (x *guardIndex) touch(words []uint64) {
	slots, shift, touched := x.slots, x.shift&63, uint32(0)
	for _, w := range words {
		touched |= slots[w>>shift].place1
	}
	runtime.KeepAlive(touched)
}

// reserve makes room for n keys more.
func (x *guardIndex) reserve(n int) {
	need := (x.n+n)*3/2 + 1
	if need <= len(x.slots) {
		return
	}
	old := *x
	*x = indexOf(bits.Len(uint(need - 1)))
	x.n = old.n
	for _, s := range old.slots {
		if s.place1 != 0 {
			*x.find(s.word, func(uint32) bool { return false }) = s
		}
	}
}

// move gives the slots of some words and places to other places, that of the first being first1-1.
func (x *guardIndex) move(words []uint64, places []uint32, first1 uint32) {
	words = words[:len(places)]
	x.touch(words)
	for k, w := range words {
		i := x.home(w)
		for x.slots[i].place1 != places[k]+1 {
			i = (i + 1) & x.mask()
		}
		x.slots[i].place1 = first1 + uint32(k)
	}
}

// put fills a slot that find returned, and returns the place that had it, or noRow. There must be room.
func (x *guardIndex) put(s *guardSlot, word uint64, rank, place uint32) (before uint32) {
	if before = s.place1 - 1; before == noRow {
		x.n++
	}
	*s = guardSlot{word, rank, place + 1}
	return before
}

// forget frees the slot of a place, if it has one. Slots behind it that were pushed on move up, so that every search still ends at its key.
func (x *guardIndex) forget(word uint64, place uint32) bool {
	mask := x.mask()
	hole := x.home(word)
	for ; x.slots[hole].place1 != place+1; hole = (hole + 1) & mask {
		if x.slots[hole].place1 == 0 {
			return false
		}
	}
	x.n--
	for i := (hole + 1) & mask; x.slots[i].place1 != 0; i = (i + 1) & mask {
		if (i-x.home(x.slots[i].word))&mask >= (i-hole)&mask {
			x.slots[hole], hole = x.slots[i], i
		}
	}
	x.slots[hole] = guardSlot{}
	return true
}
