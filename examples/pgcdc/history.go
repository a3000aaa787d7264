package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/scd2"
)

// historian keeps a history up to date: every version that a row had, valid from the commit that made it to the commit that ended it.
type historian struct {
	table   *table
	alloc   memory.Allocator
	carrier *carrier
	// batches are the history: the table's columns, the place in the order of truth of the newest event that each version is of, and its boundaries. With the
	// place in the history, the planner needs to remember only what made no version.
	batches []arrow.Record
	// state is what else the planner remembers: a few rows, to be stored beside the history and in one transaction with it.
	state   arrow.Record
	summary historySummary
}

func newHistorian(t *table, alloc memory.Allocator) *historian {
	return &historian{table: t, alloc: alloc, carrier: newCarrier(t)}
}

// close releases the history.
func (h *historian) close() {
	release(h.batches)
	h.batches = nil
	if h.state != nil {
		h.state.Release()
		h.state = nil
	}
}

func release(batches []arrow.Record) {
	for _, b := range batches {
		b.Release()
	}
}

// apply brings the history up to date with one micro-batch, and checks it.
func (h *historian) apply(ctx context.Context, rows []row) error {
	if err := h.carrier.fill(rows); err != nil {
		return err
	}
	if h.batches == nil {
		h.batches = []arrow.Record{h.empty()}
	}
	if err := h.merge(ctx, rows); err != nil {
		return err
	}
	return h.check(ctx)
}

// merge plans what the rows make of the history, and applies it.
func (h *historian) merge(ctx context.Context, rows []row) error {
	start := time.Now()
	batch := h.table.record(rows, h.alloc)
	defer batch.Release()
	plan, err := scd2.Plan(ctx, h.history(), []arrow.Record{batch}, h.options())
	if err != nil {
		return err
	}
	next, err := plan.Apply(ctx, h.alloc, h.batches)
	if err != nil {
		return err
	}
	state, err := plan.State(ctx, h.alloc)
	if err != nil {
		release(next)
		return err
	}
	h.close()
	h.batches, h.state = next, state
	h.summary.add(rows, &plan.Report)
	h.summary.planned += time.Since(start)
	return nil
}

// check finds what is wrong with the history: nothing.
func (h *historian) check(ctx context.Context) error {
	start := time.Now()
	report, err := scd2.Check(ctx, h.history(), scd2.CheckOptions{Resources: onerow.Resources{Allocator: h.alloc}})
	if err != nil {
		return err
	}
	h.summary.checks++
	h.summary.checked += time.Since(start)
	return report.Err()
}

func (h *historian) history() scd2.Table { return scd2.Table{Batches: h.batches, Key: h.table.key} }

// options say what the rows mean. Snapshot rows have the position of the snapshot, which is before that of every commit that the feed has. A column that
// turns up in the feed is added to the history.
func (h *historian) options() scd2.Options {
	opts := scd2.Options{
		Mode: scd2.Changes,
		At:   []onerow.Order{onerow.Desc(columnCommitLSN), onerow.Desc(columnSeqInTx)},
		Op: scd2.Op{
			Column:      columnOp,
			Delete:      []onerow.Value{opDelete},
			Truncate:    []onerow.Value{opTruncate},
			PreviousKey: h.table.previousKey(),
		},
		Columns:   scd2.Columns{New: scd2.AddNew},
		Resources: onerow.Resources{Allocator: h.alloc},
	}
	if h.state != nil {
		opts.State = []arrow.Record{h.state}
	}
	return opts
}

// empty is a history without rows: it says what the columns are.
func (h *historian) empty() arrow.Record {
	var fields []arrow.Field
	for _, name := range h.table.columns {
		fields = append(fields, arrow.Field{Name: name, Type: h.table.columnType(name), Nullable: !slices.Contains(h.table.key, name)})
	}
	fields = append(fields,
		arrow.Field{Name: columnCommitLSN, Type: arrow.PrimitiveTypes.Uint64},
		arrow.Field{Name: columnSeqInTx, Type: arrow.PrimitiveTypes.Int64},
		arrow.Field{Name: scd2.DefaultValidFrom, Type: arrow.PrimitiveTypes.Uint64},
		arrow.Field{Name: scd2.DefaultValidTo, Type: arrow.PrimitiveTypes.Uint64, Nullable: true})
	b := array.NewRecordBuilder(h.alloc, arrow.NewSchema(fields, nil))
	defer b.Release()
	return b.NewRecord()
}

// versions returns the rows of the history, sorted by key and start: the table's columns, then the boundaries.
func (h *historian) versions() (header []string, versions [][]cell, err error) {
	header = slices.Concat(h.table.columns, []string{scd2.DefaultValidFrom, scd2.DefaultValidTo})
	for _, b := range h.batches {
		columns := make([]arrow.Array, len(header))
		for i, name := range header {
			at := b.Schema().FieldIndices(name)
			if len(at) != 1 {
				return nil, nil, fmt.Errorf("the history has %d columns %q", len(at), name)
			}
			columns[i] = b.Column(at[0])
		}
		for i := range int(b.NumRows()) {
			cells := make([]cell, len(columns))
			for c, column := range columns {
				cells[c] = cellOf(column, i)
			}
			versions = append(versions, cells)
		}
	}
	slices.SortFunc(versions, h.table.compareVersions)
	return header, versions, nil
}
