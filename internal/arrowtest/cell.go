package arrowtest

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
)

// Value reads a cell as a value of a type; the package documentation says how cells are written. A cell that the type
// can't hold exactly is an error, but for floats, which are rounded to the nearest. For a dict or ree type it is a cell
// of the type of its values. What Value returns for a type is itself a cell of that type. A NaN keeps its bits.
func Value(dt arrow.DataType, cell any) (any, error) {
	v, err := value(dt, cell)
	if err != nil {
		return nil, fmt.Errorf("cell %v of type %v: %w", cell, dt, err)
	}
	return v, nil
}

func value(dt arrow.DataType, cell any) (any, error) {
	switch dt := dt.(type) {
	case *arrow.DictionaryType:
		return value(dt.ValueType, cell)
	case *arrow.RunEndEncodedType:
		return value(dt.Encoded(), cell)
	}
	if cell == nil {
		return nil, nil
	}
	switch dt := dt.(type) {
	case *arrow.BooleanType:
		if b, ok := cell.(bool); ok {
			return b, nil
		}
	case *arrow.Float16Type, *arrow.Float32Type, *arrow.Float64Type:
		return floatValue(dt.(arrow.FixedWidthDataType).BitWidth(), cell)
	case *arrow.StringType, *arrow.LargeStringType, *arrow.StringViewType:
		return textValue(cell)
	case *arrow.BinaryType, *arrow.LargeBinaryType, *arrow.BinaryViewType:
		return bytesValue(cell)
	case *arrow.FixedSizeBinaryType:
		b, err := bytesValue(cell)
		if err == nil && len(b.(Bytes)) != dt.ByteWidth {
			err = fmt.Errorf("%d bytes", len(b.(Bytes)))
		}
		return b, err
	case arrow.DecimalType:
		return decimalValue(dt, cell)
	case *arrow.StructType:
		return structValue(dt, cell)
	case *arrow.ListType:
		return listValue(dt.Elem(), -1, cell)
	case *arrow.LargeListType:
		return listValue(dt.Elem(), -1, cell)
	case *arrow.MapType:
		return listValue(dt.Elem(), -1, cell)
	case *arrow.FixedSizeListType:
		return listValue(dt.Elem(), int(dt.Len()), cell)
	default:
		return rawValue(dt, cell)
	}
	return nil, errKind(cell)
}

func errKind(cell any) error { return fmt.Errorf("%T is no cell of this type", cell) }

// special returns the text under the one given name of a cell like {"d": "1.50"}.
func special(cell any, name string) (string, bool) {
	m, ok := cell.(map[string]any)
	if !ok || len(m) != 1 {
		return "", false
	}
	s, ok := m[name].(string)
	return s, ok
}

// integer reads a cell as an integer.
func integer(cell any) (*big.Int, bool) {
	if text, ok := special(cell, "i"); ok {
		return new(big.Int).SetString(text, 10)
	}
	if n, ok := cell.(json.Number); ok {
		return new(big.Int).SetString(n.String(), 10)
	}
	switch cell.(type) {
	case Float, Date: // their numbers mean something else
		return nil, false
	}
	switch r := reflect.ValueOf(cell); {
	case r.CanInt():
		return big.NewInt(r.Int()), true
	case r.CanUint():
		return new(big.Int).SetUint64(r.Uint()), true
	}
	return nil, false
}

// rawValue reads a cell of a type whose column holds integers.
func rawValue(dt arrow.DataType, cell any) (any, error) {
	v, err := timeValue(dt, cell)
	if err != nil {
		return nil, err
	}
	if v == nil {
		i, ok := integer(cell)
		if !ok {
			return nil, errKind(cell)
		}
		switch {
		case dt.ID() == arrow.UINT64 && i.IsUint64():
			v = unsigned(i.Uint64())
		case dt.ID() != arrow.UINT64 && i.IsInt64():
			v = fromRaw(dt, uint64(i.Int64()))
		default:
			return nil, fmt.Errorf("out of range")
		}
	}
	raw, err := toRaw(dt, v)
	if err != nil {
		return nil, err
	}
	if !fits(dt, raw) {
		return nil, fmt.Errorf("out of range")
	}
	return v, nil
}

// timeValue reads a cell of a date or time type that isn't a raw integer; it returns nil for one that is.
func timeValue(dt arrow.DataType, cell any) (any, error) {
	text, isText := cell.(string)
	switch dt := dt.(type) {
	case *arrow.Date32Type, *arrow.Date64Type:
		if isText {
			return parseDate(text)
		}
		if d, ok := cell.(Date); ok {
			return d, nil
		}
	case *arrow.TimestampType:
		if isText {
			return parseTimestamp(text, dt.TimeZone != "")
		}
		if t, ok := cell.(Timestamp); ok && t.Zoned == (dt.TimeZone != "") {
			return t, nil
		}
	case *arrow.Time32Type, *arrow.Time64Type:
		if isText {
			return parseTimeOfDay(text)
		}
		if t, ok := cell.(TimeOfDay); ok {
			return t, nil
		}
	case *arrow.DurationType:
		if d, ok := cell.(Duration); ok {
			return d, nil
		}
		if d, ok := cell.(time.Duration); ok {
			sec, nano := fromTicks(int64(d), arrow.Nanosecond)
			return Duration{sec, nano}, nil
		}
	}
	return nil, nil
}

