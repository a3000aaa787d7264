package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/pqarrow"
)

// readParquet reads all columns of a file. What the reader panics on, such as pages that aren't what the footer says, is an error.
func (t *table) readParquet(ctx context.Context, path string, alloc memory.Allocator) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("broken Parquet file: %v", r)
		}
	}()
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	pf, err := file.NewParquetReader(f, file.WithReadProps(parquet.NewReaderProperties(alloc)))
	if err != nil {
		return err
	}
	defer pf.Close()
	r, err := pqarrow.NewFileReader(pf, pqarrow.ArrowReadProperties{BatchSize: batchRows}, alloc)
	if err != nil {
		return err
	}
	records, err := r.GetRecordReader(ctx, nil, nil)
	if err != nil {
		return err
	}
	defer records.Release()
	for records.Next() {
		rec := records.Record()
		rec.Retain()
		t.batches = append(t.batches, rec)
	}
	if err := records.Err(); err != nil && !errors.Is(err, io.EOF) { // which it says at the end
		return err
	}
	if len(t.batches) == 0 {
		schema, err := r.Schema()
		if err != nil {
			return err
		}
		t.batches = append(t.batches, emptyRecord(alloc, schema))
	}
	return nil
}

func emptyRecord(alloc memory.Allocator, schema *arrow.Schema) arrow.Record {
	b := array.NewRecordBuilder(alloc, schema)
	defer b.Release()
	return b.NewRecord()
}
