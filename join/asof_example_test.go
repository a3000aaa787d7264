package join_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/join"
	"github.com/onerow-go/onerow/onerowtest"
)

// shown is the test that an example's tables belong to.
type shown struct{ cleanups []func() }

func (t *shown) Helper()                           {}
func (t *shown) Errorf(format string, args ...any) { fmt.Printf(format+"\n", args...) }
func (t *shown) Fatalf(format string, args ...any) { log.Fatalf(format, args...) }
func (t *shown) Cleanup(f func())                  { t.cleanups = append(t.cleanups, f) }

func (t *shown) end() {
	for i := len(t.cleanups) - 1; i >= 0; i-- {
		t.cleanups[i]()
	}
}

// orders and prices are the tables of the examples. A7 had no price in March; of B2 two prices hold in February.
const (
	orders = `
	product:string  day:date32  pieces:int64
	A7              2026-01-15  1
	A7              2026-02-01  2
	A7              2026-03-15  3
	A7              2026-05-01  4
	B2              2025-12-31  5
	B2              2026-02-20  6
	C9              2026-02-20  7
	B2              -           8`

	prices = `
	sku:string  price:int64  valid_from:date32  valid_to:date32
	A7          10           2026-01-01         2026-02-01
	A7          12           2026-02-01         2026-03-01
	A7          11           2026-04-01         -
	B2          30           2026-01-01         2026-03-01
	B2          33           2026-02-01         9999-12-31`
)

func priced(t *shown) (join.Facts, join.Versions) {
	return join.Facts{Batches: onerowtest.Records(t, orders), Key: []string{"product"}, At: "day"},
		join.Versions{Batches: onerowtest.Records(t, prices), Key: []string{"sku"}, ValidFrom: "valid_from", ValidTo: "valid_to", OpenEnd: "9999-12-31"}
}

// matchOrders finds the price of each order.
func matchOrders(t *shown) *join.Matches {
	facts, versions := priced(t)
	m, err := join.AsOf(context.Background(), facts, versions, join.RangeOptions{})
	if err != nil {
		log.Fatal(err)
	}
	return m
}

// AsOf finds the price that was valid when an order came in.
func ExampleAsOf() {
	t := &shown{}
	defer t.end()
	facts, versions := priced(t)
	m, err := join.AsOf(context.Background(), facts, versions, join.RangeOptions{})
	if err != nil {
		log.Fatal(err)
	}
	for i, row := range m.Rows {
		if row == join.NoMatch {
			fmt.Printf("order %d: %v\n", i, m.Status[i])
		} else {
			fmt.Printf("order %d: price %d\n", i, row)
		}
	}
	// Output:
	// order 0: price 0
	// order 1: price 1
	// order 2: gap
	// order 3: price 2
	// order 4: before_first
	// order 5: ambiguous
	// order 6: no_key
	// order 7: null_time
}

// Without ends a version lasts until the next one starts.
func ExampleAsOf_starts() {
	t := &shown{}
	defer t.end()
	m, err := join.AsOf(context.Background(),
		join.Facts{Batches: onerowtest.Records(t, `
			sensor:int64  at:timestamp[ms,UTC]
			1             2026-01-31T09:00:00.500Z
			1             2026-01-31T10:30:00.000Z`), Key: []string{"sensor"}, At: "at"},
		join.Versions{Batches: onerowtest.Records(t, `
			sensor:int32  since:timestamp[s,UTC]  scale:float64
			1             2026-01-31T10:00:00Z    1.5
			1             2026-01-31T09:00:00Z    1.0`), ValidFrom: "since"},
		join.RangeOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Rows)
	// Output:
	// [1 0]
}

// The left join: the orders, and beside them the prices.
func ExampleMatches_Versions() {
	t := &shown{}
	defer t.end()
	m := matchOrders(t)
	right, err := m.Versions(context.Background(), onerowtest.Allocator(t), "price", "valid_from")
	if err != nil {
		log.Fatal(err)
	}
	defer right.Release()
	fmt.Print(onerowtest.Text([]arrow.Record{right}))
	// Output:
	// price:int64  valid_from:date32
	// 10           2026-01-01
	// 12           2026-02-01
	// -            -
	// 11           2026-04-01
	// -            -
	// -            -
	// -            -
	// -            -
}

