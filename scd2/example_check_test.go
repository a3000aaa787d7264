package scd2_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/onerowtest"
	"github.com/onerow-go/onerow/scd2"
)

// plans is a history with faults: of customer 1 a long version holds another one, and two are open; customer 2 was away in April.
const plans = `
	customer:int64  plan:string  valid_from:date32  valid_to:date32
	1               basic        2026-01-01         2026-06-01
	1               team         2026-02-01         2026-03-01
	1               basic        2026-06-01         -
	2               basic        2026-01-01         2026-04-01
	2               team         2026-05-01         -
	1               pro          2026-07-01         9999-12-31`

func planTable(t *exampleT) scd2.Table {
	return scd2.Table{Batches: onerowtest.Records(t, plans), Key: []string{"customer"}, OpenEnd: "9999-12-31"}
}

// Check compares all versions of a key with each other, not only neighbours.
func ExampleCheck() {
	t := &exampleT{}
	defer t.end()
	report, err := scd2.Check(context.Background(), planTable(t), scd2.CheckOptions{Gaps: scd2.ReportGaps})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report)
	// Output:
	// broken history of customer: 2 overlaps, 1 gap, 1 key with several open versions
	// rows                             6
	// keys                             2
	//   keys with faults               2
	// overlapping pairs                2
	// gaps                             1
	// keys with several open versions  1
	//
	// fault     customer  rows  from        to
	// overlap   1         0, 1  2026-02-01  2026-03-01
	// overlap   1         2, 5  2026-07-01
	// two_open  1         2, 5
	// gap       2         3, 4  2026-04-01  2026-05-01
}

// Both ends belong to the range here: the next one starts a day later.
func ExampleCheck_closed() {
	t := &exampleT{}
	defer t.end()
	prices := onerowtest.Records(t, `
		sku:string  price:int64  first:date32  last:date32
		A7          10           2026-01-01    2026-01-31
		A7          12           2026-02-01    2026-02-01
		A7          11           2026-02-04    -`)
	report, err := scd2.Check(context.Background(), scd2.Table{Batches: prices, Key: []string{"sku"}, ValidFrom: "first", ValidTo: "last", Bounds: scd2.Closed},
		scd2.CheckOptions{Gaps: scd2.ReportGaps})
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range report.Findings {
		fmt.Println(f)
	}
	// Output:
	// gap from 2026-02-01 to 2026-02-04 between rows 1 and 2
}

// A pipeline stops at the first broken history. The error names keys, rows and faults.
func ExampleCheckReport_Err() {
	t := &exampleT{}
	defer t.end()
	report, err := scd2.Check(context.Background(), planTable(t), scd2.CheckOptions{})
	if err != nil {
		log.Fatal(err)
	}
	err = report.Err()
	fmt.Println(err)
	fmt.Println(errors.Is(err, onerow.ErrBrokenHistory))
	// Output:
	// broken history: 1 key: 2 overlaps, 1 key with several open versions; customer=1 in 4 rows of history (rows 0, 1, 2, 5), rows 0 and 1 overlap from 2026-02-01 to 2026-03-01; rows 2 and 5 overlap from 2026-07-01 on; rows 2 and 5 are open
	// true
}

// Kinds have names in JSON.
func ExampleKind() {
	text, err := json.Marshal(scd2.Finding{Kind: scd2.Gap, Rows: onerow.Rows{3, 4}, Key: []string{"2"}, From: "2026-04-01", To: "2026-05-01"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(text))
	fmt.Println(scd2.TwoOpen, scd2.CurrentMismatch)
	// Output:
	// {"kind":"gap","rows":[3,4],"key":["2"],"from":"2026-04-01","to":"2026-05-01"}
	// two_open current_mismatch
}

// Current selects what each key looks like now. Take makes a record of the rows.
func ExampleCurrent() {
	t := &exampleT{}
	defer t.end()
	history := scd2.Table{Batches: onerowtest.Records(t, customerHistory), Key: []string{"id"}}
	rows, err := scd2.Current(context.Background(), history, onerow.Resources{})
	if err != nil {
		log.Fatal(err)
	}
	rec, err := onerow.Take(context.Background(), history.Batches, rows, onerow.Resources{})
	if err != nil {
		log.Fatal(err)
	}
	defer rec.Release()
	fmt.Println(rows)
	fmt.Print(onerowtest.Text([]arrow.Record{rec}))
	// Output:
	// [1 2]
	// id:int64  city:string  valid_from:date32  valid_to:date32
	// 1         Oslo         2026-03-01         -
	// 2         Lima         2026-01-01         -
}

// AsOf selects what each key looked like at a time: a version is valid at its start, and no longer at its end.
func ExampleAsOf() {
	t := &exampleT{}
	defer t.end()
	history := scd2.Table{Batches: onerowtest.Records(t, customerHistory)}
	for _, at := range []onerow.Value{"2025-12-31", "2026-02-28", time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)} {
		rows, err := scd2.AsOf(context.Background(), history, at, onerow.Resources{})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(rows)
	}
	// Output:
	// []
	// [0 2]
	// [1 2]
}
