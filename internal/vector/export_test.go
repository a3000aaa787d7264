//go:build !amd64 || purego

package vector

// InGo makes all loops go the way without assembly, and says whether they went another.
func InGo(bool) (had bool) { return false }
