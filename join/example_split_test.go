package join_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"log/slog"
	"os"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/join"
)

// Orders of guests and of customer 9 are kept out of the join, and looked at later.
func ExampleSplit() {
	orders, customers := ordersAndCustomers()
	defer orders.Release()
	defer customers.Release()
	left, right := []arrow.Record{orders}, []arrow.Record{customers}

	ctx := context.Background()
	d, err := join.Split(ctx, left, right, join.Pair("customer_id", "id"), join.SplitOptions{Keys: [][]onerow.Value{{9}}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(d)

	rec, err := onerow.Take(ctx, left, d.Left.Join, onerow.Resources{})
	if err != nil {
		log.Fatal(err)
	}
	defer rec.Release()
	fmt.Println(rec.Column(0))
	// Output:
	// split on customer_id = id
	//              left  right
	// rows           10      7
	// to join         3      4
	// NULL in key     1      0
	// placeholder     5      3
	// chosen key      1      0
	// [7 7 8]
}

// The keys that make the most rows go into quarantine.
func ExampleSplit_listed() {
	orders, customers := ordersAndCustomers()
	defer orders.Release()
	defer customers.Release()
	left, right := []arrow.Record{orders}, []arrow.Record{customers}
	on := join.Pair("customer_id", "id")

	ctx := context.Background()
	size, err := join.Estimate(ctx, left, right, on, join.Options{})
	if err != nil {
		log.Fatal(err)
	}
	d, err := join.Split(ctx, left, right, on, join.SplitOptions{Listed: size.Right.Repeats, Placeholders: []onerow.Value{}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(d.Left.Join, d.Left.Chosen)
	// Output:
	// [2 8] [0 1 3 4 5 6 7]
}

// divided is what Split says of orders and customers.
func divided() *join.Division {
	orders, customers := ordersAndCustomers()
	defer orders.Release()
	defer customers.Release()
	d, err := join.Split(context.Background(), []arrow.Record{orders}, []arrow.Record{customers}, join.Pair("customer_id", "id"), join.SplitOptions{})
	if err != nil {
		log.Fatal(err)
	}
	return d
}

func ExampleDividedSide_Quarantine() {
	d := divided()
	fmt.Println(d.Left.Null, d.Left.Placeholder, d.Left.Quarantine())
	// Output:
	// [9] [3 4 5 6 7] [3 4 5 6 7 9]
}

func ExampleDivision_String() {
	fmt.Println(divided())
	// Output:
	// split on customer_id = id
	//              left  right
	// rows           10      7
	// to join         4      4
	// NULL in key     1      0
	// placeholder     5      3
	// chosen key      0      0
}

func ExampleDivision_LogValue() {
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	logger.Info("split", "join", divided())
	// Output:
	// level=INFO msg=split join.on="customer_id = id" join.left.rows=10 join.left.join=4 join.left.null=1 join.left.placeholder=5 join.left.chosen=0 join.right.rows=7 join.right.join=4 join.right.null=0 join.right.placeholder=3 join.right.chosen=0
}

func ExampleDivision_MarshalJSON() {
	text, err := json.Marshal(divided())
	fmt.Println(string(text), err)
	// Output:
	// {"left":{"chosen":0,"join":4,"null":1,"placeholder":5,"rows":10},"on":{"left":["customer_id"],"right":["id"]},"right":{"chosen":0,"join":4,"null":0,"placeholder":3,"rows":7}} <nil>
}
