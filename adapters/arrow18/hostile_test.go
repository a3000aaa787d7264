package arrow18_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	arrow15 "github.com/apache/arrow/go/v15/arrow"
	array15 "github.com/apache/arrow/go/v15/arrow/array"
	memory15 "github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/adapters/arrow18"
	"github.com/onerow-go/onerow/dedupe"
	"github.com/onerow-go/onerow/grain"
	"github.com/onerow-go/onerow/join"
	"github.com/onerow-go/onerow/scd2"
)

// fake is an array of data that no constructor has looked at.
type fake struct {
	arrow.Array
	data arrow.ArrayData
}

func (f fake) Data() arrow.ArrayData { return f.data }

// liar is an array whose type is that of its data.
type liar struct{ fake }

func (l liar) DataType() arrow.DataType { return l.data.DataType() }

// Data of which any part contradicts the rest is an error or goes over as it is. Nothing is kept, whatever comes of it.
func TestBrokenData(t *testing.T) {
	rounds := 300
	if testing.Short() {
		rounds = 50
	}
	types := everyType()
	refused, passed := 0, 0
	for _, c := range types {
		t.Run(c.name, func(t *testing.T) {
			mem := checked18(t)
			arr := c.build(t, mem)
			defer arr.Release()
			for seed := range rounds {
				r := rand.New(rand.NewPCG(uint64(seed), 1))
				data := broken(r, arr.Data(), types)
				var from arrow.Array = fake{arr, data}
				if seed%2 == 0 {
					from = liar{fake{arr, data}}
				}
				there, err := arrow18.FromArray(from)
				switch {
				case err == nil:
					passed++
					there.Release()
				case errors.Is(err, onerow.ErrMalformed):
					refused++
				default:
					t.Errorf("seed %d: %v", seed, err)
				}
				data.Release()
			}
		})
	}
	if refused < rounds || passed < rounds {
		t.Errorf("%d refused, %d passed: too few of one", refused, passed)
	}
}

// broken copies data, and breaks some of it.
func broken(r *rand.Rand, d arrow.ArrayData, types []column) *array.Data {
	dt, n, at, nulls := d.DataType(), d.Len(), d.Offset(), d.NullN()
	buffers := append([]*memory.Buffer(nil), d.Buffers()...)
	var kids []arrow.ArrayData
	for _, kid := range d.Children() {
		k := broken(r, kid, types)
		defer k.Release()
		kids = append(kids, k)
	}
	dict, _ := d.Dictionary().(*array.Data)
	if r.IntN(1+2*len(kids)) == 0 {
		switch r.IntN(11) {
		case 0:
			n = []int{-1, 6, 100, math.MaxInt, math.MinInt}[r.IntN(5)]
		case 1:
			at = []int{-1, 1, 100, math.MaxInt, math.MinInt}[r.IntN(5)]
		case 2:
			nulls = []int{-1, -7, 1, 100}[r.IntN(4)]
		case 3:
			dt = types[r.IntN(len(types))].dt
		case 4:
			if len(buffers) > 0 {
				buffers = buffers[:r.IntN(len(buffers))]
			}
		case 5:
			buffers = append(buffers, nil)
		case 6:
			if len(buffers) > 0 {
				buffers[r.IntN(len(buffers))] = nil
			}
		case 7:
			for i, b := range buffers {
				if b != nil && r.IntN(2) == 0 {
					buffers[i] = memory.SliceBuffer(b, 0, r.IntN(b.Len()+1))
					defer buffers[i].Release()
				}
			}
		case 8:
			if len(kids) > 0 {
				kids = kids[:r.IntN(len(kids))]
			} else {
				kids = append(kids, d)
			}
		case 9:
			if len(kids) > 0 {
				kids[r.IntN(len(kids))] = nil
			}
		case 10:
			dict = nil
		}
	}
	out := array.NewData(dt, n, buffers, kids, nulls, at)
	if dict != nil {
		out.SetDictionary(dict)
	}
	return out
}

