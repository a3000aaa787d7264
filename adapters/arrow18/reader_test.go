package arrow18_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	arrow15 "github.com/apache/arrow/go/v15/arrow"
	array15 "github.com/apache/arrow/go/v15/arrow/array"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/adapters/arrow18"
	"github.com/onerow-go/onerow/dedupe"
	"github.com/onerow-go/onerow/join"
)

var errLine = errors.New("the line is dead")

// stream gives batches that it makes one by one, and keeps none; then it fails with err.
func stream(t testing.TB, mem *checked, n int, err error) array.RecordReader {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "word", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}, Nullable: true},
	}, nil)
	return array.ReaderFromIter(schema, func(yield func(arrow.RecordBatch, error) bool) {
		var words arrow.Array
		for i := range n {
			if i%4 == 0 {
				if words != nil {
					words.Release()
				}
				words = column{"word", schema.Field(1).Type, repeated}.build(t, mem)
			}
			ids := column{"id", arrow.PrimitiveTypes.Int64, numbers}.build(t, mem)
			batch := array.NewRecordBatch(schema, []arrow.Array{ids, words}, 5)
			ids.Release()
			if !yield(batch, nil) {
				break
			}
		}
		if words != nil {
			words.Release()
		}
		if err != nil {
			yield(nil, err)
		}
	})
}

func TestReaders(t *testing.T) {
	mem := checked18(t)
	source := stream(t, mem, 10, nil)
	there, err := arrow18.FromReader(source)
	if err != nil {
		t.Fatal(err)
	}
	source.Release()
	back, err := arrow18.ToReader(there)
	if err != nil {
		t.Fatal(err)
	}
	there.Retain()
	there.Release()
	there.Release()
	if back.RecordBatch() != nil || back.Schema().NumFields() != 2 {
		t.Error("a batch before the first")
	}
	var kept arrow.RecordBatch
	var dict arrow.ArrayData
	n := 0
	for ; back.Next(); n++ {
		batch := back.RecordBatch()
		if cells(batch.Column(0)) != "1\n0\nnull\n100\n7\n" || cells(batch.Column(1)) != cells15(repeated) {
			t.Errorf("batch %d: %v", n, batch)
		}
		if same := batch.Column(1).Data().Dictionary() == dict; same != (n%4 != 0) {
			t.Errorf("batch %d: the dictionary of the batch before: %v", n, same)
		}
		dict = batch.Column(1).Data().Dictionary()
		if n == 2 {
			kept = batch
			kept.Retain()
		}
	}
	if n != 10 || back.Err() != nil || back.RecordBatch() != nil || back.Next() {
		t.Errorf("%d batches, %v", n, back.Err())
	}
	back.Retain()
	back.Release()
	back.Release()
	if cells(kept.Column(0)) != "1\n0\nnull\n100\n7\n" {
		t.Errorf("kept: %v", kept)
	}
	kept.Release()
}

func cells15(text string) string {
	return strings.NewReplacer("[", "", "]", "\n", ", ", "\n").Replace(text)
}

// A stream keeps the dictionaries of its last batch alone.
func TestReaderForgets(t *testing.T) {
	mem := checked18(t)
	source := stream(t, mem, 40, nil)
	defer source.Release()
	there, err := arrow18.FromReader(source)
	if err != nil {
		t.Fatal(err)
	}
	defer there.Release()
	held := 0
	for n := 0; there.Next(); n++ {
		if n == 2 {
			held = mem.CurrentAlloc()
		}
		if got := mem.CurrentAlloc(); n%4 == 2 && got != held {
			t.Errorf("batch %d: %d bytes are held, and %d were at the third", n, got, held)
		}
	}
}

// A stream that isn't read to its end, and one that nobody reads.
func TestReaderLeftEarly(t *testing.T) {
	mem := checked18(t)
	for n := range 3 {
		source := stream(t, mem, 10, nil)
		there, err := arrow18.FromReader(source)
		if err != nil {
			t.Fatal(err)
		}
		back, err := arrow18.ToReader(there)
		if err != nil {
			t.Fatal(err)
		}
		for range n {
			back.Next()
		}
		back.Release()
		there.Release()
		source.Release()
	}
}

