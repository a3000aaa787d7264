package form

import (
	"math/bits"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// A Matcher says whether a cell equals one of some Go values. The nil Matcher matches nothing.
type Matcher struct {
	cells []*Array // of one row each
	// slots has 1 + the number of each of many cells at the first free place from that of its stable hash on; 0 is free. It is at most a quarter
	// full. Few cells are compared one by one.
	slots []uint32
}

// fewCells is the number of cells up to which comparing them all costs less than a hash.
const fewCells = 2

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
	if len(m.cells) > fewCells {
		m.slots = make([]uint32, 4<<bits.Len(uint(len(m.cells))))
		for k, c := range m.cells {
			at := m.start(c, 0)
			for m.slots[at] != 0 {
				at = m.after(at)
			}
			m.slots[at] = uint32(k) + 1
		}
	}
	return m, nil
}

func (m *Matcher) start(a *Array, i int) uint64 { return hasher{}.cell(a, i) & uint64(len(m.slots)-1) }

func (m *Matcher) after(at uint64) uint64 { return (at + 1) & uint64(len(m.slots)-1) }

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
	if m.slots != nil {
		for at := m.start(a, i); m.slots[at] != 0; at = m.after(at) {
			if Equal(a, i, m.cells[m.slots[at]-1], 0) {
				return true
			}
		}
		return false
	}
	for _, cell := range m.cells {
		if Equal(a, i, cell, 0) {
			return true
		}
	}
	return false
}
