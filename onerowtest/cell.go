package onerowtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow/internal/arrowtest"
)

// nullWord is how Text writes NULL.
const nullWord = "-"

func isNull(word string) bool { return word == nullWord || word == "NULL" }

// cell reads a cell of a column as a value.
func (s *scanner) cell(f arrow.Field) (any, error) {
	dt := logical(f.Type)
	cell, err := s.literal(dt)
	if err != nil {
		return nil, err
	}
	if !s.atBlank() {
		return nil, fmt.Errorf("%q follows the cell without a blank between", s.word())
	}
	if cell == nil && !f.Nullable {
		return nil, fmt.Errorf("NULL in a column that isn't nullable")
	}
	v, err := arrowtest.Value(dt, cell)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", typeText(f.Type), errors.Unwrap(err))
	}
	return v, nil
}

// logical is the type of the values of an encoded type.
func logical(dt arrow.DataType) arrow.DataType {
	switch t := dt.(type) {
	case *arrow.DictionaryType:
		return logical(t.ValueType)
	case *arrow.RunEndEncodedType:
		return logical(t.Encoded())
	case arrow.ExtensionType:
		return logical(t.StorageType())
	}
	return dt
}

// literal reads a cell in the form that arrowtest takes it in.
func (s *scanner) literal(dt arrow.DataType) (any, error) {
	nested := arrow.IsNested(dt.ID())
	switch c := s.peek(); {
	case c == '"':
		text, err := s.quoted()
		return quotedCell(dt, text), err
	case nested && (c == '[' || c == '{'):
		return s.json()
	}
	word := s.word()
	switch {
	case isNull(word):
		return nil, nil
	case nested:
		return nil, fmt.Errorf("%q isn't JSON: [1, null], {\"a\": 1}", word)
	}
	return wordCell(dt, word)
}

// quotedCell is the cell of quoted text.
func quotedCell(dt arrow.DataType, text string) any {
	switch dt.(type) {
	case *arrow.BinaryType, *arrow.LargeBinaryType, *arrow.BinaryViewType, *arrow.FixedSizeBinaryType:
		return []byte(text)
	}
	return text
}

// wordCell is the cell that a word stands for in a column of a type that isn't nested.
func wordCell(dt arrow.DataType, word string) (any, error) {
	switch dt.(type) {
	case *arrow.NullType:
		return nil, fmt.Errorf("%q in a column of type null: its cells are -", word)
	case *arrow.BooleanType:
		if word != "true" && word != "false" {
			return nil, fmt.Errorf("%q is neither true nor false", word)
		}
		return word == "true", nil
	case *arrow.Float16Type, *arrow.Float32Type, *arrow.Float64Type:
		if strings.HasPrefix(word, "NaN#") {
			return map[string]any{"f": word}, nil
		}
		return json.Number(word), nil
	case *arrow.StringType, *arrow.LargeStringType, *arrow.StringViewType, arrow.DecimalType:
		return word, nil
	case *arrow.BinaryType, *arrow.LargeBinaryType, *arrow.BinaryViewType, *arrow.FixedSizeBinaryType:
		return map[string]any{"x": word}, nil
	}
	if isInteger(word) {
		return json.Number(word), nil
	}
	return timeCell(dt, word)
}

// timeCell is the cell of a word that is no integer, in a column of integers or times.
func timeCell(dt arrow.DataType, word string) (any, error) {
	switch dt := dt.(type) {
	case *arrow.Date32Type, *arrow.Date64Type:
		return word, nil
	case *arrow.Time32Type, *arrow.Time64Type:
		return withSeconds(word), nil
	case *arrow.TimestampType:
		if day, clock, timed := strings.Cut(word, "T"); timed {
			return day + "T" + withSeconds(clock), nil
		}
		if dt.TimeZone != "" {
			return word + "T00:00:00Z", nil
		}
		return word + "T00:00:00", nil
	case *arrow.DurationType:
		d, err := time.ParseDuration(word)
		if err != nil {
			return nil, fmt.Errorf("%q is no duration: 90s, 1h30m, 250ms, or the column's number", word)
		}
		return d, nil
	}
	return nil, fmt.Errorf("%q is no integer", word)
}

// withSeconds completes a time of day such as 09:00 or 09:00Z.
func withSeconds(clock string) string {
	const minutes = len("09:00")
	if len(clock) == minutes || len(clock) > minutes && strings.IndexByte("Z+-", clock[minutes]) >= 0 {
		return clock[:minutes] + ":00" + clock[minutes:]
	}
	return clock
}

func isInteger(word string) bool {
	digits := strings.TrimPrefix(word, "-")
	return digits != "" && strings.Trim(digits, "0123456789") == ""
}
