package dedupe

import (
	"context"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
)

// Take makes a record of [Plan.Rows]: the columns of the batches, with the values that carry-forward found. Rows are taken as
// [onerow.Take] does, with its cost and its errors; [onerow.ErrNoBatches] is one of them. The caller releases the record. alloc makes its
// buffers; nil is the allocator of Options.Resources.
func (p *Plan) Take(ctx context.Context, alloc memory.Allocator) (arrow.Record, error) {
	if p.job == nil {
		return nil, fmt.Errorf("%w: the plan isn't one of Latest", onerow.ErrNoBatches)
	}
	if alloc == nil {
		alloc = p.job.opts.Resources.Allocator
	}
	rec, err := onerow.Take(ctx, alloc, p.job.batches.Batches, p.Rows)
	if err != nil {
		return nil, err
	}
	fields, cols := rec.Schema().Fields(), append([]arrow.Array(nil), rec.Columns()...)
	defer rec.Release()
	for i, f := range p.job.fills {
		if len(p.filled[i]) == 0 {
			continue
		}
		filled, err := p.takeFilled(ctx, alloc, f, p.filled[i])
		if err != nil {
			return nil, err
		}
		defer filled.Release()
		cols[f.at], fields[f.at] = filled.Column(0), filled.Schema().Field(0)
	}
	meta := rec.Schema().Metadata()
	return array.NewRecord(arrow.NewSchema(fields, &meta), cols, rec.NumRows()), nil
}

// takeFilled takes one column from the rows that have its values, in the batches and, if it has the column, in the target.
func (p *Plan) takeFilled(ctx context.Context, alloc memory.Allocator, f fill, from map[uint32]uint32) (arrow.Record, error) {
	rows := slices.Clone(p.Rows)
	for i, r := range rows {
		if other, ok := from[r]; ok {
			rows[i] = other
		}
	}
	var alone []arrow.Record
	add := func(batches []arrow.Record, at int) {
		for _, b := range batches {
			schema := arrow.NewSchema([]arrow.Field{b.Schema().Field(at)}, nil)
			alone = append(alone, array.NewRecord(schema, []arrow.Array{b.Column(at)}, b.NumRows()))
		}
	}
	defer func() {
		for _, r := range alone {
			r.Release()
		}
	}()
	add(p.job.batches.Batches, f.at)
	if f.inTarget {
		add(p.job.target.Batches, p.job.target.Schema.FieldIndices(f.Name)[0])
	}
	return onerow.Take(ctx, alloc, alone, rows)
}
