package arrowtest_test

import (
	"math"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow/internal/arrowtest"
)

func TestTypesComeBack(t *testing.T) {
	for _, s := range samples {
		f, err := arrowtest.Field(s.column)
		if err != nil {
			t.Fatal(err)
		}
		text, ok := arrowtest.TypeText(f.Type)
		if again, err := arrowtest.Type(text); !ok || err != nil || !arrow.TypeEqual(f.Type, again) {
			t.Errorf("%v is written %q (%v) and read as %v (%v)", f.Type, text, ok, again, err)
		}
	}
	required := arrow.StructOf(arrow.Field{Name: "a!", Type: arrow.PrimitiveTypes.Int8})
	text, ok := arrowtest.TypeText(required)
	if again, err := arrowtest.Type(text); !ok || err != nil || !arrow.TypeEqual(required, again) {
		t.Errorf("%v is written %q (%v) and read as %v (%v)", required, text, ok, again, err)
	}
}

func TestTypesWithoutNotation(t *testing.T) {
	named := func(name string) arrow.DataType { return arrow.StructOf(arrow.Field{Name: name, Type: arrow.Null}) }
	for _, dt := range []arrow.DataType{arrow.FixedWidthTypes.MonthInterval, arrow.ListOf(arrow.FixedWidthTypes.DayTimeInterval),
		named(""), named("a b"), named("a:b"), named("a,b"), named("a>"), named("a\u00a0b"),
		&arrow.TimestampType{TimeZone: "Etc/A,B"}, &arrow.TimestampType{TimeZone: "]"},
		arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, arrow.FixedWidthTypes.MonthInterval)} {
		if text, ok := arrowtest.TypeText(dt); ok {
			t.Errorf("%v is written %q", dt, text)
		}
	}
}

func TestRaw(t *testing.T) {
	for _, dt := range []arrow.DataType{&arrow.TimestampType{Unit: arrow.Nanosecond}, &arrow.DurationType{Unit: arrow.Second},
		arrow.FixedWidthTypes.Date64, &arrow.Time64Type{Unit: arrow.Microsecond}} {
		for _, n := range []int64{0, -1, math.MinInt64, math.MaxInt64} {
			v, err := arrowtest.Value(dt, n)
			if err != nil {
				t.Fatal(err)
			}
			if raw, err := arrowtest.Raw(dt, v); err != nil || raw != n {
				t.Errorf("%v: %d is %v, and that is %d (%v)", dt, n, v, raw, err)
			}
		}
	}
	if raw, err := arrowtest.Raw(&arrow.TimestampType{Unit: arrow.Second}, arrowtest.Timestamp{Nano: 1}); err == nil {
		t.Errorf("a nanosecond is %d seconds", raw)
	}
}
