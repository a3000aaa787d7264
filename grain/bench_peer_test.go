package grain_test

import (
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/grain"
	"github.com/onerow-go/onerow/internal/keyset"
)

// TestObjects: a call on ten times as many rows and keys makes no more objects, but for one or two for each partition, of which there is a greatest
// number, and a few for working memory that no pool had. One for each block of some thousand rows would be more than that.
func TestObjects(t *testing.T) {
	const few, more = 200_000, 200
	if testing.Short() {
		t.Skip("millions of rows")
	}
	dealtBare(t, keyset.MaxTies) // on fewer rows as well
	for _, kind := range []string{"int", "text15"} {
		var objects [2]float64
		for i, rows := range []int{few, 10 * few} {
			rng := rand.New(rand.NewPCG(1, 2))
			rec := recordOf(keyColumns(kind, rows, func(int) int { return rng.IntN(rows / 10) }))
			objects[i] = testing.AllocsPerRun(2, func() {
				if _, err := grain.Check(t.Context(), []arrow.Record{rec}, []string{"id"}, grain.Options{Resources: onerow.Resources{Workers: 2}}); err != nil {
					t.Fatal(err)
				}
			})
			rec.Release()
		}
		if objects[1] > objects[0]+more {
			t.Errorf("%s: %v objects on %d rows, %v on ten times as many", kind, objects[0], few, objects[1])
		}
	}
}
