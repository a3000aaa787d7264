package arrowtest_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/onerow-go/onerow/internal/arrowtest"
)

func TestVariantsHoldTheSameRows(t *testing.T) {
	for _, s := range samples {
		t.Run(s.column, func(t *testing.T) {
			mem := arrowtest.Allocator(t)
			rows := s.rows(t)
			n := min(2, len(rows))
			recs := arrowtest.Batches(t, mem, []string{s.column}, rows[:n], rows[n:])
			want := append(arrowtest.Bits(recs[0]), arrowtest.Bits(recs[1])...)
			variants := arrowtest.Variants(mem, recs)
			defer variants.Release()
			if len(variants) < 10 {
				t.Errorf("%d variants", len(variants))
			}
			for _, v := range variants {
				var got [][]any
				for _, b := range v.Batches {
					if !b.Schema().Equal(v.Batches[0].Schema()) {
						t.Errorf("%s: the batches differ in schema", v.Name)
					}
					got = append(got, arrowtest.Bits(b)...)
				}
				if d := arrowtest.DiffList(want, got); d != "" {
					t.Errorf("%s: %s", v.Name, d)
				}
			}
			for seed := range uint64(4) {
				v := arrowtest.Shuffled(mem, recs, seed)
				if d := arrowtest.DiffRows(arrowtest.All(recs), arrowtest.All(v.Batches)); d != "" {
					t.Errorf("%s: %s", v.Name, d)
				}
				v.Release()
			}
		})
	}
}

func TestVariantsOfManyColumns(t *testing.T) {
	mem := arrowtest.Allocator(t)
	columns := []string{"k:int64", "s:string", "b:binary!", "f:float64", "l:list<string>", "st:struct<a:int8,b:string>", "n:null", "o:bool"}
	var rows [][]any
	for i := range 70 {
		row := []any{i % 7, "text of some length"[:i%19], []byte{byte(i)}, float64(i), []any{"x", nil}, map[string]any{"a": i, "b": nil}, nil, i%3 == 0}
		if i%5 == 0 {
			row[0], row[1], row[4], row[5] = nil, nil, nil, nil
		}
		rows = append(rows, row)
	}
	recs := arrowtest.Table(t, mem, columns, rows)
	variants := arrowtest.Variants(mem, recs)
	defer variants.Release()
	for _, v := range variants {
		if d := arrowtest.DiffList(arrowtest.All(recs), arrowtest.All(v.Batches)); d != "" {
			t.Errorf("%s: %s", v.Name, d)
		}
	}
	if i := slices.IndexFunc(variants, func(v arrowtest.Variant) bool { return v.Name == "dict int8" }); i < 0 {
		t.Errorf("70 values fit an int8 index")
	}
}

// find returns the one variant of a name.
func find(t *testing.T, variants arrowtest.VariantList, name string) []arrow.Record {
	t.Helper()
	for _, v := range variants {
		if v.Name == name {
			return v.Batches
		}
	}
	t.Fatalf("no variant is called %q", name)
	return nil
}

func TestVariantsAreWhatTheySay(t *testing.T) {
	mem := arrowtest.Allocator(t)
	recs := arrowtest.Table(t, mem, []string{"k:string", "v:string"}, [][]any{{"a", "x"}, {nil, "x"}, {"b", "y"}, {nil, nil}, {"a", "z"}})
	variants := arrowtest.Variants(mem, recs, "k")
	defer variants.Release()

	if got := lengths(find(t, variants, "cut 2")); !slices.Equal(got, []int{2, 2, 1}) {
		t.Errorf("cut 2 has batches of %v", got)
	}
	if got := lengths(find(t, variants, "one batch, empty between")); !slices.Equal(got, []int{0, 5, 0, 0}) {
		t.Errorf("with empty ones: %v", got)
	}
	for _, b := range find(t, variants, "cut 2, sliced at 13, empty between") {
		if d := b.Column(0).Data(); d.Len() > 0 && (d.Offset() != 13 || len(d.Buffers()[1].Bytes()) <= 4*(13+d.Len()+1)) {
			t.Errorf("offset %d", d.Offset())
		}
	}
	for _, v := range variants {
		if !arrow.TypeEqual(v.Batches[0].Column(1).DataType(), arrow.BinaryTypes.String) {
			t.Errorf("%s: column v was not to be re-encoded", v.Name)
		}
	}

	var dicts []string
	var nullValues, repeats, nullRows bool
	for _, b := range find(t, variants, "dict uint16, cut 2, sliced at 13, empty between") {
		d := b.Column(0).(*array.Dictionary)
		dict := arrowtest.Column(d.Dictionary())
		dicts = append(dicts, arrowtest.Format(arrowtest.List(dict)))
		nullValues = nullValues || slices.Contains(dict, nil)
		for i := range d.Len() {
			nullRows = nullRows || d.IsValid(i) && dict[d.GetValueIndex(i)] == nil
			repeats = repeats || d.IsValid(i) && slices.Index(dict, dict[d.GetValueIndex(i)]) != d.GetValueIndex(i)
		}
	}
	if !nullValues || !nullRows || !repeats || len(slices.Compact(dicts)) < 2 {
		t.Errorf("NULL among the values %v, for rows %v; values repeated %v; dictionaries %v", nullValues, nullRows, repeats, dicts)
	}
	ree := find(t, variants, "run-end int16, cut 3, sliced at 3")[0].Column(0).(*array.RunEndEncoded)
	if ree.Data().Offset() != 3 || ree.Values().Data().Offset() == 0 || ree.RunEndsArr().DataType().ID() != arrow.INT16 {
		t.Errorf("run-ends: %v", ree.Data())
	}
}

