package arrow18

import (
	"context"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	arrow15 "github.com/apache/arrow/go/v15/arrow"
	array15 "github.com/apache/arrow/go/v15/arrow/array"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/adapters/arrow18/internal/down"
)

// Records are batches as the verbs of onerow take them: give a Records wherever a []arrow.Record of v15 is asked for, as an argument
// or as a field of options.
type Records []arrow15.Record

// Release releases the batches. Call it when no plan that borrows them is used any more.
func (r Records) Release() {
	for _, rec := range r {
		if rec != nil {
			rec.Release()
		}
	}
}

// FromBatches gives batches of v18 to the verbs of onerow. Nothing is copied: the records are over the same bytes, and each buffer holds
// a reference to the one that it comes from, so that the batches may be released first. A dictionary that several batches
// share is shared by the records.
//
// The caller releases the records. Errors: *TypeError for a type that v15 lacks; one that wraps onerow.ErrMalformed for buffers that
// contradict their type. Then there are no records.
//
// Cost: about a microsecond a column, whatever the number of rows.
func FromBatches(batches []arrow.RecordBatch) (Records, error) {
	var c fromConverter
	defer c.Release()
	records := make(Records, 0, len(batches))
	for i, batch := range batches {
		rec, err := c.batch(batch)
		if err != nil {
			records.Release()
			return nil, fmt.Errorf("batch %d: %w", i, err)
		}
		records = append(records, rec)
	}
	return records, nil
}

// FromBatch is [FromBatches] for one batch.
func FromBatch(batch arrow.RecordBatch) (arrow15.Record, error) {
	var c fromConverter
	defer c.Release()
	return c.batch(batch)
}

// FromArray makes an array of v15 over the bytes of one of v18, as [FromBatches] does. The caller releases it. An extension type that v15
// doesn't know becomes its storage.
func FromArray(arr arrow.Array) (arrow15.Array, error) {
	var c down.Converter
	defer c.Release()
	out, err := c.Array(arr)
	return out, said(err)
}

// FromSchema makes the schema that [FromBatches] gives batches of a schema. Names, nullability, metadata and byte order stay. An error is
// a *TypeError.
func FromSchema(schema *arrow.Schema) (*arrow15.Schema, error) {
	s, err := down.SchemaOf(schema)
	if err != nil {
		return nil, said(err)
	}
	return s.To, nil
}

// FromReader gives a stream of v18 to a verb that reads streams, such as join.EstimateReaders. Each batch is converted as by [FromBatches]
// when it is read. What the reader fails with, the result fails with.
//
// The result holds a reference to the reader; the caller releases both. A schema that v15 can't have is a *TypeError at once.
func FromReader(reader array.RecordReader) (array15.RecordReader, error) {
	s, err := down.SchemaOf(reader.Schema())
	if err != nil {
		return nil, said(err)
	}
	r := &fromReader{schema: s.To}
	r.start(reader, reader.RecordBatch, &fromConverter{schema: s})
	return r, nil
}

// ReadAll reads a stream of v18 to its end, for the verbs that take a table whole. The caller releases the records, and the reader.
//
// Besides the errors of [FromBatches], it returns what the reader fails with, and ctx.Err() when the context ends between two batches.
func ReadAll(ctx context.Context, reader array.RecordReader) (Records, error) {
	var c fromConverter
	defer c.Release()
	var records Records
	for reader.Next() {
		rec, err := c.batch(reader.RecordBatch())
		if err == nil {
			records = append(records, rec)
			err = ctx.Err()
		}
		if err != nil {
			records.Release()
			return nil, fmt.Errorf("batch %d: %w", len(records), err)
		}
	}
	if err := reader.Err(); err != nil {
		records.Release()
		return nil, err
	}
	return records, nil
}

// fromConverter converts the batches of one table, whose schema it converts once.
type fromConverter struct {
	down.Converter
	schema *down.Schema
}

func (c *fromConverter) batch(batch arrow.RecordBatch) (arrow15.Record, error) {
	if batch == nil {
		return nil, fmt.Errorf("%w: no batch", onerow.ErrMalformed)
	}
	if c.schema == nil || c.schema.From != batch.Schema() {
		s, err := down.SchemaOf(batch.Schema())
		if err != nil {
			return nil, said(err)
		}
		c.schema = s
	}
	columns, err := c.Columns(c.schema, batch.Columns())
	if err != nil {
		return nil, said(err)
	}
	defer func() {
		for _, column := range columns {
			column.Release()
		}
	}()
	n := batch.NumRows()
	for i, column := range columns {
		if n < 0 || int64(column.Len()) < n {
			return nil, fmt.Errorf("column %q: %w: %d cells in a batch of %d rows", c.schema.To.Field(i).Name, onerow.ErrMalformed, column.Len(), n)
		}
	}
	return array15.NewRecord(c.schema.To, columns, n), nil
}
