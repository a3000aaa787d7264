package keyset

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

func newTrust(k *Keys) *trust {
	return &trust{keys: k, as: make([]uint32, 0, trusted), bs: make([]uint32, 0, trusted), same: make([]bool, trusted)}
}

func (t *trust) add(a, b uint32) {
	t.as, t.bs = append(t.as, a), append(t.bs, b)
	if len(t.as) == trusted {
		t.verify()
	}
}

// verify compares the pairs that are noted.
func (t *trust) verify() {
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
// put begins with what it has of an earlier call.
func (t *Table[K, P]) Fill(put func()) {
	t.Reset()
	if t.exact {
		put()
		return
	}
	t.begin()
	put()
	if !t.end() {
		t.Reset()
		put()
	}
}

// begin makes digests decide, until end says whether they did so rightly.
func (t *Table[K, P]) begin() {
	if t.spare == nil {
		t.spare = newTrust(t.keys)
	}
	t.trust = t.spare
	t.trust.as, t.trust.bs, t.trust.broken = t.trust.as[:0], t.trust.bs[:0], false
}

func (t *Table[K, P]) end() (right bool) {
	t.trust.verify()
	t.trust = nil
	return !t.spare.broken
}

// FindAll puts what Find returns for some entries into found.
func (t *Table[K, P]) FindAll(entries []Entry[K, P], found []*Entry[K, P]) {
	if cap(t.start) < len(entries) {
		t.start = make([]uint32, len(entries))
	}
	start := t.start[:len(entries)]
	StartsIn(t, entries, start)
	if !t.exact {
		t.findDigests(entries, start, found)
		return
	}
	for i := range entries {
		found[i] = t.FindAt(&entries[i], start[i])
	}
}

// findDigests trusts in the same way.
func (t *Table[K, P]) findDigests(entries []Entry[K, P], start []uint32, found []*Entry[K, P]) {
	t.begin()
	for i := range entries {
		found[i] = t.FindAt(&entries[i], start[i])
	}
	if !t.end() {
		for i := range entries {
			found[i] = t.FindAt(&entries[i], start[i])
		}
	}
}
