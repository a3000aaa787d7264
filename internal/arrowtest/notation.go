package arrowtest

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/apache/arrow/go/v15/arrow"
)

// TypeText writes a type as [Type] reads it. It says false for types that have no notation, or a name or a zone in them that
// the notation can't hold. The width of run ends and the nullability of a list's elements aren't part of the notation.
func TypeText(dt arrow.DataType) (string, bool) {
	for name, plain := range plainTypes {
		if arrow.TypeEqual(dt, plain) {
			return name, true
		}
	}
	switch dt := dt.(type) {
	case *arrow.FixedSizeBinaryType:
		return fmt.Sprintf("fsb(%d)", dt.ByteWidth), true
	case *arrow.Decimal128Type:
		return fmt.Sprintf("decimal(%d,%d)", dt.Precision, dt.Scale), true
	case *arrow.Decimal256Type:
		return fmt.Sprintf("decimal256(%d,%d)", dt.Precision, dt.Scale), true
	case *arrow.TimestampType:
		if dt.TimeZone == "" {
			return fmt.Sprintf("timestamp[%s]", dt.Unit), true
		}
		return fmt.Sprintf("timestamp[%s,%s]", dt.Unit, dt.TimeZone), isWord(strings.ReplaceAll(dt.TimeZone, ":", ""))
	case *arrow.Time32Type:
		return fmt.Sprintf("time32[%s]", dt.Unit), true
	case *arrow.Time64Type:
		return fmt.Sprintf("time64[%s]", dt.Unit), true
	case *arrow.DurationType:
		return fmt.Sprintf("duration[%s]", dt.Unit), true
	case *arrow.StructType:
		return structText(dt)
	case *arrow.FixedSizeListType:
		elem, ok := TypeText(dt.Elem())
		return fmt.Sprintf("fsl<%s,%d>", elem, dt.Len()), ok
	case *arrow.DictionaryType:
		return nestedText("dict", dt.IndexType, dt.ValueType)
	case *arrow.MapType:
		return nestedText("map", dt.KeyType(), dt.ItemType())
	case *arrow.RunEndEncodedType:
		return nestedText("ree", dt.Encoded())
	case *arrow.ListType:
		return nestedText("list", dt.Elem())
	case *arrow.LargeListType:
		return nestedText("large_list", dt.Elem())
	}
	return "", false
}

func nestedText(name string, args ...arrow.DataType) (string, bool) {
	texts, all := make([]string, len(args)), true
	for i, a := range args {
		text, ok := TypeText(a)
		texts[i], all = text, all && ok
	}
	return name + "<" + strings.Join(texts, ",") + ">", all
}

func structText(dt *arrow.StructType) (string, bool) {
	fields, all := make([]string, len(dt.Fields())), true
	for i, f := range dt.Fields() {
		text, ok := TypeText(f.Type)
		if fields[i] = f.Name + ":" + text; !f.Nullable {
			fields[i] += "!"
		}
		all = all && ok && isWord(f.Name)
	}
	return "struct<" + strings.Join(fields, ",") + ">", all
}

// isWord says whether a name can stand inside of a type.
func isWord(name string) bool {
	return name != "" && strings.IndexFunc(name, func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r) || strings.ContainsRune(`:,()[]<>`, r)
	}) < 0
}

// Raw returns the integer that a column of a date, time, timestamp or duration type holds for a value. It is an error when the type
// can't hold it exactly.
func Raw(dt arrow.DataType, v any) (int64, error) {
	raw, err := toRaw(dt, v)
	return int64(raw), err
}