func floatValue(bits int, cell any) (any, error) {
	if text, ok := special(cell, "f"); ok {
		if text, ok := strings.CutPrefix(text, "NaN"); ok {
			return nanValue(bits, text)
		}
		switch text {
		case "-0", "Infinity", "-Infinity":
		default:
			return nil, fmt.Errorf("%q is none of NaN, NaN#n, -0, Infinity, -Infinity", text)
		}
		cell = json.Number(strings.TrimSuffix(text, "inity"))
	}
	var f float64
	switch c := cell.(type) {
	case json.Number:
		width := 64
		if bits == 32 {
			width = 32
		}
		parsed, err := strconv.ParseFloat(c.String(), width)
		if err != nil {
			return nil, err
		}
		f = parsed
	case Float:
		if c.IsNaN() {
			return c, nil
		}
		f = c.Float64()
	case float64:
		f = c
	case float32:
		return widen32(math.Float32bits(c)), nil
	default:
		i, ok := integer(cell)
		if !ok {
			return nil, errKind(cell)
		}
		f, _ = new(big.Float).SetInt(i).Float64()
	}
	switch v := FloatOf(f); bits {
	case 16:
		return widen16(narrow16(v)), nil
	case 32:
		return widen32(narrow32(v)), nil
	default:
		return v, nil
	}
}

// nanValue returns the NaN called "NaN" + suffix: quiet, with the number after the # as its payload.
func nanValue(bits int, suffix string) (any, error) {
	if suffix == "" {
		return canonicalNaN, nil
	}
	n, err := strconv.ParseUint(strings.TrimPrefix(suffix, "#"), 10, 8)
	if err != nil || suffix[0] != '#' {
		return nil, fmt.Errorf("NaN%s is no NaN", suffix)
	}
	return canonicalNaN | Float(n)<<map[int]int{16: 42, 32: 29, 64: 0}[bits], nil
}

func textValue(cell any) (any, error) {
	if text, ok := special(cell, "x"); ok {
		b, err := hex.DecodeString(text)
		return string(b), err
	}
	if s, ok := cell.(string); ok {
		return s, nil
	}
	return nil, errKind(cell)
}

func bytesValue(cell any) (any, error) {
	if text, ok := special(cell, "x"); ok {
		b, err := hex.DecodeString(text)
		return Bytes(b), err
	}
	switch c := cell.(type) {
	case []byte:
		return Bytes(c), nil
	case Bytes:
		return c, nil
	}
	return Bytes(""), errKind(cell)
}

func decimalValue(dt arrow.DecimalType, cell any) (any, error) {
	text, ok := special(cell, "d")
	if !ok {
		switch c := cell.(type) {
		case string:
			text = c
		case Decimal:
			text = string(c)
		case json.Number:
			text = c.String()
		default:
			i, ok := integer(cell)
			if !ok {
				return nil, errKind(cell)
			}
			text = i.String()
		}
	}
	n, err := unscaled(text, dt.GetScale())
	if err != nil {
		return nil, err
	}
	if digits := len(new(big.Int).Abs(n).String()); digits > int(dt.GetPrecision()) {
		return nil, fmt.Errorf("%d digits", digits)
	}
	return decimalOf(n, dt.GetScale()), nil
}

func listValue(elem arrow.DataType, length int, cell any) (any, error) {
	var cells []any
	switch c := cell.(type) {
	case []any:
		cells = c
	case List:
		cells = c
	default:
		return nil, errKind(cell)
	}
	if length >= 0 && len(cells) != length {
		return nil, fmt.Errorf("%d elements", len(cells))
	}
	out := make(List, len(cells))
	for i, c := range cells {
		v, err := value(elem, c)
		if err != nil {
			return nil, fmt.Errorf("element %d: %w", i, err)
		}
		out[i] = v
	}
	return out, nil
}

func structValue(dt *arrow.StructType, cell any) (any, error) {
	cells, ok := cell.(map[string]any)
	if s, isStruct := cell.(Struct); isStruct {
		cells, ok = make(map[string]any), true
		for _, m := range s {
			cells[m.Name] = m.Value
		}
	}
	if !ok {
		return nil, errKind(cell)
	}
	if len(cells) != len(dt.Fields()) {
		return nil, fmt.Errorf("%d fields", len(cells))
	}
	out := make(Struct, len(dt.Fields()))
	for i, f := range dt.Fields() {
		c, ok := cells[f.Name]
		if !ok {
			return nil, fmt.Errorf("field %q isn't given", f.Name)
		}
		v, err := value(f.Type, c)
		if err != nil {
			return nil, fmt.Errorf("field %q: %w", f.Name, err)
		}
		out[i] = Member{f.Name, v}
	}
	return out, nil
}
