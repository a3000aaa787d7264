package grain

import (
	"slices"
	"sync"

	"github.com/onerow-go/onerow/internal/keyset"
)

// clusters are the rows that share their values in a set of columns with others, those of each key side by side: a stripped partition, or position list index.
type clusters struct {
	ends []uint32 // of each cluster in rows
	rows []uint32
}

// add adds a cluster.
func (l *clusters) add(rows []uint32) {
	l.rows = append(l.rows, rows...)
	l.ends = append(l.ends, uint32(len(l.rows)))
}

// stripped returns the clusters of a column. They are made when they are first asked for; if the context ends then, they mean nothing.
func (c *numbered) stripped(watch *keyset.Watch) *clusters {
	l := &c.clusters
	c.once.Do(func() {
		start := c.counts // turned into the places where the rows of each value go
		var sum uint32
		for id, n := range c.counts {
			if watch.Over() {
				return
			}
			if n < 2 {
				start[id] = keyset.None
				continue
			}
			start[id] = sum
			sum += n
			l.ends = append(l.ends, sum)
		}
		l.rows = make([]uint32, sum)
		for row, id := range c.ids {
			if watch.Over() {
				return
			}
			if id != keyset.None && start[id] != keyset.None {
				l.rows[start[id]] = uint32(row)
				start[id]++
			}
		}
		c.counts = nil
	})
	return l
}

// kept are the clusters of sets of two columns or more.
type kept struct {
	mu   sync.RWMutex
	sets map[string]*clusters
	size int64 // of all of them, in numbers of 4 bytes
}

// keptRows bounds the size of all clusters that are kept, in rows of the table; setSize is what a set takes beside its rows.
const (
	keptRows = 8
	setSize  = 40
)

// store keeps a copy of the clusters of a set, if there is room.
func (s *search) store(set []int, l *clusters) {
	s.kept.mu.Lock()
	defer s.kept.mu.Unlock()
	n := int64(len(l.rows) + len(l.ends) + setSize)
	if s.kept.size+n > keptRows*s.rows {
		return
	}
	s.kept.size += n
	s.kept.sets[setName(set)] = &clusters{ends: slices.Clone(l.ends), rows: slices.Clone(l.rows)}
}

// base returns the smallest clusters that a set can be refined from: those of one of its columns, of two, or of all but one; and the
// columns that are left.
func (s *search) base(set []int, watch *keyset.Watch) (best *clusters, rest []int) {
	least := set[0]
	for _, c := range set {
		if s.cols[c].shared < s.cols[least].shared {
			least = c
		}
	}
	fewest, part := s.cols[least].shared, []int{least}
	s.kept.mu.RLock()
	try := func(sub ...int) {
		if l := s.kept.sets[setName(sub)]; l != nil && int64(len(l.rows)) < fewest {
			best, fewest, part = l, int64(len(l.rows)), slices.Clone(sub)
		}
	}
	for i, a := range set {
		for _, b := range set[i+1:] {
			try(a, b)
		}
		if len(set) > 3 {
			try(slices.Delete(slices.Clone(set), i, i+1)...)
		}
	}
	s.kept.mu.RUnlock()
	if best == nil {
		best = s.cols[least].stripped(watch)
	}
	for _, c := range set {
		if !slices.Contains(part, c) {
			rest = append(rest, c)
		}
	}
	return best, rest
}
