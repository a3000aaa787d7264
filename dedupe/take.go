package dedupe

import (
	"context"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/take"
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
		col, err := take.Column(alloc, p.job.chunksOf(f), p.sources[i])
		if err != nil {
			return nil, fmt.Errorf("column %q, carried forward: %w", f.Name, err)
		}
		defer col.Release()
		cols[f.at] = col
	}
	return array.NewRecord(rec.Schema(), cols, rec.NumRows()), nil
}

// chunksOf returns the arrays of a filled column, of the batches and, if it has the column, of the target.
func (j *job) chunksOf(f fill) []arrow.Array {
	var chunks []arrow.Array
	for _, b := range j.batches.Batches {
		chunks = append(chunks, b.Column(f.at))
	}
	if f.inTarget {
		at := j.target.Schema.FieldIndices(f.Name)[0]
		for _, b := range j.target.Batches {
			chunks = append(chunks, b.Column(at))
		}
	}
	return chunks
}
