//go:build !purego

package vector

func keep(slots []Kept, starts uint64, entries []Kept, left []uint8) (n, free int, ok bool) {
	if inGo || len(entries) == 0 {
		return 0, 0, false
	}
	n, free = keepEntries(&slots[0], starts, &entries[0], len(entries), &left[0])
	return n, free, true
}

func keepNext(slots []Kept, starts, mask uint64, entries []Kept, left []uint8) (n, free int, ok bool) {
	if inGo || len(left) == 0 {
		return 0, 0, false
	}
	n, free = keepNextEntries(&slots[0], starts, mask, &entries[0], len(left), &left[0])
	return n, free, true
}

//go:noescape
func keepEntries(slots *Kept, starts uint64, entries *Kept, n int, left *uint8) (m, free int)

//go:noescape
func keepNextEntries(slots *Kept, starts, mask uint64, entries *Kept, n int, left *uint8) (m, free int)
