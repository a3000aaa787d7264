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
	"github.com/onerow-go/onerow/internal/spill"
	"github.com/onerow-go/onerow/internal/take"
)

// streamed are the keys of both sides.
type streamed [2]*sideKeys

func (s *streamed) close() {
	for _, k := range s {
		if k != nil {
			k.close()
		}
	}
}

// keyChunk is a record of key columns: rows of a stream, or keys that were counted.
type keyChunk struct {
	rec arrow.Record
	// Of keys: the rows of each, and the first of them. Nil: each row is one, and the first is row number first.
	counts []uint32
	firsts []uint32
	first  uint32
	bytes  int64 // of rec, where the room has a bound
}

func (c *keyChunk) rows() int64 {
	if c.rec == nil {
		return 0
	}
	return c.rec.NumRows()
}

func (c *keyChunk) release() {
	if c.rec != nil {
		c.rec.Release()
	}
	*c = keyChunk{}
}

// sideKeys are the keys of one side, or of a partition of it, and records whose keys are not yet counted.
type sideKeys struct {
	call   *streamCall
	side   int
	given  *arrow.Schema // of the key columns as they come
	schema *arrow.Schema // of the key columns as they are kept
	// encoded: they come otherwise than they are kept, as dictionaries, runs or extension types.
	encoded bool
	mem     memory.Allocator
	names   []string // of the key columns, each once
	at      []int    // where they are in a batch
	pairs   []int    // which of names pair i of the key is
	level   int      // how often the keys were dealt out
	room    int64    // bytes to work in; 0: without bound

	held     keyChunk // the keys so far, in order of first appearance
	buffer   []keyChunk
	buffered int64 // rows of buffer
	bytes    int64 // of buffer, where the room has a bound
	spilled  *spill.Set

	// Of a stream.
	rows     int64
	nullRows int64
	nulls    []onerow.ColumnNulls // by names
}

func newSideKeys(c *streamCall, side int, given *arrow.Schema) *sideKeys {
	s := &sideKeys{call: c, side: side, mem: c.opts.Resources.Allocator}
	if s.mem == nil {
		s.mem = memory.DefaultAllocator
	}
	seen := map[string]int{}
	var fields []arrow.Field
	for _, name := range [2][]string{c.on.Left, c.on.Right}[side] {
		if _, ok := seen[name]; !ok {
			at := given.FieldIndices(name)[0]
			seen[name] = len(s.names)
			s.names, s.at, fields = append(s.names, name), append(s.at, at), append(fields, given.Field(at))
			s.nulls = append(s.nulls, onerow.ColumnNulls{Column: name})
		}
		s.pairs = append(s.pairs, seen[name])
	}
	s.given = arrow.NewSchema(fields, nil)
	s.schema = s.given
	if c.room > 0 {
		s.schema = take.PlainSchema(s.given)
		for i, f := range s.schema.Fields() {
			s.encoded = s.encoded || !arrow.TypeEqual(f.Type, fields[i].Type)
		}
	}
	return s
}

// part is one for the keys of a partition of s.
func (s *sideKeys) part() *sideKeys {
	return &sideKeys{call: s.call, side: s.side, schema: s.schema, mem: s.mem, names: s.names, pairs: s.pairs, level: s.level + 1,
		nulls: make([]onerow.ColumnNulls, len(s.names))}
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

// batches are the keys, once all are counted; an empty record where there are none, for its types.
func (s *sideKeys) batches() []arrow.Record {
	if s.held.rec == nil {
		b := array.NewRecordBuilder(s.mem, take.PlainSchema(s.schema)) // Arrow has no builders of some dictionaries
		defer b.Release()
		s.held.rec = b.NewRecord()
	}
	return []arrow.Record{s.held.rec}
}

func (s *sideKeys) close() {
	s.held.release()
	s.dropBuffer()
	if s.spilled != nil {
		s.spilled.Close()
	}
}

func (s *sideKeys) dropBuffer() {
	for i := range s.buffer {
		s.buffer[i].release()
	}
	s.buffer, s.buffered, s.bytes = nil, 0, 0
}

// bufferRows is the least number of rows that are counted at a time, if they have room.
var bufferRows int64 = 1 << 20

// readAll reads a stream to its end.
func (s *sideKeys) readAll(ctx context.Context, r array.RecordReader) error {
	input := sideNames[s.side]
	for n := 0; r.Next(); n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		batch := r.Record()
		if why := form.SchemasDiffer(r.Schema(), batch.Schema()); why != "" {
			return &onerow.SchemaError{Input: input, Batch: n, Why: why}
		}
		first := s.rows
		if s.rows += batch.NumRows(); s.rows > onerow.MaxRows {
			return fmt.Errorf("%w: %s: more than %d", onerow.ErrTooManyRows, input, int64(onerow.MaxRows))
		}
		if err := s.read(ctx, s.project(batch), uint32(first)); err != nil {
			return err
		}
	}
	if err := r.Err(); err != nil {
		return fmt.Errorf("%s: %w", input, err)
	}
	return errors.Join(ctx.Err(), s.compact(ctx))
}

// read takes the key columns of a batch in; they are released.
func (s *sideKeys) read(ctx context.Context, columns arrow.Record, first uint32) error {
	if s.room > 0 {
		defer columns.Release()
		return s.copyPlain(ctx, keyChunk{rec: columns, first: first})
	}
	return s.add(ctx, keyChunk{rec: columns, first: first})
}

// project makes a record of the key columns of a batch.
func (s *sideKeys) project(batch arrow.Record) arrow.Record {
	var cols []arrow.Array
	for _, i := range s.at {
		cols = append(cols, batch.Column(i))
	}
	return array.NewRecord(s.given, cols, batch.NumRows())
}

// add buffers a record, which it owns, and counts the keys when there are many rows, or they have no more room.
func (s *sideKeys) add(ctx context.Context, c keyChunk) error {
	if s.room > 0 && len(s.buffer) > 0 && !s.fits(s.buffered+c.rows(), s.bytes+c.bytes) {
		if err := s.compact(ctx); err != nil {
			c.release()
			return err
		}
	}
	s.buffer = append(s.buffer, c)
	s.buffered += c.rows()
	s.bytes += c.bytes
	if s.buffered >= max(bufferRows, s.held.rows()) {
		return s.compact(ctx)
	}
	return nil
}
