package form

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow/internal/arrowtest"
)

// otherTypes are those that are no keys, and list views, with cells as array.FromJSON takes them.
var otherTypes = []struct {
	typ   arrow.DataType
	cells string
}{
	{arrow.MapOf(textType, arrow.BinaryTypes.LargeString),
		`[{"key": "a", "value": "long, long"}, {"key": "b", "value": null}], [], null, [{"key": "c", "value": "d"}]`},
	{arrow.ListViewOf(textType), `["a", null, "longer than twelve bytes"], [], null, [""]`},
	{arrow.LargeListViewOf(arrow.PrimitiveTypes.Int16), `[1, 2, null], [], null, [4]`},
	{arrow.SparseUnionOf([]arrow.Field{{Name: "a", Type: intType, Nullable: true}, {Name: "b", Type: textType, Nullable: true}}, []arrow.UnionTypeCode{3, 7}),
		`[3, 1], [7, "longer than twelve bytes"], [3, null], [7, null]`},
	{arrow.DenseUnionOf([]arrow.Field{{Name: "a", Type: intType, Nullable: true}, {Name: "b", Type: textType, Nullable: true}}, []arrow.UnionTypeCode{3, 7}),
		`[3, 1], [7, "longer than twelve bytes"], [3, null], [7, null]`},
	{arrow.FixedWidthTypes.MonthInterval, `{"months": 1}, null, {"months": 2}`},
	{arrow.FixedWidthTypes.DayTimeInterval, `{"days": 1, "milliseconds": 0}, null, {"days": 2, "milliseconds": 0}`},
	{arrow.FixedWidthTypes.MonthDayNanoInterval, `{"months": 1, "days": 2, "nanoseconds": 3}, null`},
}

