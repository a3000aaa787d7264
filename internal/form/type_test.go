package form

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow/internal/arrowtest"
)

func typeOf(t *testing.T, text string) arrow.DataType {
	t.Helper()
	typ, err := arrowtest.Type(text)
	if err != nil {
		t.Fatal(err)
	}
	return typ
}

// Which types are keys and orders, and why the others aren't.
func TestRoles(t *testing.T) {
	none := map[arrow.DataType][2]string{
		typeOf(t, "map<string,int8>"):                   {"map is not a key type", "map has no order"},
		typeOf(t, "struct<a:int8,b:map<int8,int8>>"):    {`field "b": map is not a key type`, "struct has no order"},
		typeOf(t, "list<map<int8,int8>>"):               {"element: map is not a key type", "list has no order"},
		typeOf(t, "fsl<map<int8,int8>,2>"):              {"element: map is not a key type", "fixed_size_list has no order"},
		arrow.ListViewOf(arrow.MapOf(intType, intType)): {"element: map is not a key type", "list_view has no order"},
		sparse:                                {"sparse_union is not a key type", "sparse_union has no order"},
		dense:                                 {"dense_union is not a key type", "dense_union has no order"},
		arrow.FixedWidthTypes.MonthInterval:   {"month_interval is not a key type", "month_interval has no order"},
		arrow.FixedWidthTypes.DayTimeInterval: {"day_time_interval is not a key type", "day_time_interval has no order"},
		arrow.FixedWidthTypes.MonthDayNanoInterval:    {"month_day_nano_interval is not a key type", "month_day_nano_interval has no order"},
		&tagged{arrow.ExtensionBase{Storage: sparse}}: {"sparse_union is not a key type", "sparse_union has no order"},
	}
	for typ, want := range none {
		if ok, why := IsKey(typ); ok || why != want[0] {
			t.Errorf("IsKey(%v): %v, %q", typ, ok, why)
		}
		if ok, why := IsOrder(typ); ok || why != want[1] {
			t.Errorf("IsOrder(%v): %v, %q", typ, ok, why)
		}
	}
	for _, f := range families {
		for _, text := range f.types {
			typ := typeOf(t, text)
			for _, typ := range []arrow.DataType{typ, &tagged{arrow.ExtensionBase{Storage: typ}}, &arrow.DictionaryType{IndexType: intType, ValueType: typ}, arrow.RunEndEncodedOf(intType, typ)} {
				if ok, why := IsKey(typ); !ok || why != "" {
					t.Errorf("IsKey(%v): %v, %q", typ, ok, why)
				}
				nested := arrow.IsNested(Logical(typ).ID())
				if ok, why := IsOrder(typ); ok == nested || ok != (why == "") {
					t.Errorf("IsOrder(%v): %v, %q", typ, ok, why)
				}
			}
		}
	}
}

// Types are comparable within a family, both ways, and the null type with all.
func TestComparable(t *testing.T) {
	for i, f := range families {
		for j, g := range families {
			for _, a := range f.types {
				for _, b := range g.types {
					want := i == j || f.name == "null" || g.name == "null"
					ok, why := Comparable(typeOf(t, a), typeOf(t, b))
					if ok != want || ok != (why == "") {
						t.Errorf("Comparable(%s, %s): %v, %q", a, b, ok, why)
					}
				}
			}
		}
	}
	for _, c := range []struct{ a, b, why string }{
		{"int64", "string", "their values are never equal; convert one of them"},
		{"dict<int8,int64>", "ree<string>", "their values are never equal; convert one of them"},
		{"timestamp[us]", "timestamp[us,UTC]", "a timestamp without a zone is no instant, it never equals one"},
		{"timestamp[us,UTC]", "timestamp[us]", "a timestamp without a zone is no instant, it never equals one"},
		{"struct<a:int8>", "struct<b:int8>", `field 0 is "a" and "b"`},
		{"struct<a:int8>", "struct<a:int8,b:int8>", "1 fields and 2 fields"},
		{"struct<a:int8,b:int8>", "struct<b:int8,a:int8>", `field 0 is "a" and "b"`},
		{"struct<a:struct<b:int8>>", "struct<a:struct<b:string>>", `field "a": field "b": their values are never equal; convert one of them`},
		{"list<int8>", "large_list<string>", "elements: their values are never equal; convert one of them"},
		{"map<int8,int8>", "map<int8,int16>", "the types differ"},
	} {
		if ok, why := Comparable(typeOf(t, c.a), typeOf(t, c.b)); ok || why != c.why {
			t.Errorf("Comparable(%s, %s): %v, %q, want %q", c.a, c.b, ok, why, c.why)
		}
	}
	for _, same := range []arrow.DataType{typeOf(t, "map<int8,int8>"), sparse, arrow.FixedWidthTypes.MonthInterval} {
		if ok, why := Comparable(same, same); !ok {
			t.Errorf("Comparable(%v) with itself: %q", same, why)
		}
	}
}

// A type that Arrow doesn't have is an error, not a column of NULLs.
func TestUnknownType(t *testing.T) {
	if a, err := OfData(raw(&strange{}, 1, [][]byte{nil, {1, 2, 3, 4}})); err == nil {
		t.Errorf("%+v", a)
	}
	if f := FamilyOf(&strange{}); f != OtherFamily {
		t.Errorf("family %d", f)
	}
	if ok, _ := IsKey(&strange{}); ok {
		t.Error("it is a key")
	}
}

type strange struct{ arrow.Int32Type }

func (strange) ID() arrow.Type { return 63 }
func (strange) Name() string   { return "strange" }
func (strange) String() string { return "strange" }
