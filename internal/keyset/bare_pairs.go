package keyset

import (
	"math/bits"

	"github.com/onerow-go/onerow/internal/vector"
)

// Pairs are the numbers of rows of the keys of one partition of Bares on two sides. They are Counts of the first side, with a byte beside
// each slot for the number on the second: a slot may say 0, as its key is on the second side alone. Only the key that is zero can't, since
// such a slot is free: its number on the second side is kept by itself. Pairs belong to one goroutine.
type Pairs struct {
	first  Counts // but for its keys, which are of both sides
	second []uint8
	more   map[uint64]uint64 // what outgrew a byte, by the key as in a slot, without its number
	zero   uint64
	rows   int64 // of the second side
	list   [pairSlots]uint16
}

// maxSecond is the greatest number that lies beside a slot.
const maxSecond = 1<<8 - 1

// NewPairs returns empty pairs.
func NewPairs() *Pairs {
	p := &Pairs{first: *NewCounts(), more: map[uint64]uint64{}}
	p.second = make([]uint8, len(p.first.slots))
	return p
}

// Reset empties the pairs; see Table.Reset.
func (p *Pairs) Reset() {
	p.first.Reset()
	if n := len(p.first.slots); n != len(p.second) {
		p.second = make([]uint8, n)
	}
	clear(p.second)
	clear(p.more)
	p.zero, p.rows = 0, 0
}

// grow makes room for n more keys.
func (p *Pairs) grow(n int) {
	c := &p.first
	for c.n+n > c.limit {
		old, second := c.slots, p.second
		c.make(2 * len(old))
		p.second = make([]uint8, len(c.slots))
		for i, s := range old {
			if s != 0 {
				p.second[c.put(s)] = second[i]
			}
		}
	}
}

// Rows is the number of rows of both sides.
func (p *Pairs) Rows() int64 { return p.first.rows + p.rows }

// Sum counts some entries of a Bare on a side, at most ChunkRows.
func (p *Pairs) Sum(side int, entries []uint64) {
	p.grow(len(entries))
	if side == 0 {
		p.first.Sum(entries)
		return
	}
	p.rows += int64(len(entries))
	n, free := vector.CountSecond(p.first.slots, p.second, p.first.starts, entries, p.first.left)
	p.first.n += free
	for _, i := range p.first.left[:n] {
		p.addSecond(entries[i]&^bareTag, 1)
	}
}

// AddMany counts n rows of a key on a side, n at least 1.
func (p *Pairs) AddMany(side int, key [1]uint64, n uint32) {
	p.grow(1)
	if side == 0 {
		p.first.AddMany(key, n)
		return
	}
	p.rows += int64(n)
	p.addSecond(key[0]<<BareBits, uint64(n))
}

// addSecond is add for the second side.
func (p *Pairs) addSecond(key, n uint64) {
	if key == 0 {
		p.zero += n
		return
	}
	for i := key >> bareShift & p.first.starts; ; i = (i + 1) & p.first.mask {
		s, m := &p.first.slots[i], &p.second[i]
		switch {
		case *s == 0:
			p.first.n++
			*s = key
		case *s-key > bareTag:
			continue
		}
		if n += uint64(*m); n > maxSecond {
			p.more[key] += n - 1
			n = 1
		}
		*m = uint8(n)
		return
	}
}

// Pair is a key with its numbers of rows on both sides.
type Pair struct {
	Key  [1]uint64
	Part int
	Rows [2]uint32
}

// Of returns the numbers of a key's rows.
func (p *Pairs) Of(key [1]uint64) (rows [2]uint32) {
	_, all := p.of(key[0] << BareBits)
	return all
}

