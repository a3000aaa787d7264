//go:build (!amd64 && !arm64) || purego

package prefetch

import "unsafe"

// Read fetches the lines from the one at p on, to be read.
func Read(p unsafe.Pointer, lines int) {}

// Write fetches the line at p, to be written.
func Write(p unsafe.Pointer) {}

// Cells fetches the lines in which cells of some size begin, from base on, by their numbers.
func Cells(base unsafe.Pointer, size uintptr, at []uint32) {}

// CellsFrom is Cells for numbers that are less by first than those in memory; first may be negative.
func CellsFrom(base unsafe.Pointer, first int, size uintptr, at []uint32) {}
