package grain

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/keyset"
)

// maxMissing is the most columns that a key is said to miss.
const maxMissing = 3

// missing searches for the columns that tell the distinct rows of some keys apart.
//
// A set of columns fails when two rows of a key are equal in it. Each failure is kept as a need: the columns in which the two rows differ,
// one of which any set must have. So few sets are tried in full, whatever their number: most lack what is needed.
type missing struct {
	d     *diagnosing
	rows  []uint32 // the distinct rows of the keys, key by key
	start []int    // of each key in rows, and at the end their number
	watch keyset.Watch

	// differ has for each key the columns in which its rows differ.
	differ []columnSet
	// candidates are positions of columns; sets of candidates are sets of indices into it.
	candidates []int
	needs      []columnSet
	// codes number the values of a candidate within each key, of so many keys as known says; nil before the first.
	codes [][]uint32
	known []int

	order []int // for trying
}

// missingColumns finds the smallest set of columns that tells the distinct rows of the given keys apart, or nothing. differ has the columns
// in which the rows of each key differ.
func (d *diagnosing) missingColumns(ids []uint32, differ []columnSet, inRange columnSet) ([]int, error) {
	m := &missing{d: d, differ: differ, watch: keyset.NewWatch(d.ctx)}
	if err := m.distinct(ids); err != nil {
		return nil, err
	}
	m.choose(inRange)
	if m.watch.Done() || len(m.candidates) == 0 {
		return nil, m.watch.Err()
	}
	m.codes, m.known = make([][]uint32, len(m.candidates)), make([]int, len(m.candidates))
	for k := 0; k < len(differ) && len(m.needs) < 64; k++ {
		m.need(m.rows[m.start[k]], m.rows[m.start[k]+1])
	}
	for size := 1; size <= maxMissing; size++ {
		found, err := m.search(nil, 0, size)
		if found != nil || err != nil {
			return found, err
		}
	}
	return nil, nil
}

// distinct collapses the equal rows of each key.
func (m *missing) distinct(ids []uint32) error {
	g := m.d.sorted.groups
	m.start = make([]int, len(ids)+1)
	for i, id := range ids {
		m.start[i+1] = m.start[i] + len(g.Of(id))
	}
	m.rows = make([]uint32, m.start[len(ids)])
	kept := make([]int, len(ids))
	cuts := tasks(g, ids)
	err := keyset.Run(m.d.ctx, m.d.workers, len(cuts)-1, func(_, task int) error {
		watch := keyset.NewWatch(m.d.ctx)
		for i := cuts[task]; i < cuts[task+1]; i++ {
			rows := m.rows[m.start[i]:m.start[i+1]]
			copy(rows, g.Of(ids[i]))
			if kept[i] = 2; len(rows) > 2 {
				kept[i] = len(m.collapse(rows, m.differ[i].list(), &watch))
			}
		}
		return watch.Err()
	})
	if err != nil {
		return err
	}
	n := 0
	for i, k := range kept {
		if m.watch.Over() {
			return m.watch.Err()
		}
		from := m.start[i]
		m.start[i] = n
		n += copy(m.rows[n:], m.rows[from:from+k])
	}
	m.start[len(ids)], m.rows = n, m.rows[:n]
	return nil
}

// collapse leaves the first of equal rows, which differ in the given columns.
func (m *missing) collapse(rows []uint32, differ []int, watch *keyset.Watch) []uint32 {
	slices.SortFunc(rows, func(a, b uint32) int {
		if watch.Over() {
			return 0
		}
		return cmp.Or(m.d.compare(a, b, differ), cmp.Compare(a, b))
	})
	return slices.CompactFunc(rows, func(a, b uint32) bool { return m.d.equal(a, b, differ) })
}

// choose finds the candidates. Columns that never differ within a key are of no use.
func (m *missing) choose(inRange columnSet) {
	ever := newColumnSet(len(m.d.columns))
	for _, s := range m.differ {
		if m.watch.Over() {
			return
		}
		ever.addAll(s)
	}
	for _, at := range ever.list() {
		c := m.d.columns[at]
		switch form.FamilyOf(c.Type) {
		case form.BoolFamily, form.IntFamily, form.TextFamily, form.BinaryFamily, form.DateFamily, form.TimeFamily, form.NaiveFamily, form.InstantFamily:
		default:
			continue
		}
		if !inRange.has(at) && !m.anyNull(c) {
			m.candidates = append(m.candidates, at)
		}
	}
}

func (m *missing) anyNull(c *form.Column) bool {
	if !c.MayNull() {
		return false
	}
	for _, row := range m.rows {
		if m.watch.Over() || c.Null(row) {
			return true
		}
	}
	return false
}

