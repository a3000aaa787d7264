package join

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/keyset"
)

// keyOf is a key with its rank.
func keyOf[K keyset.Words](key K, rank uint64, row1 uint32, part int) keyset.Ranked[K] {
	return keyset.Ranked[K]{Key: key, Row1: row1, Part: part, Rank: rank}
}

// lists are a worker's lists, in the order of findings.lists.
func (w *sizer[K]) lists() [5]*keyset.Top[K] {
	return [...]*keyset.Top[K]{&w.worst, &w.repeats[leftSide], &w.repeats[rightSide], &w.oftenest[leftSide], &w.oftenest[rightSide]}
}

// minWorst is how many pairs of rows one of the worst keys has at least.
const minWorst = 2

// sidesOfLists are the sides on which the keys of each list first appear.
var sidesOfLists = [5]int{leftSide, leftSide, leftSide, leftSide, rightSide}

// merge returns the first keys of all workers, a list each. First rows that aren't known are found by all workers, a partition at a time.
func merge[K keyset.Words](ctx context.Context, workers []*sizer[K]) (all [5][]keyset.Ranked[K], err error) {
	var tops [len(all)]keyset.Top[K]
	type place struct{ side, part int }
	unknown := map[place][]*keyset.Ranked[K]{}
	for i := range tops {
		top := &tops[i]
		top.Limit = workers[0].lists()[i].Limit
		for _, w := range workers {
			top.Keys = append(top.Keys, w.lists()[i].Keys...)
		}
		top.CutRanks()
		for j := range top.Keys {
			if k := &top.Keys[j]; k.Row1 == 0 {
				at := place{sidesOfLists[i], k.Part}
				unknown[at] = append(unknown[at], k)
			}
		}
	}
	places := slices.SortedFunc(maps.Keys(unknown), func(a, b place) int { return cmp.Or(cmp.Compare(a.part, b.part), cmp.Compare(a.side, b.side)) })
	err = keyset.Run(ctx, len(workers), len(places), func(worker, task int) error {
		at := places[task]
		row1 := map[K]uint32{}
		var keys []keyset.Ranked[K]
		for _, k := range unknown[at] {
			if _, ok := row1[k.Key]; !ok { // it may be in several lists
				row1[k.Key] = 0
				keys = append(keys, *k)
			}
		}
		for _, k := range workers[worker].firstRows(at.side).First(keys, len(keys)) {
			row1[k.Key] = k.Row1
		}
		for _, k := range unknown[at] {
			k.Row1 = row1[k.Key]
		}
		return nil
	})
	for i := range tops {
		tops[i].Cut()
		all[i] = tops[i].Keys
	}
	return all, err
}

// findKeys makes the lists of findings.
func findKeys[K keyset.Words](ctx context.Context, e *estimate, workers []*sizer[K], f *findings) error {
	lists, err := merge(ctx, workers)
	if err != nil {
		return err
	}
	var keys []keyset.Ranked[K] // those whose rows are looked for, in the order of the lists
	list := func(i int, wanted func(row uint32) bool) (out []ranked) {
		for _, k := range lists[i] {
			r := ranked{rank: CountOf(k.Rank), first: e.rowOf(k.Row()), listed: wanted(k.Row())}
			if out = append(out, r); r.listed {
				keys = append(keys, k)
			}
		}
		return out
	}
	all := func(uint32) bool { return true }
	f.worst = list(0, all)
	f.repeats = [2][]ranked{list(1, all), list(2, all)}
	f.oftenest = [2][]ranked{list(3, e.maybePlaceholder), list(4, e.maybePlaceholder)}
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
func findRows[K keyset.Words](ctx context.Context, workers []*sizer[K], keys []keyset.Ranked[K]) ([]KeySize, error) {
	byPart := map[int][]int{}
	for i := range keys {
		byPart[keys[i].Part] = append(byPart[keys[i].Part], i)
	}
	parts := slices.Sorted(maps.Keys(byPart))
	out := make([]KeySize, len(keys))
	err := keyset.Run(ctx, len(workers), len(parts), func(worker, task int) error {
		w := workers[worker]
		wanted := byPart[parts[task]]
		table := keyset.NewTable[K, uint32](w.e.keys)
		var finds []*found
		var distinct []K
		at := map[int]*found{} // by key
		for _, i := range wanted {
			s, fresh := table.At(&sizeEntry[K]{Key: keys[i].Key, Payload: uint32(len(finds)), Row1: keys[i].Row1}, table.Start(&keys[i].Key))
			if fresh {
				finds = append(finds, w.firstAtHand(workers, keys[i]))
				distinct = append(distinct, keys[i].Key)
			}
			at[i] = finds[s.Payload]
		}
		for side := range sideNames {
			w.pass(workers, side, parts[task], table, finds)
			w.passBare(side, parts[task], distinct, finds)
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
func (w *sizer[K]) firstAtHand(workers []*sizer[K], k keyset.Ranked[K]) *found {
	f := &found{}
	for _, from := range workers {
		for side := range sideNames {
			f.rows[side] = append(f.rows[side], from.by[side].hot.FirstRows(k.Key, k.Row1)...)
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
