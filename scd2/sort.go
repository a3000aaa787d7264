package scd2

import (
	"slices"

	"github.com/onerow-go/onerow/internal/keyset"
)

// runLength is the number of elements that are sorted between two looks at the context.
const runLength = 1 << 14

// sortWatched sorts a list by a strict order. A key may have all events there are, so that a long list is sorted in runs, which are then
// merged, with a look at the context between any two: once that is over, the list is in no order that means anything.
func sortWatched[T any](w *keyset.Watch, list []T, compare func(a, b T) int) {
	if len(list) <= runLength {
		slices.SortFunc(list, compare)
		return
	}
	for lo := 0; lo < len(list); lo += runLength {
		if w.OverAfter(runLength) {
			return
		}
		slices.SortFunc(list[lo:min(lo+runLength, len(list))], compare)
	}
	from, to := list, make([]T, len(list))
	for width := runLength; width < len(list); width *= 2 {
		for lo := 0; lo < len(list); lo += 2 * width {
			mid, hi := min(lo+width, len(list)), min(lo+2*width, len(list))
			a, b, out := from[lo:mid], from[mid:hi], to[lo:hi]
			for k := range out {
				if k&(runLength-1) == 0 && w.OverAfter(runLength) {
					return
				}
				if len(b) == 0 || len(a) > 0 && compare(a[0], b[0]) <= 0 {
					out[k], a = a[0], a[1:]
				} else {
					out[k], b = b[0], b[1:]
				}
			}
		}
		from, to = to, from
	}
	if &from[0] != &list[0] {
		copy(list, from)
	}
}
