package join

import (
	"context"
	"errors"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/frame"
)

// sketchRows is the number of rows that ReadSketch summarises at a time.
var sketchRows int64 = 1 << 20

// ReadSketch is [NewSketch] for a stream. It keeps the key columns of the latest batches until they have a million rows, then summarises them
// and merges the sketches ([Sketch.Merge]). So memory is bounded by a million keys, 24 to 32 bytes beside each, and the batch at hand, however
// long the stream is; the number of rows is up to 2^63-1. Of a stream of up to a million rows, or of no more keys than the sample holds, the
// sketch is that of NewSketch. Of others, the estimates are, but the bounds are wider: those of Merge.
//
// The reader remains the caller's. Progress is told of each million rows anew. Errors are those of NewSketch, and what the reader fails with.
func ReadSketch(ctx context.Context, r array.RecordReader, key []string, opts SketchOptions) (*Sketch, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if r == nil {
		return nil, fmt.Errorf("%w: the reader is nil", onerow.ErrOption)
	}
	if err := opts.check(); err != nil {
		return nil, err
	}
	f := &frame.Frame{Input: "reader", Schema: r.Schema()}
	all, err := emptySketch(f, key, opts)
	if err != nil {
		return nil, err
	}
	b := &sketchBuffer{key: key, opts: opts, all: all}
	defer b.drop()
	if err := b.readAll(ctx, r, f); err != nil {
		return nil, err
	}
	return b.all, nil
}

// sketchBuffer are the rows of a stream that aren't in the sketch yet.
type sketchBuffer struct {
	key     []string
	opts    SketchOptions
	all     *Sketch
	batches []arrow.Record // their key columns
	rows    int64
}

func (b *sketchBuffer) drop() {
	for _, rec := range b.batches {
		rec.Release()
	}
	b.batches, b.rows = nil, 0
}

func (b *sketchBuffer) readAll(ctx context.Context, r array.RecordReader, f *frame.Frame) error {
	var at []int
	var fields []arrow.Field
	for _, name := range b.key {
		i, err := f.Index(name)
		if err != nil {
			return err
		}
		at, fields = append(at, i), append(fields, f.Schema.Field(i))
	}
	schema := arrow.NewSchema(fields, nil)
	for n := 0; r.Next(); n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		batch := r.Record()
		if batch == nil {
			return &onerow.SchemaError{Input: f.Input, Batch: n, Why: "it is nil"}
		}
		if why := form.SchemasDiffer(f.Schema, batch.Schema()); why != "" {
			return &onerow.SchemaError{Input: f.Input, Batch: n, Why: why}
		}
		if batch.NumRows() == 0 {
			continue
		}
		var cols []arrow.Array
		for _, i := range at {
			cols = append(cols, batch.Column(i))
		}
		b.batches = append(b.batches, array.NewRecord(schema, cols, batch.NumRows()))
		if b.rows += batch.NumRows(); b.rows >= sketchRows {
			if err := b.flush(ctx); err != nil {
				return err
			}
		}
	}
	if err := r.Err(); err != nil {
		return fmt.Errorf("%s: %w", f.Input, err)
	}
	return errors.Join(ctx.Err(), b.flush(ctx))
}

// flush summarises the buffered rows.
func (b *sketchBuffer) flush(ctx context.Context) error {
	if b.rows == 0 {
		return nil
	}
	part, err := newSketch(ctx, "reader", b.batches, b.key, b.opts)
	if err == nil {
		b.all, err = b.all.Merge(part)
	}
	b.drop()
	return err
}
