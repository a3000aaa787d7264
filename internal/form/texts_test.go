package form

import (
	"bytes"
	"testing"

	"github.com/onerow-go/onerow/internal/arrowtest"
)

// Rewritten arrays have the rows of the others, in every encoding, slice and cut.
func TestRewrite(t *testing.T) {
	mem := arrowtest.Allocator(t)
	cells := []any{"Ab", nil, "", "ab", "a text of more than sixteen bytes", nil, "Ab"}
	for _, typ := range []string{"string", "large_string", "string_view", "dict<int8,string>", "ree<string>", "dict<int16,large_string>", "null"} {
		if typ == "null" {
			cells = []any{nil, nil}
		}
		for _, c := range columns(t, mem, typ, cells) {
			w := &Rewriter{Cell: func(dst, cell []byte) []byte { return append(append(dst, '<'), bytes.ToUpper(cell)...) }}
			for k, a := range read(t, c.arrs) {
				out := w.Rewrite(a)
				if out.Len != a.Len || out.MayNull() && !a.MayNull() {
					t.Errorf("%s, %s: %d rows become %d", typ, c.name, a.Len, out.Len)
				}
				for i := range a.Len {
					if a.Null(i) != out.Null(i) {
						t.Errorf("%s, %s, batch %d row %d: NULL becomes %s", typ, c.name, k, i, Format(out, i))
					} else if !a.Null(i) && string(out.Text(i)) != "<"+string(bytes.ToUpper(a.Text(i))) {
						t.Errorf("%s, %s, batch %d row %d: %s becomes %s", typ, c.name, k, i, Format(a, i), Format(out, i))
					}
				}
			}
		}
	}
}

// A dictionary is rewritten once, whatever the number of arrays that have it.
func TestRewriteOnce(t *testing.T) {
	mem := arrowtest.Allocator(t)
	recs := arrowtest.Table(t, mem, []string{"k:dict<int8,string>"}, [][]any{{"a"}, {"b"}, {"a"}, {"b"}})
	a, err := Of(recs[0].Column(0))
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	w := &Rewriter{Cell: func(dst, cell []byte) []byte {
		calls++
		return append(dst, cell...)
	}}
	w.Rewrite(a)
	w.Rewrite(a)
	if calls != 2 {
		t.Errorf("%d cells rewritten, of a dictionary of 2", calls)
	}
}

// When it is over, rewriting stops.
func TestRewriteStops(t *testing.T) {
	mem := arrowtest.Allocator(t)
	rows := make([][]any, 10_000)
	for i := range rows {
		rows[i] = []any{"a"}
	}
	a, err := Of(arrowtest.Table(t, mem, []string{"k:string"}, rows)[0].Column(0))
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	w := &Rewriter{Over: func() bool { return true }, Cell: func(dst, cell []byte) []byte {
		calls++
		return append(dst, cell...)
	}}
	if w.Rewrite(a); calls > 5000 {
		t.Errorf("%d cells rewritten", calls)
	}
}
