package arrow18_test

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	arrow15 "github.com/apache/arrow/go/v15/arrow"
	array15 "github.com/apache/arrow/go/v15/arrow/array"

	"github.com/onerow-go/onerow/adapters/arrow18"
	"github.com/onerow-go/onerow/grain"
)

// unit18 and unit15 are an extension type of both versions: int64 with a unit of measure, which it serializes to.

type unit18 struct {
	arrow.ExtensionBase
	name, unit string
}

type unitArray18 struct{ array.ExtensionArrayBase }

func newUnit18(name, unit string) *unit18 {
	return &unit18{ExtensionBase: arrow.ExtensionBase{Storage: arrow.PrimitiveTypes.Int64}, name: name, unit: unit}
}

func (*unit18) ArrayType() reflect.Type { return reflect.TypeFor[unitArray18]() }
func (u *unit18) ExtensionName() string { return u.name }
func (u *unit18) Serialize() string     { return u.unit }

func (u *unit18) ExtensionEquals(other arrow.ExtensionType) bool {
	o, ok := other.(*unit18)
	return ok && *o == *u
}

func (u *unit18) Deserialize(storage arrow.DataType, text string) (arrow.ExtensionType, error) {
	if !arrow.TypeEqual(storage, u.Storage) {
		return nil, errors.New("another storage")
	}
	return &unit18{ExtensionBase: u.ExtensionBase, name: u.name, unit: text}, nil
}

type unit15 struct {
	arrow15.ExtensionBase
	name, unit string
}

type unitArray15 struct{ array15.ExtensionArrayBase }

func newUnit15(name, unit string) *unit15 {
	return &unit15{ExtensionBase: arrow15.ExtensionBase{Storage: arrow15.PrimitiveTypes.Int64}, name: name, unit: unit}
}

func (*unit15) ArrayType() reflect.Type { return reflect.TypeFor[unitArray15]() }
func (u *unit15) ExtensionName() string { return u.name }
func (u *unit15) Serialize() string     { return u.unit }

func (u *unit15) ExtensionEquals(other arrow15.ExtensionType) bool {
	o, ok := other.(*unit15)
	return ok && *o == *u
}

func (u *unit15) Deserialize(storage arrow15.DataType, text string) (arrow15.ExtensionType, error) {
	if storage.ID() != arrow15.INT64 && u.name != careless {
		return nil, errors.New("another storage")
	}
	return newUnit15(u.name, text), nil
}

const (
	known    = "onerow.test.known"    // to both
	foreign  = "onerow.test.foreign"  // to v18 alone
	other    = "onerow.test.other"    // to both, of different storage
	careless = "onerow.test.careless" // to v15 alone, which makes int64 of any storage
	ofUnits  = "ARROW:extension:name" // the keys, as Arrow's format documents them
	ofUnitsM = "ARROW:extension:metadata"
)

// otherType is what v18 calls other.
var otherType = &unit18{ExtensionBase: arrow.ExtensionBase{Storage: &arrow.FixedSizeBinaryType{ByteWidth: 3}}, name: other}

func register(t *testing.T) {
	t.Helper()
	for _, dt := range []*unit18{newUnit18(known, ""), newUnit18(foreign, ""), otherType} {
		if err := arrow.RegisterExtensionType(dt); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = arrow.UnregisterExtensionType(dt.name) })
	}
	for _, name := range []string{known, other, careless} {
		if err := arrow15.RegisterExtensionType(newUnit15(name, "")); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = arrow15.UnregisterExtensionType(name) })
	}
}

// An extension type is that of the other side, or goes on in the field's metadata and comes back.
func TestExtensions(t *testing.T) {
	register(t)
	mem := checked18(t)
	storage := column{"x", arrow.PrimitiveTypes.Int64, numbers}.build(t, mem)
	defer storage.Release()
	mine := about("mine", "1")
	tests := []struct {
		dt   arrow.ExtensionType
		want string
	}{
		{newUnit18(known, "m"), `x:EXTENSION extension falseonerow.test.knownmint64:true:["mine": "1"]`},
		{newUnit18(foreign, "kg"), `x:int64:true:["mine": "1", "ARROW:extension:name": "onerow.test.foreign", "ARROW:extension:metadata": "kg"]`},
		{newUnit18("onerow.test.nobody's", ""), `x:int64:true:["mine": "1", "ARROW:extension:name": "onerow.test.nobody's", "ARROW:extension:metadata": ""]`},
	}
	for _, test := range tests {
		t.Run(test.dt.ExtensionName(), func(t *testing.T) {
			arr := array.NewExtensionArrayWithStorage(test.dt, storage)
			field := arrow.Field{Name: "x", Type: test.dt, Nullable: true, Metadata: mine}
			batch := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{field}, nil), []arrow.Array{arr}, 5)
			arr.Release()
			there, err := arrow18.FromBatch(batch)
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprintf("%v", field15(there.Schema().Field(0))); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
			if want, got := cells(storage), cells(there.Column(0)); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			batch.Release()
			back, err := arrow18.Move(there, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer back.Release()
			if arrow.GetExtensionType(test.dt.ExtensionName()) == nil {
				return // nobody makes it again
			}
			if want, got := field18(field), field18(back.Schema().Field(0)); got != want {
				t.Errorf("back: got %s, want %s", got, want)
			}
			if _, ok := back.Column(0).(array.ExtensionArray); !ok || cells(back.Column(0)) != cells(storage) {
				t.Errorf("back: got %T %v", back.Column(0), back.Column(0))
			}
		})
	}
}

