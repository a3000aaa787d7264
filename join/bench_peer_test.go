package join_test

import (
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/keyset"
	"github.com/onerow-go/onerow/join"
)

// TestObjects: a call on ten times as many rows and keys makes no more objects, but for one or two for each partition, of which there is a greatest
// number, and a few for working memory that no pool had. One for each block of some thousand rows would be more than that.
func TestObjects(t *testing.T) {
	const few, more = 200_000, 200
	if testing.Short() {
		t.Skip("millions of rows")
	}
	dealtBare(t, keyset.MaxTies) // on fewer rows as well
	var objects [2]float64
	for i, rows := range []int{few, 10 * few} {
		rng := rand.New(rand.NewPCG(1, 2))
		left, right := keyedSide(rows, false, func(int) int { return rng.IntN(rows / 10) }), keyedSide(rows/10, false, func(i int) int { return i })
		objects[i] = testing.AllocsPerRun(2, func() {
			opts := join.Options{Resources: onerow.Resources{Workers: 2}}
			if _, err := join.Estimate(t.Context(), []arrow.Record{left}, []arrow.Record{right}, join.On("id"), opts); err != nil {
				t.Fatal(err)
			}
		})
		left.Release()
		right.Release()
	}
	if objects[1] > objects[0]+more {
		t.Errorf("%v objects on %d rows, %v on ten times as many", objects[0], few, objects[1])
	}
}
