package dedupe_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/dedupe"
	"github.com/onerow-go/onerow/internal/arrowtest"
)

// wantUnion checks the columns, written as arrowtest writes them, and the rows of each batch.
func wantUnion(t *testing.T, mem memory.Allocator, sources []dedupe.Source, opts dedupe.UnionOptions, columns []string, batches ...[][]any) []arrow.Record {
	t.Helper()
	got, err := dedupe.Union(mem, sources, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { arrowtest.Release(got) })
	if len(got) != len(batches) {
		t.Fatalf("%d batches, want %d", len(got), len(batches))
	}
	schema, err := arrowtest.Schema(columns)
	if err != nil {
		t.Fatal(err)
	}
	for i, rec := range got {
		if !rec.Schema().Equal(schema) {
			t.Errorf("batch %d has the schema\n%v, want\n%v", i, rec.Schema(), schema)
			continue
		}
		want, err := arrowtest.Values(schema, batches[i])
		if err != nil {
			t.Fatal(err)
		}
		if got, want := arrowtest.FormatRows(arrowtest.Cells(rec)), arrowtest.FormatRows(want); got != want {
			t.Errorf("batch %d is\n%s, want\n%s", i, got, want)
		}
	}
	return got
}

// crm and erp are the sources of most tests.
func crm(t *testing.T, mem memory.Allocator) dedupe.Source {
	return dedupe.Source{Name: "crm", Batches: arrowtest.Batches(t, mem, []string{"id:int64!", "name:string", "phone:string!"},
		[][]any{{1, "Ann", "01"}, {2, nil, "02"}}, nil, [][]any{{3, "Cy", "03"}})}
}

func erp(t *testing.T, mem memory.Allocator) dedupe.Source {
	return dedupe.Source{Name: "erp", Batches: arrowtest.Batches(t, mem, []string{"name:string!", "limit:float64", "id:int64!"},
		[][]any{{"Anna", 9.5, 1}})}
}

func TestUnionNullMissing(t *testing.T) {
	mem := arrowtest.Allocator(t)
	wantUnion(t, mem, []dedupe.Source{crm(t, mem), erp(t, mem)}, dedupe.UnionOptions{Missing: dedupe.NullMissing, RankColumn: "rank"},
		[]string{"id:int64!", "name:string", "phone:string", "limit:float64", "rank:int64!"},
		[][]any{{1, "Ann", "01", nil, 0}, {2, nil, "02", nil, 0}},
		nil,
		[][]any{{3, "Cy", "03", nil, 0}},
		[][]any{{1, "Anna", nil, 9.5, 1}})
}

func TestUnionDropMissing(t *testing.T) {
	mem := arrowtest.Allocator(t)
	wantUnion(t, mem, []dedupe.Source{erp(t, mem), crm(t, mem)}, dedupe.UnionOptions{Missing: dedupe.DropMissing},
		[]string{"name:string", "id:int64!"},
		[][]any{{"Anna", 1}},
		[][]any{{"Ann", 1}, {nil, 2}},
		nil,
		[][]any{{"Cy", 3}})
}

func TestUnionSameColumns(t *testing.T) {
	mem := arrowtest.Allocator(t)
	a := arrowtest.Table(t, mem, []string{"k:int32!", "v:dict<int8,string>"}, [][]any{{1, "x"}})
	b := arrowtest.Table(t, mem, []string{"v:dict<int8,string>", "k:int32!"}, [][]any{{"y", 2}})
	got := wantUnion(t, mem, []dedupe.Source{{Batches: a}, {Batches: b}}, dedupe.UnionOptions{},
		[]string{"k:int32!", "v:dict<int8,string>"}, [][]any{{1, "x"}}, [][]any{{2, "y"}})
	if got[1].Column(1) != b[0].Column(0) {
		t.Error("a column of the source was copied")
	}
}

// The rank is the position in the caller's list, of sources without batches too.
func TestUnionRank(t *testing.T) {
	mem := arrowtest.Allocator(t)
	k := []string{"k:int32"}
	a, b, c := arrowtest.Table(t, mem, k, [][]any{{1}, {2}}), arrowtest.Table(t, mem, k, [][]any{{3}}), arrowtest.Table(t, mem, k, nil)
	wantUnion(t, mem, []dedupe.Source{{Batches: a}, {}, {Batches: c}, {Batches: b}}, dedupe.UnionOptions{RankColumn: "source"},
		[]string{"k:int32", "source:int64!"}, [][]any{{1, 0}, {2, 0}}, nil, [][]any{{3, 3}})
}

