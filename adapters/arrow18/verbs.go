package arrow18

import (
	"context"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/dedupe"
	"github.com/onerow-go/onerow/grain"
	"github.com/onerow-go/onerow/join"
	"github.com/onerow-go/onerow/scd2"
)

// Latest is dedupe.Latest and Plan.Take: the latest row of each key, and the report. The record's buffers are of
// opts.Resources.Allocator, for which an allocator of v18 will do. The caller releases it.
//
// Errors are those of the two and of [FromBatches].
func Latest(ctx context.Context, batches []arrow.RecordBatch, key []string, order []onerow.Order, opts dedupe.Options) (arrow.RecordBatch, dedupe.Report, error) {
	records, err := FromBatches(batches)
	if err != nil {
		return nil, dedupe.Report{}, fmt.Errorf("batches: %w", err)
	}
	defer records.Release()
	plan, err := dedupe.Latest(ctx, records, key, order, opts)
	if err != nil {
		return nil, dedupe.Report{}, err
	}
	latest, err := Move(plan.Take(ctx, nil))
	return latest, plan.Report, err
}

// Apply is scd2.Plan and Merge.Apply: the history with the changes in it, and the report. table says what the columns of the
// history mean; its Batches are left nil. Columns of the history in which nothing changes are shared, not copied; the others' buffers
// are of opts.Resources.Allocator, for which an allocator of v18 will do. The caller releases the batches.
//
// What asks for more than that, such as opts.State, which Merge.State goes on with, or Merge.Staged, takes the steps one by one: see
// [FromBatches] and [Move].
//
// Errors are those of the two and of [FromBatches]; table.Batches that aren't nil are an error that wraps onerow.ErrOption.
func Apply(ctx context.Context, history []arrow.RecordBatch, table scd2.Table, changes []arrow.RecordBatch, opts scd2.Options) ([]arrow.RecordBatch, scd2.Report, error) {
	if table.Batches != nil {
		return nil, scd2.Report{}, fmt.Errorf("%w Table.Batches: the history is given beside it", onerow.ErrOption)
	}
	before, err := FromBatches(history)
	if err != nil {
		return nil, scd2.Report{}, fmt.Errorf("history: %w", err)
	}
	defer before.Release()
	events, err := FromBatches(changes)
	if err != nil {
		return nil, scd2.Report{}, fmt.Errorf("changes: %w", err)
	}
	defer events.Release()
	table.Batches = before
	merge, err := scd2.Plan(ctx, table, events, opts)
	if err != nil {
		return nil, scd2.Report{}, err
	}
	after, err := MoveAll(merge.Apply(ctx, nil, before))
	return after, merge.Report, err
}

// Check is grain.Check: whether the key is unique. Errors are those of it and of [FromBatches]; what the report finds is in its Err.
func Check(ctx context.Context, batches []arrow.RecordBatch, key []string, opts grain.Options) (*grain.Report, error) {
	records, err := FromBatches(batches)
	if err != nil {
		return nil, fmt.Errorf("batches: %w", err)
	}
	defer records.Release()
	return grain.Check(ctx, records, key, opts)
}

// Estimate is join.Estimate: how many rows a join makes. Errors are those of it and of [FromBatches]. For streams see [FromReader].
func Estimate(ctx context.Context, left, right []arrow.RecordBatch, on join.Key, opts join.Options) (*join.Size, error) {
	lefts, err := FromBatches(left)
	if err != nil {
		return nil, fmt.Errorf("left: %w", err)
	}
	defer lefts.Release()
	rights, err := FromBatches(right)
	if err != nil {
		return nil, fmt.Errorf("right: %w", err)
	}
	defer rights.Release()
	return join.Estimate(ctx, lefts, rights, on, opts)
}
