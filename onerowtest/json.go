package onerowtest

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow/internal/arrowtest"
)

// writeJSON writes a value inside of a list or a struct.
func writeJSON(b *strings.Builder, dt arrow.DataType, v any) {
	dt = logical(dt)
	switch v := v.(type) {
	case nil:
		b.WriteString("null")
	case arrowtest.List:
		writeList(b, dt, v)
	case arrowtest.Struct:
		writeStruct(b, dt, v)
	case string:
		if !utf8.ValidString(v) {
			fmt.Fprintf(b, `{"x":"%x"}`, v)
			return
		}
		writeString(b, v)
	case arrowtest.Bytes:
		fmt.Fprintf(b, `{"x":"%x"}`, string(v))
	case arrowtest.Float:
		switch text := floatText(dt, v); text {
		case "NaN":
			b.WriteString(`{"f":"NaN"}`)
		case "Inf", "-Inf":
			fmt.Fprintf(b, `{"f":"%sinity"}`, text)
		default:
			b.WriteString(text)
		}
	case bool, int64, uint64, arrowtest.Decimal:
		b.WriteString(cellText(dt, v))
	default:
		writeTime(b, dt, v)
	}
}

func writeList(b *strings.Builder, dt arrow.DataType, list arrowtest.List) {
	var elem arrow.DataType = arrow.Null
	if l, ok := dt.(arrow.ListLikeType); ok {
		elem = l.Elem()
	}
	b.WriteByte('[')
	for i, v := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		writeJSON(b, elem, v)
	}
	b.WriteByte(']')
}

func writeStruct(b *strings.Builder, dt arrow.DataType, members arrowtest.Struct) {
	typ, ok := dt.(arrow.NestedType)
	b.WriteByte('{')
	for i, m := range members {
		if i > 0 {
			b.WriteByte(',')
		}
		writeString(b, m.Name)
		b.WriteByte(':')
		var field arrow.DataType = arrow.Null
		if ok { // a union's value is a struct of one of its fields
			for _, f := range typ.Fields() {
				if f.Name == m.Name {
					field = f.Type
				}
			}
		}
		writeJSON(b, field, m.Value)
	}
	b.WriteByte('}')
}

// writeTime writes a date or a time: text, or the column's number where JSON takes no other form.
func writeTime(b *strings.Builder, dt arrow.DataType, v any) {
	text := arrowtest.Format(v)
	if same, err := arrowtest.Value(dt, text); err == nil && same == v {
		writeString(b, text)
	} else if raw, err := arrowtest.Raw(dt, v); err == nil {
		fmt.Fprint(b, raw)
	} else {
		writeString(b, text)
	}
}

// writeString writes a JSON string, with < and > as they are.
func writeString(b *strings.Builder, text string) {
	var line strings.Builder
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil {
		text = strconv.Quote(text)
	} else {
		text = strings.TrimSuffix(line.String(), "\n")
	}
	b.WriteString(text)
}
