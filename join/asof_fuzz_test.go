package join_test

import "testing"

// spent makes choices of bytes; without any left, the first.
type spent struct{ bytes []byte }

func (s *spent) Choose(_ string, n int) int {
	if len(s.bytes) == 0 {
		return 0
	}
	b := int(s.bytes[0])
	s.bytes = s.bytes[1:]
	return b % n
}

// FuzzAsOf compares AsOf and Between with the oracle on tables and options that bytes choose.
func FuzzAsOf(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{0, 0, 1, 1, 1, 2, 1, 0, 0, 1, 1, 5, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
	f.Add([]byte{9, 4, 0, 1, 0, 0, 1, 1, 1, 0, 0, 7, 3, 3, 3, 1, 2, 2, 5, 5, 4, 4, 3, 8, 8, 6, 6, 6, 1, 1, 1, 0, 0, 2, 3, 1, 2, 3, 1, 2, 3, 9, 9, 9})
	f.Fuzz(func(t *testing.T, bytes []byte) {
		if len(bytes) > 400 {
			t.Skip("as many bytes as a scene needs")
		}
		src := &spent{bytes}
		s := newRangeScene(src, 12)
		s.agree(t, s.cut(t, src))
	})
}
