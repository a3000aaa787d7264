package form

import (
	"cmp"
	"math/big"
	"slices"
	"strings"

	"github.com/onerow-go/onerow/internal/arrowtest"
)

// refCompare ranks two values of one family as Compare should, the slow way. It is a total order by construction:
// each kind of value is mapped into numbers or texts, which have one.
func refCompare(v, w any, rank Rank) int {
	if v == nil || w == nil {
		return cmp.Compare(notNil(v), notNil(w))
	}
	switch v := v.(type) {
	case bool:
		return cmp.Compare(asInt(v), asInt(w.(bool)))
	case int64, uint64:
		return bigInt(v).Cmp(bigInt(w))
	case arrowtest.Float:
		return refFloats(v, w.(arrowtest.Float), rank)
	case arrowtest.Decimal:
		return rat(string(v)).Cmp(rat(string(w.(arrowtest.Decimal))))
	case string:
		return strings.Compare(v, w.(string))
	case arrowtest.Bytes:
		return strings.Compare(string(v), string(w.(arrowtest.Bytes)))
	case arrowtest.Date:
		return cmp.Compare(v, w.(arrowtest.Date))
	case arrowtest.Timestamp:
		w := w.(arrowtest.Timestamp)
		return cmp.Or(cmp.Compare(v.Sec, w.Sec), cmp.Compare(v.Nano, w.Nano))
	case arrowtest.TimeOfDay:
		w := w.(arrowtest.TimeOfDay)
		return cmp.Or(cmp.Compare(v.Sec, w.Sec), cmp.Compare(v.Nano, w.Nano))
	case arrowtest.Duration:
		w := w.(arrowtest.Duration)
		return cmp.Or(cmp.Compare(v.Sec, w.Sec), cmp.Compare(v.Nano, w.Nano))
	case arrowtest.List:
		return slices.CompareFunc(v, w.(arrowtest.List), func(a, b any) int { return refCompare(a, b, rank) })
	case arrowtest.Struct:
		return slices.CompareFunc(v, w.(arrowtest.Struct), func(a, b arrowtest.Member) int { return refCompare(a.Value, b.Value, rank) })
	}
	panic("no such value")
}

// refFloats ranks NaN above all numbers. Zeros differ in their sign bits, NaNs in all, if the rank says so.
func refFloats(v, w arrowtest.Float, rank Rank) int {
	switch {
	case v.IsNaN() && w.IsNaN():
		if rank == ByBits {
			return cmp.Compare(v, w)
		}
		return 0
	case v.IsNaN():
		return 1
	case w.IsNaN():
		return -1
	}
	x, y := v.Float64(), w.Float64()
	if x == 0 && y == 0 && rank != ByValue {
		return cmp.Compare(w>>63, v>>63)
	}
	return cmp.Compare(x, y)
}

func notNil(v any) int { return asInt(v != nil) }

func asInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func bigInt(v any) *big.Int {
	if u, ok := v.(uint64); ok {
		return new(big.Int).SetUint64(u)
	}
	return big.NewInt(v.(int64))
}

func rat(s string) *big.Rat {
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		panic(s)
	}
	return r
}

// places numbers the values in their order: equal values have equal numbers, a greater value a greater one. The first
// map finds a value by how it prints with its bits.
func places(vals []any, rank Rank) map[string]int {
	sorted := slices.Clone(vals)
	slices.SortFunc(sorted, func(v, w any) int { return refCompare(v, w, rank) })
	out := map[string]int{}
	n := 0
	for i, v := range sorted {
		if i > 0 && refCompare(sorted[i-1], v, rank) != 0 {
			n++
		}
		out[arrowtest.Format(v)] = n
	}
	return out
}
