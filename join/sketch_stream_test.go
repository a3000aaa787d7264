package join_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/join"
)

// keyReader gives batches that next makes until it returns nil, each released when the next is asked for; then it fails with err.
type keyReader struct {
	array.RecordReader // for the methods that aren't called
	schema             *arrow.Schema
	next               func(n int) arrow.Record
	batch              arrow.Record
	n                  int
	err                error
}

func (r *keyReader) Schema() *arrow.Schema { return r.schema }
func (r *keyReader) Record() arrow.Record  { return r.batch }
func (r *keyReader) Err() error            { return r.err }

func (r *keyReader) Next() bool {
	if r.batch != nil {
		r.batch.Release()
	}
	r.batch = r.next(r.n)
	r.n++
	return r.batch != nil
}

var wideSchema = arrow.NewSchema([]arrow.Field{{Name: "payload", Type: arrow.BinaryTypes.Binary}, {Name: "k", Type: arrow.PrimitiveTypes.Int64}}, nil)

// wideBatch has the given keys, and a payload of 64 kB a row; without keys too it has memory.
func wideBatch(mem memory.Allocator, keys ...int64) arrow.Record {
	b := array.NewRecordBuilder(mem, wideSchema)
	defer b.Release()
	b.Reserve(16)
	for _, k := range keys {
		b.Field(0).(*array.BinaryBuilder).Append(make([]byte, 1<<16))
		b.Field(1).(*array.Int64Builder).Append(k)
	}
	return b.NewRecord()
}

