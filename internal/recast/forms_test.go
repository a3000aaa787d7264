package recast

import (
	"reflect"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/form"
)

// tagged is an extension type over any storage.
type tagged struct{ arrow.ExtensionBase }

func (tagged) ArrayType() reflect.Type { return reflect.TypeFor[taggedArray]() }
func (tagged) ExtensionName() string   { return "tagged" }
func (tagged) Serialize() string       { return "" }
func (x tagged) ExtensionEquals(other arrow.ExtensionType) bool {
	return arrow.TypeEqual(x.Storage, other.StorageType())
}
func (tagged) Deserialize(storage arrow.DataType, _ string) (arrow.ExtensionType, error) {
	return extension(storage), nil
}

type taggedArray struct{ array.ExtensionArrayBase }

func extension(t arrow.DataType) arrow.ExtensionType {
	return &tagged{arrow.ExtensionBase{Storage: t}}
}

func dictionary(index, value arrow.DataType) arrow.DataType {
	return &arrow.DictionaryType{IndexType: index, ValueType: value}
}

// wrappings are encodings of a type, some within others.
var wrappings = map[string]func(arrow.DataType) arrow.DataType{
	"extension":  func(t arrow.DataType) arrow.DataType { return extension(t) },
	"dictionary": func(t arrow.DataType) arrow.DataType { return dictionary(arrow.PrimitiveTypes.Uint64, t) },
	"run ends":   func(t arrow.DataType) arrow.DataType { return arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int16, t) },
	"dictionary of run ends": func(t arrow.DataType) arrow.DataType {
		return dictionary(arrow.PrimitiveTypes.Uint8, arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, t))
	},
	"run ends of a dictionary": func(t arrow.DataType) arrow.DataType {
		return arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int64, dictionary(arrow.PrimitiveTypes.Int8, t))
	},
	"dictionary of a dictionary": func(t arrow.DataType) arrow.DataType {
		return dictionary(arrow.PrimitiveTypes.Int16, dictionary(arrow.PrimitiveTypes.Uint16, t))
	},
	"extension of a dictionary of an extension": func(t arrow.DataType) arrow.DataType {
		return extension(dictionary(arrow.PrimitiveTypes.Uint32, extension(t)))
	},
}

// Every type of a family becomes every other by way of every encoding.
func TestArrayByWayOfEncodings(t *testing.T) {
	for _, f := range families {
		if f.name == "null" {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			mem := arrowtest.Allocator(t)
			for _, from := range f.types {
				variants := column(t, mem, from, f.cells)
				t.Cleanup(variants.Release)
				for _, v := range variants[:3] {
					for _, rec := range v.Batches {
						for name, wrap := range wrappings {
							byWayOf(t, mem, from+" "+v.Name+" "+name, rec.Column(0), wrap, f.types)
						}
					}
				}
			}
		})
	}
}

func byWayOf(t *testing.T, mem memory.Allocator, name string, arr arrow.Array, wrap func(arrow.DataType) arrow.DataType, types []string) {
	t.Helper()
	checkCast(t, mem, name, arr, wrap(arr.DataType()))
	wrapped, _, err := Array(mem, arr, wrap(arr.DataType()))
	if err != nil {
		t.Fatal(err)
	}
	defer wrapped.Release()
	part := array.NewSlice(wrapped, int64(min(3, wrapped.Len())), int64(wrapped.Len()))
	defer part.Release()
	for i, to := range types {
		dt := mustType(t, to)
		checkCast(t, mem, name, part, dt)
		if i == 0 {
			checkCast(t, mem, name, part, wrap(dt))
		}
	}
}

// Lists and list views become each other.
func TestArrayOfListViews(t *testing.T) {
	mem := arrowtest.Allocator(t)
	elements := []arrow.DataType{arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int64, dictionary(arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16)}
	var types []arrow.DataType
	for _, e := range elements {
		types = append(types, arrow.ListOf(e), arrow.LargeListOf(e), arrow.ListViewOf(e), arrow.LargeListViewOf(e), arrow.FixedSizeListOf(2, e))
	}
	cells := []any{list(), list(1), list(1, 2), list(nil, 1), list(300, 1), list(nil, nil), list(-1, 2), list(1, 2, 3)}
	variants := column(t, mem, "list<int64>", cells)
	defer variants.Release()
	for _, v := range variants[:6] {
		for _, rec := range v.Batches {
			for _, via := range types {
				checkCast(t, mem, v.Name, rec.Column(0), via)
				view, _, err := Array(mem, rec.Column(0), via)
				if err != nil {
					t.Fatal(err)
				}
				part := array.NewSlice(view, int64(min(1, view.Len())), int64(view.Len()))
				for _, to := range types {
					checkCast(t, mem, v.Name+" by way of "+via.String(), part, to)
				}
				part.Release()
				view.Release()
			}
		}
	}
}

