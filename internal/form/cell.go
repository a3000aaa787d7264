package form

import (
	"bytes"
	"cmp"
	"math"
	"math/big"
	"math/bits"
)

// Rank says how Compare treats values that are equal as keys but differ in bits.
type Rank uint8

const (
	// ByValue ranks equal keys equal: -0 and 0, any NaN and any other.
	ByValue Rank = iota
	// ByContent puts -0 below 0.
	ByContent
	// ByBits puts -0 below 0 and tells NaNs apart by their bits.
	ByBits
)

// Equal says whether two cells are equal as keys; NULL equals NULL. The arrays are of comparable types.
func Equal(a *Array, i int, b *Array, j int) bool {
	return Compare(a, i, b, j, ByValue) == 0
}

// Compare ranks two cells of comparable types: NULL lowest, NaN greatest, false below true, text and binary by bytes,
// structs and lists element by element, shorter first.
func Compare(a *Array, i int, b *Array, j int, rank Rank) int {
	an, bn := a.Null(i), b.Null(j)
	if an || bn {
		return truth(bn, an)
	}
	a, i = a.leaf(i)
	b, j = b.leaf(j)
	switch a.Family {
	case BoolFamily:
		return truth(bit(a.bits, a.off+i), bit(b.bits, b.off+j))
	case FloatFamily:
		return compareFloats(a, i, b, j, rank)
	case DecimalFamily:
		return compareDecimals(a, i, b, j)
	case TextFamily, BinaryFamily:
		return bytes.Compare(a.bytes(i), b.bytes(j))
	case StructFamily:
		return compareFields(a, i, b, j, rank)
	case ListFamily, MapFamily:
		return compareLists(a, i, b, j, rank)
	case UnionFamily:
		if c := cmp.Compare(a.codes[a.off+i], b.codes[b.off+j]); c != 0 {
			return c
		}
		ak, ai := a.variant(i)
		bk, bj := b.variant(j)
		return Compare(ak, ai, bk, bj, rank)
	case IntervalFamily:
		return compareIntervals(a, i, b, j)
	}
	return compareInts(a, i, b, j)
}

// truth ranks false below true.
func truth(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

func compareFloats(a *Array, i int, b *Array, j int, rank Rank) int {
	x, y := a.float(i), b.float(j)
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	case x != x || y != y:
		if c := truth(x != x, y != y); c != 0 || rank != ByBits {
			return c
		}
		return cmp.Compare(a.floatBits(i), b.floatBits(j))
	case rank != ByValue && x == 0:
		return truth(!math.Signbit(x), !math.Signbit(y))
	}
	return 0
}

// floatBits returns the bits of row i as they stand in the buffer.
func (a *Array) floatBits(i int) uint64 {
	p := a.off + i
	switch a.Kind {
	case KindF16:
		return uint64(a.f16[p].Uint16())
	case KindF32:
		return uint64(math.Float32bits(a.f32[p]))
	}
	return math.Float64bits(a.f64[p])
}

// compareInts ranks the kinds that are integers of some unit, exactly: what doesn't fit 64 bits is compared in 128.
func compareInts(a *Array, i int, b *Array, j int) int {
	x, y := a.intAt(a.Kind, a.off+i), b.intAt(b.Kind, b.off+j)
	xu, yu := a.Kind == KindU64, b.Kind == KindU64
	if a.mul == b.mul && xu == yu {
		if xu {
			return cmp.Compare(uint64(x), uint64(y))
		}
		return cmp.Compare(x, y)
	}
	xh, xl := wide(x, xu, a.mul)
	yh, yl := wide(y, yu, b.mul)
	if c := cmp.Compare(xh, yh); c != 0 {
		return c
	}
	return cmp.Compare(xl, yl)
}

// wide multiplies into 128 bits, two's complement.
func wide(x int64, unsigned bool, mul uint64) (hi int64, lo uint64) {
	h, l := bits.Mul64(uint64(x), mul)
	if x < 0 && !unsigned {
		h -= mul
	}
	return int64(h), l
}

// limbs returns a decimal as 256 bits, two's complement, lowest limb first.
func (a *Array) limbs(i int) [4]uint64 {
	p := a.off + i
	if a.Kind == KindDec256 {
		return a.d256[p].Array()
	}
	n := a.d128[p]
	sign := uint64(n.HighBits() >> 63)
	return [4]uint64{n.LowBits(), uint64(n.HighBits()), sign, sign}
}

// compareDecimals ranks by value. Decimals of one scale are compared as integers, others as exact big integers.
func compareDecimals(a *Array, i int, b *Array, j int) int {
	x, y := a.limbs(i), b.limbs(j)
	if a.scale != b.scale {
		bx, by := bigOf(x), bigOf(y)
		if s := bx.Sign(); s != by.Sign() || s == 0 {
			return cmp.Compare(s, by.Sign())
		}
		if d := int64(a.scale) - int64(b.scale); d > 0 {
			by.Mul(by, pow10(d))
		} else {
			bx.Mul(bx, pow10(-d))
		}
		return bx.Cmp(by)
	}
	if c := cmp.Compare(int64(x[3]), int64(y[3])); c != 0 {
		return c
	}
	for k := 2; k >= 0; k-- {
		if c := cmp.Compare(x[k], y[k]); c != 0 {
			return c
		}
	}
	return 0
}

func bigOf(l [4]uint64) *big.Int {
	l, neg := magnitude(l)
	n := new(big.Int)
	for k := 3; k >= 0; k-- {
		n.Lsh(n, 64).Or(n, new(big.Int).SetUint64(l[k]))
	}
	if neg {
		n.Neg(n)
	}
	return n
}

func pow10(n int64) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(n), nil) }

func compareFields(a *Array, i int, b *Array, j int, rank Rank) int {
	for k := range min(len(a.kids), len(b.kids)) {
		if c := Compare(a.kids[k], a.off+i, b.kids[k], b.off+j, rank); c != 0 {
			return c
		}
	}
	return 0
}

func compareLists(a *Array, i int, b *Array, j int, rank Rank) int {
	lo, hi := a.span(i)
	blo, bhi := b.span(j)
	for ; lo < hi && blo < bhi; lo, blo = lo+1, blo+1 {
		if c := Compare(a.kids[0], lo, b.kids[0], blo, rank); c != 0 {
			return c
		}
	}
	return cmp.Compare(hi-lo, bhi-blo)
}

// compareIntervals ranks by months, days, then the rest, each as it stands: a month has no fixed number of days.
func compareIntervals(a *Array, i int, b *Array, j int) int {
	if a.Kind != KindFixed {
		return compareInts(a, i, b, j)
	}
	x, y := a.bytes(i), b.bytes(j)
	for len(x) >= 8 {
		if len(x) == 8 && a.width == 16 {
			return cmp.Compare(le64(x), le64(y))
		}
		if c := cmp.Compare(int32(le32(x)), int32(le32(y))); c != 0 {
			return c
		}
		if c := cmp.Compare(int32(le32(x[4:])), int32(le32(y[4:]))); c != 0 {
			return c
		}
		x, y = x[8:], y[8:]
	}
	return 0
}
