package arrow18_test

import (
	"fmt"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/endian"
	arrow15 "github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow/adapters/arrow18"
	"github.com/onerow-go/onerow/internal/arrowtest"
)

// everything is one batch of all types, a column each.
func everything(t testing.TB, mem *checked) arrow.RecordBatch {
	t.Helper()
	var fields []arrow.Field
	var columns []arrow.Array
	for i, c := range everyType() {
		arr := c.build(t, mem)
		defer arr.Release()
		columns = append(columns, arr)
		fields = append(fields, arrow.Field{Name: c.name, Type: c.dt, Nullable: i%2 == 0, Metadata: about("number", fmt.Sprint(i))})
	}
	md := about("table", "all", "table", "twice")
	return array.NewRecordBatch(arrow.NewSchema(fields, &md), columns, 5)
}

func TestBatches(t *testing.T) {
	mem := checked18(t)
	whole := everything(t, mem)
	in := []arrow.RecordBatch{whole, whole.NewSlice(1, 4), whole.NewSlice(2, 2)}
	there, err := arrow18.FromBatches(in)
	if err != nil {
		t.Fatal(err)
	}
	for i, rec := range there {
		if rec.Schema() != there[0].Schema() {
			t.Errorf("batch %d has a schema of its own", i)
		}
		if rec.NumRows() != in[i].NumRows() {
			t.Errorf("batch %d has %d rows, want %d", i, rec.NumRows(), in[i].NumRows())
		}
		for c := range int(rec.NumCols()) {
			if want, got := tree18(in[i].Column(c).Data()), tree15(rec.Column(c).Data()); got != want {
				t.Errorf("batch %d, column %s: got %s, want %s", i, rec.ColumnName(c), got, want)
			}
		}
	}
	for i := range whole.Schema().NumFields() {
		if want, got := field18(whole.Schema().Field(i)), field15(there[0].Schema().Field(i)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if want, got := fmt.Sprint(whole.Schema().Metadata()), fmt.Sprint(there[0].Schema().Metadata()); got != want {
		t.Errorf("metadata %s, want %s", got, want)
	}
	for _, b := range in {
		b.Release()
	}
	back, err := arrow18.MoveAll(there, nil)
	if err != nil {
		t.Fatal(err)
	}
	again := everything(t, mem)
	defer again.Release()
	if !back[0].Schema().Equal(again.Schema()) || !back[0].Schema().Metadata().Equal(again.Schema().Metadata()) {
		t.Errorf("schema %v, want %v", back[0].Schema(), again.Schema())
	}
	for c := range int(again.NumCols()) {
		if want, got := cells(again.Column(c)), cells(back[0].Column(c)); got != want {
			t.Errorf("column %s: got %s, want %s", again.ColumnName(c), got, want)
		}
	}
	for _, b := range back {
		b.Release()
	}
}

// A byte order that isn't this machine's is told as it is.
func TestByteOrder(t *testing.T) {
	for _, order := range []endian.Endianness{endian.LittleEndian, endian.BigEndian} {
		schema, err := arrow18.FromSchema(arrow.NewSchemaWithEndian(nil, nil, order))
		if err != nil {
			t.Fatal(err)
		}
		back, err := arrow18.ToSchema(schema)
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(schema.Endianness()) != fmt.Sprint(order) || back.Endianness() != order {
			t.Errorf("got %v and %v, want %v", schema.Endianness(), back.Endianness(), order)
		}
	}
}

// No columns, columns of one name, no batches.
func TestOddTables(t *testing.T) {
	rows := array.NewRecordBatch(arrow.NewSchema(nil, nil), nil, 7)
	defer rows.Release()
	rec, err := arrow18.FromBatch(rows)
	if err != nil || rec.NumRows() != 7 || rec.NumCols() != 0 {
		t.Errorf("got %v, %v", rec, err)
	}
	back, err := arrow18.Move(rec, nil)
	if err != nil || back.NumRows() != 7 {
		t.Errorf("got %v, %v", back, err)
	}
	same := arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int64}
	schema, err := arrow18.FromSchema(arrow.NewSchema([]arrow.Field{same, same}, nil))
	if err != nil || len(schema.FieldIndices("x")) != 2 {
		t.Errorf("got %v, %v", schema, err)
	}
	full := arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String)
	full.ValueNullable = false // which no array can tell
	schema, err = arrow18.FromSchema(arrow.NewSchema([]arrow.Field{{Name: "x", Type: full}}, nil))
	if err != nil || type15(schema.Field(0).Type) != type18(full) {
		t.Errorf("got %v, %v", schema, err)
	}
	none, err := arrow18.FromBatches(nil)
	if err != nil || len(none) != 0 {
		t.Errorf("got %v, %v", none, err)
	}
	none.Release()
}

