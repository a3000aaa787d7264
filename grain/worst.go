package grain

import (
	"context"
	"maps"
	"slices"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/frame"
	"github.com/onerow-go/onerow/internal/keyset"
)

// ranked is a key with a number of rows as its rank.
func ranked[K keyset.Words](key K, rows, row1 uint32, part int) keyset.Ranked[K] {
	return keyset.Ranked[K]{Key: key, Row1: row1, Part: part, Rank: uint64(rows)}
}

// list puts the worst keys of all workers into the report, each with its first rows.
func list[K keyset.Words](ctx context.Context, r *Report, workers []*counter[K], keys *keyset.Keys) error {
	all := workers[0].worst
	if all.Limit == 0 {
		return ctx.Err()
	}
	for _, c := range workers[1:] {
		all.Keys = append(all.Keys, c.worst.Keys...)
	}
	all.Cut()
	byPart := map[int][]int{}
	for i := range all.Keys {
		byPart[all.Keys[i].Part] = append(byPart[all.Keys[i].Part], i)
	}
	parts := slices.Sorted(maps.Keys(byPart))
	rows := make([][]uint32, len(all.Keys))
	err := keyset.Run(ctx, len(workers), len(parts), func(w, task int) error {
		workers[w].firstRows(workers, all.Keys, byPart[parts[task]], rows)
		return nil
	})
	if err != nil {
		return err
	}
	for i := range all.Keys {
		r.Worst = append(r.Worst, frame.KeyRows(keys.Columns(), int64(all.Keys[i].Rank), rows[i]))
	}
	return nil
}

// firstRows finds the first rows of some keys of one partition, in one pass over its entries, and among those that workers keep of the keys
// at hand.
func (c *counter[K]) firstRows(workers []*counter[K], worst []keyset.Ranked[K], wanted []int, rows [][]uint32) {
	table := keyset.NewTable[K, uint32](c.keys)
	for _, at := range wanted {
		k := &worst[at]
		table.At(&entry[K]{Key: k.Key, Payload: uint32(at), Row1: k.Row1}, table.Start(&k.Key))
		for _, from := range workers {
			rows[at] = append(rows[at], from.hot.FirstRows(k.Key, k.Row1)...)
		}
	}
	part := worst[wanted[0]].Part
	var found [keyset.ChunkRows]*entry[K]
	for _, from := range workers {
		from.parts.Chunks(part, func(chunk []entry[K]) {
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
	if c.bare != nil {
		key := func(i int) [1]uint64 { return [1]uint64{worst[wanted[i]].Key[0]} }
		bare, _ := c.rows.Rows(part, len(wanted), key, onerow.MaxSampleRows)
		for i, at := range wanted {
			rows[at] = append(rows[at], bare[i]...)
		}
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
