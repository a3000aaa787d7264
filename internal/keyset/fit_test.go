package keyset_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/keyset"
)

// TestKeysFit: keys that go by a sample are equal if and only if their cells are, whatever the sample has promised: all rows are in it or hardly any, all values
// get a number or hardly any.
func TestKeysFit(t *testing.T) {
	for _, every := range []uint32{1, 30} {
		for _, room := range []int{1, 4, 1 << 10} {
			t.Run(fmt.Sprintf("every=%d/room=%d", every, room), func(t *testing.T) {
				defer keyset.SampleFrom(1, every, 1, room)()
				fitted := keysEqual(t, 60)
				form.ConstantHash(true)
				defer form.ConstantHash(false)
				if fitted += keysEqual(t, 60); fitted < 60 {
					t.Errorf("%d keys were read by a sample", fitted)
				}
			})
		}
	}
}

// key is a column of a key of the tests below: row i has the cell of i.
type key struct {
	typ  string
	cell func(i int) any
}

func keyColumns(t *testing.T, mem memory.Allocator, lens []int, key ...key) (cols []*form.Column, keys [][]any) {
	t.Helper()
	var all []parts
	for _, k := range key {
		p, row := parts{}, 0
		for _, n := range lens {
			cells := make([]any, n)
			for i := range cells {
				cells[i] = k.cell(row)
				row++
			}
			p.types, p.cells = append(p.types, k.typ), append(p.cells, cells)
		}
		all = append(all, p)
	}
	return columns(t, mem, all...)
}

// TestKeysWays says how keys are read by what their columns hold.
func TestKeysWays(t *testing.T) {
	mem := arrowtest.Allocator(t)
	defer keyset.SampleFrom(2000, 2, 8, 1<<13)()
	tenant := key{"string", func(i int) any { return fmt.Sprintf("tenant-%02d", i%97) }}
	plant := key{"large_string", func(i int) any { return fmt.Sprintf("a plant with a long name, %02d", i%97) }}
	coded := key{"dict<int8,string>", tenant.cell}
	land := key{"string_view", func(i int) any { return []string{"AT", "DE", "CH", "USA"}[i%4] }}
	customer := key{"string", func(i int) any { return fmt.Sprintf("c-%08d", i) }}
	uuid := key{"string", func(i int) any { return fmt.Sprintf("%08d-0000-4000-a000-%012d", i, i) }}
	price := key{"decimal(10,2)", func(i int) any { return fmt.Sprintf("%d.99", i%50) }}
	amount := key{"decimal(10,2)", func(i int) any { return fmt.Sprintf("%d.99", i) }}
	tags := key{"list<int8>", func(i int) any { return []any{i % 3, i % 5} }}
	small := key{"int64", func(i int) any { return i + 32_000 }}
	spread := key{"int64", func(i int) any { return int64(uint64(i+1) * 0x9e3779b97f4a7c15) }}
	date := key{"date32", func(i int) any { return i % 300 }}
	code := key{"int32", func(i int) any { return i % 100 }}
	wide := key{"int32", func(i int) any { return i % 127 << 24 }}
	five := key{"string", func(i int) any { return fmt.Sprintf("%05d", i) }}
	six := key{"string", func(i int) any { return fmt.Sprintf("c%05d", i%600) }}
	sometimes := func(k key) key {
		return key{k.typ, func(i int) any {
			if i%7 == 0 {
				return nil
			}
			return k.cell(i)
		}}
	}
	for _, test := range []struct {
		name string
		key  []key
		ways string
	}{
		{"a text of few and an integer", []key{tenant, spread}, "cw"},
		{"an integer and a text of few, some NULL", []key{sometimes(spread), sometimes(tenant)}, "wc"},
		{"a dictionary and an integer", []key{coded, spread}, "cw"},
		{"long texts of few and an integer", []key{plant, spread}, "cw"},
		{"short texts", []key{land, spread}, "tw"},
		{"short texts, one of them longer", []key{land, customer}, "tt"},
		{"two texts, the second in both words", []key{five, five}, "tt"},
		{"the same text and another", []key{{"string", func(int) any { return "-----" }}, five}, "tt"},
		{"an integer in both words", []key{six, wide, date}, "tww"},
		{"two texts of few", []key{tenant, plant}, "tc"},
		{"texts of few, a date and an integer", []key{tenant, plant, date, code}, "ccww"},
		{"a text beside a small integer", []key{customer, small}, "tn"},
		{"texts of few beside two integers", []key{tenant, spread, small}, "cwn"},
		{"decimals of few", []key{price}, "c"},
		{"decimals and lists of few", []key{price, tags, spread}, "ccw"},
		{"two integers with NULL", []key{sometimes(small), sometimes(spread)}, "nw"},
		{"an integer and a date with NULL", []key{sometimes(spread), sometimes(date)}, "ww"},
		{"nothing but NULL", []key{{"string", func(int) any { return nil }}, spread}, "tw"},
		{"a text that is a key by itself", []key{tenant}, ""},
		{"UUIDs and an integer", []key{uuid, code}, ""},
		{"decimals of many", []key{amount, code}, ""},
		{"texts that are too long together", []key{customer, spread}, ""},
		{"too many columns", []key{tenant, code, code, code, code, code, code, code}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			cols, keys := keyColumns(t, mem, []int{1200, 800}, test.key...)
			k := keyset.NewKeys(cols, true)
			if k.Ways() != test.ways {
				t.Errorf("%q, want %q", k.Ways(), test.ways)
			}
			if digests := checkWords(t, k, keys); test.ways != "" && digests > len(keys)/100 {
				t.Errorf("%d keys of %d are digests", digests, len(keys))
			}
		})
	}
}

