package join

import (
	"math/bits"

	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/keyset"
)

// looking is room for facts that are looked up in a board together.
type looking[K keyset.Words] struct {
	hash    []uint64
	at      []uint32 // places of records, 0 of keys that have none
	found   []holders
	touched uint64

	// Facts whose key is known by its digest; cells of the rows as and bs decide.
	which, as, bs []uint32
	odd           []uint32
	same          []bool
}

const (
	// lookupRows is the number of facts whose records are brought to the nearest cache before they are read.
	lookupRows = 256
	// touchWords is how far into a record its second line is looked for.
	touchWords = 8
	// nearWords is the length of records that stay in a core's own cache.
	nearWords = 1 << 16
)

func newLooking[K keyset.Words]() looking[K] {
	const n = lookupRows
	return looking[K]{hash: make([]uint64, n), at: make([]uint32, n), found: make([]holders, n), which: make([]uint32, 0, n), as: make([]uint32, 0, n),
		bs: make([]uint32, 0, n), odd: make([]uint32, 0, n), same: make([]bool, n)}
}

// look says what holds some facts, of which it is given the keys, the times and the rows. There are lookupRows of them at most. The list is valid until the next call.
//
// Each loop does one thing for all of the facts, so that the processor waits for the memory of many at a time.
func (b *board[K]) look(l *looking[K], keys []K, times []uint64, rows []uint32) []holders {
	b.hash(keys, l.hash)
	at := l.at[:len(keys)]
	slots, mask := b.slots, b.mask
	for i, h := range l.hash[:len(keys)] {
		tag, first, second := tagOf(h), slots[h&mask], slots[h&mask+1]
		_, other := bits.Sub32(0, (first^tag)&(1<<tagBits-1), 0) // 1 if the first isn't it
		s := first ^ (first^second)&-other
		if s&(1<<tagBits-1) != tag {
			s = b.next(h)
		}
		at[i] = s >> tagBits
	}
	if b.far {
		l.touched += b.touch(at)
	}
	if !b.keys.Exact() {
		b.verify(l, keys, rows)
	}
	b.count(l, keys, times, rows)
	return l.found[:len(keys)]
}

// next returns the first slot with the tag of a hash, 0 when there is none.
func (b *board[K]) next(hash uint64) uint32 {
	for at := hash & b.mask; ; at = (at + 1) & b.mask {
		if s := b.slots[at]; s == 0 || s&(1<<tagBits-1) == tagOf(hash) {
			return s
		}
	}
}

// touch reads the lines of records, so that they are at hand.
func (b *board[K]) touch(at []uint32) (sum uint64) {
	for _, r := range at {
		rec := (*[recordHead]uint64)(b.words[int(r)*recordGrain:])
		sum += rec[0] + rec[touchWords]
	}
	return sum
}

// seek returns the place of the record of a key, 0 when there is none.
func (b *board[K]) seek(hash uint64, key K, row uint32) uint32 {
	for at := hash & b.mask; ; at = (at + 1) & b.mask {
		s := b.slots[at]
		if s == 0 {
			return 0
		}
		if s&(1<<tagBits-1) != tagOf(hash) {
			continue
		}
		rec := b.record(s >> tagBits)
		if rec.has(key) && (b.keys.Exact() || key[len(key)-1]>>56 != form.LongText || b.keys.Same(rec.row(), row)) {
			return s >> tagBits
		}
	}
}

// verify compares the cells of facts and of those whose digests they have, and looks for others where they differ.
func (b *board[K]) verify(l *looking[K], keys []K, rows []uint32) {
	l.which, l.as, l.bs = l.which[:0], l.as[:0], l.bs[:0]
	for i, r := range l.at[:len(keys)] {
		if k := keys[i]; r != 0 && k[len(k)-1]>>56 == form.LongText {
			if rec := b.record(r); rec.has(k) {
				l.which, l.as, l.bs = append(l.which, uint32(i)), append(l.as, rec.row()), append(l.bs, rows[i])
			}
		}
	}
	same := l.same[:len(l.which)]
	for i := range same {
		same[i] = true
	}
	b.keys.SamePairs(l.as, l.bs, same)
	for n, i := range l.which {
		if !same[n] {
			l.at[i] = b.seek(l.hash[i], keys[i], rows[i])
		}
	}
}

// count counts the steps of each fact's key up to its time, and reads what the last of them holds.
func (b *board[K]) count(l *looking[K], keys []K, times []uint64, rows []uint32) {
	const mask = recordHead - 1
	var k K
	head, words, odd := uint64(headWords[K]()), b.words, l.odd[:0]
	found, times, at := l.found[:len(keys)], times[:len(keys)], l.at[:len(keys)]
	for i := range keys {
		p := uint64(at[i]) * recordGrain
		rec := (*[recordHead]uint64)(words[p:])
		m := meta(rec[(head-1)&mask])
		end := head + m.laneWords()
		past, before := bits.Sub64(times[i], rec[(head-2)&mask], 0)
		t := past >> m.shift()
		_, over := bits.Sub64(laneMost, t, 0)
		t -= (t - laneMost) & -over
		all := t*laneOnes | laneTops
		sum := (all-rec[head&mask])&laneTops>>laneBits + (all-rec[(head+1)&mask])&laneTops>>laneBits + (all-rec[(head+2)&mask])&laneTops>>laneBits
		for j := head + leastLanes; j < end; j++ {
			sum += (all - rec[j&mask]) & laneTops >> laneBits
		}
		c := sum * laneOnes >> 48 & (before - 1)
		last := c - 1
		rounded := rec[(head+last/lanes)&mask] >> (16 * (last % lanes)) & lanePad
		if rounded == t && m.shift() != 0 || end == head || rec[0] != keys[i][0] || rec[len(k)-1] != keys[i][len(k)-1] {
			odd = append(odd, uint32(i))
			continue
		}
		a := uint32(words[p+end+c/2] >> (32 * (c % 2)))
		found[i] = holders{1, a}
		if a >= crowd {
			found[i] = answered(a)
		}
	}
	for _, i := range odd {
		r := at[i]
		if r != 0 && !b.record(r).has(keys[i]) {
			r = b.seek(l.hash[i], keys[i], rows[i])
		}
		found[i] = b.exactly(r, times[i])
	}
}

// exactly finds what holds a time of the key of a record, or of a key that has none, by the words of its steps.
func (b *board[K]) exactly(r uint32, t uint64) holders {
	if r == 0 {
		return holders{0, uint32(NoKey)}
	}
	m := meta(b.record(r)[headWords[K]()-1])
	p, key := b.parts[m.part()], m.key()
	first := p.bounds[key]
	return p.at(uint(first), uint(p.bounds[key+1]-first), t)
}
