package frame_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/frame"
)

// empty makes a batch without rows.
func empty(t *testing.T, mem memory.Allocator, columns ...string) arrow.Record {
	t.Helper()
	return arrowtest.Table(t, mem, columns, nil)[0]
}

// record makes a batch of arrays, which it takes over; each is named by its place: a, b, c…
func record(t *testing.T, rows int64, cols ...arrow.Array) arrow.Record {
	t.Helper()
	var fields []arrow.Field
	for i, c := range cols {
		fields = append(fields, arrow.Field{Name: string(rune('a' + i)), Type: c.DataType(), Nullable: true})
	}
	rec := array.NewRecord(arrow.NewSchema(fields, nil), cols, rows)
	t.Cleanup(rec.Release)
	for _, c := range cols {
		c.Release()
	}
	return rec
}

func TestNew(t *testing.T) {
	mem := arrowtest.Allocator(t)
	one := arrowtest.Batches(t, mem, []string{"k:int64", "v:string!"}, [][]any{{1, "a"}, {2, "b"}}, nil, [][]any{{3, "c"}})
	f, err := frame.New("batches", one)
	if err != nil {
		t.Fatal(err)
	}
	if f.Rows != 3 || f.Input != "batches" || len(f.Batches) != 3 || f.Schema != one[0].Schema() {
		t.Errorf("%+v", f)
	}
	if f, err := frame.New("batches", nil); err != nil || f.Rows != 0 || f.Schema != nil || f.Has("k") {
		t.Errorf("without batches: %+v, %v", f, err)
	}
	for _, test := range []struct {
		name    string
		batches []arrow.Record
		batch   int
		why     string
	}{
		{"a name", []arrow.Record{one[0], one[1], empty(t, mem, "k:int64", "w:string!")}, 2, `column 1 is "w", not "v"`},
		{"a type", []arrow.Record{one[0], empty(t, mem, "k:int32", "v:string!")}, 1, `column "k" is of type int32, not int64`},
		{"a zone", []arrow.Record{empty(t, mem, "k:timestamp[s,UTC]"), empty(t, mem, "k:timestamp[s]")}, 1,
			`column "k" is of type timestamp[s], not timestamp[s, tz=UTC]`},
		{"the order", []arrow.Record{one[0], empty(t, mem, "v:string!", "k:int64")}, 1, `column 0 is "v", not "k"`},
		{"the number", []arrow.Record{one[0], empty(t, mem, "k:int64")}, 1, "it has 1 columns, not 2"},
		{"a nil record first", []arrow.Record{nil}, 0, "it is nil"},
		{"a nil record", []arrow.Record{one[0], nil, one[2]}, 1, "it is nil"},
	} {
		_, err := frame.New("against", test.batches)
		var got *onerow.SchemaError
		if !errors.As(err, &got) || *got != (onerow.SchemaError{Input: "against", Batch: test.batch, Why: test.why}) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

// TestSameSchema: metadata and nullability, of fields within a column too, make no other schema.
func TestSameSchema(t *testing.T) {
	mem := arrowtest.Allocator(t)
	note := arrow.NewMetadata([]string{"note"}, []string{"other"})
	plain := empty(t, mem, "k:int64", "v:string")
	fields := plain.Schema().Fields()
	fields[0].Metadata, fields[1].Nullable = note, false
	other := array.NewRecord(arrow.NewSchema(fields, &note), plain.Columns(), 0)
	defer other.Release()
	if _, err := frame.New("batches", []arrow.Record{plain, other, plain}); err != nil {
		t.Errorf("%v", err)
	}
	var inner []arrow.Record
	for _, nullable := range []bool{true, false} {
		b := array.NewBuilder(mem, arrow.StructOf(arrow.Field{Name: "i", Type: arrow.PrimitiveTypes.Int8, Nullable: nullable}))
		inner = append(inner, record(t, 0, b.NewArray()))
		b.Release()
	}
	if _, err := frame.New("batches", inner); err != nil {
		t.Errorf("%v", err)
	}
}

func TestIndex(t *testing.T) {
	mem := arrowtest.Allocator(t)
	f, err := frame.New("against", []arrow.Record{empty(t, mem, "k:int64", "v:string", "k:int8", "K:bool")})
	if err != nil {
		t.Fatal(err)
	}
	if i, err := f.Index("v"); i != 1 || err != nil || !f.Has("v") || !f.Has("k") || f.Has("x") {
		t.Errorf("v is column %d, %v", i, err)
	}
	for name, found := range map[string]int{"k": 2, "x": 0, "": 0, "V": 0} {
		_, err := f.Index(name)
		var got *onerow.ColumnError
		want := onerow.ColumnError{Column: name, Input: "against", Found: found, Have: []string{"k", "v", "k", "K"}}
		if !errors.As(err, &got) || !reflect.DeepEqual(*got, want) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// TestNegativeRows: Arrow lets an array of the null type have any length.
func TestNegativeRows(t *testing.T) {
	_, err := frame.New("against", []arrow.Record{record(t, 3, array.NewNull(3)), record(t, -1, array.NewNull(-5))})
	if !errors.Is(err, onerow.ErrMalformed) || !strings.Contains(err.Error(), "against: batch 1 has -5 rows") {
		t.Errorf("%v", err)
	}
}