// checkWords checks that the words of keys are equal if and only if the keys are, and returns how many are digests.
func checkWords(t *testing.T, k *keyset.Keys, keys [][]any) (digests int) {
	t.Helper()
	names, words := map[[2]uint64]string{}, map[string][2]uint64{}
	for row, w := range readAll(k).words {
		name := arrowtest.FormatRow(keys[row])
		if was, ok := words[name]; ok && was != w {
			t.Fatalf("%s has the words %x and %x", name, was, w)
		}
		if was, ok := names[w]; ok && was != name {
			t.Fatalf("%s and %s have the words %x", name, was, w)
		}
		names[w], words[name] = name, w
		if w[1]>>56 == form.LongText {
			digests++
		}
	}
	return digests
}

// TestKeysFitMisled: a sample sees nothing of a cell in a hundred. Keys with such cells are digests, and no others.
func TestKeysFitMisled(t *testing.T) {
	const rows = 10_000
	mem := arrowtest.Allocator(t)
	some := func(typ string, cell, other func(i int) any) key {
		return key{typ, func(i int) any {
			if i%100 == 7 {
				return other(i)
			}
			return cell(i)
		}}
	}
	text := func(format string) func(i int) any { return func(i int) any { return fmt.Sprintf(format, i) } }
	small := func(i int) any { return i%5000 + 5000 }
	code := key{"int32", func(i int) any { return i % 10 }}
	for _, test := range []struct {
		name    string
		key     []key
		ways    string
		digests int
	}{
		{"texts of a byte more", []key{code, some("string", text("c-%05d"), text("c-%06d"))}, "wt", 100},
		{"texts of far more", []key{code, some("string", text("c-%05d"), text("c-%030d"))}, "wt", 100},
		{"empty texts", []key{code, some("string", text("c-%05d"), text("%.0d"))}, "wt", 0},
		{"great integers", []key{{"string", text("c-%010d")}, some("int64", small, func(i int) any { return 1<<15 + i%5000 })}, "tn", 100},
		{"negative integers", []key{{"string", text("c-%010d")}, some("int64", small, func(i int) any { return -1<<15 - i%5000 - 1 })}, "tn", 100},
		{"values that find no room", []key{some("string", func(i int) any { return fmt.Sprintf("tenant-%02d", i%50) }, text("x-%012d")),
			{"int64", func(i int) any { return int64(uint64(i+1) * 0x9e3779b97f4a7c15) }}}, "cw", 100 - 64 + 50},
	} {
		t.Run(test.name, func(t *testing.T) {
			again := 1 << 20 // no cell that is alone is one of few
			if test.ways == "cw" {
				again = 1
			}
			defer keyset.SampleFrom(1, rows/2, again, 1<<13)()
			cols, keys := keyColumns(t, mem, []int{rows / 2, rows / 2}, test.key...)
			k := keyset.NewKeys(cols, false)
			for try := 0; k.Ways() != test.ways && try < 50; try++ {
				k = keyset.NewKeys(cols, false) // the sample did see such a cell
			}
			if k.Ways() != test.ways {
				t.Fatalf("they are read as %q", k.Ways())
			}
			if digests := checkWords(t, k, keys); digests != test.digests {
				t.Errorf("%d keys are digests, want %d", digests, test.digests)
			}
		})
	}
}

// TestKeysFitFewRows: keys of a few thousand rows aren't sampled.
func TestKeysFitFewRows(t *testing.T) {
	cols, _ := keyColumns(t, arrowtest.Allocator(t), []int{1000}, key{"string", func(int) any { return "a" }}, key{"int64", func(i int) any { return i }})
	if k := keyset.NewKeys(cols, false); k.Ways() != "" {
		t.Errorf("they are read as %q", k.Ways())
	}
}

