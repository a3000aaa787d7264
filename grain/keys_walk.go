package grain

import (
	"cmp"
	"context"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow/internal/frame"
	"github.com/onerow-go/onerow/internal/keyset"
)

// search is one call of Keys. A set of columns is a list of ascending places in cols.
type search struct {
	opts   KeysOptions
	report *KeysReport
	table  *frame.Table
	rows   int64
	limit  int64 // of violations of a near-key; 0: there are none
	cols   []*numbered

	keys  setIndex // of two columns or more
	nears setIndex // minimal near-keys
	found []near
	agree *cover // sets on which two rows agree: no key
	kept  kept
	keep  int64 // the most rows of clusters that are kept
}

type near struct {
	set        []int
	violations int64
}

// verdict is what is found of a set.
type verdict struct {
	key, near  bool
	violations int64
}

// walk looks at all sets by size.
func (s *search) walk(ctx context.Context) error {
	s.keys, s.nears = newSetIndex(len(s.cols)), newSetIndex(len(s.cols))
	s.kept.sets = map[string]*clusters{}
	s.keep = max(s.rows/16, 2*s.limit)
	if err := s.sample(ctx); err != nil {
		return err
	}
	var workers []*looker
	for range s.opts.Resources.WorkerCount() {
		workers = append(workers, &looker{s: s, watch: keyset.NewWatch(ctx)})
	}
	for size := 1; size <= min(s.opts.MaxColumns, len(s.cols)); size++ {
		l := &level{search: s, ctx: ctx, workers: workers, size: size}
		if err := s.each(ctx, size, l.take); err != nil {
			return err
		}
		if err := l.flush(); err != nil {
			return err
		}
		for _, k := range l.found {
			s.keys.add(k)
			s.report.Keys = append(s.report.Keys, s.names(k))
		}
		for _, n := range l.near {
			s.nears.add(n)
		}
		s.narrow()
		if l.taken == 0 { // all sets of this size hold keys, and so do all larger ones
			break
		}
	}
	return nil
}

// samplePairsInAll bounds the pairs of rows from all columns that are looked at before sets are.
const samplePairsInAll = 1 << 13

// sample notes on which columns the sampled pairs of rows agree.
func (s *search) sample(ctx context.Context) error {
	s.agree = newCover(len(s.cols))
	for _, c := range s.cols {
		for _, p := range c.pairs[:min(len(c.pairs), max(1, samplePairsInAll/len(s.cols)))] {
			if err := ctx.Err(); err != nil {
				return err
			}
			s.agree.add(s.agreeSet(p[0], p[1]))
		}
		c.pairs = nil
	}
	return nil
}

// narrow lowers the limit of near-keys once there are as many as the report lists: larger ones must be better.
func (s *search) narrow() {
	if s.limit == 0 || len(s.found) < s.opts.MaxNear {
		return
	}
	var violations []int64
	for _, n := range s.found {
		violations = append(violations, n.violations)
	}
	slices.Sort(violations)
	s.limit = min(s.limit, violations[s.opts.MaxNear-1]-1)
}

// level is the walk over the sets of one size.
type level struct {
	*search
	ctx         context.Context
	workers     []*looker
	size        int
	taken       int
	sets        [][]int // to be looked at
	found, near [][]int
}

// blockSets is the number of sets that are handed out together.
const blockSets = 1 << 12

// take takes the next set. The clusters of pairs are wanted for larger sets, whatever the pairs are.
func (l *level) take(set []int) error {
	if l.taken++; l.taken&0xff == 0 && l.ctx.Err() != nil {
		return l.ctx.Err()
	}
	if l.size != 2 && l.passed(set) {
		return nil
	}
	if l.sets = append(l.sets, slices.Clone(set)); len(l.sets) == blockSets {
		return l.flush()
	}
	return nil
}

