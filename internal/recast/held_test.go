package recast

import (
	"math"
	"math/big"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/onerow-go/onerow/internal/arrowtest"
)

func arrowRecord(schema *arrow.Schema, arr arrow.Array) arrow.Record {
	return array.NewRecord(schema, []arrow.Array{arr}, int64(arr.Len()))
}

// held is the independent word on conversions: what a type makes of a value, and whether it can hold it. It goes by the exact
// number that a value stands for.
func held(t arrow.DataType, v any) (any, bool) {
	switch t := t.(type) {
	case *arrow.DictionaryType:
		return held(t.ValueType, v)
	case *arrow.RunEndEncodedType:
		return held(t.Encoded(), v)
	case *arrow.NullType:
		return nil, v == nil
	case arrow.ExtensionType:
		return held(t.StorageType(), v)
	}
	if v == nil {
		return nil, true
	}
	var ok bool
	switch t := t.(type) {
	case *arrow.Float16Type:
		v, ok = heldFloat(v.(arrowtest.Float), 11, -24, 16, 42)
	case *arrow.Float32Type:
		v, ok = heldFloat(v.(arrowtest.Float), 24, -149, 128, 29)
	case arrow.DecimalType:
		r, _ := new(big.Rat).SetString(string(v.(arrowtest.Decimal)))
		ok = fitsDecimal(r, int64(t.GetPrecision()), int64(t.GetScale()))
	case *arrow.FixedSizeBinaryType:
		ok = len(v.(arrowtest.Bytes)) == t.ByteWidth
	case *arrow.StructType:
		return heldStruct(t, v.(arrowtest.Struct))
	case *arrow.FixedSizeListType:
		if len(v.(arrowtest.List)) != int(t.Len()) {
			return nil, false
		}
		return heldList(t.Elem(), v.(arrowtest.List))
	case arrow.ListLikeType:
		return heldList(t.Elem(), v.(arrowtest.List))
	default:
		ok = fitsRaw(t, v)
	}
	if !ok {
		return nil, false
	}
	return v, true
}

func heldStruct(t *arrow.StructType, s arrowtest.Struct) (any, bool) {
	out := make(arrowtest.Struct, len(s))
	for i, m := range s {
		v, ok := held(t.Field(i).Type, m.Value)
		if !ok {
			return nil, false
		}
		out[i] = arrowtest.Member{Name: m.Name, Value: v}
	}
	return out, true
}

func heldList(elem arrow.DataType, l arrowtest.List) (any, bool) {
	out := make(arrowtest.List, len(l))
	for i, e := range l {
		v, ok := held(elem, e)
		if !ok {
			return nil, false
		}
		out[i] = v
	}
	return out, true
}

// heldFloat says whether a float of so many significant bits, all multiples of 2^least and below 2^most, is a number; a NaN loses the low bits of its
// payload, and is quiet if nothing is left.
func heldFloat(f arrowtest.Float, digits int, least, most, cut int) (any, bool) {
	if f.IsNaN() {
		kept := f >> cut << cut
		if !kept.IsNaN() {
			kept |= 1 << 51
		}
		return kept, true
	}
	x := f.Float64()
	if math.IsInf(x, 0) || x == 0 {
		return f, true
	}
	r := new(big.Rat).SetFloat64(x)
	r.Abs(r)
	n := new(big.Int).Set(r.Num()) // odd, or over 1
	zeros := int(n.TrailingZeroBits())
	exp := zeros - (r.Denom().BitLen() - 1)
	return f, n.BitLen()-zeros <= digits && exp >= least && n.BitLen()-(r.Denom().BitLen()-1) <= most
}

func fitsDecimal(r *big.Rat, precision, scale int64) bool {
	p := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(max(scale, -scale)), nil))
	if scale < 0 {
		p.Inv(p)
	}
	r = new(big.Rat).Mul(r, p)
	return r.IsInt() && r.Num().CmpAbs(new(big.Int).Exp(big.NewInt(10), big.NewInt(precision), nil)) < 0
}

// fitsRaw goes by the count of units that a date, a time or an integer is.
func fitsRaw(t arrow.DataType, v any) bool {
	count := new(big.Rat)
	unit := func(sec int64, nano int32, u arrow.TimeUnit) {
		count.SetFrac64(int64(nano), 1_000_000_000)
		count.Add(count, new(big.Rat).SetInt64(sec))
		count.Mul(count, new(big.Rat).SetInt64(int64(1_000_000_000/u.Multiplier())))
	}
	switch v := v.(type) {
	case int64:
		count.SetInt64(v)
	case uint64:
		count.SetUint64(v)
	case arrowtest.Date:
		if count.SetInt64(int64(v)); t.ID() == arrow.DATE32 {
			count.Quo(count, big.NewRat(86_400_000, 1))
		}
	case arrowtest.Timestamp:
		unit(v.Sec, v.Nano, t.(*arrow.TimestampType).Unit)
	case arrowtest.Duration:
		unit(v.Sec, v.Nano, t.(*arrow.DurationType).Unit)
	case arrowtest.TimeOfDay:
		switch t := t.(type) {
		case *arrow.Time32Type:
			unit(v.Sec, v.Nano, t.Unit)
		case *arrow.Time64Type:
			unit(v.Sec, v.Nano, t.Unit)
		}
	default:
		return true // text and binary, bool
	}
	bits := t.(arrow.FixedWidthDataType).BitWidth()
	least, most := new(big.Int), new(big.Int).Lsh(big.NewInt(1), uint(bits))
	if !arrow.IsUnsignedInteger(t.ID()) {
		most.Rsh(most, 1)
		least.Neg(most)
	}
	return count.IsInt() && count.Num().Cmp(least) >= 0 && count.Num().Cmp(most) < 0
}
