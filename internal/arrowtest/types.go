package arrowtest

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
)

// Field makes the field of a column written "name:type" or "name:type!".
func Field(column string) (arrow.Field, error) {
	name, text, ok := strings.Cut(column, ":")
	if !ok || name == "" {
		return arrow.Field{}, fmt.Errorf("column %q is not name:type", column)
	}
	text, required := strings.CutSuffix(text, "!")
	dt, err := Type(text)
	if err != nil {
		return arrow.Field{}, fmt.Errorf("column %q: %w", column, err)
	}
	return arrow.Field{Name: name, Type: dt, Nullable: !required}, nil
}

// Schema makes the schema of columns written as for [Field].
func Schema(columns []string) (*arrow.Schema, error) {
	fields := make([]arrow.Field, len(columns))
	for i, c := range columns {
		f, err := Field(c)
		if err != nil {
			return nil, err
		}
		fields[i] = f
	}
	return arrow.NewSchema(fields, nil), nil
}

var plainTypes = map[string]arrow.DataType{
	"null": arrow.Null, "bool": arrow.FixedWidthTypes.Boolean,
	"int8": arrow.PrimitiveTypes.Int8, "int16": arrow.PrimitiveTypes.Int16,
	"int32": arrow.PrimitiveTypes.Int32, "int64": arrow.PrimitiveTypes.Int64,
	"uint8": arrow.PrimitiveTypes.Uint8, "uint16": arrow.PrimitiveTypes.Uint16,
	"uint32": arrow.PrimitiveTypes.Uint32, "uint64": arrow.PrimitiveTypes.Uint64,
	"float16": arrow.FixedWidthTypes.Float16, "float32": arrow.PrimitiveTypes.Float32, "float64": arrow.PrimitiveTypes.Float64,
	"string": arrow.BinaryTypes.String, "large_string": arrow.BinaryTypes.LargeString, "string_view": arrow.BinaryTypes.StringView,
	"binary": arrow.BinaryTypes.Binary, "large_binary": arrow.BinaryTypes.LargeBinary, "binary_view": arrow.BinaryTypes.BinaryView,
	"date32": arrow.FixedWidthTypes.Date32, "date64": arrow.FixedWidthTypes.Date64,
}

var units = map[string]arrow.TimeUnit{
	"s": arrow.Second, "ms": arrow.Millisecond, "us": arrow.Microsecond, "ns": arrow.Nanosecond,
}

// maxWidth bounds what one cell of a type takes: fixed widths and lengths, and the zeros of a decimal.
const maxWidth = 1 << 16

// Type makes the type that text names, in the notation of the package documentation.
func Type(text string) (arrow.DataType, error) {
	if dt, ok := plainTypes[text]; ok {
		return dt, nil
	}
	at := strings.IndexAny(text, "([<")
	if at < 0 {
		return nil, fmt.Errorf("no type is called %q", text)
	}
	name, body := text[:at], text[at+1:]
	closing := map[byte]string{'(': ")", '[': "]", '<': ">"}[text[at]]
	body, ok := strings.CutSuffix(body, closing)
	if !ok {
		return nil, fmt.Errorf("type %q doesn't end in %q", text, closing)
	}
	args, err := splitArgs(body)
	if err != nil {
		return nil, fmt.Errorf("type %q: %w", text, err)
	}
	var dt arrow.DataType
	switch text[at] {
	case '(':
		dt, err = numberedType(name, args)
	case '[':
		dt, err = timeType(name, args)
	default:
		dt, err = nestedType(name, args)
	}
	if err != nil {
		return nil, fmt.Errorf("type %q: %w", text, err)
	}
	return dt, nil
}

// splitArgs cuts at the commas outside all brackets.
func splitArgs(text string) ([]string, error) {
	if text == "" {
		return nil, nil
	}
	var args []string
	depth, start := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '(', '[', '<':
			depth++
		case ')', ']', '>':
			depth--
		case ',':
			if depth == 0 {
				args = append(args, text[start:i])
				start = i + 1
			}
		}
		if depth < 0 {
			return nil, fmt.Errorf("a bracket is closed that wasn't opened")
		}
	}
	if depth != 0 {
		return nil, fmt.Errorf("a bracket isn't closed")
	}
	return append(args, text[start:]), nil
}

