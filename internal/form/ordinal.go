package form

import (
	"cmp"
	"math/bits"
)

// Measure says what the words of Mode Ordinal stand for in an array.
type Measure struct {
	// Cells is false when every cell is NULL: nothing else counts then.
	Cells bool
	// Exact: words of arrays with the same Measure are equal for equal cells and only for them. For decimals that holds but for the least and
	// the greatest word, which all that 64 bits can't hold share.
	Exact bool
	// Unit is the value of one step, in the finest unit of a time family; 1 for others.
	Unit uint64
	// Integers: cells are integers or times. The word is the integer itself if Unsigned, else with its sign bit flipped.
	Integers, Unsigned bool
	// Decimals: cells are decimals of the Scale.
	Decimals bool
	Scale    int32
}

// Measure looks at the array below all adaptors.
func (a *Array) Measure() Measure {
	l := a.bottom()
	m := Measure{Cells: a.Len > 0 && l.Kind != KindNull && l.Kind != KindDict, Unit: 1}
	switch l.Family {
	case TextFamily, BinaryFamily:
		return m
	case DecimalFamily:
		m.Decimals, m.Scale = true, l.scale
	case BoolFamily, FloatFamily:
	default:
		m.Unit, m.Integers, m.Unsigned = l.mul, true, l.Kind == KindU64
	}
	m.Exact = true
	return m
}

// Ordinal returns the word that Mode Ordinal has for row i; ok is false for NULL.
func (a *Array) Ordinal(i int) (word uint64, ok bool) {
	if a.Null(i) {
		return 0, false
	}
	l, i := a.leaf(i)
	switch l.Family {
	case TextFamily, BinaryFamily:
		return prefix(l.bytes(i)), true
	case DecimalFamily:
		return clamp(l.limbs(i)), true
	case FloatFamily:
		return rankFloat(canonical(l.float(i))), true
	case BoolFamily:
		if bit(l.bits, l.off+i) {
			word = 1
		}
		return word, true
	}
	word = uint64(l.intAt(l.Kind, l.off+i))
	if l.Kind != KindU64 {
		word ^= signBit
	}
	return word, true
}

// Exceeds says whether cell i of a is greater than cell j of b by more than step, exactly. The cells are integers or times, not NULL; step is in
// the finest unit of their family.
func Exceeds(a *Array, i int, b *Array, j int, step uint64) bool {
	a, i = a.leaf(i)
	b, j = b.leaf(j)
	ah, al := wide(a.intAt(a.Kind, a.off+i), a.Kind == KindU64, a.mul)
	bh, bl := wide(b.intAt(b.Kind, b.off+j), b.Kind == KindU64, b.mul)
	l, carry := bits.Add64(bl, step, 0)
	bh += int64(carry)
	return cmp.Or(cmp.Compare(ah, bh), cmp.Compare(al, l)) > 0
}
