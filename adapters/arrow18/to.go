package arrow18

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	arrow15 "github.com/apache/arrow/go/v15/arrow"
	array15 "github.com/apache/arrow/go/v15/arrow/array"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/adapters/arrow18/internal/up"
)

// ToBatches makes batches of v18 of records, as [FromBatches] does the other way: over the same bytes, with a reference to each buffer,
// and with its errors and cost. The caller releases the batches, and the records. See [MoveAll] for records that aren't needed any more.
func ToBatches(records []arrow15.Record) ([]arrow.RecordBatch, error) {
	var c toConverter
	defer c.Release()
	batches := make([]arrow.RecordBatch, 0, len(records))
	for i, rec := range records {
		batch, err := c.batch(rec)
		if err != nil {
			for _, b := range batches {
				b.Release()
			}
			return nil, fmt.Errorf("batch %d: %w", i, err)
		}
		batches = append(batches, batch)
	}
	return batches, nil
}

// ToBatch is [ToBatches] for one record. See [Move] for a record that isn't needed any more.
func ToBatch(rec arrow15.Record) (arrow.RecordBatch, error) {
	var c toConverter
	defer c.Release()
	return c.batch(rec)
}

// ToArray makes an array of v18 over the bytes of one of v15, as [ToBatches] does. The caller releases it. An extension type that v18
// doesn't know becomes its storage.
func ToArray(arr arrow15.Array) (arrow.Array, error) {
	var c up.Converter
	defer c.Release()
	out, err := c.Array(arr)
	return out, said(err)
}

// ToSchema makes the schema that [ToBatches] gives records of a schema. Names, nullability, metadata and byte order stay. An error is
// a *TypeError.
func ToSchema(schema *arrow15.Schema) (*arrow.Schema, error) {
	s, err := up.SchemaOf(schema)
	if err != nil {
		return nil, said(err)
	}
	return s.To, nil
}

// ToReader makes a stream of v18 of one of v15. Each record is converted as by [ToBatches] when it is read. What the reader fails with,
// the result fails with.
//
// The result holds a reference to the reader; the caller releases both. A schema that v18 can't have is a *TypeError at once.
func ToReader(reader array15.RecordReader) (array.RecordReader, error) {
	s, err := up.SchemaOf(reader.Schema())
	if err != nil {
		return nil, said(err)
	}
	r := &toReader{schema: s.To}
	r.start(reader, reader.Record, &toConverter{schema: s})
	return r, nil
}

// Move makes a batch of v18 of what a verb returns, and releases the record: the call of the verb goes in as it is.
//
//	batch, err := arrow18.Move(plan.Take(ctx, nil))
//
// An error that goes in comes out. The caller releases the batch.
func Move(rec arrow15.Record, err error) (arrow.RecordBatch, error) {
	if err != nil {
		return nil, err
	}
	if rec == nil {
		return nil, fmt.Errorf("%w: no record", onerow.ErrMalformed)
	}
	defer rec.Release()
	return ToBatch(rec)
}

// MoveAll is [Move] for verbs that return several records.
//
//	history, err := arrow18.MoveAll(merge.Apply(ctx, nil, before))
func MoveAll(records []arrow15.Record, err error) ([]arrow.RecordBatch, error) {
	if err != nil {
		return nil, err
	}
	defer Records(records).Release()
	return ToBatches(records)
}

// MoveArrays is [Move] for verbs that return arrays.
//
//	hashes, err := arrow18.MoveArrays(scd2.RowHash(ctx, records, columns, scd2.HashOptions{}))
func MoveArrays(arrays []arrow15.Array, err error) ([]arrow.Array, error) {
	if err != nil {
		return nil, err
	}
	defer func() {
		for _, arr := range arrays {
			if arr != nil {
				arr.Release()
			}
		}
	}()
	var c up.Converter
	defer c.Release()
	out := make([]arrow.Array, 0, len(arrays))
	for i, arr := range arrays {
		a, err := c.Array(arr)
		if err != nil {
			for _, done := range out {
				done.Release()
			}
			return nil, fmt.Errorf("array %d: %w", i, said(err))
		}
		out = append(out, a)
	}
	return out, nil
}

// toConverter converts the records of one table, whose schema it converts once.
type toConverter struct {
	up.Converter
	schema *up.Schema
}

func (c *toConverter) batch(rec arrow15.Record) (arrow.RecordBatch, error) {
	if rec == nil {
		return nil, fmt.Errorf("%w: no record", onerow.ErrMalformed)
	}
	if c.schema == nil || c.schema.From != rec.Schema() {
		s, err := up.SchemaOf(rec.Schema())
		if err != nil {
			return nil, said(err)
		}
		c.schema = s
	}
	columns, err := c.Columns(c.schema, rec.Columns())
	if err != nil {
		return nil, said(err)
	}
	defer func() {
		for _, column := range columns {
			column.Release()
		}
	}()
	n := rec.NumRows()
	for i, column := range columns {
		if n < 0 || int64(column.Len()) < n {
			return nil, fmt.Errorf("column %q: %w: %d cells in a record of %d rows", c.schema.To.Field(i).Name, onerow.ErrMalformed, column.Len(), n)
		}
	}
	return array.NewRecordBatch(c.schema.To, columns, n), nil
}
