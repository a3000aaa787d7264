package form

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// A Matcher says whether a cell equals one of some Go values. The nil Matcher matches nothing.
type Matcher struct {
	cells []*Array // of one row each
}

// NewMatcher reads the values that cells of type t are compared with, as [Literal] does. It fails on a value that no cell of the type can equal.
// In a column of the null type that is none: every value is accepted, and matches nothing.
func NewMatcher(t arrow.DataType, values []any) (*Matcher, error) {
	m := &Matcher{}
	for _, v := range values {
		if v != nil && FamilyOf(t) == NullFamily {
			continue
		}
		cell, err := Literal(t, v)
		if err != nil {
			return nil, err
		}
		one, err := oneRow(Logical(t), cell)
		if err != nil {
			return nil, err
		}
		m.cells = append(m.cells, one)
	}
	return m, nil
}

// oneRow makes an array of a cell as Literal gives it.
func oneRow(t arrow.DataType, cell []byte) (*Array, error) {
	switch family := FamilyOf(t); family {
	case TextFamily, BinaryFamily:
		return &Array{Kind: KindBytes64, Family: family, Type: t, Len: 1, mul: 1, i64: []int64{0, int64(len(cell))}, data: cell, rows: make([]struct{}, 1)}, nil
	}
	d := array.NewData(t, 1, []*memory.Buffer{nil, memory.NewBufferBytes(cell)}, nil, 0, 0)
	defer d.Release()
	return OfData(d)
}

// Match says whether row i equals one of the values. NULL equals none.
func (m *Matcher) Match(a *Array, i int) bool {
	if m == nil || a.Null(i) {
		return false
	}
	a, i = a.leaf(i)
	for _, cell := range m.cells {
		if Equal(a, i, cell, 0) {
			return true
		}
	}
	return false
}
