//go:build !amd64 || purego

package vector

func permute(to, from []uint64, p Permutation) (done int) { return 0 }

func narrow(to []uint32, from []uint64, base, shift uint64, flip uint32) (done int, greatest uint64) {
	return 0, 0
}

func unbeaten(s Slots, keys, orders []uint64, flip uint64, list []uint16, i, m int) (end, n int) {
	return i, m
}

func above(s Slots, keys, orders []uint64, flip, least uint64, list []uint16, i, m int) (end, n int) {
	return i, m
}

func homeless(s Slots, keys []uint64, list, out []uint16) (n int, done bool) { return 0, false }
