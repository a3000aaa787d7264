package keyset

import (
	"unsafe"

	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/vector"
)

// Bare deals keys out over partitions by themselves, without their rows: 8 bytes a row, where [Parts] have 16. It is for keys of one word
// that decides.
//
// As words are scrambled by a permutation, the partition says the top bits of a key, and the entry has only the others. Their room goes to
// the row: an entry has as many of the lower bits of the number of its row's block. With the block in which its chunk begins they say which
// block that is, and the key column says the rows in it that have the key. Where partitions had few rows for long, chunks are ended early,
// so that none spans more blocks than those bits can tell apart.
//
// A Bare belongs to one goroutine while it is filled, by rows in ascending order; several are read together.
type Bare struct {
	dealt[uint64]
	bases []uint32 // by chunk: the block of its first entry
	turn  uint32   // the block at which to look for chunks that span too many
}

// BareBits is the number of bits of a key that its partition says.
const BareBits = vector.CountBits

// bareTag are the bits of an entry that say its block, and those of a slot that are a number.
const bareTag = 1<<BareBits - 1

// MinBareRows is the number of rows from which on keys are dealt out bare. It is a variable for tests.
var MinBareRows int64 = 1 << 19

// BareSuits says whether the keys of a number of rows are to be dealt out bare.
func BareSuits[K Words](k *Keys, rows int64) bool {
	return len(*new(K)) == 1 && k.Exact() && rows >= MinBareRows
}

// NewBare returns 1<<BareBits empty partitions.
func NewBare() *Bare { return &Bare{dealt: newDealt[uint64](1 << BareBits)} }

// NewBareParts returns as many empty partitions for entries of keys that are dealt out bare. As their partition says the top bits of a key,
// they are not in one under one hash for all.
func NewBareParts[K Words, P any]() *Parts[K, P] {
	return &Parts[K, P]{dealt: newDealt[Entry[K, P]](1 << BareBits), keep: ^uint64(0), shift: 64 - BareBits}
}

// blockOf is the block of a row: a number of rows, of which those of one call of AddBlock lie in two at most.
func blockOf(row uint32) uint32 { return row / BlockRows }

// AddBlock puts a block of rows into their partitions, except those for which skip is 1; a nil skip skips none.
func (b *Bare) AddBlock(keys [][1]uint64, skip []uint8, row uint32) {
	block := blockOf(row)
	if block >= b.turn {
		b.endOld(block)
	}
	for done := 0; done < len(keys); {
		if skip == nil {
			done += b.fill(keys[done:], block)
		} else {
			done += b.fillSome(keys[done:], skip[done:], block)
		}
		if done < len(keys) {
			b.start(keys[done][0]>>(64-BareBits), block)
		}
	}
}

func (b *Bare) start(part uint64, block uint32) {
	b.dealt.start(part)
	b.bases = append(b.bases, block)
}

// endOld ends the chunks that began half as many blocks ago as entries can tell apart, or more. It is called each half.
func (b *Bare) endOld(block uint32) {
	const half = 1 << (BareBits - 1)
	for i := range b.lists {
		if l := &b.lists[i]; l.n > 0 && block-b.bases[l.last] >= half {
			b.end(i)
		}
	}
	b.turn = block + half
}

// fill puts keys into the chunks of their partitions up to the first whose chunk is full, and returns their number; see Parts.fill.
func (b *Bare) fill(keys [][1]uint64, block uint32) int {
	heads := unsafe.Slice((*vector.Chunk)(unsafe.Pointer(&b.heads[0])), len(b.heads))
	return vector.Deal(heads, unsafe.Slice(&keys[0][0], len(keys)), uint64(block)&bareTag)
}

// A head is a chunk as vector.Deal has it.
const (
	_ = uint(unsafe.Sizeof(head[uint64]{})-unsafe.Sizeof(vector.Chunk{})) + uint(unsafe.Sizeof(vector.Chunk{})-unsafe.Sizeof(head[uint64]{}))
	_ = uint(ChunkRows-vector.ChunkWords) + uint(vector.ChunkWords-ChunkRows)
)

// fillSome is fill for rows of which some are skipped.
func (b *Bare) fillSome(keys [][1]uint64, skip []uint8, block uint32) int {
	heads, tag := b.heads, uint64(block)&bareTag
	skip = skip[:len(keys)]
	for i := range keys {
		if skip[i] != 0 {
			continue
		}
		w := keys[i][0]
		h := &heads[w>>(64-BareBits)]
		n := h.n
		if n == ChunkRows {
			return i
		}
		h.n = n + 1
		*(*uint64)(unsafe.Add(unsafe.Pointer(h.buf), n%ChunkRows*8)) = w<<BareBits | tag
	}
	return len(keys)
}

// Add puts a row into its partition; it comes after those before it, as those of AddBlock do.
func (b *Bare) Add(key [1]uint64, row uint32) {
	keys := [1][1]uint64{key}
	b.AddBlock(keys[:], nil, row)
}

// Release gives the memory back. The entries may not be read any more.
func (b *Bare) Release() {
	b.dealt.Release()
	b.bases = nil
}

