package main

import (
	"context"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/dedupe"
)

// replica applies micro-batches to a target.
type replica struct {
	table   *table
	target  *target
	alloc   memory.Allocator
	summary summary
}

// unavailable stands for a large value that the feed left out. PostgreSQL's text can't hold NUL: no value is equal to it.
const unavailable = "\x00unavailable"

// apply brings the target up to date with one micro-batch. A truncate has no key, so it can't be one of the rows that
// dedupe judges: the batch is cut there.
func (r *replica) apply(ctx context.Context, rows []row) error {
	r.summary.batches++
	for {
		cut := slices.IndexFunc(rows, func(r row) bool { return r.op == opTruncate })
		if cut < 0 {
			return r.merge(ctx, rows)
		}
		if err := r.merge(ctx, rows[:cut]); err != nil {
			return err
		}
		r.summary.truncates++
		r.summary.truncated += r.target.truncate(r.table, rows[cut].at)
		rows = rows[cut+1:]
	}
}

// merge finds the newest row of each key among the rows and in the target, and puts it into the target.
func (r *replica) merge(ctx context.Context, rows []row) error {
	if len(rows) == 0 {
		return nil
	}
	batch := r.table.record(rows, r.alloc)
	defer batch.Release()
	held := r.table.record(r.target.touched(r.table, rows), r.alloc)
	defer held.Release()

	plan, err := dedupe.Latest(ctx, []arrow.Record{batch}, r.table.key,
		[]onerow.Order{onerow.Desc(columnCommitLSN), onerow.Desc(columnSeqInTx)},
		r.table.options(held, r.alloc))
	if err != nil {
		return err
	}
	winners, err := plan.Take(ctx, r.alloc)
	if err != nil {
		return err
	}
	defer winners.Release()

	for _, winner := range r.table.rowsOf(winners) {
		r.target.put(r.table, winner)
	}
	for _, n := range plan.Ended {
		changed := rows[n]
		r.target.put(r.table, r.table.tombstone(changed.previous, changed.at))
	}
	r.summary.add(rows, plan.Report)
	return nil
}

// options says what the rows mean, and what they are judged against.
func (t *table) options(held arrow.Record, alloc memory.Allocator) dedupe.Options {
	opts := dedupe.Options{
		Op: dedupe.Op{
			Column:      columnOp,
			Delete:      []onerow.Value{opDelete},
			Snapshot:    []onerow.Value{opSnapshot},
			PreviousKey: t.previousKey(),
		},
		Against:   []arrow.Record{held},
		Resources: onerow.Resources{Allocator: alloc},
	}
	for _, column := range t.large {
		opts.Fill = append(opts.Fill, dedupe.Fill{Column: column, Unavailable: unavailable})
	}
	return opts
}