// othersOf makes arrays of the other types, whole and sliced.
func othersOf(t *testing.T, mem memory.Allocator) []column {
	t.Helper()
	var out []column
	for _, o := range otherTypes {
		arr, _, err := array.FromJSON(mem, o.typ, strings.NewReader("["+o.cells+","+o.cells+"]"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(arr.Release)
		part := array.NewSlice(arr, 1, int64(arr.Len()-1))
		t.Cleanup(part.Release)
		out = append(out, column{"whole and sliced", o.typ.String(), []arrow.Array{arr, part}, nil})
	}
	return out
}

// The bytes of some rows, and of a range of rows, are those of each row together, and no row takes more than the most: in every type and form.
func TestRowsBytes(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for _, f := range families {
		mem := arrowtest.Allocator(t)
		for _, typ := range f.types {
			for _, col := range columns(t, mem, typ, f.cells) {
				checkSizes(t, rnd, col)
			}
		}
	}
	for _, col := range othersOf(t, arrowtest.Allocator(t)) {
		checkSizes(t, rnd, col)
	}
}

func checkSizes(t *testing.T, rnd *rand.Rand, col column) {
	t.Helper()
	for k, a := range read(t, col.arrs) {
		each := make([]int64, a.Len)
		for i := range each {
			if each[i] = a.PlainBytes(i, i+1); each[i] < 1 {
				t.Errorf("%s, %s, array %d: row %d takes %d bytes", col.typ, col.name, k, i, each[i])
			}
			if col.vals != nil && each[i] < contentOf(col.vals[k][i]) {
				t.Errorf("%s, %s, array %d: row %d takes %d bytes, its texts alone %d", col.typ, col.name, k, i, each[i], contentOf(col.vals[k][i]))
			}
		}
		lo := rnd.IntN(a.Len + 1)
		hi := lo + rnd.IntN(a.Len-lo+1)
		for _, part := range [][2]int{{0, a.Len}, {lo, hi}, {lo, lo}} {
			some := each[part[0]:part[1]]
			if got := a.PlainBytes(part[0], part[1]); got != sumOf(some) {
				t.Errorf("%s, %s, array %d: rows %v take %d bytes, one by one %d", col.typ, col.name, k, part, got, sumOf(some))
			}
			if got := a.MostBytes(part[0], part[1]); len(some) > 0 && got != slices.Max(some) {
				t.Errorf("%s, %s, array %d: none of rows %v takes more than %d bytes, but one takes %d", col.typ, col.name, k, part, got, slices.Max(some))
			}
		}
		for _, base := range []uint32{0, 1 << 31} {
			var rows []uint32
			var want int64
			for range rnd.IntN(2 * (a.Len + 1)) { // in any order, and again
				if a.Len > 0 {
					i := rnd.IntN(a.Len)
					rows, want = append(rows, base+uint32(i)), want+each[i]
				}
			}
			if got := a.RowsBytes(rows, base); got != want {
				t.Errorf("%s, %s, array %d: rows %v from %d on take %d bytes, one by one %d", col.typ, col.name, k, rows, base, got, want)
			}
		}
	}
}

// A long text counts where it is, and as often as rows refer to it, however deep it lies; so do the slots of children beside it.
func TestLongContent(t *testing.T) {
	mem := arrowtest.Allocator(t)
	long := strings.Repeat("x", 1000)
	wide := []arrow.Field{{Name: "a", Type: textType, Nullable: true}, {Name: "b", Type: &arrow.FixedSizeBinaryType{ByteWidth: 500}, Nullable: true}}
	wider := append(slices.Clone(wide), arrow.Field{Name: "c", Type: &arrow.FixedSizeBinaryType{ByteWidth: 500}, Nullable: true})
	codes := []arrow.UnionTypeCode{3, 7, 8}
	cell := func(format string) string { return strings.ReplaceAll(format, "L", `"`+long+`"`) }
	for _, c := range []struct {
		typ         arrow.DataType
		cell        string
		least, most int64
	}{
		{textType, `L`, 1000, 1010},
		{arrow.BinaryTypes.StringView, `L`, 1000, 1020},
		{&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: textType}, `L`, 1000, 1020},
		{arrow.ListOf(textType), `[L, L]`, 2000, 2050},
		{arrow.LargeListOf(textType), `[L, L]`, 2000, 2050},
		{arrow.FixedSizeListOf(2, textType), `[L, L]`, 2000, 2050},
		{arrow.ListViewOf(textType), `[L, L]`, 2000, 2050},
		{arrow.LargeListViewOf(textType), `[L, L]`, 2000, 2050},
		{arrow.ListOf(arrow.ListOf(textType)), `[[L], [], [L, L]]`, 3000, 3100},
		{arrow.StructOf(wide...), `{"a": L, "b": null}`, 1500, 1550},
		{arrow.ListOf(arrow.StructOf(wide...)), `[{"a": L, "b": null}, null]`, 2000, 2100},
		{arrow.MapOf(textType, textType), `[{"key": L, "value": L}]`, 2000, 2100},
		{arrow.DenseUnionOf(wider, codes), `[3, L]`, 1000, 1600},
		{arrow.SparseUnionOf(wider, codes), `[3, L]`, 2000, 2100},
		{arrow.SparseUnionOf(wider, codes), `[3, null]`, 1000, 1100},
		{arrow.ListOf(arrow.SparseUnionOf(wider, codes)), `[[3, L], [3, L]]`, 4000, 4200},
	} {
		arr, _, err := array.FromJSON(mem, c.typ, strings.NewReader("["+cell(c.cell)+","+cell(c.cell)+"]"))
		if err != nil {
			t.Fatalf("%v: %v", c.typ, err)
		}
		a, err := Of(arr)
		if err != nil {
			t.Fatal(err)
		}
		if got := a.PlainBytes(1, 2); got < c.least || got > c.most {
			t.Errorf("%v: %d bytes, want %d to %d", c.typ, got, c.least, c.most)
		}
		arr.Release()
	}
}

// Sizes of hostile arrays, too, end in an error or a runtime panic or are told: those that are only offsets and widths say what these say.
func TestHostileSizes(t *testing.T) {
	for _, h := range hostile {
		for name, use := range map[string]func(*Array){
			"PlainBytes": func(a *Array) { a.PlainBytes(0, a.Len) },
			"RowsBytes":  func(a *Array) { a.RowsBytes([]uint32{uint32(a.Len - 1)}, 0) },
			"MostBytes":  func(a *Array) { a.MostBytes(0, a.Len) },
		} {
			err := fails(t, h.data(), use)
			if read := strings.Contains(h.name, "list") || strings.Contains(h.name, "view") || strings.Contains(h.name, "union"); read && err == nil {
				t.Errorf("%s: %s reads it", h.name, name)
			}
		}
	}
}

func sumOf(each []int64) (sum int64) {
	for _, n := range each {
		sum += n
	}
	return sum
}

// contentOf is the number of bytes of the texts in a value.
func contentOf(v any) (n int64) {
	switch v := v.(type) {
	case string:
		return int64(len(v))
	case arrowtest.Bytes:
		return int64(len(v))
	case arrowtest.List:
		for _, e := range v {
			n += contentOf(e)
		}
	case arrowtest.Struct:
		for _, m := range v {
			n += contentOf(m.Value)
		}
	}
	return n
}