// Counts are the numbers of rows of the keys of one partition of Bares. A slot is the key, without the bits of the partition, over as many
// bits of its number; a free slot is zero. Where a number outgrows them, the rest is among the many. Counts belong to one goroutine.
type Counts struct {
	slots  []uint64
	mask   uint64
	starts uint64 // mask; 0 under one hash for all
	n      int    // keys
	limit  int
	rows   int64
	left   []uint8
	many   map[uint64]uint64 // by the key as in a slot, without its number
}

// NewCounts returns empty counts.
func NewCounts() *Counts {
	c := &Counts{left: make([]uint8, ChunkRows), many: map[uint64]uint64{}}
	c.make(firstSlots)
	return c
}

// make gives the table n free slots.
func (c *Counts) make(n int) {
	c.slots = make([]uint64, n)
	c.mask = uint64(n - 1)
	c.starts, c.limit = c.mask, roomIn(n)
	if form.IsConstantHash() {
		c.starts = 0
	}
}

// Reset empties the counts; see Table.Reset.
func (c *Counts) Reset() {
	if n := len(c.slots); n > firstSlots && c.n < n/32 {
		c.make(max(firstSlots, n/8))
	} else {
		clear(c.slots)
	}
	c.n, c.rows = 0, 0
	clear(c.many)
}

// Sum counts some entries of a Bare, at most ChunkRows.
func (c *Counts) Sum(entries []uint64) {
	for c.n+len(entries) > c.limit {
		c.rebuild()
	}
	c.rows += int64(len(entries))
	n, free := vector.Count(c.slots, c.starts, entries, c.left)
	n, next := vector.CountNext(c.slots, c.starts, entries, c.left[:n])
	c.n += free + next
	for _, i := range c.left[:n] {
		c.add(entries[i]&^bareTag, 1)
	}
}

// bareShift is slotShift for entries and slots.
const bareShift = slotShift + BareBits

const _ = uint(bareShift-vector.CountShift) + uint(vector.CountShift-bareShift)

// add counts n rows of a key, as in a slot without its number. There is room.
func (c *Counts) add(key, n uint64) {
	for i := key >> bareShift & c.starts; ; i = (i + 1) & c.mask {
		s := &c.slots[i]
		was := *s - key
		switch {
		case *s == 0:
			c.n++
			was = 0
		case was > bareTag:
			continue
		}
		if n += was; n > bareTag {
			c.many[key] += n - 1
			n = 1
		}
		*s = key | n
		return
	}
}

// AddMany counts n rows of a key, n at least 1.
func (c *Counts) AddMany(key [1]uint64, n uint32) {
	for c.n+1 > c.limit {
		c.rebuild()
	}
	c.rows += int64(n)
	c.add(key[0]<<BareBits, uint64(n))
}

// rebuild moves all keys to twice as many slots.
func (c *Counts) rebuild() {
	old := c.slots
	c.make(2 * len(old))
	for _, s := range old {
		if s != 0 {
			c.put(s)
		}
	}
}

// put puts a slot of a smaller table into a free one, and returns its number.
func (c *Counts) put(s uint64) (at uint64) {
	at = s >> bareShift & c.starts
	for c.slots[at] != 0 {
		at = (at + 1) & c.mask
	}
	c.slots[at] = s
	return at
}

// Len is the number of keys, Rows that of their rows.
func (c *Counts) Len() int    { return c.n }
func (c *Counts) Rows() int64 { return c.rows }

// Slots are the slots: keys over their numbers, and free ones, which are zero, in no order that means anything. The rest of numbers that
// outgrew their bits is told by Many.
func (c *Counts) Slots() []uint64 { return c.slots }

// MaxInSlot is the greatest number that a slot holds.
const MaxInSlot = bareTag

// InSlot is the number that a slot holds.
func InSlot(slot uint64) uint64 { return slot & bareTag }

// Many calls f for each key whose number outgrew its slot, with what the slot holds and the whole number. A number in a slot is at least 1.
func (c *Counts) Many(f func(slot uint64, n uint32)) {
	for key, more := range c.many {
		slot := c.slot(key)
		f(slot, uint32(InSlot(slot)+more))
	}
}

// Of returns the number of a key's rows.
func (c *Counts) Of(key [1]uint64) uint32 { return uint32(c.of(key[0] << BareBits)) }

// InAll is the number of rows of a key by a slot of these counts.
func (c *Counts) InAll(slot uint64) uint32 {
	n := InSlot(slot)
	if len(c.many) > 0 {
		n += c.many[slot&^bareTag]
	}
	return uint32(n)
}

// of is Of, by the key as in a slot.
func (c *Counts) of(key uint64) uint64 {
	n := InSlot(c.slot(key))
	if len(c.many) > 0 {
		n += c.many[key]
	}
	return n
}

// slot is the slot of a key, 0 without one.
func (c *Counts) slot(key uint64) uint64 {
	for i := key >> bareShift & c.starts; ; i = (i + 1) & c.mask {
		if s := c.slots[i]; s == 0 || s-key <= bareTag {
			return s
		}
	}
}

// Key is the key of a slot, in a partition.
func (c *Counts) Key(slot uint64, part int) [1]uint64 {
	return [1]uint64{slot>>BareBits | uint64(part)<<(64-BareBits)}
}
