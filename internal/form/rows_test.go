package form

import (
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow/internal/arrowtest"
)

// At agrees with a search from the first batch on, whatever the lengths of the batches.
func TestLayout(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 400 {
		lens := make([]int, rnd.IntN(30))
		longest := []int{1, 2, 5, 100, 3000}[rnd.IntN(5)]
		for i := range lens {
			if lens[i] = rnd.IntN(longest + 1); rnd.IntN(3) == 0 {
				lens[i] = rnd.IntN(2)
			}
		}
		checkLayout(t, lens)
	}
	for _, lens := range [][]int{nil, {}, {0}, {5}, {0, 0, 0}, {0, 0, 1}, {1, 0, 0}, {1, 1, 1, 1, 1}, {4096, 1, 0, 1}, {1, 70_000}, {70_000, 1}, {0, 3, 0, 0, 1, 0}} {
		checkLayout(t, lens)
	}
}

func checkLayout(t *testing.T, lens []int) {
	t.Helper()
	l := NewLayout(lens)
	row := uint32(0)
	for c, n := range lens {
		if l.Start(c) != row {
			t.Fatalf("%v: batch %d starts at %d, want %d", lens, c, l.Start(c), row)
		}
		for i := range n {
			if gc, gi := l.At(row); gc != c || gi != i {
				t.Fatalf("%v: row %d is %d in batch %d, want %d in batch %d", lens, row, gi, gc, i, c)
			}
			row++
		}
	}
	if l.Rows() != row || l.Chunks() != len(lens) {
		t.Fatalf("%v: %d rows in %d batches", lens, l.Rows(), l.Chunks())
	}
}

// Rows are numbered to the last that 32 bits can number.
func TestLayoutOfManyRows(t *testing.T) {
	l := NewLayout([]int{1 << 30, 1 << 30, 0, 1 << 30, 1<<30 - 2, 1})
	for _, c := range []struct {
		row      uint32
		chunk, i int
	}{{0, 0, 0}, {1<<30 - 1, 0, 1<<30 - 1}, {1 << 31, 3, 0}, {1<<32 - 3, 4, 1<<30 - 3}, {1<<32 - 2, 5, 0}} {
		if chunk, i := l.At(c.row); chunk != c.chunk || i != c.i {
			t.Errorf("row %d is %d in batch %d, want %d in batch %d", c.row, i, chunk, c.i, c.chunk)
		}
	}
	if l.Rows() != 1<<32-1 {
		t.Errorf("%d rows", l.Rows())
	}
}

// A column finds its rows across batches.
func TestColumn(t *testing.T) {
	mem := arrowtest.Allocator(t)
	batches := arrowtest.Batches(t, mem, []string{"c:string"}, [][]any{{"b"}, {nil}}, nil, [][]any{{"a"}, {"b"}})
	var arrs []arrow.Array
	var lens []int
	for _, b := range batches {
		arrs, lens = append(arrs, b.Column(0)), append(lens, int(b.NumRows()))
	}
	c := &Column{Name: "c", Type: arrow.BinaryTypes.String, Chunks: read(t, arrs), Layout: NewLayout(lens)}
	m, err := NewMatcher(c.Type, []any{"b"})
	if err != nil {
		t.Fatal(err)
	}
	for row, want := range []struct {
		text    string
		null    bool
		match   bool
		compare int
	}{{`"b"`, false, true, 0}, {"NULL", true, false, -1}, {`"a"`, false, false, -1}, {`"b"`, false, true, 0}} {
		r := uint32(row)
		if c.Format(r) != want.text || c.Null(r) != want.null || c.Match(m, r) != want.match || c.Compare(r, 0, ByValue) != want.compare {
			t.Errorf("row %d: %s, NULL %v, match %v, compared with row 0 %d", row, c.Format(r), c.Null(r), c.Match(m, r), c.Compare(r, 0, ByValue))
		}
	}
	if c.MayNull() != true || (&Column{Chunks: c.Chunks[2:]}).MayNull() {
		t.Error("MayNull")
	}
}

// A column that wasn't given is all NULL.
func TestNulls(t *testing.T) {
	a := Nulls(2)
	if !a.MayNull() || !a.Null(0) || !a.Null(1) || Format(a, 1) != "NULL" || a.Len != 2 {
		t.Errorf("%+v", a)
	}
	for _, mode := range []Mode{Word, Text, Digest, Ordinal} {
		b := dirtyBlock(2)
		NewReader([]*Array{a}, mode).Read(0, 0, 2, b)
		checkNulls(t, "nulls", b, []any{nil, nil})
	}
}