func TestBareVariantsHaveNoBuffers(t *testing.T) {
	mem := arrowtest.Allocator(t)
	recs := arrowtest.Table(t, mem, []string{"i:int64", "s:string"}, [][]any{{nil, nil}, {1, "a"}})
	variants := arrowtest.Variants(mem, recs)
	defer variants.Release()
	null := 0
	for _, b := range find(t, variants, "cut 1, bare") {
		if b.NumRows() == 0 || b.Column(0).IsValid(0) {
			continue
		}
		null++
		if b.Column(0).Data().Buffers()[1] != nil || b.Column(1).Data().Buffers()[1] == nil || b.Column(1).Data().Buffers()[2] != nil {
			t.Errorf("the row of NULL has the buffers %v, %v", b.Column(0).Data().Buffers(), b.Column(1).Data().Buffers())
		}
	}
	if null != 1 {
		t.Errorf("%d rows of NULL", null)
	}
}

func lengths(recs []arrow.Record) []int {
	var out []int
	for _, r := range recs {
		out = append(out, int(r.NumRows()))
	}
	return out
}

// Garbage lies under NULL slots: whoever looks there without asking for validity must see it.
func TestGarbageUnderNulls(t *testing.T) {
	mem := arrowtest.Allocator(t)
	recs := arrowtest.Table(t, mem, []string{"i:int64", "s:string", "d:dict<int8,string>", "l:list<int8>", "st:struct<a:int8>"},
		[][]any{{nil, nil, nil, nil, nil}, {1, "a", "a", []any{1}, map[string]any{"a": 1}}, {nil, nil, nil, nil, nil}})
	variants := arrowtest.Variants(mem, recs)
	defer variants.Release()
	b := find(t, variants, "as given, sliced at 3")[0]
	if v := b.Column(0).(*array.Int64).Value(0); v == 0 {
		t.Error("the integer is zero")
	}
	if v := b.Column(1).(*array.String).Value(0); v == "" {
		t.Error("the text is empty")
	}
	d := b.Column(2).(*array.Dictionary)
	if at := d.GetValueIndex(0); at >= 0 && at < d.Dictionary().Len() {
		t.Errorf("the index %d is in range", at)
	}
	if start, end := b.Column(3).(*array.List).ValueOffsets(0); start == end {
		t.Error("the list is empty")
	}
	if f := b.Column(4).(*array.Struct).Field(0); f.IsNull(0) {
		t.Error("the field is NULL")
	}
}

func TestGivenVariantsKeepDictionaries(t *testing.T) {
	mem := arrowtest.Allocator(t)
	recs, err := arrowtest.Spec{Columns: []string{"c:dict<int8,string>"}, Rows: [][]any{{1}, {0}, {2}},
		Dictionaries: map[string][][]any{"c": {{"a", "a", nil, "unused"}}}}.Build(mem)
	if err != nil {
		t.Fatal(err)
	}
	defer arrowtest.Release(recs)
	variants := arrowtest.Variants(mem, recs)
	defer variants.Release()
	for _, v := range variants {
		if !strings.HasPrefix(v.Name, "as given") {
			continue
		}
		for _, b := range v.Batches {
			d := b.Column(0).(*array.Dictionary)
			if got := arrowtest.Format(arrowtest.List(arrowtest.Column(d.Dictionary()))); d.Len() > 0 && got != `["a", "a", NULL, "unused"]` {
				t.Errorf("%s: the dictionary became %s", v.Name, got)
			}
		}
	}
}

