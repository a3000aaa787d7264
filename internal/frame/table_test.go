package frame_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/frame"
)

// part makes a part of one batch.
func part(t *testing.T, mem memory.Allocator, input string, columns []string, rows ...[]any) frame.Part {
	t.Helper()
	return partOf(t, input, arrowtest.Table(t, mem, columns, rows)...)
}

func partOf(t *testing.T, input string, batches ...arrow.Record) frame.Part {
	t.Helper()
	f, err := frame.New(input, batches)
	if err != nil {
		t.Fatal(err)
	}
	return frame.Part{Frame: f}
}

func table(t *testing.T, parts ...frame.Part) *frame.Table {
	t.Helper()
	tab, err := frame.NewTable(parts...)
	if err != nil {
		t.Fatal(err)
	}
	return tab
}

// cells writes all cells of a column.
func cells(c *form.Column) string {
	var out []string
	for row := range c.Rows() {
		out = append(out, c.Format(row))
	}
	return strings.Join(out, " ")
}

// TestColumn reads one column over several parts.
func TestColumn(t *testing.T) {
	mem := arrowtest.Allocator(t)
	batches := partOf(t, "batches", arrowtest.Batches(t, mem, []string{"k:int32", "was:int64", "op:string"},
		[][]any{{1, 10, "u"}, {2, nil, "d"}}, nil, [][]any{{3, 30, nil}})...)
	target := part(t, mem, "against", []string{"v:bool", "k:int64"}, []any{true, 4})
	optional, renamed := target, batches
	optional.Optional = true
	renamed.Names = map[string]string{"k": "was", "x": "k"}
	nothing := partOf(t, "against")
	for _, test := range []struct {
		name   string
		column string
		parts  []frame.Part
		want   string
		typ    arrow.DataType
	}{
		{"of one part", "k", []frame.Part{batches}, "1 2 3", arrow.PrimitiveTypes.Int32},
		{"of two", "k", []frame.Part{batches, target}, "1 2 3 4", arrow.PrimitiveTypes.Int32},
		{"renamed in the third", "k", []frame.Part{batches, target, renamed}, "1 2 3 4 10 NULL 30", arrow.PrimitiveTypes.Int32},
		{"missing where it may be", "op", []frame.Part{batches, optional}, `"u" "d" NULL NULL`, arrow.BinaryTypes.String},
		{"there where it may be missing", "k", []frame.Part{batches, optional}, "1 2 3 4", arrow.PrimitiveTypes.Int32},
		{"in a part without batches", "k", []frame.Part{batches, nothing}, "1 2 3", arrow.PrimitiveTypes.Int32},
		{"in nothing", "k", []frame.Part{nothing}, "", arrow.Null},
		{"first missing where it may be", "op", []frame.Part{optional, batches}, `NULL "u" "d" NULL`, arrow.BinaryTypes.String},
	} {
		t.Run(test.name, func(t *testing.T) {
			tab := table(t, test.parts...)
			c, err := tab.Column(test.column, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := cells(c); got != test.want || c.Name != test.column || !arrow.TypeEqual(c.Type, test.typ) {
				t.Errorf("%s: %s of type %v, want %s of type %v", c.Name, got, c.Type, test.want, test.typ)
			}
		})
	}
	if got := table(t, batches, target).Lens(); !slices.Equal(got, []int{2, 0, 1, 1}) {
		t.Errorf("lengths %v", got)
	}
}

// TestNullTypedParts: the null type goes with any other, and doesn't hide that two others don't fit.
func TestNullTypedParts(t *testing.T) {
	mem := arrowtest.Allocator(t)
	null := part(t, mem, "nulls", []string{"k:null"}, []any{nil})
	number := part(t, mem, "numbers", []string{"k:int8"}, []any{7})
	text := part(t, mem, "texts", []string{"k:string"}, []any{"a"})
	for _, parts := range [][]frame.Part{{null, number}, {number, null}, {null, null, number}} {
		c, err := table(t, parts...).Column("k", form.IsKey)
		if err != nil || c.Type.ID() != arrow.INT8 || !strings.Contains(cells(c), "NULL") || !strings.Contains(cells(c), "7") {
			t.Errorf("%v, %v", c, err)
		}
	}
	for _, parts := range [][]frame.Part{{null, number, text}, {number, null, text}, {text, number}} {
		_, err := table(t, parts...).Column("k", form.IsKey)
		var got *onerow.TypeError
		if !errors.As(err, &got) || got.OtherType == nil {
			t.Errorf("%v", err)
		}
	}
}

// TestColumnErrors: what is wrong in several parts, and in several key columns, comes back together.
func TestColumnErrors(t *testing.T) {
	mem := arrowtest.Allocator(t)
	batches := part(t, mem, "batches", []string{"k:int32", "l:int32", "m:map<string,int8>", "t:timestamp[s]", "s:struct<a:int8>"})
	target := part(t, mem, "against", []string{"k:string", "m:map<string,int8>", "t:timestamp[s,UTC]", "s:struct<b:int8>"})
	twice := part(t, mem, "against", []string{"k:int8", "k:int8"})
	typeError := func(e onerow.TypeError) error { return &e }
	batchFields, targetFields := batches.Schema, target.Schema
	have := []string{"k", "m", "t", "s"}
	two := func(name, why string) error {
		at, other := batchFields.FieldIndices(name)[0], targetFields.FieldIndices(name)[0]
		return typeError(onerow.TypeError{Column: name, Type: batchFields.Field(at).Type, Input: "batches",
			OtherColumn: name, OtherType: targetFields.Field(other).Type, OtherInput: "against", Why: why})
	}
	for _, test := range []struct {
		name  string
		key   []string
		parts []frame.Part
		want  []error
	}{
		{"a family", []string{"k"}, []frame.Part{batches, target}, []error{two("k", "their values are never equal; convert one of them")}},
		{"a missing column", []string{"l"}, []frame.Part{batches, target},
			[]error{&onerow.ColumnError{Column: "l", Input: "against", Have: have}}},
		{"an ambiguous column", []string{"k"}, []frame.Part{batches, twice},
			[]error{&onerow.ColumnError{Column: "k", Input: "against", Found: 2, Have: []string{"k", "k"}}}},
		{"in all parts", []string{"x"}, []frame.Part{batches, twice}, []error{
			&onerow.ColumnError{Column: "x", Input: "batches", Have: []string{"k", "l", "m", "t", "s"}},
			&onerow.ColumnError{Column: "x", Input: "against", Have: []string{"k", "k"}}}},
		{"no key type", []string{"m"}, []frame.Part{batches}, []error{
			typeError(onerow.TypeError{Column: "m", Type: batchFields.Field(2).Type, Input: "batches", Why: "map is not a key type"})}},
		{"a zone", []string{"t"}, []frame.Part{batches, target},
			[]error{two("t", "a timestamp without a zone is no instant, it never equals one")}},
		{"a field", []string{"s"}, []frame.Part{batches, target}, []error{two("s", `field 0 is "a" and "b"`)}},
		{"several columns", []string{"k", "l", "k"}, []frame.Part{batches, target}, []error{
			two("k", "their values are never equal; convert one of them"),
			&onerow.ColumnError{Column: "l", Input: "against", Have: have}, onerow.ErrOption}},
		{"no key", nil, []frame.Part{batches}, []error{onerow.ErrNoKey}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := table(t, test.parts...).Keys(test.key)
			for _, want := range test.want {
				if !found(err, want) {
					t.Errorf("got: %v\nlacks: %v", err, want)
				}
			}
			if got := len(leaves(err)); got != len(test.want) {
				t.Errorf("%d errors, want %d: %v", got, len(test.want), err)
			}
		})
	}
	if _, err := table(t, batches, target).Keys([]string{"k", "k"}); !strings.Contains(err.Error(), `the key names column "k" twice`) {
		t.Errorf("%v", err)
	}
}

