package dedupe_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/dedupe"
	"github.com/onerow-go/onerow/internal/arrowtest"
)

// tagType is an extension type over dictionary-encoded text.
type tagType struct{ arrow.ExtensionBase }

type tagArray struct{ array.ExtensionArrayBase }

func newTagType() *tagType {
	storage := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	return &tagType{arrow.ExtensionBase{Storage: storage}}
}

func (*tagType) ArrayType() reflect.Type { return reflect.TypeFor[tagArray]() }
func (*tagType) ExtensionName() string   { return "tag" }
func (*tagType) ExtensionEquals(other arrow.ExtensionType) bool {
	return other.ExtensionName() == "tag"
}
func (*tagType) Serialize() string { return "" }
func (*tagType) Deserialize(arrow.DataType, string) (arrow.ExtensionType, error) {
	return newTagType(), nil
}

func required(name string, dt arrow.DataType) arrow.Field { return arrow.Field{Name: name, Type: dt} }
func nullable(name string, dt arrow.DataType) arrow.Field {
	return arrow.Field{Name: name, Type: dt, Nullable: true}
}

// everyType has each type of Arrow, and nested ones with fields that may not be NULL.
func everyType(t *testing.T) []arrow.DataType {
	var all []arrow.DataType
	for _, name := range []string{
		"null", "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
		"string", "large_string", "string_view", "binary", "large_binary", "binary_view", "fsb(0)", "fsb(5)",
		"date32", "date64", "time32[s]", "time64[ns]", "timestamp[us]", "timestamp[us,UTC]", "duration[ms]",
		"decimal(10,2)", "decimal256(50,3)", "dict<int8,string>", "dict<uint32,fsb(3)>", "dict<int16,list<int8>>",
		"ree<string>", "ree<dict<int8,string>>", "list<string>", "large_list<ree<int8>>", "fsl<int16,3>", "fsl<fsl<bool,2>,5>",
		"struct<a:int8,b:list<string>>", "struct<a:dict<int8,string>,b:ree<int8>,c:fsl<int8,2>>",
	} {
		dt, err := arrowtest.Type(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, dt)
	}
	i8, text := arrow.PrimitiveTypes.Int8, arrow.BinaryTypes.String
	dict := &arrow.DictionaryType{IndexType: i8, ValueType: text}
	members := []arrow.Field{required("n", i8), nullable("t", text)}
	codes := []arrow.UnionTypeCode{5, 9}
	return append(all,
		arrow.FixedWidthTypes.MonthInterval, arrow.FixedWidthTypes.DayTimeInterval, arrow.FixedWidthTypes.MonthDayNanoInterval,
		arrow.MapOf(text, i8), arrow.ListViewOf(text), arrow.LargeListViewOf(i8), newTagType(),
		arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int16, i8), arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int64, text),
		arrow.SparseUnionOf(members, codes), arrow.DenseUnionOf(members, codes),
		arrow.StructOf(required("n", i8), required("b", arrow.FixedWidthTypes.Boolean), required("t", text), required("d", dict), required("x", newTagType()),
			required("r", arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, dict)), required("s", arrow.StructOf(required("n", i8))),
			required("f", arrow.FixedSizeListOfNonNullable(2, dict)), required("m", arrow.MapOf(text, i8)), required("v", arrow.BinaryTypes.StringView),
			required("su", arrow.SparseUnionOf(members, codes)), required("du", arrow.DenseUnionOf(members, codes))),
		arrow.FixedSizeListOfNonNullable(3, i8),
	)
}

// A missing column is NULL in each row, whatever its type, and what is in it can be read.
func TestUnionMissingTypes(t *testing.T) {
	for _, dt := range everyType(t) {
		t.Run(dt.String(), func(t *testing.T) {
			mem := arrowtest.Allocator(t)
			with := emptyRecord(t, required("x", dt))
			without := arrowtest.Batches(t, mem, []string{"k:int32!"}, nil, [][]any{{1}, {2}, {3}}, [][]any{{4}, {5}, {6}, {7}, {8}, {9}, {10}, {11}, {12}, {13}})
			got, err := dedupe.Union(mem, []dedupe.Source{{Batches: []arrow.Record{with}}, {Batches: without}}, dedupe.UnionOptions{Missing: dedupe.NullMissing})
			if err != nil {
				t.Fatal(err)
			}
			defer arrowtest.Release(got)
			for _, rec := range got[1:] {
				x := rec.Column(0)
				if !rec.Schema().Field(0).Nullable || !arrow.TypeEqual(x.DataType(), dt) || x.Len() != int(rec.NumRows()) {
					t.Fatalf("%v: a column of type %v and %d rows", rec.Schema(), x.DataType(), x.Len())
				}
				for i := range x.Len() {
					if !nullAt(x, i) {
						t.Errorf("row %d of %d isn't NULL", i, x.Len())
					}
				}
				checkReadable(t, x)
			}

			// The rest of the library reads them too.
			rec, err := onerow.Take(context.Background(), got, onerow.Rows{12, 0, 1, 2, 1, 7}, onerow.Resources{Allocator: mem})
			if err != nil {
				t.Fatal(err)
			}
			defer rec.Release()
			for i := range int(rec.NumRows()) {
				if !nullAt(rec.Column(0), i) {
					t.Errorf("row %d isn't NULL after Take", i)
				}
			}
		})
	}
}

