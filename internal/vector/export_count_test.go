//go:build !amd64 || purego

package vector

// CountInGo makes the loops that count go the way without assembly, and says whether they went another.
func CountInGo(bool) (had bool) { return false }
