package take

import (
	"fmt"
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// A union has no validity of its own. A masked row takes the code of the first child, and is NULL there.

// sparseUnion gathers every child by the same picks, masked where the row is another child's.
func (g *gather) sparseUnion(t arrow.DataType, layout arrow.UnionType, cs []chunk, p *picks) (*array.Data, error) {
	buf, err := g.typeCodes(t, layout, cs, p)
	if err != nil {
		return nil, err
	}
	codes := arrow.GetData[arrow.UnionTypeCode](buf.Bytes())
	out := make([]arrow.ArrayData, len(layout.Fields()))
	for i, f := range layout.Fields() {
		mask := make([]byte, (len(codes)+7)/8)
		for k, code := range codes {
			if code == layout.TypeCodes()[i] && (p.mask == nil || bit(p.mask, k)) {
				mask[k>>3] |= 1 << (k & 7)
			}
		}
		below := &picks{rows: p.rows, segs: p.segs, mask: mask}
		if out[i], err = g.column(f.Type, fields(cs, i), below); err != nil {
			return nil, err
		}
	}
	return g.data(t, len(p.rows), 0, out, nil, buf), nil
}

// denseUnion gathers every child by picks of its own: the elements that the rows take from it, in the order of the rows.
func (g *gather) denseUnion(t arrow.DataType, layout arrow.UnionType, cs []chunk, p *picks) (*array.Data, error) {
	cbuf, err := g.typeCodes(t, layout, cs, p)
	if err != nil {
		return nil, err
	}
	obuf := g.buffer(4 * len(p.rows))
	below, err := g.unionPicks(t, layout, cs, p, arrow.GetData[arrow.UnionTypeCode](cbuf.Bytes()), arrow.GetData[int32](obuf.Bytes()))
	if err != nil {
		return nil, err
	}
	out := make([]arrow.ArrayData, len(below))
	for i, f := range layout.Fields() {
		if out[i], err = g.column(f.Type, children(cs, i), below[i]); err != nil {
			return nil, err
		}
	}
	return g.data(t, len(p.rows), 0, out, nil, cbuf, obuf), nil
}

// unionPicks writes the offsets of a dense union and returns the picks of each child.
func (g *gather) unionPicks(t arrow.DataType, layout arrow.UnionType, cs []chunk, p *picks, codes []arrow.UnionTypeCode, offsets []int32) ([]*picks, error) {
	below := make([]*picks, len(layout.Fields()))
	for i := range below {
		below[i] = newPicks(0)
	}
	ids := layout.ChildIDs()
	for _, s := range p.segs {
		if err := g.tick(s.hi - s.lo); err != nil {
			return nil, err
		}
		src, base := arrow.GetData[int32](cs[s.chunk].bytes(2)), s.base+cs[s.chunk].at
		for k := s.lo; k < s.hi; k++ {
			child := below[ids[codes[k]]]
			offsets[k] = int32(len(child.rows))
			if p.mask != nil && !bit(p.mask, k) {
				child.addNull(1)
				continue
			}
			at := int(src[int(p.rows[k])+base])
			if have := cs[s.chunk].data.Children()[ids[codes[k]]].Len(); at < 0 || at >= have {
				return nil, outside(t, int64(at), int64(at)+1, int64(have), Elements)
			}
			child.add(s.chunk, at, 1)
		}
	}
	for _, child := range below {
		if n := int64(len(child.rows)); n > math.MaxInt32 {
			return nil, &SizeError{Type: t, Size: n, Limit: math.MaxInt32, Unit: Elements}
		}
	}
	return below, nil
}

// typeCodes gathers the type codes, all of which are codes of the union.
func (g *gather) typeCodes(t arrow.DataType, layout arrow.UnionType, cs []chunk, p *picks) (*memory.Buffer, error) {
	buf, err := g.words(1, cs, 1, p, p.mask)
	if err != nil {
		return nil, err
	}
	ids := layout.ChildIDs()
	codes := arrow.GetData[arrow.UnionTypeCode](buf.Bytes())
	for k, code := range codes {
		if p.mask != nil && !bit(p.mask, k) {
			codes[k] = layout.TypeCodes()[0]
			continue
		}
		if code < 0 || int(code) >= len(ids) || ids[code] == arrow.InvalidUnionChildID {
			return nil, &DataError{Type: t, Why: fmt.Sprintf("type code %d is none of its codes", code)}
		}
	}
	return buf, nil
}
