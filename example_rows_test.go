package onerow_test

import (
	"fmt"

	"github.com/onerow-go/onerow"
)

func ExampleRows_Without() {
	winners, deletes := onerow.Rows{0, 3, 4, 9}, onerow.Rows{3, 9}
	fmt.Println(winners.Without(deletes))
	// Output: [0 4]
}
