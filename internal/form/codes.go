package form

import "golang.org/x/exp/constraints"

// Dictionary returns the values of a dictionary array; nil for other arrays, and for those without a dictionary.
func (a *Array) Dictionary() *Array {
	if a.Kind == KindDict && len(a.kids) > 0 {
		return a.kids[0]
	}
	return nil
}

// Codes puts the place in the dictionary of each of the rows from lo on, and the dictionary's length for rows that are NULL without one. A code that points
// outside the dictionary ends in a bounds panic, as all cells outside an array do. The dictionary has fewer than 2^32 values.
func (a *Array) Codes(lo int, dst []uint32) {
	n, p := len(dst), a.off+lo
	if n == 0 {
		return
	}
	if a.valid != nil {
		for i := range dst {
			dst[i] = uint32(a.kids[0].Len)
			if bit(a.valid, p+i) {
				dst[i] = uint32(a.entry(lo + i))
			}
		}
		return
	}
	var greatest uint64
	switch a.index {
	case KindI8:
		greatest = codes(a.i8[p:p+n], dst)
	case KindI16:
		greatest = codes(a.i16[p:p+n], dst)
	case KindI32:
		greatest = codes(a.i32[p:p+n], dst)
	case KindI64:
		greatest = codes(a.i64[p:p+n], dst)
	case KindU8:
		greatest = codes(a.u8[p:p+n], dst)
	case KindU16:
		greatest = codes(a.u16[p:p+n], dst)
	case KindU32:
		greatest = codes(a.u32[p:p+n], dst)
	default:
		greatest = codes(a.u64[p:p+n], dst)
	}
	_ = a.kids[0].rows[greatest]
}

// codes returns the greatest of the codes. Negative ones are greater than all others.
func codes[T constraints.Integer](index []T, dst []uint32) (greatest uint64) {
	dst = dst[:len(index)]
	for i, c := range index {
		greatest = max(greatest, uint64(int64(c)))
		dst[i] = uint32(c)
	}
	return greatest
}
