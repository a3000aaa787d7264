package take

import (
	"context"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// chunk is one chunk of a column, or of a child of it.
type chunk struct {
	data arrow.ArrayData
	// at is the position of the chunk's first element in its buffers: the array's offset and, below structs and sparse
	// unions, the offsets of its parents.
	at int
}

// typed returns buffer i of every chunk, read as elements; asking a chunk for it takes longer than reading the few elements of a short segment.
func typed[T arrow.FixedWidthType](cs []chunk, i int) [][]T {
	out := make([][]T, len(cs))
	for k, c := range cs {
		out[k] = arrow.GetData[T](c.bytes(i))
	}
	return out
}

func newChunk(d arrow.ArrayData) chunk { return chunk{data: d, at: d.Offset()} }

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
		out[k].at += c.at
	}
	return out
}

// gather is the making of one output array, with all below it.
type gather struct {
	ctx context.Context
	mem memory.Allocator
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

// validity is the validity of an output array. The zero value: no NULLs.
type validity struct {
	// bits is nil without NULLs.
	bits   []byte
	buffer *memory.Buffer
	nulls  int
}

// at says whether output row k is not NULL, in a validity with bits.
func (v *validity) at(k int) bool { return bit(v.bits, k) }

func bit(bits []byte, i int) bool { return bits[i>>3]>>(i&7)&1 != 0 }

// validity gathers the validity bitmap, under the mask.
func (g *gather) validity(cs []chunk, p *picks) (validity, error) {
	if p.mask == nil && !p.anyBitmap(cs) || len(p.rows) == 0 {
		return validity{}, nil
	}
	v := validity{buffer: g.buffer((len(p.rows) + 7) / 8)}
	v.bits = v.buffer.Bytes()
	clear(v.bits)
	bitmaps := typed[uint8](cs, 0)
	for _, s := range p.segs {
		if err := g.tick(s.hi - s.lo); err != nil {
			return validity{}, err
		}
		src := bitmaps[s.chunk]
		if len(src) > 0 {
			gatherBits(v.bits, src, cs[s.chunk].at, s, p.rows, p.mask)
			continue
		}
		bitutil.SetBitsTo(v.bits, int64(s.lo), int64(s.hi-s.lo), true)
	}
	if p.mask != nil {
		for i := range v.bits {
			v.bits[i] &= p.mask[i]
		}
	}
	v.nulls = len(p.rows) - bitutil.CountSetBits(v.bits, 0, len(p.rows))
	if v.nulls == 0 {
		return validity{}, nil
	}
	return v, nil
}

// isConstant says whether all of some rows are one: many cells of a column may be of one row, such as one that stands for NULL.
func isConstant(rows []uint32) bool {
	n := len(rows)
	if n < 16 || rows[0] != rows[n-1] || rows[0] != rows[n/2] {
		return false
	}
	differs := uint32(0)
	for _, r := range rows {
		differs |= r ^ rows[0]
	}
	return differs == 0
}

// anyBitmap says whether a chunk that is picked from may have NULL.
func (p *picks) anyBitmap(cs []chunk) bool {
	last := -1
	for _, s := range p.segs {
		if s.chunk != last && len(cs[s.chunk].bytes(0)) > 0 {
			return true
		}
		last = s.chunk
	}
	return false
}

// gatherBits sets the bits of the rows of a segment. Where valid has a 0 bit the source isn't read and the bit is 0; nil
// valid means all rows are read. The bits of the segment must be 0 before, and those after it.
func gatherBits(dst, src []byte, at int, s segment, rows []uint32, valid []byte) {
	base := s.base + at
	if valid == nil && isConstant(rows[s.lo:s.hi]) {
		e := int(rows[s.lo]) + base
		if src[e>>3]>>(e&7)&1 != 0 {
			bitutil.SetBitsTo(dst, int64(s.lo), int64(s.hi-s.lo), true)
		}
		return
	}
	i, n, acc := s.lo>>3, uint(s.lo&7), byte(0)
	for k, r := range rows[s.lo:s.hi] {
		if valid == nil || bit(valid, s.lo+k) {
			e := int(r) + base
			acc |= src[e>>3] >> (e & 7) & 1 << n
		}
		if n++; n == 8 {
			dst[i] |= acc
			i, n, acc = i+1, 0, 0
		}
	}
	if n > 0 {
		dst[i] |= acc
	}
}