// A stream is held no longer than its keys are needed: not its other columns, and no batches without rows.
func TestReadSketchHoldsKeys(t *testing.T) {
	mem := arrowtest.Allocator(t)
	most := 0
	r := &keyReader{schema: wideSchema, next: func(n int) arrow.Record {
		most = max(most, mem.CurrentAlloc())
		switch {
		case n == 5000:
			return nil
		case n%50 == 0:
			return wideBatch(mem, int64(n), int64(n/100))
		}
		return wideBatch(mem)
	}}
	s, err := join.ReadSketch(context.Background(), r, []string{"k"}, join.SketchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if side := s.Side(); side.Rows != 200 || !side.Exact {
		t.Errorf("%+v", side)
	}
	if most > 1<<20 {
		t.Errorf("%d bytes were held", most)
	}
}

// Streams of one piece and of few keys are summarised as NewSketch does it.
func TestReadSketchIsNewSketch(t *testing.T) {
	defer join.SetSketchRows(1000)()
	for _, keys := range [][]int64{everyKey(900, 0), slices.Concat(everyKey(60, 0), everyKey(60, 0), everyKey(1000, 0)[:0]), nil, {7}} {
		batch := intKeys(t, keys)[0]
		reader, err := array.NewRecordReader(batch.Schema(), []arrow.Record{batch})
		if err != nil {
			t.Fatal(err)
		}
		s, err := join.ReadSketch(context.Background(), reader, []string{"k"}, join.SketchOptions{Keys: 64})
		reader.Release()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(sketchBytes(t, s), sketchBytes(t, sketchInts(t, keys, 64))) {
			t.Errorf("%d rows: %+v", len(keys), s.Side())
		}
	}
	var many []arrow.Record
	var all []int64
	for i := range 30 {
		keys := slices.Concat(everyKey(50, i%10), everyKey(50, 0))
		all = append(all, keys...)
		many = append(many, intKeys(t, keys)...)
	}
	reader, err := array.NewRecordReader(many[0].Schema(), many)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Release()
	s, err := join.ReadSketch(context.Background(), reader, []string{"k"}, join.SketchOptions{Keys: 64})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(sketchBytes(t, s), sketchBytes(t, sketchInts(t, all, 64))) {
		t.Errorf("%+v", s.Side())
	}
}

// What is wrong with a stream is an error, and nothing of it is kept.
func TestReadSketchErrors(t *testing.T) {
	mem := arrowtest.Allocator(t)
	broken := errors.New("broken pipe")
	other := arrow.NewSchema([]arrow.Field{{Name: "k", Type: arrow.BinaryTypes.String}}, nil)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	reads := func(n int) arrow.Record {
		if n == 3 {
			return nil
		}
		return wideBatch(mem, 1, 2)
	}
	stops := func(n int) arrow.Record {
		if n == 2 {
			cancel()
		}
		return wideBatch(mem)
	}
	changes := func(n int) arrow.Record {
		if n == 1 {
			b := array.NewRecordBuilder(mem, other)
			defer b.Release()
			return b.NewRecord()
		}
		return wideBatch(mem, 1)
	}
	for _, c := range []struct {
		ctx  context.Context
		r    array.RecordReader
		key  []string
		opts join.SketchOptions
		want error
	}{
		{context.Background(), nil, []string{"k"}, join.SketchOptions{}, onerow.ErrOption},
		{context.Background(), &keyReader{schema: wideSchema, next: reads, err: broken}, []string{"k"}, join.SketchOptions{}, broken},
		{context.Background(), &keyReader{schema: wideSchema, next: changes}, []string{"k"}, join.SketchOptions{}, onerow.ErrSchema},
		{context.Background(), &keyReader{schema: wideSchema, next: reads}, nil, join.SketchOptions{}, onerow.ErrNoKey},
		{context.Background(), &keyReader{schema: wideSchema, next: reads}, []string{"j"}, join.SketchOptions{}, onerow.ErrNoColumn},
		{context.Background(), &keyReader{schema: wideSchema, next: reads}, []string{"k", "k"}, join.SketchOptions{}, onerow.ErrOption},
		{context.Background(), &keyReader{schema: wideSchema, next: reads}, []string{"k"}, join.SketchOptions{Keys: 63}, onerow.ErrOption},
		{context.Background(), &keyReader{schema: wideSchema, next: reads}, []string{"k"}, join.SketchOptions{Keys: -1}, onerow.ErrOption},
		{context.Background(), &keyReader{schema: wideSchema, next: reads}, []string{"k"}, join.SketchOptions{Nulls: 9}, onerow.ErrOption},
		{context.Background(), &keyReader{next: reads}, []string{"k"}, join.SketchOptions{}, onerow.ErrNoColumn},
		{ctx, &keyReader{schema: wideSchema, next: stops}, []string{"k"}, join.SketchOptions{}, context.Canceled},
		{ctx, &keyReader{schema: wideSchema, next: stops}, []string{"k"}, join.SketchOptions{}, context.Canceled},
	} {
		s, err := join.ReadSketch(c.ctx, c.r, c.key, c.opts)
		if s != nil || !errors.Is(err, c.want) {
			t.Errorf("%v, not %v", err, c.want)
		}
		if r, ok := c.r.(*keyReader); ok && r.batch != nil {
			r.batch.Release()
		}
	}
}

// NewSketch refuses what isn't a side, and says why.
func TestNewSketchErrors(t *testing.T) {
	mem := arrowtest.Allocator(t)
	batch := func(column string, cells ...any) arrow.Record {
		var rows [][]any
		for _, c := range cells {
			rows = append(rows, []any{c})
		}
		return arrowtest.Table(t, mem, []string{column}, rows)[0]
	}
	k := batch("k:int64", 1)
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	for what, c := range map[string]struct {
		ctx     context.Context
		batches []arrow.Record
		key     []string
		opts    join.SketchOptions
		want    error
	}{
		"no key":            {context.Background(), []arrow.Record{k}, nil, join.SketchOptions{}, onerow.ErrNoKey},
		"no column":         {context.Background(), []arrow.Record{k}, []string{"j"}, join.SketchOptions{}, onerow.ErrNoColumn},
		"a column twice":    {context.Background(), nil, []string{"k", "k"}, join.SketchOptions{}, onerow.ErrOption},
		"a nil batch":       {context.Background(), []arrow.Record{k, nil}, []string{"k"}, join.SketchOptions{}, onerow.ErrSchema},
		"another schema":    {context.Background(), []arrow.Record{k, batch("k:string", "a")}, []string{"k"}, join.SketchOptions{}, onerow.ErrSchema},
		"no key type":       {context.Background(), []arrow.Record{batch("k:map<string,int8>")}, []string{"k"}, join.SketchOptions{}, onerow.ErrType},
		"too large":         {context.Background(), nil, []string{"k"}, join.SketchOptions{Keys: join.MaxSketchKeys + 1}, onerow.ErrOption},
		"a budget below 0":  {context.Background(), nil, []string{"k"}, join.SketchOptions{Resources: onerow.Resources{Memory: -1}}, onerow.ErrOption},
		"an ended context":  {gone, []arrow.Record{k}, []string{"k"}, join.SketchOptions{}, context.Canceled},
		"ended, no batches": {gone, nil, []string{"k"}, join.SketchOptions{}, context.Canceled},
	} {
		if s, err := join.NewSketch(c.ctx, c.batches, c.key, c.opts); s != nil || !errors.Is(err, c.want) {
			t.Errorf("%s: %v, not %v", what, err, c.want)
		}
	}
}

// The context may end in either stage, in one that reads a stream too.
func TestSketchCancelled(t *testing.T) {
	keys := append(everyKey(300_000, 0), everyKey(100_000, 0)...)
	batch := intKeys(t, keys)[0]
	for _, stage := range []onerow.Stage{onerow.StageEncode, onerow.StageGroup} {
		for _, stream := range []bool{false, true} {
			ctx, cancel := context.WithCancel(context.Background())
			saw := false
			opts := join.SketchOptions{Resources: onerow.Resources{Workers: 2, Progress: func(_, _ int64, at onerow.Stage) {
				if at == stage {
					saw = true
					cancel()
				}
			}}}
			var err error
			if stream {
				reader, e := array.NewRecordReader(batch.Schema(), []arrow.Record{batch})
				if e != nil {
					t.Fatal(e)
				}
				_, err = join.ReadSketch(ctx, reader, []string{"k"}, opts)
				reader.Release()
			} else {
				_, err = join.NewSketch(ctx, []arrow.Record{batch}, []string{"k"}, opts)
			}
			if !saw || !errors.Is(err, context.Canceled) {
				t.Errorf("stage %v, stream %v: %v", stage, stream, err)
			}
			cancel()
		}
	}
}

// Progress tells of all rows in both stages.
func TestSketchProgress(t *testing.T) {
	batch := intKeys(t, append(everyKey(1000, 0), everyKey(100, 0)...))
	done := map[onerow.Stage]int64{}
	opts := join.SketchOptions{Resources: onerow.Resources{Workers: 1, Progress: func(n, total int64, at onerow.Stage) {
		done[at] = n
		if total != 1100 {
			t.Errorf("%d of %d", n, total)
		}
	}}}
	if _, err := join.NewSketch(context.Background(), batch, []string{"k"}, opts); err != nil {
		t.Fatal(err)
	}
	if done[onerow.StageEncode] != 1100 || done[onerow.StageGroup] != 1100 {
		t.Errorf("%v", done)
	}
}
