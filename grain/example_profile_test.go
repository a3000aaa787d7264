package grain_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow/grain"
)

func ExampleProfile() {
	batch := orders([]int64{100, 100, 101}, []int64{1, 2, 1})
	defer batch.Release()

	p, err := grain.Profile(context.Background(), []arrow.Record{batch}, []string{"order_id"}, grain.ProfileOptions{Sums: []string{"line"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := json.NewEncoder(os.Stdout).Encode(p); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"rows":3,"key":["order_id"],"keys":2,"duplicate_rows":1,"null_key_rows":0,"columns":[{"name":"order_id","type":"int64","nulls":0},{"name":"line","type":"int64","nulls":0}],"sums":[{"column":"line","sum":"4","rows":3}]}
}

// A job may add a tenth of rows, and lose none. Its sum may not change at all.
func ExampleCompare() {
	before := &grain.TableProfile{Rows: 1000, Sums: []grain.Sum{{Column: "amount", Sum: "12000.50", Rows: 1000}}}
	after := &grain.TableProfile{Rows: 1050, Sums: []grain.Sum{{Column: "amount", Sum: "11999.50", Rows: 1050}}}

	c, err := grain.Compare(before, after, grain.Tolerance{Growth: 0.1, Figures: map[string]grain.Share{"sum(amount)": {}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c)
	// Output:
	// 1 figure of 2 changed by more than is allowed
	//
	// figure         before     after     change
	// rows             1000      1050        +5%
	// sum(amount)  12000.50  11999.50  -0.00833%  refused
}

func ExampleComparison_Err() {
	before, after := &grain.TableProfile{Rows: 1000}, &grain.TableProfile{Rows: 2000}
	c, err := grain.Compare(before, after, grain.Tolerance{Growth: 0.5})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.Err())
	// Output: figures differ: rows was 1000, is 2000 (+100%)
}
