package onerowtest

import (
	"cmp"
	"math/big"
	"reflect"
	"slices"

	"github.com/onerow-go/onerow/internal/arrowtest"
)

// compareRows puts rows in the order of their values in the given columns.
func compareRows(a, b []any, columns []int) int {
	for _, c := range columns {
		if d := compareValues(a[c], b[c]); d != 0 {
			return d
		}
	}
	return 0
}

// compareValues is a total order of values, that of the library among values of one type: NULL lowest, NaN greatest, -0 below 0. Values
// of different types are told apart by their types.
func compareValues(a, b any) int {
	if x, y := reflect.TypeOf(a), reflect.TypeOf(b); x != y {
		return compareTypes(a, b)
	}
	switch a := a.(type) {
	case bool:
		return compareBools(a, b.(bool))
	case int64:
		return cmp.Compare(a, b.(int64))
	case uint64:
		return cmp.Compare(a, b.(uint64))
	case string:
		return cmp.Compare(a, b.(string))
	case arrowtest.Bytes:
		return cmp.Compare(a, b.(arrowtest.Bytes))
	case arrowtest.Float:
		return compareFloats(a, b.(arrowtest.Float))
	case arrowtest.Decimal:
		return compareDecimals(a, b.(arrowtest.Decimal))
	case arrowtest.Date:
		return cmp.Compare(a, b.(arrowtest.Date))
	case arrowtest.Timestamp:
		b := b.(arrowtest.Timestamp)
		return cmp.Or(compareBools(a.Zoned, b.Zoned), cmp.Compare(a.Sec, b.Sec), cmp.Compare(a.Nano, b.Nano))
	case arrowtest.TimeOfDay:
		b := b.(arrowtest.TimeOfDay)
		return cmp.Or(cmp.Compare(a.Sec, b.Sec), cmp.Compare(a.Nano, b.Nano))
	case arrowtest.Duration:
		b := b.(arrowtest.Duration)
		return cmp.Or(cmp.Compare(a.Sec, b.Sec), cmp.Compare(a.Nano, b.Nano))
	case arrowtest.List:
		return slices.CompareFunc(a, b.(arrowtest.List), compareValues)
	case arrowtest.Struct:
		return slices.CompareFunc(a, b.(arrowtest.Struct), func(a, b arrowtest.Member) int {
			return cmp.Or(cmp.Compare(a.Name, b.Name), compareValues(a.Value, b.Value))
		})
	}
	return 0 // both are NULL
}

// compareTypes compares values of different types. One type has two: an unsigned integer is an int64 where that holds it.
func compareTypes(a, b any) int {
	rank := func(v any) string {
		switch v.(type) {
		case nil:
			return ""
		case int64:
			return "integer"
		case uint64:
			return "integer beyond"
		}
		return reflect.TypeOf(v).String()
	}
	return cmp.Compare(rank(a), rank(b))
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

func compareFloats(a, b arrowtest.Float) int {
	if a.IsNaN() || b.IsNaN() {
		return compareBools(a.IsNaN(), b.IsNaN())
	}
	return cmp.Or(cmp.Compare(a.Float64(), b.Float64()), -cmp.Compare(a>>63, b>>63)) // of zeros the one with the sign is lower
}

func compareDecimals(a, b arrowtest.Decimal) int {
	x, _ := new(big.Rat).SetString(string(a))
	y, _ := new(big.Rat).SetString(string(b))
	return x.Cmp(y)
}
