// Package placeholder finds key values that stand for no value: 0, -1, 'n/a', 1900-01-01 and their like. A value alone proves nothing: the verbs
// ask as well whether its key is far more frequent than others.
package placeholder

import (
	"errors"
	"fmt"

	"github.com/onerow-go/onerow/internal/form"
)

// Matches says which cells of a column are placeholders. It is safe for concurrent use.
type Matches struct {
	column *form.Column
	match  func(a *form.Array, i int) bool
	// known are the answers for the values of dictionaries and runs that are no more than the rows that refer to them.
	known map[*form.Array][]bool
	// usualInts is set for integers and the usual list.
	usualInts bool
}

// Usual finds the values of the usual list (see [listed]) in a column.
func Usual(c *form.Column) *Matches {
	family := form.FamilyOf(c.Type)
	m := newMatches(c, listed(family))
	m.usualInts = family == form.IntFamily
	return m
}

// Given finds given values in the columns of a key, each where the column's type can hold it. It fails on a value that none can.
func Given(cols []*form.Column, values []any) ([]*Matches, error) {
	held := make([][]any, len(cols))
	var errs []error
	for _, v := range values {
		var why error
		fits := false
		for i, c := range cols {
			if _, err := form.NewMatcher(c.Type, []any{v}); err != nil {
				why = err
				continue
			}
			held[i], fits = append(held[i], v), true
		}
		if !fits {
			errs = append(errs, fmt.Errorf("placeholder %v: %w", v, why))
		}
	}
	if errs != nil {
		return nil, errors.Join(errs...)
	}
	out := make([]*Matches, len(cols))
	for i, c := range cols {
		var match func(*form.Array, int) bool
		if held[i] != nil {
			m, err := form.NewMatcher(c.Type, held[i])
			if err != nil {
				return nil, err
			}
			match = m.Match
		}
		out[i] = newMatches(c, match)
	}
	return out, nil
}

func newMatches(c *form.Column, match func(*form.Array, int) bool) *Matches {
	m := &Matches{column: c, match: match, known: map[*form.Array][]bool{}}
	if match == nil {
		return m
	}
	rows := map[*form.Array]int{}
	for _, a := range c.Chunks {
		if values := below(a); values != nil {
			rows[values] += a.Len
		}
	}
	for values, n := range rows {
		if values.Len <= n {
			m.known[values] = answers(values, match)
		}
	}
	return m
}

// below returns the array that an encoded one refers to, nil when it isn't encoded or has nothing but NULL.
func below(a *form.Array) *form.Array {
	if a.Kind != form.KindDict && a.Kind != form.KindRuns {
		return nil
	}
	for i := range a.Len {
		if !a.Null(i) {
			values, _ := a.Leaf(i)
			return values
		}
	}
	return nil
}

func answers(values *form.Array, match func(*form.Array, int) bool) []bool {
	out := make([]bool, values.Len)
	for i := range out {
		out[i] = !values.Null(i) && match(values, i)
	}
	return out
}

// Any is false when no cell can be a placeholder.
func (m *Matches) Any() bool { return m.match != nil }

// Has says whether the cell of a row is a placeholder. NULL is none.
func (m *Matches) Has(row uint32) bool {
	chunk, i := m.column.At(row)
	return m.At(chunk, i)
}

// At says whether the cell in row i of a batch is a placeholder.
func (m *Matches) At(chunk, i int) bool {
	a := m.column.Chunks[chunk]
	if m.match == nil || a.Null(i) {
		return false
	}
	a, i = a.Leaf(i)
	if known := m.known[a]; known != nil {
		return known[i]
	}
	return m.match(a, i)
}

// Each calls f with the rows from lo to before lo+n of a batch that are placeholders.
func (m *Matches) Each(chunk, lo, n int, f func(i int)) {
	if m.match == nil {
		return
	}
	if a := m.column.Chunks[chunk]; m.usualInts {
		if words, _ := a.Raw(lo, n); words != nil {
			signed := a.Kind != form.KindU64
			for i, w := range words {
				if listedWord(w, signed) {
					f(lo + i)
				}
			}
			return
		}
	}
	for i := lo; i < lo+n; i++ {
		if m.At(chunk, i) {
			f(i)
		}
	}
}
