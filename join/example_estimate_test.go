package join_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"os"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/join"
)

// ordersAndCustomers are orders, and customers of which one is there twice. Orders of guests have the customer -1.
func ordersAndCustomers() (orders, customers arrow.Record) {
	table := func(key, rows string) arrow.Record {
		schema := arrow.NewSchema([]arrow.Field{{Name: key, Type: arrow.PrimitiveTypes.Int64, Nullable: true}}, nil)
		rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(rows))
		if err != nil {
			log.Fatal(err)
		}
		return rec
	}
	orders = table("customer_id", `[{"customer_id": 7}, {"customer_id": 7}, {"customer_id": 8}, {"customer_id": -1}, {"customer_id": -1},
		{"customer_id": -1}, {"customer_id": -1}, {"customer_id": -1}, {"customer_id": 9}, {"customer_id": null}]`)
	customers = table("id", `[{"id": 7}, {"id": 7}, {"id": 8}, {"id": -1}, {"id": -1}, {"id": -1}, {"id": 10}]`)
	return orders, customers
}

// estimated is what Estimate says of them.
func estimated() *join.Size {
	orders, customers := ordersAndCustomers()
	defer orders.Release()
	defer customers.Release()
	size, err := join.Estimate(context.Background(), []arrow.Record{orders}, []arrow.Record{customers}, join.Pair("customer_id", "id"), join.Options{})
	if err != nil {
		log.Fatal(err)
	}
	return size
}