// leaves lists the errors that are joined in one.
func leaves(err error) (out []error) {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok && !strings.HasPrefix(err.Error(), onerow.ErrOption.Error()) {
		for _, e := range joined.Unwrap() {
			out = append(out, leaves(e)...)
		}
		return out
	}
	return []error{err}
}

// found says whether an error is among those joined, by its fields.
func found(err, want error) bool {
	for _, e := range leaves(err) {
		if errors.Is(e, want) || reflect.DeepEqual(any(e), any(want)) {
			return true
		}
	}
	return false
}

// TestRenamedErrors names the column as the part has it.
func TestRenamedErrors(t *testing.T) {
	mem := arrowtest.Allocator(t)
	batches := part(t, mem, "batches", []string{"k:int32", "was:string"})
	previous := batches
	previous.Names = map[string]string{"k": "was"}
	_, err := table(t, batches, previous).Column("k", form.IsKey)
	var typ *onerow.TypeError
	if !errors.As(err, &typ) || typ.Column != "k" || typ.OtherColumn != "was" || typ.OtherType.ID() != arrow.STRING {
		t.Errorf("%v", err)
	}
	previous.Names = map[string]string{"k": "before"}
	_, err = table(t, batches, previous).Column("k", form.IsKey)
	var col *onerow.ColumnError
	if !errors.As(err, &col) || col.Column != "before" {
		t.Errorf("%v", err)
	}
}

