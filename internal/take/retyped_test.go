package take_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/google/go-cmp/cmp"

	"github.com/onerow-go/onerow/internal/take"
)

// noted is a field that isn't nullable and has metadata.
func noted(name string, t arrow.DataType) arrow.Field {
	return arrow.Field{Name: name, Type: t, Metadata: arrow.NewMetadata([]string{"unit"}, []string{name})}
}

// typesDiffer says where two types differ, "" if nowhere: in the names, nullability and metadata of fields below too, which arrow.TypeEqual
// passes over in places.
func typesDiffer(a, b arrow.DataType) string {
	if a.ID() != b.ID() || a.String() != b.String() || !arrow.TypeEqual(a, b, arrow.CheckMetadata()) {
		return fmt.Sprintf("%v, not %v", a, b)
	}
	if e, ok := a.(arrow.ExtensionType); ok {
		return typesDiffer(e.StorageType(), b.(arrow.ExtensionType).StorageType())
	}
	if n, ok := a.(arrow.NestedType); ok {
		for i, f := range n.Fields() {
			g := b.(arrow.NestedType).Fields()[i]
			if f.Name != g.Name || f.Nullable != g.Nullable || !f.Metadata.Equal(g.Metadata) {
				return fmt.Sprintf("field %v, not %v", f, g)
			}
			if why := typesDiffer(f.Type, g.Type); why != "" {
				return fmt.Sprintf("field %q: %s", f.Name, why)
			}
		}
	}
	return ""
}

// decodings are types, and the types that their values have decoded; a nil one is the type itself.
func decodings() []struct{ of, want arrow.DataType } {
	p, s := arrow.PrimitiveTypes, arrow.BinaryTypes
	words, runs := dict(p.Int8, s.String), arrow.RunEndEncodedOf(p.Int32, p.Int64)
	point := tagged(arrow.StructOf(noted("x", p.Float64), field("y", tagged(p.Float64))))
	members := []arrow.Field{noted("w", words), field("r", runs), field("t", tagged(p.Int8))}
	codes := []arrow.UnionTypeCode{1, 2, 5}
	return []struct{ of, want arrow.DataType }{
		{p.Int8, nil}, {arrow.Null, nil}, {s.StringView, nil}, {arrow.StructOf(), nil},
		{words, s.String}, {runs, p.Int64}, {dict(p.Uint16, words), s.String}, {dict(p.Int8, runs), p.Int64}, {arrow.RunEndEncodedOf(p.Int16, words), s.String},
		{dict(p.Int8, arrow.Null), arrow.Null},

		{tagged(p.Int32), nil}, {tagged(tagged(p.Int32)), nil}, {point, nil}, {tagged(arrow.ListOf(tagged(s.String))), nil},
		{tagged(arrow.ListViewOfField(noted("e", arrow.StructOf(noted("x", p.Int8), field("y", arrow.StructOf()))))), nil},
		{tagged(words), s.String}, {tagged(tagged(runs)), p.Int64}, {tagged(arrow.ListOf(words)), arrow.ListOf(s.String)},
		{dict(p.Int8, tagged(s.String)), tagged(s.String)}, {arrow.RunEndEncodedOf(p.Int32, point), point}, {tagged(dict(p.Int8, tagged(p.Int32))), tagged(p.Int32)},
		{tagged(arrow.StructOf(noted("a", point), field("b", words))), arrow.StructOf(noted("a", point), field("b", s.String))},

		{arrow.StructOf(noted("a", words), field("b", runs), noted("a", point)), arrow.StructOf(noted("a", s.String), field("b", p.Int64), noted("a", point))},
		{arrow.ListOfField(noted("e", words)), arrow.ListOfField(noted("e", s.String))},
		{arrow.LargeListOfField(noted("e", runs)), arrow.LargeListOfField(noted("e", p.Int64))},
		{arrow.FixedSizeListOfField(3, noted("e", words)), arrow.FixedSizeListOfField(3, noted("e", s.String))},
		{arrow.ListViewOfField(noted("e", words)), arrow.ListViewOfField(noted("e", s.String))},
		{arrow.LargeListViewOfField(noted("e", words)), arrow.LargeListViewOfField(noted("e", s.String))},
		{arrow.ListOfField(noted("e", point)), nil}, {arrow.FixedSizeListOfField(2, noted("e", point)), nil}, {arrow.LargeListViewOfField(noted("e", point)), nil},

		{arrow.ListOf(arrow.StructOf(noted("a", arrow.FixedSizeListOf(2, words)), field("b", tagged(runs)), field("c", arrow.LargeListOf(point)))),
			arrow.ListOf(arrow.StructOf(noted("a", arrow.FixedSizeListOf(2, s.String)), field("b", p.Int64), field("c", arrow.LargeListOf(point))))},
		{arrow.ListOf(dict(p.Int8, arrow.ListOf(dict(p.Int8, p.Date32)))), arrow.ListOf(arrow.ListOf(p.Date32))},
		{arrow.StructOf(field("v", arrow.ListViewOf(arrow.StructOf(field("w", arrow.LargeListViewOf(runs)))))),
			arrow.StructOf(field("v", arrow.ListViewOf(arrow.StructOf(field("w", arrow.LargeListViewOf(p.Int64))))))},

		{arrow.MapOf(words, tagged(p.Int8)), nil}, {tagged(arrow.MapOf(words, runs)), nil},
		{arrow.SparseUnionOf(members, codes), nil}, {arrow.DenseUnionOf(members, codes), nil},
		{dict(p.Int8, arrow.DenseUnionOf(members, codes)), arrow.DenseUnionOf(members, codes)},
		{arrow.ListOfField(noted("e", arrow.MapOf(words, runs))), nil},
		{arrow.StructOf(field("m", arrow.MapOf(s.String, words)), field("w", words)), arrow.StructOf(field("m", arrow.MapOf(s.String, words)), field("w", s.String))},
	}
}