// The views of a list lie in any order and over each other.
func TestArrayOfListViewsInDisorder(t *testing.T) {
	mem := arrowtest.Allocator(t)
	elem := ints8(t, mem, 1, 2, 3, 4)
	defer elem.Release()
	for _, live := range [][]byte{nil, {0b101101}} {
		d := array.NewData(arrow.ListViewOf(arrow.PrimitiveTypes.Int8), 6,
			buffers(live, int32s(2, 0, 4, 1, 0, 1), int32s(2, 4, 0, 2, 1, 1)), []arrow.ArrayData{elem.Data()}, array.UnknownNullCount, 0)
		arr := array.MakeFromData(d)
		d.Release()
		for _, to := range []string{"list<int64>", "fsl<int16,2>", "fsl<int8,1>", "large_list<int8>"} {
			checkCast(t, mem, "disorder", arr, mustType(t, to))
		}
		arr.Release()
	}
}

// Maps, unions and intervals are passed through, at any depth, and gathered out of encodings.
func TestArrayPassesThrough(t *testing.T) {
	mem := arrowtest.Allocator(t)
	variants := column(t, mem, "struct<a:int8,m:map<string,int8>>", []any{
		map[string]any{"a": 1, "m": list(map[string]any{"key": "x", "value": 1})}, map[string]any{"a": nil, "m": nil}, map[string]any{"a": -2, "m": list()},
	})
	defer variants.Release()
	wide := mustType(t, "struct<a:int64,m:map<string,int8>>")
	for _, v := range variants {
		for _, rec := range v.Batches {
			for _, to := range []arrow.DataType{wide, dictionary(arrow.PrimitiveTypes.Int16, wide), arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, wide), extension(wide)} {
				if rec.Column(0).DataType().ID() == arrow.STRUCT && arrow.TypeEqual(rec.Column(0).DataType().(*arrow.StructType).Field(1).Type, mustType(t, "map<string,int8>")) {
					checkCast(t, mem, v.Name, rec.Column(0), to)
				}
			}
		}
	}
}

// A type that differs in metadata and nullability alone is the array itself.
func TestArrayOfTheSameType(t *testing.T) {
	mem := arrowtest.Allocator(t)
	for _, text := range []string{"int8", "dict<int8,string>", "list<int8>", "map<string,int8>", "struct<a:int8>"} {
		variants := column(t, mem, text, nil)
		arr := variants[0].Batches[0].Column(0)
		to := mustType(t, text)
		if l, ok := to.(*arrow.ListType); ok {
			to = arrow.ListOfField(arrow.Field{Name: "another name", Type: l.Elem(), Metadata: arrow.NewMetadata([]string{"k"}, []string{"v"})})
		}
		out, unfit, err := Array(mem, arr, to)
		if out != arr || unfit != nil || err != nil {
			t.Errorf("%s: %v, %v, %v", text, out, unfit, err)
		}
		out.Release()
		variants.Release()
	}
}

// Values of a dictionary that no row has may be unfit; their NULLs are NULLs.
func TestArrayOfUnusedValues(t *testing.T) {
	mem := arrowtest.Allocator(t)
	values := ints8(t, mem, 1, -1, 0)
	defer values.Release()
	nullable := array.NewData(arrow.PrimitiveTypes.Int8, 3, append(buffers([]byte{0b011}), values.Data().Buffers()[1]), nil, 1, 0)
	defer nullable.Release()
	for _, rows := range [][]byte{{0, 2, 0}, {0, 2, 1, 0}, {0}} {
		d := array.NewDataWithDictionary(dictionary(arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Int8), len(rows), buffers(nil, rows), 0, 0, nullable)
		arr := array.MakeFromData(d)
		d.Release()
		for _, to := range []string{"uint8", "dict<int16,uint8>", "dict<uint8,int64>", "ree<uint16>", "dict<int64,int8>", "null"} {
			checkCast(t, mem, "unused", arr, mustType(t, to))
		}
		arr.Release()
	}
}

