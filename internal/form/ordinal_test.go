package form

import (
	"math/big"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow/internal/arrowtest"
)

// TestOrdinal: cell by cell, the words are those that a Reader reads; of exact arrays of one type, equal words are equal cells.
func TestOrdinal(t *testing.T) {
	mem := arrowtest.Allocator(t)
	for _, f := range families {
		for _, typ := range f.types {
			if dt, err := arrowtest.Type(typ); err != nil || !orderType(dt) {
				continue
			}
			for _, c := range columns(t, mem, typ, f.cells) {
				for i, a := range arraysOf(t, c.arrs) {
					b := NewHashBlock(max(a.Len, 1))
					NewReader([]*Array{a}, Ordinal).Read(0, 0, a.Len, b)
					for r := range a.Len {
						w, ok := a.Ordinal(r)
						if ok == a.Null(r) || ok && w != b.K0[r] {
							t.Fatalf("%s, %s, array %d: row %d (%s) has the word %x, %v; a Reader reads %x", typ, c.name, i, r, Format(a, r), w, ok, b.K0[r])
						}
					}
					checkExact(t, c.name+" "+typ, a, b)
				}
			}
		}
	}
}

func orderType(t arrow.DataType) bool {
	ok, _ := IsOrder(t)
	return ok
}

func arraysOf(t *testing.T, arrs []arrow.Array) []*Array {
	t.Helper()
	out, err := OfAll(arrs)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func checkExact(t *testing.T, name string, a *Array, b *Block) {
	t.Helper()
	m := a.Measure()
	if !m.Cells {
		for r := range a.Len {
			if !a.Null(r) {
				t.Fatalf("%s: row %d is %s, and the array is said to have no cells", name, r, Format(a, r))
			}
		}
		return
	}
	if want := a.Family != TextFamily && a.Family != BinaryFamily; m.Exact != want {
		t.Fatalf("%s: exact %v, want %v", name, m.Exact, want)
	}
	for i := range min(a.Len, 40) {
		for j := range min(a.Len, 40) {
			if a.Null(i) || a.Null(j) || !m.Exact || m.Decimals && (b.K0[i] == 0 || b.K0[i] == ^uint64(0)) {
				continue
			}
			if same := b.K0[i] == b.K0[j]; same != Equal(a, i, a, j) {
				t.Fatalf("%s: words %x of %s and %x of %s", name, b.K0[i], Format(a, i), b.K0[j], Format(a, j))
			}
		}
	}
}

// TestMeasure: what words stand for.
func TestMeasure(t *testing.T) {
	mem := arrowtest.Allocator(t)
	for typ, want := range map[string]Measure{
		"null": {Unit: 1}, "bool": {Cells: true, Exact: true, Unit: 1}, "float32": {Cells: true, Exact: true, Unit: 1},
		"int8": {Cells: true, Exact: true, Unit: 1, Integers: true}, "uint32": {Cells: true, Exact: true, Unit: 1, Integers: true},
		"uint64": {Cells: true, Exact: true, Unit: 1, Integers: true, Unsigned: true}, "dict<int8,uint64>": {Cells: true, Exact: true, Unit: 1, Integers: true, Unsigned: true},
		"timestamp[s]": {Cells: true, Exact: true, Unit: 1_000_000_000, Integers: true}, "ree<timestamp[us]>": {Cells: true, Exact: true, Unit: 1000, Integers: true},
		"date32": {Cells: true, Exact: true, Unit: 86_400_000, Integers: true}, "date64": {Cells: true, Exact: true, Unit: 1, Integers: true},
		"decimal(9,3)": {Cells: true, Exact: true, Unit: 1, Decimals: true, Scale: 3}, "string": {Cells: true, Unit: 1},
	} {
		cell := any(1)
		switch typ {
		case "null":
			cell = nil
		case "bool":
			cell = true
		case "string":
			cell = "1"
		}
		recs := arrowtest.Table(t, mem, []string{"c:" + typ}, [][]any{{cell}, {nil}})
		a := arraysOf(t, []arrow.Array{recs[0].Column(0)})[0]
		if got := a.Measure(); got != want && !(typ == "null" && !got.Cells) {
			t.Errorf("%s: %+v, want %+v", typ, got, want)
		}
		nulls := arrowtest.Table(t, mem, []string{"c:" + typ}, [][]any{{nil}})
		if arraysOf(t, []arrow.Array{nulls[0].Column(0)})[0].Measure().Cells {
			t.Errorf("%s: NULLs are said to be cells", typ)
		}
	}
}

// TestExceeds compares differences with those of big integers.
func TestExceeds(t *testing.T) {
	mem := arrowtest.Allocator(t)
	steps := []uint64{0, 1, 7, 999, 1_000_000_000, 86_400_000, 1 << 63, ^uint64(0)}
	for _, name := range []string{"int", "date", "naive", "duration"} {
		for _, f := range families {
			if f.name != name {
				continue
			}
			var cols []*Array
			for _, typ := range f.types {
				cols = append(cols, arraysOf(t, columns(t, mem, typ, f.cells)[0].arrs)[0])
			}
			for _, a := range cols {
				for _, b := range cols {
					exceedPairs(t, a, b, steps)
				}
			}
		}
	}
}

func exceedPairs(t *testing.T, a, b *Array, steps []uint64) {
	t.Helper()
	exact := func(a *Array, i int) *big.Int {
		v := a.intAt(a.Kind, a.off+i)
		n := big.NewInt(v)
		if a.Kind == KindU64 {
			n.SetUint64(uint64(v))
		}
		return n.Mul(n, new(big.Int).SetUint64(a.mul))
	}
	for i := range min(a.Len, 30) {
		for j := range min(b.Len, 30) {
			if a.Null(i) || b.Null(j) {
				continue
			}
			diff := new(big.Int).Sub(exact(a, i), exact(b, j))
			for _, step := range steps {
				if got, want := Exceeds(a, i, b, j, step), diff.Cmp(new(big.Int).SetUint64(step)) > 0; got != want {
					t.Fatalf("%s exceeds %s by more than %d: %v, want %v", Format(a, i), Format(b, j), step, got, want)
				}
			}
		}
	}
}
