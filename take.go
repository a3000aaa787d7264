package onerow

import (
	"context"
	"errors"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/take"
)

// Take makes a record of the given rows, in the order of the list. A row that is listed twice comes twice; an empty list
// gives a record without rows.
//
// The batches must have one schema: columns of equal names and types in equal order. Metadata and nullability may differ.
// The record has the schema of the first batch, with the columns nullable that are so in any batch. Every Arrow type is
// gathered and keeps its encoding:
//
//   - Dictionary columns whose batches share one dictionary keep it as it is. Else the record gets a dictionary of the
//     values that its rows refer to, in order of first appearance (of an ordered dictionary too), each plain value
//     once.
//   - Rows that lie next to each other in the list and come from one run of a run-end column are one run of the record.
//   - Views are copied, so that the record doesn't hold on to the batches.
//
// What a batch holds under a NULL is never read; the record holds zeros there.
//
// res.Allocator makes the record's buffers, from several goroutines at once if there are several workers. The caller
// releases the record. Take borrows the batches: of their buffers, the record shares at most dictionaries.
//
// res.Workers says how many goroutines work at most, of which the caller's is one: with one worker, or a few thousand
// cells, Take starts none. The record is the same for any number. Take uses neither Memory nor Dir nor Progress of res.
//
// Cost: time and memory in proportion to the rows taken and their bytes, plus the dictionaries that differ between
// batches; the workers share it. Ascending rows are fastest. Beside the record, Take needs 32 bytes for each change of
// batch along the list and, for a column in work, one offset for each row of text, binary or lists, and 4 bytes for each
// list element.
//
// Errors: [*RowError] for a row number outside the batches; [*SchemaError] for batches that differ; an error that wraps
// [ErrNoBatches] when there are none, and so no schema; [*SizeError] when a column would outgrow its type: more than
// 2^31-1 bytes of string or binary, 2^31-1 elements of list or map, more dictionary values than the index type can
// number, more rows than the run-end type can; an error that wraps [ErrMalformed] for a column whose buffers contradict its
// type; [ErrTooManyRows] for more than [MaxRows] rows in the batches; and the context's error, soon after it is canceled.
func Take(ctx context.Context, batches []arrow.Record, rows Rows, res Resources) (arrow.Record, error) {
	schema, err := commonSchema(batches)
	if err != nil {
		return nil, err
	}
	alloc := res.Allocator
	if alloc == nil {
		alloc = memory.DefaultAllocator
	}
	workers := res.WorkerCount()
	if len(rows)*schema.NumFields() < 1<<14 {
		workers = 1
	}
	rec, err := take.Record(ctx, alloc, schema, batches, rows, workers)
	if err != nil {
		return nil, takeError(schema, err)
	}
	return rec, nil
}

// commonSchema returns the schema of the first batch, with the nullability of all.
func commonSchema(batches []arrow.Record) (*arrow.Schema, error) {
	if len(batches) == 0 {
		return nil, fmt.Errorf("%w: there are no batches to take a schema from", ErrNoBatches)
	}
	var first *arrow.Schema
	var fields []arrow.Field
	var total int64
	for i, b := range batches {
		if b == nil {
			return nil, &SchemaError{Input: "batches", Batch: i, Why: "it is nil"}
		}
		if n := b.NumRows(); n < 0 {
			return nil, fmt.Errorf("%w: batches: batch %d has %d rows", ErrMalformed, i, n)
		}
		if first == nil {
			first, fields = b.Schema(), b.Schema().Fields()
		}
		if total += b.NumRows(); total > MaxRows {
			return nil, fmt.Errorf("%w: the batches have more than %d", ErrTooManyRows, int64(MaxRows))
		}
		if b.Schema() == first {
			continue
		}
		if why := form.SchemasDiffer(first, b.Schema()); why != "" {
			return nil, &SchemaError{Input: "batches", Batch: i, Why: why}
		}
		for c := range fields {
			fields[c].Nullable = fields[c].Nullable || b.Schema().Field(c).Nullable
		}
	}
	meta := first.Metadata()
	return arrow.NewSchemaWithEndian(fields, &meta, first.Endianness()), nil
}

// takeError gives an error of internal/take the column's name.
func takeError(schema *arrow.Schema, err error) error {
	var row *take.RowError
	if errors.As(err, &row) {
		return &RowError{Row: row.Row, Rows: row.Rows}
	}
	var column *take.ColumnError
	if !errors.As(err, &column) {
		return err
	}
	name := schema.Field(column.Index).Name
	var size *take.SizeError
	if errors.As(err, &size) {
		return &SizeError{Column: name, Type: size.Type, Size: size.Size, Limit: size.Limit, Unit: size.Unit}
	}
	var data *take.DataError
	if errors.As(err, &data) {
		return fmt.Errorf("column %q of type %v: %w: %s", name, data.Type, ErrMalformed, data.Why)
	}
	return fmt.Errorf("column %q: %w", name, column.Err)
}