// How many rows do ten orders and seven customers make?
func ExampleEstimate() {
	orders, customers := ordersAndCustomers()
	defer orders.Release()
	defer customers.Release()

	size, err := join.Estimate(context.Background(), []arrow.Record{orders}, []arrow.Record{customers}, join.Pair("customer_id", "id"), join.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(size)
	// Output:
	// many to many on customer_id = id
	// inner join       20
	// left join        22
	// right join       21
	// full join        23
	// left semi join    8
	// left anti join    2
	// right semi join   6
	// right anti join   1
	//
	//                                      left        right
	// rows                                   10            7
	// keys                                    4            4
	// unique                                 no           no
	// rows with NULL in key            1 (10 %)            0
	// rows of placeholders             5 (50 %)  3 (42.86 %)
	// rows without a match             2 (20 %)  1 (14.29 %)
	// rows met by a matched row, mean       2.5         3.33
	// rows met by a matched row, most         3            5
	// matched keys that repeat                2            2
	//
	// left  right  rows  share  customer_id = id  left rows      right rows
	//    5      3    15   75 %  -1                3, 4, 5, 6, 7  3, 4, 5
	//    2      2     4   20 %  7                 0, 1           0, 1
	//
	// placeholders make 15 rows (75 %): customer_id=-1
}

func ExampleSize_String() {
	size := &join.Size{On: join.On("id"), Rows: join.Sizes{Left: join.CountOf(3), LeftAnti: join.CountOf(3), Full: join.CountOf(3)}}
	size.Left, size.Right = join.Side{Rows: 3, Keys: 3, Unique: true, UnmatchedRows: 3}, join.Side{Unique: true}
	fmt.Println(size)
	// Output:
	// no row matches on id
	// inner join       0
	// left join        3
	// right join       0
	// full join        3
	// left semi join   0
	// left anti join   3
	// right semi join  0
	// right anti join  0
	//
	//                            left  right
	// rows                          3      0
	// keys                          3      0
	// unique                      yes    yes
	// rows without a match  3 (100 %)      0
}

func ExampleSize_LogValue() {
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	logger.Info("estimated", "join", estimated())
	// Output:
	// level=INFO msg=estimated join.on="customer_id = id" join.relationship=many_to_many join.rows.inner=20 join.rows.left=22 join.rows.right=21 join.rows.full=23 join.rows.left_semi=8 join.rows.left_anti=2 join.rows.right_semi=6 join.rows.right_anti=1 join.matched_keys=3 join.left.unique=false join.left.rows=10 join.left.keys=4 join.left.null_rows=1 join.left.unmatched_rows=2 join.left.max_fan_out=3 join.right.unique=false join.right.rows=7 join.right.keys=4 join.right.unmatched_rows=1 join.right.max_fan_out=5 join.placeholders.left=5 join.placeholders.right=3 join.placeholders.inner=15
}

// Each order has at most one customer, or the pipeline stops.
func ExampleSize_Require() {
	err := estimated().Require(join.ManyToOne)
	fmt.Println(err)

	var keys *onerow.KeysError
	if errors.Is(err, onerow.ErrRelationship) && errors.As(err, &keys) {
		fmt.Println(keys.Keys[0].Rows, "of", keys.Input)
	}
	// Output:
	// relationship: 2 keys: more than one right row each; many to one was required, the rows are many to many; id=-1 in 3 rows of right (rows 3, 4, 5), meets 5 left rows: 15 rows, 75 % of the inner join; id=7 in 2 rows of right (rows 0, 1), meets 2 left rows: 4 rows, 20 % of the inner join
	// [3 4 5] of right
}

func ExampleSize_MaxGrowth() {
	size := estimated()
	fmt.Println(size.MaxGrowth(3))
	fmt.Println(size.MaxGrowth(1.5))
	// Output:
	// <nil>
	// too many rows in join: 2 keys: a left join makes 22 rows of 10, 2.2 times as many, of at most 1.5; id=-1 in 3 rows of right (rows 3, 4, 5), meets 5 left rows: 15 rows, 75 % of the inner join; id=7 in 2 rows of right (rows 0, 1), meets 2 left rows: 4 rows, 20 % of the inner join
}

func ExampleSize_Growth() {
	fmt.Println(estimated().Growth())
	// Output:
	// 2.2
}

func ExampleOn() {
	fmt.Println(join.On("tenant", "customer_id"))
	// Output:
	// tenant, customer_id
}

func ExamplePair() {
	fmt.Println(join.Pair("customer_id", "id"))
	// Output:
	// customer_id = id
}

func ExampleKey_And() {
	fmt.Println(join.On("tenant").And("customer_id", "id"))
	// Output:
	// tenant, customer_id = id
}

// Counts above 2^53 are strings in JSON.
func ExampleCount() {
	n := join.CountOf(100_000_000_000)
	text, err := json.Marshal([]join.Count{n, join.CountOf(1 << 60)})
	fmt.Println(n, string(text), err)
	// Output:
	// 100000000000 [100000000000,"1152921504606846976"] <nil>
}

func ExampleCountOf() {
	fmt.Println(join.CountOf(7) == join.CountOf(8), join.CountOf(12))
	// Output:
	// false 12
}

func ExampleCount_Cmp() {
	fmt.Println(join.CountOf(7).Cmp(join.CountOf(8)))
	// Output:
	// -1
}

func ExampleCount_Float64() {
	fmt.Println(join.CountOf(7).Float64() / 2)
	// Output:
	// 3.5
}

func ExampleCount_Big() {
	b := join.CountOf(7).Big()
	fmt.Println(b.Mul(b, b))
	// Output:
	// 49
}

// The sides come from files or sockets, a batch at a time.
func ExampleEstimateReaders() {
	orders, customers := ordersAndCustomers()
	defer orders.Release()
	defer customers.Release()
	left, err := array.NewRecordReader(orders.Schema(), []arrow.Record{orders, orders})
	if err != nil {
		log.Fatal(err)
	}
	defer left.Release()
	right, err := array.NewRecordReader(customers.Schema(), []arrow.Record{customers})
	if err != nil {
		log.Fatal(err)
	}
	defer right.Release()

	size, err := join.EstimateReaders(context.Background(), left, right, join.Pair("customer_id", "id"),
		join.Options{Resources: onerow.Resources{Memory: 256 << 20}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(size.Relationship, size.Rows.Inner, size.Worst[0].Values, size.Worst[0].LeftRows)
	// Output:
	// many to many 40 [-1] [3]
}
