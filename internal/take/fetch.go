package take

import (
	"unsafe"

	"github.com/onerow-go/onerow/internal/prefetch"
)

// Gathering one row of ten is bound by memory, as most rows are on a line of their own, and the lines between them make the next one hard
// to foretell. So the lines of rows to come are fetched while those before them are gathered.

const (
	// fetchAhead is how many rows before they are gathered rows are fetched.
	fetchAhead = 256
	// wordStep and textStep are the numbers of rows that are fetched, and then as many gathered: with more, memory waits while rows are gathered.
	wordStep, textStep = 32, 64
	// minSpread is the number of bytes a row from which on rows are fetched. With less, gathering reads all lines in turn anyhow.
	minSpread = 24
)

// many says whether the lines of the rows, and what is made of them, are more than caches hold: 32 MiB, if each is on a line of its own.
// They take no room there then, as they would be gone before anyone read them again.
func (p *picks) many() bool { return len(p.rows) >= 32<<20/prefetch.Line }

// ahead calls pick for one step of rows after the other, and meanwhile fetches the cells of rows to come: count cells of src each, from base on.
func ahead[T any](src []T, base, count int, rows []uint32, once bool, pick func(lo, hi int)) {
	width := unsafe.Sizeof(*new(T))
	fetch := func(lo, hi int) {
		if uint64(rows[hi-1]-rows[lo])*uint64(width) >= uint64((hi-lo)*minSpread) {
			prefetch.Spans(unsafe.Pointer(unsafe.SliceData(src)), base, width, rows[lo:hi], uintptr(count)*width, once)
		}
	}
	steps(len(rows), wordStep, fetch, pick)
}

// steps calls do for one step of n rows after the other, and fetch fetchAhead rows before.
func steps(n, step int, fetch, do func(lo, hi int)) {
	for lo := 0; lo < min(fetchAhead, n); lo += step {
		fetch(lo, min(lo+step, n))
	}
	for lo := 0; lo < n; lo += step {
		if next := lo + fetchAhead; next < n {
			fetch(next, min(next+step, n))
		}
		do(lo, min(lo+step, n))
	}
}

// fetchBytes fetches the lines in which elements of about the given size begin and end, at most textStep of them.
func fetchBytes[T offset](data []byte, from []T, size int, once bool) {
	n := len(from)
	if from[n-1]-from[0] < T(n*minSpread) {
		return
	}
	base, first := unsafe.Pointer(unsafe.SliceData(data)), 0
	var at []uint32
	switch from := any(from).(type) {
	case []int32:
		at = unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(from))), n)
	case []int64:
		var room [textStep]uint32
		first = int(from[0])
		for k, f := range from {
			room[k] = uint32(f - from[0])
		}
		at = room[:n]
	}
	prefetch.Spans(base, first, 1, at, uintptr(size), once)
}
