package scd2

// byRow sorts what the workers found by the number of a row, in time in proportion to its length: a radix sort of numbers, then one pass that moves
// the elements. Elements of one row keep their order.
func byRow[T any](list []T, row func(*T) uint32) []T {
	n := len(list)
	if n < 2 {
		return list
	}
	keys := make([]uint64, n)
	for i := range list {
		keys[i] = uint64(row(&list[i]))<<32 | uint64(i)
	}
	out := make([]T, n)
	for i, k := range byHigh(keys) {
		out[i] = list[uint32(k)]
	}
	return out
}

// byHigh sorts numbers by their upper 32 bits, eleven at a time, those of one value in the order that they come in. It returns the list, or another of
// its length.
func byHigh(keys []uint64) []uint64 {
	most := uint64(0)
	for _, k := range keys {
		most = max(most, k)
	}
	spare := make([]uint64, len(keys))
	const digit = 11
	for shift := uint(32); shift < 64 && most>>shift != 0; shift += digit {
		var at [1 << digit]int
		for _, k := range keys {
			at[k>>shift&(1<<digit-1)]++
		}
		sum := 0
		for d, c := range at {
			at[d], sum = sum, sum+c
		}
		for _, k := range keys {
			d := k >> shift & (1<<digit - 1)
			spare[at[d]] = k
			at[d]++
		}
		keys, spare = spare, keys
	}
	return keys
}

// settle sorts runs of elements that have one row.
func settle[T any](list []T, row func(*T) uint32, sort func([]T)) {
	for lo := 0; lo < len(list); {
		hi := lo + 1
		for hi < len(list) && row(&list[hi]) == row(&list[lo]) {
			hi++
		}
		if hi-lo > 1 {
			sort(list[lo:hi])
		}
		lo = hi
	}
}
