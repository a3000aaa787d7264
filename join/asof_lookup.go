package join

import (
	"math/bits"
	"unsafe"

	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/keyset"
	"github.com/onerow-go/onerow/internal/prefetch"
)

// looking is room for facts that are looked up in a board together.
type looking[K keyset.Words] struct {
	asked[K]
	at      [keyset.BlockRows]uint32 // first the slots where searches begin, then the places of records, 0 of keys that have none
	answers [keyset.BlockRows]uint32

	// Facts whose key is known by its digest; cells of the rows as and bs decide.
	which, as, bs []uint32
	same          []bool
}

const (
	// fetchRows is the number of facts whose slots, or records, are fetched while those of as many before them are read.
	fetchRows = 32
	// nearWords is the length of records that stay in a core's own cache.
	nearWords = 1 << 16
)

func newLooking[K keyset.Words]() *looking[K] {
	const n = keyset.BlockRows
	return &looking[K]{which: make([]uint32, 0, n), as: make([]uint32, 0, n), bs: make([]uint32, 0, n), same: make([]bool, n)}
}

// asked are facts that are looked up together, keyset.BlockRows at most.
type asked[K keyset.Words] struct {
	keys  []K
	times []uint64
	rowList
}

// rowList lists rows: those from the first on, one by one, unless rows has them.
type rowList struct {
	first uint32
	rows  []uint32
}

func (l *rowList) row(i uint32) uint32 {
	if l.rows == nil {
		return l.first + i
	}
	return l.rows[i]
}

// look puts what holds each of the facts that l has been asked for into answers. It says whether each is held by one version.
//
// Each loop does one thing for many facts, and while it does, the memory that it needs for those after them is fetched.
func (b *board[K]) look(l *looking[K], answers []uint32) bool {
	q, n, step := &l.asked, len(l.keys), len(l.keys)
	at, all := l.at[:n], uint32(0)
	if b.far {
		step = fetchRows
		b.starts(q.keys, at)
		b.fetchSlots(at[:min(step, n)])
	}
	for lo := 0; lo < n; lo += step {
		hi := min(lo+step, n)
		b.fetchSlots(at[hi:min(hi+step, n)])
		b.place(q.keys[lo:hi], at[lo:hi])
	}
	if !b.keys.Exact() {
		b.verify(l)
	}
	b.fetchRecords(at[:min(step, n)])
	for lo := 0; lo < n; lo += step {
		hi := min(lo+step, n)
		b.fetchRecords(at[hi:min(hi+step, n)])
		found := answers[lo:hi]
		some := b.count(q.keys[lo:hi], q.times[lo:hi], at[lo:hi], found)
		if some >= crowd {
			some = b.settle(q, lo, at[lo:hi], found)
		}
		all |= some
	}
	return all < crowd
}

// starts puts the slots where the searches for some keys begin into at.
func (b *board[K]) starts(keys []K, at []uint32) {
	at = at[:len(keys)]
	mask := b.starting
	for i := range keys {
		at[i] = halfOf(&keys[i]) & mask
	}
}

// place puts the places of the records of some keys into at. A slot and the one after it are looked at together, without a branch.
func (b *board[K]) place(keys []K, at []uint32) {
	at = at[:len(keys)]
	slots, mask, keep := unsafe.Pointer(&b.slots[0]), b.starting, b.keep
	for i := range keys {
		half := halfOf(&keys[i])
		pair := (*[2]uint32)(unsafe.Add(slots, uintptr(half&mask)*4))
		tag, s, second := tagOf(half&keep), pair[0], pair[1]
		if (s^tag)%(1<<tagBits) != 0 {
			s = second
		}
		if (s^tag)%(1<<tagBits) != 0 {
			s = b.next(half)
		}
		at[i] = s >> tagBits
	}
}

// fetchSlots fetches slots, where they may lie beyond a core's own cache.
func (b *board[K]) fetchSlots(at []uint32) {
	if b.far {
		prefetch.Cells(unsafe.Pointer(&b.slots[0]), 4, at)
	}
}

// fetchRecords fetches two lines of records each.
func (b *board[K]) fetchRecords(at []uint32) {
	if b.far {
		prefetch.Cells(unsafe.Pointer(&b.words[0]), 8*recordGrain, at)
		prefetch.Cells(unsafe.Pointer(&b.words[prefetch.Line/8]), 8*recordGrain, at)
	}
}

