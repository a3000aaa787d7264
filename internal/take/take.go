package take

import (
	"context"
	"fmt"
	"sync"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow/internal/form"
)

// Column gathers rows out of the chunks of one column. Rows are numbered across the chunks: the first row of the second
// chunk has the number that is the length of the first. There is at least one chunk, and all have one type, by
// form.SameType; the array has the type of the first. The caller releases it.
//
// Errors are *RowError, *SizeError, *DataError and the context's error.
func Column(ctx context.Context, mem memory.Allocator, chunks []arrow.Array, rows []uint32) (col arrow.Array, err error) {
	t := chunks[0].DataType()
	defer broken(t, &err)
	starts := make([]int64, len(chunks)+1)
	cs := make([]chunk, len(chunks))
	for i, c := range chunks {
		starts[i+1] = starts[i] + int64(c.Len())
		cs[i] = newChunk(c.Data())
	}
	p, err := locate(starts, rows, 1)
	if err != nil {
		return nil, err
	}
	return gatherColumn(&gather{ctx: ctx, mem: mem}, t, cs, p)
}

// Record gathers rows out of batches that all have the columns of the schema, by form.SameType. Columns, and parts of their rows, are dealt to
// workers goroutines, all of which have ended when Record returns. The caller releases the record.
//
// Errors are *RowError, *ColumnError around *SizeError or *DataError, and the context's error. Of several columns with an
// error the first is told, whatever the number of workers.
func Record(ctx context.Context, mem memory.Allocator, schema *arrow.Schema, batches []arrow.Record, rows []uint32, workers int) (arrow.Record, error) {
	return gatherRecord(&work{ctx: ctx, mem: mem, schema: schema, batches: batches}, rows, workers)
}

func gatherRecord(w *work, rows []uint32, workers int) (arrow.Record, error) {
	ctx, schema, batches := w.ctx, w.schema, w.batches
	starts := make([]int64, len(batches)+1)
	for i, b := range batches {
		starts[i+1] = starts[i] + b.NumRows()
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p, err := locate(starts, rows, workers)
	if err != nil {
		return nil, err
	}
	w.picks, w.columns = p, make([]arrow.Array, schema.NumFields())
	defer w.release()
	w.run(min(workers, len(w.columns)*max(1, p.parts())))
	if w.err != nil {
		return nil, w.err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if w.plain {
		schema = PlainSchema(schema)
	}
	return array.NewRecord(schema, w.columns, int64(len(rows))), nil
}

// work is one call of Record.
type work struct {
	ctx     context.Context
	mem     memory.Allocator
	schema  *arrow.Schema
	batches []arrow.Record
	picks   *picks
	plain   bool // see [PlainSchema]

	// crew is nil if there is but one goroutine.
	crew *crew
	// columns are the arrays gathered so far; each is written by the worker that was dealt the column.
	columns []arrow.Array

	mu sync.Mutex
	// next is the number of columns dealt.
	next int
	// err is the error of the first column that has one, at: no column below the first failure is left undealt, so it
	// doesn't depend on the number of workers.
	err error
	at  int
}

// run gathers the columns, on this goroutine and workers-1 others.
func (w *work) run(workers int) {
	if workers > 1 {
		w.crew = newCrew()
	}
	var wg sync.WaitGroup
	for range workers - 1 {
		wg.Go(w.loop)
	}
	w.loop()
	wg.Wait()
}

func (w *work) loop() {
	cs := make([]chunk, len(w.batches))
	for {
		i, ok := w.deal()
		if !ok {
			break
		}
		if err := w.column(i, cs); err != nil {
			w.fail(i, err)
		}
	}
	if w.crew != nil {
		w.crew.help()
	}
}

// deal gives out the next column, none after a failure.
func (w *work) deal() (column int, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil || w.next == len(w.columns) {
		return 0, false
	}
	w.next++
	if w.crew != nil {
		w.crew.begin()
	}
	return w.next - 1, true
}

// column gathers column i; cs is room for its chunks.
func (w *work) column(i int, cs []chunk) (err error) {
	t := w.schema.Field(i).Type
	if w.crew != nil {
		defer w.crew.end()
	}
	defer broken(t, &err)
	for b, batch := range w.batches {
		cs[b] = newChunk(batch.Column(i).Data())
	}
	w.columns[i], err = gatherColumn(&gather{ctx: w.ctx, mem: w.mem, typ: t, crew: w.crew, plain: w.plain}, t, cs, w.picks)
	return err
}

func (w *work) fail(column int, err error) {
	if cancelled := w.ctx.Err(); cancelled != nil {
		err = cancelled
	} else {
		err = &ColumnError{Index: column, Err: err}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil || column < w.at {
		w.err, w.at = err, column
	}
}

// release gives up the arrays; a record that was made of them has its own references.
func (w *work) release() {
	for _, c := range w.columns {
		if c != nil {
			c.Release()
		}
	}
}

// broken, deferred, makes an error of a panic: Go's bounds checks are what finds a buffer that is too short.
func broken(t arrow.DataType, err *error) {
	if r := recover(); r != nil {
		*err = &DataError{Type: t, Why: fmt.Sprintf("its buffers are broken (%v)", r)}
	}
}

// gatherColumn gathers one column. Its buffers are released whatever goes wrong, a panic included.
func gatherColumn(g *gather, t arrow.DataType, cs []chunk, p *picks) (arrow.Array, error) {
	defer g.release()
	for _, c := range cs {
		if got := c.data.DataType(); !form.SameType(t, got) {
			return nil, &DataError{Type: t, Why: fmt.Sprintf("a chunk is of type %v", got)}
		}
	}
	data, err := g.column(t, cs, p)
	if err != nil {
		return nil, err
	}
	return array.MakeFromData(data), nil
}