// What a stream fails with, what is made of it fails with.
func TestReaderFails(t *testing.T) {
	mem := checked18(t)
	source := stream(t, mem, 3, errLine)
	there, err := arrow18.FromReader(source)
	if err != nil {
		t.Fatal(err)
	}
	back, err := arrow18.ToReader(there)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for back.Next() {
		n++
	}
	if n != 3 || !errors.Is(back.Err(), errLine) || !errors.Is(there.Err(), errLine) {
		t.Errorf("%d batches, %v, %v", n, back.Err(), there.Err())
	}
	back.Release()
	there.Release()
	source.Release()

	source = stream(t, mem, 3, errLine)
	if _, err := arrow18.ReadAll(t.Context(), source); !errors.Is(err, errLine) {
		t.Errorf("ReadAll: got %v", err)
	}
	source.Release()

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	source = stream(t, mem, 3, nil)
	if _, err := arrow18.ReadAll(ctx, source); !errors.Is(err, context.Canceled) {
		t.Errorf("ReadAll: got %v", err)
	}
	source.Release()
}

// A batch that can't be converted ends the stream.
func TestReaderOfBrokenBatches(t *testing.T) {
	b := array.NewInt64Builder(checked18(t))
	b.Append(1)
	arr := b.NewArray()
	b.Release()
	defer arr.Release()
	schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Int64}}, nil)
	good, bad := array.NewRecordBatch(schema, []arrow.Array{arr}, 1), fakeBatch{schema: schema, columns: []arrow.Array{arr}, rows: 2}
	defer good.Release()
	there, err := arrow18.FromReader(&listReader{schema: schema, batches: []arrow.RecordBatch{good, bad, good}})
	if err != nil {
		t.Fatal(err)
	}
	defer there.Release()
	n := 0
	for there.Next() {
		n++
	}
	if n != 1 || !errors.Is(there.Err(), onerow.ErrMalformed) || !strings.Contains(there.Err().Error(), "batch 1: ") || there.Next() || there.Record() != nil {
		t.Errorf("%d batches, %v", n, there.Err())
	}
	if _, err := arrow18.ReadAll(t.Context(), &listReader{schema: schema, batches: []arrow.RecordBatch{good, bad}}); !errors.Is(err, onerow.ErrMalformed) {
		t.Errorf("ReadAll: got %v", err)
	}
}

// listReader reads batches that nobody has looked at.
type listReader struct {
	array.RecordReader
	schema  *arrow.Schema
	batches []arrow.RecordBatch
	at      int
}

func (l *listReader) Retain()                        {}
func (l *listReader) Release()                       {}
func (l *listReader) Schema() *arrow.Schema          { return l.schema }
func (l *listReader) Next() bool                     { l.at++; return l.at <= len(l.batches) }
func (l *listReader) RecordBatch() arrow.RecordBatch { return l.batches[l.at-1] }
func (l *listReader) Err() error                     { return nil }

// Streams of v18 go into the verbs as they are.
func TestStreamsIntoVerbs(t *testing.T) {
	mem := checked18(t)
	var sides []array15.RecordReader
	for range 2 {
		source := stream(t, mem, 10, nil)
		there, err := arrow18.FromReader(source)
		if err != nil {
			t.Fatal(err)
		}
		source.Release()
		defer there.Release()
		sides = append(sides, there)
	}
	size, err := join.EstimateReaders(t.Context(), sides[0], sides[1], join.On("id", "word"), join.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if size.Rows.Inner != join.CountOf(4*10*10) {
		t.Errorf("%v rows", size.Rows.Inner)
	}

	source := stream(t, mem, 10, nil)
	defer source.Release()
	in, err := arrow18.ReadAll(t.Context(), source)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Release()
	plan, err := dedupe.Latest(t.Context(), in, []string{"id"}, []onerow.Order{onerow.Asc("word").NullsHighest()}, dedupe.Options{NullKey: onerow.EqualNullKeys})
	if err != nil {
		t.Fatal(err)
	}
	latest, err := arrow18.Move(plan.Take(t.Context(), mem))
	if err != nil {
		t.Fatal(err)
	}
	if got := latest.NumRows(); got != 5 {
		t.Errorf("%d rows: %v", got, latest)
	}
	latest.Release()
}

var _ = []arrow15.Record(arrow18.Records(nil))
