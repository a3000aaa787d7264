package keyset_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/onerow-go/onerow/internal/keyset"
)

func TestBitmapRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []uint32{0, 1, 63, 64, 65, 1000, 1<<18 - 1, 1<<19 + 77} {
		for _, one := range []uint32{1, 2, 50, 1 << 30} { // of how many rows one is marked
			b, want := keyset.NewBitmap(n), []uint32(nil)
			for r := range n {
				if rng.Uint32N(one) == 0 {
					b.Set(r)
					want = append(want, r)
				}
			}
			if got := b.Rows(); !slices.Equal(want, got) || got != nil && len(got) == 0 {
				t.Fatalf("%d rows, 1 of %d: %d rows listed, want %d", n, one, len(got), len(want))
			}
			if b.Count() != len(want) {
				t.Fatalf("%d rows, 1 of %d: count %d, want %d", n, one, b.Count(), len(want))
			}
			for _, workers := range []int{0, 1, 2, 3, 100} {
				if !slices.Equal(want, b.RowsBy(workers)) {
					t.Fatalf("%d rows, 1 of %d, %d workers: another list", n, one, workers)
				}
			}
		}
	}
}
