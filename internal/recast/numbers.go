package recast

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/onerow-go/onerow/internal/form"
)

// numbers numbers the values of an array that differ in bits.
type numbers struct {
	values *form.Array
	// firsts holds the first row with each value.
	firsts []uint32
	// last holds, by hash, the number of the last value with it, and before that of the one before it with the same, or -1.
	last   map[uint64]int
	before []int

	// The hashes of the rows from lo on. Values that aren't keys have no hash, nor a number that is used twice.
	reader *form.Reader
	block  *form.Block
	lo     int
}

// blockRows is how many rows are hashed at once.
const blockRows = 1024

func newNumbers(d arrow.ArrayData) (*numbers, error) {
	arr := array.MakeFromData(d)
	defer arr.Release()
	a, err := form.Of(arr)
	if err != nil {
		return nil, err
	}
	n := &numbers{values: a, last: map[uint64]int{}, lo: -blockRows}
	if ok, _ := form.IsKey(a.Type); ok {
		n.reader, n.block = form.NewReader([]*form.Array{a}, form.Digest), form.NewHashBlock(min(blockRows, a.Len))
	}
	return n, nil
}

// of returns the number of the value of a row, -1 for NULL. Rows are asked for in their order.
func (n *numbers) of(i int) int {
	if n.values.Null(i) {
		return -1
	}
	if n.reader == nil {
		n.firsts = append(n.firsts, uint32(i))
		return len(n.firsts) - 1
	}
	if i >= n.lo+blockRows {
		n.lo = i
		n.reader.Read(0, i, min(blockRows, n.values.Len-i), n.block)
	}
	h := n.block.K1[i-n.lo]
	last, ok := n.last[h]
	if !ok {
		last = -1
	}
	for k := last; k >= 0; k = n.before[k] {
		if form.Compare(n.values, i, n.values, int(n.firsts[k]), form.ByBits) == 0 {
			return k
		}
	}
	n.firsts, n.before = append(n.firsts, uint32(i)), append(n.before, last)
	n.last[h] = len(n.before) - 1
	return len(n.before) - 1
}
