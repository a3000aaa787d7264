package recast

import (
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/form"
)

// A literal is one row of its type, in every encoding, with the value of the cell.
func TestLiteral(t *testing.T) {
	mem := arrowtest.Allocator(t)
	for _, l := range []struct {
		types []string
		v     any
		cell  any
	}{
		{[]string{"string", "large_string", "string_view"}, long, long},
		{[]string{"string", "large_string", "string_view"}, "", ""},
		{[]string{"binary", "large_binary", "binary_view", "fsb(4)"}, []byte("abcd"), []byte("abcd")},
		{[]string{"fsb(0)", "binary"}, []byte(""), []byte("")},
		{[]string{"bool"}, true, true},
		{[]string{"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"}, 7, 7},
		{[]string{"int8", "int16", "int32", "int64"}, int16(-7), -7},
		{[]string{"uint64"}, uint64(1<<64 - 1), whole("18446744073709551615")},
		{[]string{"float16", "float32", "float64"}, -1.5, -1.5},
		{[]string{"decimal(5,1)", "decimal(38,10)", "decimal256(76,3)"}, "-1.50", dec("-1.5")},
		{[]string{"date32", "date64"}, "2026-01-31", "2026-01-31"},
		{[]string{"date32", "date64"}, time.Date(2026, 1, 31, 0, 0, 0, 0, time.FixedZone("", 3600)), "2026-01-31"},
		{[]string{"time32[s]", "time32[ms]", "time64[us]", "time64[ns]"}, "09:00:01", "09:00:01"},
		{[]string{"timestamp[s]", "timestamp[ms]", "timestamp[us]", "timestamp[ns]"}, "2026-01-31T09:00:00", "2026-01-31T09:00:00"},
		{[]string{"timestamp[s]", "timestamp[ns]"}, time.Date(2026, 1, 31, 9, 0, 0, 0, time.FixedZone("", 3600)), "2026-01-31T09:00:00"},
		{[]string{"timestamp[s,UTC]", "timestamp[ns,+01:00]"}, time.Date(2026, 1, 31, 9, 0, 0, 0, time.FixedZone("", 3600)), "2026-01-31T08:00:00Z"},
		{[]string{"duration[s]", "duration[ns]"}, time.Minute, time.Minute},
		{[]string{"duration[s]", "duration[ns]"}, "1m", time.Minute},
	} {
		for _, text := range l.types {
			plain := mustType(t, text)
			want, err := arrowtest.Value(plain, l.cell)
			if err != nil {
				t.Fatal(err)
			}
			types := []arrow.DataType{plain}
			for _, wrap := range wrappings {
				types = append(types, wrap(plain))
			}
			for _, to := range types {
				arr, err := Literal(mem, to, l.v)
				if err != nil {
					t.Errorf("%v of %v: %v", to, l.v, err)
					continue
				}
				if got := arrowtest.Column(arr); !arrow.TypeEqual(arr.DataType(), to) || len(got) != 1 || !arrowtest.Equal(got[0], want) {
					t.Errorf("%v of %v: %v of %v, want %v", to, l.v, got, arr.DataType(), want)
				}
				arr.Release()
			}
		}
	}
}

// A value that no cell holds is refused by name.
func TestLiteralRefuses(t *testing.T) {
	mem := arrowtest.Allocator(t)
	for text, values := range map[string][]any{
		"int8": {128, "1", nil, 1.0}, "dict<int8,uint8>": {-1}, "float32": {0.1, 1}, "decimal(5,1)": {"1.25", "10000", 1}, "fsb(2)": {[]byte("abc"), "ab"}, "string": {[]byte("a")},
		"date32": {time.Date(2026, 1, 31, 9, 0, 0, 0, time.UTC), "2026-02-30"}, "timestamp[s]": {"2026-01-31T09:00:00Z", time.Second}, "time32[s]": {time.Hour, "09:00:00.5"},
		"duration[s]": {time.Millisecond}, "null": {1}, "struct<a:int8>": {1}, "list<int8>": {1}, "map<int8,int8>": {1},
	} {
		to := mustType(t, text)
		for _, v := range values {
			arr, err := Literal(mem, to, v)
			if err == nil {
				t.Errorf("%s holds %v", text, v)
				arr.Release()
			} else if v != nil && !strings.Contains(err.Error(), form.Logical(to).String()) {
				t.Errorf("%s of %v: %v", text, v, err)
			}
		}
	}
}
