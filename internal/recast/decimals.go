package recast

import (
	"math/bits"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/decimal256"
)

// wide is an unsigned integer of 256 bits, lowest limb first.
type wide [4]uint64

// maxDigits is how many digits 64 bits hold, and powers the powers of ten to that.
const maxDigits = 19

var powers = func() (p [maxDigits + 1]uint64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = 10 * p[i-1]
	}
	return p
}()

// bounds[p] is 10^p: the least number that p digits don't hold.
var bounds = func() (b [77]wide) {
	b[0] = wide{1}
	for i := 1; i < len(b); i++ {
		b[i], _ = b[i-1].times(10)
	}
	return b
}()

// short says whether the number fits 64 bits.
func (w wide) short() bool { return w[1]|w[2]|w[3] == 0 }

// times multiplies; ok is false when the product doesn't fit.
func (w wide) times(m uint64) (p wide, ok bool) {
	if w.short() {
		p[1], p[0] = bits.Mul64(w[0], m)
		return p, true
	}
	var carry uint64
	for k, limb := range w {
		hi, lo := bits.Mul64(limb, m)
		var c uint64
		p[k], c = bits.Add64(lo, carry, 0)
		carry = hi + c
	}
	return p, carry == 0
}

// over divides; ok is false when something remains.
func (w wide) over(d uint64) (q wide, ok bool) {
	if w.short() {
		return wide{w[0] / d}, w[0]%d == 0
	}
	var rest uint64
	for k := 3; k >= 0; k-- {
		q[k], rest = bits.Div64(rest, w[k], d)
	}
	return q, rest == 0
}

func (w wide) less(v wide) bool {
	for k := 3; k > 0; k-- {
		if w[k] != v[k] {
			return w[k] < v[k]
		}
	}
	return w[0] < v[0]
}

// negated is the two's complement.
func (w wide) negated() (n wide) {
	carry := uint64(1)
	for k, limb := range w {
		n[k], carry = bits.Add64(^limb, 0, carry)
	}
	return n
}

// rescaled multiplies with 10^by, or divides by 10^-by; ok is false when that isn't exact.
func (w wide) rescaled(by int) (_ wide, ok bool) {
	if w == (wide{}) {
		return w, true
	}
	for ok = true; by != 0 && ok; {
		if step := min(by, maxDigits); step > 0 {
			w, ok = w.times(powers[step])
			by -= step
		} else {
			step = min(-by, maxDigits)
			w, ok = w.over(powers[step])
			by += step
		}
	}
	return w, ok
}

// decimals converts decimals of any width, precision and scale, and checks that the results have no more digits than the precision says.
func (c *caster) decimals(r rows, to arrow.DecimalType) (arrow.ArrayData, []int, error) {
	from := r.data.DataType().(arrow.DecimalType)
	by, most := int(to.GetScale())-int(from.GetScale()), 38
	if to.ID() == arrow.DECIMAL256 {
		most = 76
	}
	bound := bounds[min(max(int(to.GetPrecision()), 0), most)]
	buf := c.buffer(r.n * to.(arrow.FixedWidthDataType).Bytes())
	var out128 []decimal128.Num
	var out256 []decimal256.Num
	if most == 38 {
		out128 = arrow.GetData[decimal128.Num](buf.Bytes())
	} else {
		out256 = arrow.GetData[decimal256.Num](buf.Bytes())
	}
	at := decimalsOf(&r, from)
	var unfit []int
	r.each(func(i int) {
		w := at(i)
		negative := w[3]>>63 != 0
		if negative {
			w = w.negated()
		}
		w, ok := w.rescaled(by)
		if !ok || !w.less(bound) {
			unfit = append(unfit, i)
			return
		}
		if negative {
			w = w.negated()
		}
		if out128 != nil {
			out128[i] = decimal128.New(int64(w[1]), w[0])
		} else {
			out256[i] = decimal256.New(w[3], w[2], w[1], w[0])
		}
	})
	return c.result(to, r, unfit, nil, buf)
}

// decimalsOf reads decimals as 256 bits, two's complement.
func decimalsOf(r *rows, t arrow.DataType) func(i int) wide {
	if t.ID() == arrow.DECIMAL256 {
		src := words[decimal256.Num](r)
		return func(i int) wide { return src[i].Array() }
	}
	src := words[decimal128.Num](r)
	return func(i int) wide {
		n := src[i]
		sign := uint64(n.HighBits() >> 63)
		return wide{n.LowBits(), uint64(n.HighBits()), sign, sign}
	}
}
