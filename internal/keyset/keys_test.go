package keyset_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/keyset"
	"github.com/onerow-go/onerow/internal/oracle"
)

// parts are the arrays of one column, each of a type of its own, with the values of all rows.
type parts struct {
	types []string
	cells [][]any // by part
}

// column reads parts as a column. The test releases the arrays.
func column(tb arrowtest.TB, mem memory.Allocator, layout *form.Layout, p parts) (c *form.Column, values []any) {
	tb.Helper()
	var arrs []arrow.Array
	c = &form.Column{Name: "k", Layout: layout, Type: arrow.Null}
	for i, typ := range p.types {
		rows := make([][]any, len(p.cells[i]))
		for r, cell := range p.cells[i] {
			rows[r] = []any{cell}
		}
		rec := arrowtest.Table(tb, mem, []string{"k:" + typ}, rows)[0]
		arrs = append(arrs, rec.Column(0))
		for _, row := range arrowtest.Cells(rec) {
			values = append(values, arrowtest.Key(row[0]))
		}
		if t := rec.Column(0).DataType(); form.FamilyOf(t) != form.NullFamily {
			c.Type = t
		}
	}
	var err error
	if c.Chunks, err = form.OfAll(arrs); err != nil {
		tb.Fatalf("%v", err)
	}
	return c, values
}

// columns reads several columns whose parts are of the same lengths. keys holds the values of each row's key.
func columns(tb arrowtest.TB, mem memory.Allocator, all ...parts) (cols []*form.Column, keys [][]any) {
	tb.Helper()
	var lens []int
	for _, cells := range all[0].cells {
		lens = append(lens, len(cells))
	}
	layout := form.NewLayout(lens)
	keys = make([][]any, layout.Rows())
	for _, p := range all {
		c, values := column(tb, mem, layout, p)
		cols = append(cols, c)
		for row, v := range values {
			keys[row] = append(keys[row], v)
		}
	}
	return cols, keys
}

// read is what Read makes of all rows.
type read struct {
	words    [][2]uint64
	hash     []uint64
	null     []bool
	nulls    []int // cells, by column
	nullRows int
}

func readAll(k *keyset.Keys) read {
	if k.OneWord() {
		return readWords[[1]uint64](k)
	}
	return readWords[[2]uint64](k)
}

func readWords[K keyset.Words](k *keyset.Keys) read {
	layout := k.Columns()[0].Layout
	r := read{nulls: make([]int, len(k.Columns()))}
	b := keyset.NewHashBlock[K](k)
	for c := range layout.Chunks() {
		n := int(layout.Start(c+1) - layout.Start(c))
		// Blocks of uneven lengths, so that a short one follows a long one and the other way round.
		for lo, step := 0, 7; lo < n; lo, step = lo+step, min(step*5%1999+1, keyset.BlockRows) {
			step = min(step, n-lo)
			keyset.Read(k, c, lo, step, b)
			null := false
			for i, key := range b.Keys {
				words := [2]uint64{key[0]}
				if len(key) == 2 {
					words[1] = key[len(key)-1]
				}
				r.words = append(r.words, words)
				null = null || b.Null[i] != 0
				r.null = append(r.null, b.Null[i] != 0)
			}
			if null != b.AnyNull {
				panic("AnyNull contradicts Null")
			}
			r.hash = append(r.hash, b.Hash...)
			for i, z := range b.NullCounts {
				r.nulls[i] += z
			}
			r.nullRows += b.NullRows
		}
	}
	return r
}

