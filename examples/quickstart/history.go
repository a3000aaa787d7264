package main

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/scd2"
)

// deliveries are the polls, from 0, in the order in which they reach the history: the fourth waits in a queue for retries until
// two newer ones are through, and the last comes twice.
var deliveries = []int{0, 1, 2, 4, 5, 3, 6, 7, 7}

// historySchema has the columns of the table, the positions in the log between which a version is valid, and both order columns of
// the last event in it, which the state would have to remember for each version if the history did not have them.
var historySchema = arrow.NewSchema(append(slices.Clone(schema.Fields()[:tableColumns]),
	arrow.Field{Name: "after_commit", Type: arrow.PrimitiveTypes.Int64},
	arrow.Field{Name: "total_order", Type: arrow.PrimitiveTypes.Int64},
	arrow.Field{Name: "valid_from", Type: arrow.PrimitiveTypes.Int64},
	arrow.Field{Name: "valid_to", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
), nil)

// planOptions say what the columns mean. The first order column gives valid_from. The states that a row has inside a transaction
// share it and are one version, the last.
var planOptions = scd2.Options{
	Mode: scd2.Changes,
	At:   order,
	Op: scd2.Op{
		Column:      options.Op.Column,
		Delete:      options.Op.Delete,
		PreviousKey: options.Op.PreviousKey,
	},
}

// step is what became of a delivery.
type step struct {
	poll     int
	plan     scd2.Report
	versions int64
	broken   int64
}

// keeper keeps a history, and what the history doesn't show.
type keeper struct {
	table scd2.Table
	state []arrow.Record
	alloc memory.Allocator
	steps []step
}

func newKeeper(alloc memory.Allocator) *keeper {
	b := array.NewRecordBuilder(alloc, historySchema)
	defer b.Release()
	return &keeper{table: scd2.Table{Key: key, Batches: []arrow.Record{b.NewRecord()}}, alloc: alloc}
}

func (k *keeper) release() {
	release(k.table.Batches)
	release(k.state)
}

// merge brings a delivery into the history. In a service, the history and the state are read from tables, and written to them
// in one transaction.
func (k *keeper) merge(ctx context.Context, n int, changes arrow.Record) error {
	opts := planOptions
	opts.State, opts.Resources.Allocator = k.state, k.alloc
	plan, err := scd2.Plan(ctx, k.table, []arrow.Record{changes}, opts)
	if err != nil {
		return err
	}
	batches, err := plan.Apply(ctx, k.alloc, k.table.Batches)
	if err != nil {
		return err
	}
	state, err := plan.State(ctx, k.alloc)
	if err != nil {
		release(batches)
		return err
	}
	k.release()
	k.table.Batches, k.state = batches, []arrow.Record{state}

	// The proof: no two versions of a key share time, and none is broken otherwise.
	proof, err := scd2.Check(ctx, k.table, scd2.CheckOptions{})
	if err != nil {
		return err
	}
	if err := proof.Err(); err != nil {
		return err
	}
	k.steps = append(k.steps, step{n, plan.Report, proof.Rows, proof.BrokenKeys})
	return nil
}

// keepHistory makes the history of the feed, delivery by delivery. The caller releases it.
func keepHistory(ctx context.Context, messages []*message, deliveries []int, alloc memory.Allocator) (*keeper, error) {
	polls := slices.Collect(slices.Chunk(carryNotes(messages), poll))
	k := newKeeper(alloc)
	for _, n := range deliveries {
		changes, err := makeRecord(polls[n], alloc)
		if err == nil {
			err = k.merge(ctx, n+1, changes)
			changes.Release()
		}
		if err != nil {
			k.release()
			return nil, err
		}
	}
	return k, nil
}

// current returns what each key looks like now. The caller releases the record.
func (k *keeper) current(ctx context.Context) (arrow.Record, error) {
	rows, err := scd2.Current(ctx, k.table, onerow.Resources{})
	if err != nil {
		return nil, err
	}
	return onerow.Take(ctx, k.table.Batches, rows, onerow.Resources{Allocator: k.alloc})
}

// agree compares the open versions with the rows that dedupe.Latest kept.
func (k *keeper) agree(ctx context.Context, latest map[customerKey]outcome) error {
	current, err := k.current(ctx)
	if err != nil {
		return err
	}
	defer current.Release()
	if !maps.Equal(outcomes(current), latest) {
		return errors.New("the open versions of the history aren't the latest rows")
	}
	return nil
}

// carryNotes returns the messages with the notes that a placeholder stands for: those of the nearest older message of the row,
// across key changes too. A consumer does it with the last notes of each key at hand.
func carryNotes(messages []*message) []*message {
	inOrder := make([]int, len(messages))
	for n := range inOrder {
		inOrder[n] = n
	}
	slices.SortStableFunc(inOrder, func(a, b int) int { return messages[a].compare(messages[b]) })

	carried := slices.Clone(messages)
	held := map[customerKey]*string{}
	for _, n := range inOrder {
		m := *messages[n]
		if m.After == nil {
			continue
		}
		row := *m.After
		if value(row.Notes) == unavailable {
			before := row.customerKey
			if old := m.Headers.OldKey; old != nil {
				before = *old
			}
			row.Notes = held[before]
		}
		held[row.customerKey] = row.Notes
		m.After = &row
		carried[n] = &m
	}
	return carried
}
