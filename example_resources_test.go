package onerow_test

import (
	"fmt"

	"github.com/onerow-go/onerow"
)

// Resources are part of every verb's options. The number of workers changes the speed, never a result.
func ExampleResources() {
	r := onerow.Resources{
		Workers: 2,
		Progress: func(done, total int64, stage onerow.Stage) {
			fmt.Printf("%s: %d of %d rows\n", stage, done, total)
		},
	}
	fmt.Println(r.Workers, "goroutines")
	r.Progress(1000, 4000, onerow.StageEncode) // a verb calls it
	// Output:
	// 2 goroutines
	// encode: 1000 of 4000 rows
}

func ExampleResources_WorkerCount() {
	fmt.Println(onerow.Resources{Workers: 2}.WorkerCount(), onerow.Resources{}.WorkerCount() > 0)
	// Output:
	// 2 true
}
