package form

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
)

// Literal reads a Go value as a cell of the type below dictionary, run-end and extension types. It returns the cell as that type's buffers
// hold it: text and binary themselves, a bool as one byte, all else as the little-endian bytes of its width. It fails on a value that no cell of
// the type can equal; for the null type, structs, lists and the like that is any.
func Literal(t arrow.DataType, v any) ([]byte, error) {
	if v == nil {
		return nil, fmt.Errorf("nil is no value")
	}
	cell, ok := literal(Logical(t), v)
	if !ok {
		return nil, fmt.Errorf("no cell of type %v can equal the %T %v", Logical(t), v, v)
	}
	return cell, nil
}

func literal(t arrow.DataType, given any) ([]byte, bool) {
	v := reflect.ValueOf(given)
	isText := v.Kind() == reflect.String
	switch family := FamilyOf(t); family {
	case TextFamily:
		return []byte(text(v)), isText
	case BinaryFamily:
		if v.Kind() != reflect.Slice || v.Type().Elem().Kind() != reflect.Uint8 {
			return nil, false
		}
		f, fixed := t.(*arrow.FixedSizeBinaryType)
		return bytes.Clone(v.Bytes()), !fixed || f.ByteWidth == v.Len()
	case IntFamily:
		return intLiteral(t, v)
	case FloatFamily:
		return floatLiteral(t, v)
	case BoolFamily:
		if v.Kind() != reflect.Bool {
			return nil, false
		}
		if v.Bool() {
			return []byte{1}, true
		}
		return []byte{0}, true
	case DecimalFamily:
		if !isText {
			return nil, false
		}
		return decimalLiteral(t.(arrow.DecimalType), v.String())
	case DateFamily, TimeFamily, NaiveFamily, InstantFamily, DurationFamily:
		ticks, ok := timeTicks(family, given)
		if !ok && isText {
			ticks, ok = textTicks(family, v.String())
		}
		if !ok {
			return nil, false
		}
		raw, rest := new(big.Int).QuoRem(ticks, new(big.Int).SetUint64(tick(t)), new(big.Int))
		if rest.Sign() != 0 || !raw.IsInt64() {
			return nil, false
		}
		return wordLiteral(t, raw.Int64())
	}
	return nil, false
}

func text(v reflect.Value) string {
	if v.Kind() == reflect.String {
		return v.String()
	}
	return ""
}

// wordLiteral writes an integer in the width of the type; it fails on one that is out of its range.
func wordLiteral(t arrow.DataType, x int64) ([]byte, bool) {
	bits := t.(arrow.FixedWidthDataType).BitWidth()
	return binary.LittleEndian.AppendUint64(nil, uint64(x))[:bits/8], x<<(64-bits)>>(64-bits) == x
}

func intLiteral(t arrow.DataType, v reflect.Value) ([]byte, bool) {
	bits := t.(arrow.FixedWidthDataType).BitWidth()
	switch signed := arrow.IsSignedInteger(t.ID()); {
	case v.CanInt() && signed:
		return wordLiteral(t, v.Int())
	case v.CanInt():
		x := v.Int()
		return binary.LittleEndian.AppendUint64(nil, uint64(x))[:bits/8], x >= 0 && (bits == 64 || x>>bits == 0)
	case v.CanUint() && signed:
		x := v.Uint()
		return binary.LittleEndian.AppendUint64(nil, x)[:bits/8], x>>(bits-1) == 0
	case v.CanUint():
		x := v.Uint()
		return binary.LittleEndian.AppendUint64(nil, x)[:bits/8], bits == 64 || x>>bits == 0
	}
	return nil, false
}

func floatLiteral(t arrow.DataType, v reflect.Value) ([]byte, bool) {
	if !v.CanFloat() {
		return nil, false
	}
	f := v.Float()
	switch t.ID() {
	case arrow.FLOAT16:
		w, ok := halfOf(f)
		return binary.LittleEndian.AppendUint16(nil, w), ok
	case arrow.FLOAT32:
		g := float32(f)
		return binary.LittleEndian.AppendUint32(nil, math.Float32bits(g)), float64(g) == f || f != f
	}
	return binary.LittleEndian.AppendUint64(nil, math.Float64bits(f)), true
}

