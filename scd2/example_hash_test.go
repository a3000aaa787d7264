package scd2_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow/scd2"
)

// people makes a small table.
func people(rows string) arrow.Record {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "first", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "middle", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "last", Type: arrow.BinaryTypes.String, Nullable: true},
	}, nil)
	rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(rows))
	if err != nil {
		log.Fatal(err)
	}
	return rec
}

// A column of hashes that tells all rows apart.
func ExampleRowHash() {
	rec := people(`[
		{"first": "Ann", "middle": null, "last": "Lee"},
		{"first": "Ann", "middle": "Lee", "last": null},
		{"first": "Ann", "middle": null, "last": "Lee"}]`)
	defer rec.Release()

	hashes, err := scd2.RowHash(context.Background(), []arrow.Record{rec}, nil, scd2.HashOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer hashes[0].Release()
	for i := range hashes[0].Len() {
		fmt.Printf("%x\n", hashes[0].(*array.FixedSizeBinary).Value(i))
	}
	// Output:
	// bd1d2979ced6d918beff816211b1104f
	// 82764a084453b1aa1c3352e399f45553
	// bd1d2979ced6d918beff816211b1104f
}

// The hashes of a table that Spark wrote: sha2(concat_ws('|', first, middle, last), 256).
func ExampleRowHash_spark() {
	rec := people(`[{"first": "Ann", "middle": null, "last": "Lee"}]`)
	defer rec.Release()

	opts := scd2.HashOptions{Form: scd2.SparkSHA2, Separator: "|"}
	hashes, err := scd2.RowHash(context.Background(), []arrow.Record{rec}, []string{"first", "middle", "last"}, opts)
	if err != nil {
		log.Fatal(err)
	}
	defer hashes[0].Release()
	fmt.Println(hashes[0].(*array.String).Value(0))
	// Output:
	// 86b01938ff012a6e91810b1ff8001cc281f2e704b34f1cd590ba5361b85a05bd
}

// Which rows does a table's hash confuse? Here the NULL that concat_ws leaves out, and a separator in a value.
func ExampleConfusions() {
	rec := people(`[
		{"first": "Ann", "middle": null, "last": "Lee"},
		{"first": "Bob", "middle": "Ray", "last": "Poe"},
		{"first": "Ann", "middle": "Lee", "last": null},
		{"first": "Bob|Ray", "middle": null, "last": "Poe"}]`)
	defer rec.Release()

	opts := scd2.HashOptions{Form: scd2.SparkMD5, Separator: "|"}
	report, err := scd2.Confusions(context.Background(), []arrow.Record{rec}, []string{"first", "middle", "last"}, opts)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report)
	// Output:
	// spark_md5 confuses rows that differ
	// rows                               4
	// texts of rows that differ          2
	//   different rows with such a text  4
	//   rows with such a text            4
	//
	// hashed         first      middle  last   rows
	// "Ann|Lee"      "Ann"      NULL    "Lee"  0
	//                "Ann"      "Lee"   NULL   2
	// "Bob|Ray|Poe"  "Bob"      "Ray"   "Poe"  1
	//                "Bob|Ray"  NULL    "Poe"  3
}

// A guard in a pipeline: stop where a surrogate key would stand for two things.
func ExampleConfusionReport_Err() {
	rec := people(`[
		{"first": "a-b", "middle": "c", "last": "x"},
		{"first": "a", "middle": "b-c", "last": "x"}]`)
	defer rec.Release()

	report, err := scd2.Confusions(context.Background(), []arrow.Record{rec}, []string{"first", "middle"}, scd2.HashOptions{Form: scd2.DBTKey})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Err())
	// Output:
	// duplicate key: 2 keys: dbt_key gives rows that differ one hash; first="a-b", middle="c" in 1 row (row 0), hashed as "a-b-c"; first="a", middle="b-c" in 1 row (row 1), hashed as "a-b-c"
}