// The left join in one call: a record for each batch of orders.
func ExampleMatches_Joined() {
	t := &shown{}
	defer t.end()
	joined, err := matchOrders(t).Joined(context.Background(), onerowtest.Allocator(t), "price")
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range joined {
		defer r.Release()
	}
	fmt.Print(onerowtest.Text(joined))
	// Output:
	// product:string  day:date32  pieces:int64  price:int64
	// A7              2026-01-15  1             10
	// A7              2026-02-01  2             12
	// A7              2026-03-15  3             -
	// A7              2026-05-01  4             11
	// B2              2025-12-31  5             -
	// B2              2026-02-20  6             -
	// C9              2026-02-20  7             -
	// B2              -           8             -
}

// JSON has the report: the rows are data.
func ExampleMatches_MarshalJSON() {
	t := &shown{}
	defer t.end()
	m, err := join.AsOf(context.Background(), join.Facts{Key: []string{"product"}, At: "day"}, join.Versions{ValidFrom: "valid_from"}, join.RangeOptions{})
	if err != nil {
		log.Fatal(err)
	}
	text, err := json.Marshal(m)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Contains(string(text), `"facts":0,"ok":0`), strings.Contains(string(text), "Rows"))
	// Output:
	// true false
}

// The inner join: two records of as many rows.
func ExampleMatches_Inner() {
	t := &shown{}
	defer t.end()
	facts, versions := priced(t)
	m := matchOrders(t)
	factRows, versionRows := m.Inner()
	left, err := onerow.Take(context.Background(), facts.Batches, factRows, onerow.Resources{Allocator: onerowtest.Allocator(t)})
	if err != nil {
		log.Fatal(err)
	}
	defer left.Release()
	right, err := onerow.Take(context.Background(), versions.Batches, versionRows, onerow.Resources{Allocator: onerowtest.Allocator(t)})
	if err != nil {
		log.Fatal(err)
	}
	defer right.Release()
	fmt.Print(onerowtest.Text([]arrow.Record{left}))
	fmt.Print(onerowtest.Text([]arrow.Record{right}))
	// Output:
	// product:string  day:date32  pieces:int64
	// A7              2026-01-15  1
	// A7              2026-02-01  2
	// A7              2026-05-01  4
	// sku:string  price:int64  valid_from:date32  valid_to:date32
	// A7          10           2026-01-01         2026-02-01
	// A7          12           2026-02-01         2026-03-01
	// A7          11           2026-04-01         -
}

// Orders that have no price go to quarantine, with those that have several.
func ExampleMatches_Of() {
	t := &shown{}
	defer t.end()
	m := matchOrders(t)
	fmt.Println(m.Of(join.Gap, join.BeforeFirst, join.NoKey), m.Of(join.Ambiguous))
	// Output:
	// [2 4 6] [5]
}

// The report counts the orders by status, and says where versions overlap.
func ExampleAsOfReport_String() {
	t := &shown{}
	defer t.end()
	fmt.Println(&matchOrders(t).Report)
	// Output:
	// 3 of 8 facts matched
	// facts                       8
	//   with a version            3
	//   without a time            1
	//   of keys without versions  1
	//   before the first version  1
	//   in a gap                  1
	//   with several versions     1
	// versions                    5
	//   keys                      2
	//   keys with overlaps        1
	//   pairs that overlap        1
	// versions of sku="B2" overlap: rows 3, 4
}

// A pipeline stops when versions overlap, whether or not a fact falls there.
func ExampleVersionReport_Err() {
	t := &shown{}
	defer t.end()
	err := matchOrders(t).Report.Versions.Err()
	fmt.Println(errors.Is(err, onerow.ErrBrokenHistory))
	fmt.Println(err)
	// Output:
	// true
	// broken history: 1 key: 1 pair of versions share time; sku="B2" in 2 rows of versions (rows 3, 4)
}

// The price list needn't be sound to know how many rows the join makes.
func ExampleBetween() {
	t := &shown{}
	defer t.end()
	facts, versions := priced(t)
	size, err := join.Between(context.Background(), facts, versions, join.RangeOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(size)
	fmt.Println("grows:", size.Left.Cmp(join.CountOf(uint64(size.Facts))) > 0)
	// Output:
	// 5 rows of 8 facts
	// rows of the inner join  5
	// rows of the left join   9
	// most rows of one fact   2
	// facts                   8
	//   with a version        4
	// versions                5
	//   keys                  2
	//   keys with overlaps    1
	//   pairs that overlap    1
	// versions of sku="B2" overlap: rows 3, 4
	// grows: true
}