// What is looked for is found, with the name of the column.
func TestMalformed(t *testing.T) {
	int64s := memory.NewBufferBytes(make([]byte, 40))
	offsets := memory.NewBufferBytes([]byte{0, 0, 0, 0, 9, 0, 0, 0})
	text := memory.NewBufferBytes([]byte("abc"))
	number := array.NewData(arrow.PrimitiveTypes.Int64, 5, []*memory.Buffer{nil, int64s}, nil, 0, 0)
	words := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int64, ValueType: arrow.BinaryTypes.String}
	pair := arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int64}, arrow.Field{Name: "y", Type: arrow.PrimitiveTypes.Int64})
	entry := arrow.StructOf(arrow.Field{Name: "key", Type: arrow.PrimitiveTypes.Int64}, arrow.Field{Name: "value", Type: arrow.PrimitiveTypes.Int64, Nullable: true})
	union := arrow.SparseUnionOf([]arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Int64}}, []arrow.UnionTypeCode{0})
	tests := []struct {
		name string
		data *array.Data
		want string
	}{
		{"too long", array.NewData(arrow.PrimitiveTypes.Int64, 6, []*memory.Buffer{nil, int64s}, nil, 0, 0), "6 values at offset 0, in a buffer of 5"},
		{"beyond", array.NewData(arrow.PrimitiveTypes.Int64, 1, []*memory.Buffer{nil, int64s}, nil, 0, 5), "1 values at offset 5"},
		{"wraps", array.NewData(arrow.PrimitiveTypes.Int64, math.MaxInt, []*memory.Buffer{nil, int64s}, nil, 0, 2), "length"},
		{"no buffers", array.NewData(arrow.PrimitiveTypes.Int64, 1, nil, nil, 0, 0), "0 buffers, of 2"},
		{"too few offsets", array.NewData(arrow.BinaryTypes.String, 2, []*memory.Buffer{nil, offsets, text}, nil, 0, 0), "too few offsets"},
		{"an offset beyond", array.NewData(arrow.BinaryTypes.String, 1, []*memory.Buffer{nil, offsets, text}, nil, 0, 0), "offset 9 in 3 bytes"},
		{"no dictionary", array.NewData(words, 5, []*memory.Buffer{nil, int64s}, nil, 0, 0), "no dictionary"},
		{"a short field", array.NewData(pair, 5, []*memory.Buffer{nil}, []arrow.ArrayData{number, number}, 0, 1), "field 0 has 5"},
		{"a field too few", array.NewData(pair, 5, []*memory.Buffer{nil}, []arrow.ArrayData{number}, 0, 0), "1 children, of 2"},
		{"a field of another type", array.NewData(arrow.StructOf(arrow.Field{Name: "s", Type: arrow.BinaryTypes.String}), 5, []*memory.Buffer{nil},
			[]arrow.ArrayData{number}, 0, 0), `column "x.s" of type utf8`},
		{"a union with NULLs", array.NewData(union, 1, []*memory.Buffer{text, text}, []arrow.ArrayData{number}, 0, 0), "validity bitmap"},
		{"a union without codes", array.NewData(union, 1, []*memory.Buffer{nil, nil}, []arrow.ArrayData{number}, 0, 0), "no buffer 1"},
		{"a map of NULLs", array.NewData(arrow.MapOf(arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Int64), 1, []*memory.Buffer{nil, offsets},
			[]arrow.ArrayData{array.NewData(entry, 5, []*memory.Buffer{nil}, []arrow.ArrayData{number, number}, 1, 0)}, 0, 0), "NULL among the entries"},
		{"run ends of NULLs", array.NewData(arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Int64), 1, []*memory.Buffer{nil},
			[]arrow.ArrayData{array.NewData(arrow.PrimitiveTypes.Int64, 5, []*memory.Buffer{nil, int64s}, nil, 1, 0), number}, 0, 0), "NULL among the run ends"},
	}
	whole := array.MakeFromData(number)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: test.data.DataType()}}, nil)
			for name, batch := range map[string]arrow.RecordBatch{
				"column": fakeBatch{schema: schema, columns: []arrow.Array{fake{whole, test.data}}, rows: int64(test.data.Len())},
			} {
				_, err := arrow18.FromBatch(batch)
				if !errors.Is(err, onerow.ErrMalformed) || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), `"x`) {
					t.Errorf("%s: got %v, want one with %q", name, err, test.want)
				}
			}
		})
	}
}

// fakeBatch is a batch that nobody has looked at.
type fakeBatch struct {
	arrow.RecordBatch
	schema  *arrow.Schema
	columns []arrow.Array
	rows    int64
}

func (f fakeBatch) Schema() *arrow.Schema  { return f.schema }
func (f fakeBatch) Columns() []arrow.Array { return f.columns }
func (f fakeBatch) NumRows() int64         { return f.rows }

