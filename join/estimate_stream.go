package join

import (
	"context"
	"errors"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/frame"
	"github.com/onerow-go/onerow/internal/keyset"
)

// EstimateReaders is [Estimate] for sides that are streams, such as those of Parquet or IPC files. It reads the left one to its end, then the right
// one. The readers remain the caller's, who releases them.
//
// Memory grows with the distinct keys, not with the rows: of each side it keeps the key columns once a key, and 8 bytes beside them. The key
// columns of the latest batches are kept until they have a million rows, or as many as there are keys so far; then their keys are counted, with 16
// to 40 bytes a row and key. So the peak is about three times the key columns of the distinct keys (of a million rows where keys are fewer), and 80 bytes
// for each. Columns that share memory with the rest of their batch, as those of IPC do, hold all of it until they are counted. A side may have
// [onerow.MaxRows] rows.
//
// The size is that of Estimate, but for the lists of keys: of each key they have the first row of each side. Progress is told of the last
// step, which matches the keys. Errors are those of Estimate, and what the readers fail with.
func EstimateReaders(ctx context.Context, left, right array.RecordReader, on Key, opts Options) (s *Size, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if left == nil || right == nil {
		return nil, fmt.Errorf("%w: a reader is nil", onerow.ErrOption)
	}
	readers := [2]array.RecordReader{left, right}
	if err := checkStreams(readers, on, opts); err != nil {
		return nil, err
	}
	stream := &streamed{}
	defer stream.release()
	for side, r := range readers {
		stream[side] = newSideKeys(sideNames[side], r, [2][]string{on.Left, on.Right}[side], opts)
		if err := stream[side].readAll(ctx, r); err != nil {
			return nil, err
		}
	}
	err = keyset.Guard(func() error {
		e, err := newEstimate(stream[leftSide].batches(), stream[rightSide].batches(), on, opts)
		if err != nil {
			return err
		}
		e.stream = stream
		s, err = e.size(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// checkStreams looks at options and columns before anything is read.
func checkStreams(readers [2]array.RecordReader, on Key, opts Options) error {
	s := &sides{on: on}
	errs := []error{on.check(), checkNulls(opts.Nulls)}
	if errs[0] != nil {
		return errors.Join(errs...)
	}
	for side, r := range readers {
		s.frames[side] = &frame.Frame{Input: sideNames[side], Schema: r.Schema()}
	}
	for i := range on.Left {
		s.cols = append(s.cols, &form.Column{Name: on.Left[i]})
		errs = append(errs, s.checkPair(i))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	_, err := s.mark(opts.Placeholders)
	return err
}

// checkPair finds the columns of pair i in the schemas.
func (s *sides) checkPair(i int) error {
	var types [2]arrow.DataType
	var errs []error
	for side, f := range s.frames {
		name := s.names(side)[i]
		at, err := f.Index(name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		types[side] = f.Schema.Field(at).Type
		if ok, why := form.IsKey(types[side]); !ok {
			errs = append(errs, &onerow.TypeError{Column: name, Type: types[side], Input: f.Input, Why: why})
		}
	}
	if errs != nil {
		return errors.Join(errs...)
	}
	if ok, why := form.Comparable(types[leftSide], types[rightSide]); !ok {
		return &onerow.TypeError{Column: s.on.Left[i], Type: types[leftSide], Input: sideNames[leftSide],
			OtherColumn: s.on.Right[i], OtherType: types[rightSide], OtherInput: sideNames[rightSide], Why: why}
	}
	return nil
}

// streamed are the keys of both sides.
type streamed [2]*sideKeys

func (s *streamed) release() {
	for _, k := range s {
		if k != nil {
			k.release()
		}
	}
}

// sideKeys are the distinct keys of one side, and batches whose keys are not yet counted.
type sideKeys struct {
	input  string
	opts   Options
	schema *arrow.Schema
	mem    memory.Allocator
	names  []string // of the key columns, each once
	at     []int    // where they are in a batch

	keys   arrow.Record // a row a key, in order of first appearance; nil before the first batch
	counts []uint32     // rows of each key
	firsts []uint32     // the first of them

	buffer   []arrow.Record
	buffered int64 // rows of buffer
	rows     int64 // rows so far, those of buffer left out
	nullRows int64
	nulls    []onerow.ColumnNulls // by pair of the key
	pairs    []int                // which of names pair i of the key is
}

func newSideKeys(input string, r array.RecordReader, columns []string, opts Options) *sideKeys {
	s := &sideKeys{input: input, opts: opts, mem: opts.Resources.Allocator}
	if s.mem == nil {
		s.mem = memory.DefaultAllocator
	}
	seen := map[string]int{}
	var fields []arrow.Field
	for _, name := range columns {
		if _, ok := seen[name]; !ok {
			at := r.Schema().FieldIndices(name)[0]
			seen[name] = len(s.names)
			s.names, s.at, fields = append(s.names, name), append(s.at, at), append(fields, r.Schema().Field(at))
			s.nulls = append(s.nulls, onerow.ColumnNulls{Column: name})
		}
		s.pairs = append(s.pairs, seen[name])
	}
	s.schema = arrow.NewSchema(fields, nil)
	return s
}

// nullsOf are the NULLs for each pair of the key that has any.
func (s *sideKeys) nullsOf() (out []onerow.ColumnNulls) {
	for _, i := range s.pairs {
		if s.nulls[i].Rows > 0 {
			out = append(out, s.nulls[i])
		}
	}
	return out
}

// batches are the keys so far, if any, and the buffered batches.
func (s *sideKeys) batches() []arrow.Record {
	if s.keys == nil {
		return s.buffer
	}
	return append([]arrow.Record{s.keys}, s.buffer...)
}

// project makes a record of the key columns of a batch.
func (s *sideKeys) project(batch arrow.Record) arrow.Record {
	var cols []arrow.Array
	for _, i := range s.at {
		cols = append(cols, batch.Column(i))
	}
	return array.NewRecord(s.schema, cols, batch.NumRows())
}

func (s *sideKeys) release() {
	if s.keys != nil {
		s.keys.Release()
	}
	s.dropBuffer()
}

func (s *sideKeys) dropBuffer() {
	for _, b := range s.buffer {
		b.Release()
	}
	s.buffer, s.buffered = nil, 0
}

// bufferRows is the least number of rows that are counted at a time.
var bufferRows int64 = 1 << 20

// readAll reads a side to its end.
func (s *sideKeys) readAll(ctx context.Context, r array.RecordReader) error {
	for n := 0; r.Next(); n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		batch := r.Record()
		if why := form.SchemasDiffer(r.Schema(), batch.Schema()); why != "" {
			return &onerow.SchemaError{Input: s.input, Batch: n, Why: why}
		}
		s.buffer = append(s.buffer, s.project(batch))
		if s.buffered += batch.NumRows(); s.buffered+s.rows > onerow.MaxRows {
			return fmt.Errorf("%w: %s: more than %d", onerow.ErrTooManyRows, s.input, int64(onerow.MaxRows))
		}
		if s.buffered >= max(bufferRows, int64(len(s.counts))) {
			if err := s.compact(ctx); err != nil {
				return err
			}
		}
	}
	if err := r.Err(); err != nil {
		return fmt.Errorf("%s: %w", s.input, err)
	}
	return errors.Join(ctx.Err(), s.compact(ctx))
}