func numberedType(name string, args []string) (arrow.DataType, error) {
	nums := make([]int32, len(args))
	for i, a := range args {
		n, err := strconv.ParseInt(a, 10, 32)
		if err != nil {
			return nil, err
		}
		nums[i] = int32(n)
	}
	if len(nums) == 2 && (nums[1] > maxWidth || nums[1] < -maxWidth) {
		return nil, fmt.Errorf("the scale is beyond %d", maxWidth)
	}
	switch {
	case name == "fsb" && len(nums) == 1 && nums[0] >= 0 && nums[0] <= maxWidth:
		return &arrow.FixedSizeBinaryType{ByteWidth: int(nums[0])}, nil
	case name == "decimal" && len(nums) == 2 && nums[0] >= 1 && nums[0] <= 38:
		return &arrow.Decimal128Type{Precision: nums[0], Scale: nums[1]}, nil
	case name == "decimal256" && len(nums) == 2 && nums[0] >= 1 && nums[0] <= 76:
		return &arrow.Decimal256Type{Precision: nums[0], Scale: nums[1]}, nil
	}
	return nil, fmt.Errorf("no such type")
}

func timeType(name string, args []string) (arrow.DataType, error) {
	if len(args) == 0 {
		return nil, fmt.Errorf("no unit")
	}
	unit, ok := units[args[0]]
	if !ok {
		return nil, fmt.Errorf("no unit is called %q", args[0])
	}
	switch {
	case name == "timestamp" && len(args) == 2 && args[1] != "":
		return &arrow.TimestampType{Unit: unit, TimeZone: args[1]}, nil
	case len(args) != 1:
	case name == "timestamp":
		return &arrow.TimestampType{Unit: unit}, nil
	case name == "duration":
		return &arrow.DurationType{Unit: unit}, nil
	case name == "time32" && unit <= arrow.Millisecond:
		return &arrow.Time32Type{Unit: unit}, nil
	case name == "time64" && unit >= arrow.Microsecond:
		return &arrow.Time64Type{Unit: unit}, nil
	}
	return nil, fmt.Errorf("no such type")
}

func nestedType(name string, args []string) (arrow.DataType, error) {
	if name == "struct" {
		fields := make([]arrow.Field, len(args))
		for i, a := range args {
			f, err := Field(a)
			if err != nil {
				return nil, err
			}
			fields[i] = f
		}
		return arrow.StructOf(fields...), nil
	}
	if name == "fsl" && len(args) == 2 {
		n, err := strconv.ParseInt(args[1], 10, 32)
		if err != nil || n < 0 || n > maxWidth {
			return nil, fmt.Errorf("%q is no length up to %d", args[1], maxWidth)
		}
		elem, err := Type(args[0])
		if err != nil {
			return nil, err
		}
		return arrow.FixedSizeListOf(int32(n), elem), nil
	}
	types := make([]arrow.DataType, len(args))
	for i, a := range args {
		dt, err := Type(a)
		if err != nil {
			return nil, err
		}
		types[i] = dt
	}
	switch {
	case name == "dict" && len(types) == 2 && arrow.IsInteger(types[0].ID()):
		return &arrow.DictionaryType{IndexType: types[0], ValueType: types[1]}, nil
	case name == "map" && len(types) == 2:
		return arrow.MapOf(types[0], types[1]), nil
	case name == "ree" && len(types) == 1:
		return arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, types[0]), nil
	case name == "list" && len(types) == 1:
		return arrow.ListOf(types[0]), nil
	case name == "large_list" && len(types) == 1:
		return arrow.LargeListOf(types[0]), nil
	}
	return nil, fmt.Errorf("no such type")
}
