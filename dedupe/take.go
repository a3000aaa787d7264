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
// [onerow.Take] does, by the workers of Options.Resources, with its cost and its errors; [onerow.ErrNoBatches] is one of them. The caller
// releases the record. alloc makes its buffers; nil is the allocator of Options.Resources.
func (p *Plan) Take(ctx context.Context, alloc memory.Allocator) (arrow.Record, error) {
	res, err := p.resources(alloc)
	if err != nil {
		return nil, err
	}
	rec, err := onerow.Take(ctx, p.job.batches.Batches, p.Rows, res)
	if err != nil {
		return nil, err
	}
	if len(p.job.fills) == 0 {
		return rec, nil
	}
	defer rec.Release()
	fields, cols := rec.Schema().Fields(), slices.Clone(rec.Columns())
	for i, f := range p.job.fills {
		if len(p.filled[i]) == 0 {
			continue
		}
		filled, err := p.takeFilled(ctx, res, f, p.filled[i])
		if err != nil {
			return nil, err
		}
		defer filled.Release()
		cols[f.at], fields[f.at] = filled.Column(0), filled.Schema().Field(0)
	}
	meta := rec.Schema().Metadata()
	return array.NewRecord(arrow.NewSchema(fields, &meta), cols, rec.NumRows()), nil
}

// TakeEnded makes a record of the keys that end by a key change, a row for each of [Plan.Ended]: the key columns, with the values of the
// previous-key columns, then the order columns. It is what a target deletes, and keeps as tombstones; it has no op column, so that a target
// that is to be given as Options.Against must add one with a value of Op.Delete. Else it is as [Plan.Take]. Without Op.PreviousKey it is an error that wraps [onerow.ErrOption].
func (p *Plan) TakeEnded(ctx context.Context, alloc memory.Allocator) (arrow.Record, error) {
	res, err := p.resources(alloc)
	if err != nil {
		return nil, err
	}
	previous := p.job.opts.Op.PreviousKey
	if previous == nil {
		return nil, fmt.Errorf("%w: Op.PreviousKey is not set, so that no key can end by a key change", onerow.ErrOption)
	}
	if p.job.batches.Schema == nil {
		return nil, fmt.Errorf("%w: there are none to take ended keys from", onerow.ErrNoBatches)
	}
	var c columns
	for i, name := range previous {
		c.add(p.job.batches.Schema, name, p.job.keyCols[i].Name)
	}
	for _, o := range p.job.orders {
		c.add(p.job.batches.Schema, o.Column, o.Column)
	}
	batches := c.of(p.job.batches.Batches)
	defer release(batches)
	return onerow.Take(ctx, batches, p.Ended, res)
}

// resources are those of the options, with the given allocator if there is one.
func (p *Plan) resources(alloc memory.Allocator) (onerow.Resources, error) {
	if p.job == nil {
		return onerow.Resources{}, fmt.Errorf("%w: the plan isn't one of Latest", onerow.ErrNoBatches)
	}
	res := p.job.opts.Resources
	if alloc != nil {
		res.Allocator = alloc
	}
	return res, nil
}

// takeFilled takes one column from the rows that have its values, in the batches and, if it has the column, in the target.
func (p *Plan) takeFilled(ctx context.Context, res onerow.Resources, f fill, from map[uint32]uint32) (arrow.Record, error) {
	rows := slices.Clone(p.Rows)
	for i, r := range rows {
		if other, ok := from[r]; ok {
			rows[i] = other
		}
	}
	mine := columns{at: []int{f.at}, names: []string{f.Name}}
	batches := mine.of(p.job.batches.Batches)
	if f.inTarget {
		var theirs columns
		theirs.add(p.job.target.Schema, f.Name, f.Name)
		batches = append(batches, theirs.of(p.job.target.Batches)...)
	}
	defer release(batches)
	return onerow.Take(ctx, batches, rows, res)
}

// columns are some columns of a schema, under other names.
type columns struct {
	at    []int
	names []string
}

func (c *columns) add(schema *arrow.Schema, name, as string) {
	c.at = append(c.at, schema.FieldIndices(name)[0])
	c.names = append(c.names, as)
}

// of returns the batches with these columns alone; the caller releases them.
func (c *columns) of(batches []arrow.Record) []arrow.Record {
	out := make([]arrow.Record, len(batches))
	for b, rec := range batches {
		fields, cols := make([]arrow.Field, len(c.at)), make([]arrow.Array, len(c.at))
		for i, at := range c.at {
			fields[i], cols[i] = rec.Schema().Field(at), rec.Column(at)
			fields[i].Name = c.names[i]
		}
		out[b] = array.NewRecord(arrow.NewSchema(fields, nil), cols, rec.NumRows())
	}
	return out
}

func release(batches []arrow.Record) {
	for _, b := range batches {
		b.Release()
	}
}
