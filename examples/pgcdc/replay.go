package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
)

// feed is a snapshot of a table, and what changed afterwards.
type feed struct {
	dir   string
	table *table
}

// replay applies the snapshot and then every micro-batch of the feed, in the order of delivery.
func (f feed) replay(ctx context.Context, apply func(context.Context, []row) error) error {
	rows, err := readSnapshot(filepath.Join(f.dir, "initial_"+f.table.name+".csv.gz"), f.table)
	if err != nil {
		return err
	}
	if err := apply(ctx, rows); err != nil {
		return fmt.Errorf("snapshot: %w", err)
	}
	for batch, err := range readFeed(filepath.Join(f.dir, "replayed.jsonl.gz"), f.table) {
		if err != nil {
			return err
		}
		if err := apply(ctx, batch.rows); err != nil {
			return fmt.Errorf("batch %d: %w", batch.number, err)
		}
	}
	return nil
}

// replayShuffled applies the same events as replay, snapshot rows among them and as often as they were delivered, in random order over random
// batches, about as many as there were. Large values that were left out are filled in before: once an event comes before those that it
// depends on, nothing can tell its values.
func (f feed) replayShuffled(ctx context.Context, seed uint64, c *carrier, apply func(context.Context, []row) error) error {
	var events []row
	batches := 0
	err := f.replay(ctx, func(_ context.Context, rows []row) error {
		events = append(events, rows...)
		batches++
		return nil
	})
	if err != nil {
		return err
	}
	if err := c.fill(events); err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(seed, 0))
	random.Shuffle(len(events), func(i, k int) { events[i], events[k] = events[k], events[i] })
	mean := len(events)/batches + 1
	for n := 1; len(events) > 0; n++ {
		size := min(1+random.IntN(2*mean), len(events))
		if err := apply(ctx, events[:size]); err != nil {
			return fmt.Errorf("random batch %d of seed %d: %w", n, seed, err)
		}
		events = events[size:]
	}
	return nil
}