// need notes that two rows are to be told apart.
func (m *missing) need(a, b uint32) {
	need := newColumnSet(len(m.candidates))
	for i, at := range m.candidates {
		if m.d.columns[at].Compare(a, b, form.ByValue) != 0 {
			need.add(i)
		}
	}
	for _, n := range m.needs {
		if n.within(need) {
			return
		}
	}
	m.needs = append(slices.DeleteFunc(m.needs, need.within), need)
}

// unmet returns the needs that a set of candidates doesn't meet.
func unmet(needs []columnSet, set []int) []columnSet {
	var out []columnSet
	for _, n := range needs {
		if !slices.ContainsFunc(set, n.has) {
			out = append(out, n)
		}
	}
	return out
}

// search tries the sets that have chosen, and more candidates from one on up to a size, in table order. It returns the columns of the first
// that will do.
func (m *missing) search(chosen []int, from, size int) ([]int, error) {
	if len(chosen) == size-1 {
		return m.last(chosen, from)
	}
	for i := from; i < len(m.candidates); i++ {
		found, err := m.search(append(chosen[:len(chosen):len(chosen)], i), i+1, size)
		if found != nil || err != nil {
			return found, err
		}
	}
	return nil, nil
}

// last tries the sets that have chosen and one candidate more, which must meet all needs that are left.
func (m *missing) last(chosen []int, from int) ([]int, error) {
	lacks := unmet(m.needs, chosen)
	for i := from; ; i++ {
		if m.watch.Over() {
			return nil, m.watch.Err()
		}
		if i = inAll(lacks, i, len(m.candidates)); i == len(m.candidates) {
			return nil, nil
		}
		set := append(chosen[:len(chosen):len(chosen)], i)
		ok, err := m.try(set)
		if err != nil {
			return nil, err
		}
		if ok {
			columns := make([]int, len(set))
			for k, c := range set {
				columns[k] = m.candidates[c]
			}
			return columns, nil
		}
		lacks = unmet(m.needs, chosen)
	}
}

// inAll returns the first number from i to before n that is in all sets, or n.
func inAll(sets []columnSet, i, n int) int {
	for w := i >> 6; w<<6 < n; w++ {
		all := ^uint64(0)
		if w == i>>6 {
			all <<= i & 63
		}
		for _, s := range sets {
			all &= s[w]
		}
		if all != 0 {
			return min(n, w<<6+bits.TrailingZeros64(all))
		}
	}
	return n
}

// try says whether a set will do. If two rows are equal in it, that becomes a need.
func (m *missing) try(set []int) (bool, error) {
	for k := range m.differ {
		for _, c := range set {
			m.number(c, k)
		}
		if a, b, same := m.clash(k, set); same {
			m.need(m.rows[a], m.rows[b])
			return false, m.watch.Err()
		}
		if m.watch.Done() {
			return false, m.watch.Err()
		}
	}
	return m.leavesMore(set), m.watch.Err()
}

// clash finds two rows of a key that are equal in a set.
func (m *missing) clash(key int, set []int) (a, b int, found bool) {
	compare := func(a, b int) int {
		if m.watch.Over() {
			return 0
		}
		for _, c := range set {
			if d := cmp.Compare(m.codes[c][a], m.codes[c][b]); d != 0 {
				return d
			}
		}
		return 0
	}
	m.orderRows(key)
	if len(m.order) > 2 {
		slices.SortFunc(m.order, compare)
	}
	for i, b := range m.order[1:] {
		if a := m.order[i]; compare(a, b) == 0 {
			return a, b, true
		}
	}
	return 0, 0, false
}

// orderRows puts the rows of a key into order.
func (m *missing) orderRows(key int) {
	m.order = m.order[:0]
	for r := m.start[key]; r < m.start[key+1]; r++ {
		m.order = append(m.order, r)
	}
}

// leavesMore says whether a column outside the set differs in one of the keys: a set that tells rows apart which are nothing else identifies
// nothing.
func (m *missing) leavesMore(set []int) bool {
	inside := newColumnSet(len(m.d.columns))
	for _, c := range set {
		inside.add(m.candidates[c])
	}
	return slices.ContainsFunc(m.differ, func(s columnSet) bool { return !s.within(inside) })
}

// number numbers the values of a candidate within each key, up to one. Most candidates fail in one of the first keys.
func (m *missing) number(candidate, key int) {
	if m.codes[candidate] == nil {
		m.codes[candidate] = make([]uint32, len(m.rows))
	}
	codes, col := m.codes[candidate], m.d.columns[m.candidates[candidate]]
	compare := func(a, b int) int {
		if m.watch.Over() {
			return 0
		}
		return col.Compare(m.rows[a], m.rows[b], form.ByValue)
	}
	for ; m.known[candidate] <= key; m.known[candidate]++ {
		m.orderRows(m.known[candidate])
		if len(m.order) > 2 {
			slices.SortFunc(m.order, compare)
		}
		for i, r := range m.order[1:] {
			codes[r] = codes[m.order[i]]
			if compare(m.order[i], r) != 0 {
				codes[r]++
			}
		}
	}
}
