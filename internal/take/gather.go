package take

import (
	"context"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// chunk is one chunk of a column, or of a child of it.
type chunk struct {
	data arrow.ArrayData
	// at is the position of the chunk's first element in its buffers: the array's offset and, below structs and sparse
	// unions, the offsets of its parents.
	at int
	// n is the number of elements from there on.
	n int
}

// typed returns buffer i of every chunk, read as elements; asking a chunk for it takes longer than reading the few elements of a short segment.
func typed[T arrow.FixedWidthType](cs []chunk, i int) [][]T {
	out := make([][]T, len(cs))
	for k, c := range cs {
		out[k] = arrow.GetData[T](c.bytes(i))
	}
	return out
}

func newChunk(d arrow.ArrayData) chunk { return chunk{data: d, at: d.Offset(), n: d.Len()} }

// bytes returns buffer i, nil when there is none. There is no room behind its bytes: slicing a slice checks its capacity, not its length.
func (c chunk) bytes(i int) []byte {
	if b := c.data.Buffers(); i < len(b) && b[i] != nil {
		return slices.Clip(b[i].Bytes())
	}
	return nil
}

// children returns child i of every chunk, for parents whose elements carry the position of their children's elements.
func children(cs []chunk, i int) []chunk {
	out := make([]chunk, len(cs))
	for k, c := range cs {
		out[k] = newChunk(c.data.Children()[i])
	}
	return out
}

// fields returns child i of every chunk, for parents whose children have their elements at the same place.
func fields(cs []chunk, i int) []chunk {
	out := children(cs, i)
	for k, c := range cs {
		out[k].at, out[k].n = out[k].at+c.at, c.n
	}
	return out
}

// gather is the making of one output array, with all below it.
type gather struct {
	ctx context.Context
	mem memory.Allocator
	// typ is that of the column, for errors.
	typ arrow.DataType
	// crew shares the work on parts; nil if there is but one goroutine.
	crew *crew
	// owned is released at the end of the work, good or bad; what the output needs has references of its own by then.
	owned []interface{ Release() }
	// plain says that the output has plain types, see [PlainSchema].
	plain bool
	// done counts the work since the context was last looked at: rows and units of 64 bytes.
	done int
}

func (g *gather) release() {
	for _, o := range g.owned {
		o.Release()
	}
}

// tick notes some work before it is done, and says whether the call was canceled.
func (g *gather) tick(work int) error {
	if g.done += work; g.done < block {
		return nil
	}
	g.done = 0
	return g.ctx.Err()
}

// buffer makes a buffer of n bytes, whose content is undefined.
func (g *gather) buffer(n int) *memory.Buffer {
	if n == 0 {
		return memory.NewBufferBytes([]byte{})
	}
	b := memory.NewResizableBuffer(g.mem)
	g.owned = append(g.owned, b)
	b.Resize(n)
	return b
}

// data makes array data of n elements.
func (g *gather) data(t arrow.DataType, n, nulls int, children []arrow.ArrayData, buffers ...*memory.Buffer) *array.Data {
	d := array.NewData(t, n, buffers, children, nulls, 0)
	g.owned = append(g.owned, d)
	return d
}

// column gathers an array of type t.
func (g *gather) column(t arrow.DataType, cs []chunk, p *picks) (*array.Data, error) {
	if g.plain {
		return g.plainColumn(t, cs, p)
	}
	return g.encodedColumn(t, cs, p)
}

// encodedColumn gathers an array of type t by its physical layout.
func (g *gather) encodedColumn(t arrow.DataType, cs []chunk, p *picks) (*array.Data, error) {
	layout := t
	for layout.ID() == arrow.EXTENSION {
		layout = layout.(arrow.ExtensionType).StorageType()
	}
	for _, c := range cs {
		if got := c.data.DataType(); got.ID() != t.ID() {
			return nil, &DataError{Type: t, Why: fmt.Sprintf("it holds data of type %v", got)}
		}
	}
	switch layout := layout.(type) {
	case *arrow.NullType:
		return g.data(t, len(p.rows), len(p.rows), nil, nil), nil
	case *arrow.BooleanType:
		return g.bools(t, cs, p)
	case *arrow.StringType, *arrow.BinaryType:
		return bytesColumn[int32](g, t, cs, p)
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		return bytesColumn[int64](g, t, cs, p)
	case *arrow.StringViewType, *arrow.BinaryViewType:
		return g.views(t, cs, p)
	case *arrow.ListType, *arrow.MapType:
		return listColumn[int32](g, t, layout.(arrow.ListLikeType).Elem(), cs, p)
	case *arrow.LargeListType:
		return listColumn[int64](g, t, layout.Elem(), cs, p)
	case *arrow.ListViewType:
		return listViewColumn[int32](g, t, layout.Elem(), cs, p)
	case *arrow.LargeListViewType:
		return listViewColumn[int64](g, t, layout.Elem(), cs, p)
	case *arrow.FixedSizeListType:
		return g.fixedSizeList(t, layout, cs, p)
	case *arrow.StructType:
		return g.structs(t, layout, cs, p)
	case *arrow.SparseUnionType:
		return g.sparseUnion(t, layout, cs, p)
	case *arrow.DenseUnionType:
		return g.denseUnion(t, layout, cs, p)
	case *arrow.DictionaryType:
		return g.dictionary(t, layout, cs, p)
	case *arrow.RunEndEncodedType:
		return g.runs(t, layout, cs, p)
	case arrow.FixedWidthDataType:
		return g.fixed(t, layout.Bytes(), cs, p)
	default:
		return nil, &DataError{Type: t, Why: "it is no type of Arrow 15"}
	}
}
