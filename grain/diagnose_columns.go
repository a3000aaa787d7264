package grain

import "math/bits"

// columnSet is a set of columns by position, or of other small numbers. All sets of a diagnosis have one length.
type columnSet []uint64

func newColumnSet(columns int) columnSet { return make(columnSet, (columns+63)/64) }

func (s columnSet) add(i int)      { s[i>>6] |= 1 << (i & 63) }
func (s columnSet) has(i int) bool { return s[i>>6]>>(i&63)&1 != 0 }

func (s columnSet) addAll(o columnSet) {
	for i, w := range o {
		s[i] |= w
	}
}

func (s columnSet) empty() bool {
	for _, w := range s {
		if w != 0 {
			return false
		}
	}
	return true
}

// within says whether all of s is in o.
func (s columnSet) within(o columnSet) bool {
	for i, w := range s {
		if w&^o[i] != 0 {
			return false
		}
	}
	return true
}

// list returns the columns in table order.
func (s columnSet) list() []int {
	var out []int
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			out = append(out, i<<6+bits.TrailingZeros64(w))
		}
	}
	return out
}