// TestKeysShape says which keys are one word, and which need no look at the cells.
func TestKeysShape(t *testing.T) {
	mem := arrowtest.Allocator(t)
	one := func(types ...string) parts { return parts{types: types, cells: make([][]any, len(types))} }
	full := func(typ string, cells ...any) parts { return parts{types: []string{typ}, cells: [][]any{cells}} }
	nullColumns := make([]parts, 65)
	for i := range nullColumns {
		nullColumns[i] = full("null", nil)
	}
	for _, test := range []struct {
		name           string
		nulls          bool
		key            []parts
		oneWord, exact bool
	}{
		{"an integer", false, []parts{one("int64")}, true, true},
		{"a float", true, []parts{one("float64")}, true, true},
		{"a bool with NULL, left out", false, []parts{full("bool", nil, true)}, true, true},
		{"an integer with NULL", true, []parts{full("int64", nil, 1)}, false, true},
		{"a dictionary of timestamps", false, []parts{full("dict<int8,timestamp[us]>", "2026-01-31T09:00:00")}, true, true},
		{"two small integers", true, []parts{one("int32"), one("uint32")}, true, true},
		{"eight small integers", true, []parts{one("int8"), one("int8"), one("int8"), one("int8"), one("int8"), one("int8"), one("int8"), one("bool")}, true, true},
		{"two integers", false, []parts{one("int64"), one("int64")}, false, true},
		{"integers that fill both words", false, []parts{one("int32"), one("int64"), one("int32")}, false, true},
		{"integers that fill both words, with NULL", true, []parts{full("int64", nil, 1), full("int64", 1, 2)}, false, false},
		{"small integers with NULL", true, []parts{full("int32", nil), full("int16", 1)}, false, true},
		{"three integers", false, []parts{one("int64"), one("int64"), one("int8")}, false, false},
		{"integers of two widths", false, []parts{one("int8", "int64")}, true, true},
		{"signed and unsigned", false, []parts{one("int32", "uint32")}, true, true},
		{"signed and the largest unsigned", false, []parts{one("int64", "uint64")}, false, false},
		{"one unit", false, []parts{one("timestamp[ms]", "timestamp[ms]")}, true, true},
		{"two units", false, []parts{one("timestamp[ms]", "timestamp[us]")}, false, false},
		{"two kinds of date", false, []parts{one("date32", "date64")}, false, false},
		{"NULL and integers", true, []parts{one("null", "int16")}, true, true},
		{"64 columns of NULL", true, nullColumns[:64], false, true},
		{"65 columns of NULL", true, nullColumns, false, false},
		{"a text", false, []parts{one("string")}, false, false},
		{"bytes of one width", false, []parts{one("fsb(4)")}, false, false},
		{"a decimal", false, []parts{one("decimal(10,2)")}, false, false},
		{"a text and an integer", false, []parts{one("string"), one("int8")}, false, false},
		{"a list", false, []parts{one("list<int8>")}, false, false},
	} {
		for i := range test.key { // one part: as many rows in each column
			for len(test.key[i].cells[0]) < len(test.key[0].cells[0]) {
				test.key[i].cells[0] = append(test.key[i].cells[0], nil)
			}
		}
		cols, _ := columns(t, mem, test.key...)
		k := keyset.NewKeys(cols, test.nulls)
		if k.OneWord() != test.oneWord || k.Exact() != test.exact {
			t.Errorf("%s: one word %v, exact %v", test.name, k.OneWord(), k.Exact())
		}
	}
}

// TestKeysEqual: two keys are equal if and only if their words are, and if those don't decide, their cells.
func TestKeysEqual(t *testing.T) { keysEqual(t, 400) }

func TestKeysEqualUnderOneHash(t *testing.T) {
	form.ConstantHash(true)
	defer form.ConstantHash(false)
	keysEqual(t, 400)
}

// keysEqual returns how many of the keys went by a sample.
func keysEqual(t *testing.T, seeds uint64) (fitted int) {
	for seed := range seeds {
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			src := random{rand.New(rand.NewPCG(seed, 2))}
			var all []parts
			lens := []int{src.IntN(12), src.IntN(12), src.IntN(12)}
			for range 1 + max(0, src.IntN(6)-2) {
				all = append(all, choose(src, lens))
			}
			cols, keys := columns(t, mem, all...)
			for _, nulls := range []bool{false, true} {
				k := keyset.NewKeys(cols, nulls)
				if k.Ways() != "" {
					fitted++
				}
				checkKeys(t, k, keys, nulls)
			}
			if t.Failed() {
				t.Logf("%+v", all)
			}
		})
		mem.AssertSize(t, 0)
	}
	return fitted
}

type random struct{ *rand.Rand }

func (r random) Choose(_ string, n int) int { return r.IntN(n) }

