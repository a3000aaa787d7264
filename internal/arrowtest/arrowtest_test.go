package arrowtest_test

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/google/go-cmp/cmp"

	"github.com/onerow-go/onerow/internal/arrowtest"
)

func TestEveryTypeComesBack(t *testing.T) {
	for _, s := range samples {
		t.Run(s.column, func(t *testing.T) {
			mem := arrowtest.Allocator(t)
			rows := s.rows(t)
			recs := arrowtest.Table(t, mem, []string{s.column}, rows)
			var got []string
			for _, v := range arrowtest.Column(recs[0].Column(0)) {
				got = append(got, arrowtest.Format(v))
			}
			if diff := cmp.Diff(s.want, got); diff != "" {
				t.Fatal(diff)
			}
			vals, err := arrowtest.Values(recs[0].Schema(), rows)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(vals, arrowtest.Cells(recs[0])) {
				t.Errorf("Values gives %v, Cells %v", vals, arrowtest.Cells(recs[0]))
			}
			again, err := arrowtest.Record(mem, recs[0].Schema(), arrowtest.Bits(recs[0])) // values are cells
			if err != nil {
				t.Fatal(err)
			}
			defer again.Release()
			if !reflect.DeepEqual(arrowtest.Bits(recs[0]), arrowtest.Bits(again)) {
				t.Errorf("values as cells: %v became %v", arrowtest.Bits(recs[0]), arrowtest.Bits(again))
			}
		})
	}
}

// The reader and the builder could be wrong in one way: here arrow's builders build.
func TestReadsWhatArrowBuilds(t *testing.T) {
	mem := arrowtest.Allocator(t)
	tests := []struct {
		column string
		build  func(array.Builder)
		want   string
	}{
		{"c:bool", func(b array.Builder) {
			b.(*array.BooleanBuilder).AppendValues([]bool{true, false, true}, []bool{true, true, false})
		},
			"[true, false, NULL]"},
		{"c:int32", func(b array.Builder) { b.(*array.Int32Builder).Append(-7) }, "[-7]"},
		{"c:uint64", func(b array.Builder) { b.(*array.Uint64Builder).Append(math.MaxUint64) }, "[18446744073709551615]"},
		{"c:float32", func(b array.Builder) { b.(*array.Float32Builder).Append(0.1) }, "[0.10000000149011612f]"},
		{"c:decimal(6,2)", func(b array.Builder) {
			if err := b.AppendValueFromString("-12.34"); err != nil {
				t.Fatal(err)
			}
		}, "[-12.34m]"},
		{"c:decimal256(6,2)", func(b array.Builder) {
			if err := b.AppendValueFromString("-12.34"); err != nil {
				t.Fatal(err)
			}
		}, "[-12.34m]"},
		{"c:string", func(b array.Builder) { b.(*array.StringBuilder).AppendValues([]string{"a", "bc"}, nil) }, `["a", "bc"]`},
		{"c:string_view", func(b array.Builder) {
			b.(*array.StringViewBuilder).AppendValues([]string{"a", "longer than twelve bytes"}, nil)
		}, `["a", "longer than twelve bytes"]`},
		{"c:timestamp[us,UTC]", func(b array.Builder) { b.(*array.TimestampBuilder).Append(-1) }, "[1969-12-31T23:59:59.999999Z]"},
		{"c:date64", func(b array.Builder) { b.(*array.Date64Builder).Append(arrow.Date64FromTime(time.Unix(86400, 0))) }, "[1970-01-02]"},
		{"c:dict<int8,string>", func(b array.Builder) {
			d := b.(*array.BinaryDictionaryBuilder)
			for _, s := range []string{"x", "y", "x"} {
				if err := d.AppendString(s); err != nil {
					t.Fatal(err)
				}
			}
			d.AppendNull()
		}, `["x", "y", "x", NULL]`},
		{"c:ree<int64>", func(b array.Builder) {
			r := b.(*array.RunEndEncodedBuilder)
			r.Append(3)
			r.ValueBuilder().(*array.Int64Builder).Append(5)
			r.Append(1)
			r.ValueBuilder().AppendNull()
		}, "[5, 5, 5, NULL]"},
		{"c:list<int64>", func(b array.Builder) {
			l := b.(*array.ListBuilder)
			l.Append(true)
			l.ValueBuilder().(*array.Int64Builder).AppendValues([]int64{1, 2}, nil)
			l.AppendNull()
			l.Append(true)
		}, "[[1, 2], NULL, []]"},
		{"c:map<string,int8>", func(b array.Builder) {
			m := b.(*array.MapBuilder)
			m.Append(true)
			m.KeyBuilder().(*array.StringBuilder).Append("a")
			m.ItemBuilder().AppendNull()
			m.AppendNull()
		}, `[[{key: "a", value: NULL}], NULL]`},
		{"c:struct<a:int64>", func(b array.Builder) {
			s := b.(*array.StructBuilder)
			s.Append(true)
			s.FieldBuilder(0).AppendNull()
			s.AppendNull()
		}, "[{a: NULL}, NULL]"},
	}
	for _, test := range tests {
		f, err := arrowtest.Field(test.column)
		if err != nil {
			t.Fatal(err)
		}
		b := array.NewBuilder(mem, f.Type)
		test.build(b)
		arr := b.NewArray()
		if got := arrowtest.Format(arrowtest.List(arrowtest.Column(arr))); got != test.want {
			t.Errorf("%s: got %s, want %s", test.column, got, test.want)
		}
		arr.Release()
		b.Release()
	}
}

