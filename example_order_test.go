package onerow_test

import (
	"fmt"

	"github.com/onerow-go/onerow"
)

// The row with the greatest commit position is the latest; among rows of one commit, the one with the greatest sequence
// number.
func ExampleDesc() {
	order := []onerow.Order{onerow.Desc("commit_lsn"), onerow.Desc("seq")}
	for _, o := range order {
		fmt.Println(o.Column, "ascending:", o.Ascending, "NULL refused:", o.Nulls == onerow.RejectNulls)
	}
	// Output:
	// commit_lsn ascending: false NULL refused: true
	// seq ascending: false NULL refused: true
}

// The source with the smallest priority number wins.
func ExampleAsc() {
	o := onerow.Asc("priority")
	fmt.Println(o.Column, "ascending:", o.Ascending)
	// Output:
	// priority ascending: true
}

// A row that was never updated is older than any that was.
func ExampleOrder_NullsLowest() {
	o := onerow.Desc("updated_at").NullsLowest()
	fmt.Println(o.Column, "NULL below every value:", o.Nulls == onerow.NullsAreLowest)
	// Output:
	// updated_at NULL below every value: true
}

// A version without an end is still open, and so later than any that has ended.
func ExampleOrder_NullsHighest() {
	o := onerow.Desc("valid_to").NullsHighest()
	fmt.Println(o.Column, "NULL above every value:", o.Nulls == onerow.NullsAreHighest)
	// Output:
	// valid_to NULL above every value: true
}
