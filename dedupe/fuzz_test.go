package dedupe_test

import (
	"math/rand/v2"
	"testing"
)

// FuzzLatest makes a small table and a call of the bytes, and compares the answer with the oracle's.
func FuzzLatest(f *testing.F) {
	addChoices(f)
	f.Fuzz(func(t *testing.T, choices []byte) {
		l := newLab(t, &spent{choices})
		b := l.scenario(everything)
		l.agree(b.batches, b)
		l.agree(l.cut(b.batches), b)
	})
}

// FuzzReader makes such a table too, without what streams don't have, and compares a stream with the same rows in memory.
func FuzzReader(f *testing.F) {
	addChoices(f)
	f.Fuzz(func(t *testing.T, choices []byte) {
		l := newLab(t, &spent{choices})
		l.stream(l.scenario(streamed))
	})
}

// addChoices adds random bytes as seeds.
func addChoices(f *testing.F) {
	f.Add([]byte{})
	for seed := range uint64(60) {
		rnd := rand.New(rand.NewPCG(seed, 0))
		choices := make([]byte, 300)
		for i := range choices {
			choices[i] = byte(rnd.Uint32())
		}
		f.Add(choices)
	}
}
