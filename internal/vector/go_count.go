//go:build !amd64 || purego

package vector

func deal(_ []Chunk, _ []uint64, _ uint64) (done int, ok bool) { return 0, false }

func count(_ []uint64, _ uint64, _ []uint64, _ []uint8) (n, free int, ok bool) { return 0, 0, false }

func countNext(_ []uint64, _ uint64, _ []uint64, _ []uint8) (n, free int, ok bool) {
	return 0, 0, false
}

func countSecond(_ []uint64, _ []uint8, _ uint64, _ []uint64, _ []uint8) (n, free int, ok bool) {
	return 0, 0, false
}

func meet(_ *Met, _ []uint64, _ []uint8, _ *Least, _ []uint16) (done, n int) { return 0, 0 }

func keep(slots []Kept, starts uint64, entries []Kept, left []uint8) (n, free int, ok bool) {
	return 0, 0, false
}

func keepNext(slots []Kept, starts, mask uint64, entries []Kept, left []uint8) (n, free int, ok bool) {
	return 0, 0, false
}
