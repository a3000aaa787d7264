package take

import (
	"unsafe"

	"github.com/onerow-go/onerow/internal/prefetch"
)

// Gathering one row of ten is bound by memory, as most rows are on a line of their own, and the lines between them make the next one hard to foretell. So
// the lines of some rows are fetched while those before them are gathered.

// fetchBlock is the number of rows that are fetched while as many are gathered.
const fetchBlock = 128

// minSpread is the number of bytes a row from which on rows are fetched. With less, gathering reads all lines in turn anyhow.
const minSpread = 16

// ahead calls pick for each block of rows, and meanwhile fetches the cells of the next: those of src, counted from base.
func ahead[T any](src []T, base int, rows []uint32, pick func(lo, hi int)) {
	width := unsafe.Sizeof(*new(T))
	fetch := func(rows []uint32) {
		n := len(rows)
		if n == 0 || uint64(rows[n-1]-rows[0])*uint64(width) < uint64(n*minSpread) {
			return
		}
		prefetch.CellsFrom(unsafe.Pointer(unsafe.SliceData(src)), base, width, rows)
	}
	fetch(rows[:min(len(rows), fetchBlock)])
	for lo := 0; lo < len(rows); lo += fetchBlock {
		hi := min(lo+fetchBlock, len(rows))
		fetch(rows[hi:min(hi+fetchBlock, len(rows))])
		pick(lo, hi)
	}
}

// fetchBytes fetches the lines in which some elements begin.
func fetchBytes[T offset](data []byte, from []T) {
	n := len(from)
	if n == 0 || from[n-1]-from[0] < T(n*minSpread) {
		return
	}
	var at [fetchBlock]uint32
	for k, f := range from {
		at[k] = uint32(f - from[0])
	}
	prefetch.CellsFrom(unsafe.Pointer(unsafe.SliceData(data)), int(from[0]), 1, at[:n])
}
