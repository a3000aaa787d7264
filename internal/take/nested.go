package take

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// structs gathers every field by the same picks, under the mask of the struct's own NULLs.
func (g *gather) structs(t arrow.DataType, layout *arrow.StructType, cs []chunk, p *picks) (*array.Data, error) {
	v, err := g.validity(cs, p)
	if err != nil {
		return nil, err
	}
	below := &picks{rows: p.rows, segs: p.segs, mask: v.bits}
	out := make([]arrow.ArrayData, layout.NumFields())
	for i := range out {
		if out[i], err = g.column(layout.Field(i).Type, fields(cs, i), below); err != nil {
			return nil, err
		}
	}
	return g.data(t, len(p.rows), v.nulls, out, v.buffer), nil
}

// fixedSizeList gathers lists of n elements each, n NULLs for a NULL.
func (g *gather) fixedSizeList(t arrow.DataType, layout *arrow.FixedSizeListType, cs []chunk, p *picks) (*array.Data, error) {
	v, err := g.validity(cs, p)
	if err != nil {
		return nil, err
	}
	n := int(layout.Len())
	below := newPicks(len(p.rows) * n)
	for _, s := range p.segs {
		base := s.base + cs[s.chunk].at
		for k := s.lo; k < s.hi; k++ {
			if err := g.tick(1 + n); err != nil {
				return nil, err
			}
			if v.bits == nil || v.at(k) {
				below.add(s.chunk, (int(p.rows[k])+base)*n, n)
			} else {
				below.addNull(n)
			}
		}
	}
	elems, err := g.column(layout.Elem(), children(cs, 0), below)
	if err != nil {
		return nil, err
	}
	return g.data(t, len(p.rows), v.nulls, []arrow.ArrayData{elems}, v.buffer), nil
}

// listColumn gathers lists or maps. A NULL is empty.
func listColumn[T offset](g *gather, t, elem arrow.DataType, cs []chunk, p *picks) (*array.Data, error) {
	v, err := g.validity(cs, p)
	if err != nil {
		return nil, err
	}
	buf := g.buffer(offsetBytes[T](len(p.rows) + 1))
	offsets, below := arrow.GetData[T](buf.Bytes()), children(cs, 0)
	from, total, err := gatherOffsets(g, t, cs, p, v.bits, offsets, lengths(below))
	if err != nil {
		return nil, err
	}
	elems := newPicks(int(total))
	for _, s := range p.segs {
		for k := s.lo; k < s.hi; k++ {
			n := int(offsets[k+1] - offsets[k])
			if n == 0 {
				continue
			}
			if err := g.tick(n); err != nil {
				return nil, err
			}
			elems.add(s.chunk, int(from[k]), n)
		}
	}
	values, err := g.column(elem, below, elems)
	if err != nil {
		return nil, err
	}
	return g.data(t, len(p.rows), v.nulls, []arrow.ArrayData{values}, v.buffer, buf), nil
}

func lengths(cs []chunk) []int64 {
	out := make([]int64, len(cs))
	for i, c := range cs {
		out[i] = int64(c.data.Len())
	}
	return out
}

// listViewColumn gathers list views. The elements of the output follow each other in the order of the rows; a NULL is
// empty.
func listViewColumn[T offset](g *gather, t, elem arrow.DataType, cs []chunk, p *picks) (*array.Data, error) {
	v, err := g.validity(cs, p)
	if err != nil {
		return nil, err
	}
	obuf, sbuf := g.buffer(offsetBytes[T](len(p.rows))), g.buffer(offsetBytes[T](len(p.rows)))
	sizes, below := arrow.GetData[T](sbuf.Bytes()), children(cs, 0)
	total, err := viewLengths(g, t, cs, p, v.bits, arrow.GetData[T](obuf.Bytes()), sizes, lengths(below))
	if err != nil {
		return nil, err
	}
	elems := newPicks(int(total))
	for _, s := range p.segs {
		src, base := arrow.GetData[T](cs[s.chunk].bytes(1)), s.base+cs[s.chunk].at
		for k := s.lo; k < s.hi; k++ {
			if sizes[k] == 0 {
				continue
			}
			if err := g.tick(int(sizes[k])); err != nil {
				return nil, err
			}
			elems.add(s.chunk, int(src[int(p.rows[k])+base]), int(sizes[k]))
		}
	}
	values, err := g.column(elem, below, elems)
	if err != nil {
		return nil, err
	}
	return g.data(t, len(p.rows), v.nulls, []arrow.ArrayData{values}, v.buffer, obuf, sbuf), nil
}

// viewLengths writes the offsets and sizes of list views and returns the sum of the sizes, after checking every view
// against its chunk's elements. The offset of an empty view isn't looked at.
func viewLengths[T offset](g *gather, t arrow.DataType, cs []chunk, p *picks, valid []byte, offsets, sizes []T, elements []int64) (int64, error) {
	var total int64
	for _, s := range p.segs {
		if err := g.tick(s.hi - s.lo); err != nil {
			return 0, err
		}
		c := cs[s.chunk]
		from, size, base := arrow.GetData[T](c.bytes(1)), arrow.GetData[T](c.bytes(2)), s.base+c.at
		for k := s.lo; k < s.hi; k++ {
			offsets[k], sizes[k] = T(total), 0
			if valid != nil && !bit(valid, k) {
				continue
			}
			e := int(p.rows[k]) + base
			n := int64(size[e])
			if n == 0 {
				continue
			}
			if at, have := int64(from[e]), elements[s.chunk]; n < 0 || at < 0 || at > have-n {
				return 0, outside(t, at, at+n, have, Elements)
			}
			sizes[k] = T(n)
			total += n
		}
	}
	if limit := limitOf[T](); total > limit {
		return 0, &SizeError{Type: t, Size: total, Limit: limit, Unit: Elements}
	}
	return total, nil
}
