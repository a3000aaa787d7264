package keyset_test

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/keyset"
)

// TestByHigh sorts lists of several ranges as a stable sort does.
func TestByHigh(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	for _, bits := range []int{0, 1, 10, 11, 12, 22, 23, 32} {
		for _, n := range []int{0, 1, 2, 1000, 3000} {
			keys := make([]uint64, n)
			for i := range keys {
				keys[i] = rnd.Uint64()>>(64-bits)<<32 | uint64(n-i) // the lower half falls: where it counted, equal ones would change places
			}
			for _, sorted := range []bool{false, true} {
				want := slices.Clone(keys)
				slices.SortStableFunc(want, func(a, b uint64) int { return cmp.Compare(a>>32, b>>32) })
				if sorted {
					keys = slices.Clone(want)
				}
				if got, err := keyset.ByHigh(t.Context(), slices.Clone(keys)); err != nil || !slices.Equal(got, want) {
					t.Errorf("%d bits, %d numbers, sorted %v: wrong, error %v", bits, n, sorted, err)
				}
			}
		}
	}
}

// TestByHighEnds: the context is looked at in the midst of the work.
func TestByHighEnds(t *testing.T) {
	keys := make([]uint64, 3<<20)
	for i := range keys {
		keys[i] = uint64(len(keys)-i) << 32
	}
	for looks := range int64(6) {
		if got, err := keyset.ByHigh(arrowtest.EndAt(t.Context(), looks), slices.Clone(keys)); got != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("after %d looks: %d numbers, error %v", looks, len(got), err)
		}
	}
}
