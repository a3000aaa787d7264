package scd2

import "math/bits"

// The primes of XXH64.
const (
	xxhPrime1 = 11400714785074694791
	xxhPrime2 = 14029467366897019727
	xxhPrime3 = 1609587929392839161
	xxhPrime4 = 9650029242287828579
	xxhPrime5 = 2870177450012600261
)

// xxh4 is XXH64 of the 4 bytes of a number, little-endian.
func xxh4(v uint32, seed uint64) uint64 {
	h := seed + xxhPrime5 + 4
	h ^= uint64(v) * xxhPrime1
	return avalanche(bits.RotateLeft64(h, 23)*xxhPrime2 + xxhPrime3)
}

// xxh8 is XXH64 of the 8 bytes of a number, little-endian.
func xxh8(v, seed uint64) uint64 {
	h := seed + xxhPrime5 + 8
	h ^= bits.RotateLeft64(v*xxhPrime2, 31) * xxhPrime1
	return avalanche(bits.RotateLeft64(h, 27)*xxhPrime1 + xxhPrime4)
}

func avalanche(h uint64) uint64 {
	h = (h ^ h>>33) * xxhPrime2
	h = (h ^ h>>29) * xxhPrime3
	return h ^ h>>32
}
