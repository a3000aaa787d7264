package oracle

import (
	"math"
	"math/big"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// decode reads cell i of an array of any type.
func decode(arr arrow.Array, i int) Value {
	if arr.IsNull(i) {
		return Value{}
	}
	f := familyOf(arr.DataType())
	if v, ok := decodeNumber(arr, i); ok {
		v.family = f
		return v
	}
	switch a := arr.(type) {
	case *array.Null:
		return Value{}
	case *array.Float16:
		bits := a.Value(i).Uint16()
		return Value{family: f, float: half(bits), bits: uint64(bits)}
	case *array.Float32:
		return Value{family: f, float: float64(a.Value(i)), bits: uint64(math.Float32bits(a.Value(i)))}
	case *array.Float64:
		return Value{family: f, float: a.Value(i), bits: math.Float64bits(a.Value(i))}
	case *array.String:
		return Value{family: f, text: a.Value(i)}
	case *array.LargeString:
		return Value{family: f, text: a.Value(i)}
	case *array.StringView:
		return Value{family: f, text: a.Value(i)}
	case *array.Binary:
		return Value{family: f, text: string(a.Value(i))}
	case *array.LargeBinary:
		return Value{family: f, text: string(a.Value(i))}
	case *array.BinaryView:
		return Value{family: f, text: string(a.Value(i))}
	case *array.FixedSizeBinary:
		return Value{family: f, text: string(a.Value(i))}
	case *array.Dictionary:
		return decode(a.Dictionary(), a.GetValueIndex(i))
	case *array.RunEndEncoded:
		return decode(a.Values(), a.GetPhysicalIndex(i))
	case array.ExtensionArray:
		return decode(a.Storage(), i)
	}
	return Value{family: f, items: decodeItems(arr, i)}
}

// decodeNumber reads what has an exact number: truth values, integers, decimals and times.
func decodeNumber(arr arrow.Array, i int) (Value, bool) {
	whole := func(n int64) (Value, bool) { return Value{exact: new(big.Rat).SetInt64(n)}, true }
	switch a := arr.(type) {
	case *array.Boolean:
		return whole(int64(truth(a.Value(i))))
	case *array.Int8:
		return whole(int64(a.Value(i)))
	case *array.Int16:
		return whole(int64(a.Value(i)))
	case *array.Int32:
		return whole(int64(a.Value(i)))
	case *array.Int64:
		return whole(a.Value(i))
	case *array.Uint8:
		return whole(int64(a.Value(i)))
	case *array.Uint16:
		return whole(int64(a.Value(i)))
	case *array.Uint32:
		return whole(int64(a.Value(i)))
	case *array.Uint64:
		return Value{exact: new(big.Rat).SetUint64(a.Value(i))}, true
	case *array.Decimal128:
		return Value{exact: scaled(a.Value(i).BigInt(), a.DataType().(*arrow.Decimal128Type).Scale)}, true
	case *array.Decimal256:
		return Value{exact: scaled(a.Value(i).BigInt(), a.DataType().(*arrow.Decimal256Type).Scale)}, true
	case *array.Date32:
		return whole(int64(a.Value(i)) * 86400)
	case *array.Date64:
		return ticks(int64(a.Value(i)), arrow.Millisecond), true
	case *array.Time32:
		return ticks(int64(a.Value(i)), a.DataType().(*arrow.Time32Type).Unit), true
	case *array.Time64:
		return ticks(int64(a.Value(i)), a.DataType().(*arrow.Time64Type).Unit), true
	case *array.Timestamp:
		return ticks(int64(a.Value(i)), a.DataType().(*arrow.TimestampType).Unit), true
	case *array.Duration:
		return ticks(int64(a.Value(i)), a.DataType().(*arrow.DurationType).Unit), true
	}
	return Value{}, false
}

func decodeItems(arr arrow.Array, i int) []Value {
	switch a := arr.(type) {
	case *array.Struct:
		items := make([]Value, a.NumField())
		for f := range items {
			items[f] = decode(a.Field(f), i)
		}
		return items
	case *array.SparseUnion:
		return []Value{integer(int64(a.TypeCode(i))), decode(a.Field(a.ChildID(i)), i)}
	case *array.DenseUnion:
		return []Value{integer(int64(a.TypeCode(i))), decode(a.Field(a.ChildID(i)), int(a.ValueOffset(i)))}
	case *array.MonthInterval:
		return []Value{integer(int64(a.Value(i)))}
	case *array.DayTimeInterval:
		return []Value{integer(int64(a.Value(i).Days)), integer(int64(a.Value(i).Milliseconds))}
	case *array.MonthDayNanoInterval:
		v := a.Value(i)
		return []Value{integer(int64(v.Months)), integer(int64(v.Days)), integer(v.Nanoseconds)}
	case array.ListLike:
		from, to := a.ValueOffsets(i)
		items := make([]Value, 0, to-from)
		for ; from < to; from++ {
			items = append(items, decode(a.ListValues(), int(from)))
		}
		return items
	}
	panic("oracle: array of type " + arr.DataType().String())
}

func integer(n int64) Value {
	return Value{family: integerFamily, exact: new(big.Rat).SetInt64(n)}
}

// ticks is a count of units, in seconds.
func ticks(n int64, unit arrow.TimeUnit) Value {
	perSecond := map[arrow.TimeUnit]int64{
		arrow.Second: 1, arrow.Millisecond: 1e3, arrow.Microsecond: 1e6, arrow.Nanosecond: 1e9,
	}[unit]
	return Value{exact: big.NewRat(n, perSecond)}
}

// scaled is n / 10^scale.
func scaled(n *big.Int, scale int32) *big.Rat {
	power := new(big.Int).Exp(big.NewInt(10), new(big.Int).Abs(big.NewInt(int64(scale))), nil)
	if scale < 0 {
		return new(big.Rat).SetInt(new(big.Int).Mul(n, power))
	}
	return new(big.Rat).SetFrac(n, power)
}

// half reads an IEEE 754 binary16: a sign bit, five bits of exponent, ten of fraction.
func half(bits uint16) float64 {
	exponent, fraction := int(bits>>10&31), float64(bits&1023)
	var f float64
	switch exponent {
	case 0:
		f = math.Ldexp(fraction, -24)
	case 31:
		f = math.Inf(1)
		if fraction != 0 {
			f = math.NaN()
		}
	default:
		f = math.Ldexp(1024+fraction, exponent-25)
	}
	if bits>>15 == 1 {
		return math.Copysign(f, -1)
	}
	return f
}
