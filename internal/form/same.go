package form

import (
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
)

// SameType says whether two types are equal, all the way down, apart from metadata, nullability and the names of list
// elements.
func SameType(a, b arrow.DataType) bool {
	if a == nil || b == nil || a.ID() != b.ID() {
		return false
	}
	switch a := a.(type) {
	case arrow.ExtensionType:
		return a.ExtensionEquals(b.(arrow.ExtensionType))
	case *arrow.StructType:
		return sameFields(a.Fields(), b.(*arrow.StructType).Fields())
	case arrow.UnionType:
		b := b.(arrow.UnionType)
		return slices.Equal(a.TypeCodes(), b.TypeCodes()) && sameFields(a.Fields(), b.Fields())
	case *arrow.MapType:
		b := b.(*arrow.MapType)
		return SameType(a.KeyType(), b.KeyType()) && SameType(a.ItemType(), b.ItemType())
	case *arrow.FixedSizeListType:
		b := b.(*arrow.FixedSizeListType)
		return a.Len() == b.Len() && SameType(a.Elem(), b.Elem())
	case arrow.ListLikeType:
		return SameType(a.Elem(), b.(arrow.ListLikeType).Elem())
	case *arrow.DictionaryType:
		b := b.(*arrow.DictionaryType)
		return a.Ordered == b.Ordered && SameType(a.IndexType, b.IndexType) && SameType(a.ValueType, b.ValueType)
	case *arrow.RunEndEncodedType:
		b := b.(*arrow.RunEndEncodedType)
		return SameType(a.RunEnds(), b.RunEnds()) && SameType(a.Encoded(), b.Encoded())
	default:
		return arrow.TypeEqual(a, b)
	}
}

func sameFields(a, b []arrow.Field) bool {
	return slices.EqualFunc(a, b, func(a, b arrow.Field) bool { return a.Name == b.Name && SameType(a.Type, b.Type) })
}

// SchemasDiffer says how two schemas differ in the names and types of their columns, by [SameType]; "" if they don't.
func SchemasDiffer(a, b *arrow.Schema) string {
	if a.NumFields() != b.NumFields() {
		return fmt.Sprintf("it has %d columns, not %d", b.NumFields(), a.NumFields())
	}
	for i, want := range a.Fields() {
		got := b.Field(i)
		if got.Name != want.Name {
			return fmt.Sprintf("column %d is %q, not %q", i, got.Name, want.Name)
		}
		if !SameType(got.Type, want.Type) {
			return fmt.Sprintf("column %q is of type %v, not %v", want.Name, got.Type, want.Type)
		}
	}
	return ""
}
