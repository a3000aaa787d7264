package scd2

import (
	"cmp"
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"sync"
)

// javaFloats prints floats as toString of Java does. It belongs to one goroutine.
type javaFloats struct {
	digits, text [40]byte

	value, half, scale, tens, sum, quo big.Int
}

// append appends a double (size 64) or a float (32). ok is false when they must be the same in all Javas, and aren't.
func (j *javaFloats) append(dst []byte, f float64, size int, floats SparkFloats) (text []byte, ok bool) {
	switch {
	case math.IsNaN(f):
		return append(dst, "NaN"...), true
	case math.Signbit(f):
		dst, f = append(dst, '-'), -f
	}
	switch {
	case math.IsInf(f, 1):
		return append(dst, "Infinity"...), true
	case f == 0:
		return append(dst, "0.0"...), true
	case floats == OldJavaFloats:
		digits, exp := j.oldDigits(j.digits[:0], f, size)
		return layJava(dst, digits, exp), true
	}
	digits, exp := newJavaDigits(j.digits[:0], f, size)
	start := len(dst)
	dst = layJava(dst, digits, exp)
	if floats == NewJavaFloats {
		return dst, true
	}
	digits, exp = j.oldDigits(j.digits[:0], f, size)
	return dst, string(layJava(j.text[:0], digits, exp)) == string(dst[start:])
}

// layJava lays digits, d.ddd × 10^exp, out: plain from 10^-3 up to 10^7, else with an exponent.
func layJava(dst, digits []byte, exp int) []byte {
	whole := 1
	switch {
	case -3 <= exp && exp < 0:
		dst = append(dst, "0.00"[:1-exp]...)
		return append(dst, digits...)
	case 0 <= exp && exp < 7:
		whole = exp + 1
	}
	for i := range whole {
		if i < len(digits) {
			dst = append(dst, digits[i])
		} else {
			dst = append(dst, '0')
		}
	}
	dst = append(dst, '.')
	if whole < len(digits) {
		dst = append(dst, digits[whole:]...)
	} else {
		dst = append(dst, '0')
	}
	if whole == exp+1 {
		return dst
	}
	return strconv.AppendInt(append(dst, 'E'), int64(exp), 10)
}

// newJavaDigits gives the digits that Java 19 and later print: the fewest that tell the float from its neighbours, or two where these are nearer
// to it than one; of as many the nearest.
func newJavaDigits(dst []byte, f float64, size int) (digits []byte, exp int) {
	text := strconv.AppendFloat(dst, f, 'e', -1, size) // d[.ddd]e±xx
	if text[1] == 'e' {
		text = strconv.AppendFloat(dst, f, 'e', 1, size)
	}
	e := 1
	for text[e] != 'e' {
		e++
	}
	exp, _ = strconv.Atoi(string(text[e+1:]))
	if e == 1 {
		return text[:1], exp
	}
	digits = append(text[:1], text[2:e]...)
	if len(digits) == 2 && digits[1] == '0' {
		digits = digits[:1]
	}
	return digits, exp
}

// oldDigits gives the digits that Java 8 to 18 print. They come by the algorithm of Steele and White, one by one, until what is left is less than
// half the distance to a neighbour. But they end late: not after the first digit of a number that is printed with an exponent, and whole
// numbers below 2^63 have all digits that their bits matter for.
func (j *javaFloats) oldDigits(dst []byte, f float64, size int) (digits []byte, exp int) {
	frac, bin := math.Frexp(f)
	bin--
	fract := uint64(frac * (1 << 53)) // 53 bits, the highest set
	precision, lowest := 53, -1022
	if size == 32 {
		precision, lowest = 24, -126
	}
	precision -= max(0, lowest-bin)
	zeros := bits.TrailingZeros64(fract)
	fractBits := 53 - zeros
	tiny := max(0, fractBits-bin-1) // bits behind the point
	if tiny == 0 && bin <= 62 {
		return oldWhole(dst, fract, bin, precision)
	}
	log := (2*frac-1.5)*0.289529654 + 0.176091259 + float64(bin)*0.301029995663981
	exp = int(math.Floor(log))
	// f is value / scale, and half the distance to the next float is half / scale; each is 5^x × 2^y, value times fract.
	five, fiveScale := max(0, -exp), max(0, exp)
	two := five + tiny + bin
	twoScale := fiveScale + tiny
	twoHalf := two - precision
	two -= fractBits - 1
	common := min(two, twoScale)
	two, twoScale, twoHalf = two-common, twoScale-common, twoHalf-common
	if fractBits == 1 {
		twoHalf-- // the neighbour below is nearer
	}
	if twoHalf < 0 {
		two, twoScale, twoHalf = two-twoHalf, twoScale-twoHalf, 0
	}
	fract >>= zeros
	switch wide := max(fractBits+two+bitsOfFive(five), twoScale+1+bitsOfFive(fiveScale+1)); {
	case wide < 32:
		return oldSmall(dst, exp, int32(fract*pow5(five))<<two, int32(pow5(fiveScale))<<twoScale, int32(pow5(five))<<twoHalf)
	case wide < 64:
		return oldSmall(dst, exp, int64(fract*pow5(five))<<two, int64(pow5(fiveScale))<<twoScale, int64(pow5(five))<<twoHalf)
	}
	powers := fives()
	j.half.Lsh(powers[five], uint(twoHalf))
	j.scale.Lsh(powers[fiveScale], uint(twoScale))
	j.value.Lsh(powers[five], uint(two))
	j.value.Mul(&j.value, j.quo.SetUint64(fract))
	return j.oldLarge(dst, exp)
}

