package grain_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/grain"
)

// customers makes a batch of customers.
func customers(ids []int64, mails []string) arrow.Record {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "customer_id", Type: arrow.PrimitiveTypes.Int64},
		{Name: "mail", Type: arrow.BinaryTypes.String},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	b.Field(0).(*array.Int64Builder).AppendValues(ids, nil)
	b.Field(1).(*array.StringBuilder).AppendValues(mails, nil)
	return b.NewRecord()
}

// Customer 1 changes twice, and customer 3 is new and comes twice. The second row of customer 2 changes nothing.
func ExampleMergeConflicts() {
	target := customers([]int64{1, 2}, []string{"ann@old.example", "bob@example"})
	defer target.Release()
	source := customers([]int64{1, 1, 2, 2, 3, 3}, []string{"ann@example", "ann@new.example", "bob@new.example", "bob@example", "eve@example", "eve@example"})
	defer source.Release()

	// MERGE INTO target t USING source s ON t.customer_id = s.customer_id
	// WHEN MATCHED AND t.mail IS DISTINCT FROM s.mail THEN UPDATE … WHEN NOT MATCHED THEN INSERT …
	report, err := grain.MergeConflicts(context.Background(), []arrow.Record{target}, []arrow.Record{source},
		[]string{"customer_id"}, grain.MergeOptions{Acts: []string{"mail"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report)
	// Output:
	// MERGE fails: two or more source rows act on 1 target row
	//   an error of BigQuery, Databricks, Db2, Delta Lake (Spark), Delta Lake (delta-rs), Iceberg (Spark), Oracle, PostgreSQL, Redshift, SQL Server, Snowflake, Teradata, Trino
	//   none of DuckDB, Hudi (Spark)
	// MERGE inserts 1 new key more than once, without an error
	// target rows                        2
	//   in conflict                      1
	//     keys of these                  1
	// source rows                        6
	//   that match                       4
	//   to insert                        2
	//     beyond the first of their key  1
	//       keys of these                1
	//
	// hits  customer_id  target rows  source rows
	//    2  1            0            0, 1
	//
	// inserts  customer_id  rows
	//       2  3            4, 5
}

// A pipeline stops before the MERGE does.
func ExampleMergeReport_Err() {
	target := customers([]int64{1, 2}, []string{"ann@old.example", "bob@example"})
	defer target.Release()
	source := customers([]int64{1, 1}, []string{"ann@example", "ann@new.example"})
	defer source.Release()

	report, err := grain.MergeConflicts(context.Background(), []arrow.Record{target}, []arrow.Record{source}, []string{"customer_id"}, grain.MergeOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	err = report.Err()
	fmt.Println(errors.Is(err, onerow.ErrMergeConflict), err)
	// Output:
	// true merge conflict: 1 key: two or more source rows act on 1 target row; customer_id=1 in 2 rows of source (rows 0, 1), act on target row 0
}

func ExampleMergeEngines() {
	for _, e := range grain.MergeEngines() {
		if !e.Raises {
			fmt.Printf("%s %s\n", e.Name, e.Does)
		}
	}
	// Output:
	// DuckDB updates the row with one of the source rows, whichever comes
	// Hudi (Spark) keeps one source row per record key, by the ordering field
}

// The source calls its columns otherwise: ON t.customer_id = s.cust.
func ExampleMergeConflicts_sourceNames() {
	target := customers([]int64{1, 2}, []string{"ann@old.example", "bob@example"})
	defer target.Release()
	schema := arrow.NewSchema([]arrow.Field{{Name: "cust", Type: arrow.PrimitiveTypes.Int32}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	b.Field(0).(*array.Int32Builder).AppendValues([]int32{2, 1, 2}, nil)
	source := b.NewRecord()
	defer source.Release()

	report, err := grain.MergeConflicts(context.Background(), []arrow.Record{target}, []arrow.Record{source}, []string{"customer_id"},
		grain.MergeOptions{SourceNames: map[string]string{"customer_id": "cust"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range report.WorstConflicts {
		fmt.Println("customer", c.Values[0], "in target row", c.Target[0], "is hit by source rows", c.Source)
	}
	// Output:
	// customer 2 in target row 1 is hit by source rows [0 2]
}
