package grain

import (
	"math/bits"
	"math/rand/v2"

	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/keyset"
)

// looker looks at rows for one worker.
type looker struct {
	s     *search
	watch keyset.Watch
	slots []slot
	epoch uint32
	first []uint32 // of each group of a cluster that has two rows or more: the place of its first row in the cluster
	next  []uint32 // of each row of a cluster: the place of the next row of its group; 0 for the last
	out   clusters
}

// slot is a place in a table of the groups of one cluster. It is taken if its epoch is that of the cluster.
type slot struct {
	tag        uint32 // the upper half of the hash
	head, tail uint32 // the places of the group's first and last row
	epoch      uint32
}

// judge finds out whether a set is a key or a near-key.
func (l *looker) judge(set []int) (v verdict) {
	s := l.s
	keep := s.keep
	if len(set) == s.opts.MaxColumns {
		keep = 0
	}
	passed := s.passed(set)
	if passed && (len(set) != 2 || keep == 0 || s.fewest(set) > s.keep) {
		return verdict{}
	}
	nulls := l.nullRows(set)
	limit := int64(0)
	if s.mayBeNear(set) {
		limit = s.limit
	}
	if nulls > limit {
		return verdict{}
	}
	surplus := l.refine(set, limit-nulls, keep)
	switch {
	case passed || l.watch.Done():
	case surplus+nulls == 0:
		return verdict{key: true}
	case surplus+nulls <= limit:
		return verdict{near: true, violations: surplus + nulls}
	}
	return verdict{}
}

// nullRows is the number of rows in which a column of the set is NULL and equals nothing.
func (l *looker) nullRows(set []int) (n int64) {
	var some []*numbered
	for _, c := range set {
		if col := l.s.cols[c]; col.nulls > 0 {
			some = append(some, col)
		}
	}
	if len(some) < 2 {
		for _, c := range some {
			n += c.nulls
		}
		return n
	}
	for row := range some[0].ids {
		if l.watch.Over() {
			break
		}
		for _, c := range some {
			if c.ids[row] == keyset.None {
				n++
				break
			}
		}
	}
	return n
}

// refine counts the rows that are beyond the first of their key, rows with NULL left out. It stops when there are more than a limit, and the clusters
// of the set have more than keep rows. If it comes to the end with fewer, the clusters are kept for the sets that hold this one.
func (l *looker) refine(set []int, limit int64, keep int64) (n int64) {
	s := l.s
	base, rest := s.base(set, &l.watch)
	if len(set) > 2 && int64(len(base.rows)) > s.rows/4 {
		keep = 0 // to come to the end would take longer than it saves
	}
	var others [][]uint32
	for _, c := range rest {
		others = append(others, s.cols[c].ids)
	}
	l.out.rows, l.out.ends = l.out.rows[:0], l.out.ends[:0]
	from := uint32(0)
	for _, end := range base.ends {
		rows := base.rows[from:end]
		from = end
		if l.watch.OverAfter(len(rows)) {
			return n
		}
		has := len(l.out.rows)
		most := limit - n
		if keep > 0 {
			most = max(most, keep-int64(has))
		}
		more := l.split(rows, others, most)
		if more > 0 && n == 0 {
			s.agree.add(s.agreeSet(l.out.rows[has], l.out.rows[has+1]))
		}
		if n += more; n > limit && (keep == 0 || int64(len(l.out.rows)) > keep) {
			return n
		}
	}
	if n > 0 && int64(len(l.out.rows)) <= keep && !l.watch.Done() {
		s.store(set, &l.out)
	}
	return n
}

// split puts the rows of one cluster that agree with others of it side by side, at the end of out, and counts those beyond the first of each
// group. It may stop when there are more than most.
func (l *looker) split(rows []uint32, others [][]uint32, most int64) (n int64) {
	if len(others) == 0 {
		l.out.add(rows)
		return int64(len(rows) - 1)
	}
	if len(rows) == 2 {
		if a, b := rows[0], rows[1]; sameIDs(a, b, others) && !anyNone(a, others) {
			l.out.add(rows)
			return 1
		}
		return 0
	}
	mask := l.room(len(rows))
	l.first, l.next = l.first[:0], l.next[:0]
	for i, row := range rows {
		l.next = append(l.next, 0)
		hash, null := hashIDs(row, others)
		if null {
			continue
		}
		tag := uint32(hash >> 32)
		for at := hash & mask; ; at = (at + 1) & mask {
			t := &l.slots[at]
			if t.epoch != l.epoch {
				*t = slot{tag, uint32(i), uint32(i), l.epoch}
				break
			}
			if t.tag == tag && sameIDs(rows[t.head], row, others) {
				if t.head == t.tail {
					l.first = append(l.first, t.head)
				}
				l.next[t.tail] = uint32(i)
				t.tail = uint32(i)
				n++
				break
			}
		}
		if n > most || i&0xfff == 0xfff && l.watch.OverAfter(0x1000) {
			break
		}
	}
	for _, i := range l.first {
		l.out.rows = append(l.out.rows, rows[i])
		for i = l.next[i]; i != 0; i = l.next[i] {
			l.out.rows = append(l.out.rows, rows[i])
		}
		l.out.ends = append(l.out.ends, uint32(len(l.out.rows)))
	}
	return n
}

// room empties the table, and makes it large enough for a number of rows. It returns the mask of the places to use.
func (l *looker) room(rows int) uint64 {
	size := 1 << bits.Len(uint(2*rows-1))
	if l.epoch++; size > len(l.slots) || l.epoch == 0 {
		l.slots = make([]slot, max(size, len(l.slots)))
		l.epoch = 1
	}
	return uint64(size - 1)
}

// idSecrets keep values from being given numbers that meet in the tables.
var idSecrets = [2]uint64{rand.Uint64(), rand.Uint64() | 1}

// hashIDs hashes the numbers of a row's values; null says that one of them is none.
func hashIDs(row uint32, columns [][]uint32) (hash uint64, null bool) {
	hash = idSecrets[0]
	for _, ids := range columns {
		id := ids[row]
		if id == keyset.None {
			return 0, true
		}
		hi, lo := bits.Mul64(hash^uint64(id), idSecrets[1])
		hash = hi ^ lo
	}
	if form.IsConstantHash() {
		return 0, false
	}
	return hash, false
}

func anyNone(row uint32, columns [][]uint32) bool {
	for _, ids := range columns {
		if ids[row] == keyset.None {
			return true
		}
	}
	return false
}

func sameIDs(a, b uint32, columns [][]uint32) bool {
	for _, ids := range columns {
		if ids[a] != ids[b] {
			return false
		}
	}
	return true
}
