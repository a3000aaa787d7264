package join_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/join"
)

// sketchOf summarises the column id of some rows.
func sketchOf(rows string) *join.Sketch {
	rec := ids(rows)
	defer rec.Release()
	s, err := join.NewSketch(context.Background(), []arrow.Record{rec}, []string{"id"}, join.SketchOptions{})
	if err != nil {
		log.Fatal(err)
	}
	return s
}

func ExampleNewSketch() {
	orders := sketchOf(`[{"id": 1}, {"id": 1}, {"id": 2}, {"id": null}]`)
	fmt.Println(orders)
	// Output:
	// sketch on id: 4 rows, 2 keys, 2 sampled
}

func ExampleSketch_Side() {
	side := sketchOf(`[{"id": 1}, {"id": 1}, {"id": 2}, {"id": null}]`).Side()
	fmt.Println(side.Columns, side.Rows, side.NullRows, side.Keys, side.Exact)
	// Output:
	// [id] 4 1 2 true
}

func ExampleApprox_Exact() {
	keys := sketchOf(`[{"id": 1}, {"id": 2}]`).Side().Keys
	fmt.Println(keys, keys.Exact())
	// Output:
	// 2 true
}

func ExampleSketch_MarshalBinary() {
	sent, err := sketchOf(`[{"id": 1}, {"id": 1}, {"id": 2}]`).MarshalBinary()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d bytes, %q…\n", len(sent), sent[:8])
	// Output:
	// 70 bytes, "1rowskch"…
}

func ExampleSketch_UnmarshalBinary() {
	var s join.Sketch
	err := s.UnmarshalBinary([]byte("PAR1, and so on, as a Parquet file is"))
	fmt.Println(err, errors.Is(err, onerow.ErrSketch))
	// Output:
	// not a sketch: it doesn't begin as one true
}

// Each machine sends the sketch of its side; a third one says what the join would make.
func ExampleEstimateSketches() {
	sent, err := sketchOf(`[{"id": 1}, {"id": 1}, {"id": 2}, {"id": null}]`).MarshalBinary()
	if err != nil {
		log.Fatal(err)
	}
	var orders join.Sketch
	if err := orders.UnmarshalBinary(sent); err != nil {
		log.Fatal(err)
	}
	customers := sketchOf(`[{"id": 1}, {"id": 1}, {"id": 3}]`)
	size, err := join.EstimateSketches(&orders, customers)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(size)
	fmt.Println(size.MaxGrowth(1))
	// Output:
	// sketched sides of 4 and 3 rows on id
	//                  estimate  error  at least  at most
	// inner join              4  exact
	// left join               6  exact
	// right join              5  exact
	// full join               7  exact
	// left semi join          2  exact
	// left anti join          2  exact
	// right semi join         2  exact
	// right anti join         1  exact
	// matched keys            1  exact
	// left keys               2  exact
	// right keys              2  exact
	//
	// worst keys  left  right  inner  share
	// 1              2      2      4  100 %
	// too many rows in join: 1 key: a left join makes 6 rows of 4, of at most 1 times as many; id=1 in 2 rows of right, meets 2 left rows: 4 rows
}

func ExampleSketch_Merge() {
	monday, tuesday := sketchOf(`[{"id": 1}, {"id": 2}]`), sketchOf(`[{"id": 2}, {"id": 3}]`)
	week, err := monday.Merge(tuesday)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(week)
	_, err = monday.MergeDisjoint(tuesday)
	fmt.Println(err)
	// Output:
	// sketch on id: 4 rows, 3 keys, 3 sampled
	// duplicate key: 1 key: MergeDisjoint was called for sketches that both have a key; id=2 in 2 rows
}

func ExampleSketch_MergeDisjoint() {
	even, odd := sketchOf(`[{"id": 2}, {"id": 2}]`), sketchOf(`[{"id": 1}, {"id": 3}]`)
	all, err := even.MergeDisjoint(odd)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(all)
	// Output:
	// sketch on id: 4 rows, 3 keys, 3 sampled
}

func ExampleReadSketch() {
	rec := ids(`[{"id": 1}, {"id": 2}, {"id": 2}]`)
	defer rec.Release()
	reader, err := array.NewRecordReader(rec.Schema(), []arrow.Record{rec})
	if err != nil {
		log.Fatal(err)
	}
	defer reader.Release()
	s, err := join.ReadSketch(context.Background(), reader, []string{"id"}, join.SketchOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(s)
	// Output:
	// sketch on id: 3 rows, 2 keys, 2 sampled
}

func ExampleSketchedSize_MaxGrowth() {
	size, err := join.EstimateSketches(sketchOf(`[{"id": 1}, {"id": 1}]`), sketchOf(`[{"id": 1}, {"id": 1}]`))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(size.MaxGrowth(2))
	fmt.Println(size.MaxGrowth(1.5))
	// Output:
	// <nil>
	// too many rows in join: 1 key: a left join makes 4 rows of 2, of at most 1.5 times as many; id=1 in 2 rows of right, meets 2 left rows: 4 rows
}

// ids makes a record of one column.
func ids(rows string) arrow.Record {
	schema := arrow.NewSchema([]arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int64, Nullable: true}}, nil)
	rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(rows))
	if err != nil {
		log.Fatal(err)
	}
	return rec
}