// TestKeysFitWorkers: rows have one key whoever reads them and whenever, also when values find no room.
func TestKeysFitWorkers(t *testing.T) {
	for _, room := range []int{3, 40, 1000} {
		t.Run(fmt.Sprint(room), func(t *testing.T) {
			mem := arrowtest.Allocator(t)
			defer keyset.SampleFrom(1, 1, 1, room)()
			cols, keys := keyColumns(t, mem, []int{2000, 3000},
				key{"string", func(i int) any { return fmt.Sprint("a plant with a long name, ", i*i%101) }},
				key{"string", func(i int) any { return fmt.Sprint("tenant-", i%31) }},
				key{"int32", func(i int) any { return i % 7 }})
			k := keyset.NewKeys(cols, false)
			if k.Ways() != "ccw" {
				t.Fatalf("they are read as %q", k.Ways())
			}
			words := make([][][2]uint64, 4)
			var all sync.WaitGroup
			for w := range words {
				all.Add(1)
				go func() {
					defer all.Done()
					words[w] = readSomehow(k, rand.New(rand.NewPCG(uint64(w), 5)))
				}()
			}
			all.Wait()
			rows := map[[2]uint64]string{}
			names := map[string][2]uint64{}
			for row, w := range words[0] {
				for _, other := range words {
					if other[row] != w {
						t.Fatalf("row %d has the words %x and %x", row, w, other[row])
					}
				}
				name := arrowtest.FormatRow(keys[row])
				if was, ok := names[name]; ok && was != w {
					t.Fatalf("%s has the words %x and %x", name, was, w)
				}
				if was, ok := rows[w]; ok && was != name {
					t.Fatalf("%s and %s have the words %x", name, was, w)
				}
				rows[w], names[name] = name, w
			}
		})
	}
}

// readSomehow reads blocks of some length in some order.
func readSomehow(k *keyset.Keys, rng *rand.Rand) [][2]uint64 {
	layout := k.Columns()[0].Layout
	words := make([][2]uint64, layout.Rows())
	type run struct{ c, lo, n int }
	var runs []run
	for c := range layout.Chunks() {
		rows := int(layout.Start(c+1) - layout.Start(c))
		for lo := 0; lo < rows; {
			n := min(1+rng.IntN(200), rows-lo)
			runs = append(runs, run{c, lo, n})
			lo += n
		}
	}
	rng.Shuffle(len(runs), func(i, j int) { runs[i], runs[j] = runs[j], runs[i] })
	b := keyset.NewBlock[[2]uint64](k)
	for _, r := range runs {
		keyset.Read(k, r.c, r.lo, r.n, b)
		copy(words[int(layout.Start(r.c))+r.lo:], b.Keys)
	}
	return words
}

// TestHashesOfFit: the stable hashes of keys don't depend on how they are read.
func TestHashesOfFit(t *testing.T) {
	mem := arrowtest.Allocator(t)
	cols, _ := keyColumns(t, mem, []int{20_000}, key{"string", func(i int) any { return fmt.Sprint("tenant-", i%31) }}, key{"int64", func(i int) any { return i }})
	fit := keyset.NewKeys(cols, false)
	if fit.Ways() != "cw" {
		t.Fatalf("they are read as %q", fit.Ways())
	}
	digest := keyset.NewStableKeys(cols, false)
	if digest.Ways() != "" {
		t.Fatalf("they are read as %q", digest.Ways())
	}
	want := readAll(digest).hash
	h := keyset.NewHashes(fit)
	for lo := 0; lo < len(want); lo += keyset.BlockRows {
		n := min(keyset.BlockRows, len(want)-lo)
		if got := h.Read(0, lo, n); !slices.Equal(got, want[lo:lo+n]) {
			t.Fatalf("other hashes from row %d", lo)
		}
	}
}

// TestKeysFitWithoutLayout: columns that are read on their own, which have no numbers for their rows, go by their types.
func TestKeysFitWithoutLayout(t *testing.T) {
	defer keyset.SampleFrom(1, 1, 1, 10)()
	cols, _ := keyColumns(t, arrowtest.Allocator(t), []int{100}, key{"decimal(10,2)", func(int) any { return "1.5" }})
	if k := keyset.NewKeys(cols, false); k.Ways() != "c" {
		t.Errorf("they are read as %q", k.Ways())
	}
	alone := &form.Column{Name: "k", Type: cols[0].Type, Chunks: cols[0].Chunks}
	if k := keyset.NewKeys([]*form.Column{alone}, false); k.Ways() != "" {
		t.Errorf("alone, they are read as %q", k.Ways())
	}
}
