package prefetch_test

import (
	"testing"
	"unsafe"

	"github.com/onerow-go/onerow/internal/prefetch"
)

// TestNothingHappens: addresses that nothing may read, and none at all, do no harm, and what lies there is as it was.
func TestNothingHappens(t *testing.T) {
	words := [1024]uint64{}
	for i := range words {
		words[i] = uint64(i)
	}
	base := unsafe.Pointer(&words)
	for _, lines := range []int{-1, 0, 1, 128, 100_000} {
		prefetch.Read(base, lines)
		prefetch.Read(nil, lines)
	}
	prefetch.Write(base)
	prefetch.Write(unsafe.Add(base, 4093))
	prefetch.Write(nil)
	prefetch.Cells(base, 8, []uint32{0, 1023, 5, 1 << 31, 1<<32 - 1})
	prefetch.Cells(base, 1<<20, []uint32{1<<32 - 1})
	prefetch.Cells(base, 0, nil)
	prefetch.Cells(nil, 8, []uint32{7})
	for _, once := range []bool{false, true} {
		for _, bytes := range []uintptr{0, 1, 8, 16, 17, 1 << 30} {
			prefetch.Spans(base, -5_000_000, 16, []uint32{0, 5_000_000, 1<<32 - 1}, bytes, once)
			prefetch.Spans(base, 3, 1, []uint32{1<<32 - 1}, bytes, once)
			prefetch.Spans(nil, 7, 8, nil, bytes, once)
			prefetch.Spans(nil, 7, 0, []uint32{7}, bytes, once)
		}
	}
	for i, w := range words {
		if w != uint64(i) {
			t.Fatalf("word %d is %d", i, w)
		}
	}
}
