package join

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"strconv"
)

// Count is a number of rows, from 0 to 2^128-1. A join of two tables can make more rows than 64 bits can count. Counts are compared with
// ==, or by [Count.Cmp]; the zero value is 0.
type Count struct{ hi, lo uint64 }

// CountOf is n as a count.
func CountOf(n uint64) Count { return Count{lo: n} }

// Cmp is -1, 0 or 1: c is less than d, equal to it, or greater.
func (c Count) Cmp(d Count) int {
	switch {
	case c == d:
		return 0
	case c.less(d):
		return -1
	}
	return 1
}

// Float64 is the nearest float.
func (c Count) Float64() float64 {
	if c.hi == 0 {
		return float64(c.lo)
	}
	f, _ := new(big.Float).SetInt(c.Big()).Float64()
	return f
}

// Big is the count as a new big.Int.
func (c Count) Big() *big.Int {
	b := new(big.Int).SetUint64(c.hi)
	return b.Lsh(b, 64).Or(b, new(big.Int).SetUint64(c.lo))
}

// String is the count in decimal.
func (c Count) String() string {
	if c.hi == 0 {
		return strconv.FormatUint(c.lo, 10)
	}
	return c.Big().String()
}

// exactInJSON is the greatest number that every JSON reader takes exactly.
const exactInJSON = 1 << 53

// MarshalJSON writes a number up to 2^53, and a decimal string above: most readers of JSON would round the number.
func (c Count) MarshalJSON() ([]byte, error) {
	if c.hi == 0 && c.lo <= exactInJSON {
		return strconv.AppendUint(nil, c.lo, 10), nil
	}
	return []byte(`"` + c.String() + `"`), nil
}

// UnmarshalJSON reads a number or a decimal string.
func (c *Count) UnmarshalJSON(text []byte) error {
	digits := string(text)
	if digits == "null" {
		return nil
	}
	if digits[0] == '"' {
		if err := json.Unmarshal(text, &digits); err != nil {
			return err
		}
	}
	b, ok := new(big.Int).SetString(digits, 10)
	if !ok || b.Sign() < 0 || b.BitLen() > 128 {
		return fmt.Errorf("%s is no count of rows", text)
	}
	*c = countOfBig(b)
	return nil
}

func (c Count) less(d Count) bool { return c.hi < d.hi || c.hi == d.hi && c.lo < d.lo }

// plus adds. Sums of counts of rows that there are don't overflow; sums of bounds stay at the greatest count.
func (c Count) plus(d Count) Count {
	lo, carry := bits.Add64(c.lo, d.lo, 0)
	hi, carry := bits.Add64(c.hi, d.hi, carry)
	if carry != 0 {
		return maxCount
	}
	return Count{hi, lo}
}

// minus subtracts down to 0.
func (c Count) minus(d Count) Count {
	if c.less(d) {
		return Count{}
	}
	lo, borrow := bits.Sub64(c.lo, d.lo, 0)
	hi, _ := bits.Sub64(c.hi, d.hi, borrow)
	return Count{hi, lo}
}

var maxCount = Count{math.MaxUint64, math.MaxUint64}

// countOfBig is a number as a count, the greatest where it is beyond.
func countOfBig(b *big.Int) Count {
	if b.BitLen() > 128 {
		return maxCount
	}
	return Count{hi: new(big.Int).Rsh(b, 64).Uint64(), lo: new(big.Int).And(b, new(big.Int).SetUint64(math.MaxUint64)).Uint64()}
}

// countOfFloat is the nearest count.
func countOfFloat(f float64) Count {
	if !(f > 0) {
		return Count{}
	}
	if f >= 0x1p128 {
		return maxCount
	}
	b, _ := big.NewFloat(math.Round(f)).Int(nil)
	return countOfBig(b)
}

func lesser(c, d Count) Count {
	if d.less(c) {
		return d
	}
	return c
}

func greater(c, d Count) Count {
	if c.less(d) {
		return d
	}
	return c
}

// product is the number of pairs of l rows with r rows.
func product(l, r uint64) Count {
	hi, lo := bits.Mul64(l, r)
	return Count{hi, lo}
}