// MayNull is false only where no row is NULL, in every type and form.
func TestMayNull(t *testing.T) {
	for _, f := range families {
		mem := arrowtest.Allocator(t)
		for _, col := range columns(t, mem, f.types[0], f.cells) {
			for k, a := range read(t, col.arrs) {
				for i, v := range col.vals[k] {
					if a.Null(i) != (v == nil) || v == nil && !a.MayNull() {
						t.Fatalf("%s, %s, batch %d row %d: %s, MayNull %v", col.typ, col.name, k, i, arrowtest.Format(v), a.MayNull())
					}
				}
			}
		}
	}
}

// A union has no NULLs but those of its children.
func TestMayNullOfUnions(t *testing.T) {
	some := raw(intType, 4, [][]byte{{0b1011}, int64s(1, 2, 3, 4)})
	for _, c := range []struct {
		kid  arrow.ArrayData
		null bool
	}{{four(), false}, {some, true}} {
		for _, data := range []arrow.ArrayData{raw(sparse, 3, [][]byte{nil, {3, 7, 7}}, four(), c.kid), raw(dense, 3, [][]byte{nil, {3, 7, 7}, int32s(0, 1, 2)}, four(), c.kid)} {
			a, err := OfData(data)
			if err != nil {
				t.Fatal(err)
			}
			if a.MayNull() != c.null || a.Null(0) || a.Null(1) || a.Null(2) != c.null {
				t.Errorf("%v: MayNull %v, NULL %v %v %v", a.Type, a.MayNull(), a.Null(0), a.Null(1), a.Null(2))
			}
		}
	}
}

// FitsWord refuses types that would give one word two meanings; WordBytes counts the bytes that tell cells apart.
func TestWords(t *testing.T) {
	mem := arrowtest.Allocator(t)
	for _, c := range []struct {
		types []string
		fits  bool
		bytes int
	}{
		{[]string{"bool"}, true, 1}, {[]string{"null"}, true, 0}, {[]string{"int8"}, true, 1}, {[]string{"uint16"}, true, 2}, {[]string{"int32"}, true, 4},
		{[]string{"uint64"}, true, 8}, {[]string{"float16"}, true, 8}, {[]string{"date32"}, true, 4}, {[]string{"date64"}, true, 8},
		{[]string{"timestamp[us]"}, true, 8}, {[]string{"time32[s]"}, true, 4}, {[]string{"int8", "int16"}, true, 2}, {[]string{"int8", "uint8"}, true, 8},
		{[]string{"int32", "null"}, true, 4}, {[]string{"dict<int8,int32>", "int16"}, true, 4}, {[]string{"ree<int8>"}, true, 1},
		{[]string{"int64", "uint64"}, false, 0}, {[]string{"uint8", "uint64"}, false, 0}, {[]string{"timestamp[us]", "timestamp[ns]"}, false, 0}, {[]string{"date32", "date64"}, false, 0},
		{[]string{"string"}, false, 0}, {[]string{"decimal(5,2)"}, false, 0}, {[]string{"struct<a:int8>"}, false, 0}, {[]string{"list<int8>"}, false, 0},
	} {
		var arrs []arrow.Array
		for _, typ := range c.types {
			arrs = append(arrs, arrowtest.Table(t, mem, []string{"c:" + typ}, nil)[0].Column(0))
		}
		chunks := read(t, arrs)
		if got := FitsWord(chunks); got != c.fits {
			t.Errorf("%v: fits %v", c.types, got)
		}
		if got := WordBytes(chunks); c.fits && got != c.bytes {
			t.Errorf("%v: %d bytes, want %d", c.types, got, c.bytes)
		}
	}
}

// A batch that is all NULL says nothing about the words of the others.
func TestWordsBesideNulls(t *testing.T) {
	mem := arrowtest.Allocator(t)
	for typ, cell := range map[string]any{"uint64": 7, "timestamp[us]": 7, "dict<int8,timestamp[us]>": 7, "ree<uint64>": 7, "float64": 7} {
		b := arrowtest.Batches(t, mem, []string{"c:" + typ}, [][]any{{cell}}, [][]any{{nil}})
		chunks := read(t, []arrow.Array{b[0].Column(0), b[1].Column(0)})
		if !FitsWord(chunks) {
			t.Errorf("%s doesn't fit a word when a batch is all NULL", typ)
		}
	}
}
