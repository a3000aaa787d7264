package arrow18_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	arrow15 "github.com/apache/arrow/go/v15/arrow"
	array15 "github.com/apache/arrow/go/v15/arrow/array"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/adapters/arrow18"
	"github.com/onerow-go/onerow/dedupe"
	"github.com/onerow-go/onerow/grain"
	"github.com/onerow-go/onerow/join"
	"github.com/onerow-go/onerow/onerowtest"
	"github.com/onerow-go/onerow/scd2"
)

// exampleT stands in for the *testing.T that onerowtest makes tables for.
type exampleT struct{ cleanups []func() }

func (t *exampleT) Helper()                           {}
func (t *exampleT) Errorf(format string, args ...any) { fmt.Printf(format+"\n", args...) }
func (t *exampleT) Fatalf(format string, args ...any) { log.Fatalf(format, args...) }
func (t *exampleT) Cleanup(f func())                  { t.cleanups = append(t.cleanups, f) }

func (t *exampleT) end() {
	for i := len(t.cleanups) - 1; i >= 0; i-- {
		t.cleanups[i]()
	}
}

// batches are batches of v18, as a database driver returns them; the example releases them at its end.
func batches(t *exampleT, text string) []arrow.RecordBatch {
	out, err := arrow18.ToBatches(onerowtest.Records(t, text))
	if err != nil {
		log.Fatal(err)
	}
	for _, b := range out {
		t.Cleanup(b.Release)
	}
	return out
}

// show prints batches of v18, and releases them.
func show(batches ...arrow.RecordBatch) {
	records, err := arrow18.FromBatches(batches)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(onerowtest.Text(records))
	records.Release()
	for _, b := range batches {
		b.Release()
	}
}

const (
	feed = `
		id:int64  lsn:int64  city:string
		1         10         Rome
		2         11         Lima
		1         12         Oslo`
	cities = `
		id:int64  city:string  valid_from:date32  valid_to:date32
		1         Rome         2026-01-01         -`
	moves = `
		id:int64  city:string  day:date32
		1         Oslo         2026-03-01`
)

func ExampleLatest() {
	t := &exampleT{}
	defer t.end()

	latest, report, err := arrow18.Latest(context.Background(), batches(t, feed), []string{"id"}, []onerow.Order{onerow.Desc("lsn")}, dedupe.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report)
	show(latest)
	// Output:
	// rows in       3
	//   kept        2
	//   superseded  1
	//   duplicates  0
	// id:int64  lsn:int64  city:string
	// 2         11         Lima
	// 1         12         Oslo
}

func ExampleApply() {
	t := &exampleT{}
	defer t.end()

	history, report, err := arrow18.Apply(context.Background(), batches(t, cities), scd2.Table{Key: []string{"id"}},
		batches(t, moves), scd2.Options{Mode: scd2.Changes, At: []onerow.Order{onerow.Desc("day")}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Insert, "inserted,", report.Close, "closed")
	show(history...)
	// Output:
	// 1 inserted, 1 closed
	// id:int64  city:string  valid_from:date32  valid_to:date32
	// 1         Rome         2026-01-01         2026-03-01
	// 1         Oslo         2026-03-01         -
}

func ExampleCheck() {
	t := &exampleT{}
	defer t.end()

	report, err := arrow18.Check(context.Background(), batches(t, feed), []string{"id"}, grain.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Err())
	// Output:
	// duplicate key: 1 key: more than one row each, 1 row beyond the first ones; id=1 in 2 rows (rows 0, 2)
}

func ExampleEstimate() {
	t := &exampleT{}
	defer t.end()

	size, err := arrow18.Estimate(context.Background(), batches(t, feed), batches(t, cities), join.On("id"), join.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(size.Rows.Inner, "rows of an inner join;", size.Require(join.ManyToOne))
	// Output:
	// 2 rows of an inner join; <nil>
}

// A verb that has no function of its own here takes the Records; so do options that hold batches.
func ExampleFromBatches() {
	t := &exampleT{}
	defer t.end()
	ctx := context.Background()

	in, err := arrow18.FromBatches(batches(t, feed))
	if err != nil {
		log.Fatal(err)
	}
	defer in.Release()
	target, err := arrow18.FromBatches(batches(t, `
		id:int64  lsn:int64  city:string
		1         20         Bonn`))
	if err != nil {
		log.Fatal(err)
	}
	defer target.Release()

	plan, err := dedupe.Latest(ctx, in, []string{"id"}, []onerow.Order{onerow.Desc("lsn")}, dedupe.Options{Against: target})
	if err != nil {
		log.Fatal(err)
	}
	latest, err := arrow18.Move(plan.Take(ctx, nil))
	if err != nil {
		log.Fatal(err)
	}
	show(latest)
	// Output:
	// id:int64  lsn:int64  city:string
	// 2         11         Lima
}

func ExampleRecords_Release() {
	t := &exampleT{}
	defer t.end()

	in, err := arrow18.FromBatches(batches(t, feed))
	if err != nil {
		log.Fatal(err)
	}
	defer in.Release() // after the last use of what borrows them

	parts, err := onerow.Partition(context.Background(), in, []string{"id"}, 2)
	fmt.Println(len(parts), err)
	// Output: 2 <nil>
}

func ExampleFromBatch() {
	t := &exampleT{}
	defer t.end()

	rec, err := arrow18.FromBatch(batches(t, feed)[0])
	if err != nil {
		log.Fatal(err)
	}
	defer rec.Release()
	fmt.Print(onerowtest.Text([]arrow15.Record{rec}))
	// Output:
	// id:int64  lsn:int64  city:string
	// 1         10         Rome
	// 2         11         Lima
	// 1         12         Oslo
}

// What v15 lacks is an error that names the column.
func ExampleTypeError() {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64},
		{Name: "lines", Type: arrow.ListOf(&arrow.Decimal64Type{Precision: 18, Scale: 2})},
	}, nil)

	_, err := arrow18.FromSchema(schema)
	fmt.Println(err)

	var wrong *arrow18.TypeError
	if errors.As(err, &wrong) {
		fmt.Println(wrong.Column, "is", wrong.Type)
	}
	// Output:
	// column "lines.item" of type decimal64(18, 2): Arrow v15 has no such type
	// lines.item is decimal64(18, 2)
}

