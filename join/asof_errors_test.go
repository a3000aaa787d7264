package join_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/join"
)

// TestRangeErrors: what is wrong with a call comes back, with names, and with all that is wrong.
func TestRangeErrors(t *testing.T) {
	mem := arrowtest.Allocator(t)
	facts := arrowtest.Table(t, mem, []string{"k:int64", "t:timestamp[us]", "zoned:timestamp[us,UTC]", "name:string", "m:map<string,int8>", "day:date32"}, nil)
	versions := arrowtest.Table(t, mem, []string{"k:int64", "f:timestamp[us]", "u:timestamp[us]", "l:list<int8>", "name:string", "n:int64", "f2:date32", "none:null"}, nil)
	type change func(f *join.Facts, v *join.Versions, o *join.RangeOptions)
	for _, test := range []struct {
		name     string
		change   change
		want     error
		mentions []string
	}{
		{"no key", func(f *join.Facts, v *join.Versions, _ *join.RangeOptions) { f.Key = nil }, onerow.ErrNoKey, nil},
		{"no such key", func(f *join.Facts, _ *join.Versions, _ *join.RangeOptions) { f.Key = []string{"x"} }, onerow.ErrNoColumn, []string{`"x"`, "facts", "versions"}},
		{"no such key of versions", func(_ *join.Facts, v *join.Versions, _ *join.RangeOptions) { v.Key = []string{"x"} }, onerow.ErrNoColumn, []string{`"x"`, "versions"}},
		{"keys of two lengths", func(_ *join.Facts, v *join.Versions, _ *join.RangeOptions) { v.Key = []string{"k", "name"} }, onerow.ErrOption,
			[]string{"the key of facts has 1 columns, that of versions 2"}},
		{"no key of versions", func(_ *join.Facts, v *join.Versions, _ *join.RangeOptions) { v.Key = []string{} }, onerow.ErrOption, nil},
		{"a pair twice", func(f *join.Facts, v *join.Versions, _ *join.RangeOptions) {
			f.Key, v.Key = []string{"k", "k"}, []string{"n", "n"}
		}, onerow.ErrOption, []string{`columns "k" and "n" twice`}},
		{"two pairs of two families", func(f *join.Facts, v *join.Versions, _ *join.RangeOptions) {
			f.Key, v.Key = []string{"k", "name"}, []string{"name", "n"}
		}, onerow.ErrType, []string{`"k"`, "int64", "facts", `"name"`, "utf8", "versions", `"n"`}},
		{"keys of two families", func(f *join.Facts, v *join.Versions, _ *join.RangeOptions) {
			f.Key, v.Key = []string{"k"}, []string{"name"}
		}, onerow.ErrType, []string{`"k"`, "int64", "facts", `"name"`, "utf8", "versions"}},
		{"no key type", func(f *join.Facts, _ *join.Versions, _ *join.RangeOptions) { f.Key = []string{"m"} }, onerow.ErrType, []string{"map"}},
		{"no such time", func(f *join.Facts, v *join.Versions, _ *join.RangeOptions) {
			f.At, v.ValidFrom, v.ValidTo = "a", "b", "c"
		}, onerow.ErrNoColumn,
			[]string{`"a"`, `"b"`, `"c"`, "facts", "versions"}},
		{"no time named", func(f *join.Facts, v *join.Versions, _ *join.RangeOptions) { f.At = "" }, onerow.ErrNoColumn, []string{`""`, "facts"}},
		{"a zoned time", func(f *join.Facts, _ *join.Versions, _ *join.RangeOptions) { f.At = "zoned" }, onerow.ErrType,
			[]string{`"zoned"`, `"f"`, `"u"`, "facts", "versions", "without a zone"}},
		{"a date", func(f *join.Facts, v *join.Versions, _ *join.RangeOptions) { f.At, v.ValidTo = "t", "f2" }, onerow.ErrType, []string{`"f2"`, `"f"`, `"t"`}},
		{"no order", func(_ *join.Facts, v *join.Versions, _ *join.RangeOptions) { v.ValidFrom = "l" }, onerow.ErrType, []string{`"l"`, "has no order"}},
		{"one column as both ends", func(_ *join.Facts, v *join.Versions, _ *join.RangeOptions) { v.ValidTo = "f" }, onerow.ErrOption, []string{"both", `"f"`}},
		{"a sentinel of another type", func(_ *join.Facts, v *join.Versions, _ *join.RangeOptions) { v.OpenEnd = 7.5 }, onerow.ErrType, []string{"OpenEnd", `"u"`}},
		{"a sentinel without ends", func(_ *join.Facts, v *join.Versions, _ *join.RangeOptions) {
			v.OpenEnd, v.ValidTo = "9999-12-31T00:00:00", ""
		},
			onerow.ErrOption, []string{"OpenEnd"}},
		{"closed without ends", func(_ *join.Facts, v *join.Versions, _ *join.RangeOptions) { v.Bounds, v.ValidTo = join.Closed, "" }, onerow.ErrOption, []string{"Closed"}},
		{"no such options", func(_ *join.Facts, v *join.Versions, o *join.RangeOptions) { o.Nulls, v.Bounds = 7, 8 }, onerow.ErrOption,
			[]string{"Nulls has no value 7", "Bounds has no value 8"}},
		{"several things", func(f *join.Facts, v *join.Versions, _ *join.RangeOptions) { f.Key, f.At = []string{"x"}, "y" }, onerow.ErrNoColumn, []string{`"x"`, `"y"`}},
		{"no batch", func(f *join.Facts, v *join.Versions, _ *join.RangeOptions) { f.Batches = []arrow.Record{nil} }, onerow.ErrSchema, []string{"facts", "nil"}},
		{"two schemas", func(_ *join.Facts, v *join.Versions, _ *join.RangeOptions) {
			v.Batches = []arrow.Record{versions[0], facts[0]}
		}, onerow.ErrSchema,
			[]string{"versions"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := join.Facts{Batches: facts, Key: []string{"k"}, At: "t"}
			v := join.Versions{Batches: versions, ValidFrom: "f", ValidTo: "u"}
			var o join.RangeOptions
			test.change(&f, &v, &o)
			m, err := join.AsOf(t.Context(), f, v, o)
			check := func(err error) {
				t.Helper()
				if !errors.Is(err, test.want) {
					t.Fatalf("error %v, want %v", err, test.want)
				}
				for _, text := range test.mentions {
					if !strings.Contains(err.Error(), text) {
						t.Errorf("error %v doesn't mention %s", err, text)
					}
				}
			}
			if check(err); m != nil {
				t.Error("matches beside an error")
			}
			if v.ValidTo != "" {
				_, err = join.Between(t.Context(), f, v, o)
				check(err)
			}
		})
	}
	if s, err := join.Between(t.Context(), join.Facts{Batches: facts, Key: []string{"k"}, At: "t"}, join.Versions{Batches: versions, ValidFrom: "f"},
		join.RangeOptions{}); !errors.Is(err, onerow.ErrOption) || !strings.Contains(err.Error(), "ValidTo") || s != nil {
		t.Errorf("%v, %v", s, err)
	}
}

