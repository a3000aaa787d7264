package arrow18_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	arrow15 "github.com/apache/arrow/go/v15/arrow"
	array15 "github.com/apache/arrow/go/v15/arrow/array"
)

// tree18 and tree15 write what an array is made of: types, lengths, offsets, NULL counts, and where each buffer lies. Two arrays of the
// same tree are of the same cells, in the same memory.

func tree18(d arrow.ArrayData) string {
	var b strings.Builder
	fmt.Fprintf(&b, "(%s len %d at %d nulls %d", type18(d.DataType()), d.Len(), d.Offset(), d.NullN())
	for _, buf := range d.Buffers() {
		if buf == nil {
			b.WriteString(" nil")
			continue
		}
		fmt.Fprintf(&b, " %p+%d", unsafe.SliceData(buf.Bytes()), buf.Len())
	}
	for _, kid := range d.Children() {
		b.WriteString(" " + tree18(kid))
	}
	if d.DataType().ID() == arrow.DICTIONARY {
		b.WriteString(" of " + tree18(d.Dictionary()))
	}
	return b.String() + ")"
}

func tree15(d arrow15.ArrayData) string {
	var b strings.Builder
	fmt.Fprintf(&b, "(%s len %d at %d nulls %d", type15(d.DataType()), d.Len(), d.Offset(), d.NullN())
	for _, buf := range d.Buffers() {
		if buf == nil {
			b.WriteString(" nil")
			continue
		}
		fmt.Fprintf(&b, " %p+%d", unsafe.SliceData(buf.Bytes()), buf.Len())
	}
	for _, kid := range d.Children() {
		b.WriteString(" " + tree15(kid))
	}
	if d.DataType().ID() == arrow15.DICTIONARY {
		b.WriteString(" of " + tree15(d.Dictionary()))
	}
	return b.String() + ")"
}

// type18 and type15 write all that there is to a type.

func type18(dt arrow.DataType) string {
	out := fmt.Sprint(dt.ID(), " ", dt.Name(), " ", dt.Layout().HasDict)
	switch t := dt.(type) {
	case *arrow.DictionaryType:
		return fmt.Sprint(out, type18(t.IndexType), type18(t.ValueType), t.Ordered)
	case *arrow.RunEndEncodedType:
		return fmt.Sprint(out, type18(t.RunEnds()), type18(t.Encoded()), t.ValueNullable)
	case *arrow.FixedSizeListType:
		out += fmt.Sprint(t.Len())
	case *arrow.MapType:
		out += fmt.Sprint(t.KeysSorted)
	case arrow.UnionType:
		out += fmt.Sprint(t.TypeCodes(), t.ChildIDs())
	case arrow.ExtensionType:
		return fmt.Sprint(out, t.ExtensionName(), t.Serialize(), type18(t.StorageType()))
	}
	nested, ok := dt.(arrow.NestedType)
	if !ok {
		return dt.String()
	}
	for _, f := range nested.Fields() {
		out += " " + field18(f)
	}
	return "{" + out + "}"
}

func type15(dt arrow15.DataType) string {
	out := fmt.Sprint(dt.ID(), " ", dt.Name(), " ", dt.Layout().HasDict)
	switch t := dt.(type) {
	case *arrow15.DictionaryType:
		return fmt.Sprint(out, type15(t.IndexType), type15(t.ValueType), t.Ordered)
	case *arrow15.RunEndEncodedType:
		return fmt.Sprint(out, type15(t.RunEnds()), type15(t.Encoded()), t.ValueNullable)
	case *arrow15.FixedSizeListType:
		out += fmt.Sprint(t.Len())
	case *arrow15.MapType:
		out += fmt.Sprint(t.KeysSorted)
	case arrow15.UnionType:
		out += fmt.Sprint(t.TypeCodes(), t.ChildIDs())
	case arrow15.ExtensionType:
		return fmt.Sprint(out, t.ExtensionName(), t.Serialize(), type15(t.StorageType()))
	}
	nested, ok := dt.(arrow15.NestedType)
	if !ok {
		return dt.String()
	}
	for _, f := range nested.Fields() {
		out += " " + field15(f)
	}
	return "{" + out + "}"
}

func field18(f arrow.Field) string {
	return fmt.Sprintf("%s:%s:%v:%v", f.Name, type18(f.Type), f.Nullable, f.Metadata)
}

func field15(f arrow15.Field) string {
	return fmt.Sprintf("%s:%s:%v:%v", f.Name, type15(f.Type), f.Nullable, f.Metadata)
}

// cells are the values of an array of either version, as it prints them itself; timestamps, which they print differently, as numbers.
func cells(arr interface {
	json.Marshaler
	Len() int
	GetOneForMarshal(i int) any
}) string {
	var b strings.Builder
	for i := range arr.Len() {
		v := arr.GetOneForMarshal(i)
		switch arr := arr.(type) {
		case *array.Timestamp:
			if v != nil {
				v = arr.Value(i)
			}
		case *array15.Timestamp:
			if v != nil {
				v = arr.Value(i)
			}
		}
		b.WriteString(marshal(v) + "\n")
	}
	return b.String()
}

func marshal(v any) string {
	if out, err := json.Marshal(v); err == nil && string(out) != `"NaN"` && string(out) != `"+Inf"` {
		return string(out)
	}
	return fmt.Sprint(v) // which some arrays put in quotes
}
