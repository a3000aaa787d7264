package scd2_test

import "testing"

// byteChoice takes choices from bytes; when they are used up, all are 0.
type byteChoice struct{ bytes []byte }

func (c *byteChoice) Choose(_ string, n int) int {
	if len(c.bytes) == 0 {
		return 0
	}
	b := c.bytes[0]
	c.bytes = c.bytes[1:]
	return int(b) % n
}

// FuzzCheck compares calls with the oracle.
func FuzzCheck(f *testing.F) {
	for i := range boundaries {
		seed := []byte{byte(i), 0, 1, 1, 1, 1, 1, 0, 0, 1, 0, 1, 0, 1, 8}
		for j := range 60 {
			seed = append(seed, byte(j*j*7>>1))
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, choices []byte) {
		src := &byteChoice{choices}
		s := newRangeScene(src, 14)
		s.agree(t, s.build(t, src))
	})
}