// choose makes a column of parts of different types of one family, now and then of the null type.
func choose(src random, lens []int) parts {
	s := oracle.ChooseSample(src, "sample", false)
	nulls := []int{0, 5}[src.IntN(2)]
	var p parts
	for _, n := range lens {
		typ, cells := s.ChooseType(src, "type"), make([]any, n)
		if src.IntN(10) == 0 {
			typ = "null"
		} else {
			for i := range cells {
				cells[i] = s.ChooseCell(src, "cell", nulls)
			}
		}
		p.types, p.cells = append(p.types, typ), append(p.cells, cells)
	}
	return p
}

// checkKeys compares all keys with each other.
func checkKeys(t *testing.T, k *keyset.Keys, keys [][]any, nulls bool) {
	t.Helper()
	r := readAll(k)
	if len(r.words) != len(keys) || len(r.hash) != len(keys) {
		t.Fatalf("%d keys and %d hashes of %d rows", len(r.words), len(r.hash), len(keys))
	}
	var nullRows int
	cells := make([]int, len(k.Columns()))
	for row, key := range keys {
		for c, v := range key {
			if v == nil {
				cells[c]++
			}
		}
		null := slices.Contains(key, nil)
		if null {
			nullRows++
		}
		if r.null[row] != (null && !nulls) || k.Null(uint32(row)) != null {
			t.Fatalf("row %d: %s is read as NULL: %v, %v", row, arrowtest.FormatRow(key), r.null[row], k.Null(uint32(row)))
		}
	}
	if nullRows != r.nullRows || !slices.Equal(cells, r.nulls) || nullRows > 0 && !k.MayNull() {
		t.Errorf("%d rows with NULL (may be %v), by column %v; want %d, %v", r.nullRows, k.MayNull(), r.nulls, nullRows, cells)
	}
	// A table that is given the words finds the first row of each key.
	first := map[string]uint32{}
	find := finder(k)
	for row, key := range keys {
		if r.null[row] {
			continue
		}
		name := arrowtest.FormatRow(key)
		if _, known := first[name]; !known {
			first[name] = uint32(row)
		}
		if got := find(r.words[row], uint32(row)); got != first[name] {
			t.Fatalf("nulls %v: row %d, %s: the table says it has the key of row %d, %s", nulls, row, name, got, arrowtest.FormatRow(keys[got]))
		}
	}
	for a := range keys {
		for b := range a {
			if r.null[a] || r.null[b] {
				continue
			}
			want := reflect.DeepEqual(keys[a], keys[b])
			words := r.words[a] == r.words[b]
			got := words && (k.Exact() || k.Same(uint32(a), uint32(b)))
			if got != want || want && r.hash[a] != r.hash[b] || k.Same(uint32(a), uint32(b)) != want {
				t.Fatalf("nulls %v: %s and %s: equal %v, by cells %v, words %x %x, hashes %x %x", nulls, arrowtest.FormatRow(keys[a]),
					arrowtest.FormatRow(keys[b]), got, k.Same(uint32(a), uint32(b)), r.words[a], r.words[b], r.hash[a], r.hash[b])
			}
		}
	}
}

// finder returns a function that puts the key of a row into a table, and says which row had it first.
func finder(k *keyset.Keys) func(words [2]uint64, row uint32) uint32 {
	if k.OneWord() {
		table := keyset.NewTable[[1]uint64, uint32](k)
		return func(words [2]uint64, row uint32) uint32 {
			e := entryOf([1]uint64{words[0]}, 0, row)
			first, _ := at(table, &e)
			return first.Row()
		}
	}
	table := keyset.NewTable[[2]uint64, uint32](k)
	return func(words [2]uint64, row uint32) uint32 {
		e := entryOf(words, 0, row)
		first, _ := at(table, &e)
		return first.Row()
	}
}

