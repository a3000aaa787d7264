package scd2

import (
	"github.com/apache/arrow/go/v15/arrow"
)

// bounds numbers the cells that boundaries are taken from: the history's starts, its ends, the positions of changes and of state, then
// Now, the open end, and the history's own column of positions where it has one. from and to are these cells in the types of ValidFrom and ValidTo.
type bounds struct {
	from, to        []arrow.Array
	history         uint32 // rows of the history
	now, open       uint32
	badFrom, badTo  map[uint32]bool // cells that one of the types can't hold
	fromTyp, toType arrow.DataType
}

func (b *bounds) start(row uint32) uint32 { return row }
func (b *bounds) end(row uint32) uint32   { return b.history + row }

// said is the cell of the position of a row of changes or state, seen that of a version's own column of positions.
func (b *bounds) said(row uint32) uint32 { return b.history + row }
func (b *bounds) seen(row uint32) uint32 { return b.open + 1 + row }

// wordOf is the position of a cell of the bounds.
func (j *job) wordOf(cell uint32) (word uint64) {
	b := &j.cells
	said := 2 * b.history
	states := said + uint32(j.changes.Rows)
	switch {
	case cell < b.history:
		word, _ = j.line.At(atFrom, cell)
	case cell < said:
		word, _ = j.line.At(atTo, cell-b.history)
	case cell < states:
		word, _ = j.line.At(atChange, cell-said)
	case cell < b.now:
		word, _ = j.line.At(atState, cell-states)
	case cell == b.now:
		word = j.now
	case cell == b.open:
		word = j.openEnd
	default:
		word, _ = j.line.At(atSeen, cell-b.open-1)
	}
	return word
}