// And here arrow reads.
func TestBuildsWhatArrowReads(t *testing.T) {
	mem := arrowtest.Allocator(t)
	tests := []struct {
		column string
		cell   any
		want   string
	}{
		{"c:int8", -3, "-3"}, {"c:uint64", uint64(math.MaxUint64), "18446744073709551615"}, {"c:float64", 2.5, "2.5"},
		{"c:float16", 2.5, "2.5"}, {"c:string", "x", "x"}, {"c:large_string", "x", "x"}, {"c:string_view", "longer than twelve bytes", "longer than twelve bytes"},
		{"c:date32", "2026-01-31", "2026-01-31"}, {"c:date64", "2026-01-31", "2026-01-31"}, {"c:time64[us]", "01:02:03.000004", "01:02:03.000004"},
		{"c:timestamp[ms,UTC]", "2026-01-31T09:00:00.5Z", "2026-01-31 09:00:00.5Z"}, {"c:decimal(5,1)", "-12.5", "-12.5"}, {"c:decimal256(5,1)", "-12.5", "-12.5"},
		{"c:list<int8>", []any{1, nil}, "[1,null]"}, {"c:fsl<int8,2>", []any{1, nil}, "[1,null]"},
		{"c:struct<a:int8>", map[string]any{"a": 1}, `{"a":1}`}, {"c:dict<int8,string>", "x", "x"}, {"c:bool", true, "true"},
	}
	for _, test := range tests {
		rec := arrowtest.Table(t, mem, []string{test.column}, [][]any{{test.cell}})[0]
		if got := rec.Column(0).ValueStr(0); got != test.want {
			t.Errorf("%s: arrow reads %q, want %q", test.column, got, test.want)
		}
	}
}

func TestFloatBits(t *testing.T) {
	mem := arrowtest.Allocator(t)
	nan := arrowtest.FloatOf(math.Float64frombits(0xFFF0000000000001)) // negative, signaling, lowest payload
	rec := arrowtest.Table(t, mem, []string{"d:float64", "f:float32", "h:float16"},
		[][]any{{nan, arrowtest.Float(0xFFF0000020000000), arrowtest.Float(0x7FF0040000000000)},
			{map[string]any{"f": "NaN#3"}, map[string]any{"f": "NaN#3"}, map[string]any{"f": "NaN#3"}}})[0]
	var got []uint64
	for i := range 2 {
		got = append(got, math.Float64bits(rec.Column(0).(*array.Float64).Value(i)),
			uint64(math.Float32bits(rec.Column(1).(*array.Float32).Value(i))), uint64(rec.Column(2).(*array.Float16).Value(i).Uint16()))
	}
	want := []uint64{0xFFF0000000000001, 0xFF800001, 0x7C01, 0x7FF8000000000003, 0x7FC00003, 0x7E03}
	if !slices.Equal(got, want) {
		t.Errorf("got %x, want %x", got, want)
	}
	for _, row := range arrowtest.Cells(rec) {
		if arrowtest.FormatRow(row) != "(NaN, NaN, NaN)" || row[0] != row[1] {
			t.Errorf("NaNs differ: %v", row)
		}
	}
	if b := arrowtest.Bits(rec); arrowtest.Equal(b[0][0], b[1][0]) {
		t.Error("Bits lost the bits")
	}
}

