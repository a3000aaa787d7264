package scd2

import (
	"math"
	"math/bits"
	"strconv"
)

// absLimbs takes the sign off a 256-bit integer.
func absLimbs(l [4]uint64) (abs [4]uint64, negative bool) {
	if negative = l[3]>>63 != 0; negative {
		l = negateLimbs(l)
	}
	return l, negative
}

func negateLimbs(l [4]uint64) [4]uint64 {
	carry := uint64(1)
	for k := range l {
		l[k], carry = bits.Add64(^l[k], 0, carry)
	}
	return l
}

// divideLimbs divides a magnitude by a number.
func divideLimbs(l [4]uint64, by uint64) (quo [4]uint64, rem uint64) {
	for k := 3; k >= 0; k-- {
		quo[k], rem = bits.Div64(rem, l[k], by)
	}
	return quo, rem
}

// appendDigits appends a magnitude in decimal.
func appendDigits(dst []byte, l [4]uint64) []byte {
	const base = 10_000_000_000_000_000_000 // the greatest power of ten in 64 bits
	if l[1]|l[2]|l[3] == 0 {
		return strconv.AppendUint(dst, l[0], 10)
	}
	quo, rem := divideLimbs(l, base)
	dst = appendDigits(dst, quo)
	for p := uint64(base / 10); p > rem && p > 1; p /= 10 {
		dst = append(dst, '0')
	}
	return strconv.AppendUint(dst, rem, 10)
}

// tensOf are the powers of ten up to 10^38.
var tensOf = func() (t [39][4]uint64) {
	t[0] = [4]uint64{1}
	for i := range 38 {
		var carry uint64
		for k, w := range t[i] {
			hi, lo := bits.Mul64(w, 10)
			var c uint64
			t[i+1][k], c = bits.Add64(lo, carry, 0)
			carry = hi + c
		}
	}
	return t
}()

// lessLimbs compares magnitudes.
func lessLimbs(a, b [4]uint64) bool {
	for k := 3; k >= 0; k-- {
		if a[k] != b[k] {
			return a[k] < b[k]
		}
	}
	return false
}

// widenHalf widens a float16. Arrow's own conversion is wrong for subnormal numbers in v15.
func widenHalf(b uint16) float64 {
	exp, frac := int(b>>10&0x1f), float64(b&0x3ff)
	f := math.Ldexp(frac+1024, exp-25)
	switch {
	case exp == 0:
		f = math.Ldexp(frac, -24)
	case exp == 0x1f && frac != 0:
		return math.NaN()
	case exp == 0x1f:
		f = math.Inf(1)
	}
	if b>>15 != 0 {
		return -f
	}
	return f
}
