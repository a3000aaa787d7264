package arrow18

import (
	"fmt"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	arrow15 "github.com/apache/arrow/go/v15/arrow"
	array15 "github.com/apache/arrow/go/v15/arrow/array"
)

// stream converts the batches of a reader as it is read: what both directions have in common.
type stream[From any, To batch] struct {
	from    source
	read    func() From
	convert converter[From, To]
	refs    atomic.Int64
	// n counts the batches that were read.
	n       int
	current To
	err     error
}

type batch interface {
	comparable
	Release()
}

// source is what readers of both versions have.
type source interface {
	Retain()
	Release()
	Next() bool
	Err() error
}

type converter[From any, To batch] interface {
	batch(From) (To, error)
	Forget()
	Release()
}

// start makes the stream hold the reader.
func (s *stream[From, To]) start(from source, read func() From, convert converter[From, To]) {
	from.Retain()
	s.from, s.read, s.convert = from, read, convert
	s.refs.Store(1)
}

// Retain adds a reference. It may be called from several goroutines, as Release may; the rest is for one.
func (s *stream[From, To]) Retain() { s.refs.Add(1) }

// Release gives a reference back; with the last one go the current batch and the hold on the reader.
func (s *stream[From, To]) Release() {
	if s.refs.Add(-1) == 0 {
		s.drop()
		s.convert.Release()
		s.from.Release()
	}
}

// Next goes to the next batch, if there is one.
func (s *stream[From, To]) Next() bool {
	s.drop()
	if s.err != nil || !s.from.Next() {
		return false
	}
	current, err := s.convert.batch(s.read())
	s.convert.Forget()
	if err != nil {
		s.err = fmt.Errorf("batch %d: %w", s.n, err)
		return false
	}
	s.current = current
	s.n++
	return true
}

// Err is what ended the stream before its end.
func (s *stream[From, To]) Err() error {
	if s.err != nil {
		return s.err
	}
	return s.from.Err()
}

func (s *stream[From, To]) drop() {
	var none To
	if s.current != none {
		s.current.Release()
		s.current = none
	}
}

// fromReader is a reader of v15 over one of v18.
type fromReader struct {
	stream[arrow.RecordBatch, arrow15.Record]
	schema *arrow15.Schema
}

var _ array15.RecordReader = (*fromReader)(nil)

// Schema is that of the records.
func (r *fromReader) Schema() *arrow15.Schema { return r.schema }

// Record is the current record, until Next or Release.
func (r *fromReader) Record() arrow15.Record { return r.current }

// toReader is a reader of v18 over one of v15.
type toReader struct {
	stream[arrow15.Record, arrow.RecordBatch]
	schema *arrow.Schema
}

var _ array.RecordReader = (*toReader)(nil)

// Schema is that of the batches.
func (r *toReader) Schema() *arrow.Schema { return r.schema }

// RecordBatch is the current batch, until Next or Release.
func (r *toReader) RecordBatch() arrow.RecordBatch { return r.current }

// Record is the older name of RecordBatch.
func (r *toReader) Record() arrow.RecordBatch { return r.current }