func decimalLiteral(t arrow.DecimalType, s string) ([]byte, bool) {
	r, ok := new(big.Rat).SetString(s)
	if !ok || !saneScale(t) {
		return nil, false
	}
	r = scaled(r, t.GetScale())
	if !r.IsInt() || r.Num().CmpAbs(pow10(int64(t.GetPrecision()))) >= 0 {
		return nil, false
	}
	width := t.(arrow.FixedWidthDataType).BitWidth()
	n := new(big.Int).Set(r.Num())
	if n.BitLen() >= width {
		return nil, false
	}
	if n.Sign() < 0 {
		n.Add(n, new(big.Int).Lsh(big.NewInt(1), uint(width)))
	}
	cell := n.FillBytes(make([]byte, width/8))
	reverse(cell)
	return cell, true
}

func reverse(b []byte) {
	for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
		b[i], b[j] = b[j], b[i]
	}
}

// scaled returns r × 10^scale.
func scaled(r *big.Rat, scale int32) *big.Rat {
	p := new(big.Rat).SetInt(pow10(int64(max(scale, -scale))))
	if scale < 0 {
		p.Inv(p)
	}
	return p.Mul(p, r)
}

// timeTicks reads a time.Time or a time.Duration in the family's finest unit, exactly.
func timeTicks(family Family, given any) (*big.Int, bool) {
	switch v := given.(type) {
	case time.Duration:
		return big.NewInt(int64(v)), family == DurationFamily
	case time.Time:
		secs := big.NewInt(v.Unix())
		if family != InstantFamily {
			_, east := v.Zone()
			secs.Add(secs, big.NewInt(int64(east))) // the wall clock
		}
		switch family {
		case NaiveFamily, InstantFamily:
			return ticksOf(secs, 1_000_000_000, v.Nanosecond()), true
		case DateFamily:
			midnight := new(big.Int).Rem(secs, big.NewInt(86_400)).Sign() == 0 && v.Nanosecond() == 0
			return ticksOf(secs, 1000, 0), midnight
		}
	}
	return nil, false
}

func ticksOf(secs *big.Int, perSecond int64, below int) *big.Int {
	ticks := new(big.Int).Mul(secs, big.NewInt(perSecond))
	return ticks.Add(ticks, big.NewInt(int64(below)))
}

// layouts are what Format writes, by family.
var layouts = map[Family]string{
	DateFamily: time.DateOnly, TimeFamily: "15:04:05.999999999",
	NaiveFamily: "2006-01-02T15:04:05.999999999", InstantFamily: time.RFC3339Nano,
}

// textTicks reads a text in the family's finest unit, exactly.
func textTicks(family Family, s string) (*big.Int, bool) {
	if family == DurationFamily {
		return nanoseconds(s)
	}
	cycles := int64(0)
	if family != TimeFamily {
		s, cycles = inReach(s)
	}
	at, err := time.Parse(layouts[family], s)
	if err != nil || tooFine(s) {
		return nil, false
	}
	if family == TimeFamily {
		return ticksOf(big.NewInt(int64(at.Hour()*3600+at.Minute()*60+at.Second())), 1_000_000_000, at.Nanosecond()), true
	}
	ticks, ok := timeTicks(family, at)
	perDay := new(big.Int).SetUint64(tick(arrow.FixedWidthTypes.Date32))
	if family != DateFamily {
		perDay.Mul(perDay, big.NewInt(1_000_000))
	}
	return ticks.Add(ticks, perDay.Mul(perDay, big.NewInt(cycles*daysPerCycle))), ok
}

// daysPerCycle is how many days 400 years of the calendar have.
const daysPerCycle = 146_097

// inReach moves a date that time.Parse can't read, for a year above 9999 or below 0, by whole cycles of 400 years to one that it can.
func inReach(s string) (moved string, cycles int64) {
	digits := strings.TrimPrefix(s, "-")
	digits, rest, _ := strings.Cut(digits, "-")
	if len(digits) < 4 || len(digits) == 4 && s[0] != '-' || len(digits) > 4 && digits[0] == '0' {
		return s, 0
	}
	year, err := strconv.ParseInt(s[:len(s)-len(rest)-1], 10, 64)
	if err != nil || digits[0] == '+' || year == 0 || year < -1<<40 || year > 1<<40 {
		return s, 0
	}
	cycles = floorDiv(year, 400)
	return fmt.Sprintf("%04d-%s", year-400*cycles, rest), cycles
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