// TestRangeSharedColumn: a column may be equal to two of the other side.
func TestRangeSharedColumn(t *testing.T) {
	mem := arrowtest.Allocator(t)
	facts := arrowtest.Table(t, mem, []string{"k:int8", "t:int8"}, [][]any{{1, 0}, {2, 0}, {3, 0}})
	versions := arrowtest.Table(t, mem, []string{"a:int64", "b:uint8", "from:int8"}, [][]any{{1, 2, 0}, {2, 2, 0}, {1, 1, 0}})
	for _, key := range [][2][]string{{{"k", "k"}, {"a", "b"}}, {{"a", "b"}, {"k", "k"}}} {
		f, v := join.Facts{Batches: facts, Key: key[0], At: "t"}, join.Versions{Batches: versions, Key: key[1], ValidFrom: "from"}
		want := []uint32{2, 1, join.NoMatch}
		if key[0][0] == "a" {
			f.Batches, f.At, v.Batches, v.ValidFrom = versions, "from", facts, "t"
			want = []uint32{join.NoMatch, 1, 0}
		}
		m, err := join.AsOf(t.Context(), f, v, join.RangeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(m.Rows, want) {
			t.Errorf("%v: %v, want %v", key, m.Rows, want)
		}
	}
}

// TestRangeNoRows: sides without rows, or without batches, are no error.
func TestRangeNoRows(t *testing.T) {
	mem := arrowtest.Allocator(t)
	one := arrowtest.Table(t, mem, []string{"k:int64", "t:int64"}, [][]any{{1, 5}})
	none := arrowtest.Table(t, mem, []string{"k:int64", "t:int64"}, nil)
	for _, facts := range [][]arrow.Record{nil, none, {none[0], none[0]}, one} {
		for _, versions := range [][]arrow.Record{nil, none, {none[0], none[0]}, one} {
			v := join.Versions{Batches: versions, ValidFrom: "t"}
			m, err := join.AsOf(t.Context(), join.Facts{Batches: facts, Key: []string{"k"}, At: "t"}, v, join.RangeOptions{})
			if err != nil {
				t.Fatal(err)
			}
			n, want := 0, join.NoKey
			if len(facts) > 0 {
				n = int(facts[0].NumRows())
			}
			if len(versions) > 0 && versions[0].NumRows() > 0 {
				want = join.OK
			}
			if len(m.Rows) != n || len(m.Status) != n || n > 0 && m.Status[0] != want {
				t.Errorf("%v %v, want %d of %v", m.Rows, m.Status, n, want)
			}
			rec, err := m.Versions(t.Context(), mem)
			if len(versions) == 0 {
				if !errors.Is(err, onerow.ErrNoBatches) || rec != nil {
					t.Errorf("%v, %v", rec, err)
				}
				continue
			}
			if err != nil || rec.NumRows() != int64(n) || rec.NumCols() != 2 {
				t.Fatalf("%v, %v", rec, err)
			}
			rec.Release()
		}
	}
}

// TestRangeTooManyRows: batches of the null type may claim any number of rows.
func TestRangeTooManyRows(t *testing.T) {
	const most = 1<<31 - 1
	col := array.NewNull(most)
	defer col.Release()
	rec := array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "k", Type: arrow.Null, Nullable: true}}, nil), []arrow.Array{col}, most)
	defer rec.Release()
	for _, n := range []int{1, 2, 3} {
		batches := make([]arrow.Record, 3)
		for i := range batches {
			batches[i] = rec
		}
		f, v := join.Facts{Batches: batches[n:], Key: []string{"k"}, At: "k"}, join.Versions{Batches: batches[:n], ValidFrom: "k"}
		if m, err := join.AsOf(t.Context(), f, v, join.RangeOptions{}); !errors.Is(err, onerow.ErrTooManyRows) || m != nil {
			t.Errorf("%d batches of versions: %v", n, err)
		}
	}
}