// A dictionary with more values than the index of another can number becomes it, as long as its rows have few.
func TestArrayOfALargeDictionary(t *testing.T) {
	mem := arrowtest.Allocator(t)
	var cells []any
	for i := range 300 {
		cells = append(cells, i)
	}
	values := plainColumn(t, mem, "int16", cells)
	d := array.NewDataWithDictionary(dictionary(arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Int16), 4, buffers([]byte{0b1011}, []byte{0, 0, 43, 1, 255, 255, 0, 0}), 1, 0, values.Data().(*array.Data))
	arr := array.MakeFromData(d)
	d.Release()
	defer arr.Release()
	for _, to := range []string{"dict<int8,int16>", "dict<int8,int64>", "dict<int16,int16>", "int64", "int8", "ree<uint8>"} {
		checkCast(t, mem, "large dictionary", arr, mustType(t, to))
	}
}

// Values are told apart by value when every hash is the same.
func TestArrayOfCollidingValues(t *testing.T) {
	form.ConstantHash(true)
	defer form.ConstantHash(false)
	mem := arrowtest.Allocator(t)
	var cells []any
	for i := range 400 {
		cells = append(cells, []any{"a", long, nil, "", "b"}[i%5])
	}
	arr := plainColumn(t, mem, "string", cells)
	to := mustType(t, "dict<int8,large_string>")
	checkCast(t, mem, "colliding", arr, to)
	out, _, err := Array(mem, arr, to)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Release()
	if n := out.Data().Dictionary().Len(); n != 4 {
		t.Errorf("%d values", n)
	}
}

// NULLs become NULLs of unions and list views.
func TestArrayOfNullsOfAnyType(t *testing.T) {
	mem := arrowtest.Allocator(t)
	fields := []arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int8, Nullable: true}, {Name: "b", Type: arrow.FixedSizeListOf(2, arrow.BinaryTypes.String), Nullable: true}}
	codes := []arrow.UnionTypeCode{7, 3}
	for _, n := range []int{0, 3} {
		nulls := array.NewNull(n)
		defer nulls.Release()
		for _, to := range []arrow.DataType{
			arrow.SparseUnionOf(fields, codes), arrow.DenseUnionOf(fields, codes), arrow.ListViewOf(arrow.PrimitiveTypes.Int8), arrow.LargeListViewOf(arrow.PrimitiveTypes.Int8),
			extension(arrow.Null), dictionary(arrow.PrimitiveTypes.Int8, arrow.Null), arrow.FixedWidthTypes.MonthDayNanoInterval,
		} {
			out, unfit, err := Array(mem, nulls, to)
			if err != nil || len(unfit) > 0 || out.Len() != n {
				t.Errorf("%v: %v, %v, %v", to, out, unfit, err)
				continue
			}
			a, err := form.Of(out)
			if err != nil {
				t.Fatal(err)
			}
			for i := range n {
				if !a.Null(i) {
					t.Errorf("%v: row %d is %s", to, i, form.Format(a, i))
				}
			}
			out.Release()
		}
	}
}

func ints8(t *testing.T, mem memory.Allocator, v ...any) arrow.Array {
	t.Helper()
	rows := make([][]any, len(v))
	for i, x := range v {
		rows[i] = []any{x}
	}
	schema, err := arrowtest.Schema([]string{"c:int8"})
	if err != nil {
		t.Fatal(err)
	}
	rec, err := arrowtest.Record(mem, schema, rows)
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Release()
	rec.Column(0).Retain()
	return rec.Column(0)
}

func int32s(v ...int32) []byte { return arrow.Int32Traits.CastToBytes(v) }

// buffers makes buffers of bytes; nil is none.
func buffers(bytes ...[]byte) []*memory.Buffer {
	out := make([]*memory.Buffer, len(bytes))
	for i, b := range bytes {
		if b != nil {
			out[i] = memory.NewBufferBytes(b)
		}
	}
	return out
}
