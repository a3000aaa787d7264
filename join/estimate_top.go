package join

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/keyset"
)

// topKeys keeps the keys of greatest rank, equal ones by first appearance, at most limit of them.
type topKeys[K keyset.Words] struct {
	limit int
	keys  []topKey[K] // up to 2*limit, then cut back
	last  topKey[K]   // once cut back: keys that come after this one need not be added
	full  bool
	floor uint64 // keys of a lower rank need not be added
}

type topKey[K keyset.Words] struct {
	key  K
	row1 uint32 // as in a table's entry
	part int
	rank Count
}

func compareTop[K keyset.Words](a, b topKey[K]) int {
	if c := b.rank.Cmp(a.rank); c != 0 {
		return c
	}
	return cmp.Compare(a.row1, b.row1)
}

func (t *topKeys[K]) add(e *sizeEntry[K], part int, rank Count) {
	if t.full && (rank.less(t.last.rank) || rank == t.last.rank && e.Row1 >= t.last.row1) || t.limit == 0 {
		return
	}
	t.keys = append(t.keys, topKey[K]{e.Key, e.Row1, part, rank})
	if len(t.keys) >= 2*t.limit {
		t.cut()
	}
}

// cut puts them in order and drops those beyond the limit.
func (t *topKeys[K]) cut() {
	slices.SortFunc(t.keys, compareTop)
	if len(t.keys) >= t.limit && t.limit > 0 {
		t.keys = t.keys[:t.limit]
		t.last, t.full = t.keys[t.limit-1], true
		t.floor = t.last.rank.lo
		if t.last.rank.hi > 0 {
			t.floor = math.MaxUint64
		}
	}
}

// merged are the first keys of all workers.
func merged[K keyset.Words](workers []*sizer[K], of func(*sizer[K]) *topKeys[K]) []topKey[K] {
	all := topKeys[K]{limit: of(workers[0]).limit}
	for _, w := range workers {
		all.keys = append(all.keys, of(w).keys...)
	}
	all.cut()
	return all.keys
}

// findKeys makes the lists of findings.
func findKeys[K keyset.Words](ctx context.Context, e *estimate, workers []*sizer[K], f *findings) error {
	var keys []topKey[K] // those whose rows are looked for, in the order of the lists
	list := func(of func(*sizer[K]) *topKeys[K], wanted func(row uint32) bool) (out []ranked) {
		for _, k := range merged(workers, of) {
			r := ranked{rank: k.rank, first: e.rowOf(k.row1 - 1), listed: wanted(k.row1 - 1)}
			if out = append(out, r); r.listed {
				keys = append(keys, k)
			}
		}
		return out
	}
	all := func(uint32) bool { return true }
	f.worst = list(func(w *sizer[K]) *topKeys[K] { return &w.worst }, all)
	for side := range sideNames {
		f.repeats[side] = list(func(w *sizer[K]) *topKeys[K] { return &w.repeats[side] }, all)
	}
	for side := range sideNames {
		f.oftenest[side] = list(func(w *sizer[K]) *topKeys[K] { return &w.oftenest[side] }, e.maybePlaceholder)
	}
	matches, err := findRows(ctx, workers, keys)
	if err != nil {
		return err
	}
	for _, list := range f.lists() {
		for i := range list {
			if list[i].listed {
				list[i].KeySize, matches = matches[0], matches[1:]
			}
		}
	}
	return nil
}

// found is what a pass over the entries of a key's partition found, by side.
type found struct {
	count [2]uint64
	rows  [2][]uint32
}

// findRows counts the rows of some keys on both sides, and finds the first of them: one pass over the entries of each of their partitions.
func findRows[K keyset.Words](ctx context.Context, workers []*sizer[K], keys []topKey[K]) ([]KeySize, error) {
	byPart := map[int][]int{}
	for i := range keys {
		byPart[keys[i].part] = append(byPart[keys[i].part], i)
	}
	parts := slices.Sorted(maps.Keys(byPart))
	out := make([]KeySize, len(keys))
	err := keyset.Run(ctx, len(workers), len(parts), func(worker, task int) error {
		w := workers[worker]
		wanted := byPart[parts[task]]
		table := keyset.NewTable[K, uint32](w.e.keys)
		var finds []*found
		at := map[int]*found{} // by key
		for _, i := range wanted {
			s, fresh := table.At(&sizeEntry[K]{Key: keys[i].key, Payload: uint32(len(finds)), Row1: keys[i].row1}, table.Start(&keys[i].key))
			if fresh {
				finds = append(finds, w.firstAtHand(workers, keys[i]))
			}
			at[i] = finds[s.Payload]
		}
		for side := range sideNames {
			w.pass(workers, side, parts[task], table, finds)
		}
		for _, f := range finds {
			f.rows = [2][]uint32{smallest(f.rows[leftSide]), smallest(f.rows[rightSide])}
		}
		for _, i := range wanted {
			out[i] = w.e.sizeOf(at[i])
		}
		return w.watch.Err()
	})
	return out, err
}

// firstAtHand starts with the rows that workers keep of a key that they counted at hand.
func (w *sizer[K]) firstAtHand(workers []*sizer[K], k topKey[K]) *found {
	f := &found{}
	for _, from := range workers {
		for side := range sideNames {
			f.rows[side] = append(f.rows[side], from.by[side].hot.FirstRows(k.key, k.row1)...)
		}
	}
	return f
}

func (w *sizer[K]) pass(workers []*sizer[K], side, part int, table *keyset.Table[K, uint32], finds []*found) {
	for _, from := range workers {
		from.by[side].parts.Chunks(part, func(chunk []sizeEntry[K]) {
			if w.watch.OverAfter(len(chunk)) {
				return
			}
			for i := range chunk {
				s := table.Find(&chunk[i])
				if s == nil {
					continue
				}
				f := finds[s.Payload]
				f.count[side] += uint64(chunk[i].Payload)
				if f.rows[side] = append(f.rows[side], chunk[i].Row()); len(f.rows[side]) > 1<<12 {
					f.rows[side] = smallest(f.rows[side])
				}
			}
		})
	}
}

// smallest are the first rows, in order. It makes the list its own.
func smallest(rows []uint32) []uint32 {
	slices.Sort(rows)
	rows = slices.Compact(rows)
	return rows[:min(len(rows), onerow.MaxSampleRows)]
}

// sizeOf shows a key as the first row that has it does, the left side's first. Its share is not yet known.
func (e *estimate) sizeOf(f *found) KeySize {
	m := KeySize{Left: int64(f.count[leftSide]), Right: int64(f.count[rightSide]), Inner: product(f.count[leftSide], f.count[rightSide])}
	var lists [2]onerow.Rows
	shown := false
	for side := range sideNames {
		for i, row := range f.rows[side] {
			if i == 0 && !shown {
				m.Values, shown = e.values(row), true
			}
			lists[side] = append(lists[side], e.rowOf(row))
		}
	}
	m.LeftRows, m.RightRows = lists[leftSide], lists[rightSide]
	return m
}

// rowOf is the number of a row on its side; of a key of a stream, that of its first row.
func (e *estimate) rowOf(row uint32) uint32 {
	own := e.own(row)
	if e.stream != nil {
		return e.stream[e.of(row)].held.firsts[own]
	}
	return own
}

func (e *estimate) values(row uint32) (out []string) {
	for _, c := range e.cols {
		out = append(out, c.Format(row))
	}
	return out
}
