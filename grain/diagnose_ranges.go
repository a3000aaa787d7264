package grain

import (
	"cmp"
	"context"
	"slices"
	"sync/atomic"

	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/keyset"
)

// timeColumn is a column that may be the start or the end of versions.
type timeColumn struct {
	at  int
	col *form.Column
	// far has for each batch the words, as Array.Ordinal gives them, from the first to before the second, that are on the day 9999-12-31.
	far [][2]uint64
	// hasNull and hasOpen are about the whole table: some row is NULL, some row is open as an end.
	hasNull, hasOpen bool
}

// farDay is 9999-12-31, counted from 1970-01-01.
const farDay = 2_932_896

func newTimeColumn(at int, c *form.Column) *timeColumn {
	t := &timeColumn{at: at, col: c, far: make([][2]uint64, len(c.Chunks))}
	day := map[form.Family]uint64{form.DateFamily: 86_400_000, form.NaiveFamily: 86_400_000_000_000, form.InstantFamily: 86_400_000_000_000}
	ticks := day[form.FamilyOf(c.Type)]
	for k, a := range c.Chunks {
		perDay := ticks / max(a.Measure().Unit, 1)
		if perDay > 0 && perDay < 1<<63/(farDay+1) { // a unit of nanoseconds doesn't reach that day
			t.far[k] = [2]uint64{farDay*perDay ^ 1<<63, (farDay+1)*perDay ^ 1<<63}
		}
	}
	return t
}

// open says whether row i of a batch, as an end, is open.
func (t *timeColumn) open(chunk, i int) bool {
	w, ok := t.col.Chunks[chunk].Ordinal(i)
	return !ok || t.far[chunk][0] <= w && w < t.far[chunk][1]
}

// rangePair is the start and the end of versions.
type rangePair struct{ start, end *timeColumn }

// rangePairs finds the range pairs of the table, by position of the start, then of the end. It reads date and timestamp columns alone, and each
// only as far as it takes to see that it is none of a pair.
func (d *diagnosing) rangePairs() ([]rangePair, error) {
	if d.given != nil {
		return []rangePair{*d.given}, nil
	}
	var times []*timeColumn
	for at, c := range d.columns {
		if d.inKey.has(at) {
			continue
		}
		switch form.FamilyOf(c.Type) {
		case form.DateFamily, form.NaiveFamily, form.InstantFamily:
			t := newTimeColumn(at, c)
			if err := d.look(t); err != nil {
				return nil, err
			}
			times = append(times, t)
		}
	}
	var pairs []rangePair
	for i, start := range times {
		for _, end := range times[i+1:] {
			if start.hasNull || !end.hasOpen || form.FamilyOf(start.col.Type) != form.FamilyOf(end.col.Type) {
				continue
			}
			p := rangePair{start, end}
			if ok, err := d.allRows(p.sound); err != nil {
				return nil, err
			} else if ok {
				pairs = append(pairs, p)
			}
		}
	}
	return pairs, nil
}

// look finds out whether a column has NULLs, and open ends.
func (d *diagnosing) look(t *timeColumn) error {
	noNull, err := d.allRows(func(chunk, i int) bool { return !t.col.Chunks[chunk].Null(i) })
	if err != nil {
		return err
	}
	if t.hasNull = !noNull; t.hasNull {
		t.hasOpen = true
		return nil
	}
	noOpen, err := d.allRows(func(chunk, i int) bool { return !t.open(chunk, i) })
	t.hasOpen = !noOpen
	return err
}

// sound says whether the end in row i of a batch is open or after the start, which isn't NULL.
func (p rangePair) sound(chunk, i int) bool {
	return p.end.open(chunk, i) || form.Exceeds(p.end.col.Chunks[chunk], i, p.start.col.Chunks[chunk], i, 0)
}

// allRows says whether a condition holds in all rows of the table. It ends at the first in which it doesn't.
func (d *diagnosing) allRows(holds func(chunk, i int) bool) (bool, error) {
	var broken atomic.Bool
	err := keyset.Run(d.ctx, d.workers, len(d.spans), func(_, task int) error {
		s := d.spans[task]
		for i := s.Lo; i < s.Lo+s.N && !broken.Load(); i++ {
			if !holds(s.Chunk, i) {
				broken.Store(true)
			}
		}
		return nil
	})
	return !broken.Load(), err
}

// findVersions returns for each key the first pair by which its rows are versions, or the number of pairs.
func (d *diagnosing) findVersions(ids []uint32, differ []columnSet, pairs []rangePair) ([]int, error) {
	fits := make([]int, len(ids))
	if len(pairs) == 0 {
		return fits, nil
	}
	cuts := tasks(d.sorted.groups, ids)
	workers := make([]*versions, d.workers)
	err := keyset.Run(d.ctx, d.workers, len(cuts)-1, func(w, task int) error {
		if workers[w] == nil {
			workers[w] = newVersions(d.ctx, d)
		}
		for i := cuts[task]; i < cuts[task+1]; i++ {
			columns := differ[i].list()
			for fits[i] < len(pairs) && !workers[w].follow(d.sorted.groups.Of(ids[i]), pairs[fits[i]], columns) {
				fits[i]++
			}
		}
		return workers[w].watch.Err()
	})
	return fits, err
}

// versions tells whether the rows of a key are versions. It belongs to one worker.
type versions struct {
	d     *diagnosing
	watch keyset.Watch
	rows  []uint32
}

func newVersions(ctx context.Context, d *diagnosing) *versions {
	return &versions{d: d, watch: keyset.NewWatch(ctx)}
}

// follow says whether the distinct rows of a key, by start, each end at or before the next start. They differ in the given columns.
func (v *versions) follow(rows []uint32, p rangePair, differing []int) bool {
	start, end := p.start.col, p.end.col
	v.rows = append(v.rows[:0], rows...)
	for _, row := range v.rows {
		if v.watch.Over() || start.Null(row) {
			return false
		}
	}
	slices.SortFunc(v.rows, func(a, b uint32) int {
		if v.watch.Over() {
			return 0
		}
		if c := start.Compare(a, b, form.ByValue); c != 0 {
			return c
		}
		switch an, bn := end.Null(a), end.Null(b); {
		case an && bn:
			return 0
		case an || bn:
			return cmp.Compare(truth(an), truth(bn))
		}
		return end.Compare(a, b, form.ByValue)
	})
	// Rows of one start and end lie side by side: if not all are equal, two neighbours differ.
	for i, b := range v.rows[1:] {
		if a := v.rows[i]; v.watch.Over() || !p.before(a, b) && !v.d.equal(a, b, differing) {
			return false
		}
	}
	return true
}

// before says whether the version of row a ends at or before the start of that of row b.
func (p rangePair) before(a, b uint32) bool {
	end, i := p.end.col.At(a)
	start, j := p.start.col.At(b)
	ends, starts := p.end.col.Chunks[end], p.start.col.Chunks[start]
	return !ends.Null(i) && !form.Exceeds(ends, i, starts, j, 0)
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}
