package oracle

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
)

// canonical writes a value so that equal values, and only they, have one text.
func canonical(v Value) string {
	var b strings.Builder
	writeCanonical(&b, v)
	return b.String()
}

func writeCanonical(b *strings.Builder, v Value) {
	b.WriteByte(byte('A' + v.family))
	switch v.family {
	case nullFamily:
	case floatFamily:
		switch {
		case math.IsNaN(v.float):
			b.WriteString("nan")
		case v.float == 0:
			b.WriteString("0")
		default:
			b.WriteString(strconv.FormatUint(math.Float64bits(v.float), 16))
		}
	case textFamily, binaryFamily:
		b.WriteString(strconv.Itoa(len(v.text)))
		b.WriteByte(':')
		b.WriteString(v.text)
	case structFamily, listFamily, mapFamily, unionFamily, intervalFamily:
		b.WriteString(strconv.Itoa(len(v.items)))
		b.WriteByte('[')
		for _, item := range v.items {
			writeCanonical(b, item)
		}
	default:
		b.WriteString(v.exact.RatString())
	}
	b.WriteByte(';')
}

// Canonical writes several values so that values equal one by one, and only they, have one text.
func Canonical(row []Value) string {
	var b strings.Builder
	for _, v := range row {
		writeCanonical(&b, v)
	}
	return b.String()
}

func equal(a, b Value) bool { return canonical(a) == canonical(b) }

// compareContent is the content order of two values of one family: NULL lowest, NaN greatest, -0 below 0.
func compareContent(a, b Value) int {
	switch {
	case a.Null() || b.Null():
		return cmp.Compare(notNull(a), notNull(b))
	case a.family == floatFamily:
		return compareFloats(a.float, b.float, true)
	case a.family == textFamily || a.family == binaryFamily:
		return cmp.Compare(a.text, b.text)
	case a.exact != nil:
		return a.exact.Cmp(b.exact)
	}
	return slices.CompareFunc(a.items, b.items, compareContent)
}

// comparePlace compares two order values that aren't NULL: as compareContent, but -0 is 0.
func comparePlace(a, b Value) int {
	if a.family == floatFamily {
		return compareFloats(a.float, b.float, false)
	}
	return compareContent(a, b)
}

// compareNaNs tells values apart that compareContent calls equal, by the bits of their NaNs.
func compareNaNs(a, b Value) int {
	if a.family == floatFamily && b.family == floatFamily && math.IsNaN(a.float) && math.IsNaN(b.float) {
		return cmp.Compare(a.bits, b.bits)
	}
	return slices.CompareFunc(a.items, b.items, compareNaNs)
}

func compareFloats(a, b float64, signs bool) int {
	switch {
	case math.IsNaN(a) || math.IsNaN(b):
		return cmp.Compare(truth(math.IsNaN(a)), truth(math.IsNaN(b)))
	case signs && a == 0 && b == 0:
		return cmp.Compare(truth(!math.Signbit(a)), truth(!math.Signbit(b)))
	}
	return cmp.Compare(a, b)
}

func notNull(v Value) int { return truth(!v.Null()) }

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}
