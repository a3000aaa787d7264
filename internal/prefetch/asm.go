//go:build (amd64 || arm64) && !purego

package prefetch

import "unsafe"

// Read fetches the lines from the one at p on, to be read.
//
//go:noescape
func Read(p unsafe.Pointer, lines int)

// Write fetches the line at p, to be written.
//
//go:noescape
func Write(p unsafe.Pointer)

// Cells fetches the lines in which cells of some size begin, from base on, by their numbers.
func Cells(base unsafe.Pointer, size uintptr, at []uint32) {
	cells(uintptr(base), size, unsafe.SliceData(at), len(at))
}

// Spans fetches the lines in which spans of some bytes begin and end: each begins with a cell of some size, by numbers that are less by
// first, which may be negative, than those in memory from base on. Lines that are read but once, and more of them than caches hold, take no
// room in the outer ones.
func Spans(base unsafe.Pointer, first int, size uintptr, at []uint32, bytes uintptr, once bool) {
	from, list := uintptr(base)+uintptr(first)*size, unsafe.SliceData(at)
	switch whole := bytes <= size; {
	case whole && once:
		cellsOnce(from, size, list, len(at))
	case whole:
		cells(from, size, list, len(at))
	case once:
		spansOnce(from, size, list, len(at), bytes-1)
	default:
		spans(from, size, list, len(at), bytes-1)
	}
}

//go:noescape
func cells(base, size uintptr, at *uint32, n int)

//go:noescape
func cellsOnce(base, size uintptr, at *uint32, n int)

//go:noescape
func spans(base, size uintptr, at *uint32, n int, last uintptr)

//go:noescape
func spansOnce(base, size uintptr, at *uint32, n int, last uintptr)