func TestBrokenBatches(t *testing.T) {
	b := array.NewInt64Builder(checked18(t))
	b.AppendValues([]int64{1, 2}, nil)
	arr := b.NewArray()
	defer b.Release()
	defer arr.Release()
	hours := array.NewData(arrow.FixedWidthTypes.Time64ns, 2, arr.Data().Buffers(), nil, 0, 0)
	hour := array.MakeFromData(hours)
	hours.Release()
	defer hour.Release()
	gone := array.NewSlice(arr, 0, 1)
	gone.Release()
	ints := arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Int64}}, nil)
	released := array.NewRecordBatch(ints, []arrow.Array{arr}, 2)
	released.Release()
	for name, batch := range map[string]arrow.RecordBatch{
		"none":                nil,
		"no schema":           fakeBatch{},
		"no columns":          fakeBatch{schema: ints, rows: 2},
		"a nil column":        fakeBatch{schema: ints, columns: []arrow.Array{nil}, rows: 2},
		"a second nil column": fakeBatch{schema: arrow.NewSchema([]arrow.Field{ints.Field(0), ints.Field(0)}, nil), columns: []arrow.Array{arr, nil}, rows: 2},
		"too short":           fakeBatch{schema: ints, columns: []arrow.Array{arr}, rows: 3},
		"negative":            fakeBatch{schema: ints, columns: []arrow.Array{arr}, rows: -1},
		"another type":        fakeBatch{schema: arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.BinaryTypes.String}}, nil), columns: []arrow.Array{arr}, rows: 2},
		"another time":        fakeBatch{schema: arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.FixedWidthTypes.Time64ns}}, nil), columns: []arrow.Array{arr}, rows: 2},
		"another unit":        fakeBatch{schema: arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.FixedWidthTypes.Time64us}}, nil), columns: []arrow.Array{hour}, rows: 2},
		"a released column":   fakeBatch{schema: ints, columns: []arrow.Array{gone}, rows: 1},
		"released":            released,
		"a nil type":          fakeBatch{schema: arrow.NewSchema([]arrow.Field{{Name: "x", Type: (*arrow.TimestampType)(nil)}}, nil), columns: []arrow.Array{arr}, rows: 2},
		"a list of nothing":   fakeBatch{schema: arrow.NewSchema([]arrow.Field{{Name: "x", Type: &arrow.FixedSizeListType{}}}, nil), columns: []arrow.Array{arr}, rows: 2},
	} {
		t.Run(name, func(t *testing.T) {
			good := array.NewRecordBatch(ints, []arrow.Array{arr}, 2)
			defer good.Release()
			if _, err := arrow18.FromBatch(batch); !errors.Is(err, onerow.ErrMalformed) {
				t.Errorf("got %v, want ErrMalformed", err)
			}
			_, err := arrow18.FromBatches([]arrow.RecordBatch{good, batch})
			if !errors.Is(err, onerow.ErrMalformed) || !strings.Contains(err.Error(), "batch 1: ") {
				t.Errorf("got %v, want ErrMalformed in batch 1", err)
			}
		})
	}
	if _, err := arrow18.FromArray(nil); !errors.Is(err, onerow.ErrMalformed) {
		t.Errorf("no array: got %v", err)
	}
	if _, err := arrow18.FromSchema(nil); !errors.Is(err, onerow.ErrMalformed) {
		t.Errorf("no schema: got %v", err)
	}
}

// The other direction refuses what it is given too.
func TestBrokenRecords(t *testing.T) {
	mem := checked15(t)
	b := array15.NewInt64Builder(mem)
	defer b.Release()
	b.AppendValues([]int64{1, 2}, nil)
	arr := b.NewArray()
	defer arr.Release()
	rec := array15.NewRecord(arrow15.NewSchema([]arrow15.Field{{Name: "x", Type: arrow15.PrimitiveTypes.Int64}}, nil), []arrow15.Array{arr}, 2)
	rec.Retain()
	rec.Release()
	for range 2 { // the second time it is gone
		_, err := arrow18.ToBatches([]arrow15.Record{rec, nil})
		if !errors.Is(err, onerow.ErrMalformed) {
			t.Errorf("got %v, want ErrMalformed", err)
		}
		if rec.NumCols() > 0 {
			rec.Release()
		}
	}
	if _, err := arrow18.ToBatch(fakeRecord{schema: arrow15.NewSchema([]arrow15.Field{{Name: "x", Type: arr.DataType()}}, nil), columns: []arrow15.Array{arr}, rows: 3}); !errors.Is(err, onerow.ErrMalformed) {
		t.Errorf("got %v, want ErrMalformed", err)
	}
	short := array15.NewData(arrow15.PrimitiveTypes.Int64, 3, []*memory15.Buffer{nil, arr.Data().Buffers()[1]}, nil, 0, 30)
	defer short.Release()
	if _, err := arrow18.ToArray(fake15{arr, short}); !errors.Is(err, onerow.ErrMalformed) {
		t.Errorf("got %v, want ErrMalformed", err)
	}
	arr.Retain()
	if _, err := arrow18.MoveArrays([]arrow15.Array{arr, nil}, nil); !errors.Is(err, onerow.ErrMalformed) || !strings.Contains(err.Error(), "array 1: ") {
		t.Errorf("got %v, want ErrMalformed", err)
	}
	for _, err := range []error{second(arrow18.Move(nil, nil)), second(arrow18.MoveAll([]arrow15.Record{nil}, nil)), second(arrow18.ToArray(nil)),
		second(arrow18.ToSchema(nil)), second(arrow18.ToBatch(nil))} {
		if !errors.Is(err, onerow.ErrMalformed) {
			t.Errorf("got %v, want ErrMalformed", err)
		}
	}
	sorry := errors.New("sorry")
	for _, err := range []error{second(arrow18.Move(nil, sorry)), second(arrow18.MoveAll(nil, sorry)), second(arrow18.MoveArrays(nil, sorry))} {
		if err != sorry {
			t.Errorf("got %v, want the error as it is", err)
		}
	}
}