func TestVariantsOfNothing(t *testing.T) {
	mem := arrowtest.Allocator(t)
	recs := arrowtest.Table(t, mem, []string{"k:int64", "l:list<int8>", "d:dict<int8,string>"}, nil)
	variants := arrowtest.Variants(mem, recs)
	defer variants.Release()
	for _, v := range variants {
		if len(v.Batches) == 0 || len(arrowtest.All(v.Batches)) != 0 {
			t.Errorf("%s: %d batches, %d rows", v.Name, len(v.Batches), len(arrowtest.All(v.Batches)))
		}
	}
	if arrowtest.Variants(mem, nil) != nil || arrowtest.Shuffled(mem, nil, 1).Batches != nil {
		t.Error("variants of no batch")
	}
}

// Wide tables of many different values leave out the index types that can't hold them, and nothing else.
func TestVariantsOfManyValues(t *testing.T) {
	mem := arrowtest.Allocator(t)
	var rows [][]any
	for i := range 300 {
		rows = append(rows, []any{i})
	}
	recs := arrowtest.Table(t, mem, []string{"k:int64"}, rows)
	variants := arrowtest.Variants(mem, recs)
	defer variants.Release()
	for _, v := range variants {
		if v.Name == "dict int8" {
			t.Error("300 values in an int8 dictionary")
		}
		if d := arrowtest.DiffList(arrowtest.All(recs), arrowtest.All(v.Batches)); d != "" {
			t.Errorf("%s: %s", v.Name, d)
		}
	}
	find(t, variants, "dict int8, cut 3, sliced at 3")
	find(t, variants, "dict uint16")
}

func TestEncodings(t *testing.T) {
	mem := arrowtest.Allocator(t)
	recs := arrowtest.Table(t, mem, []string{"c:string", "d:dict<int8,binary>", "e:list<string>"}, [][]any{{"a", []byte("b"), []any{"x"}}})
	variants := arrowtest.Variants(mem, recs)
	defer variants.Release()
	for name, want := range map[string][]string{
		"as given":       {"string", "dict<int8,binary>", "list<string>"},
		"plain":          {"string", "binary", "list<string>"},
		"dict int8":      {"dict<int8,string>", "dict<int8,binary>", "dict<int8,list<string>>"},
		"dict uint16":    {"dict<uint16,string>", "dict<uint16,binary>", "dict<uint16,list<string>>"},
		"large":          {"large_string", "large_binary", "large_list<large_string>"},
		"view":           {"string_view", "binary_view", "list<string_view>"},
		"dict inside":    {"string", "dict<int8,binary>", "list<dict<uint8,string>>"},
		"run-end inside": {"string", "dict<int8,binary>", "list<ree<string>>"},
		"run-end int16":  {"ree<string>", "ree<binary>", "ree<list<string>>"},
		"dict of view":   {"dict<uint32,string_view>", "dict<uint32,binary_view>", "dict<uint32,list<string_view>>"},
	} {
		schema := find(t, variants, name)[0].Schema()
		for i, text := range want {
			dt, err := arrowtest.Type(text)
			if err != nil {
				t.Fatal(err)
			}
			got := schema.Field(i).Type
			if r, ok := got.(*arrow.RunEndEncodedType); ok && r.RunEnds().ID() == arrow.INT16 {
				got = arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, r.Encoded())
			}
			if !arrow.TypeEqual(got, dt) {
				t.Errorf("%s: column %d is %v, want %v", name, i, got, dt)
			}
		}
	}
}

func TestShuffledMovesRows(t *testing.T) {
	mem := arrowtest.Allocator(t)
	var rows [][]any
	for i := range 20 {
		rows = append(rows, []any{i})
	}
	recs := arrowtest.Table(t, mem, []string{"c:int64"}, rows)
	seen := map[string]bool{arrowtest.FormatRows(arrowtest.All(recs)): true}
	for seed := range uint64(5) {
		v, again := arrowtest.Shuffled(mem, recs, seed), arrowtest.Shuffled(mem, recs, seed)
		text := arrowtest.FormatRows(arrowtest.All(v.Batches))
		if seen[text] {
			t.Errorf("seed %d: this order was there before", seed)
		}
		seen[text] = true
		if text != arrowtest.FormatRows(arrowtest.All(again.Batches)) {
			t.Errorf("seed %d: another order the second time", seed)
		}
		v.Release()
		again.Release()
	}
}
