package dedupe

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
)

// Take makes a record of the winners: the columns of the batches, a row for each of [Plan.Rows], in their order, with the values
// that carry-forward found. Rows are taken as [onerow.Take] does, with its cost and its errors. The caller releases the record; a nil
// alloc is memory.DefaultAllocator.
func (p *Plan) Take(ctx context.Context, alloc memory.Allocator) (arrow.Record, error) {
	if alloc == nil {
		alloc = memory.DefaultAllocator
	}
	var batches []arrow.Record
	if p.job != nil {
		batches = p.job.batches.Batches
	}
	rec, err := onerow.Take(ctx, alloc, batches, p.Rows)
	if err != nil || p.Report.Filled == 0 {
		return rec, err
	}
	defer rec.Release()
	cols := append([]arrow.Array(nil), rec.Columns()...)
	for i, f := range p.job.fills {
		filled, err := p.takeFilled(ctx, alloc, f, p.sources[i])
		if err != nil {
			return nil, err
		}
		defer filled.Release()
		cols[f.at] = filled.Column(0)
	}
	return array.NewRecord(rec.Schema(), cols, rec.NumRows()), nil
}

// takeFilled takes one column from the rows that have its values, in the batches and, if it has the column, in the target.
func (p *Plan) takeFilled(ctx context.Context, alloc memory.Allocator, f fill, rows onerow.Rows) (arrow.Record, error) {
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