func TestHalves(t *testing.T) {
	for bits := range uint16(0x7C01) {
		f := arrowtest.FloatOf(float64(halfOf(bits)))
		v, err := arrowtest.Value(arrow.FixedWidthTypes.Float16, f)
		if err != nil || v != f {
			t.Fatalf("half %x is %v, became %v (%v)", bits, f.Float64(), v, err)
		}
	}
	for in, want := range map[float64]float64{65519: 65504, 65520: math.Inf(1), 2049: 2048, 2051: 2052, 1.0 / (1 << 25): 0, 3.0 / (1 << 25): 1.0 / (1 << 23)} {
		if v, _ := arrowtest.Value(arrow.FixedWidthTypes.Float16, in); v != arrowtest.FloatOf(want) {
			t.Errorf("%v rounds to %v, want %v", in, arrowtest.Format(v), want)
		}
	}
}

func halfOf(bits uint16) float64 {
	exp, frac := int(bits>>10), float64(bits&0x3FF)/1024
	switch exp {
	case 0x1F:
		return math.Inf(1)
	case 0:
		return math.Ldexp(frac, -14)
	}
	return math.Ldexp(1+frac, exp-15)
}

func TestKey(t *testing.T) {
	zero, minus := arrowtest.FloatOf(0), arrowtest.FloatOf(math.Copysign(0, -1))
	if arrowtest.Equal(zero, minus) || !arrowtest.Equal(arrowtest.Key(zero), arrowtest.Key(minus)) {
		t.Error("-0 and 0 are two values and one key")
	}
	in := func(f arrowtest.Float) any {
		return arrowtest.List{arrowtest.Struct{{Name: "f", Value: f}}}
	}
	if arrowtest.Equal(in(zero), in(minus)) || !arrowtest.Equal(arrowtest.Key(in(zero)), arrowtest.Key(in(minus))) {
		t.Error("so they are inside of lists and structs")
	}
}

// Values of different kinds never print alike, whatever they hold.
func TestFormatTellsKindsApart(t *testing.T) {
	vals := []any{nil, true, int64(1), uint64(1 << 63), arrowtest.FloatOf(1), arrowtest.FloatOf(math.Inf(1)), arrowtest.FloatOf(math.NaN()), "1", "NULL", "x'31'",
		arrowtest.Bytes("1"), arrowtest.Decimal("1"), arrowtest.Date(0), arrowtest.Date(1), arrowtest.Timestamp{}, arrowtest.Timestamp{Zoned: true},
		arrowtest.TimeOfDay{}, arrowtest.TimeOfDay{Sec: -1}, arrowtest.Duration{}, arrowtest.Duration{Sec: -1, Nano: 5}, arrowtest.Duration{Nano: 5},
		arrowtest.Duration{Sec: -1}, arrowtest.List{}, arrowtest.List{nil}, arrowtest.List{"a", "b"}, arrowtest.List{`a", "b`}, arrowtest.Struct{},
		arrowtest.Struct{{Name: "a", Value: nil}}, arrowtest.Struct{{Name: "a: 1, b", Value: nil}}, arrowtest.Struct{{Name: "a", Value: int64(1)}, {Name: "b"}},
		"\xff", "\ufffd", `\xff`, arrowtest.Bytes(""), ""}
	seen := map[string]any{}
	for _, v := range vals {
		if other, ok := seen[arrowtest.Format(v)]; ok {
			t.Errorf("%#v and %#v print as %s", v, other, arrowtest.Format(v))
		}
		seen[arrowtest.Format(v)] = v
	}
}

