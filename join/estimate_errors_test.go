package join_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/join"
)

// TestJoinErrors: what was given wrong is refused by Estimate and Split alike, and named.
func TestJoinErrors(t *testing.T) {
	mem := arrowtest.Allocator(t)
	table := func(columns ...string) []arrow.Record { return arrowtest.Table(t, mem, columns, nil) }
	ids, texts := table("id:int64", "n:int8"), table("ref:string", "n:int64")
	two := []arrow.Record{ids[0], texts[0]}
	for _, test := range []struct {
		name        string
		left, right []arrow.Record
		on          join.Key
		opts        join.Options
		kinds       []error
		says        []string
	}{
		{"no key", ids, ids, join.Key{}, join.Options{}, []error{onerow.ErrNoKey}, nil},
		{"no key on the left", ids, ids, join.Key{Right: []string{"id"}}, join.Options{}, []error{onerow.ErrOption}, []string{"0 columns on the left and 1 on the right"}},
		{"a pair twice", ids, ids, join.On("id", "n", "id"), join.Options{}, []error{onerow.ErrOption}, []string{`columns "id" and "id" twice`}},
		{"no column on both sides", ids, ids, join.On("x").And("id", "y"), join.Options{}, []error{onerow.ErrNoColumn},
			[]string{`column "x"`, `in left`, `in right`, `column "y"`}},
		{"two families", ids, texts, join.Pair("id", "ref"), join.Options{}, []error{onerow.ErrType},
			[]string{`column "id" of type int64 in left and column "ref" of type utf8 in right`}},
		{"no key type", table("m:map<string,int64>"), ids, join.Pair("m", "id"), join.Options{}, []error{onerow.ErrType}, []string{`column "m"`, "not a key type"}},
		{"batches of two schemas", two, texts, join.On("n"), join.Options{}, []error{onerow.ErrSchema}, []string{"left: batch 1"}},
		{"a nil batch", ids, []arrow.Record{nil}, join.On("n"), join.Options{}, []error{onerow.ErrSchema}, []string{"right: batch 0"}},
		{"an option", ids, texts, join.On("n"), join.Options{Nulls: 7}, []error{onerow.ErrOption}, []string{"Nulls has no value 7"}},
		{"all at once", two, texts, join.Key{}, join.Options{Nulls: 7}, []error{onerow.ErrOption, onerow.ErrNoKey, onerow.ErrSchema}, nil},
		{"a placeholder that nothing holds", ids, texts, join.On("n"), join.Options{Placeholders: []onerow.Value{-1, "unknown", 1.5}}, []error{onerow.ErrType},
			[]string{"string unknown", "float64 1.5"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			size, err := join.Estimate(t.Context(), test.left, test.right, test.on, test.opts)
			d, splitErr := join.Split(t.Context(), test.left, test.right, test.on, join.SplitOptions{Nulls: test.opts.Nulls, Placeholders: test.opts.Placeholders})
			if size != nil || d != nil {
				t.Errorf("%v, %v", size, d)
			}
			for _, err := range []error{err, splitErr} {
				for _, kind := range test.kinds {
					if !errors.Is(err, kind) {
						t.Errorf("%v is no %v", err, kind)
					}
				}
				for _, s := range test.says {
					if !strings.Contains(fmt.Sprint(err), s) {
						t.Errorf("%v doesn't say %q", err, s)
					}
				}
			}
		})
	}
	// One placeholder per side: the narrow type can't hold 300, the wide one can.
	if _, err := join.Estimate(t.Context(), ids, texts, join.On("n"), join.Options{Placeholders: []onerow.Value{300}}); err != nil {
		t.Errorf("a placeholder of one side: %v", err)
	}
}

// TestSplitErrors: keys in quarantine must be keys.
func TestSplitErrors(t *testing.T) {
	mem := arrowtest.Allocator(t)
	left := arrowtest.Table(t, mem, []string{"id:int8", "v:string"}, [][]any{{1, "a"}})
	for _, test := range []struct {
		opts join.SplitOptions
		kind error
		says string
	}{
		{join.SplitOptions{Keys: [][]onerow.Value{{1, "a"}, {1}}}, onerow.ErrOption, "key 1 of Keys: option: 1 values for a key of 2 columns"},
		{join.SplitOptions{Keys: [][]onerow.Value{{300, "a"}, {1, 2}}}, onerow.ErrType, `key 1 of Keys: column "v" of type utf8`},
		{join.SplitOptions{Listed: []join.KeySize{{}}}, onerow.ErrRow, "listed key 0"},
		{join.SplitOptions{Listed: []join.KeySize{{LeftRows: onerow.Rows{0}}, {RightRows: onerow.Rows{1}}}}, onerow.ErrRow, "listed key 1: right: row 1"},
		{join.SplitOptions{Listed: []join.KeySize{{RightRows: onerow.Rows{0}, Values: []string{"1", `"a"`}}, {LeftRows: onerow.Rows{0}, Values: []string{"2", `"a"`}}}}, onerow.ErrRow,
			`listed key 1: no such row: left row 0 has the key id=1, v="a", not id=2, v="a"`},
	} {
		_, err := join.Split(t.Context(), left, left, join.On("id", "v"), test.opts)
		if !errors.Is(err, test.kind) || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%+v: %v", test.opts, err)
		}
	}
}

