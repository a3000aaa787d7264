package take_test

import (
	"fmt"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow/internal/form"
)

func TestSameType(t *testing.T) {
	p, f := arrow.PrimitiveTypes, arrow.FixedWidthTypes
	meta := arrow.NewMetadata([]string{"k"}, []string{"v"})
	one := func(name string, typ arrow.DataType) []arrow.Field { return []arrow.Field{field(name, typ)} }
	bare := func(name string, typ arrow.DataType) arrow.Field {
		return arrow.Field{Name: name, Type: typ, Metadata: meta}
	}
	for _, c := range []struct {
		a, b arrow.DataType
		same bool
	}{
		{p.Int32, p.Int32, true},
		{p.Int32, p.Uint32, false},
		{f.Timestamp_us, f.Timestamp_ns, false},
		{&arrow.TimestampType{Unit: arrow.Second}, &arrow.TimestampType{Unit: arrow.Second, TimeZone: "UTC"}, false},
		{&arrow.Decimal128Type{Precision: 5, Scale: 1}, &arrow.Decimal128Type{Precision: 5, Scale: 2}, false},
		{&arrow.FixedSizeBinaryType{ByteWidth: 2}, &arrow.FixedSizeBinaryType{ByteWidth: 3}, false},
		{arrow.ListOf(p.Int8), arrow.ListOfField(bare("element", p.Int8)), true},
		{arrow.ListOf(p.Int8), arrow.ListOf(p.Int16), false},
		{arrow.ListOf(p.Int8), arrow.LargeListOf(p.Int8), false},
		{arrow.LargeListOf(p.Int8), arrow.LargeListOfField(bare("element", p.Int8)), true},
		{arrow.ListViewOf(p.Int8), arrow.ListViewOfField(bare("element", p.Int8)), true},
		{arrow.FixedSizeListOf(2, p.Int8), arrow.FixedSizeListOfField(2, bare("element", p.Int8)), true},
		{arrow.FixedSizeListOf(2, p.Int8), arrow.FixedSizeListOf(3, p.Int8), false},
		{arrow.FixedSizeListOf(2, p.Int8), arrow.FixedSizeListOf(2, p.Int16), false},
		{arrow.MapOf(p.Int8, p.Int8), arrow.MapOf(p.Int8, p.Int8), true},
		{arrow.MapOf(p.Int8, p.Int8), arrow.MapOf(p.Int8, p.Int16), false},
		{arrow.MapOf(p.Int8, p.Int8), arrow.MapOf(p.Int16, p.Int8), false},
		{arrow.StructOf(field("a", p.Int8)), arrow.StructOf(bare("a", p.Int8)), true},
		{arrow.StructOf(field("a", p.Int8)), arrow.StructOf(field("b", p.Int8)), false},
		{arrow.StructOf(field("a", p.Int8)), arrow.StructOf(field("a", p.Int16)), false},
		{arrow.StructOf(field("a", p.Int8)), arrow.StructOf(field("a", p.Int8), field("b", p.Int8)), false},
		{arrow.SparseUnionOf(one("a", p.Int8), []int8{1}), arrow.SparseUnionOf(one("a", p.Int8), []int8{1}), true},
		{arrow.SparseUnionOf(one("a", p.Int8), []int8{1}), arrow.SparseUnionOf(one("a", p.Int8), []int8{2}), false},
		{arrow.SparseUnionOf(one("a", p.Int8), []int8{1}), arrow.SparseUnionOf(one("b", p.Int8), []int8{1}), false},
		{arrow.SparseUnionOf(one("a", p.Int8), []int8{1}), arrow.DenseUnionOf(one("a", p.Int8), []int8{1}), false},
		{dict(p.Int8, p.Int16), dict(p.Int8, p.Int16), true},
		{dict(p.Int8, p.Int16), dict(p.Int16, p.Int16), false},
		{dict(p.Int8, p.Int16), dict(p.Int8, p.Int8), false},
		{dict(p.Int8, p.Int16), &arrow.DictionaryType{IndexType: p.Int8, ValueType: p.Int16, Ordered: true}, false},
		{arrow.RunEndEncodedOf(p.Int16, p.Int8), arrow.RunEndEncodedOf(p.Int16, p.Int8), true},
		{arrow.RunEndEncodedOf(p.Int16, p.Int8), arrow.RunEndEncodedOf(p.Int32, p.Int8), false},
		{arrow.RunEndEncodedOf(p.Int16, p.Int8), arrow.RunEndEncodedOf(p.Int16, p.Int16), false},
		{tagged(p.Int8), tagged(p.Int8), true},
		{tagged(p.Int8), tagged(p.Int16), false},
		{tagged(p.Int8), p.Int8, false},
		{nil, p.Int8, false},
	} {
		t.Run(fmt.Sprintf("%v and %v", c.a, c.b), func(t *testing.T) {
			if got := form.SameType(c.a, c.b); got != c.same {
				t.Errorf("%v, want %v", got, c.same)
			}
			if got := form.SameType(c.b, c.a); got != c.same {
				t.Errorf("the other way round: %v, want %v", got, c.same)
			}
		})
	}
}
