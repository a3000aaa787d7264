package cases

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/dedupe"
	"github.com/onerow-go/onerow/internal/arrowtest"
)

// Streamed is what a stream of changes comes to: rows as cells.
type Streamed struct {
	Rows, SetAside [][]any
	Report         dedupe.Report
}

// stream reads batches as a stream.
func stream(ctx context.Context, batches []arrow.Record, key []string, order []onerow.Order, opts dedupe.Options) (*Streamed, error) {
	in, err := array.NewRecordReader(batches[0].Schema(), batches)
	if err != nil {
		return nil, err
	}
	defer in.Release()
	r, err := dedupe.NewReader(ctx, in, key, order, opts)
	if err != nil {
		return nil, err
	}
	defer r.Release()
	s := &Streamed{Report: r.Report()}
	for _, from := range []struct {
		*dedupe.RowReader
		to *[][]any
	}{{&r.RowReader, &s.Rows}, {r.SetAside(), &s.SetAside}} {
		for from.Next() {
			*from.to = append(*from.to, arrowtest.Cells(from.Record())...)
		}
		if err := from.Err(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// stream asks for the same rows as a stream, within the smallest budget or without one. So few rows have room in it: that files change nothing is what
// dedupe tests.
func (l *latest) stream(r *runner, batches []arrow.Record, res onerow.Resources) {
	opts := l.opts
	opts.Resources = res
	opts.Resources.Memory = int64(r.runs / 2 % 2)
	s, err := r.api.Stream(context.Background(), batches, l.key, l.order, opts)
	if r.settled(l.want.wantError, err) {
		return
	}
	if s == nil {
		r.fail("a stream", "none")
		return
	}
	if l.want.SetAside != nil {
		r.sameRows("set aside of a stream", l.setAside, s.SetAside)
	}
	l.want.Report.compare(r, s.Report)
	if l.want.Rows != nil {
		r.sameRows("rows of a stream", l.rows, s.Rows)
	}
}
