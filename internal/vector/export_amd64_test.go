//go:build !purego

package vector

// InGo makes all loops go the way without assembly, and says whether they went another.
func InGo(on bool) (had bool) {
	had = detect()
	avx512 = had && !on
	return had
}
