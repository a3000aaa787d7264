package form

import (
	"math/big"
	"math/bits"
	"math/rand/v2"
)

const mersenne61 = 1<<61 - 1

func mulmod(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	s := lo&mersenne61 + (lo>>61 | hi<<3)
	s = s&mersenne61 + s>>61
	if s >= mersenne61 {
		s -= mersenne61
	}
	return s
}

// decimalWord maps unscaled × 10^-scale into the field of 2^61-1 elements, in which 10 has an inverse: equal decimals of
// different scales get the same word without a division.
func decimalWord(l [4]uint64, scale int32) uint64 {
	l, neg := magnitude(l)
	var m uint64
	for k := 3; k >= 0; k-- {
		m = mulmod(m, 8) // 2^64 = 8 modulo 2^61-1
		m += l[k]&mersenne61 + l[k]>>61
		m = m&mersenne61 + m>>61
		if m >= mersenne61 {
			m -= mersenne61
		}
	}
	base, n := inverse10, scale
	if scale < 0 {
		base, n = 10, -scale
	}
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			m = mulmod(m, base)
		}
		base = mulmod(base, base)
	}
	if neg && m != 0 {
		m = mersenne61 - m
	}
	return m
}

// magnitude takes the sign off a 256-bit integer.
func magnitude(l [4]uint64) (abs [4]uint64, neg bool) {
	if neg = l[3]>>63 != 0; neg {
		l = negate(l)
	}
	return l, neg
}

func negate(l [4]uint64) [4]uint64 {
	carry := uint64(1)
	for k := range l {
		l[k], carry = bits.Add64(^l[k], 0, carry)
	}
	return l
}

// inverse10 is 10^-1 modulo 2^61-1, by Fermat: 10^(p-2).
var inverse10 = func() uint64 {
	r, b := uint64(1), uint64(10)
	for e := uint64(mersenne61 - 2); e > 0; e >>= 1 {
		if e&1 != 0 {
			r = mulmod(r, b)
		}
		b = mulmod(b, b)
	}
	return r
}()

// secretPrime is a modulus that nobody outside this process knows. Decimals that are equal modulo 2^61-1 are easily made,
// and no secret that is mixed in afterwards would part them.
var secretPrime = func() uint64 {
	for {
		p := rand.Uint64()>>1 | 1<<62 | 1
		if new(big.Int).SetUint64(p).ProbablyPrime(0) { // exact below 2^64
			return p
		}
	}
}()

// secretTenth is the inverse of 10 modulo secretPrime.
var secretTenth = new(big.Int).ModInverse(big.NewInt(10), new(big.Int).SetUint64(secretPrime)).Uint64()

// secretDecimal is decimalWord modulo secretPrime.
func secretDecimal(l [4]uint64, scale int32) uint64 {
	l, neg := magnitude(l)
	var m uint64
	for k := 3; k >= 0; k-- {
		m = bits.Rem64(m, l[k], secretPrime)
	}
	base, n := secretTenth, scale
	if scale < 0 {
		base, n = 10, -scale
	}
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			m = secretMul(m, base)
		}
		base = secretMul(base, base)
	}
	if neg && m != 0 {
		m = secretPrime - m
	}
	return m
}

func secretMul(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return bits.Rem64(hi, lo, secretPrime)
}
