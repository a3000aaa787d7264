package oracle

import "github.com/apache/arrow/go/v15/arrow"

// family is a set of types whose values can be equal.
type family uint8

const (
	nullFamily family = iota
	boolFamily
	integerFamily
	decimalFamily
	floatFamily
	textFamily
	binaryFamily
	dateFamily
	clockFamily
	naiveFamily
	zonedFamily
	durationFamily
	structFamily
	listFamily
	mapFamily
	unionFamily
	intervalFamily
)

// plain is the type without the encodings around it.
func plain(t arrow.DataType) arrow.DataType {
	switch t := t.(type) {
	case *arrow.DictionaryType:
		return plain(t.ValueType)
	case *arrow.RunEndEncodedType:
		return plain(t.Encoded())
	case arrow.ExtensionType:
		return plain(t.StorageType())
	}
	return t
}

var families = map[arrow.Type]family{
	arrow.NULL: nullFamily, arrow.BOOL: boolFamily,
	arrow.INT8: integerFamily, arrow.INT16: integerFamily, arrow.INT32: integerFamily, arrow.INT64: integerFamily,
	arrow.UINT8: integerFamily, arrow.UINT16: integerFamily, arrow.UINT32: integerFamily, arrow.UINT64: integerFamily,
	arrow.DECIMAL128: decimalFamily, arrow.DECIMAL256: decimalFamily,
	arrow.FLOAT16: floatFamily, arrow.FLOAT32: floatFamily, arrow.FLOAT64: floatFamily,
	arrow.STRING: textFamily, arrow.LARGE_STRING: textFamily, arrow.STRING_VIEW: textFamily,
	arrow.BINARY: binaryFamily, arrow.LARGE_BINARY: binaryFamily, arrow.BINARY_VIEW: binaryFamily, arrow.FIXED_SIZE_BINARY: binaryFamily,
	arrow.DATE32: dateFamily, arrow.DATE64: dateFamily, arrow.TIME32: clockFamily, arrow.TIME64: clockFamily,
	arrow.DURATION: durationFamily, arrow.STRUCT: structFamily,
	arrow.LIST: listFamily, arrow.LARGE_LIST: listFamily, arrow.FIXED_SIZE_LIST: listFamily,
	arrow.LIST_VIEW: listFamily, arrow.LARGE_LIST_VIEW: listFamily,
	arrow.MAP: mapFamily, arrow.SPARSE_UNION: unionFamily, arrow.DENSE_UNION: unionFamily,
	arrow.INTERVAL_MONTHS: intervalFamily, arrow.INTERVAL_DAY_TIME: intervalFamily, arrow.INTERVAL_MONTH_DAY_NANO: intervalFamily,
}

func familyOf(t arrow.DataType) family {
	t = plain(t)
	if ts, ok := t.(*arrow.TimestampType); ok {
		if ts.TimeZone == "" {
			return naiveFamily
		}
		return zonedFamily
	}
	return families[t.ID()]
}

// within lists the types inside a struct or a list.
func within(t arrow.DataType) []arrow.Field {
	switch t := plain(t).(type) {
	case *arrow.StructType:
		return t.Fields()
	case arrow.ListLikeType:
		return []arrow.Field{{Type: t.Elem()}}
	}
	return nil
}

func canBeKey(t arrow.DataType) bool {
	switch familyOf(t) {
	case mapFamily, unionFamily, intervalFamily:
		return false
	case structFamily, listFamily:
		for _, f := range within(t) {
			if !canBeKey(f.Type) {
				return false
			}
		}
	}
	return true
}

func canBeOrder(t arrow.DataType) bool {
	switch familyOf(t) {
	case mapFamily, unionFamily, intervalFamily, structFamily, listFamily:
		return false
	}
	return true
}

// canBeEqual says whether values of the two types can be equal.
func canBeEqual(a, b arrow.DataType) bool {
	fa, fb := familyOf(a), familyOf(b)
	if fa == nullFamily || fb == nullFamily {
		return true
	}
	if fa != fb {
		return false
	}
	if fa != structFamily && fa != listFamily {
		return true
	}
	as, bs := within(a), within(b)
	if len(as) != len(bs) {
		return false
	}
	for i := range as {
		if fa == structFamily && as[i].Name != bs[i].Name || !canBeEqual(as[i].Type, bs[i].Type) {
			return false
		}
	}
	return true
}