func ExampleFromSchema() {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "at", Type: &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}, Nullable: true},
	}, nil)

	out, err := arrow18.FromSchema(schema)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out.Field(0))
	// Output:
	// at: type=timestamp[us, tz=UTC], nullable
}

func ExampleToSchema() {
	schema := arrow15.NewSchema([]arrow15.Field{{Name: "tags", Type: arrow15.ListOf(arrow15.BinaryTypes.String), Nullable: true}}, nil)

	out, err := arrow18.ToSchema(schema)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out.Field(0))
	// Output:
	// tags: type=list<item: utf8, nullable>, nullable
}

func ExampleFromArray() {
	b := array.NewInt64Builder(memory.DefaultAllocator)
	defer b.Release()
	b.AppendValues([]int64{1, 2, 3}, []bool{true, false, true})
	arr := b.NewArray()

	out, err := arrow18.FromArray(arr)
	if err != nil {
		log.Fatal(err)
	}
	arr.Release() // the bytes stay as long as out does
	fmt.Println(out)
	out.Release()
	// Output: [1 (null) 3]
}

func ExampleToArray() {
	t := &exampleT{}
	defer t.end()
	records := onerowtest.Records(t, feed)

	out, err := arrow18.ToArray(records[0].Column(0))
	if err != nil {
		log.Fatal(err)
	}
	defer out.Release()
	fmt.Println(out)
	// Output: [1 2 1]
}

func ExampleToBatch() {
	t := &exampleT{}
	defer t.end()
	records := onerowtest.Records(t, feed)

	batch, err := arrow18.ToBatch(records[0])
	if err != nil {
		log.Fatal(err)
	}
	show(batch)
	// Output:
	// id:int64  lsn:int64  city:string
	// 1         10         Rome
	// 2         11         Lima
	// 1         12         Oslo
}

func ExampleToBatches() {
	t := &exampleT{}
	defer t.end()

	out, err := arrow18.ToBatches(onerowtest.Records(t, feed))
	if err != nil {
		log.Fatal(err)
	}
	show(out...)
	// Output:
	// id:int64  lsn:int64  city:string
	// 1         10         Rome
	// 2         11         Lima
	// 1         12         Oslo
}

