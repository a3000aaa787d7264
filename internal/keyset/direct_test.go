package keyset_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/keyset"
)

// TestReadFromMemory: keys that are read from the columns' own memory are those that are read in steps, as blocks with stable hashes do, for all cuts, types and lengths.
func TestReadFromMemory(t *testing.T) {
	mem := arrowtest.Allocator(t)
	r := rand.New(rand.NewPCG(5, 6))
	text := func(longs int) func(int) any {
		return func(int) any {
			s := strings.Repeat(string([]byte{byte('a' + r.IntN(26))}), r.IntN(form.MaxInline+1))
			if longs > 0 && r.IntN(longs) == 0 {
				s += "more than sixteen"
			}
			return s
		}
	}
	word := func(int) any { return int64(r.Uint64() >> r.IntN(64)) }
	some := func(cell func(int) any) func(int) any {
		return func(i int) any {
			if i%5 == 0 {
				return nil
			}
			return cell(i)
		}
	}
	for _, key := range [][]key{
		{{"int64", word}},
		{{"int64", word}, {"int64", word}},
		{{"timestamp[us]", word}, {"int64", word}},
		{{"int64", word}, {"int64", some(word)}},
		{{"int32", func(i int) any { return i }}, {"int64", word}},
		{{"string", text(0)}},
		{{"string", text(30)}},
		{{"string", text(1)}},
		{{"string", some(text(30))}},
		{{"large_string", text(0)}},
		{{"large_string", text(30)}},
		{{"string_view", text(30)}},
	} {
		var types []string
		for _, k := range key {
			types = append(types, k.typ)
		}
		t.Run(strings.Join(types, ","), func(t *testing.T) {
			cols, _ := keyColumns(t, mem, []int{1500, 0, 1, 700}, key...)
			for _, nulls := range []bool{false, true} {
				k := keyset.NewStableKeys(cols, nulls)
				if k.OneWord() {
					readTwice[[1]uint64](t, k)
				} else {
					readTwice[[2]uint64](t, k)
				}
			}
		})
	}
}

// readTwice reads blocks here and there without and with stable hashes, and compares them.
func readTwice[K keyset.Words](t *testing.T, k *keyset.Keys) {
	t.Helper()
	r := rand.New(rand.NewPCG(7, 8))
	a, b := keyset.NewBlock[K](k), keyset.NewHashBlock[K](k)
	for range 60 {
		c := r.IntN(len(k.Columns()[0].Chunks))
		rows := k.Columns()[0].Chunks[c].Len
		lo := r.IntN(rows + 1)
		n := r.IntN(min(rows-lo, keyset.BlockRows) + 1)
		keyset.Read(k, c, lo, n, a)
		keyset.Read(k, c, lo, n, b)
		if !slices.Equal(a.Keys, b.Keys) || !slices.Equal(a.Null, b.Null) || a.AnyNull != b.AnyNull || a.NullRows != b.NullRows || !slices.Equal(a.NullCounts, b.NullCounts) {
			t.Fatalf("batch %d, rows %d to %d: keys from memory differ from those read in steps", c, lo, lo+n)
		}
	}
}

// TestFewFromMemory: texts of few that are read from memory have the numbers of those that are read in steps, whatever encoding each batch has, and whether all
// have one or not.
func TestFewFromMemory(t *testing.T) {
	for _, room := range []int{16, 1 << 10} {
		t.Run(fmt.Sprintf("room=%d", room), func(t *testing.T) {
			mem := arrowtest.Allocator(t)
			defer keyset.SampleFrom(100, 1, 1, room)()
			cell := func(i int) any {
				switch {
				case i > 2000 && i%20 == 0: // a few in a block
					return fmt.Sprintf("a long name of a tenant, %d", i%300)
				case i > 2500 && i%2 == 0: // many
					return fmt.Sprintf("another name of a tenant, %d", i%300)
				}
				return fmt.Sprintf("tenant-%0*d", 1+i%9, i%300)
			}
			id := func(i int) any { return int64(uint64(i%300+1) * 0x9e3779b97f4a7c15) }
			p := []parts{{}, {}}
			row := 0
			for _, typ := range []string{"string", "large_string", "dict<int16,string>", "string_view", "string"} {
				cells := [][]any{nil, nil}
				for range 700 {
					cells[0], cells[1] = append(cells[0], cell(row)), append(cells[1], id(row))
					row++
				}
				p[0].types, p[0].cells = append(p[0].types, typ), append(p[0].cells, cells[0])
				p[1].types, p[1].cells = append(p[1].types, "int64"), append(p[1].cells, cells[1])
			}
			cols, values := columns(t, mem, p...)
			k := keyset.NewKeys(cols, false)
			if k.Ways() != "cw" {
				t.Fatalf("keys are read by %q", k.Ways())
			}
			words := readAll(k).words
			first := map[string][2]uint64{}
			for i, w := range words {
				v := fmt.Sprint(values[i])
				if was, ok := first[v]; ok && was != w {
					t.Fatalf("row %d, %s: %x, and before %x", i, v, w, was)
				}
				first[v] = w
			}
			of := map[[2]uint64]string{}
			for v, w := range first {
				if was, ok := of[w]; ok {
					t.Fatalf("%s and %s are one key", v, was)
				}
				of[w] = v
			}
		})
	}
}