// A name that means something else on the other side is the storage too.
func TestExtensionOfAnotherStorage(t *testing.T) {
	register(t)
	storage := column{"id", &arrow.FixedSizeBinaryType{ByteWidth: 3}, `["YWJj", "eHl6", "YWJj", "AAAA", "////"]`}.build(t, checked18(t))
	defer storage.Release()
	arr := array.NewExtensionArrayWithStorage(otherType, storage)
	defer arr.Release()
	batch := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "id", Type: arr.DataType()}}, nil), []arrow.Array{arr}, 5)
	defer batch.Release()
	there, err := arrow18.FromBatch(batch)
	if err != nil {
		t.Fatal(err)
	}
	if got := there.Schema().Field(0); got.Type.ID() != arrow15.FIXED_SIZE_BINARY || got.Metadata.FindKey(ofUnits) != 0 || got.Metadata.FindKey(ofUnitsM) != 1 {
		t.Errorf("got %v", got)
	}
	back, err := arrow18.Move(there, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer back.Release()
	if !arrow.TypeEqual(back.Column(0).DataType(), arr.DataType()) || !array.Equal(back.Column(0), arr) {
		t.Errorf("got %v, want %v", back.Column(0), arr)
	}
	report, err := arrow18.Check(t.Context(), []arrow.RecordBatch{batch}, []string{"id"}, grain.Options{})
	if err != nil || report.Err() == nil {
		t.Errorf("the verbs don't see the values: %v, %v", report, err)
	}
}

// Metadata that names a type which the other side doesn't know, or whose storage is another, stays as it is.
func TestExtensionNames(t *testing.T) {
	register(t)
	for _, field := range []arrow.Field{
		{Name: "x", Type: arrow.BinaryTypes.String, Metadata: about(ofUnits, known, ofUnitsM, "m")},
		{Name: "x", Type: arrow.PrimitiveTypes.Int64, Metadata: about(ofUnits, foreign, "a", "b")},
		{Name: "x", Type: arrow.BinaryTypes.String, Metadata: about(ofUnits, careless)},
	} {
		schema, err := arrow18.FromSchema(arrow.NewSchema([]arrow.Field{field}, nil))
		if err != nil {
			t.Fatal(err)
		}
		if want, got := field18(field), field15(schema.Field(0)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	schema, err := arrow18.FromSchema(arrow.NewSchema([]arrow.Field{
		{Name: "x", Type: arrow.PrimitiveTypes.Int64, Metadata: about("a", "b", ofUnitsM, "m", ofUnits, other)}}, nil))
	if err != nil {
		t.Fatal(err)
	}
	if got := schema.Field(0); !arrow15.TypeEqual(got.Type, newUnit15(other, "m")) || fmt.Sprint(got.Metadata) != `["a": "b"]` {
		t.Errorf("got %v", got)
	}
}

// The other way too.
func TestExtensionsOfV15(t *testing.T) {
	register(t)
	for _, name := range []string{known, careless} {
		field := arrow15.Field{Name: "x", Type: newUnit15(name, "m"), Nullable: true, Metadata: arrow15.NewMetadata([]string{"mine"}, []string{"1"})}
		there, err := arrow18.ToSchema(arrow15.NewSchema([]arrow15.Field{field}, nil))
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := there.Field(0).Type.(*unit18); ok != (name == known) {
			t.Errorf("%s: got %v", name, there.Field(0))
		}
		back, err := arrow18.FromSchema(there)
		if err != nil {
			t.Fatal(err)
		}
		if want, got := field15(field), field15(back.Field(0)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// Inside other types, the fields hold the name; where there is none, the storage goes alone.
func TestNestedExtensions(t *testing.T) {
	register(t)
	mem := checked18(t)
	for _, name := range []string{known, foreign} {
		dt := newUnit18(name, "m")
		field := arrow.Field{Name: "x", Type: dt, Nullable: true, Metadata: about("mine", "1")}
		withFields := []arrow.DataType{
			arrow.StructOf(field), arrow.ListOfField(field), arrow.LargeListOfField(field), arrow.ListViewOfField(field), arrow.LargeListViewOfField(field),
			arrow.FixedSizeListOfField(2, field), arrow.SparseUnionOf([]arrow.Field{field}, []arrow.UnionTypeCode{3}),
			arrow.DenseUnionOf([]arrow.Field{field}, []arrow.UnionTypeCode{3}), arrow.MapOfWithMetadata(dt, about("k", "1"), dt, about("v", "2")),
			arrow.StructOf(arrow.Field{Name: "l", Type: arrow.ListOfField(field), Nullable: true}),
		}
		without := []arrow.DataType{&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: dt}, arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, dt), dt}
		for i, outer := range append(withFields, without...) {
			t.Run(fmt.Sprint(name, outer.ID()), func(t *testing.T) {
				there, err := arrow18.FromSchema(arrow.NewSchema([]arrow.Field{{Name: "o", Type: outer}}, nil))
				if err != nil {
					t.Fatal(err)
				}
				back, err := arrow18.ToSchema(there)
				if err != nil {
					t.Fatal(err)
				}
				want := type18(outer)
				if name == foreign && i >= len(withFields) && outer != arrow.DataType(dt) {
					want = type15(there.Field(0).Type)
				}
				if got := type18(back.Field(0).Type); got != want {
					t.Errorf("got %s, want %s", got, want)
				}
				if outer.ID() == arrow.DICTIONARY || outer.ID() == arrow.RUN_END_ENCODED {
					return // which have no builder for extension types
				}
				arr := ofNulls(mem, outer, 3)
				defer arr.Release()
				one, err := arrow18.FromArray(arr)
				if err != nil {
					t.Fatal(err)
				}
				two, err := arrow18.ToArray(one)
				if err != nil {
					t.Fatal(err)
				}
				if want, got := cells(arr), cells(two); got != want {
					t.Errorf("got %s, want %s", got, want)
				}
				releaseInOrder(t, []int{0, 1}, one, two)
			})
		}
	}
}
