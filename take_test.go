package onerow_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
)

func TestTake(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	one, two := people(mem, []int64{1, 2}, []string{"Ada", ""}), people(mem, []int64{3}, []string{"Mary"})
	defer one.Release()
	defer two.Release()
	batches := []arrow.Record{one, two}
	for _, c := range []struct {
		rows onerow.Rows
		want string
	}{
		{onerow.Rows{2, 0, 0, 1}, `[3 1 1 2] ["Mary" "Ada" "Ada" (null)]`},
		{nil, `[] []`},
	} {
		rec, err := onerow.Take(context.Background(), batches, c.rows, onerow.Resources{Allocator: mem})
		if err != nil {
			t.Fatal(err)
		}
		if got := rec.Column(0).String() + " " + rec.Column(1).String(); got != c.want || rec.NumRows() != int64(len(c.rows)) {
			t.Errorf("rows %v: %s, want %s", c.rows, got, c.want)
		}
		if !rec.Schema().Equal(one.Schema()) {
			t.Errorf("schema %v", rec.Schema())
		}
		rec.Release()
	}
}

// TestTakeManyRows is long enough for several workers.
func TestTakeManyRows(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	one := people(mem, []int64{1, 2, 3}, []string{"a", "", "c"})
	defer one.Release()
	rows := make(onerow.Rows, 50_000)
	for i := range rows {
		rows[i] = uint32(i % 3)
	}
	rec, err := onerow.Take(context.Background(), []arrow.Record{one, one}, rows, onerow.Resources{Allocator: mem})
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Release()
	for i, r := range rows {
		if got := rec.Column(0).(*array.Int64).Value(i); got != int64(r)+1 {
			t.Fatalf("row %d: %d", i, got)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := onerow.Take(ctx, []arrow.Record{one}, rows, onerow.Resources{Allocator: mem}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// TestTakeDefaultAllocator has no allocator.
func TestTakeDefaultAllocator(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	one := people(mem, []int64{1}, []string{"Ada"})
	defer one.Release()
	rec, err := onerow.Take(context.Background(), []arrow.Record{one}, onerow.Rows{0}, onerow.Resources{})
	if err != nil {
		t.Fatal(err)
	}
	rec.Release()
}

// emptyBatch has one column without rows.
func emptyBatch(mem memory.Allocator, meta *arrow.Metadata, fields ...arrow.Field) arrow.Record {
	b := array.NewRecordBuilder(mem, arrow.NewSchema(fields, meta))
	defer b.Release()
	return b.NewRecord()
}

func TestTakeSchemas(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	i64, i32 := arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Int32
	meta := arrow.NewMetadata([]string{"k"}, []string{"v"})
	list := func(nullable bool) arrow.DataType {
		return arrow.ListOfField(arrow.Field{Name: "item", Type: i64, Nullable: nullable})
	}
	for _, c := range []struct {
		name     string
		one, two []arrow.Field
		mentions []string
	}{
		{"nullability and metadata", []arrow.Field{{Name: "a", Type: i64}, {Name: "b", Type: list(true)}}, []arrow.Field{{Name: "a", Type: i64, Nullable: true, Metadata: meta}, {Name: "b", Type: list(false)}}, nil},
		{"names", []arrow.Field{{Name: "a", Type: i64}}, []arrow.Field{{Name: "b", Type: i64}}, []string{`"a"`, `"b"`}},
		{"types", []arrow.Field{{Name: "a", Type: i64}}, []arrow.Field{{Name: "a", Type: i32}}, []string{`"a"`, "int32", "int64"}},
		{"units", []arrow.Field{{Name: "a", Type: arrow.FixedWidthTypes.Timestamp_us}}, []arrow.Field{{Name: "a", Type: arrow.FixedWidthTypes.Timestamp_ns}}, []string{`"a"`, "us", "ns"}},
		{"number", []arrow.Field{{Name: "a", Type: i64}}, nil, []string{"0 columns", "1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			one, two := emptyBatch(mem, nil, c.one...), emptyBatch(mem, &meta, c.two...)
			defer one.Release()
			defer two.Release()
			rec, err := onerow.Take(context.Background(), []arrow.Record{one, one, two}, nil, onerow.Resources{Allocator: mem})
			if c.mentions == nil {
				if err != nil {
					t.Fatal(err)
				}
				if !rec.Schema().Field(0).Nullable || rec.Schema().HasMetadata() {
					t.Errorf("schema %v", rec.Schema())
				}
				rec.Release()
				return
			}
			var schema *onerow.SchemaError
			if !errors.As(err, &schema) || !errors.Is(err, onerow.ErrSchema) || schema.Input != "batches" || schema.Batch != 2 {
				t.Fatalf("error %v", err)
			}
			for _, m := range c.mentions {
				if !strings.Contains(err.Error(), m) {
					t.Errorf("%q doesn't mention %s", err, m)
				}
			}
		})
	}
	if _, err := onerow.Take(context.Background(), nil, nil, onerow.Resources{Allocator: mem}); !errors.Is(err, onerow.ErrNoBatches) {
		t.Errorf("no batches: error %v", err)
	}
}

func TestTakeErrors(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	large := people(mem, []int64{1, 2}, []string{"short", strings.Repeat("x", 64<<20)})
	defer large.Release()
	batches := []arrow.Record{large}

	_, err := onerow.Take(context.Background(), batches, onerow.Rows{0, 2}, onerow.Resources{Allocator: mem})
	var row *onerow.RowError
	if !errors.As(err, &row) || !errors.Is(err, onerow.ErrRow) || row.Row != 2 || row.Rows != 2 {
		t.Errorf("error %v", err)
	}

	rows := make(onerow.Rows, 40)
	for i := range rows {
		rows[i] = 1
	}
	_, err = onerow.Take(context.Background(), batches, rows, onerow.Resources{Allocator: mem})
	var size *onerow.SizeError
	if !errors.As(err, &size) || !errors.Is(err, onerow.ErrTooLarge) || size.Column != "name" || size.Size != 40*64<<20 || size.Limit != math.MaxInt32 || size.Unit != "bytes" {
		t.Errorf("error %v", err)
	}

	schema := arrow.NewSchema([]arrow.Field{{Name: "broken", Type: arrow.BinaryTypes.String}}, nil)
	data := array.NewData(arrow.BinaryTypes.String, 1, []*memory.Buffer{nil, memory.NewBufferBytes([]byte{9, 0, 0, 0, 1, 0, 0, 0}), memory.NewBufferBytes([]byte{1})}, nil, 0, 0)
	defer data.Release()
	column := array.MakeFromData(data)
	defer column.Release()
	broken := array.NewRecord(schema, []arrow.Array{column}, 1)
	defer broken.Release()
	_, err = onerow.Take(context.Background(), []arrow.Record{broken}, onerow.Rows{0}, onerow.Resources{Allocator: mem})
	if !errors.Is(err, onerow.ErrMalformed) || !strings.Contains(err.Error(), `"broken"`) {
		t.Errorf("error %v", err)
	}
}

// TestTakeTooManyRows has batches of a column without storage.
func TestTakeTooManyRows(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	null := array.NewNull(math.MaxInt32)
	defer null.Release()
	rec := array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.Null}}, nil), []arrow.Array{null}, math.MaxInt32)
	defer rec.Release()
	got, err := onerow.Take(context.Background(), []arrow.Record{rec, rec}, onerow.Rows{math.MaxUint32 - 2}, onerow.Resources{Allocator: mem})
	if err != nil {
		t.Fatal(err)
	}
	got.Release()
	if _, err = onerow.Take(context.Background(), []arrow.Record{rec, rec, rec}, nil, onerow.Resources{Allocator: mem}); !errors.Is(err, onerow.ErrTooManyRows) {
		t.Errorf("error %v", err)
	}
}

// TestNegativeRows: Arrow lets a record of null-typed columns say so.
func TestNegativeRows(t *testing.T) {
	col := array.NewNull(-5)
	defer col.Release()
	rec := array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "k", Type: arrow.Null, Nullable: true}}, nil), []arrow.Array{col}, -1)
	defer rec.Release()
	if _, err := onerow.Partition(t.Context(), []arrow.Record{rec}, []string{"k"}, 4); !errors.Is(err, onerow.ErrMalformed) {
		t.Errorf("Partition: %v", err)
	}
	if _, err := onerow.Take(t.Context(), []arrow.Record{rec}, nil, onerow.Resources{}); !errors.Is(err, onerow.ErrMalformed) {
		t.Errorf("Take: %v", err)
	}
}
