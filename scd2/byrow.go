package scd2

import (
	"context"

	"github.com/onerow-go/onerow/internal/keyset"
)

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

// byHigh sorts numbers by their upper 32 bits. It doesn't look at a context: a million take some ten milliseconds.
func byHigh(keys []uint64) []uint64 {
	sorted, _ := keyset.ByHigh(context.Background(), keys) // no other error than the context's
	return sorted
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
