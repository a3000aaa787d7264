//go:build !purego

package vector

// CountInGo makes the loops that count, which go the way of assembly on all processors, go the other, and says whether they went another.
func CountInGo(on bool) (had bool) {
	inGo = on
	return true
}
