package arrowtest

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
)

// fromRaw returns what a raw integer means in a column of the type; a signed one is given in two's complement.
func fromRaw(dt arrow.DataType, raw uint64) any {
	n := int64(raw)
	switch dt := dt.(type) {
	case *arrow.Uint64Type:
		return unsigned(raw)
	case *arrow.Date32Type:
		return Date(n * millisPerDay)
	case *arrow.Date64Type:
		return Date(n)
	case *arrow.TimestampType:
		sec, nano := fromTicks(n, dt.Unit)
		return Timestamp{sec, nano, dt.TimeZone != ""}
	case *arrow.Time32Type:
		sec, nano := fromTicks(n, dt.Unit)
		return TimeOfDay{sec, nano}
	case *arrow.Time64Type:
		sec, nano := fromTicks(n, dt.Unit)
		return TimeOfDay{sec, nano}
	case *arrow.DurationType:
		sec, nano := fromTicks(n, dt.Unit)
		return Duration{sec, nano}
	}
	return n
}

// toRaw is the inverse of fromRaw. It is an error when the type can't hold the value exactly.
func toRaw(dt arrow.DataType, v any) (uint64, error) {
	switch v := v.(type) {
	case int64:
		return uint64(v), nil
	case uint64:
		return v, nil
	case Date:
		if dt.ID() == arrow.DATE64 {
			return uint64(v), nil
		}
		day, rest := floorDiv(int64(v), millisPerDay)
		if rest != 0 {
			return 0, fmt.Errorf("finer than a day")
		}
		return uint64(day), nil
	case Timestamp:
		n, err := toTicks(v.Sec, v.Nano, dt.(*arrow.TimestampType).Unit)
		return uint64(n), err
	case Duration:
		n, err := toTicks(v.Sec, v.Nano, dt.(*arrow.DurationType).Unit)
		return uint64(n), err
	case TimeOfDay:
		unit := arrow.Second
		switch dt := dt.(type) {
		case *arrow.Time32Type:
			unit = dt.Unit
		case *arrow.Time64Type:
			unit = dt.Unit
		}
		n, err := toTicks(v.Sec, v.Nano, unit)
		return uint64(n), err
	}
	return 0, fmt.Errorf("%T is no value of type %v", v, dt)
}

// fits says whether a type's column can hold a raw integer; a signed one is given in two's complement.
func fits(dt arrow.DataType, raw uint64) bool {
	width, ok := dt.(arrow.FixedWidthDataType)
	if !ok {
		return false
	}
	bits := width.BitWidth()
	switch {
	case bits == 64:
		return true
	case arrow.IsUnsignedInteger(dt.ID()):
		return raw>>bits == 0
	}
	shift := 64 - bits
	return int64(raw)<<shift>>shift == int64(raw)
}

// unscaled returns the integer n for which text says n / 10^scale. It is an error when there is none.
func unscaled(text string, scale int32) (*big.Int, error) {
	digits, frac, point := strings.Cut(text, ".")
	n, ok := new(big.Int).SetString(digits+frac, 10)
	if !ok || digits == "" || strings.ContainsAny(digits[1:]+frac, "+-_") || point && frac == "" {
		return nil, fmt.Errorf("%q is no decimal number", text)
	}
	move := int64(scale) - int64(len(frac))
	factor := new(big.Int).Exp(big.NewInt(10), big.NewInt(max(move, -move)), nil)
	if move >= 0 {
		return n.Mul(n, factor), nil
	}
	n, rest := n.QuoRem(n, factor, new(big.Int))
	if rest.Sign() != 0 {
		return nil, fmt.Errorf("%q is finer than the scale %d", text, scale)
	}
	return n, nil
}

// decimalOf returns n / 10^scale.
func decimalOf(n *big.Int, scale int32) Decimal {
	if n.Sign() == 0 {
		return "0"
	}
	digits, sign := new(big.Int).Abs(n).String(), ""
	if n.Sign() < 0 {
		sign = "-"
	}
	if scale <= 0 {
		return Decimal(sign + digits + strings.Repeat("0", int(-scale)))
	}
	if pad := int(scale) + 1 - len(digits); pad > 0 {
		digits = strings.Repeat("0", pad) + digits
	}
	point := len(digits) - int(scale)
	text := strings.TrimRight(digits[:point]+"."+digits[point:], "0")
	return Decimal(sign + strings.TrimSuffix(text, "."))
}

// twosComplement reads an integer from 64-bit limbs, the lowest first.
func twosComplement(limbs ...uint64) *big.Int {
	n := new(big.Int)
	for i := len(limbs) - 1; i >= 0; i-- {
		n.Lsh(n, 64).Or(n, new(big.Int).SetUint64(limbs[i]))
	}
	if limbs[len(limbs)-1]>>63 == 1 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(64*len(limbs))))
	}
	return n
}

// littleEndian writes an integer as two's complement of so many bytes.
func littleEndian(n *big.Int, width int) []byte {
	if n.Sign() < 0 {
		n = new(big.Int).Add(n, new(big.Int).Lsh(big.NewInt(1), uint(8*width)))
	}
	out := n.FillBytes(make([]byte, width))
	for i, j := 0, width-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out
}
