package dedupe_test

import (
	"context"
	"fmt"
	"log"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/dedupe"
)

var op = arrow.Field{Name: "op", Type: arrow.BinaryTypes.String}

// changesReader stands for a reader of files or of a service.
func changesReader() array.RecordReader {
	fields := []arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int64, Nullable: true}, lsn, op, email}
	batches := append(table(`[
		{"id": 1, "lsn": 10, "op": "c", "email": "ann@old.example"},
		{"id": 2, "lsn": 11, "op": "c", "email": "bob@example"},
		{"id": null, "lsn": 12, "op": "c", "email": "who@example"}]`, fields...), table(`[
		{"id": 2, "lsn": 14, "op": "d", "email": "bob@example"},
		{"id": 1, "lsn": 13, "op": "u", "email": "ann@example"}]`, fields...)...)
	r, err := array.NewRecordReader(batches[0].Schema(), batches)
	if err != nil {
		log.Fatal(err)
	}
	return r
}

// latest asks for the latest rows of the changes within 1 GiB, however many there are.
func latest() *dedupe.Reader {
	changes := changesReader()
	defer changes.Release()
	r, err := dedupe.NewReader(context.Background(), changes, []string{"id"}, []onerow.Order{onerow.Desc("lsn")}, dedupe.Options{
		NullKey:   onerow.SetAsideNullKeys,
		Op:        dedupe.Op{Column: "op", Delete: []onerow.Value{"d"}},
		Resources: onerow.Resources{Memory: 1 << 30},
	})
	if err != nil {
		log.Fatal(err)
	}
	return r
}

// A stream that may be larger than memory: the winners come as a stream too, in the order in which they came.
func ExampleNewReader() {
	r := latest()
	defer r.Release()
	for r.Next() {
		fmt.Println(r.Record().Column(0), r.Record().Column(3))
	}
	if err := r.Err(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// [2 1] ["bob@example" "ann@example"]
}

// The report is there before the first record.
func ExampleReader_Report() {
	r := latest()
	defer r.Release()
	fmt.Println(r.Report())
	// Output:
	// rows in                5
	//   kept                 2
	//     deletes            1
	//   superseded           2
	//   duplicates           0
	//   set aside            1
	// rows with NULL in key  1
}

// Deletes and upserts part for a target that takes them by two statements.
func ExampleReader_Deletes() {
	r := latest()
	defer r.Release()
	for r.Next() {
		deletes, err := onerow.Take(context.Background(), []arrow.Record{r.Record()}, r.Deletes(), onerow.Resources{})
		if err != nil {
			log.Fatal(err)
		}
		defer deletes.Release()
		fmt.Println("delete", deletes.Column(0))
	}
	if err := r.Err(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// delete [2]
}

// What was set aside is for whoever owns the source.
func ExampleReader_SetAside() {
	r := latest()
	defer r.Release()
	aside := r.SetAside()
	for aside.Next() {
		fmt.Println(aside.Rows(), aside.Record().Column(3))
	}
	if err := aside.Err(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// [2] ["who@example"]
}

// The numbers say which rows of the stream the winners are.
func ExampleRowReader_Rows() {
	r := latest()
	defer r.Release()
	for r.Next() {
		fmt.Println(r.Rows())
	}
	if err := r.Err(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// [3 4]
}
