package grain_test

import (
	"math/rand/v2"
	"testing"
)

// FuzzCheck makes a small table and a call of the bytes, and compares the answer with the oracle's.
func FuzzCheck(f *testing.F) {
	f.Add([]byte{})
	for seed := range uint64(40) {
		rnd := rand.New(rand.NewPCG(seed, 0))
		choices := make([]byte, 120)
		for i := range choices {
			choices[i] = byte(rnd.Uint32())
		}
		f.Add(choices)
	}
	f.Fuzz(func(t *testing.T, choices []byte) {
		l := newLab(t, &spent{choices})
		l.agree(l.batches)
		sameForAllOrders(l)
	})
}
