package form

import (
	"math/bits"

	"github.com/apache/arrow/go/v15/arrow"
)

// Layout finds rows: it maps row numbers, counted across batches, to a batch and a row in it.
type Layout struct {
	starts []uint32 // of each batch, and at the end the number of rows
	shift  uint     // hint[row>>shift] is the batch that holds the first row of its stretch
	hint   []uint32
}

// NewLayout lays batches of the given lengths one after the other. The sum must fit 32 bits.
func NewLayout(lens []int) *Layout {
	l := &Layout{starts: make([]uint32, 1, len(lens)+1)}
	var n uint32
	for _, k := range lens {
		n += uint32(k)
		l.starts = append(l.starts, n)
	}
	if len(lens) <= 1 {
		return l
	}
	l.shift = uint(max(0, bits.Len32(n)-bits.Len(uint(len(lens)))-1))
	l.hint = make([]uint32, int(n>>l.shift)+1)
	c := uint32(0)
	for s := range l.hint {
		for int(c) < len(lens)-1 && uint64(l.starts[c+1]) <= uint64(s)<<l.shift {
			c++
		}
		l.hint[s] = c
	}
	return l
}

// Rows is the number of rows.
func (l *Layout) Rows() uint32 { return l.starts[len(l.starts)-1] }

// Chunks is the number of batches.
func (l *Layout) Chunks() int { return len(l.starts) - 1 }

// Start is the number of the first row of batch c.
func (l *Layout) Start(c int) uint32 { return l.starts[c] }

// At returns the batch and the row in it.
func (l *Layout) At(row uint32) (chunk, i int) {
	if l.hint == nil {
		return 0, int(row)
	}
	c := int(l.hint[row>>l.shift])
	for row >= l.starts[c+1] {
		c++
	}
	return c, int(row - l.starts[c])
}

// Column is one column over all batches of a layout.
type Column struct {
	Name   string
	Type   arrow.DataType
	Chunks []*Array
	*Layout
}

// Null says whether a row is NULL.
func (c *Column) Null(row uint32) bool {
	k, i := c.At(row)
	return c.Chunks[k].Null(i)
}

// MayNull is false when no row can be NULL.
func (c *Column) MayNull() bool {
	for _, a := range c.Chunks {
		if a.MayNull() {
			return true
		}
	}
	return false
}

// Compare ranks two rows, as [Compare] does.
func (c *Column) Compare(a, b uint32, rank Rank) int {
	ka, i := c.At(a)
	kb, j := c.At(b)
	return Compare(c.Chunks[ka], i, c.Chunks[kb], j, rank)
}

// Format writes the cell of a row, as [Format] does.
func (c *Column) Format(row uint32) string {
	k, i := c.At(row)
	return Format(c.Chunks[k], i)
}

// Match says whether the cell of a row equals one of the matcher's values.
func (c *Column) Match(m *Matcher, row uint32) bool {
	k, i := c.At(row)
	return m.Match(c.Chunks[k], i)
}

// OfAll reads one column, given as one array a batch. A dictionary that several of the arrays share is read once.
func OfAll(arrs []arrow.Array) ([]*Array, error) {
	out := make([]*Array, len(arrs))
	dicts := map[arrow.ArrayData]*Array{}
	for i, arr := range arrs {
		a, err := Of(arr)
		if err != nil {
			return nil, err
		}
		if a.Kind == KindDict && len(a.kids) > 0 {
			d := arr.Data().Dictionary()
			if seen := dicts[d]; seen != nil {
				a.kids[0] = seen
			} else {
				dicts[d] = a.kids[0]
			}
		}
		out[i] = a
	}
	return out, nil
}

// Nulls returns an array of the null type.
func Nulls(n int) *Array {
	return &Array{Kind: KindNull, Family: NullFamily, Type: arrow.Null, Len: n, mul: 1, rows: make([]struct{}, n)}
}
