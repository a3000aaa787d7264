package join

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/placeholder"
)

const (
	// maxPlaceholders is how many keys of a side, those with the most rows, are looked at.
	maxPlaceholders = 100
	// minPlaceholder is how many rows a detected placeholder has at least, and how many times the mean of other keys.
	minPlaceholder = 3
)

// marked are values that make a key a placeholder: in each column those that it can hold.
type marked struct {
	cols     []*form.Column
	matchers []*form.Matcher // one for each of cols, which may be listed twice
}

// mark reads given values.
func (s *sides) mark(values []onerow.Value) (*marked, error) {
	m := &marked{}
	held := make([]bool, len(values))
	for i, c := range s.cols {
		in := make([]bool, len(values)) // in this column: what the left side's type can hold needs no second look
		for side := range sideNames {
			typ := s.typeOf(side, i)
			var fit []any
			for j, v := range values {
				if _, err := form.NewMatcher(typ, []any{v}); err == nil && !in[j] {
					in[j], held[j] = form.FamilyOf(typ) != form.NullFamily, true
					fit = append(fit, v)
				}
			}
			if len(fit) == 0 {
				continue
			}
			matcher, err := form.NewMatcher(typ, fit)
			if err != nil {
				return nil, err
			}
			m.cols, m.matchers = append(m.cols, c), append(m.matchers, matcher)
		}
	}
	var errs []error
	for i, ok := range held {
		if !ok {
			errs = append(errs, fmt.Errorf("%w: no column of the key can hold the %T %v of Placeholders", onerow.ErrType, values[i], values[i]))
		}
	}
	return m, errors.Join(errs...)
}

// has says whether the key of a row has one of the values in a column.
func (m *marked) has(row uint32) bool {
	for i, c := range m.cols {
		if c.Match(m.matchers[i], row) {
			return true
		}
	}
	return false
}

// maybePlaceholder says whether a key, by a row that has it, is a given placeholder, or has a usual one in a column.
func (e *estimate) maybePlaceholder(row uint32) bool {
	if e.marked != nil {
		return true // no others are among the oftenest
	}
	if e.usual == nil {
		for _, c := range e.cols {
			e.usual = append(e.usual, placeholder.Usual(c))
		}
	}
	return slices.ContainsFunc(e.usual, func(m *placeholder.Matches) bool { return m.Has(row) })
}

// detected keeps those of the oftenest keys of a side that are placeholders.
func (f *findings) detected(side int, keyed int64) (out []ranked) {
	keys, rows := f.sum.keys[side], keyed
	for _, k := range f.oftenest[side] {
		if k.listed {
			out = append(out, k)
			keys--
			rows -= int64(k.rank.lo)
		}
	}
	return slices.DeleteFunc(out, func(k ranked) bool { return k.rank.lo*uint64(keys) < minPlaceholder*uint64(rows) })
}

// placeholders puts together what was found of them on both sides, where a key may be listed for each.
func (f *findings) placeholders(opts Options, rows [2]int64) (p Placeholders) {
	seen := map[[2]uint32]bool{}
	for side, list := range f.oftenest {
		if opts.Placeholders == nil {
			list = f.detected(side, f.sum.keyed(rows[side], side, opts.Nulls))
		}
		for _, m := range f.keys(list) {
			if first := m.first(); !seen[first] {
				seen[first] = true
				p.Keys = append(p.Keys, m)
			}
		}
	}
	slices.SortFunc(p.Keys, func(a, b KeySize) int {
		firstA, firstB := a.first(), b.first()
		return cmp.Or(cmp.Compare(b.Left+b.Right, a.Left+a.Right), slices.Compare(firstA[:], firstB[:]))
	})
	if opts.Placeholders != nil {
		p.Left, p.Right, p.Inner = f.sum.placeholderRows[leftSide], f.sum.placeholderRows[rightSide], f.sum.placeholderInner
		return p
	}
	for _, m := range p.Keys {
		p.Left += m.Left
		p.Right += m.Right
		p.Inner = p.Inner.plus(m.Inner)
	}
	return p
}

// first is the side and the number of the first row of a key.
func (m *KeySize) first() [2]uint32 {
	if len(m.LeftRows) > 0 {
		return [2]uint32{leftSide, m.LeftRows[0]}
	}
	return [2]uint32{rightSide, m.RightRows[0]}
}
