package join_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/join"
)

// TestRangeCollidingDigests compares calls by texts too long to be words with difference arrays while all keys have one digest, so that what was
// taken for equal proves to differ: with partitions and without, and by several workers that look into one index.
func TestRangeCollidingDigests(t *testing.T) {
	form.ConstantHash(true)
	defer form.ConstantHash(false)
	for _, versions := range []int{18_000, 3000} {
		t.Run(fmt.Sprintf("versions=%d", versions), func(t *testing.T) {
			l := largeRange{facts: 70_000, versions: versions, keyOf: func(r *rand.Rand) int { return r.IntN(12) }, version: anyVersion}
			l.fill(uint64(versions))
			facts, history := l.build(t, arrowtest.Allocator(t), "long text")
			rows, status, _ := l.expect()
			for _, workers := range []int{1, 3} {
				m, err := join.AsOf(t.Context(), facts, history, join.RangeOptions{Resources: onerow.Resources{Workers: workers}})
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(m.Rows, rows) || !slices.Equal(m.Status, status) {
					t.Errorf("%d workers: other matches", workers)
				}
			}
		})
	}
}