// How large would the join of two streams be? The readers come from a database driver, a file, Flight.
func ExampleFromReader() {
	t := &exampleT{}
	defer t.end()
	stream := func(text string) array.RecordReader {
		rows := batches(t, text)
		r, err := array.NewRecordReader(rows[0].Schema(), rows)
		if err != nil {
			log.Fatal(err)
		}
		t.Cleanup(r.Release)
		return r
	}

	left, err := arrow18.FromReader(stream(feed))
	if err != nil {
		log.Fatal(err)
	}
	defer left.Release()
	right, err := arrow18.FromReader(stream(cities))
	if err != nil {
		log.Fatal(err)
	}
	defer right.Release()
	size, err := join.EstimateReaders(context.Background(), left, right, join.On("id"), join.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(size.Rows.Inner, "rows of an inner join")
	// Output:
	// 2 rows of an inner join
}

// A verb that takes a table whole reads a stream to its end.
func ExampleReadAll() {
	t := &exampleT{}
	defer t.end()
	rows := batches(t, feed)
	reader, err := array.NewRecordReader(rows[0].Schema(), rows)
	if err != nil {
		log.Fatal(err)
	}
	defer reader.Release()

	in, err := arrow18.ReadAll(context.Background(), reader)
	if err != nil {
		log.Fatal(err)
	}
	defer in.Release()
	plan, err := dedupe.Latest(context.Background(), in, []string{"id"}, []onerow.Order{onerow.Desc("lsn")}, dedupe.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(plan.Rows)
	// Output:
	// [1 2]
}

func ExampleToReader() {
	t := &exampleT{}
	defer t.end()
	records := onerowtest.Records(t, feed)
	reader, err := array15.NewRecordReader(records[0].Schema(), records)
	if err != nil {
		log.Fatal(err)
	}
	defer reader.Release()

	out, err := arrow18.ToReader(reader)
	if err != nil {
		log.Fatal(err)
	}
	defer out.Release()
	for out.Next() {
		fmt.Println(out.RecordBatch().NumRows(), "rows")
	}
	fmt.Println(out.Err())
	// Output:
	// 3 rows
	// <nil>
}

// What a verb returns goes straight in.
func ExampleMove() {
	t := &exampleT{}
	defer t.end()
	in, err := arrow18.FromBatches(batches(t, feed))
	if err != nil {
		log.Fatal(err)
	}
	defer in.Release()

	batch, err := arrow18.Move(onerow.Take(context.Background(), in, onerow.Rows{2, 0}, onerow.Resources{}))
	if err != nil {
		log.Fatal(err)
	}
	show(batch)
	// Output:
	// id:int64  lsn:int64  city:string
	// 1         12         Oslo
	// 1         10         Rome
}

// A plan of changes: the staged rows for a MERGE, and the new history.
func ExampleMoveAll() {
	t := &exampleT{}
	defer t.end()
	ctx := context.Background()
	history, err := arrow18.FromBatches(batches(t, cities))
	if err != nil {
		log.Fatal(err)
	}
	defer history.Release()
	changes, err := arrow18.FromBatches(batches(t, moves))
	if err != nil {
		log.Fatal(err)
	}
	defer changes.Release()

	merge, err := scd2.Plan(ctx, scd2.Table{Batches: history, Key: []string{"id"}}, changes,
		scd2.Options{Mode: scd2.Changes, At: []onerow.Order{onerow.Desc("day")}})
	if err != nil {
		log.Fatal(err)
	}
	staged, err := arrow18.Move(merge.Staged(ctx, nil))
	if err != nil {
		log.Fatal(err)
	}
	show(staged)
	after, err := arrow18.MoveAll(merge.Apply(ctx, nil, history))
	if err != nil {
		log.Fatal(err)
	}
	show(after...)
	// Output:
	// onerow_action:string!  onerow_merge_id:int64  onerow_merge_valid_from:date32  id:int64  city:string  valid_from:date32  valid_to:date32
	// close                  1                      2026-01-01                      1         Rome         2026-01-01         2026-03-01
	// insert                 -                      -                               1         Oslo         2026-03-01         -
	// id:int64  city:string  valid_from:date32  valid_to:date32
	// 1         Rome         2026-01-01         2026-03-01
	// 1         Oslo         2026-03-01         -
}

func ExampleMoveArrays() {
	t := &exampleT{}
	defer t.end()
	in, err := arrow18.FromBatches(batches(t, feed))
	if err != nil {
		log.Fatal(err)
	}
	defer in.Release()

	hashes, err := arrow18.MoveArrays(scd2.RowHash(context.Background(), in, []string{"id", "city"}, scd2.HashOptions{}))
	if err != nil {
		log.Fatal(err)
	}
	for _, h := range hashes {
		fmt.Println(h.DataType(), h.Len())
		h.Release()
	}
	// Output:
	// fixed_size_binary[16] 3
}
