package keyset_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/onerow-go/onerow/internal/keyset"
)

// TestLoneCodes: a value that another code has too, of the same worker or of another, is never found to be alone; nearly all others are.
func TestLoneCodes(t *testing.T) {
	for _, n := range []int{1, 2, 5, 63, 1000, 50_000} {
		for workers := 1; workers <= 3; workers++ {
			t.Run(fmt.Sprintf("n=%d,workers=%d", n, workers), func(t *testing.T) {
				rnd := rand.New(rand.NewPCG(uint64(n), uint64(workers)))
				at, of := make([][]uint32, workers), map[uint32]int{}
				for range n {
					v := rnd.Uint32()
					if w := at[rnd.IntN(workers)]; len(w) > 0 && rnd.IntN(8) == 0 {
						v = w[rnd.IntN(len(w))]
					}
					w := rnd.IntN(workers)
					at[w] = append(at[w], v)
					of[v]++
				}
				lone := keyset.LoneCodes(at)
				mistaken := 0
				for code, v := range slices.Concat(at...) {
					if lone[code] && of[v] > 1 {
						t.Errorf("code %d is found to be alone, and its value has %d", code, of[v])
					}
					if !lone[code] && of[v] == 1 {
						mistaken++
					}
				}
				if mistaken > n/10+2 {
					t.Errorf("%d of %d codes aren't found to be alone", mistaken, n)
				}
			})
		}
	}
}
