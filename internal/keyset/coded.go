package keyset

import (
	"sync/atomic"
	"unsafe"

	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/prefetch"
)

// CodedShare is how many times as many rows as values there must be behind a dictionary for its codes to be gone by. It is a variable for tests.
var CodedShare = 2

// Codes says how rows of a key of one dictionary column are merged by their codes, before they are dealt out: rows of one code have one key, so
// that neither a hash nor a comparison is needed. What is left is a row a code, which goes on with its value. Two codes may stand for equal values:
// their rows meet in the partition. It is shared by the workers.
type Codes struct {
	keys *Keys
	// of reads the keys of a dictionary's values, by the dictionary.
	of map[*form.Array]*Keys
	// stopped is set once a worker has given up.
	stopped atomic.Bool
}

// NewCodes finds the dictionaries that are worth it; nil if there are none. By the second limit, the workers' slots take no more memory than rows
// that are dealt out.
func NewCodes(k *Keys, workers int) *Codes {
	if len(k.cols) != 1 || k.how == fits { // those are numbered already
		return nil
	}
	rows := map[*form.Array]int{}
	for _, a := range k.cols[0].Chunks {
		if d := a.Dictionary(); d != nil {
			rows[d] += a.Len
		}
	}
	c := &Codes{keys: k, of: map[*form.Array]*Keys{}}
	for d, n := range rows {
		if d.Len <= n/max(workers, CodedShare) {
			c.of[d] = k.ofValues(d)
		}
	}
	if len(c.of) == 0 {
		return nil
	}
	return c
}

// ofValues returns keys of the values of a dictionary: the same words as those of the rows that have them.
func (k *Keys) ofValues(d *form.Array) *Keys {
	col := &form.Column{Name: k.cols[0].Name, Type: d.Type, Chunks: []*form.Array{d}, Layout: form.NewLayout([]int{d.Len})}
	o := *k
	o.cols, o.readers = []*form.Column{col}, []*form.Reader{form.NewReader(col.Chunks, k.mode())}
	return &o
}

// dictionary returns what the rows of a batch are merged by; nil if they aren't.
func (c *Codes) dictionary(chunk int) *form.Array {
	d := c.keys.cols[0].Chunks[chunk].Dictionary()
	if d == nil || c.of[d] == nil {
		return nil
	}
	return d
}

// Coded keeps the greatest row of each code of one dictionary after the other. It belongs to one goroutine.
type Coded[K Words] struct {
	codes *Codes
	dict  *form.Array // that the slots are of; nil: of none yet
	off   bool
	// slots has a state a code, as [Hot] has, and one for NULL; 0: no row.
	slots []uint64

	seen, refused int // rows
	// evenCodes are those that have had rows that went on.
	evenCodes []uint32

	code   [BlockRows]uint32
	closer [BlockRows]uint16
	even   []uint16
	block  *Block[K]
}

// NewCoded returns an empty one, which is off if c is nil.
func NewCoded[K Words](c *Codes) *Coded[K] {
	h := &Coded[K]{codes: c, off: c == nil}
	if c != nil {
		h.block, h.even = NewBlock[K](c.keys), make([]uint16, 0, BlockRows)
	}
	return h
}

// Takes says whether the rows of a batch are to be merged by their codes. If those at hand are of another dictionary, they are drained before.
func (h *Coded[K]) Takes(chunk int, f func(Entry[K, uint32])) bool {
	if h.off {
		return false
	}
	d := h.codes.dictionary(chunk)
	if d == nil {
		return false
	}
	if d != h.dict {
		h.Drain(f)
		h.begin(d)
	}
	return true
}

// begin makes the slots ready for a dictionary.
func (h *Coded[K]) begin(d *form.Array) {
	h.dict, h.evenCodes = d, h.evenCodes[:0]
	if cap(h.slots) < d.Len+1 {
		h.slots = make([]uint64, d.Len+1)
		return
	}
	h.slots = h.slots[:d.Len+1]
	clear(h.slots)
}

// Greatest merges rows lo to lo+len(words) of a batch that it takes: of each code, the greatest row stays, by the word of its order, and where words
// are equal by compare. It returns the rows, by their places among these, that go on to the partitions: those equal in order to the greatest of their
// code. row is the number of the first. The list is valid until the next call.
func (h *Coded[K]) Greatest(chunk, lo int, words []uint32, row uint32, compare func(a, b uint32) int) (even []uint16) {
	codes := h.code[:len(words)]
	h.codes.keys.cols[0].Chunks[chunk].Codes(lo, codes)
	c := h.greatest(codes, words, row+1)
	h.even = h.even[:0]
	for _, i := range h.closer[:c] {
		s, v := &h.slots[codes[i]], state(words[i], row+uint32(i)+1)
		if *s == 0 {
			*s = v
			continue
		}
		best, equal := greater(*s, v, compare)
		if *s = best; equal {
			h.even = append(h.even, i)
		}
	}
	for _, i := range h.even {
		h.evenCodes = append(h.evenCodes, codes[i])
	}
	h.seen += len(words)
	h.refused += len(h.even)
	return h.even
}