// A column of the null type goes with any other; the type is that of the source that has one.
func TestUnionNullType(t *testing.T) {
	mem := arrowtest.Allocator(t)
	void := arrowtest.Table(t, mem, []string{"k:int32!", "v:null"}, [][]any{{1, nil}, {2, nil}})
	text := arrowtest.Table(t, mem, []string{"k:int32!", "v:string!"}, [][]any{{3, "x"}})
	for _, order := range [][]dedupe.Source{{{Batches: void}, {Batches: text}, {Batches: void}}, {{Batches: text}, {Batches: void}, {Batches: void}}} {
		var want [][][]any
		for _, s := range order {
			if s.Batches[0] == text[0] {
				want = append(want, [][]any{{3, "x"}})
			} else {
				want = append(want, [][]any{{1, nil}, {2, nil}})
			}
		}
		for i := range order {
			order[i].Name = fmt.Sprint(i)
		}
		wantUnion(t, mem, order, dedupe.UnionOptions{}, []string{"k:int32!", "v:string"}, want...)
	}
	wantUnion(t, mem, []dedupe.Source{{Batches: void}}, dedupe.UnionOptions{}, []string{"k:int32!", "v:null"}, [][]any{{1, nil}, {2, nil}})
}

// Without a batch there is nothing to make a schema of.
func TestUnionEmpty(t *testing.T) {
	for _, sources := range [][]dedupe.Source{nil, {{Name: "a"}, {Name: "b"}}} {
		got, err := dedupe.Union(nil, sources, dedupe.UnionOptions{RankColumn: "rank"})
		if len(got) != 0 || err != nil {
			t.Errorf("%d batches and error %v, want neither", len(got), err)
		}
	}
}

// A batch may say that a column isn't nullable while another batch of the source has NULL in it. Metadata is left out.
func TestUnionFields(t *testing.T) {
	mem := arrowtest.Allocator(t)
	required := arrowtest.Table(t, mem, []string{"k:int32!"}, [][]any{{1}})[0]
	nullable := arrowtest.Table(t, mem, []string{"k:int32"}, [][]any{{nil}})[0]
	wantUnion(t, mem, []dedupe.Source{{Batches: []arrow.Record{required, nullable}}}, dedupe.UnionOptions{},
		[]string{"k:int32"}, [][]any{{1}}, [][]any{{nil}})
	wantUnion(t, mem, []dedupe.Source{{Batches: []arrow.Record{nullable, required}}}, dedupe.UnionOptions{},
		[]string{"k:int32"}, [][]any{{nil}}, [][]any{{1}})
	void := emptyRecord(t, arrow.Field{Name: "k", Type: arrow.Null})
	wantUnion(t, mem, []dedupe.Source{{Batches: []arrow.Record{required}}, {Batches: []arrow.Record{void}}}, dedupe.UnionOptions{},
		[]string{"k:int32"}, [][]any{{1}}, nil)

	meta := func(v string) arrow.Metadata { return arrow.MetadataFrom(map[string]string{"from": v}) }
	with := func(v string) dedupe.Source {
		m := meta(v)
		rec := array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "k", Type: arrow.PrimitiveTypes.Int32, Metadata: meta(v)}}, &m), required.Columns(), 1)
		t.Cleanup(rec.Release)
		return dedupe.Source{Name: v, Batches: []arrow.Record{rec}}
	}
	got, err := dedupe.Union(mem, []dedupe.Source{with("a"), with("b")}, dedupe.UnionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer arrowtest.Release(got)
	if from, _ := got[1].Schema().Field(0).Metadata.GetValue("from"); from != "a" || got[1].Schema().HasMetadata() {
		t.Errorf("schema %v: want the field's metadata of the first source, and none of the schema", got[1].Schema())
	}
}

