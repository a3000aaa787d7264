package scd2

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/frame"
)

// hashTypes says of a form which types of columns it has a hash for.
func hashTypes(f HashForm) frame.Use {
	switch f {
	case SparkSHA2, SparkMD5:
		return hasSparkText
	case SparkXXHash64:
		return hasSparkHash
	case DBTKey, DBTLegacyKey:
		return hasDBTText
	}
	return form.IsKey
}

// hasSparkText: concat_ws takes what can be cast to text, and lists of that.
func hasSparkText(t arrow.DataType) (bool, string) {
	t = form.Logical(t)
	switch form.FamilyOf(t) {
	case form.ListFamily:
		elem := form.Logical(t.(interface{ Elem() arrow.DataType }).Elem())
		if form.FamilyOf(elem) == form.ListFamily {
			return false, "element: Spark's concat_ws takes no list of lists"
		}
		if ok, why := hasSparkText(elem); !ok {
			return false, "element: " + why
		}
		return true, ""
	case form.StructFamily:
		return false, "Spark's concat_ws takes no structs"
	}
	return isSpark(t)
}

// hasSparkHash: xxhash64 takes all types but maps.
func hasSparkHash(t arrow.DataType) (bool, string) {
	t = form.Logical(t)
	switch form.FamilyOf(t) {
	case form.ListFamily:
		if ok, why := hasSparkHash(t.(interface{ Elem() arrow.DataType }).Elem()); !ok {
			return false, "element: " + why
		}
		return true, ""
	case form.StructFamily:
		for _, f := range t.(*arrow.StructType).Fields() {
			if ok, why := hasSparkHash(f.Type); !ok {
				return false, fmt.Sprintf("field %q: %s", f.Name, why)
			}
		}
		return true, ""
	}
	if t.ID() == arrow.UINT64 {
		return false, "Spark has no unsigned integers of 64 bits; cast to int64 or decimal(20,0), as the table has it"
	}
	return isSpark(t)
}

// isSpark says whether Spark has a type like this one, which is no list or struct.
func isSpark(t arrow.DataType) (bool, string) {
	switch form.FamilyOf(t) {
	case form.NullFamily, form.BoolFamily, form.IntFamily, form.TextFamily, form.BinaryFamily, form.DateFamily, form.NaiveFamily, form.InstantFamily:
		return true, ""
	case form.FloatFamily:
		if t.ID() == arrow.FLOAT16 {
			return false, "Spark has no floats of 16 bits"
		}
		return true, ""
	case form.DecimalFamily:
		return isPlainDecimal(t.(arrow.DecimalType), "Spark's decimals")
	}
	return false, fmt.Sprintf("%s has no equal in Spark", t.Name())
}

// isPlainDecimal says whether engines other than Arrow have such decimals.
func isPlainDecimal(t arrow.DecimalType, whose string) (bool, string) {
	if t.GetPrecision() > 38 || t.GetScale() < 0 || t.GetScale() > t.GetPrecision() {
		return false, fmt.Sprintf("%s have at most 38 digits, and a scale from 0 to their number", whose)
	}
	return true, ""
}

// hasDBTText: only types that the engines cast to text in one way.
func hasDBTText(t arrow.DataType) (bool, string) {
	t = form.Logical(t)
	switch form.FamilyOf(t) {
	case form.NullFamily, form.BoolFamily, form.IntFamily, form.TextFamily, form.DateFamily:
		return true, ""
	case form.DecimalFamily:
		return isPlainDecimal(t.(arrow.DecimalType), "the decimals of SQL")
	}
	return false, fmt.Sprintf("engines cast %s to text in different ways; cast it as the table's engine did", t.Name())
}
