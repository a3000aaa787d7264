package keyset

import (
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/onerow-go/onerow/internal/form"
)

// codes numbers the values of a column that has few: equal values have one number, in all batches and for all workers. Values are looked up
// without a lock; a new one is added under a lock, until there is no room for more. A value that found no room has no number, whoever
// asks and whenever.
type codes struct {
	col   *form.Column
	mode  form.Mode  // Text or Digest: how the column is read
	slots []codeSlot // at most half of them used
	mask  uint64
	keep  uint64 // ^0; 0 under one hash for all
	mu    sync.Mutex
	n     int         // guarded by mu
	full  atomic.Bool // no value is added any more
}

// codeSlot is a value: its two words, as form.Text has them. With form.LongText at the top they are hashes, as those of other types are, and
// the cell of the row is the value. A slot is written once, the code last: who sees the code sees the rest.
type codeSlot struct {
	key  [2]uint64
	row  uint32
	code atomic.Uint32 // from 1 on; 0 in a free slot
}

// newCodes has room for a number of values.
func newCodes(col *form.Column, room int) *codes {
	slots := 2 << bits.Len(uint(room-1))
	c := &codes{col: col, mode: byCode.mode(col), slots: make([]codeSlot, slots), mask: uint64(slots - 1), keep: ^uint64(0)}
	if form.IsConstantHash() {
		c.keep = 0
	}
	return c
}

// numbering is room for the values of a block that are found by hashes. It belongs to one goroutine.
type numbering struct {
	at     []uint32 // places in the block
	slots  []*codeSlot
	as, bs []uint32 // rows: of the block, and of the slots
	same   []bool
}

// number puts the numbers of values in place of their words K0; K1 means nothing then. The block begins at a row. Those without a number are marked in miss; missed
// says whether there are any.
func (c *codes) number(b *form.Block, row uint32, miss []uint8, by *numbering) (missed bool) {
	k0, k1, miss := b.K0, b.K1[:len(b.K0)], miss[:len(b.K0)]
	if c.mode == form.Digest {
		for i, w := range k1 {
			k0[i], k1[i] = w, form.LongText<<56
		}
	}
	slots, mask, keep := c.slots, c.mask, c.keep
	by.at, by.slots = by.at[:0], by.slots[:0]
	secret := secrets
	for i, x := range k0 {
		key := [2]uint64{x, k1[i]}
		var code uint32
		for at := secret.fold(x, key[1]) & keep; ; at++ {
			s := &slots[at&mask]
			if code = s.code.Load(); code == 0 {
				code = c.add(&key, row+uint32(i))
				break
			}
			if s.key == key {
				if key[1]>>56 == form.LongText {
					by.at, by.slots = append(by.at, uint32(i)), append(by.slots, s)
				}
				break
			}
		}
		if code == 0 {
			miss[i], missed = 1, true
		}
		k0[i] = uint64(code)
	}
	if len(by.at) > 0 && c.verify(b, row, miss, by) {
		missed = true
	}
	return missed
}

// verify compares the cells of values that were found by hashes, many at a time, and looks for those that differ once more.
func (c *codes) verify(b *form.Block, row uint32, miss []uint8, by *numbering) (missed bool) {
	by.as, by.bs, by.same = by.as[:0], by.bs[:0], by.same[:0]
	for j, i := range by.at {
		by.as, by.bs, by.same = append(by.as, row+i), append(by.bs, by.slots[j].row), append(by.same, true)
	}
	c.col.SamePairs(by.as, by.bs, by.same)
	for j, i := range by.at {
		if by.same[j] {
			continue
		}
		code := c.add(&by.slots[j].key, row+i)
		if code == 0 {
			miss[i], missed = 1, true
		}
		b.K0[i] = uint64(code)
	}
	return missed
}

// add returns the number of the value of a row, which it gives it if there is room; else 0.
func (c *codes) add(key *[2]uint64, row uint32) uint32 {
	if c.full.Load() {
		// Another worker may have added the value since the caller looked.
		return c.find(key, row).code.Load()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.find(key, row)
	if code := s.code.Load(); code != 0 {
		return code
	}
	if 2*(c.n+1) > len(c.slots) {
		c.full.Store(true)
		return 0
	}
	c.n++
	s.key, s.row = *key, row
	s.code.Store(uint32(c.n))
	return uint32(c.n)
}

// find returns the slot of the value of a row, or the free one that ends the search for it.
func (c *codes) find(key *[2]uint64, row uint32) *codeSlot {
	for at := secrets.fold(key[0], key[1]) & c.keep; ; at++ {
		s := &c.slots[at&c.mask]
		if s.code.Load() == 0 || s.key == *key && (key[1]>>56 != form.LongText || c.col.Compare(row, s.row, form.ByValue) == 0) {
			return s
		}
	}
}
