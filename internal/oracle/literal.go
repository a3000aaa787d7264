package oracle

import (
	"fmt"
	"math/big"
	"reflect"
	"time"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
)

// literals are option values by their canonical text.
type literals map[string]bool

func (l literals) have(v Value) bool { return !v.Null() && l[canonical(v)] }

func readLiterals(given []onerow.Value, column string, t arrow.DataType) (literals, error) {
	l := literals{}
	for _, g := range given {
		v, ok := readLiteral(g, plain(t))
		if !ok {
			return nil, &onerow.TypeError{Column: column, Type: t, Why: fmt.Sprintf("can't hold %v", g)}
		}
		l[canonical(v)] = true
	}
	return l, nil
}

func readLiteral(given onerow.Value, t arrow.DataType) (v Value, ok bool) {
	v.family = familyOf(t)
	switch v.family {
	case boolFamily:
		var b bool
		b, ok = given.(bool)
		v.exact = new(big.Rat).SetInt64(int64(truth(b)))
	case integerFamily:
		v.exact, ok = readInteger(given, t)
	case floatFamily:
		switch f := given.(type) {
		case float32:
			v.float, ok = float64(f), true
		case float64:
			v.float, ok = f, true
		}
	case textFamily:
		v.text, ok = given.(string)
	case binaryFamily:
		var b []byte
		b, ok = given.([]byte)
		v.text = string(b)
	case decimalFamily:
		var s string
		if s, ok = given.(string); ok {
			v.exact, ok = new(big.Rat).SetString(s)
		}
	case dateFamily:
		v.exact, ok = readTime(given, time.DateOnly)
	case clockFamily:
		v.exact, ok = readTime(given, "15:04:05.999999999")
		if ok {
			v.exact.Sub(v.exact, new(big.Rat).SetInt64(time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC).Unix()))
		}
	case naiveFamily:
		v.exact, ok = readTime(given, "2006-01-02T15:04:05.999999999")
	case zonedFamily:
		v.exact, ok = readTime(given, time.RFC3339Nano)
	case durationFamily:
		d, isDuration := given.(time.Duration)
		if s, isText := given.(string); isText {
			var err error
			d, err = time.ParseDuration(s)
			isDuration = err == nil
		}
		v.exact, ok = big.NewRat(int64(d), int64(time.Second)), isDuration
	}
	return v, ok
}

func readInteger(given onerow.Value, t arrow.DataType) (*big.Rat, bool) {
	n := new(big.Int)
	switch r := reflect.ValueOf(given); {
	case given == nil:
		return nil, false
	case r.CanInt():
		n.SetInt64(r.Int())
	case r.CanUint():
		n.SetUint64(r.Uint())
	default:
		return nil, false
	}
	width := uint(t.(arrow.FixedWidthDataType).BitWidth())
	low, high := new(big.Int), new(big.Int).Lsh(big.NewInt(1), width)
	if !arrow.IsUnsignedInteger(t.ID()) {
		low.Neg(high.Rsh(high, 1))
	}
	return new(big.Rat).SetInt(n), n.Cmp(low) >= 0 && n.Cmp(high) < 0
}

func readTime(given onerow.Value, layout string) (*big.Rat, bool) {
	s, _ := given.(string)
	at, err := time.Parse(layout, s)
	if err != nil {
		return nil, false
	}
	seconds := new(big.Rat).SetInt64(at.Unix())
	return seconds.Add(seconds, big.NewRat(int64(at.Nanosecond()), 1e9)), true
}
