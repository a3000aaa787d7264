package grain

import (
	"cmp"
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
func list[K keyset.Words](r *Report, workers []*counter[K], keys *keyset.Keys) {
	all := worst[K]{limit: workers[0].worst.limit}
	if all.limit == 0 {
		return
	}
	for _, c := range workers {
		all.keys = append(all.keys, c.worst.keys...)
	}
	slices.SortFunc(all.keys, byRows)
	for _, k := range all.keys[:min(len(all.keys), all.limit)] {
		r.Worst = append(r.Worst, frame.KeyRows(keys.Columns(), int64(k.Payload), firstRows(workers, keys, &k)))
	}
}

// firstRows finds the first rows of a key: in the entries of its partition, and among those that workers keep of the keys
// at hand.
func firstRows[K keyset.Words](workers []*counter[K], keys *keyset.Keys, k *worstKey[K]) []uint32 {
	var rows []uint32
	for _, c := range workers {
		rows = append(rows, c.rowsAtHand(k)...)
		c.parts.Chunks(k.part, func(chunk []entry[K]) {
			for i := range chunk {
				e := &chunk[i]
				if e.Key == k.Key && (keys.Exact() || keys.Same(e.Row(), k.Row())) {
					rows = append(rows, e.Row())
				}
			}
			if len(rows) > 1<<12 {
				rows = smallest(rows)
			}
		})
	}
	return smallest(rows)
}

func smallest(rows []uint32) []uint32 {
	slices.Sort(rows)
	rows = slices.Compact(rows)
	return rows[:min(len(rows), onerow.MaxSampleRows)]
}