const brokenRows = 20

// brokenColumns are arrays of whole numbers whose buffers contradict their shape.
func brokenColumns() map[string]arrow.Array {
	int64s, bytes := arrow.PrimitiveTypes.Int64, memory.NewBufferBytes
	indices := make([]byte, brokenRows)
	indices[7] = 99
	values := array.NewData(int64s, 1, []*memory.Buffer{nil, bytes(make([]byte, 8))}, nil, 0, 0)
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: int64s}
	return map[string]arrow.Array{
		"short validity": array.MakeFromData(array.NewData(int64s, brokenRows, []*memory.Buffer{bytes([]byte{255}), bytes(make([]byte, 8*brokenRows))}, nil,
			array.UnknownNullCount, 0)),
		"index beyond": array.MakeFromData(array.NewDataWithDictionary(typ, brokenRows, []*memory.Buffer{nil, bytes(indices)}, 0, 0, values)),
	}
}

// TestRangeMalformed: a broken array in any role is an error that says so.
func TestRangeMalformed(t *testing.T) {
	mem := arrowtest.Allocator(t)
	var rows [][]any
	for i := range brokenRows {
		rows = append(rows, []any{i})
	}
	sound := arrowtest.Table(t, mem, []string{"k:int64"}, rows)[0].Column(0)
	record := func(names []string, bad string, arr arrow.Array) []arrow.Record {
		var fields []arrow.Field
		var cols []arrow.Array
		for _, n := range names {
			c := sound
			if n == bad {
				c = arr
			}
			fields, cols = append(fields, arrow.Field{Name: n, Type: c.DataType(), Nullable: true}), append(cols, c)
		}
		rec := array.NewRecord(arrow.NewSchema(fields, nil), cols, brokenRows)
		t.Cleanup(rec.Release)
		return []arrow.Record{rec}
	}
	for name, arr := range brokenColumns() {
		for _, role := range []string{"k", "t", "key", "f", "u", "v"} {
			f := join.Facts{Batches: record([]string{"k", "t"}, role, arr), Key: []string{"k"}, At: "t"}
			v := join.Versions{Batches: record([]string{"key", "f", "u", "v"}, role, arr), Key: []string{"key"}, ValidFrom: "f", ValidTo: "u"}
			m, err := join.AsOf(t.Context(), f, v, join.RangeOptions{})
			if role == "v" {
				if name == "index beyond" {
					continue // onerow.Take keeps a dictionary, and its indices, as they are
				}
				if err != nil {
					t.Fatal(err)
				}
				for i := range m.Rows {
					m.Rows[i] = uint32(i)
				}
				_, err = m.Versions(t.Context(), mem)
			}
			if !errors.Is(err, onerow.ErrMalformed) {
				t.Errorf("%s as %s: %v", name, role, err)
			}
			if _, err := join.Between(t.Context(), f, v, join.RangeOptions{}); role != "v" && !errors.Is(err, onerow.ErrMalformed) {
				t.Errorf("%s as %s: %v", name, role, err)
			}
		}
	}
}

