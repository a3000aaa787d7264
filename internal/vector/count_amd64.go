//go:build !purego

package vector

import "unsafe"

// inGo makes the loops that count, and those that keep, go the way without assembly; tests do. They need no instruction that a processor
// may lack: what assembly brings is that all lies in registers, and that carries are added as they come.
var inGo bool

func deal(chunks []Chunk, keys []uint64, tag uint64) (done int, ok bool) {
	if inGo || len(keys) == 0 {
		return 0, false
	}
	return dealWords(&chunks[0], &keys[0], len(keys), tag), true
}

func count(slots []uint64, starts uint64, entries []uint64, left []uint8) (n, free int, ok bool) {
	if inGo || len(entries) == 0 {
		return 0, 0, false
	}
	n, free = countWords(&slots[0], starts, &entries[0], len(entries), &left[0])
	return n, free, true
}

func countNext(slots []uint64, starts uint64, entries []uint64, left []uint8) (n, free int, ok bool) {
	if inGo || len(left) == 0 {
		return 0, 0, false
	}
	n, free = countNextWords(&slots[0], starts, &entries[0], len(left), &left[0])
	return n, free, true
}

func countSecond(slots []uint64, second []uint8, starts uint64, entries []uint64, left []uint8) (n, free int, ok bool) {
	if inGo || len(entries) == 0 {
		return 0, 0, false
	}
	n, free = countSecondWords(&slots[0], &second[0], starts, &entries[0], len(entries), &left[0])
	return n, free, true
}

func meet(m *Met, slots []uint64, second []uint8, least *Least, list []uint16) (done, n int) {
	done = len(slots) / lanes * lanes
	if !avx512 || done == 0 {
		return 0, 0
	}
	return done, meet512(&slots[0], &second[0], done, least, m, unsafe.SliceData(list))
}

//go:noescape
func dealWords(chunks *Chunk, keys *uint64, n int, tag uint64) (done int)

//go:noescape
func countWords(slots *uint64, starts uint64, entries *uint64, n int, left *uint8) (m, free int)

//go:noescape
func countNextWords(slots *uint64, starts uint64, entries *uint64, n int, left *uint8) (m, free int)

//go:noescape
func countSecondWords(slots *uint64, second *uint8, starts uint64, entries *uint64, n int, left *uint8) (m, free int)

//go:noescape
func meet512(slots *uint64, second *uint8, n int, least *Least, m *Met, list *uint16) (listed int)
