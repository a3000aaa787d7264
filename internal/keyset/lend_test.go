package keyset

import (
	"slices"
	"testing"
	"unsafe"
)

// TestLend: what is lent is zero whoever had it before, whole, and given back once.
func TestLend(t *testing.T) {
	for range 3 {
		var all [][]uint64
		seen := map[*uint64]bool{}
		for _, n := range []int{0, 1, 100, lentWords - 1, lentWords, lentWords + 1, slabWords - 1, slabWords, slabWords + 1, 3 * slabWords, slabWords<<(slabClasses-1) + 1} {
			w := lend(n)
			if len(w) != n || n > 0 && slices.Max(w) != 0 {
				t.Fatalf("%d words: %d, the greatest of them %d", n, len(w), slices.Max(w))
			}
			if n > 0 && seen[unsafe.SliceData(w)] {
				t.Fatalf("%d words are lent twice", n)
			}
			if n > 0 {
				seen[unsafe.SliceData(w)] = true
			}
			for i := range w {
				w[i] = ^uint64(0)
			}
			all = append(all, w)
		}
		for _, w := range all {
			giveBack(w)
		}
	}
	b := LendBitmap(20_000_000)
	b.Set(19_999_999)
	b.GiveBack()
	if LendBitmap(20_000_000).Count() != 0 {
		t.Error("a bitmap is lent with marks")
	}
	giveBack(nil)
	giveBack(make([]uint64, slabWords+5)) // not of lend
}