func TestRefusedCells(t *testing.T) {
	obj := func(k, v string) any { return map[string]any{k: v} }
	tests := []struct {
		column string
		cell   any
	}{
		{"c:null", 1}, {"c:bool", 1}, {"c:int8", 128}, {"c:int8", "1"}, {"c:int8", 1.0}, {"c:uint8", -1}, {"c:uint64", -1}, {"c:int64", uint64(math.MaxUint64)},
		{"c:uint64", obj("i", "18446744073709551616")}, {"c:int64", obj("d", "1")}, {"c:int64", true}, {"c:int64!", nil},
		{"c:float64", "1"}, {"c:float64", obj("f", "nan")}, {"c:float64", obj("f", "NaN1")}, {"c:float64", obj("f", "1.5")}, {"c:float32", arrowtest.Decimal("1")},
		{"c:string", 1}, {"c:string", []byte("a")}, {"c:string", arrowtest.Bytes("a")}, {"c:binary", "a"}, {"c:binary", obj("x", "f")}, {"c:fsb(2)", obj("x", "ff")},
		{"c:decimal(3,1)", obj("d", "1.55")}, {"c:decimal(3,1)", obj("d", "100.0")}, {"c:decimal(3,1)", obj("d", "")}, {"c:decimal(3,1)", obj("d", ".5")},
		{"c:decimal(3,1)", obj("d", "1.")}, {"c:decimal(3,1)", obj("d", "1e1")}, {"c:decimal(3,1)", obj("d", "1.-5")}, {"c:decimal(3,1)", 1.5}, {"c:decimal(3,-2)", 150},
		{"c:date32", "2026-02-30"}, {"c:date32", "2026-01-31T00:00:00"}, {"c:date32", int64(1 << 31)}, {"c:date32", arrowtest.Date(1)},
		{"c:timestamp[s]", "2026-01-31T09:00:00.5"}, {"c:timestamp[s]", "2026-01-31T09:00:00Z"}, {"c:timestamp[s,UTC]", "2026-01-31T09:00:00"},
		{"c:timestamp[ns]", "9999-12-31T00:00:00"}, {"c:timestamp[ns]", "2026-01-31T09:00:00.0000000001"}, {"c:timestamp[s]", arrowtest.Timestamp{Zoned: true}},
		{"c:time32[ms]", "09:00:00.0001"}, {"c:time32[s]", int64(1 << 31)}, {"c:time64[us]", "24:00:00"}, {"c:duration[s]", "90s"}, {"c:duration[s]", time.Millisecond},
		{"c:list<int8>", 1}, {"c:list<int8>", []any{"a"}}, {"c:fsl<int8,2>", []any{1}}, {"c:struct<a:int8>", map[string]any{}}, {"c:struct<a:int8>", map[string]any{"b": 1}},
		{"c:struct<a:int8>", map[string]any{"a": 1, "b": 1}}, {"c:struct<a:int8>", []any{1}}, {"c:dict<int8,string>", 1}, {"c:ree<int8>", "a"},
	}
	for _, test := range tests {
		mem := arrowtest.Allocator(t)
		recs, err := arrowtest.Spec{Columns: []string{test.column}, Rows: [][]any{{test.cell}}}.Build(mem)
		if err == nil {
			t.Errorf("%s takes %#v as %s", test.column, test.cell, arrowtest.FormatRows(arrowtest.All(recs)))
			arrowtest.Release(recs)
		}
	}
}

func TestRefusedColumns(t *testing.T) {
	for _, c := range []string{"c", ":int8", "c:", "c:int", "c:int128", "c:list<int8", "c:list<>", "c:list<int8,int8>", "c:fsb(x)", "c:fsb(-1)", "c:fsb(65537)", "c:fsl<int8,65537>", "c:decimal(3,65537)", "c:decimal256(3,-65537)", "c:decimal(39,0)", "c:decimal256(77,0)",
		"c:decimal(1)", "c:time32[us]", "c:time64[s]", "c:timestamp[m]", "c:timestamp[us,]", "c:timestamp[]", "c:duration[us,UTC]", "c:dict<string,string>", "c:dict<int8>", "c:ree<int8,int8>",
		"c:fsl<int8>", "c:fsl<int8,x>", "c:struct<a>", "c:struct<a:int8,>", "c:list<int8>>", "c:list(int8)", "c:int8<>", "c:map<int8>"} {
		if f, err := arrowtest.Field(c); err == nil {
			t.Errorf("%q is a column: %v", c, f)
		}
	}
}

