package form

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
)

// Family is a set of types whose values can be equal to each other. Values of two families never are.
type Family uint8

const (
	// NullFamily is the null type: it belongs to every family, and every row is NULL.
	NullFamily Family = iota
	BoolFamily
	IntFamily
	FloatFamily
	DecimalFamily
	TextFamily
	BinaryFamily
	DateFamily
	TimeFamily
	// NaiveFamily are timestamps without a zone, InstantFamily those with one.
	NaiveFamily
	InstantFamily
	DurationFamily
	StructFamily
	ListFamily
	// The families below can be compared by content, but are neither keys nor orders.
	MapFamily
	UnionFamily
	IntervalFamily
	OtherFamily
)

// Logical returns the type below dictionary, run-end and extension types.
func Logical(t arrow.DataType) arrow.DataType {
	for {
		switch d := t.(type) {
		case *arrow.DictionaryType:
			t = d.ValueType
		case *arrow.RunEndEncodedType:
			t = d.Encoded()
		case arrow.ExtensionType:
			t = d.StorageType()
		default:
			return t
		}
	}
}

// FamilyOf returns the family of a type.
func FamilyOf(t arrow.DataType) Family {
	t = Logical(t)
	switch t.ID() {
	case arrow.NULL:
		return NullFamily
	case arrow.BOOL:
		return BoolFamily
	case arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64, arrow.UINT8, arrow.UINT16, arrow.UINT32, arrow.UINT64:
		return IntFamily
	case arrow.FLOAT16, arrow.FLOAT32, arrow.FLOAT64:
		return FloatFamily
	case arrow.DECIMAL128, arrow.DECIMAL256:
		return DecimalFamily
	case arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW:
		return TextFamily
	case arrow.BINARY, arrow.LARGE_BINARY, arrow.BINARY_VIEW, arrow.FIXED_SIZE_BINARY:
		return BinaryFamily
	case arrow.DATE32, arrow.DATE64:
		return DateFamily
	case arrow.TIME32, arrow.TIME64:
		return TimeFamily
	case arrow.TIMESTAMP:
		if t.(*arrow.TimestampType).TimeZone == "" {
			return NaiveFamily
		}
		return InstantFamily
	case arrow.DURATION:
		return DurationFamily
	case arrow.STRUCT:
		return StructFamily
	case arrow.LIST, arrow.LARGE_LIST, arrow.FIXED_SIZE_LIST, arrow.LIST_VIEW, arrow.LARGE_LIST_VIEW:
		return ListFamily
	case arrow.MAP:
		return MapFamily
	case arrow.SPARSE_UNION, arrow.DENSE_UNION:
		return UnionFamily
	case arrow.INTERVAL_MONTHS, arrow.INTERVAL_DAY_TIME, arrow.INTERVAL_MONTH_DAY_NANO:
		return IntervalFamily
	}
	return OtherFamily
}

// IsKey says whether columns of the type can be key columns; if not, why.
func IsKey(t arrow.DataType) (ok bool, why string) {
	l := Logical(t)
	switch FamilyOf(l) {
	case MapFamily, UnionFamily, IntervalFamily, OtherFamily:
		return false, fmt.Sprintf("%s is not a key type", l.Name())
	case StructFamily:
		for _, f := range l.(*arrow.StructType).Fields() {
			if ok, why := IsKey(f.Type); !ok {
				return false, fmt.Sprintf("field %q: %s", f.Name, why)
			}
		}
	case ListFamily:
		if ok, why := IsKey(elem(l)); !ok {
			return false, "element: " + why
		}
	}
	return true, ""
}

// IsOrder says whether columns of the type can be order columns; if not, why.
func IsOrder(t arrow.DataType) (ok bool, why string) {
	l := Logical(t)
	switch FamilyOf(l) {
	case StructFamily, ListFamily, MapFamily, UnionFamily, IntervalFamily, OtherFamily:
		return false, fmt.Sprintf("%s has no order", l.Name())
	}
	return true, ""
}

// Comparable says whether values of two types can be equal, by the families; if not, why.
func Comparable(a, b arrow.DataType) (ok bool, why string) {
	a, b = Logical(a), Logical(b)
	fa, fb := FamilyOf(a), FamilyOf(b)
	if fa == NullFamily || fb == NullFamily {
		return true, ""
	}
	if fa != fb {
		if fa == NaiveFamily && fb == InstantFamily || fa == InstantFamily && fb == NaiveFamily {
			return false, "a timestamp without a zone is no instant, it never equals one"
		}
		return false, "their values are never equal; convert one of them"
	}
	switch fa {
	case StructFamily:
		return comparableStructs(a.(*arrow.StructType), b.(*arrow.StructType))
	case ListFamily:
		if ok, why := Comparable(elem(a), elem(b)); !ok {
			return false, "elements: " + why
		}
	case MapFamily, UnionFamily, IntervalFamily, OtherFamily:
		if !arrow.TypeEqual(a, b) {
			return false, "the types differ"
		}
	}
	return true, ""
}

func comparableStructs(a, b *arrow.StructType) (bool, string) {
	if a.NumFields() != b.NumFields() {
		return false, fmt.Sprintf("%d fields and %d fields", a.NumFields(), b.NumFields())
	}
	for i := range a.Fields() {
		fa, fb := a.Field(i), b.Field(i)
		if fa.Name != fb.Name {
			return false, fmt.Sprintf("field %d is %q and %q", i, fa.Name, fb.Name)
		}
		if ok, why := Comparable(fa.Type, fb.Type); !ok {
			return false, fmt.Sprintf("field %q: %s", fa.Name, why)
		}
	}
	return true, ""
}

// maxScale bounds the scales of decimals, up and down, far beyond the 76 digits that there are: cells of greater ones would be
// powers of ten that no memory holds.
const maxScale = 10_000

func saneScale(t arrow.DecimalType) bool {
	return -maxScale <= t.GetScale() && t.GetScale() <= maxScale
}

func elem(t arrow.DataType) arrow.DataType {
	return t.(interface{ Elem() arrow.DataType }).Elem()
}

// tick returns the factor that takes a raw value of the type to the finest unit of its family: nanoseconds for times,
// milliseconds for dates.
func tick(t arrow.DataType) uint64 {
	switch t := t.(type) {
	case *arrow.Date32Type:
		return 86_400_000
	case *arrow.Time32Type:
		return perUnit(t.Unit)
	case *arrow.Time64Type:
		return perUnit(t.Unit)
	case *arrow.TimestampType:
		return perUnit(t.Unit)
	case *arrow.DurationType:
		return perUnit(t.Unit)
	}
	return 1
}

func perUnit(u arrow.TimeUnit) uint64 {
	switch u {
	case arrow.Second:
		return 1_000_000_000
	case arrow.Millisecond:
		return 1_000_000
	case arrow.Microsecond:
		return 1000
	}
	return 1
}