// Ties by content compare the NULLs of every type: a row that has a value wins over the same row with NULL.
func TestUnionMissingByContent(t *testing.T) {
	for _, name := range []string{"int8", "string", "string_view", "decimal(10,2)", "dict<int8,string>", "ree<string>", "list<int8>", "fsl<int8,2>", "struct<a:int8,b:dict<int8,string>>"} {
		t.Run(name, func(t *testing.T) {
			mem := arrowtest.Allocator(t)
			cell := map[string]any{"int8": 1, "decimal(10,2)": "1.50", "list<int8>": []any{1}, "fsl<int8,2>": []any{1, 2}, "struct<a:int8,b:dict<int8,string>>": map[string]any{"a": 1, "b": "x"}}[name]
			if cell == nil {
				cell = "x"
			}
			with := arrowtest.Table(t, mem, []string{"k:int32", "x:" + name}, [][]any{{1, cell}})
			without := arrowtest.Table(t, mem, []string{"k:int32"}, [][]any{{1}, {2}, {2}})
			batches, err := dedupe.Union(mem, []dedupe.Source{{Batches: without}, {Batches: with}}, dedupe.UnionOptions{Missing: dedupe.NullMissing})
			if err != nil {
				t.Fatal(err)
			}
			defer arrowtest.Release(batches)
			plan, err := dedupe.Latest(context.Background(), batches, []string{"k"}, nil, dedupe.Options{Ties: dedupe.TiesByContent})
			if err != nil {
				t.Fatal(err)
			}
			want := dedupe.Report{In: 4, Kept: 2, Superseded: 1, Duplicates: 1, TiedKeys: 1}
			if plan.Report != want || fmt.Sprint(plan.Rows) != "[1 3]" {
				t.Errorf("rows %v, report\n%v, want rows [1 3] and\n%v", plan.Rows, plan.Report, want)
			}
		})
	}
}

// dirty is an allocator whose memory isn't zeroed, which is what the interface allows.
type dirty struct{ memory.Allocator }

func (d dirty) Allocate(n int) []byte {
	b := d.Allocator.Allocate(n)
	for i := range b {
		b[i] = 0xff
	}
	return b
}

func (d dirty) Reallocate(n int, b []byte) []byte {
	old := len(b)
	b = d.Allocator.Reallocate(n, b)
	for i := old; i < n; i++ {
		b[i] = 0xff
	}
	return b
}

func TestUnionDirtyAllocator(t *testing.T) {
	mem := dirty{arrowtest.Allocator(t)}
	a := arrowtest.Table(t, mem, []string{"k:int32"}, [][]any{{1}})
	b := arrowtest.Table(t, mem, []string{"s:string"}, [][]any{{"x"}})
	wantUnion(t, mem, []dedupe.Source{{Batches: a}, {Batches: b}}, dedupe.UnionOptions{Missing: dedupe.NullMissing, RankColumn: "r"},
		[]string{"k:int32", "s:string", "r:int64!"}, [][]any{{1, nil, 0}}, [][]any{{nil, "x", 1}})
}

// nullAt finds logical NULLs.
func nullAt(a arrow.Array, i int) bool {
	switch a := a.(type) {
	case *array.Null:
		return true
	case *array.RunEndEncoded:
		return nullAt(a.Values(), a.GetPhysicalIndex(i))
	case *array.SparseUnion:
		return nullAt(a.Field(a.ChildID(i)), i)
	case *array.DenseUnion:
		return nullAt(a.Field(a.ChildID(i)), int(a.ValueOffset(i)))
	}
	return a.IsNull(i)
}