// TestNoRows: a call on nothing is no error, and finds nothing.
func TestNoRows(t *testing.T) {
	mem := arrowtest.Allocator(t)
	empty := arrowtest.Table(t, mem, []string{"id:int64"}, nil)
	some := arrowtest.Table(t, mem, []string{"id:int64"}, [][]any{{1}, {1}, {nil}})
	for name, none := range map[string][]arrow.Record{"no batches": nil, "an empty batch": empty, "empty batches": {empty[0], empty[0]}} {
		for _, right := range [][]arrow.Record{none, some} {
			s, err := join.Estimate(t.Context(), none, right, join.On("id"), join.Options{Placeholders: []onerow.Value{0}})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			n := uint64(s.Right.Rows)
			want := join.Sizes{Right: join.CountOf(n), Full: join.CountOf(n), RightAnti: join.CountOf(n)}
			if s.Rows != want || !s.Left.Unique || s.Relationship != join.None || s.Right.Unique == (n > 0) || s.Growth() != 1 {
				t.Errorf("%s: %+v", name, s)
			}
			d, err := join.Split(t.Context(), none, right, join.On("id"), join.SplitOptions{Keys: [][]onerow.Value{{1}}})
			if len(right) == len(some) && n > 0 && (err != nil || len(d.Right.Chosen) != 2 || len(d.Right.Null) != 1) || err == nil && len(d.Left.Join) != 0 {
				t.Errorf("%s: %v, %v", name, d, err)
			}
		}
	}
}

// TestJoinTooManyRows: batches of the null type may claim any number of rows; both sides count together.
func TestJoinTooManyRows(t *testing.T) {
	const most = 1<<31 - 1
	col := array.NewNull(most)
	defer col.Release()
	rec := array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "k", Type: arrow.Null, Nullable: true}}, nil), []arrow.Array{col}, most)
	defer rec.Release()
	if s, err := join.Estimate(t.Context(), []arrow.Record{rec}, []arrow.Record{rec, rec}, join.On("k"), join.Options{}); !errors.Is(err, onerow.ErrTooManyRows) || s != nil {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestJoinHostile gives arrays whose buffers contradict their type to either side: an error that says so, never a panic.
func TestJoinHostile(t *testing.T) {
	p, s := arrow.PrimitiveTypes, arrow.BinaryTypes
	int32s := func(v ...int32) *memory.Buffer { return memory.NewBufferBytes(arrow.GetBytes(v)) }
	raw := func(b ...byte) *memory.Buffer { return memory.NewBufferBytes(b) }
	ints := array.NewData(p.Int32, 2, []*memory.Buffer{nil, int32s(1, 2)}, nil, 0, 0)
	dict := &arrow.DictionaryType{IndexType: p.Int8, ValueType: p.Int32}
	for name, d := range map[string]arrow.ArrayData{
		"no values":        array.NewData(p.Int64, 3, []*memory.Buffer{nil, nil}, nil, 0, 0),
		"falling offsets":  array.NewData(s.String, 3, []*memory.Buffer{nil, int32s(0, 3, 1, 3), raw(1, 2, 3)}, nil, 0, 0),
		"offset outside":   array.NewData(s.String, 3, []*memory.Buffer{nil, int32s(0, 9, 9, 3), raw(1, 2, 3)}, nil, 0, 0),
		"dictionary index": array.NewDataWithDictionary(dict, 3, []*memory.Buffer{nil, raw(0, 1, 2)}, 0, 0, ints),
		"list outside":     array.NewData(arrow.ListOf(p.Int32), 3, []*memory.Buffer{nil, int32s(0, 3, 3, 3)}, []arrow.ArrayData{ints}, 0, 0),
	} {
		arr := array.MakeFromData(d)
		bad := []arrow.Record{array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "k", Type: arr.DataType(), Nullable: true}}, nil), []arrow.Array{arr}, 3)}
		none := arrow.NewSchema(bad[0].Schema().Fields(), nil)
		sound := []arrow.Record{array.NewRecord(none, []arrow.Array{array.MakeArrayOfNull(memory.DefaultAllocator, arr.DataType(), 2)}, 2)}
		for role, call := range map[string]func() error{
			"left": func() error {
				_, err := join.Estimate(t.Context(), bad, sound, join.On("k"), join.Options{})
				return err
			},
			"right": func() error {
				_, err := join.Estimate(t.Context(), sound, bad, join.On("k"), join.Options{})
				return err
			},
			"equal": func() error {
				_, err := join.Estimate(t.Context(), bad, bad, join.On("k"), join.Options{Nulls: join.NullsEqual, Resources: onerow.Resources{Workers: 2}})
				return err
			},
			"split": func() error {
				_, err := join.Split(t.Context(), sound, bad, join.On("k"), join.SplitOptions{Placeholders: []onerow.Value{}})
				return err
			},
		} {
			func() {
				defer func() {
					if p := recover(); p != nil {
						t.Errorf("%s, %s: panic: %v", name, role, p)
					}
				}()
				if err := call(); !errors.Is(err, onerow.ErrMalformed) {
					t.Errorf("%s, %s: %v", name, role, err)
				}
			}()
		}
	}
}

// TestGuardOptions: guards refuse what makes no sense.
func TestGuardOptions(t *testing.T) {
	s := &join.Size{}
	for _, factor := range []float64{0, 0.99, -1, math.NaN(), math.Inf(-1)} {
		if err := s.MaxGrowth(factor); !errors.Is(err, onerow.ErrOption) {
			t.Errorf("MaxGrowth(%v): %v", factor, err)
		}
	}
	if err := s.MaxGrowth(math.Inf(1)); err != nil {
		t.Errorf("without bound: %v", err)
	}
	if err := s.Require(9); !errors.Is(err, onerow.ErrOption) {
		t.Errorf("Require(9): %v", err)
	}
}