func TestSpecs(t *testing.T) {
	mem := arrowtest.Allocator(t)
	dict := map[string][][]any{"c": {{"a", nil}, {"b", "a", "b"}}}
	recs, err := arrowtest.Spec{Columns: []string{"c:dict<int8,string>"}, Batches: [][][]any{{{0}, {1}, {nil}}, {{2}, {0}}}, Dictionaries: dict}.Build(mem)
	if err != nil {
		t.Fatal(err)
	}
	defer arrowtest.Release(recs)
	if diff := arrowtest.DiffList([][]any{{"a"}, {nil}, {nil}, {"b"}, {"b"}}, arrowtest.All(recs)); diff != "" {
		t.Error(diff)
	}
	if d := recs[1].Column(0).(*array.Dictionary).Dictionary(); d.Len() != 3 {
		t.Errorf("the dictionary is %v", d)
	}
	if got := arrowtest.Rows(recs, []uint32{3, 0}); arrowtest.DiffList([][]any{{"b"}, {"a"}}, got) != "" {
		t.Errorf("rows 3 and 0 are %v", got)
	}
	for why, bad := range map[string]arrowtest.Spec{
		"index beyond":    {Columns: []string{"c:dict<int8,string>"}, Rows: [][]any{{2}}, Dictionaries: map[string][][]any{"c": {{"a"}}}},
		"no dictionary":   {Columns: []string{"c:dict<int8,string>"}, Rows: [][]any{{0}}, Dictionaries: map[string][][]any{"c": {}}},
		"no such column":  {Columns: []string{"c:dict<int8,string>"}, Rows: [][]any{{"a"}}, Dictionaries: map[string][][]any{"d": {{"a"}}}},
		"not a dict":      {Columns: []string{"c:string"}, Rows: [][]any{{"a"}}, Dictionaries: map[string][][]any{"c": {{"a"}}}},
		"rows, batches":   {Columns: []string{"c:string"}, Rows: [][]any{{"a"}}, Batches: [][][]any{{{"a"}}}},
		"too many cells":  {Columns: []string{"c:string"}, Rows: [][]any{{"a", "b"}}},
		"a second's cell": {Columns: []string{"c:string"}, Batches: [][][]any{{{"a"}}, {{1}}}},
	} {
		if recs, err := bad.Build(mem); err == nil {
			t.Errorf("%s: no error", why)
			arrowtest.Release(recs)
		}
	}
}

func TestDiffRows(t *testing.T) {
	row := func(cells ...any) []any { return cells }
	a, b := row(int64(1), "a"), row(nil, "b")
	if d := arrowtest.DiffRows([][]any{a, b, a}, [][]any{b, a, a}); d != "" {
		t.Error(d)
	}
	got := arrowtest.DiffRows([][]any{a, a, a}, [][]any{b, a})
	if want := "missing (1, \"a\") 2 times\nsurplus (NULL, \"b\")"; got != want {
		t.Errorf("got %s", got)
	}
	if arrowtest.DiffList([][]any{a}, [][]any{a, b}) == "" || arrowtest.DiffList([][]any{a, b}, [][]any{a}) == "" {
		t.Error("lists of other lengths are the same")
	}
	if d := arrowtest.DiffList([][]any{a, b}, [][]any{b, a}); !strings.Contains(d, "row 0") {
		t.Errorf("got %s", d)
	}
}

// Types that no column of a case has, but a payload may.
func TestReadsOtherTypes(t *testing.T) {
	mem := arrowtest.Allocator(t)
	fields := []arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int8, Nullable: true}, {Name: "s", Type: arrow.BinaryTypes.String, Nullable: true}}
	for _, dt := range []arrow.DataType{arrow.SparseUnionOf(fields, []arrow.UnionTypeCode{5, 7}), arrow.DenseUnionOf(fields, []arrow.UnionTypeCode{5, 7})} {
		b := array.NewBuilder(mem, dt).(array.UnionBuilder)
		add := func(code arrow.UnionTypeCode, child int, value func(array.Builder)) {
			switch b := b.(type) {
			case *array.SparseUnionBuilder:
				b.Append(code)
				b.Child(1 - child).AppendEmptyValue()
			case *array.DenseUnionBuilder:
				b.Append(code)
			}
			value(b.Child(child))
		}
		add(5, 0, func(b array.Builder) { b.(*array.Int8Builder).Append(4) })
		add(7, 1, func(b array.Builder) { b.(*array.StringBuilder).Append("x") })
		add(7, 1, func(b array.Builder) { b.AppendNull() })
		arr := b.NewArray()
		part := array.NewSlice(arr, 1, 3)
		if got := arrowtest.Format(arrowtest.List(arrowtest.Column(part))); got != `[{s: "x"}, {s: NULL}]` {
			t.Errorf("%v: %s", dt, got)
		}
		part.Release()
		arr.Release()
		b.Release()
	}
	b := array.NewMonthDayNanoIntervalBuilder(mem)
	defer b.Release()
	b.AppendNull()
	b.Append(arrow.MonthDayNanoInterval{Months: 1, Days: 2, Nanoseconds: 3})
	arr := b.NewArray()
	defer arr.Release()
	if got := arrowtest.Format(arrowtest.List(arrowtest.Column(arr))); got != "[NULL, x'01000000020000000300000000000000']" {
		t.Error(got)
	}
}
