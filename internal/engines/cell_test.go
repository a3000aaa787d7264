package engines_test

import (
	"database/sql"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow/internal/arrowtest"
)

// Values go in and out as text, which both engines read and write exactly.

// plain is the type of the values of a dictionary, and any other type itself.
func plain(dt arrow.DataType) arrow.DataType {
	if d, ok := dt.(*arrow.DictionaryType); ok {
		return d.ValueType
	}
	return dt
}

// textOf writes a value for engine.fromText; nil stays nil.
func textOf(t testing.TB, v any) any {
	t.Helper()
	switch v := v.(type) {
	case nil:
		return nil
	case bool, int64, uint64:
		return fmt.Sprint(v)
	case string:
		return v
	case arrowtest.Bytes:
		return hex.EncodeToString([]byte(v))
	case arrowtest.Decimal:
		return string(v)
	case arrowtest.Float:
		if f := v.Float64(); math.IsInf(f, 0) {
			return strings.TrimPrefix(fmt.Sprintf("%vinity", f), "+")
		}
		return strconv.FormatFloat(v.Float64(), 'g', -1, 64)
	case arrowtest.Date:
		return time.UnixMilli(int64(v)).UTC().Format(time.DateOnly)
	case arrowtest.Timestamp:
		text := time.Unix(v.Sec, int64(v.Nano)).UTC().Format("2006-01-02T15:04:05.999999999")
		if v.Zoned {
			text += "Z"
		}
		return text
	}
	t.Fatalf("a value of %T isn't for these tests", v)
	return nil
}

// valueOf reads what engine.toText wrote.
func valueOf(t testing.TB, dt arrow.DataType, text sql.NullString) any {
	t.Helper()
	if !text.Valid {
		return nil
	}
	cell, err := cellOf(dt, text.String)
	if err != nil {
		t.Fatalf("%v %q: %v", dt, text.String, err)
	}
	v, err := arrowtest.Value(dt, cell)
	if err != nil {
		t.Fatalf("%v %q: %v", dt, text.String, err)
	}
	return v
}

func cellOf(dt arrow.DataType, text string) (any, error) {
	switch id := plain(dt).ID(); {
	case id == arrow.BOOL:
		return strconv.ParseBool(text)
	case arrow.IsUnsignedInteger(id):
		return strconv.ParseUint(text, 10, 64)
	case arrow.IsInteger(id):
		return strconv.ParseInt(text, 10, 64)
	case arrow.IsFloating(id) && strings.EqualFold(text, "nan"):
		return map[string]any{"f": "NaN"}, nil // the one of Cells, for all bits
	case arrow.IsFloating(id):
		return strconv.ParseFloat(text, 64)
	case id == arrow.BINARY:
		b, err := hex.DecodeString(text)
		return b, err
	case id == arrow.TIMESTAMP:
		text = strings.Replace(text, " ", "T", 1)
		if at, zoned := strings.CutSuffix(text, "+00"); zoned {
			text = at + "Z"
		}
	}
	return text, nil
}
