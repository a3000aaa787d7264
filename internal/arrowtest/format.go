package arrowtest

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Format prints a value so that a reader knows its kind: two values print alike if and only if they are equal.
//
//	NULL  true  7  1.5f  -0f  NaN  "text"  x'ff00'  1.2m (decimal)  2026-01-31  2026-01-31T09:00:00.5 (zoned: with Z)
//	09:00:00  90s  [1, NULL]  {a: 1}
func Format(v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case bool, int64, uint64:
		return fmt.Sprint(v)
	case Float:
		return formatFloat(v)
	case Decimal:
		return string(v) + "m"
	case string:
		return strconv.Quote(v)
	case Bytes:
		return fmt.Sprintf("x'%x'", string(v))
	case Date:
		return formatDate(v)
	case Timestamp:
		return formatTimestamp(v)
	case TimeOfDay:
		return formatClock(v.Sec, v.Nano)
	case Duration:
		return formatSpan(v.Sec, v.Nano) + "s"
	case List:
		parts := make([]string, len(v))
		for i, e := range v {
			parts[i] = Format(e)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case Struct:
		parts := make([]string, len(v))
		for i, m := range v {
			parts[i] = formatName(m.Name) + ": " + Format(m.Value)
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return fmt.Sprintf("%T(%#v)", v, v)
}

// FormatRow prints the values of a row.
func FormatRow(row []any) string {
	return "(" + strings.TrimSuffix(strings.TrimPrefix(Format(List(row)), "["), "]") + ")"
}

// FormatRows prints rows, one a line, each with its position.
func FormatRows(rows [][]any) string {
	var b strings.Builder
	for i, r := range rows {
		fmt.Fprintf(&b, "%4d %s\n", i, FormatRow(r))
	}
	return b.String()
}

func formatFloat(f Float) string {
	if f.IsNaN() {
		if f == canonicalNaN {
			return "NaN"
		}
		return fmt.Sprintf("NaN(%016x)", uint64(f))
	}
	if math.IsInf(f.Float64(), 0) {
		return strconv.FormatFloat(f.Float64(), 'g', -1, 64)
	}
	return strconv.FormatFloat(f.Float64(), 'g', -1, 64) + "f"
}

func formatName(name string) string {
	for i := range len(name) {
		c := name[i] | 0x20
		if (c < 'a' || c > 'z') && name[i] != '_' && (i == 0 || name[i] < '0' || name[i] > '9') {
			return strconv.Quote(name)
		}
	}
	if name == "" {
		return `""`
	}
	return name
}
