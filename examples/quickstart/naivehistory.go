package main

import (
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// naiveVersion is a row of the history that the naive merge makes.
type naiveVersion struct {
	span
	place int64
	row   customer
}

// naiveHistory merges the deliveries as hand-written jobs do, with two statements for each: the first closes, the second appends.
//
//	UPDATE history h SET valid_to = c.after_commit FROM changes c
//	WHERE (same key) AND h.valid_to IS NULL AND h.valid_from < c.after_commit
//
//	INSERT INTO history SELECT (columns), after_commit, total_order, after_commit, NULL FROM changes WHERE op <> 'd'
//
// Where several changes match, the UPDATE takes one of them, here the first.
func naiveHistory(messages []*message, deliveries []int) []naiveVersion {
	polls := slices.Collect(slices.Chunk(messages, poll))
	var history []naiveVersion
	for _, n := range deliveries {
		changes := map[customerKey][]*message{}
		for _, m := range polls[n] {
			changes[m.key()] = append(changes[m.key()], m)
		}
		for i := range history {
			v := &history[i]
			for _, m := range changes[v.row.customerKey] {
				if v.open && v.from < m.afterCommit {
					v.to, v.open = m.afterCommit, false
				}
			}
		}
		for _, m := range polls[n] {
			if m.After != nil {
				history = append(history, naiveVersion{span{from: m.afterCommit, open: true}, m.Transaction.TotalOrder, *m.After})
			}
		}
	}
	return history
}

// historyRecord makes a record of the history's schema. The caller releases it.
func historyRecord(history []naiveVersion, alloc memory.Allocator) (arrow.Record, error) {
	b := array.NewRecordBuilder(alloc, historySchema)
	defer b.Release()
	for _, v := range history {
		if err := appendRow(b, v.row.customerKey, v.row); err != nil {
			return nil, err
		}
		b.Field(tableColumns).(*array.Int64Builder).Append(v.from)
		b.Field(tableColumns + 1).(*array.Int64Builder).Append(v.place)
		b.Field(tableColumns + 2).(*array.Int64Builder).Append(v.from)
		to := b.Field(tableColumns + 3).(*array.Int64Builder)
		if v.open {
			to.AppendNull()
		} else {
			to.Append(v.to)
		}
	}
	return b.NewRecord(), nil
}