func TestUnionErrors(t *testing.T) {
	mem := arrowtest.Allocator(t)
	source := func(name string, columns ...string) dedupe.Source {
		return dedupe.Source{Name: name, Batches: arrowtest.Table(t, mem, columns, nil)}
	}
	wide := make([]string, 40)
	for i := range wide {
		wide[i] = fmt.Sprintf("c%d:int8", i)
	}
	two := source("two", "k:int8")
	two.Batches = append(two.Batches, source("", "k:int16").Batches...)
	none := source("none", "k:int8")
	none.Batches = append(none.Batches, nil)
	tests := []struct {
		name    string
		sources []dedupe.Source
		opts    dedupe.UnionOptions
		is      error
		want    string
	}{
		{"a missing column", []dedupe.Source{source("crm", "k:int8", "v:int8"), source("erp", "k:int8")}, dedupe.UnionOptions{}, onerow.ErrNoColumn,
			`union: column "v": no such column in source "erp" (it has k), though source "crm" has it: see UnionOptions.Missing`},
		{"missing columns, one in each", []dedupe.Source{source("", "v:int8"), source("", "k:int8")}, dedupe.UnionOptions{}, onerow.ErrNoColumn,
			"union: column \"v\": no such column in source 1 (it has k), though source 0 has it: see UnionOptions.Missing\n" +
				`column "k": no such column in source 0 (it has v), though source 1 has it: see UnionOptions.Missing`},
		{"many missing columns", []dedupe.Source{source("", wide...), source("")}, dedupe.UnionOptions{}, onerow.ErrNoColumn,
			"no such column: 30 more like these"},
		{"nothing in common", []dedupe.Source{source("crm", "v:int8"), source("erp", "k:int8")}, dedupe.UnionOptions{Missing: dedupe.DropMissing}, onerow.ErrNoColumn,
			`no column is in every source, so none would be left; for one: column "v": no such column in source "erp" (it has k), though source "crm" has it`},
		{"a column twice", []dedupe.Source{source("crm", "k:int8", "v:int8", "k:int16")}, dedupe.UnionOptions{}, onerow.ErrNoColumn,
			`union: column "k": 2 columns of source "crm" have this name`},
		{"a clash", []dedupe.Source{source("crm", "k:int32"), source("", "k:int32"), source("erp", "k:int64")}, dedupe.UnionOptions{}, onerow.ErrType,
			`union: source "crm" and source "erp": column "k" of type int32 and column "k" of type int64: a column has one type: cast one to the other's type first`},
		{"a clash after a column of NULLs", []dedupe.Source{source("0", "k:null"), source("1", "k:string"), source("2", "k:binary")}, dedupe.UnionOptions{}, onerow.ErrType,
			`source "1" and source "2": column "k" of type utf8 and column "k" of type binary`},
		{"zones", []dedupe.Source{source("a", "t:timestamp[us,UTC]"), source("b", "t:timestamp[us,Europe/Paris]")}, dedupe.UnionOptions{}, onerow.ErrType,
			`the zones differ, the instants don't: set one zone on both`},
		{"naive and zoned", []dedupe.Source{source("a", "t:timestamp[us,UTC]"), source("b", "t:timestamp[us]")}, dedupe.UnionOptions{}, onerow.ErrType,
			`one is an instant and the other a local time: give the local one its zone first`},
		{"units", []dedupe.Source{source("a", "t:timestamp[us,UTC]"), source("b", "t:timestamp[ms,UTC]")}, dedupe.UnionOptions{}, onerow.ErrType,
			`column "t" of type timestamp[us, tz=UTC] and column "t" of type timestamp[ms, tz=UTC]: a column has one type`},
		{"dictionary and plain", []dedupe.Source{source("a", "t:dict<int8,string>"), source("b", "t:string")}, dedupe.UnionOptions{}, onerow.ErrType,
			`only one is dictionary-encoded: decode it, or encode the other`},
		{"plain and dictionary", []dedupe.Source{source("b", "t:string"), source("a", "t:dict<int8,string>")}, dedupe.UnionOptions{}, onerow.ErrType,
			`only one is dictionary-encoded`},
		{"two clashes", []dedupe.Source{source("a", "k:int8", "v:int8"), source("b", "k:bool", "v:bool")}, dedupe.UnionOptions{}, onerow.ErrType,
			"first\nsource \"a\" and source \"b\": column \"v\""},
		{"batches that differ", []dedupe.Source{two}, dedupe.UnionOptions{}, onerow.ErrSchema, `union: source "two": batch 1 differs in schema from batch 0`},
		{"a nil batch", []dedupe.Source{none}, dedupe.UnionOptions{}, onerow.ErrSchema, `source "none": batch 1`},
		{"a taken rank", []dedupe.Source{source("a", "k:int8"), source("b", "k:int8", "r:int8")}, dedupe.UnionOptions{Missing: dedupe.DropMissing, RankColumn: "r"}, onerow.ErrOption,
			`union: option RankColumn: column "r" is taken: source "b" has one`},
		{"a bad option and a name twice", []dedupe.Source{{Name: "a"}, {}, {Name: "a"}}, dedupe.UnionOptions{Missing: 3}, onerow.ErrOption,
			"union: option Missing: no such value: 3\noption Source.Name: sources 0 and 2 are both named \"a\""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := dedupe.Union(mem, test.sources, test.opts)
			if got != nil || !errors.Is(err, test.is) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v and error\n%v, want a %v with\n%s", got, err, test.is, test.want)
			}
		})
	}
}

