package join

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/frame"
	"github.com/onerow-go/onerow/internal/keyset"
)

// NewSketch summarises the keys of one side of a join. The batches are one table (see package onerow); key are its key columns, in the order in
// which they are paired with those of the other side. The batches remain the caller's.
//
// It reads the key columns once, and needs 24 to 32 bytes of memory a row while it runs. The sketch doesn't depend on how the rows are cut into
// batches, on encodings or on the number of workers, and on the order of rows only in how keys that have several forms (0 and -0) are shown. It
// returns ctx.Err() soon after the context ends.
//
// Errors wrap [onerow.ErrNoKey], [onerow.ErrNoColumn], [onerow.ErrType], [onerow.ErrSchema], [onerow.ErrOption], [onerow.ErrTooManyRows] or
// [onerow.ErrMalformed]. What is wrong with several columns comes back together.
func NewSketch(ctx context.Context, batches []arrow.Record, key []string, opts SketchOptions) (*Sketch, error) {
	return newSketch(ctx, "batches", batches, key, opts)
}

func newSketch(ctx context.Context, input string, batches []arrow.Record, key []string, opts SketchOptions) (s *Sketch, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := opts.check(); err != nil {
		return nil, err
	}
	err = keyset.Guard(func() error {
		f, err := frame.New(input, batches)
		if err != nil {
			return err
		}
		t, err := frame.NewTable(frame.Part{Frame: f})
		if err != nil {
			return err
		}
		if s, err = emptySketch(f, key, opts); err != nil || f.Rows == 0 {
			return errors.Join(err, ctx.Err())
		}
		cols, err := t.Keys(key)
		if err != nil {
			return err
		}
		s.rows = uint64(f.Rows)
		b := &sketching{s: s, table: t, cols: cols, keys: keyset.NewStableKeys(cols, opts.Nulls == NullsEqual), res: opts.Resources}
		if b.keys.OneWord() {
			return sketchKeys[[1]uint64](ctx, b)
		}
		return sketchKeys[[2]uint64](ctx, b)
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// emptySketch checks the key against the schema. Without one, its columns have the null type, which goes with all others.
func emptySketch(f *frame.Frame, key []string, opts SketchOptions) (*Sketch, error) {
	if len(key) == 0 {
		return nil, onerow.ErrNoKey
	}
	s := &Sketch{nulls: opts.Nulls, size: opts.Keys}
	var errs []error
	for i, name := range key {
		c := sketchColumn{name: name, typ: arrow.Null}
		switch at, err := f.Index(name); {
		case slices.Contains(key[:i], name):
			errs = append(errs, fmt.Errorf("%w: the key names column %q twice", onerow.ErrOption, name))
		case f.Schema == nil:
		case err != nil:
			errs = append(errs, err)
		default:
			typ := f.Schema.Field(at).Type
			ok, why := form.IsKey(typ)
			if ok {
				c.typ = family(typ)
				ok, why = sketchable(c.typ)
			}
			if !ok {
				errs = append(errs, &onerow.TypeError{Column: name, Type: typ, Input: f.Input, Why: why})
			}
		}
		s.columns = append(s.columns, c)
	}
	return s, errors.Join(errs...)
}

// sketching is a call of NewSketch with its columns found.
//
//	rows ─► deal: an entry a row ─► partitions ─► count: a table ─► each key: the sample, the heavy keys, or its bucket
type sketching struct {
	s     *Sketch
	table *frame.Table
	cols  []*form.Column
	keys  *keyset.Keys
	res   onerow.Resources
}

// sketchedKey is a distinct key on its way into a sketch.
type sketchedKey struct {
	hash  uint64
	row   uint32 // the first that has the key
	count uint32
}

// sketchPayload is the hash of a key, in halves, and its number of rows: an entry of 24 or 32 bytes.
type sketchPayload struct{ hi, lo, rows uint32 }

type sketchEntry[K keyset.Words] = keyset.Entry[K, sketchPayload]

// sketcher is one worker's part.
type sketcher[K keyset.Words] struct {
	parts    *keyset.Parts[K, sketchPayload]
	table    *keyset.Table[K, sketchPayload]
	block    *keyset.Block[K]
	payload  []sketchPayload
	nullRows uint64
	keys     uint64
	sample   foremost
	heavy    foremost
	buckets  []bucket
	watch    keyset.Watch
}

func sketchKeys[K keyset.Words](ctx context.Context, b *sketching) error {
	bits := keyset.PartBits(int64(b.s.rows))
	spans := keyset.Spans(b.table.Lens(), b.table.Start)
	workers := make([]*sketcher[K], min(b.res.WorkerCount(), max(len(spans), 1<<bits)))
	for i := range workers {
		w := &sketcher[K]{parts: keyset.NewParts[K, sketchPayload](bits), table: keyset.NewTable[K, sketchPayload](b.keys),
			block: keyset.NewHashBlock[K](b.keys), payload: make([]sketchPayload, keyset.BlockRows),
			buckets: make([]bucket, bucketCount(b.s.size)), watch: keyset.NewWatch(ctx)}
		w.sample, w.heavy = b.foremost(w.buckets)
		workers[i] = w
	}
	defer func() {
		for _, w := range workers {
			w.parts.Release()
		}
	}()
	progress := frame.NewProgress(b.res)
	progress.Start(onerow.StageEncode, int64(b.s.rows))
	err := keyset.Run(ctx, len(workers), len(spans), func(w, task int) error {
		workers[w].deal(b.keys, spans[task])
		progress.Add(int64(spans[task].N))
		return nil
	})
	if err != nil {
		return err
	}
	for _, w := range workers {
		b.s.nullRows += w.nullRows
	}
	progress.Start(onerow.StageGroup, int64(b.s.keyed()))
	err = keyset.Run(ctx, len(workers), 1<<bits, func(w, part int) error {
		n, err := workers[w].count(workers, part)
		progress.Add(n)
		return err
	})
	if err != nil {
		return err
	}
	return collectSketch(ctx, b, workers)
}

// deal reads the keys of a span and deals its rows out.
func (w *sketcher[K]) deal(keys *keyset.Keys, s keyset.Span) {
	s.Blocks(func(lo, n int, row uint32) {
		keyset.Read(keys, s.Chunk, lo, n, w.block)
		w.nullRows += uint64(w.block.NullRows)
		payload := w.payload[:n]
		for i, h := range w.block.Hash[:n] {
			payload[i] = sketchPayload{hi: uint32(h >> 32), lo: uint32(h), rows: 1}
		}
		var skip []uint8
		if w.block.AnyNull {
			skip = w.block.Null
		}
		w.parts.AddBlock(w.block.Keys, payload, skip, row)
	})
}

// count counts the keys of one partition, and returns its number of rows.
func (w *sketcher[K]) count(workers []*sketcher[K], part int) (rows int64, err error) {
	w.table.Fill(func() {
		for _, from := range workers {
			from.parts.Chunks(part, func(chunk []sketchEntry[K]) {
				if !w.watch.OverAfter(len(chunk)) {
					w.insert(chunk)
				}
			})
		}
	})
	if err := w.watch.Err(); err != nil {
		return 0, err
	}
	w.keys += uint64(w.table.Len())
	w.table.All(func(e *sketchEntry[K]) {
		k := sketchedKey{hash: sketchHash(uint64(e.Payload.hi)<<32 | uint64(e.Payload.lo)), row: e.Row(), count: e.Payload.rows}
		rows += int64(k.count)
		w.buckets[bucketOf(k.hash, len(w.buckets))].rows += uint64(k.count)
		w.sample.add(k)
		if k.count > 1 {
			w.heavy.add(k)
		} else {
			w.heavy.drop(k)
		}
	})
	return rows, nil
}

// insert is the hot loop.
func (w *sketcher[K]) insert(chunk []sketchEntry[K]) {
	t := w.table
	start := t.Starts(chunk)
	for i := range chunk {
		e := &chunk[i]
		s := t.Hit(e, start[i])
		if s == nil {
			var fresh bool
			if s, fresh = t.At(e, start[i]); fresh {
				continue
			}
		}
		s.Payload.rows += e.Payload.rows
		s.Row1 = min(s.Row1, e.Row1)
	}
}

// collectSketch puts together what the workers have.
func collectSketch[K keyset.Words](ctx context.Context, b *sketching, workers []*sketcher[K]) (err error) {
	s := b.s
	buckets := make([]bucket, bucketCount(s.size))
	sample, heavy := b.foremost(buckets)
	sample.next, heavy.next = math.MaxInt, math.MaxInt
	keys := uint64(0)
	for _, w := range workers {
		keys += w.keys
		for i, o := range w.buckets {
			buckets[i].addDisjoint(o)
		}
		for _, k := range w.sample.keys {
			sample.add(k)
		}
		for _, k := range w.heavy.keys {
			heavy.add(k)
		}
	}
	if s.sample, err = b.named(ctx, &sample); err != nil {
		return err
	}
	if s.full = keys > uint64(s.size); !s.full {
		return nil
	}
	s.least, s.buckets = keys, buckets
	s.heavy, err = b.named(ctx, &heavy)
	return err
}
