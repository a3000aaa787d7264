package take

import (
	"math/rand/v2"
	"testing"
)

func TestAllSet(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	bits := make([]byte, 40)
	for i := range bits {
		bits[i] = 0xff
	}
	holes := []int{rng.IntN(320), rng.IntN(320)}
	for _, h := range holes {
		bits[h>>3] &^= 1 << (h & 7)
	}
	for lo := range 320 {
		for hi := lo; hi <= 320; hi++ {
			want := true
			for _, h := range holes {
				want = want && (h < lo || h >= hi)
			}
			if got := allSet(bits, lo, hi); got != want {
				t.Fatalf("[%d, %d) without %v: %v", lo, hi, holes, got)
			}
		}
	}
}
