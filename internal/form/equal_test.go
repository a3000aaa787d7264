package form

import (
	"cmp"
	"fmt"
	"testing"

	"github.com/onerow-go/onerow/internal/arrowtest"
)

// A cell of a column, and the place of its value in the order of the family's values.
type cell struct {
	a     *Array
	i     int
	value any
	place [3]int // by Rank
	what  string
}

// cellsOf reads a family in all its types and forms. The plain ones are the cells of each type as arrowtest builds it.
func cellsOf(t *testing.T, f family) (plain, all []cell) {
	mem := arrowtest.Allocator(t)
	var cols []column
	var vals []any
	for _, typ := range f.types {
		cols = append(cols, columns(t, mem, typ, f.cells)...)
	}
	for _, c := range cols {
		for _, v := range c.vals {
			vals = append(vals, v...)
		}
	}
	var at [3]map[string]int
	for rank := range at {
		at[rank] = places(distinct(vals), Rank(rank))
	}
	for _, c := range cols {
		for k, a := range read(t, c.arrs) {
			for i, v := range c.vals[k] {
				text := arrowtest.Format(v)
				x := cell{a: a, i: i, value: v, what: fmt.Sprintf("%s of %s, %s, batch %d row %d", text, c.typ, c.name, k, i)}
				for rank := range at {
					x.place[rank] = at[rank][text]
				}
				all = append(all, x)
				if c.name == "as given" && i < len(f.cells)*2/3+4 { // the cells once, and some of them twice
					plain = append(plain, x)
				}
			}
		}
	}
	return plain, all
}

func distinct(vals []any) []any {
	seen := map[string]bool{}
	var out []any
	for _, v := range vals {
		if text := arrowtest.Format(v); !seen[text] {
			seen[text] = true
			out = append(out, v)
		}
	}
	return out
}

// Cells of all types of a family, each with each, and those of all forms with some of them: Equal and Compare are what the
// values say, both ways round, and so Equal is an equivalence and Compare a total order.
func TestCellsAgreeWithValues(t *testing.T) {
	for _, f := range families {
		t.Run(f.name, func(t *testing.T) {
			plain, all := cellsOf(t, f)
			for _, x := range plain {
				for _, y := range plain {
					checkPair(t, x, y)
				}
			}
			for i, x := range all {
				for j := i % 17; j < len(plain); j += 17 {
					checkPair(t, x, plain[j])
				}
			}
		})
	}
}

func checkPair(t *testing.T, x, y cell) {
	t.Helper()
	for rank := ByValue; rank <= ByBits; rank++ {
		if rank == ByBits && x.a.Type != y.a.Type {
			continue // bits of other widths
		}
		want := cmp.Compare(x.place[rank], y.place[rank])
		if got := Compare(x.a, x.i, y.a, y.i, rank); got != want {
			t.Fatalf("Compare(%s, %s, rank %d) = %d, want %d", x.what, y.what, rank, got, want)
		}
		if got := Compare(y.a, y.i, x.a, x.i, rank); got != -want {
			t.Fatalf("Compare(%s, %s, rank %d) = %d, want %d", y.what, x.what, rank, got, -want)
		}
	}
	want := x.place[ByValue] == y.place[ByValue]
	if Equal(x.a, x.i, y.a, y.i) != want || Equal(y.a, y.i, x.a, x.i) != want {
		t.Fatalf("Equal(%s, %s) isn't %v", x.what, y.what, want)
	}
}
