package dedupe_test

import (
	"math/rand/v2"
	"testing"
)

// FuzzLatest makes a small table and a call of the bytes, and compares the answer with the oracle's.
func FuzzLatest(f *testing.F) {
	f.Add([]byte{})
	for seed := range uint64(60) {
		rnd := rand.New(rand.NewPCG(seed, 0))
		choices := make([]byte, 300)
		for i := range choices {
			choices[i] = byte(rnd.Uint32())
		}
		f.Add(choices)
	}
	f.Fuzz(func(t *testing.T, choices []byte) {
		l := newLab(t, &spent{choices})
		b := l.scenario(everything)
		l.agree(b.batches, b)
		l.agree(l.cut(b.batches), b)
	})
}
