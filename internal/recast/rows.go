package recast

import (
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow/internal/take"
)

// caster is the making of one array, with all below it.
type caster struct {
	mem memory.Allocator
	// owned is released at the end of the work, good or bad; what the result needs has references of its own by then.
	owned []interface{ Release() }
}

func (c *caster) release() {
	for _, o := range c.owned {
		o.Release()
	}
}

// buffer makes a buffer of n zero bytes.
func (c *caster) buffer(n int) *memory.Buffer {
	if n == 0 {
		return memory.NewBufferBytes([]byte{})
	}
	b := memory.NewResizableBuffer(c.mem)
	c.owned = append(c.owned, b)
	b.Resize(n)
	clear(b.Bytes())
	return b
}

// data makes array data of n rows.
func (c *caster) data(t arrow.DataType, n, nulls int, children []arrow.ArrayData, buffers ...*memory.Buffer) *array.Data {
	d := array.NewData(t, n, buffers, children, nulls, 0)
	c.owned = append(c.owned, d)
	return d
}

// relabel gives data another type of the same layout.
func (c *caster) relabel(d arrow.ArrayData, t arrow.DataType) *array.Data {
	return c.part(d, t, 0, d.Len())
}

// slice gives n rows from lo on.
func (c *caster) slice(d arrow.ArrayData, lo, n int) (arrow.ArrayData, error) {
	if lo < 0 || n > d.Len()-lo {
		return nil, &take.DataError{Type: d.DataType(), Why: fmt.Sprintf("rows [%d, %d) of %d", lo, lo+n, d.Len())}
	}
	if lo == 0 && n == d.Len() {
		return d, nil
	}
	return c.part(d, d.DataType(), lo, n), nil
}

func (c *caster) part(d arrow.ArrayData, t arrow.DataType, lo, n int) *array.Data {
	p := array.NewData(t, n, d.Buffers(), d.Children(), array.UnknownNullCount, d.Offset()+lo)
	c.owned = append(c.owned, p)
	if dict, _ := d.Dictionary().(*array.Data); dict != nil {
		p.SetDictionary(dict)
	}
	return p
}

// rows are the rows of an array that is to be converted.
type rows struct {
	data arrow.ArrayData
	// n is their number, and at the place of the first in the buffers.
	n, at int
	// live is a bitmap that has a 0 bit where a row is NULL or below a NULL, for the array's own NULLs: of dictionaries and
	// run-ends those of the values aren't in it. Nil: there is none.
	live  []byte
	nulls int
	// room is the buffer of live, which the result takes over.
	room *memory.Buffer
}

func (c *caster) rows(d arrow.ArrayData, mask []byte) rows {
	r := rows{data: d, n: d.Len(), at: d.Offset()}
	var own []byte
	switch d.DataType().ID() {
	case arrow.NULL:
		r.nulls = r.n
		return r
	case arrow.RUN_END_ENCODED, arrow.SPARSE_UNION, arrow.DENSE_UNION:
	default:
		own = bytesOf(d, 0)
	}
	if r.n == 0 || len(own) == 0 && mask == nil {
		return r
	}
	room := c.buffer((r.n + 7) / 8)
	live := room.Bytes()
	bitutil.SetBitsTo(live, 0, int64(r.n), true)
	if len(own) > 0 {
		_ = own[(r.at+r.n-1)>>3]
		bitutil.CopyBitmap(own, r.at, r.n, live, 0)
	}
	for i, m := range mask {
		live[i] &= m
	}
	if r.nulls = r.n - bitutil.CountSetBits(live, 0, r.n); r.nulls > 0 {
		r.room, r.live = room, live
	}
	return r
}

// has says whether row i has a value that may be read.
func (r *rows) has(i int) bool { return r.live == nil || bit(r.live, i) }

// each calls f for every row that has a value.
func (r *rows) each(f func(i int)) {
	for i := range r.n {
		if r.has(i) {
			f(i)
		}
	}
}

// raw returns the bytes of a buffer, nil when there is none.
func (r *rows) raw(i int) []byte { return bytesOf(r.data, i) }

// bytesOf returns the bytes of a buffer, with no room behind them: slicing a slice checks its capacity, not its length.
func bytesOf(d arrow.ArrayData, i int) []byte {
	if b := d.Buffers(); i < len(b) && b[i] != nil {
		return slices.Clip(b[i].Bytes())
	}
	return nil
}

// words returns the values of fixed width of the rows.
func words[T arrow.FixedWidthType | arrow.ViewHeader](r *rows) []T {
	return arrow.GetData[T](r.raw(1))[r.at:][:r.n:r.n]
}

// result makes the data of the converted rows: NULL where they were and where they are unfit.
func (c *caster) result(t arrow.DataType, r rows, unfit []int, children []arrow.ArrayData, buffers ...*memory.Buffer) (arrow.ArrayData, []int, error) {
	if len(unfit) > 0 && r.live == nil {
		r.room = c.buffer((r.n + 7) / 8)
		r.live = r.room.Bytes()
		bitutil.SetBitsTo(r.live, 0, int64(r.n), true)
	}
	for _, i := range unfit {
		bitutil.ClearBit(r.live, i)
	}
	return c.data(t, r.n, r.nulls+len(unfit), children, append([]*memory.Buffer{r.room}, buffers...)...), unfit, nil
}

func bit(bits []byte, i int) bool { return bits[i>>3]>>(i&7)&1 != 0 }

// merge makes one ascending list of row numbers, each once.
func merge(lists ...[]int) []int {
	var all []int
	for _, l := range lists {
		all = append(all, l...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