// checkReadable reads every value below an array, and checks that nothing required is NULL.
func checkReadable(t *testing.T, a arrow.Array) {
	t.Helper()
	_ = fmt.Sprint(a)
	var children []arrow.Array
	switch a := a.(type) {
	case *array.Struct:
		for i := range a.NumField() {
			children = append(children, a.Field(i))
		}
	case array.Union:
		for i := range a.NumFields() {
			children = append(children, a.Field(i))
		}
	case array.ListLike:
		children = []arrow.Array{a.ListValues()}
	case *array.RunEndEncoded:
		// The values of a run-end array have no field of their own.
		checkReadable(t, a.Values())
		return
	case *array.Dictionary:
		for i := range a.Len() {
			if a.IsValid(i) && a.GetValueIndex(i) >= a.Dictionary().Len() {
				t.Errorf("row %d points to value %d of %d", i, a.GetValueIndex(i), a.Dictionary().Len())
			}
		}
		checkReadable(t, a.Dictionary())
		return
	case array.ExtensionArray:
		checkReadable(t, a.Storage())
		return
	}
	nested, ok := a.DataType().(arrow.NestedType)
	if !ok {
		for i := range a.Len() {
			_ = a.ValueStr(i)
		}
		return
	}
	for i, child := range children {
		f := nested.Fields()[i]
		if _, union := f.Type.(arrow.UnionType); !f.Nullable && !union && child.NullN() > 0 {
			t.Errorf("the field %s of %v may not be NULL, and is in %d rows", f.Name, a.DataType(), child.NullN())
		}
		checkReadable(t, child)
	}
}

func emptyRecord(t *testing.T, fields ...arrow.Field) arrow.Record {
	rec := array.NewRecord(arrow.NewSchema(fields, nil), emptyColumns(fields), 0)
	t.Cleanup(rec.Release)
	return rec
}

// emptyColumns makes arrays without rows by hand: builders of Arrow v15 don't know all types.
func emptyColumns(fields []arrow.Field) []arrow.Array {
	var out []arrow.Array
	for _, f := range fields {
		data := emptyData(f.Type)
		out = append(out, array.MakeFromData(data))
	}
	return out
}

func emptyData(dt arrow.DataType) *array.Data {
	if ext, ok := dt.(arrow.ExtensionType); ok {
		storage := emptyData(ext.StorageType())
		data := array.NewData(dt, 0, storage.Buffers(), storage.Children(), 0, 0)
		data.SetDictionary(storage.Dictionary())
		return data
	}
	var children []arrow.ArrayData
	if nested, ok := dt.(arrow.NestedType); ok {
		for _, f := range nested.Fields() {
			children = append(children, emptyData(f.Type))
		}
	}
	data := array.NewData(dt, 0, make([]*memory.Buffer, 3), children, 0, 0)
	if dict, ok := dt.(*arrow.DictionaryType); ok {
		data.SetDictionary(emptyData(dict.ValueType))
	}
	return data
}

// A run-end column holds no more rows than its ends can count, and a union of required members no NULL.
func TestUnionMissingErrors(t *testing.T) {
	mem := arrowtest.Allocator(t)
	rows := make([][]any, 1<<15)
	for i := range rows {
		rows[i] = []any{i}
	}
	without := dedupe.Source{Name: "without", Batches: arrowtest.Batches(t, mem, []string{"k:int32!"}, rows[1:], rows)}
	runs := arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int8)
	members := []arrow.Field{required("n", arrow.PrimitiveTypes.Int8)}
	tests := []struct {
		dt   arrow.DataType
		is   error
		want string
	}{
		{runs, onerow.ErrTooLarge, fmt.Sprintf(`union: source "without": column "x" of type %v: output too large: 32768 elements, of at most 32767; take fewer rows at a time, or use a large type`, runs)},
		{&arrow.FixedSizeBinaryType{ByteWidth: 1 << 20}, onerow.ErrTooLarge, `union: source "without": column "x" of type fixed_size_binary[1048576]: output too large: 34358689792 bytes, of at most 2147483647; take fewer rows at a time, or use a large type`},
		{arrow.StructOf(nullable("l", arrow.FixedSizeListOf(1<<20, arrow.Null))), onerow.ErrTooLarge, `union: source "without": column "x" of type struct<l: fixed_size_list<item: null, nullable>[1048576]>: output too large: 34358689792 elements, of at most 2147483647; take fewer rows at a time, or use a large type`},
		{arrow.SparseUnionOf(members, []arrow.UnionTypeCode{0}), onerow.ErrType, `union: source "without": column "x" of type sparse_union<n: type=int8=0>: no member of the union may be NULL`},
	}
	for _, test := range tests {
		t.Run(test.dt.String(), func(t *testing.T) {
			with := dedupe.Source{Batches: []arrow.Record{emptyRecord(t, required("x", test.dt))}}
			got, err := dedupe.Union(mem, []dedupe.Source{with, without}, dedupe.UnionOptions{Missing: dedupe.NullMissing})
			if got != nil || !errors.Is(err, test.is) || err.Error() != test.want {
				t.Errorf("got %v and error\n%v, want\n%s", got, err, test.want)
			}
		})
	}
}