func TestDecodedType(t *testing.T) {
	for _, test := range decodings() {
		want := test.want
		if want == nil {
			want = test.of
		}
		before := test.of.String()
		got := take.DecodedType(test.of)
		if why := typesDiffer(got, want); why != "" {
			t.Errorf("%v: %s", test.of, why)
		}
		if why := typesDiffer(take.DecodedType(got), got); why != "" || test.of.String() != before {
			t.Errorf("%v: decoded again it is %s", test.of, why)
		}
	}
}

// retypedTypes are all types that are worth decoding.
func retypedTypes() []arrow.DataType {
	types := everyType()
	for _, d := range decodings() {
		types = append(types, d.of)
	}
	return types
}

// TestRetyped: a decoded column has the cells of the given one, and the type that DecodedType says; it is the memory of the plain one, held by
// itself. So has a slice of it.
func TestRetyped(t *testing.T) {
	types := retypedTypes()
	for seed := range uint64(20) {
		mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
		e := newEncoder(mem, seed)
		tab := newTable(e, types, 3, 0, 20, 1)
		rows := []uint32{0, 2, 3, 22, 23, 4, 4, 1}
		if seed == 0 {
			rows = nil
		}
		rec, err := take.PlainRecord(context.Background(), mem, tab.schema, tab.batches, rows, 2)
		if err != nil {
			t.Fatal(err)
		}
		e.release()
		var whole, parts []arrow.Array
		from, to := min(2, len(rows)), max(0, len(rows)-1)
		for i, typ := range types {
			col := rec.Column(i)
			a := take.Retyped(col, take.DecodedType(typ))
			if why := typesDiffer(a.DataType(), take.DecodedType(typ)); why != "" {
				t.Errorf("%v: %s", typ, why)
			}
			checkBelow(t, a.Data())
			if !shareBuffers(col.Data(), a.Data()) {
				t.Errorf("%v: a copy", typ)
			}
			slice := array.NewSlice(col, int64(from), int64(to))
			whole, parts = append(whole, a), append(parts, take.Retyped(slice, take.DecodedType(typ)))
			slice.Release()
		}
		rec.Release() // what was made of it holds its memory
		for i, typ := range types {
			want := make([]any, len(rows))
			for k, r := range rows {
				want[k] = tab.cells[i][r]
			}
			if d := cmp.Diff(want, decode(whole[i]), cmp.AllowUnexported(union{})); d != "" {
				t.Errorf("%v (-want +got):\n%s", typ, d)
			}
			if d := cmp.Diff(want[from:to], decode(parts[i]), cmp.AllowUnexported(union{})); d != "" {
				t.Errorf("%v, sliced (-want +got):\n%s", typ, d)
			}
			checkArray(t, whole[i])
			whole[i].Release()
			parts[i].Release()
		}
		mem.AssertSize(t, 0)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// checkBelow: the arrays below one have the types that its own says, maps and unions among them.
func checkBelow(t *testing.T, d arrow.ArrayData) {
	t.Helper()
	layout := d.DataType()
	for layout.ID() == arrow.EXTENSION {
		layout = layout.(arrow.ExtensionType).StorageType()
	}
	nested, ok := layout.(arrow.NestedType)
	if !ok {
		return
	}
	for i, f := range nested.Fields() {
		if why := typesDiffer(d.Children()[i].DataType(), f.Type); why != "" {
			t.Errorf("%v: child %d is of %s", d.DataType(), i, why)
		}
		checkBelow(t, d.Children()[i])
	}
}

// shareBuffers says whether two arrays, and all below them, are the same memory.
func shareBuffers(a, b arrow.ArrayData) bool {
	return slices.Equal(a.Buffers(), b.Buffers()) && a.Len() == b.Len() && a.Offset() == b.Offset() && a.NullN() == b.NullN() &&
		slices.EqualFunc(a.Children(), b.Children(), shareBuffers)
}
