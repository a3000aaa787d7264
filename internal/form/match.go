package form

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"strings"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
)

// A Matcher says whether a cell equals one of some Go values. The nil Matcher matches nothing.
type Matcher struct {
	family   Family
	texts    [][]byte // text, binary
	numbers  []wideInt
	floats   []uint64 // canonical
	bools    []bool
	decimals []*big.Rat
}

// wideInt is an integer of 128 bits, two's complement: of a time family, in its finest unit.
type wideInt struct {
	hi int64
	lo uint64
}

// NewMatcher reads the values that cells of type t are compared with. It fails on a value that no cell of the type can equal.
func NewMatcher(t arrow.DataType, values []any) (*Matcher, error) {
	t = Logical(t)
	m := &Matcher{family: FamilyOf(t)}
	for _, v := range values {
		if v == nil {
			return nil, fmt.Errorf("nil is no value")
		}
		if ok := m.add(t, reflect.ValueOf(v)); !ok {
			return nil, fmt.Errorf("no cell of type %v can equal the %T %v", t, v, v)
		}
	}
	return m, nil
}

func (m *Matcher) add(t arrow.DataType, v reflect.Value) bool {
	switch m.family {
	case NullFamily:
		return true
	case TextFamily:
		if v.Kind() != reflect.String {
			return false
		}
		m.texts = append(m.texts, []byte(v.String()))
		return true
	case BinaryFamily:
		if v.Kind() != reflect.Slice || v.Type().Elem().Kind() != reflect.Uint8 {
			return false
		}
		m.texts = append(m.texts, bytes.Clone(v.Bytes()))
		f, fixed := t.(*arrow.FixedSizeBinaryType)
		return !fixed || f.ByteWidth == v.Len()
	case IntFamily:
		return m.addInt(t, v)
	case FloatFamily:
		return m.addFloat(t, v)
	case BoolFamily:
		if v.Kind() != reflect.Bool {
			return false
		}
		m.bools = append(m.bools, v.Bool())
		return true
	case DecimalFamily:
		return v.Kind() == reflect.String && m.addDecimal(t.(arrow.DecimalType), v.String())
	case DateFamily, TimeFamily, NaiveFamily, InstantFamily, DurationFamily:
		return v.Kind() == reflect.String && m.addTime(t, v.String())
	}
	return false
}

func (m *Matcher) addInt(t arrow.DataType, v reflect.Value) bool {
	bits := uint(t.(arrow.FixedWidthDataType).BitWidth())
	unsigned := arrow.IsUnsignedInteger(t.ID())
	switch {
	case v.CanInt():
		x := v.Int()
		m.numbers = append(m.numbers, wideInt{x >> 63, uint64(x)})
		if unsigned {
			return x >= 0 && (bits == 64 || uint64(x)>>bits == 0)
		}
		return x<<(64-bits)>>(64-bits) == x
	case v.CanUint():
		x := v.Uint()
		m.numbers = append(m.numbers, wideInt{0, x})
		if unsigned {
			return bits == 64 || x>>bits == 0
		}
		return x>>(bits-1) == 0
	}
	return false
}

func (m *Matcher) addFloat(t arrow.DataType, v reflect.Value) bool {
	if !v.CanFloat() {
		return false
	}
	f := v.Float()
	m.floats = append(m.floats, canonical(f))
	if f != f || math.IsInf(f, 0) {
		return true
	}
	switch t.ID() {
	case arrow.FLOAT16:
		return math.Abs(f) <= 65504 && math.Float64bits(f)<<(64-42) == 0 && math.Trunc(math.Ldexp(f, 24)) == math.Ldexp(f, 24)
	case arrow.FLOAT32:
		return float64(float32(f)) == f
	}
	return true
}

func (m *Matcher) addDecimal(t arrow.DecimalType, s string) bool {
	r, ok := new(big.Rat).SetString(s)
	if !ok || !saneScale(t) {
		return false
	}
	m.decimals = append(m.decimals, r)
	return scaled(r, t.GetScale()).IsInt()
}

// scaled returns r × 10^scale.
func scaled(r *big.Rat, scale int32) *big.Rat {
	p := new(big.Rat).SetInt(pow10(int64(max(scale, -scale))))
	if scale < 0 {
		p.Inv(p)
	}
	return p.Mul(p, r)
}

