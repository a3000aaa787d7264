package order

import (
	"github.com/onerow-go/onerow/internal/form"
)

// Nulls says where NULL stands in an order column.
type Nulls uint8

const (
	// Lowest is also right for columns that hold no NULL.
	Lowest Nulls = iota
	// Highest is beyond NaN.
	Highest
)

// By is one order column.
type By struct {
	*form.Column
	Ascending bool
	Nulls     Nulls
}

// Order ranks rows; the greatest wins.
type Order struct {
	by     []By
	first  *form.Reader // nil without columns
	narrow narrow
	above  *form.Column // with snap: rows whose cell matches are below all others
	snap   *form.Matcher
}

// New ranks by columns of one layout. Rows whose cell in op matches snapshot rank below all others; both may be nil.
func New(by []By, op *form.Column, snapshot *form.Matcher) *Order {
	o := &Order{by: by}
	if snapshot != nil {
		o.above, o.snap = op, snapshot
	}
	if len(by) > 0 {
		o.first = form.NewReader(by[0].Chunks, form.Ordinal)
		o.narrow = fit(&by[0], o.first)
	}
	return o
}

// Compare ranks two rows: 1 when a wins over b.
func (o *Order) Compare(a, b uint32) int {
	if o.snap != nil {
		as, bs := o.above.Match(o.snap, a), o.above.Match(o.snap, b)
		if as != bs {
			if as {
				return -1
			}
			return 1
		}
	}
	for i := range o.by {
		if c := o.by[i].compare(a, b); c != 0 {
			return c
		}
	}
	return 0
}

func (b *By) compare(x, y uint32) int {
	kx, i := b.At(x)
	ky, j := b.At(y)
	return b.CompareCells(b.Chunks[kx], i, b.Chunks[ky], j)
}

// CompareCells ranks row i of one array and row j of another by this column alone. It needs no column, only how that is ordered.
func (b *By) CompareCells(ax *form.Array, i int, ay *form.Array, j int) int {
	c := 0
	if xn, yn := ax.Null(i), ay.Null(j); xn || yn {
		if xn != yn {
			c = 1
			if xn == (b.Nulls == Lowest) {
				c = -1
			}
		}
	} else {
		c = form.Compare(ax, i, ay, j, form.ByValue)
	}
	if b.Ascending {
		return -c
	}
	return c
}

// Content ranks two rows by all columns from left to right.
func Content(cols []*form.Column, a, b uint32, rank form.Rank) int {
	for _, c := range cols {
		if r := c.Compare(a, b, rank); r != 0 {
			return r
		}
	}
	return 0
}
