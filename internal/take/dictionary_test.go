package take_test

import (
	"context"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/google/go-cmp/cmp"

	"github.com/onerow-go/onerow/internal/take"
)

// dictChunks encodes one chunk for each list of indices, each over the dictionary of the same place.
func dictChunks(e *encoder, typ arrow.DataType, dicts [][]any, indices [][]byte) []arrow.Array {
	shared := map[*any]*array.Data{}
	var out []arrow.Array
	for i, values := range dicts {
		d, ok := shared[&values[0]]
		if !ok {
			d = e.data(typ.(*arrow.DictionaryType).ValueType, values, true)
			shared[&values[0]] = d
		}
		data := array.NewDataWithDictionary(typ, len(indices[i]), []*memory.Buffer{nil, e.buffer(indices[i])}, 0, 0, d)
		e.owned = append(e.owned, data)
		a := array.MakeFromData(data)
		e.owned = append(e.owned, a)
		out = append(out, a)
	}
	return out
}

func TestDictionaries(t *testing.T) {
	words := dict(arrow.PrimitiveTypes.Int8, arrow.BinaryTypes.String)
	one, two := []any{"a", "b", "unused", nil}, []any{"b", "c", "b", nil, "a"}
	for _, c := range []struct {
		name    string
		dicts   [][]any
		indices [][]byte
		rows    []uint32
		want    []any
		shared  bool
		values  []any
	}{
		{"one dictionary is kept", [][]any{one, one}, [][]byte{{0, 1}, {3, 1}}, []uint32{2, 1, 0}, []any{nil, "b", "a"}, true, one},
		{"unused dictionaries don't count", [][]any{one, two}, [][]byte{{0, 1}, {3, 1}}, []uint32{1, 0}, []any{"b", "a"}, true, one},
		{"no rows", [][]any{one, two}, [][]byte{{0, 1}, {3, 1}}, nil, []any{}, true, one},
		{
			"by first appearance", [][]any{one, two}, [][]byte{{0, 1}, {0, 1, 2, 4}}, []uint32{4, 3, 2, 1, 0, 5},
			[]any{"b", "c", "b", "b", "a", "a"}, false, []any{"b", "c", "a"},
		},
		{
			"NULL values are one", [][]any{one, two}, [][]byte{{3, 0}, {3, 1}}, []uint32{0, 2, 3},
			[]any{nil, nil, "c"}, false, []any{nil, "c"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
			defer mem.AssertSize(t, 0)
			e := newEncoder(mem, 3)
			defer e.release()
			chunks := dictChunks(e, words, c.dicts, c.indices)
			got, err := take.Column(context.Background(), mem, chunks, c.rows)
			if err != nil {
				t.Fatal(err)
			}
			defer got.Release()
			if d := cmp.Diff(c.want, decode(got)); d != "" {
				t.Error(d)
			}
			if shared := got.Data().Dictionary() == chunks[0].Data().Dictionary(); shared != c.shared {
				t.Errorf("shares the dictionary: %v", shared)
			}
			if d := cmp.Diff(c.values, decode(got.(*array.Dictionary).Dictionary())); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestNestedDictionaryValues keeps one copy of a nested value for each dictionary that has it.
func TestNestedDictionaryValues(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	e := newEncoder(mem, 1)
	defer e.release()
	typ := dict(arrow.PrimitiveTypes.Int8, arrow.ListOf(arrow.BinaryTypes.String))
	a, b := []any{"a"}, []any{"b", nil}
	chunks := dictChunks(e, typ, [][]any{{a, b}, {b, a, nil}}, [][]byte{{0, 1, 0}, {0, 0, 1, 2}})
	got, err := take.Column(context.Background(), mem, chunks, []uint32{0, 1, 2, 3, 4, 5, 6})
	if err != nil {
		t.Fatal(err)
	}
	defer got.Release()
	if d := cmp.Diff([]any{a, b, a, b, b, a, nil}, decode(got)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]any{a, b, b, a, nil}, decode(got.(*array.Dictionary).Dictionary())); d != "" {
		t.Error(d)
	}
}