// fakeRecord is a record that nobody has looked at.
type fakeRecord struct {
	arrow15.Record
	schema  *arrow15.Schema
	columns []arrow15.Array
	rows    int64
}

func (f fakeRecord) Schema() *arrow15.Schema  { return f.schema }
func (f fakeRecord) Columns() []arrow15.Array { return f.columns }
func (f fakeRecord) NumRows() int64           { return f.rows }

type fake15 struct {
	arrow15.Array
	data arrow15.ArrayData
}

func (f fake15) Data() arrow15.ArrayData { return f.data }

func second[T any](_ T, err error) error { return err }

// Values that are wrong go over, and the verbs find them.
func TestMalformedValues(t *testing.T) {
	offsets := memory.NewBufferBytes([]byte{0, 0, 0, 0, 200, 0, 0, 0, 3, 0, 0, 0})
	d := array.NewData(arrow.BinaryTypes.String, 2, []*memory.Buffer{nil, offsets, memory.NewBufferBytes([]byte("abc"))}, nil, 0, 0)
	arr := array.MakeFromData(d)
	batch := []arrow.RecordBatch{array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.BinaryTypes.String}}, nil), []arrow.Array{arr}, 2)}
	if _, err := arrow18.Check(t.Context(), batch, []string{"x"}, grain.Options{}); !errors.Is(err, onerow.ErrMalformed) {
		t.Errorf("got %v, want ErrMalformed", err)
	}
}

// Each verb says which of its inputs v15 can't have.
func TestTypesThatV15Lacks(t *testing.T) {
	for _, dt := range []arrow.DataType{&arrow.Decimal32Type{Precision: 9, Scale: 2}, &arrow.Decimal64Type{Precision: 18, Scale: 2},
		arrow.ListOf(&arrow.Decimal32Type{Precision: 9}), arrow.MapOf(arrow.BinaryTypes.String, &arrow.Decimal64Type{Precision: 9}),
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: &arrow.Decimal64Type{Precision: 9}},
		arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, &arrow.Decimal32Type{Precision: 9})} {
		mem := checked18(t)
		schema := arrow.NewSchema([]arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int64}, {Name: "x", Type: dt, Nullable: true}}, nil)
		b := array.NewRecordBuilder(mem, schema)
		defer b.Release()
		bad := []arrow.RecordBatch{b.NewRecordBatch()}
		defer bad[0].Release()
		good := []arrow.RecordBatch{bad[0].NewSlice(0, 0)}
		good[0].Release()
		good[0] = array.NewRecordBatch(arrow.NewSchema(schema.Fields()[:1], nil), bad[0].Columns()[:1], 0)
		defer good[0].Release()
		reader, err := array.NewRecordReader(schema, bad)
		if err != nil {
			t.Fatal(err)
		}
		defer reader.Release()

		_, _, latest := arrow18.Latest(t.Context(), bad, []string{"id"}, nil, dedupe.Options{})
		_, _, history := arrow18.Apply(t.Context(), bad, scd2.Table{}, good, scd2.Options{})
		_, _, changes := arrow18.Apply(t.Context(), good, scd2.Table{}, bad, scd2.Options{})
		for input, err := range map[string]error{
			"batches: ":  latest,
			"history: ":  history,
			"changes: ":  changes,
			"batches: b": second(arrow18.Check(t.Context(), bad, []string{"id"}, grain.Options{})),
			"left: ":     second(arrow18.Estimate(t.Context(), bad, good, join.On("id"), join.Options{})),
			"right: ":    second(arrow18.Estimate(t.Context(), good, bad, join.On("id"), join.Options{})),
			"column":     second(arrow18.FromSchema(schema)),
			`column "x`:  second(arrow18.FromReader(reader)),
			"batch 0":    second(arrow18.ReadAll(t.Context(), reader)),
			`column "":`: second(arrow18.FromArray(bad[0].Column(1))),
		} {
			var wrong *arrow18.TypeError
			if input == `column "":` {
				input = `column ""`
				if !strings.HasPrefix(dt.String(), "decimal") && dt.ID() != arrow.DICTIONARY && dt.ID() != arrow.RUN_END_ENCODED {
					input = `column ".`
				}
			}
			if !errors.As(err, &wrong) || !errors.Is(err, onerow.ErrType) || !strings.HasPrefix(err.Error(), input) {
				t.Errorf("%v: got %v, want a TypeError that begins with %q", dt, err, input)
			} else if !strings.Contains(wrong.Type.String(), "decimal") {
				t.Errorf("%v: of type %v", dt, wrong.Type)
			}
		}
	}
}