// layouts are what Format writes, by family.
var layouts = map[Family]string{
	DateFamily: time.DateOnly, TimeFamily: "15:04:05.999999999",
	NaiveFamily: "2006-01-02T15:04:05.999999999", InstantFamily: time.RFC3339Nano,
}

func (m *Matcher) addTime(t arrow.DataType, s string) bool {
	v, ok := m.ticks(s)
	if !ok {
		return false
	}
	m.numbers = append(m.numbers, wideOf(v))
	raw, off := new(big.Int).QuoRem(v, new(big.Int).SetUint64(tick(t)), new(big.Int))
	return off.Sign() == 0 && raw.IsInt64()
}

// ticks reads a text of a time family in its finest unit, exactly.
func (m *Matcher) ticks(s string) (*big.Int, bool) {
	if m.family == DurationFamily {
		return nanoseconds(s)
	}
	at, err := time.Parse(layouts[m.family], s)
	if err != nil || tooFine(s) {
		return nil, false
	}
	secs, perSecond := at.Unix(), int64(1_000_000_000)
	switch m.family {
	case TimeFamily:
		secs = int64(at.Hour()*3600 + at.Minute()*60 + at.Second())
	case DateFamily:
		perSecond = 1000
	}
	v := new(big.Int).Mul(big.NewInt(secs), big.NewInt(perSecond))
	return v.Add(v, big.NewInt(int64(at.Nanosecond()))), true
}

// tooFine says whether a time has more than nine digits below a second, of which time.Parse drops the rest.
func tooFine(s string) bool {
	_, frac, _ := strings.Cut(strings.Replace(s, ",", ".", 1), ".")
	return len(frac)-len(strings.TrimLeft(frac, "0123456789")) > 9
}

// nanoseconds reads a duration as time.ParseDuration does, but without bounds, and none that ends within a nanosecond.
func nanoseconds(s string) (*big.Int, bool) {
	s, negative := strings.CutPrefix(s, "-")
	if !negative {
		s = strings.TrimPrefix(s, "+")
	}
	sum, ok := new(big.Rat), s != ""
	if s == "0" {
		return sum.Num(), true
	}
	for s != "" && ok {
		number := s[:len(s)-len(strings.TrimLeft(s, "0123456789."))]
		s = s[len(number):]
		unit := s[:len(s)-len(strings.TrimLeft(s, "nuµμmsh"))]
		s = s[len(unit):]
		d, err := time.ParseDuration("1" + unit)
		n, isNumber := new(big.Rat).SetString(number)
		if ok = err == nil && isNumber; ok {
			sum.Add(sum, n.Mul(n, new(big.Rat).SetInt64(int64(d))))
		}
	}
	if negative {
		sum.Neg(sum)
	}
	return sum.Num(), ok && sum.IsInt()
}

func wideOf(n *big.Int) wideInt {
	low := new(big.Int).SetUint64(math.MaxUint64)
	return wideInt{hi: new(big.Int).Rsh(n, 64).Int64(), lo: low.And(low, n).Uint64()}
}

// Match says whether row i equals one of the values. NULL equals none.
func (m *Matcher) Match(a *Array, i int) bool {
	if m == nil || a.Null(i) {
		return false
	}
	a, i = a.leaf(i)
	switch m.family {
	case NullFamily:
		return false
	case TextFamily, BinaryFamily:
		b := a.bytes(i)
		for _, t := range m.texts {
			if bytes.Equal(b, t) {
				return true
			}
		}
		return false
	case FloatFamily:
		return contains(m.floats, canonical(a.float(i)))
	case BoolFamily:
		return contains(m.bools, bit(a.bits, a.off+i))
	case DecimalFamily:
		for _, r := range m.decimals {
			if scaled(r, a.scale).Cmp(new(big.Rat).SetInt(bigOf(a.limbs(i)))) == 0 {
				return true
			}
		}
		return false
	}
	hi, lo := wide(a.intAt(a.Kind, a.off+i), a.Kind == KindU64, a.mul)
	return contains(m.numbers, wideInt{hi, lo})
}

func contains[T comparable](list []T, v T) bool {
	for _, w := range list {
		if w == v {
			return true
		}
	}
	return false
}