// TestRangeLonger compares keys of many versions with the oracle: more keys with overlaps than are listed, and more rows of each.
func TestRangeLonger(t *testing.T) {
	for seed := range uint64(4) {
		src := seeded{rand.New(rand.NewPCG(seed, 3))}
		s := newRangeScene(src, 1)
		s.facts.Key, s.versions.Key = []string{"k"}, []string{"k"}
		s.versions.ValidTo, s.versions.OpenEnd = "u", nil
		s.factColumns, s.versionColumns = []string{"k:int8", "t:int32"}, []string{"k:int8", "f:int64", "u:int16"}
		s.factRows, s.versionRows = nil, nil
		keys := []int{2, 30}[seed%2]
		for range 150 {
			start := src.IntN(100)
			s.factRows = append(s.factRows, []any{src.IntN(keys), src.IntN(100)})
			s.versionRows = append(s.versionRows, []any{src.IntN(keys), start, start + src.IntN(1+src.IntN(60)) - 1})
		}
		s.agree(t, s.cut(t, src))
	}
}

// TestRangeFullLine: versions and facts at both ends of the words.
func TestRangeFullLine(t *testing.T) {
	mem := arrowtest.Allocator(t)
	low, high := wholeTime(int64(math.MinInt64)), wholeTime(int64(math.MaxInt64))
	facts := arrowtest.Table(t, mem, []string{"k:int8", "t:int64"}, [][]any{{1, low}, {1, 0}, {1, high}, {2, low}, {2, high}})
	for bounds, want := range map[join.Bounds][]join.Status{
		join.HalfOpen: {join.OK, join.OK, join.Gap, join.BeforeFirst, join.OK},
		join.Closed:   {join.OK, join.OK, join.OK, join.BeforeFirst, join.OK},
	} {
		versions := arrowtest.Table(t, mem, []string{"k:int8", "f:int64", "u:int64"}, [][]any{{1, low, high}, {2, high, nil}})
		m, err := join.AsOf(t.Context(), join.Facts{Batches: facts, Key: []string{"k"}, At: "t"},
			join.Versions{Batches: versions, ValidFrom: "f", ValidTo: "u", Bounds: bounds}, join.RangeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if m.Status[i] != want[i] {
				t.Errorf("bounds %d, fact %d: %v, want %v", bounds, i, m.Status[i], want[i])
			}
		}
	}
}
