package arrow18

import (
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	arrow15 "github.com/apache/arrow/go/v15/arrow"
	array15 "github.com/apache/arrow/go/v15/arrow/array"
)

// fromReader is a reader of v15 over one of v18. As with other readers, Retain and Release may be called from several goroutines, the
// rest from one.
type fromReader struct {
	from    array.RecordReader
	schema  *arrow15.Schema
	convert fromConverter
	refs    atomic.Int64
	current arrow15.Record
	err     error
}

func (r *fromReader) Retain() { r.refs.Add(1) }

func (r *fromReader) Release() {
	if r.refs.Add(-1) == 0 {
		r.drop()
		r.convert.Release()
		r.from.Release()
	}
}

func (r *fromReader) Schema() *arrow15.Schema { return r.schema }
func (r *fromReader) Record() arrow15.Record  { return r.current }

func (r *fromReader) Err() error {
	if r.err != nil {
		return r.err
	}
	return r.from.Err()
}

func (r *fromReader) Next() bool {
	r.drop()
	if r.err != nil || !r.from.Next() {
		return false
	}
	r.current, r.err = r.convert.batch(r.from.RecordBatch())
	r.convert.Forget()
	return r.err == nil
}

func (r *fromReader) drop() {
	if r.current != nil {
		r.current.Release()
		r.current = nil
	}
}

// toReader is a reader of v18 over one of v15.
type toReader struct {
	from    array15.RecordReader
	schema  *arrow.Schema
	convert toConverter
	refs    atomic.Int64
	current arrow.RecordBatch
	err     error
}

func (r *toReader) Retain() { r.refs.Add(1) }

func (r *toReader) Release() {
	if r.refs.Add(-1) == 0 {
		r.drop()
		r.convert.Release()
		r.from.Release()
	}
}

func (r *toReader) Schema() *arrow.Schema          { return r.schema }
func (r *toReader) RecordBatch() arrow.RecordBatch { return r.current }

// Record is the older name of RecordBatch, which the interface asks for.
func (r *toReader) Record() arrow.RecordBatch { return r.current }

func (r *toReader) Err() error {
	if r.err != nil {
		return r.err
	}
	return r.from.Err()
}

func (r *toReader) Next() bool {
	r.drop()
	if r.err != nil || !r.from.Next() {
		return false
	}
	r.current, r.err = r.convert.batch(r.from.Record())
	r.convert.Forget()
	return r.err == nil
}

func (r *toReader) drop() {
	if r.current != nil {
		r.current.Release()
		r.current = nil
	}
}
