package oracle

import (
	"fmt"
	"math/big"
	"strings"
)

// Value is one cell. Its zero value is NULL.
type Value struct {
	family family

	// exact holds truth values as 0 and 1, integers, decimals, and times of every unit in seconds.
	exact *big.Rat

	// float holds floats of every width, and bits their pattern in the width that they came in.
	float float64
	bits  uint64

	// text holds text and binary.
	text string

	// items holds the fields of structs and the elements of lists and maps; of a union its type code and its value;
	// of an interval its months, days and the rest.
	items []Value
}

// Null says whether the value is NULL.
func (v Value) Null() bool { return v.family == nullFamily }

// String writes the value with all its bits: two values of one type have one text exactly when no reader could tell
// them apart.
func (v Value) String() string {
	switch v.family {
	case nullFamily:
		return "NULL"
	case floatFamily:
		return fmt.Sprintf("%v#%x", v.float, v.bits)
	case textFamily:
		return fmt.Sprintf("%q", v.text)
	case binaryFamily:
		return fmt.Sprintf("x%x", v.text)
	case structFamily, listFamily, mapFamily, unionFamily, intervalFamily:
		parts := make([]string, len(v.items))
		for i, item := range v.items {
			parts[i] = item.String()
		}
		return "[" + strings.Join(parts, " ") + "]"
	}
	return v.exact.RatString()
}

// FormatRow writes the values of a row with all their bits.
func FormatRow(row []Value) string {
	parts := make([]string, len(row))
	for i, v := range row {
		parts[i] = v.String()
	}
	return strings.Join(parts, ", ")
}