// codedAhead is how many rows ahead slots are fetched.
const codedAhead = 64

// greatest merges a block of rows, while the slots of those that come next are fetched.
func (h *Coded[K]) greatest(codes, words []uint32, row1 uint32) (c int) {
	slots := unsafe.Pointer(&h.slots[0])
	prefetch.Cells(slots, unsafe.Sizeof(h.slots[0]), codes[:min(codedAhead, len(codes))])
	for lo := 0; lo < len(codes); lo += codedAhead {
		hi := min(lo+codedAhead, len(codes))
		prefetch.Cells(slots, unsafe.Sizeof(h.slots[0]), codes[hi:min(hi+codedAhead, len(codes))])
		c = greatestOf(h.slots, codes[lo:hi], words[lo:hi], row1+uint32(lo), uint16(lo), &h.closer, c)
	}
	return c
}

func state(word, row1 uint32) uint64 { return uint64(word)<<32 | uint64(row1) }

// greater returns the greater of two states, or the first of two that are equal in order.
func greater(a, b uint64, compare func(a, b uint32) int) (best uint64, equal bool) {
	if (a^b)>>32 != 0 {
		return max(a, b), false
	}
	switch c := compare(uint32(b)-1, uint32(a)-1); {
	case c > 0:
		return b, false
	case c < 0:
		return a, false
	}
	return a, true
}

// greatestOf is the hot loop. Slots lie anywhere in memory, so it has no branch that could be guessed wrong: many loads are under way at once. Rows
// whose word is that of the slot need a closer look.
func greatestOf(slots []uint64, codes, words []uint32, row1 uint32, first uint16, closer *[BlockRows]uint16, c int) int {
	words = words[:len(codes)]
	for i, code := range codes {
		v := uint64(words[i])<<32 | uint64(row1)
		row1++
		s := &slots[code]
		old := *s
		best := old
		if v > old|rowMask {
			best = v
		}
		*s = best
		if (v^old)>>32 == 0 {
			closer[c&(BlockRows-1)] = first + uint16(i)
			c++
		}
	}
	return c
}

// Deal calls f with the entry of row i of the last call of Greatest, unless its key is NULL and NULL no value.
func (h *Coded[K]) Deal(i uint16, words []uint32, row uint32, f func(Entry[K, uint32])) {
	h.deal(h.dict, int(h.code[i]), state(words[i], row+uint32(i)+1), f)
}

// deal reads the key of a code of a dictionary, or of NULL, and calls f with the entry of a state of it.
func (h *Coded[K]) deal(dict *form.Array, code int, s uint64, f func(Entry[K, uint32])) {
	if code < dict.Len {
		Read(h.codes.of[dict], 0, code, 1, h.block)
	} else {
		c, i := h.codes.keys.cols[0].At(uint32(s) - 1)
		Read(h.codes.keys, c, i, 1, h.block)
	}
	if e, ok := h.entry(0, s); ok {
		f(e)
	}
}

// entry returns the entry of a state; its key is in the block. It isn't ok if that is NULL, and NULL no value.
func (h *Coded[K]) entry(i int, s uint64) (e Entry[K, uint32], ok bool) {
	return Entry[K, uint32]{Key: h.block.Keys[i], Payload: uint32(s >> 32), Row1: uint32(s)}, h.block.Null[i] == 0
}

// Pays says whether to go on: most of the rows must have been merged.
func (h *Coded[K]) Pays() bool {
	if h.seen < HotTrial {
		return true
	}
	pays := 2*h.refused <= h.seen
	h.seen, h.refused = 0, 0
	return pays
}

// Stop drains it, and turns it off.
func (h *Coded[K]) Stop(f func(Entry[K, uint32])) {
	h.Drain(f)
	h.off = true
	h.codes.stopped.Store(true)
}

// Drain calls f with the greatest row of each code.
func (h *Coded[K]) Drain(f func(Entry[K, uint32])) {
	if h.dict == nil {
		return
	}
	r := codedRest[K]{all: []*Coded[K]{h}, dict: h.dict}
	for lo := 0; lo <= h.dict.Len; lo += BlockRows {
		r.drain(h, lo, min(lo+BlockRows, h.dict.Len+1), nil, f, nil)
	}
	h.dict = nil
}