// Types that contradict themselves, which no constructor looks at.
func TestMalformedTypes(t *testing.T) {
	for want, dt := range map[string]arrow.DataType{
		"no integer":      &arrow.DictionaryType{IndexType: arrow.BinaryTypes.String, ValueType: arrow.BinaryTypes.String},
		"without a type":  &arrow.DictionaryType{ValueType: arrow.BinaryTypes.String},
		"int16, int32 or": arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Uint8, arrow.BinaryTypes.String),
		"nil pointer":     &arrow.MapType{},
	} {
		_, err := arrow18.FromSchema(arrow.NewSchema([]arrow.Field{{Name: "x", Type: dt}}, nil))
		if !errors.Is(err, onerow.ErrMalformed) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want one with %q", err, want)
		}
	}
	lacks := &unit18{ExtensionBase: arrow.ExtensionBase{Storage: &arrow.Decimal32Type{Precision: 5}}, name: "x"}
	for _, dt := range []arrow.DataType{lacks, arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, lacks)} {
		if _, err := arrow18.FromSchema(arrow.NewSchema([]arrow.Field{{Name: "x", Type: dt}}, nil)); !errors.Is(err, onerow.ErrType) {
			t.Errorf("got %v, want ErrType", err)
		}
	}
	schema := arrow15.NewSchema([]arrow15.Field{{Name: "x", Type: arrow15.RunEndEncodedOf(arrow15.PrimitiveTypes.Uint8, arrow15.Null)}}, nil)
	reader, err := array15.NewRecordReader(schema, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Release()
	if _, err := arrow18.ToReader(reader); !errors.Is(err, onerow.ErrMalformed) {
		t.Errorf("got %v, want ErrMalformed", err)
	}
}

// A union of other codes than the schema's isn't read as that.
func TestOtherCodes(t *testing.T) {
	fields := []arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int64, Nullable: true}}
	arr := column{"union", arrow.SparseUnionOf(fields, []arrow.UnionTypeCode{5}), `[[5, 1], [5, null], [5, 2], [5, 3], [5, 4]]`}.build(t, checked18(t))
	defer arr.Release()
	for _, codes := range [][]arrow.UnionTypeCode{{6}, {5, 6}, {}} {
		dt := arrow.SparseUnionOf(append(fields, fields...)[:len(codes)], codes)
		_, err := arrow18.FromBatch(fakeBatch{schema: arrow.NewSchema([]arrow.Field{{Name: "x", Type: dt}}, nil), columns: []arrow.Array{arr}, rows: 5})
		if !errors.Is(err, onerow.ErrMalformed) {
			t.Errorf("codes %v: got %v, want ErrMalformed", codes, err)
		}
	}
}

// A dictionary array without rows may have no dictionary.
func TestNoDictionary(t *testing.T) {
	dt := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	d := array.NewData(dt, 0, []*memory.Buffer{nil, nil}, nil, 0, 0)
	arr := array.MakeFromData(d)
	there, err := arrow18.FromArray(arr)
	if err != nil || there.Len() != 0 {
		t.Fatalf("got %v, %v", there, err)
	}
	there.Release()
	arr.Release()
	d.Release()
}

func TestApplyTable(t *testing.T) {
	_, _, err := arrow18.Apply(t.Context(), nil, scd2.Table{Batches: []arrow15.Record{}}, nil, scd2.Options{})
	if !errors.Is(err, onerow.ErrOption) {
		t.Errorf("got %v, want ErrOption", err)
	}
}
