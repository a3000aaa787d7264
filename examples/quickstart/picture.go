package main

import (
	"cmp"
	"context"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/scd2"
)

// picture is what there is to show of one key in a history: its versions by start, and what scd2.Check says of them. The rows that
// it names are rows of versions.
type picture struct {
	versions arrow.Record
	spans    []span
	proof    *scd2.CheckReport
}

// takePicture takes the versions of a key out of a history. The caller releases the record.
func takePicture(ctx context.Context, history []arrow.Record, k customerKey, alloc memory.Allocator) (*picture, error) {
	var rows onerow.Rows
	var spans []span
	first := 0
	for _, rec := range history {
		for i := range int(rec.NumRows()) {
			if keyAt(rec, i) == k {
				rows, spans = append(rows, uint32(first+i)), append(spans, spanAt(rec, i))
			}
		}
		first += int(rec.NumRows())
	}
	byStart := make([]int, len(rows))
	for i := range byStart {
		byStart[i] = i
	}
	slices.SortStableFunc(byStart, func(a, b int) int { return cmp.Compare(spans[a].from, spans[b].from) })
	p := &picture{}
	var ordered onerow.Rows
	for _, i := range byStart {
		ordered, p.spans = append(ordered, rows[i]), append(p.spans, spans[i])
	}
	var err error
	if p.versions, err = onerow.Take(ctx, history, ordered, onerow.Resources{Allocator: alloc}); err != nil {
		return nil, err
	}
	p.proof, err = scd2.Check(ctx, scd2.Table{Key: key, Batches: []arrow.Record{p.versions}}, scd2.CheckOptions{})
	if err != nil {
		p.versions.Release()
		return nil, err
	}
	return p, nil
}

// spanAt returns the time in which a version is valid.
func spanAt(rec arrow.Record, i int) span {
	from, to := column(rec, "valid_from").(*array.Int64), column(rec, "valid_to").(*array.Int64)
	if to.IsNull(i) {
		return span{from: from.Value(i), open: true}
	}
	return span{from: from.Value(i), to: to.Value(i)}
}

// choosePictured picks the first key that shows most with a handful of versions: it was gone for a while, and the naive history has
// open versions of it from several times, and one of them twice.
func choosePictured(history []arrow.Record, naive []naiveVersion) customerKey {
	open := map[customerKey]map[int64]int{}
	twice := map[customerKey]bool{}
	for _, v := range naive {
		k := v.row.customerKey
		if !v.open {
			continue
		}
		if open[k] == nil {
			open[k] = map[int64]int{}
		}
		open[k][v.from]++
		twice[k] = twice[k] || open[k][v.from] > 1
	}
	versions := map[customerKey][]span{}
	for _, rec := range history {
		for i := range int(rec.NumRows()) {
			versions[keyAt(rec, i)] = append(versions[keyAt(rec, i)], spanAt(rec, i))
		}
	}
	for _, v := range naive {
		k := v.row.customerKey
		if n := len(versions[k]); n >= 4 && n <= 7 && hasGap(versions[k]) && len(open[k]) > 1 && twice[k] {
			return k
		}
	}
	return naive[0].row.customerKey
}

// hasGap says whether there is time between two versions of a sound history in which none is valid.
func hasGap(spans []span) bool {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	for i, s := range spans[1:] {
		if spans[i].to < s.from {
			return true
		}
	}
	return false
}