// oldWhole prints a whole number without the digits that its float doesn't hold.
func oldWhole(dst []byte, fract uint64, bin, precision int) ([]byte, int) {
	n, dropped := fract, 0
	if bin >= 52 {
		n <<= bin - 52
	} else {
		n >>= 52 - bin
	}
	if spare := bin - precision - 1; spare > 0 {
		dropped = len(strconv.FormatUint(1<<spare, 10)) - 1
		unit := pow5(dropped) << dropped
		rest := n % unit
		n /= unit
		if rest >= unit/2 && dropped > 0 {
			n++
		}
	}
	dst = strconv.AppendUint(dst, n, 10)
	exp := dropped + len(dst) - 1
	for len(dst) > 1 && dst[len(dst)-1] == '0' {
		dst = dst[:len(dst)-1]
	}
	return dst, exp
}

// tooFew says of a first digit that more must follow.
func tooFew(exp int) bool { return exp < -3 || exp >= 8 }

// oldSmall makes digits of value/scale, with half the distance to the next float. Sums wrap as Java's do.
func oldSmall[T int32 | int64](dst []byte, exp int, value, scale, half T) ([]byte, int) {
	tens := 10 * scale
	low, high := false, false
	for n := 0; n == 0 || !low && !high; n++ {
		q := value / scale
		value, half = 10*(value%scale), 10*half
		low, high = value < half || half <= 0 && n > 0, value+half > tens || half <= 0 && n > 0
		if n == 0 && q == 0 && !high {
			exp--
		} else {
			dst = append(dst, byte('0'+q))
		}
		if n == 0 && tooFew(exp) {
			low, high = false, false
		}
	}
	return oldRound(dst, exp, low, high, cmp.Compare(2*value-tens, 0))
}

var bigTen = big.NewInt(10)

// oldLarge is oldSmall for numbers of any size.
func (j *javaFloats) oldLarge(dst []byte, exp int) ([]byte, int) {
	j.tens.Mul(&j.scale, bigTen)
	low, high := false, false
	for n := 0; n == 0 || !low && !high; n++ {
		j.quo.QuoRem(&j.value, &j.scale, &j.value)
		q := j.quo.Uint64()
		j.value.Mul(&j.value, bigTen)
		j.half.Mul(&j.half, bigTen)
		low, high = j.value.Cmp(&j.half) < 0, j.sum.Add(&j.value, &j.half).Cmp(&j.tens) >= 0
		if n == 0 && q == 0 && !high {
			exp--
		} else {
			dst = append(dst, byte('0'+q))
		}
		if n == 0 && tooFew(exp) {
			low, high = false, false
		}
	}
	return oldRound(dst, exp, low, high, j.sum.Lsh(&j.value, 1).Cmp(&j.tens))
}

// oldRound rounds the last digit: up if the number above is near enough, and if that below is too, to the nearer one, or the even one of
// two. rest compares what is left with a half.
func oldRound(digits []byte, exp int, low, high bool, rest int) ([]byte, int) {
	last := len(digits) - 1
	if !high || low && (rest < 0 || rest == 0 && digits[last]&1 == 0) {
		return digits, exp
	}
	for ; last > 0 && digits[last] == '9'; last-- {
		digits[last] = '0'
	}
	if digits[last] == '9' {
		digits[last] = '1'
		return digits, exp + 1
	}
	digits[last]++
	return digits, exp
}

func pow5(n int) uint64 {
	p := uint64(1)
	for range n {
		p *= 5
	}
	return p
}

// fives are the powers of five that a float64 may need.
var fives = sync.OnceValue(func() *[330]*big.Int {
	p := new([330]*big.Int)
	p[0] = big.NewInt(1)
	for i := 1; i < len(p); i++ {
		p[i] = new(big.Int).Mul(p[i-1], big.NewInt(5))
	}
	return p
})

// bitsOfFive bounds the bits of 5^n.
func bitsOfFive(n int) int {
	switch {
	case n == 0:
		return 0
	case n < 27:
		return bits.Len64(pow5(n))
	}
	return 3 * n
}