// of returns the numbers of rows of a key, as in a slot: what its slot says, and all.
func (p *Pairs) of(key uint64) (said, all [2]uint32) {
	c := &p.first
	for i := key >> bareShift & c.starts; c.slots[i] != 0; i = (i + 1) & c.mask {
		if s := c.slots[i]; s-key <= bareTag {
			said = [2]uint32{uint32(InSlot(s)), uint32(p.second[i])}
			break
		}
	}
	all = [2]uint32{said[0] + uint32(c.many[key]), said[1] + uint32(p.more[key])}
	if key == 0 {
		all[1] += uint32(p.zero)
	}
	return said, all
}

// PairSums are sums over the keys of a partition. But for Keys, which are those of a side, they are of keys of both sides.
type PairSums struct {
	Keys     [2]int64
	Both     int64
	Rows     [2]int64
	Most     [2]uint32 // the most rows of a key on a side
	Repeated [2]int64  // keys that repeat on a side
	Hi, Lo   uint64    // pairs of rows
}

// Least says which keys are to be looked at.
type Least = vector.Least

// pairSlots is the number of slots that are gone over at a time.
const pairSlots = 1024

// Meet adds up all keys. It calls see for those that are to be looked at, as least says, which it asks now and then.
func (p *Pairs) Meet(part int, least func() Least, see func(Pair)) (s PairSums) {
	var met vector.Met
	c := &p.first
	for from := 0; from < len(c.slots); from += pairSlots {
		to, l := min(from+pairSlots, len(c.slots)), least()
		n := met.Meet(c.slots[from:to], p.second[from:to], &l, p.list[:to-from])
		for _, i := range p.list[:n] {
			slot := c.slots[from+int(i)]
			if !p.outgrown(slot &^ bareTag) {
				see(Pair{c.Key(slot, part), part, [2]uint32{uint32(InSlot(slot)), uint32(p.second[from+int(i)])}})
			}
		}
	}
	s.Both, s.Lo = int64(met.Both()), met.Pairs()
	for side := range 2 {
		s.Keys[side], s.Rows[side], s.Repeated[side] = int64(met.Keys(side)), int64(met.Rows(side)), int64(met.Repeated(side))
		s.Most[side] = uint32(met.Most(side))
	}
	p.outgrew(func(key uint64) {
		said, all := p.of(key)
		s.replace(said, all)
		see(Pair{c.Key(key, part), part, all})
	})
	return s
}

// outgrown says whether a key, as in a slot, has more rows than its slot says, outgrew calls f for each such key.
func (p *Pairs) outgrown(key uint64) bool {
	if len(p.first.many) > 0 && p.first.many[key] > 0 || len(p.more) > 0 && p.more[key] > 0 {
		return true
	}
	return key == 0 && p.zero > 0
}

func (p *Pairs) outgrew(f func(key uint64)) {
	for key := range p.first.many {
		f(key)
	}
	for key := range p.more {
		if p.first.many[key] == 0 {
			f(key)
		}
	}
	if p.zero > 0 && p.first.many[0] == 0 {
		f(0)
	}
}

// replace takes a key out that was added up as its slot says, and adds it as it is.
func (s *PairSums) replace(said, all [2]uint32) {
	s.add(said, -1)
	s.add(all, 1)
	hi, lo := bits.Mul64(uint64(all[0]), uint64(all[1]))
	var carry, borrow uint64
	s.Lo, carry = bits.Add64(s.Lo, lo, 0)
	s.Lo, borrow = bits.Sub64(s.Lo, uint64(said[0])*uint64(said[1]), 0)
	s.Hi += hi + carry - borrow
}

// add adds times as many of a key to all but Most, which it only raises, and the pairs.
func (s *PairSums) add(rows [2]uint32, times int64) {
	both := min(rows[0], rows[1], 1) > 0
	if both {
		s.Both += times
	}
	for side, n := range rows {
		s.Keys[side] += times * int64(min(n, 1))
		if !both {
			continue
		}
		s.Rows[side] += times * int64(n)
		s.Repeated[side] += times * int64(min(n-1, 1))
		s.Most[side] = max(s.Most[side], n)
	}
}
