package join_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/join"
)

// TestJoined: facts and versions side by side, batch for batch, for each form of the facts.
func TestJoined(t *testing.T) {
	mem := arrowtest.Allocator(t)
	facts := arrowtest.Batches(t, mem, []string{"k:int8", "t:int8", "note:dict<int8,string>"},
		[][]any{{2, 5, "a"}, {3, 5, nil}}, nil, [][]any{{1, 5, "b"}}, [][]any{{1, 0, "c"}, {2, 9, "a"}})
	versions := arrowtest.Batches(t, mem, []string{"id:int8", "from:int8", "price:decimal(5,2)", "tag:string"}, [][]any{{1, 1, "1.5", "x"}}, [][]any{{2, 0, "2", nil}})
	right := [][]any{{"2", nil}, {nil, nil}, {"1.5", "x"}, {nil, nil}, {"2", nil}}
	var want [][]any
	for i, row := range arrowtest.All(facts) {
		add, err := arrowtest.Values(arrow.NewSchema(versions[0].Schema().Fields()[2:], nil), [][]any{right[i]})
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, slices.Concat(row, add[0]))
	}
	forms := arrowtest.Variants(mem, facts)
	defer forms.Release()
	for _, f := range forms {
		m, err := join.AsOf(t.Context(), join.Facts{Batches: f.Batches, Key: []string{"k"}, At: "t"},
			join.Versions{Batches: versions, Key: []string{"id"}, ValidFrom: "from"}, join.RangeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		joined, err := m.Joined(t.Context(), mem, "price", "tag")
		if err != nil {
			t.Fatal(err)
		}
		if d := arrowtest.DiffList(want, arrowtest.All(joined)); d != "" {
			t.Errorf("%s: %s", f.Name, d)
		}
		for i, r := range joined {
			if r.NumRows() != f.Batches[i].NumRows() || r.Column(2).DataType() != f.Batches[i].Column(2).DataType() {
				t.Errorf("%s: batch %d has %d rows", f.Name, i, r.NumRows())
			}
		}
		inner, err := onerow.Take(t.Context(), joined, m.Of(join.OK), onerow.Resources{Allocator: mem})
		if err != nil {
			t.Fatal(err)
		}
		if d := arrowtest.DiffList([][]any{want[0], want[2], want[4]}, arrowtest.Cells(inner)); d != "" {
			t.Errorf("%s: inner: %s", f.Name, d)
		}
		inner.Release()
		arrowtest.Release(joined)
	}
}

// TestJoinedErrors: columns that both sides have, and facts that can't be read; nothing leaks.
func TestJoinedErrors(t *testing.T) {
	mem := arrowtest.Allocator(t)
	m, _ := leftJoin(t, mem, "v:int8", [][]any{{1, 0, 5}, {2, 0, 6}})
	joined, err := m.Joined(t.Context(), mem)
	if !errors.Is(err, onerow.ErrOption) || !strings.Contains(err.Error(), `both have a column "k"`) || joined != nil {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if joined, err := m.Joined(ctx, mem, "v"); !errors.Is(err, context.Canceled) || joined != nil {
		t.Errorf("%v", err)
	}
	good := arrowtest.Table(t, mem, []string{"k:int8", "t:int8", "n:int8"}, [][]any{{1, 1, 1}, {2, 2, 2}})
	versions := arrowtest.Table(t, mem, []string{"k:int8", "f:int8", "v:int8"}, [][]any{{1, 0, 1}})
	bad := &shortRecord{good[0], good[0].Column(2)}
	short := array.NewSlice(good[0].Column(2), 0, 1)
	defer short.Release()
	bad.last = short
	m, err = join.AsOf(t.Context(), join.Facts{Batches: []arrow.Record{good[0], bad}, Key: []string{"k"}, At: "t"}, join.Versions{Batches: versions, ValidFrom: "f"}, join.RangeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if joined, err = m.Joined(t.Context(), mem, "v"); !errors.Is(err, onerow.ErrMalformed) || !strings.Contains(err.Error(), `facts: column "n"`) || joined != nil {
		t.Errorf("%v", err)
	}
	m, err = join.AsOf(t.Context(), join.Facts{Key: []string{"k"}, At: "t"}, join.Versions{Batches: versions, ValidFrom: "f"}, join.RangeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if joined, err = m.Joined(t.Context(), mem); err != nil || len(joined) > 0 {
		t.Errorf("%v, %v", joined, err)
	}
}

// TestJoinedOwnSchemas: batches that differ in what doesn't matter are joined as they are.
func TestJoinedOwnSchemas(t *testing.T) {
	mem := arrowtest.Allocator(t)
	one := arrowtest.Table(t, mem, []string{"k:int8", "t:int8", "l:list<int32>"}, [][]any{{1, 1, []any{1}}})[0]
	list := one.Column(2).Data()
	data := array.NewData(arrow.ListOfNonNullable(arrow.PrimitiveTypes.Int32), 1, list.Buffers(), list.Children(), 0, 0)
	defer data.Release()
	other := array.MakeFromData(data)
	defer other.Release()
	fields := one.Schema().Fields()
	fields[2].Type = other.DataType()
	two := array.NewRecord(arrow.NewSchema(fields, nil), []arrow.Array{one.Column(0), one.Column(1), other}, 1)
	defer two.Release()
	versions := arrowtest.Table(t, mem, []string{"k:int8", "f:int8", "v:int8"}, [][]any{{1, 0, 7}})
	m, err := join.AsOf(t.Context(), join.Facts{Batches: []arrow.Record{one, two}, Key: []string{"k"}, At: "t"}, join.Versions{Batches: versions, ValidFrom: "f"}, join.RangeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	joined, err := m.Joined(t.Context(), mem, "v")
	if err != nil {
		t.Fatal(err)
	}
	defer arrowtest.Release(joined)
	for i, b := range []arrow.Record{one, two} {
		if got := joined[i].Schema().Field(2); !arrow.TypeEqual(got.Type, b.Column(2).DataType()) || joined[i].Column(3).(*array.Int8).Value(0) != 7 {
			t.Errorf("batch %d: %v", i, joined[i])
		}
	}
}

// shortRecord has another last column.
type shortRecord struct {
	arrow.Record
	last arrow.Array
}

func (r *shortRecord) Column(i int) arrow.Array {
	if i == int(r.NumCols())-1 {
		return r.last
	}
	return r.Record.Column(i)
}

// TestMatchesJSON: matches are written as their report.
func TestMatchesJSON(t *testing.T) {
	m, _ := leftJoin(t, arrowtest.Allocator(t), "v:int8", [][]any{{1, 0, 5}, {2, 0, 6}})
	got, err := json.Marshal(m)
	want, _ := json.Marshal(m.Report)
	if err != nil || string(got) != string(want) {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
}
