package form

import (
	"bytes"
	"fmt"
	"math"
	"reflect"

	"github.com/apache/arrow/go/v15/arrow"
)

// A Matcher says whether a cell equals one of some Go values. The zero Matcher matches nothing.
type Matcher struct {
	family Family
	texts  [][]byte // text, binary
	ints   []int64
	bigs   []uint64 // integers above the largest int64
	floats []float64
	bools  []bool
	shown  []string // other families: as Format writes them
}

// NewMatcher reads the values that cells of type t are compared with. It fails on a value that no cell of the type can equal.
func NewMatcher(t arrow.DataType, values []any) (*Matcher, error) {
	m := &Matcher{family: FamilyOf(t)}
	for _, v := range values {
		if err := m.add(t, v); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func (m *Matcher) add(t arrow.DataType, v any) error {
	r := reflect.ValueOf(v)
	switch {
	case v == nil:
		return fmt.Errorf("nil is no value")
	case m.family == NullFamily:
		return nil
	case m.family == TextFamily && r.Kind() == reflect.String:
		m.texts = append(m.texts, []byte(r.String()))
	case m.family == BinaryFamily && r.Kind() == reflect.Slice && r.Type().Elem().Kind() == reflect.Uint8:
		m.texts = append(m.texts, bytes.Clone(r.Bytes()))
	case m.family == IntFamily && r.CanInt():
		m.ints = append(m.ints, r.Int())
	case m.family == IntFamily && r.CanUint():
		if u := r.Uint(); u > math.MaxInt64 {
			m.bigs = append(m.bigs, u)
		} else {
			m.ints = append(m.ints, int64(u))
		}
	case m.family == FloatFamily && r.CanFloat():
		m.floats = append(m.floats, r.Float())
	case m.family == BoolFamily && r.Kind() == reflect.Bool:
		m.bools = append(m.bools, r.Bool())
	case r.Kind() == reflect.String && m.family >= DecimalFamily && m.family <= DurationFamily &&
		m.family != TextFamily && m.family != BinaryFamily:
		m.shown = append(m.shown, r.String())
	default:
		return fmt.Errorf("a %T can't equal a cell of type %v", v, t)
	}
	return nil
}

// Match says whether row i equals one of the values. NULL equals none.
func (m *Matcher) Match(a *Array, i int) bool {
	if m == nil || a.Null(i) {
		return false
	}
	a, i = a.leaf(i)
	switch m.family {
	case TextFamily, BinaryFamily:
		b := a.bytes(i)
		for _, t := range m.texts {
			if bytes.Equal(b, t) {
				return true
			}
		}
	case IntFamily:
		return m.matchInt(a, i)
	case FloatFamily:
		for _, f := range m.floats {
			if canonical(f) == canonical(a.float(i)) {
				return true
			}
		}
	case BoolFamily:
		for _, t := range m.bools {
			if t == bit(a.bits, a.off+i) {
				return true
			}
		}
	case NullFamily:
	default:
		if len(m.shown) > 0 {
			s := Format(a, i)
			for _, t := range m.shown {
				if s == t {
					return true
				}
			}
		}
	}
	return false
}

func (m *Matcher) matchInt(a *Array, i int) bool {
	v := a.intAt(a.Kind, a.off+i)
	if a.Kind == KindU64 && v < 0 {
		for _, t := range m.bigs {
			if t == uint64(v) {
				return true
			}
		}
		return false
	}
	for _, t := range m.ints {
		if t == v {
			return true
		}
	}
	return false
}