// TestTooManyRows lays out batches that claim more rows than there are numbers for.
func TestTooManyRows(t *testing.T) {
	const most = 1<<31 - 1
	half := record(t, most, array.NewNull(most))
	f := partOf(t, "batches", half, half, record(t, 1, array.NewNull(1)))
	_, err := frame.NewTable(f)
	if !errors.Is(err, onerow.ErrTooManyRows) || !strings.Contains(err.Error(), "4294967295, of at most 4294967294") {
		t.Errorf("%v", err)
	}
	one := partOf(t, "batches", half)
	if _, err := frame.NewTable(one, one, one); !errors.Is(err, onerow.ErrTooManyRows) {
		t.Errorf("%v", err)
	}
	tab := table(t, one, one)
	if tab.Rows() != onerow.MaxRows {
		t.Errorf("%d rows", tab.Rows())
	}
	if c, i := tab.At(onerow.MaxRows - 1); c != 1 || i != most-1 {
		t.Errorf("the last row is row %d of batch %d", i, c)
	}
}

// TestColumnAt reads a column by its place, with a name that another has too.
func TestColumnAt(t *testing.T) {
	mem := arrowtest.Allocator(t)
	batches := part(t, mem, "batches", []string{"v:int8", "v:string"}, []any{1, "a"}, []any{2, nil})
	target := part(t, mem, "against", []string{"k:int8"}, []any{1})
	tab := table(t, batches, target)
	for i, want := range []string{"1 2 NULL", `"a" NULL NULL`} {
		c, err := tab.ColumnAt(i)
		if err != nil || cells(c) != want || c.Name != "v" || !arrow.TypeEqual(c.Type, batches.Schema.Field(i).Type) {
			t.Errorf("%v of type %v, %v", cells(c), c.Type, err)
		}
	}
}

// TestMalformed names the input and the column of an array that contradicts its shape.
func TestMalformed(t *testing.T) {
	short := array.NewData(arrow.PrimitiveTypes.Int8, 100,
		[]*memory.Buffer{memory.NewBufferBytes([]byte{1}), memory.NewBufferBytes(make([]byte, 100))}, nil, array.UnknownNullCount, 0)
	bad := partOf(t, "against", record(t, 100, array.MakeFromData(short)))
	tab := table(t, bad)
	for name, f := range map[string]func() error{
		"Column":   func() error { _, err := tab.Column("a", nil); return err },
		"ColumnAt": func() error { _, err := tab.ColumnAt(0); return err },
		"Keys":     func() error { _, err := tab.Keys([]string{"a"}); return err },
	} {
		if err := f(); !errors.Is(err, onerow.ErrMalformed) || !strings.Contains(err.Error(), `against: column "a"`) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestKeyRows(t *testing.T) {
	mem := arrowtest.Allocator(t)
	var rows [][]any
	var numbers []uint32
	for i := range 30 {
		rows, numbers = append(rows, []any{"a", i % 2}), append(numbers, uint32(i))
	}
	rows[0][1] = nil
	cols, err := table(t, part(t, mem, "batches", []string{"k:string", "l:int8"}, rows...)).Keys([]string{"k", "l"})
	if err != nil {
		t.Fatal(err)
	}
	got := frame.KeyRows(cols, 99, numbers)
	want := onerow.KeyRows{Values: []string{`"a"`, "NULL"}, Count: 99, Rows: onerow.Rows(numbers[:onerow.MaxSampleRows])}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	numbers[0] = 7
	if got.Rows[0] != 0 {
		t.Error("the sample holds on to the list")
	}
}