// flush looks at the sets that were taken.
func (l *level) flush() error {
	verdicts := make([]verdict, len(l.sets))
	err := keyset.Run(l.ctx, len(l.workers), len(l.sets), func(w, task int) error {
		verdicts[task] = l.workers[w].judge(l.sets[task])
		return l.workers[w].watch.Err()
	})
	if err != nil {
		return err
	}
	for i, v := range verdicts {
		switch {
		case v.key:
			l.found = append(l.found, l.sets[i])
		case v.near:
			l.near = append(l.near, l.sets[i])
			l.search.found = append(l.search.found, near{l.sets[i], v.violations})
		}
	}
	l.sets = l.sets[:0]
	return nil
}

// each calls f for each set of a size that holds no key, in order. f may not keep the set.
func (s *search) each(ctx context.Context, size int, f func(set []int) error) error {
	set, watch := make([]int, 0, size), keyset.NewWatch(ctx)
	var extend func(from int) error
	extend = func(from int) error {
		if len(set) == size {
			return f(set)
		}
		for c := from; c <= len(s.cols)-(size-len(set)); c++ {
			if watch.OverAfter(1 << min(size, 12)) { // to ask about a set takes that long
				return watch.Err()
			}
			set = append(set, c)
			if !s.keys.holdsLast(set) && !(s.violates(set) && s.nears.holdsLast(set)) {
				if err := extend(c + 1); err != nil {
					return err
				}
			}
			set = set[:len(set)-1]
		}
		return nil
	}
	return extend(0)
}

// violates says whether a column of the set has NULLs that are against it: neither it nor what holds it is a key.
func (s *search) violates(set []int) bool {
	return slices.ContainsFunc(set, func(c int) bool { return s.cols[c].nulls > 0 })
}

// passed says that a set needs no look at the rows: it can be neither a key nor a near-key that isn't known.
func (s *search) passed(set []int) bool {
	if s.fewest(set) > s.limit {
		return true
	}
	return (s.fewest(set) > 0 || s.violates(set) || s.agree.holds(set)) && !s.mayBeNear(set)
}

// mayBeNear says whether a set would be listed as a near-key if it is one.
func (s *search) mayBeNear(set []int) bool { return s.limit > 0 && !s.nears.holdsAny(set) }

// fewest is a number of rows that violate a set at least: there are only so many combinations of values, for all rows, and for those of the
// commonest value of a column.
func (s *search) fewest(set []int) (least int64) {
	for _, p := range set {
		others := int64(1)
		for _, c := range set {
			if c == p {
				continue
			}
			if others *= int64(s.cols[c].distinct); others > s.rows {
				break
			}
		}
		if others > s.rows {
			continue
		}
		least = max(least, int64(s.cols[p].most)-others)
		least = max(least, s.rows-others*int64(s.cols[p].distinct))
	}
	return least
}

// names are the names of a set's columns.
func (s *search) names(set []int) (names []string) {
	for _, c := range set {
		names = append(names, s.report.Columns[s.cols[c].at].Name)
	}
	return names
}

// agreeSet marks the columns in which two rows have one value.
func (s *search) agreeSet(a, b uint32) keyset.Bitmap {
	set := keyset.NewBitmap(uint32(len(s.cols)))
	for i, c := range s.cols {
		if c.ids[a] == c.ids[b] && c.ids[a] != keyset.None {
			set.Set(uint32(i))
		}
	}
	return set
}

// describe puts the near-keys into the report.
func (s *search) describe(ctx context.Context, batches []arrow.Record) error {
	slices.SortStableFunc(s.found, func(a, b near) int {
		return cmp.Or(cmp.Compare(a.violations, b.violations), cmp.Compare(len(a.set), len(b.set)), slices.Compare(a.set, b.set))
	})
	for _, n := range s.found[:min(len(s.found), max(0, s.opts.MaxNear))] {
		names := s.names(n.set)
		opts := s.opts.Resources
		opts.Progress = nil
		r, err := check(ctx, batches, names, Options{Nulls: s.opts.Nulls, Worst: s.opts.Worst, Resources: opts})
		if err != nil {
			return err
		}
		s.report.Near = append(s.report.Near, NearKey{Columns: names, Violations: n.violations, Report: r})
	}
	return nil
}
