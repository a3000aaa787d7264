package grain

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/frame"
	"github.com/onerow-go/onerow/internal/keyset"
)

// worst keeps the keys with the most rows, at most limit of them.
type worst[K keyset.Words] struct {
	limit int
	keys  []worstKey[K] // up to 2*limit, then cut back
	floor uint32        // keys with fewer rows than this need not be added
}

type worstKey[K keyset.Words] struct {
	entry[K]
	part int
}

func byRows[K keyset.Words](a, b worstKey[K]) int {
	return cmp.Or(cmp.Compare(b.Payload, a.Payload), cmp.Compare(a.Row1, b.Row1))
}

func (w *worst[K]) add(e *entry[K], part int) {
	if e.Payload < w.floor || w.limit == 0 {
		return
	}
	w.keys = append(w.keys, worstKey[K]{*e, part})
	if len(w.keys) >= 2*w.limit {
		w.cut()
	}
}

func (w *worst[K]) cut() {
	slices.SortFunc(w.keys, byRows)
	if len(w.keys) >= w.limit {
		w.keys = w.keys[:w.limit]
		w.floor = w.keys[w.limit-1].Payload
	}
}

// list puts the worst keys of all workers into the report, each with its first rows.
func list[K keyset.Words](ctx context.Context, r *Report, workers []*counter[K], keys *keyset.Keys) error {
	all := worst[K]{limit: workers[0].worst.limit}
	if all.limit == 0 {
		return ctx.Err()
	}
	for _, c := range workers {
		all.keys = append(all.keys, c.worst.keys...)
	}
	slices.SortFunc(all.keys, byRows)
	all.keys = all.keys[:min(len(all.keys), all.limit)]
	byPart := map[int][]int{}
	for i := range all.keys {
		byPart[all.keys[i].part] = append(byPart[all.keys[i].part], i)
	}
	parts := slices.Sorted(maps.Keys(byPart))
	rows := make([][]uint32, len(all.keys))
	err := keyset.Run(ctx, len(workers), len(parts), func(_, task int) error {
		firstRows(workers, keys, all.keys, byPart[parts[task]], rows)
		return nil
	})
	if err != nil {
		return err
	}
	for i := range all.keys {
		r.Worst = append(r.Worst, frame.KeyRows(keys.Columns(), int64(all.keys[i].Payload), rows[i]))
	}
	return nil
}

// firstRows finds the first rows of some keys of one partition, in one pass over its entries, and among those that workers keep of the keys
// at hand.
func firstRows[K keyset.Words](workers []*counter[K], keys *keyset.Keys, worst []worstKey[K], wanted []int, rows [][]uint32) {
	table := keyset.NewTable[K, uint32](keys)
	for _, at := range wanted {
		k := &worst[at]
		table.At(&entry[K]{Key: k.Key, Payload: uint32(at), Row1: k.Row1}, table.Start(&k.Key))
		for _, c := range workers {
			rows[at] = append(rows[at], c.hot.FirstRows(k.Key, k.Row1)...)
		}
	}
	var found [keyset.ChunkRows]*entry[K]
	for _, c := range workers {
		c.parts.Chunks(worst[wanted[0]].part, func(chunk []entry[K]) {
			table.FindAll(chunk, found[:len(chunk)])
			for i, s := range found[:len(chunk)] {
				if s == nil {
					continue
				}
				at := s.Payload
				if rows[at] = append(rows[at], chunk[i].Row()); len(rows[at]) > 1<<12 {
					rows[at] = smallest(rows[at])
				}
			}
		})
	}
	for _, at := range wanted {
		rows[at] = smallest(rows[at])
	}
}

func smallest(rows []uint32) []uint32 {
	slices.Sort(rows)
	rows = slices.Compact(rows)
	return rows[:min(len(rows), onerow.MaxSampleRows)]
}
