package keyset

import "context"

// ByHigh sorts numbers by their upper 32 bits, eleven at a time, those of one value in the order in which they come (LSD radix sort). It returns the list, or another
// of its length.
func ByHigh(ctx context.Context, keys []uint64) ([]uint64, error) {
	most, last, sorted := uint64(0), uint64(0), true
	for _, k := range keys {
		most = max(most, k)
		sorted = sorted && k>>32 >= last>>32
		last = k
	}
	if sorted {
		return keys, ctx.Err()
	}
	spare := make([]uint64, len(keys))
	const digit, looks = 11, 1 << 20
	for shift := uint(32); shift < 64 && most>>shift != 0; shift += digit {
		var at [1 << digit]int
		for _, k := range keys {
			at[k>>shift&(1<<digit-1)]++
		}
		sum := 0
		for d, c := range at {
			at[d], sum = sum, sum+c
		}
		for lo := 0; lo < len(keys); lo += looks {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			for _, k := range keys[lo:min(lo+looks, len(keys))] {
				d := k >> shift & (1<<digit - 1)
				spare[at[d]] = k
				at[d]++
			}
		}
		keys, spare = spare, keys
	}
	return keys, nil
}