func TestUnionErrorTypes(t *testing.T) {
	mem := arrowtest.Allocator(t)
	_, err := dedupe.Union(mem, []dedupe.Source{crm(t, mem), erp(t, mem)}, dedupe.UnionOptions{})
	var column *onerow.ColumnError
	if !errors.As(err, &column) {
		t.Fatalf("%v is no ColumnError", err)
	}
	if diff := cmp.Diff(&onerow.ColumnError{Column: "phone", Input: `source "erp"`, Have: []string{"name", "limit", "id"}}, column); diff != "" {
		t.Error(diff)
	}
}

// An error in a late batch leaves nothing behind.
func TestUnionTooLarge(t *testing.T) {
	mem := arrowtest.Allocator(t)
	listed := arrow.FixedSizeListOf(1<<30, arrow.FixedWidthTypes.Boolean)
	b := array.NewBuilder(mem, listed)
	defer b.Release()
	lists := b.NewArray()
	defer lists.Release()
	wide := array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "l", Type: listed, Nullable: true}}, nil), []arrow.Array{lists}, 0)
	defer wide.Release()
	narrow := arrowtest.Batches(t, mem, []string{"k:int8"}, [][]any{{1}}, [][]any{{1}, {2}, {3}})

	got, err := dedupe.Union(mem, []dedupe.Source{{Batches: []arrow.Record{wide}}, {Name: "narrow", Batches: narrow}}, dedupe.UnionOptions{Missing: dedupe.NullMissing})
	var size *onerow.SizeError
	if got != nil || !errors.As(err, &size) {
		t.Fatalf("got %v and %v, want a SizeError", got, err)
	}
	want := `union: source "narrow": column "l" of type fixed_size_list<item: bool, nullable>[1073741824]: output too large: 3221225472 elements, of at most 2147483647; take fewer rows at a time, or use a large type`
	if err.Error() != want {
		t.Errorf("%v, want\n%s", err, want)
	}
}

// Whatever the columns of the sources, a cell of the result is the source's cell of that name, or NULL.
func TestUnionProperty(t *testing.T) {
	pool := []string{"a:int64", "b:string", "c:list<int8>", "d:struct<x:int8,y:string>", "e:dict<int8,string>", "f:ree<int16>"}
	cell := map[string]any{"a": 7, "b": "x", "c": []any{1, nil}, "d": map[string]any{"x": 1, "y": nil}, "e": "e", "f": 3}
	rapid.Check(t, func(t *rapid.T) {
		mem := arrowtest.Allocator(t)
		var sources []dedupe.Source
		var want []map[string]any
		for range rapid.IntRange(1, 4).Draw(t, "sources") {
			columns := rapid.Permutation(pool).Draw(t, "columns")[:rapid.IntRange(1, len(pool)).Draw(t, "width")]
			var batches [][][]any
			for range rapid.IntRange(0, 3).Draw(t, "batches") {
				var rows [][]any
				for range rapid.IntRange(0, 3).Draw(t, "rows") {
					row, said := make([]any, len(columns)), map[string]any{}
					for i, c := range columns {
						if rapid.Bool().Draw(t, "set") {
							row[i] = cell[c[:1]]
							said[c[:1]] = arrowtest.Format(must(t, c, row[i]))
						}
					}
					rows, want = append(rows, row), append(want, said)
				}
				batches = append(batches, rows)
			}
			sources = append(sources, dedupe.Source{Batches: arrowtest.Batches(t, mem, columns, batches...)})
		}
		got, err := dedupe.Union(mem, sources, dedupe.UnionOptions{Missing: dedupe.NullMissing})
		if err != nil {
			t.Fatal(err)
		}
		defer arrowtest.Release(got)
		row := 0
		for _, rec := range got {
			for _, cells := range arrowtest.Cells(rec) {
				said := map[string]any{}
				for c, v := range cells {
					if v != nil {
						said[rec.ColumnName(c)] = arrowtest.Format(v)
					}
				}
				if diff := cmp.Diff(want[row], said); diff != "" {
					t.Fatalf("row %d: %s", row, diff)
				}
				row++
			}
		}
		if row != len(want) {
			t.Fatalf("%d rows, want %d", row, len(want))
		}
	})
}

// must is the value of a cell in a column.
func must(t *rapid.T, column string, cell any) any {
	f, err := arrowtest.Field(column)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := arrowtest.Values(arrow.NewSchema([]arrow.Field{f}, nil), [][]any{{cell}})
	if err != nil {
		t.Fatal(err)
	}
	return rows[0][0]
}
