package recast

import (
	"fmt"
	"math"
	"sort"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow/internal/take"
)

// structs converts field by field, under the mask of the struct's own NULLs.
func (c *caster) structs(r rows, to *arrow.StructType) (arrow.ArrayData, []int, error) {
	children := make([]arrow.ArrayData, to.NumFields())
	var unfit []int
	for i, f := range to.Fields() {
		kid, err := c.slice(r.data.Children()[i], r.at, r.n)
		if err != nil {
			return nil, nil, err
		}
		var bad []int
		if children[i], bad, err = c.cast(kid, f.Type, r.live); err != nil {
			return nil, nil, err
		}
		if len(bad) > 0 {
			unfit = merge(unfit, bad)
		}
	}
	return c.result(to, r, unfit, children)
}

// lists converts between lists of all layouts: the elements of the rows are put one after the other, and converted as one array.
func (c *caster) lists(r rows, to arrow.DataType) (arrow.ArrayData, []int, error) {
	span, err := spanAt(&r)
	if err != nil {
		return nil, nil, err
	}
	width := -1
	if fixed, ok := to.(*arrow.FixedSizeListType); ok {
		width = int(fixed.Len())
	}
	l := layout{starts: make([]int, r.n+1), contiguous: true}
	for i := range r.n {
		if l.add(r.has(i), width, i, span); l.starts[i+1] < 0 { // where an int has 32 bits
			return nil, nil, &take.SizeError{Type: to, Size: int64(uint(l.starts[i+1])), Limit: math.MaxInt, Unit: take.Elements}
		}
	}
	buffers, err := c.offsets(to, l) // before the elements: there may be too many of them
	if err != nil {
		return nil, nil, err
	}
	kid := r.data.Children()[0]
	elements, err := c.elements(r, kid, l, span)
	if err != nil {
		return nil, nil, err
	}
	elements, bad, err := c.cast(elements, to.(arrow.NestedType).Fields()[0].Type, nil)
	if err != nil {
		return nil, nil, err
	}
	return c.result(to, r, merge(l.unfit, l.rowsOf(bad)), []arrow.ArrayData{elements}, buffers...)
}

// layout says where the elements of the converted rows lie.
type layout struct {
	// starts holds the first element of each row, and at the end their number.
	starts []int
	unfit  []int
	// contiguous is set when the elements lie in the source as in the result; first is the first one there.
	contiguous  bool
	first, next int
}

// add lays out row i. Where width isn't -1 a NULL takes so many elements too.
func (l *layout) add(has bool, width, i int, span func(i int) (lo, hi int)) {
	n := 0
	if has {
		lo, hi := span(i)
		if n = hi - lo; width >= 0 && n != width {
			l.unfit = append(l.unfit, i)
			has, n = false, 0
		}
		if n > 0 {
			if l.starts[i] == 0 {
				l.first, l.next = lo, lo
			}
			l.contiguous = l.contiguous && lo == l.next
			l.next = hi
		}
	}
	if !has && width > 0 {
		n, l.contiguous = width, false
	}
	l.starts[i+1] = l.starts[i] + n
}

// rowsOf returns the rows that hold elements, both ascending.
func (l *layout) rowsOf(elements []int) (list []int) {
	for _, e := range elements {
		row := sort.SearchInts(l.starts, e+1) - 1
		if len(list) == 0 || list[len(list)-1] != row {
			list = append(list, row)
		}
	}
	return list
}

// elements are the elements of the rows, one after the other.
func (c *caster) elements(r rows, kid arrow.ArrayData, l layout, span func(i int) (lo, hi int)) (arrow.ArrayData, error) {
	total := l.starts[r.n]
	if l.contiguous {
		return c.slice(kid, l.first, total)
	}
	if int64(kid.Len()) >= math.MaxUint32 {
		return nil, &take.SizeError{Type: r.data.DataType(), Size: int64(kid.Len()), Limit: math.MaxUint32, Unit: take.Elements}
	}
	picks := make([]uint32, 0, total)
	unfit := l.unfit
	for i := range r.n {
		n := l.starts[i+1] - l.starts[i]
		lo := kid.Len() // a NULL
		if len(unfit) > 0 && unfit[0] == i {
			unfit = unfit[1:]
		} else if n > 0 && r.has(i) {
			lo, _ = span(i)
		}
		for k := range n {
			if lo == kid.Len() {
				k = 0
			}
			picks = append(picks, uint32(lo+k))
		}
	}
	return c.gather(kid, picks)
}

// spanAt reads which elements a row of a list holds, after checking them against those that there are.
func spanAt(r *rows) (func(i int) (lo, hi int), error) {
	size := int64(r.data.Children()[0].Len())
	checked := func(at func(i int) (lo, hi int64)) func(i int) (lo, hi int) {
		return func(i int) (int, int) {
			lo, hi := at(i)
			if lo < 0 || hi < lo || hi > size {
				panic(fmt.Sprintf("a list lies at [%d, %d) of %d elements", lo, hi, size))
			}
			return int(lo), int(hi)
		}
	}
	switch t := r.data.DataType().(type) {
	case *arrow.ListType:
		return checked(boundsAt[int32](r)), nil
	case *arrow.LargeListType:
		return checked(boundsAt[int64](r)), nil
	case *arrow.ListViewType:
		return checked(sizesAt[int32](r)), nil
	case *arrow.LargeListViewType:
		return checked(sizesAt[int64](r)), nil
	case *arrow.FixedSizeListType:
		n, first := int64(t.Len()), int64(r.at)
		return checked(func(i int) (int64, int64) { return (first + int64(i)) * n, (first + int64(i) + 1) * n }), nil
	}
	return nil, fmt.Errorf("type %v is no list", r.data.DataType())
}

func boundsAt[T offset](r *rows) func(i int) (lo, hi int64) {
	offsets := arrow.GetData[T](r.raw(1))[r.at:]
	return func(i int) (int64, int64) { return int64(offsets[i]), int64(offsets[i+1]) }
}

func sizesAt[T offset](r *rows) func(i int) (lo, hi int64) {
	offsets, sizes := arrow.GetData[T](r.raw(1))[r.at:], arrow.GetData[T](r.raw(2))[r.at:]
	return func(i int) (int64, int64) {
		if sizes[i] == 0 {
			return 0, 0 // where nothing lies doesn't matter
		}
		return int64(offsets[i]), int64(offsets[i]) + int64(sizes[i])
	}
}

// offsets writes the buffers that say which elements a row has.
func (c *caster) offsets(to arrow.DataType, l layout) ([]*memory.Buffer, error) {
	n := len(l.starts) - 1
	width, sized := 8, false
	switch to.(type) {
	case *arrow.FixedSizeListType:
		return nil, nil
	case *arrow.ListType:
		width = 4
	case *arrow.ListViewType:
		width, sized = 4, true
	case *arrow.LargeListViewType:
		sized = true
	}
	if total := l.starts[n]; width == 4 && total > math.MaxInt32 {
		return nil, &take.SizeError{Type: to, Size: int64(total), Limit: math.MaxInt32, Unit: take.Elements}
	}
	count := n + 1
	if sized {
		count = n
	}
	starts := c.buffer(count * width)
	putInts(width, starts.Bytes(), count, func(i int) int { return l.starts[i] })
	if !sized {
		return []*memory.Buffer{starts}, nil
	}
	sizes := c.buffer(n * width)
	putInts(width, sizes.Bytes(), n, func(i int) int { return l.starts[i+1] - l.starts[i] })
	return []*memory.Buffer{starts, sizes}, nil
}