// Every form in which the main module's own tests put a table (slices among garbage, missing buffers, dictionaries, runs, views, cuts)
// goes to v18 and back as it was.
func TestVariants(t *testing.T) {
	mem := checked15(t)
	table := arrowtest.Table(t, mem, []string{"i:int64", "s:string", "b:bool", "d:decimal(12,3)", "t:timestamp[us,UTC]",
		"l:list<int32>", "r:struct<a:int8,b:string>", "m:map<string,int64>", "w:dict<int8,string>", "f:float64", "v:string_view"},
		[][]any{
			{1, "a", true, "1.500", "2026-01-31T09:00:00Z", []any{1, nil}, map[string]any{"a": 1, "b": "x"}, []any{map[string]any{"key": "k", "value": 1}}, "w", 1.5, "a text that is not inline"},
			{nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil},
			{3, "", false, "-0.001", "1969-12-31T23:59:59Z", []any{}, map[string]any{"a": nil, "b": ""}, []any{}, "w", map[string]any{"f": "NaN"}, ""},
			{4, "é", true, "0", "2000-02-29T00:00:00Z", []any{4}, nil, nil, "z", map[string]any{"f": "-0"}, "short"},
		})
	want := arrowtest.All(table)
	variants := arrowtest.Variants(mem, table)
	defer variants.Release()
	for _, v := range variants {
		t.Run(v.Name, func(t *testing.T) {
			there, err := arrow18.ToBatches(v.Batches)
			if err != nil {
				t.Fatal(err)
			}
			back, err := arrow18.FromBatches(there)
			if err != nil {
				t.Fatal(err)
			}
			defer back.Release()
			for i, b := range there {
				for c := range int(b.NumCols()) {
					if want, got := tree15(v.Batches[i].Column(c).Data()), tree18(b.Column(c).Data()); got != want {
						t.Errorf("batch %d, column %s: got %s, want %s", i, b.ColumnName(c), got, want)
					}
				}
				b.Release()
			}
			if diff := arrowtest.DiffList(want, arrowtest.All(back)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Batches that share a dictionary share it on the other side, and so do the columns and lists of one batch.
func TestSharedDictionary(t *testing.T) {
	mem := checked18(t)
	words := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	arr := column{"words", words, repeated}.build(t, mem)
	defer arr.Release()
	other := column{"words", words, repeated}.build(t, mem)
	defer other.Release()
	schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: words}, {Name: "y", Type: words}}, nil)
	var in []arrow.RecordBatch
	for _, pair := range [][2]arrow.Array{{arr, arr}, {arr, other}, {arr, other}} {
		in = append(in, array.NewRecordBatch(schema, pair[:], 5))
		defer in[len(in)-1].Release()
	}
	there, err := arrow18.FromBatches(in)
	if err != nil {
		t.Fatal(err)
	}
	defer there.Release()
	back, err := arrow18.ToBatches(there)
	if err != nil {
		t.Fatal(err)
	}
	one, two := there[0].Column(0).Data().Dictionary(), there[1].Column(1).Data().Dictionary()
	if one == two {
		t.Error("two dictionaries became one")
	}
	for i, want := range [][2]arrow15.ArrayData{{one, one}, {one, two}, {one, two}} {
		for c := range want {
			if got := there[i].Column(c).Data().Dictionary(); got != want[c] {
				t.Errorf("batch %d, column %d: has a dictionary of its own", i, c)
			}
			if got, want := back[i].Column(c).Data().Dictionary(), back[min(i, c)].Column(c).Data().Dictionary(); got != want {
				t.Errorf("back: batch %d, column %d: has a dictionary of its own", i, c)
			}
		}
	}
	for _, b := range back {
		b.Release()
	}
}

// One dictionary whose values are called by two types is two.
func TestDictionaryOfTwoTypes(t *testing.T) {
	mem := checked18(t)
	element := func(name string) arrow.DataType {
		return &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.LargeListOfField(arrow.Field{Name: name, Type: arrow.PrimitiveTypes.Int8, Nullable: true})}
	}
	values := column{"lists", arrow.LargeListOf(arrow.PrimitiveTypes.Int8), lists}.build(t, mem)
	defer values.Release()
	indices := column{"indices", arrow.PrimitiveTypes.Int8, `[0, 1, 2, 3, 4]`}.build(t, mem)
	defer indices.Release()
	var fields []arrow.Field
	var columns []arrow.Array
	for _, name := range []string{"a", "b"} {
		dt := element(name)
		d := array.NewDataWithDictionary(dt, 5, indices.Data().Buffers(), 0, 0, values.Data().(*array.Data))
		columns = append(columns, fake{array.NewDictionaryArray(&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: values.DataType()}, indices, values), d})
		defer d.Release()
		defer columns[len(columns)-1].(fake).Array.Release()
		fields = append(fields, arrow.Field{Name: name, Type: dt})
	}
	rec, err := arrow18.FromBatch(fakeBatch{schema: arrow.NewSchema(fields, nil), columns: columns, rows: 5})
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Release()
	for c := range 2 {
		want := rec.Schema().Field(c).Type.(*arrow15.DictionaryType).ValueType
		if got := rec.Column(c).Data().Dictionary().DataType(); !arrow15.TypeEqual(got, want) {
			t.Errorf("column %d: values of type %v, want %v", c, got, want)
		}
	}
}

// A buffer that someone resizes has bytes of its own: the other side doesn't see it.
func TestResize(t *testing.T) {
	mem := checked18(t)
	arr := column{"x", arrow.PrimitiveTypes.Int64, numbers}.build(t, mem)
	defer arr.Release()
	for _, sizes := range [][]int{{1000}, {1000, 0}, {0}, {0, 1000}, {8}} {
		there, err := arrow18.FromArray(arr)
		if err != nil {
			t.Fatal(err)
		}
		b := there.Data().Buffers()[1]
		for _, size := range append(sizes, 1000) {
			b.Resize(size)
		}
		b.Bytes()[0] = 42
		back, err := arrow18.ToArray(there)
		if err != nil {
			t.Fatal(err)
		}
		there.Release()
		if got, was := back.(*array.Int64).Value(0), arr.(*array.Int64).Value(0); got != 42 || was != 1 {
			t.Errorf("resized to %v: got %d of %d", sizes, got, was)
		}
		back.Release()
	}
}
