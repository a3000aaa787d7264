package recast

import (
	"fmt"
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow/internal/take"
)

// nulls makes n NULLs of any type.
func (c *caster) nulls(t arrow.DataType, n int) (*array.Data, error) {
	layout := t
	for layout != nil && layout.ID() == arrow.EXTENSION {
		layout = layout.(arrow.ExtensionType).StorageType()
	}
	none := c.buffer((n + 7) / 8)
	switch layout := layout.(type) {
	case *arrow.NullType:
		return c.fill(t, n), nil
	case *arrow.BooleanType:
		return c.data(t, n, n, nil, none, c.buffer((n+7)/8)), nil
	case *arrow.StringType, *arrow.BinaryType:
		return c.data(t, n, n, nil, none, c.buffer(4*(n+1)), c.buffer(0)), nil
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		return c.data(t, n, n, nil, none, c.buffer(8*(n+1)), c.buffer(0)), nil
	case *arrow.StringViewType, *arrow.BinaryViewType:
		return c.data(t, n, n, nil, none, c.buffer(arrow.ViewHeaderSizeBytes*n)), nil
	case *arrow.DictionaryType:
		return c.nullDictionary(t, layout, n, none)
	case *arrow.RunEndEncodedType:
		return c.nullRuns(t, layout, n)
	case arrow.UnionType:
		return c.nullUnion(t, layout, n)
	case *arrow.StructType, *arrow.FixedSizeListType, arrow.ListLikeType:
		return c.nullParent(t, layout.(arrow.NestedType), n, none)
	case arrow.FixedWidthDataType:
		return c.data(t, n, n, nil, none, c.buffer(n*layout.Bytes())), nil
	}
	return nil, fmt.Errorf("type %v isn't known", t)
}

// fill makes rows of the null type.
func (c *caster) fill(t arrow.DataType, n int) *array.Data { return c.data(t, n, n, nil, nil) }

func (c *caster) nullDictionary(t arrow.DataType, layout *arrow.DictionaryType, n int, none *memory.Buffer) (*array.Data, error) {
	values, err := c.nulls(layout.ValueType, 0)
	if err != nil {
		return nil, err
	}
	d := c.data(t, n, n, nil, none, c.buffer(n*layout.Bytes()))
	d.SetDictionary(values)
	return d, nil
}

// nullRuns makes one run, or none for no rows.
func (c *caster) nullRuns(t arrow.DataType, layout *arrow.RunEndEncodedType, n int) (*array.Data, error) {
	var ends []int
	if n > 0 {
		ends = []int{n}
	}
	values, err := c.nulls(layout.Encoded(), len(ends))
	if err != nil {
		return nil, err
	}
	return c.runs(t, layout, n, ends, values)
}

// runs makes a run-end array of values and the rows at which they end.
func (c *caster) runs(t arrow.DataType, layout *arrow.RunEndEncodedType, n int, ends []int, values arrow.ArrayData) (*array.Data, error) {
	width := layout.RunEnds().(arrow.FixedWidthDataType).Bytes()
	if limit := int64(math.MaxInt64) >> (64 - 8*width); int64(n) > limit {
		return nil, &take.SizeError{Type: t, Size: int64(n), Limit: limit, Unit: take.Rows}
	}
	buf := c.buffer(len(ends) * width)
	putInts(width, buf.Bytes(), len(ends), func(i int) int { return ends[i] })
	below := c.data(layout.RunEnds(), len(ends), 0, nil, nil, buf)
	return c.data(t, n, 0, []arrow.ArrayData{below, values}, nil), nil
}

// putInts writes n integers of so many bytes.
func putInts(width int, out []byte, n int, at func(i int) int) {
	switch width {
	case 1:
		fillInts(arrow.GetData[int8](out), n, at)
	case 2:
		fillInts(arrow.GetData[int16](out), n, at)
	case 4:
		fillInts(arrow.GetData[int32](out), n, at)
	default:
		fillInts(arrow.GetData[int64](out), n, at)
	}
}

func fillInts[T int8 | int16 | int32 | int64](out []T, n int, at func(i int) int) {
	for i := range n {
		out[i] = T(at(i))
	}
}

// nullUnion makes a union of its first type. It has no NULLs of its own.
func (c *caster) nullUnion(t arrow.DataType, layout arrow.UnionType, n int) (*array.Data, error) {
	codes := c.buffer(n)
	buffers, each := []*memory.Buffer{nil, codes}, n
	if layout.Mode() == arrow.DenseMode {
		buffers, each = append(buffers, c.buffer(4*n)), min(n, 1)
	}
	for i := range codes.Bytes() {
		codes.Bytes()[i] = byte(layout.TypeCodes()[0])
	}
	children := make([]arrow.ArrayData, layout.NumFields())
	for i, f := range layout.Fields() {
		kid, err := c.nulls(f.Type, each)
		if err != nil {
			return nil, err
		}
		children[i] = kid
	}
	return c.data(t, n, 0, children, buffers...), nil
}

// nullParent makes a struct, or a list or map whose NULLs are empty, or of fixed size.
func (c *caster) nullParent(t arrow.DataType, layout arrow.NestedType, n int, none *memory.Buffer) (*array.Data, error) {
	buffers, each := []*memory.Buffer{none}, 0
	switch l := layout.(type) {
	case *arrow.StructType:
		each = n
	case *arrow.FixedSizeListType:
		each = n * int(l.Len())
	case *arrow.ListType, *arrow.MapType:
		buffers = append(buffers, c.buffer(4*(n+1)))
	case *arrow.LargeListType:
		buffers = append(buffers, c.buffer(8*(n+1)))
	case *arrow.ListViewType:
		buffers = append(buffers, c.buffer(4*n), c.buffer(4*n))
	case *arrow.LargeListViewType:
		buffers = append(buffers, c.buffer(8*n), c.buffer(8*n))
	}
	children := make([]arrow.ArrayData, layout.NumFields())
	for i, f := range layout.Fields() {
		kid, err := c.nulls(f.Type, each)
		if err != nil {
			return nil, err
		}
		children[i] = kid
	}
	return c.data(t, n, n, children, buffers...), nil
}
