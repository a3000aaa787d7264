package onerowtest

import (
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow/internal/arrowtest"
)

// cellText writes a value of a column as a cell.
func cellText(dt arrow.DataType, v any) string {
	dt = logical(dt)
	switch v := v.(type) {
	case nil:
		return nullWord
	case bool, int64, uint64:
		return fmt.Sprint(v)
	case string:
		if needsQuotes(v) {
			return quote(v)
		}
		return v
	case arrowtest.Float:
		return floatText(dt, v)
	case arrowtest.Decimal:
		return decimalText(dt, v)
	case arrowtest.Bytes:
		if v == "" {
			return `""`
		}
		return hex.EncodeToString([]byte(v))
	case arrowtest.List, arrowtest.Struct:
		var b strings.Builder
		writeJSON(&b, dt, v)
		return b.String()
	}
	return timeText(dt, v)
}

// needsQuotes says whether a text isn't the word that it would be read as.
func needsQuotes(text string) bool {
	switch {
	case text == "" || text[0] == '"' || text[0] == '#' || text == "|" || isNull(text) || isDashes(text) || !utf8.ValidString(text):
		return true
	}
	return strings.IndexFunc(text, func(r rune) bool { return unicode.IsSpace(r) || !strconv.IsPrint(r) }) >= 0
}

func quote(text string) string { return strconv.Quote(text) }

// floatText writes a float in the fewest digits that tell it from its neighbours.
func floatText(dt arrow.DataType, f arrowtest.Float) string {
	bits := 64
	if dt.ID() != arrow.FLOAT64 {
		bits = 32
	}
	text := strconv.FormatFloat(f.Float64(), 'g', -1, bits)
	return strings.TrimPrefix(text, "+")
}

// decimalText writes a decimal with the digits of its column's scale.
func decimalText(dt arrow.DataType, d arrowtest.Decimal) string {
	typ, ok := dt.(arrow.DecimalType)
	if !ok || typ.GetScale() <= 0 {
		return string(d)
	}
	whole, frac, _ := strings.Cut(string(d), ".")
	return whole + "." + frac + strings.Repeat("0", max(0, int(typ.GetScale())-len(frac)))
}

// timeText writes a date or a time so that a reader knows it, and what no notation reaches as the number that the column holds.
func timeText(dt arrow.DataType, v any) string {
	raw, err := arrowtest.Raw(dt, v)
	if err != nil {
		return arrowtest.Format(v)
	}
	text := arrowtest.Format(v)
	switch v := v.(type) {
	case arrowtest.Duration:
		text = durationText(v)
	case arrowtest.Timestamp:
		midnight := "T00:00:00"
		if v.Zoned {
			midnight += "Z"
		}
		text = strings.TrimSuffix(text, midnight)
	}
	if again, err := (&scanner{line: text}).literal(dt); err == nil {
		if same, err := arrowtest.Value(dt, again); err == nil && same == v {
			return text
		}
	}
	return strconv.FormatInt(raw, 10)
}

// durationText writes a duration as Go does, "" if Go can't hold it.
func durationText(d arrowtest.Duration) string {
	const most = int64(math.MaxInt64/time.Second) - 1
	if d.Sec > most || d.Sec < -most {
		return ""
	}
	return (time.Duration(d.Sec)*time.Second + time.Duration(d.Nano)).String()
}