// next returns the first slot with the tag of a key, 0 when there is none.
func (b *board[K]) next(half uint32) uint32 {
	tag := tagOf(half & b.keep)
	for at := half & b.starting; ; at = (at + 1) & b.mask {
		if s := b.slots[at]; s == 0 || s%(1<<tagBits) == tag {
			return s
		}
	}
}

// seek returns the place of the record of a key, 0 when there is none.
func (b *board[K]) seek(key K, row uint32) uint32 {
	half := halfOf(&key)
	tag := tagOf(half & b.keep)
	for at := half & b.starting; ; at = (at + 1) & b.mask {
		s := b.slots[at]
		if s == 0 {
			return 0
		}
		if s%(1<<tagBits) != tag {
			continue
		}
		rec := b.record(s >> tagBits)
		if rec.has(key) && (b.keys.Exact() || key[len(key)-1]>>56 != form.LongText || b.keys.Same(rec.row(), row)) {
			return s >> tagBits
		}
	}
}

// verify compares the cells of facts and of those whose digests they have, and looks for others where they differ.
func (b *board[K]) verify(l *looking[K]) {
	l.which, l.as, l.bs = l.which[:0], l.as[:0], l.bs[:0]
	for i, r := range l.at[:len(l.keys)] {
		if k := l.keys[i]; r != 0 && k[len(k)-1]>>56 == form.LongText {
			if rec := b.record(r); rec.has(k) {
				l.which, l.as, l.bs = append(l.which, uint32(i)), append(l.as, rec.row()), append(l.bs, l.row(uint32(i)))
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
			l.at[i] = b.seek(l.keys[i], l.row(i))
		}
	}
}

// count counts the steps of each fact's key up to its time, and puts what the last of them holds into found; odd where it can't tell. It returns all of
// these answers in one, which is crowd or more if one of them is.
//
// A record, its lanes and its answers are read where at says they are, without a look at the length of all records.
func (b *board[K]) count(keys []K, times []uint64, at, found []uint32) (all uint32) {
	var k K
	head, records := headWords[K](), unsafe.Pointer(&b.words[0])
	times, at, found = times[:len(keys)], at[:len(keys)], found[:len(keys)]
	for i := range keys {
		rec := (*[recordHead]uint64)(unsafe.Add(records, uintptr(at[i])*(8*recordGrain)))
		m, end := meta(rec[head-1]), uint64(head+leastLanes)
		past, before := bits.Sub64(times[i], rec[head-2], 0)
		t := past >> m.shift()
		_, over := bits.Sub64(laneMost, t, 0)
		t -= (t - laneMost) & -over
		line := t*laneOnes | laneTops
		sum := (line-rec[head])&laneTops>>laneBits + (line-rec[head+1])&laneTops>>laneBits + (line-rec[head+2])&laneTops>>laneBits
		if m.unusual() {
			end = uint64(head) + m.laneWords()
			for j := uint64(head + leastLanes); j < end; j++ {
				sum += (line - rec[j%recordHead]) & laneTops >> laneBits
			}
		}
		c := sum * laneOnes >> 48 &^ -before
		a := *(*uint32)(unsafe.Add(unsafe.Pointer(rec), 8*end+4*c))
		last := *(*uint16)(unsafe.Add(unsafe.Pointer(rec), 8*uint64(head)+2*c-2))
		if rec[0] != keys[i][0] || rec[len(k)-1] != keys[i][len(k)-1] || uint64(last) == t && m.rounds() || end == uint64(head) {
			a = odd
		}
		found[i] = a
		all |= a
	}
	return all
}

// settle finds what holds those facts that are odd, by the cells of their keys and the words of their steps. lo is the number of the first of them.
func (b *board[K]) settle(q *asked[K], lo int, at, found []uint32) (all uint32) {
	for i, a := range found {
		if a == odd {
			a = b.exactly(q, at[i], uint32(lo+i))
			found[i] = a
		}
		all |= a
	}
	return all
}

// exactly finds what holds fact i. r is the place of a record that may be its key's.
func (b *board[K]) exactly(q *asked[K], r, i uint32) uint32 {
	if r != 0 && !b.record(r).has(q.keys[i]) {
		r = b.seek(q.keys[i], q.row(i))
	}
	if r == 0 {
		return noKey
	}
	m := meta(b.record(r)[headWords[K]()-1])
	p, key := b.parts[m.part()], m.key()
	first := p.bounds[key]
	return answerOf(p.at(uint(first), uint(p.bounds[key+1]-first), q.times[i]))
}
