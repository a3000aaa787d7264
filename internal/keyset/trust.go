package keyset

import (
	"sync"

	"github.com/onerow-go/onerow/internal/form"
)

// Keys that are digests are equal only if their cells are. The cells of two rows lie anywhere in memory: compared one pair after the other,
// each pair waits for memory by itself, ten times as long as all else that is done for a row. So a table is filled as if equal digests were
// equal keys, the pairs of rows are noted, and then compared many at a time. If two of them differ, which takes some 2^60 keys or the
// secret of the process, the table is filled again with a comparison at each step.

// trust are pairs of rows whose keys have one digest.
type trust struct {
	keys   *Keys
	as, bs []uint32
	same   []bool
	broken bool // two keys with one digest differ
}

// trusted is the number of pairs that are compared at a time.
const trusted = 4096

// fewPairs is the number of pairs from which on to compare them together is quicker.
const fewPairs = 24

// trusts are kept from table to table: some calls have one a partition.
var trusts = sync.Pool{New: func() any {
	return &trust{as: make([]uint32, 0, trusted), bs: make([]uint32, 0, trusted), same: make([]bool, trusted)}
}}

func newTrust(k *Keys) *trust {
	t := trusts.Get().(*trust)
	t.keys, t.as, t.bs, t.broken = k, t.as[:0], t.bs[:0], false
	return t
}

// end compares what is left, and says whether all pairs were of equal keys. The trust means nothing afterwards.
func (t *trust) end() (right bool) {
	t.verify()
	right = !t.broken
	t.keys = nil
	trusts.Put(t)
	return right
}

func (t *trust) add(a, b uint32) {
	t.as, t.bs = append(t.as, a), append(t.bs, b)
	if len(t.as) == trusted {
		t.verify()
	}
}

// verify compares the pairs that are noted.
func (t *trust) verify() {
	if len(t.as) < fewPairs {
		for i, a := range t.as {
			t.broken = t.broken || !t.keys.Same(a, t.bs[i])
		}
		t.as, t.bs = t.as[:0], t.bs[:0]
		return
	}
	same := t.same[:len(t.as)]
	for i := range same {
		same[i] = true
	}
	t.keys.SamePairs(t.as, t.bs, same)
	for _, ok := range same {
		t.broken = t.broken || !ok
	}
	t.as, t.bs = t.as[:0], t.bs[:0]
}

// Fill empties the table and calls put, which puts the entries of a partition into it: once, and once more if keys of one digest differ. So
// put begins with what it has of an earlier call. What put finds is to be used only after Fill.
func (t *Table[K, P]) Fill(put func()) {
	t.Reset()
	if t.exact {
		put()
		return
	}
	t.trust = newTrust(t.keys)
	put()
	trust := t.trust
	t.trust = nil
	if !trust.end() {
		t.Reset()
		put()
	}
}

// Probe is room for keys that are looked up together. It belongs to one goroutine.
type Probe struct {
	start []uint32
}

// FindAll puts what Find returns for some entries into found. It only reads the table, so that several goroutines may look into one,
// each with a probe of its own.
func FindAll[K Words, P, Q any](p *Probe, t *Table[K, P], entries []Entry[K, Q], found []*Entry[K, P]) {
	if cap(p.start) < len(entries) {
		p.start = make([]uint32, max(BlockRows, len(entries)))
	}
	start, found := p.start[:len(entries)], found[:len(entries)]
	StartsIn(t, entries, start)
	for i := range entries {
		found[i] = t.alike(&entries[i].Key, start[i])
	}
	if !t.exact && !rightly(t, entries, found) {
		for i := range entries {
			found[i] = t.FindAt(&Entry[K, P]{Key: entries[i].Key, Row1: entries[i].Row1}, start[i])
		}
	}
}

// alike returns the entry with the words of a key, or nil.
func (t *Table[K, P]) alike(k *K, start uint32) *Entry[K, P] {
	for i := start; ; i = (i + 1) & t.mask {
		if s := &t.slots[i]; s.Row1 == 0 {
			return nil
		} else if s.Key == *k {
			return s
		}
	}
}

// rightly says whether the cells of entries and of those with their words are equal, where the words don't decide.
func rightly[K Words, P, Q any](t *Table[K, P], entries []Entry[K, Q], found []*Entry[K, P]) bool {
	trust := newTrust(t.keys)
	for i, s := range found {
		if s != nil && s.Key[len(s.Key)-1]>>56 == form.LongText && s.Row1 != entries[i].Row1 {
			trust.add(s.Row(), entries[i].Row())
		}
	}
	return trust.end()
}

// FindAll puts what Find returns for some entries into found.
func (t *Table[K, P]) FindAll(entries []Entry[K, P], found []*Entry[K, P]) {
	FindAll(&t.probe, t, entries, found)
}