// TestKeysParts lists pairs of columns that meet in one key, and differ in how a raw value reads.
func TestKeysParts(t *testing.T) {
	whole := func(text string) any { return map[string]any{"i": text} }
	long := "a text of more than fifteen bytes"
	for _, test := range []struct {
		types []string
		cells [][]any
	}{
		{[]string{"int32", "int64"}, [][]any{{-1, 7}, {-1, 7, whole("4294967295"), whole("4294967303")}}},
		{[]string{"int32", "uint32"}, [][]any{{-1, 7}, {7, whole("4294967295")}}},
		{[]string{"int8", "uint8"}, [][]any{{-1, -128, 7}, {7, 255, 128}}},
		{[]string{"int64", "uint64"}, [][]any{{-1, 7, whole("9223372036854775807"), whole("-9223372036854775808")},
			{whole("18446744073709551615"), 7, whole("9223372036854775807"), whole("9223372036854775808")}}},
		{[]string{"timestamp[s]", "timestamp[ns]"}, [][]any{{0, 1, whole("9223372036854775807")}, {0, 1, whole("1000000000"), whole("-1000000000")}}},
		{[]string{"timestamp[s,UTC]", "timestamp[ms,Europe/Vienna]"}, [][]any{{1, -1}, {1, 1000, -1000}}},
		{[]string{"date32", "date64"}, [][]any{{0, 1}, {0, 1, whole("86400000"), whole("86400001")}}},
		{[]string{"time32[s]", "time64[ns]"}, [][]any{{1}, {1, whole("1000000000")}}},
		{[]string{"string", "dict<int8,string>"}, [][]any{{"a", long, long + "!"}, {"a", long, "", "b\x00", "b"}}},
		{[]string{"dict<int8,int64>", "ree<int8>"}, [][]any{{1, 1, 2}, {2, 2, 1, nil}}},
		{[]string{"decimal(10,2)", "decimal256(50,9)"}, [][]any{{"1.5", "-2"}, {"1.500000000", "-2", "0.000000001"}}},
		{[]string{"float16", "float64"}, [][]any{{1.5, map[string]any{"f": "NaN"}, map[string]any{"f": "-0"}}, {1.5, map[string]any{"f": "NaN#1"}, 0.0, 1.0 / 3}}},
		{[]string{"null", "uint64"}, [][]any{{nil, nil}, {0, nil, whole("18446744073709551615")}}},
	} {
		t.Run(fmt.Sprint(test.types), func(t *testing.T) {
			mem := arrowtest.Allocator(t)
			alone := parts{test.types, test.cells}
			// Beside another column the cells are packed: with one that is equal everywhere, and one that isn't.
			beside := func(mod int) parts {
				p := parts{types: []string{"int8", "int8"}, cells: [][]any{make([]any, len(test.cells[0])), make([]any, len(test.cells[1]))}}
				for i := range p.cells {
					for j := range p.cells[i] {
						p.cells[i][j] = j % mod
					}
				}
				return p
			}
			for _, key := range [][]parts{{alone}, {alone, beside(1)}, {alone, beside(2)}, {beside(2), alone}} {
				cols, keys := columns(t, mem, key...)
				for _, nulls := range []bool{false, true} {
					checkKeys(t, keyset.NewKeys(cols, nulls), keys, nulls)
				}
			}
		})
	}
}

// TestKeysOfNulls has more columns that are nothing but NULL than a mask in a word has room for.
func TestKeysOfNulls(t *testing.T) {
	for _, n := range []int{1, 2, 63, 64, 65, 130} {
		mem := arrowtest.Allocator(t)
		all := make([]parts, n)
		for i := range all {
			all[i] = parts{types: []string{"null", "int8"}, cells: [][]any{{nil, nil}, {nil, nil, nil}}}
		}
		all[n-1].cells = [][]any{{nil, nil}, {nil, 0, 1}}
		cols, keys := columns(t, mem, all...)
		checkKeys(t, keyset.NewKeys(cols, true), keys, true)
	}
}

// TestHashes reads hashes alone: the same as beside the keys.
func TestHashes(t *testing.T) {
	mem := arrowtest.Allocator(t)
	cells := make([]any, 3000)
	for i := range cells {
		cells[i] = i % 100
	}
	for _, types := range []string{"int16", "int64", "dict<int8,int32>"} {
		p := parts{types: []string{types}, cells: [][]any{cells}}
		for _, key := range [][]parts{{p}, {p, p}, {p, p, p}} {
			cols, _ := columns(t, mem, key...)
			k := keyset.NewKeys(cols, true)
			want := readAll(k).hash
			h := keyset.NewHashes(k)
			for lo := 0; lo < len(cells); lo += keyset.BlockRows {
				n := min(keyset.BlockRows, len(cells)-lo)
				if got := h.Read(0, lo, n); !slices.Equal(got, want[lo:lo+n]) {
					t.Errorf("%s, %d columns: other hashes from row %d", types, len(key), lo)
				}
			}
		}
	}
}
