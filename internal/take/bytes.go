package take

import (
	"fmt"
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// offset is the offset of a variable-length element.
type offset interface{ int32 | int64 }

// limitOf returns the greatest offset that a T can hold and this machine can address.
func limitOf[T offset]() int64 {
	var z T
	if _, ok := any(z).(int32); ok {
		return math.MaxInt32
	}
	return math.MaxInt
}

func offsetBytes[T offset](n int) int {
	var z T
	if _, ok := any(z).(int32); ok {
		return 4 * n
	}
	return 8 * n
}

// bytesColumn gathers text or binary with offsets: first where its elements lie, which gives the offsets and the size, then the bytes.
func bytesColumn[T offset](g *gather, t arrow.DataType, cs []chunk, p *picks) (*array.Data, error) {
	v, err := g.validity(cs, p)
	if err != nil {
		return nil, err
	}
	obuf := g.buffer(offsetBytes[T](len(p.rows) + 1))
	sizes := make([]int64, len(cs))
	for i, c := range cs {
		sizes[i] = int64(len(c.bytes(2)))
	}
	e := extents[T]{offsets: arrow.GetData[T](obuf.Bytes())}
	if err := e.find(g, t, cs, p, v.bits, sizes, Bytes); err != nil {
		return nil, err
	}
	buf := g.buffer(int(e.starts[p.parts()]))
	if err := e.copyBytes(g, cs, p, buf.Bytes()); err != nil {
		return nil, err
	}
	return g.data(t, len(p.rows), v.nulls, nil, v.buffer, obuf, buf), nil
}

// gatherOffsets writes the offsets of lists, and returns where the elements of each lie in its chunk's, and the number of all.
func gatherOffsets[T offset](g *gather, t arrow.DataType, cs []chunk, p *picks, valid []byte, offsets []T, sizes []int64) (from []T, total int64, err error) {
	e := extents[T]{offsets: offsets}
	if err := e.find(g, t, cs, p, valid, sizes, Elements); err != nil {
		return nil, 0, err
	}
	for part := range p.parts() {
		ends := offsets[part*block+1 : min(len(p.rows), (part+1)*block)+1]
		for k := range ends {
			ends[k] += T(e.starts[part])
		}
	}
	return e.from, e.starts[p.parts()], nil
}

func outside(t arrow.DataType, from, to, size int64, unit string) error {
	return &DataError{Type: t, Why: fmt.Sprintf("a value lies at [%d, %d) of %d %s", from, to, size, unit)}
}

// views gathers text or binary views. The bytes of long elements are copied, one after the other, into buffers of at most
// 2^31-1 bytes, so that the output doesn't hold on to the buffers of the input.
func (g *gather) views(t arrow.DataType, cs []chunk, p *picks) (*array.Data, error) {
	v, err := g.validity(cs, p)
	if err != nil {
		return nil, err
	}
	sizes, err := g.viewSizes(cs, p, v.bits)
	if err != nil {
		return nil, err
	}
	hbuf := g.buffer(len(p.rows) * arrow.ViewHeaderSizeBytes)
	buffers := []*memory.Buffer{v.buffer, hbuf}
	for _, n := range sizes {
		buffers = append(buffers, g.buffer(n))
	}
	clear(hbuf.Bytes())
	if err := g.copyViews(cs, p, v.bits, arrow.GetData[arrow.ViewHeader](hbuf.Bytes()), buffers[2:]); err != nil {
		return nil, err
	}
	return g.data(t, len(p.rows), v.nulls, nil, buffers...), nil
}

// viewSizes returns the sizes of the output's buffers of bytes.
func (g *gather) viewSizes(cs []chunk, p *picks, valid []byte) ([]int, error) {
	var sizes []int
	room := 0
	for _, s := range p.segs {
		if err := g.tick(s.hi - s.lo); err != nil {
			return nil, err
		}
		c := cs[s.chunk]
		src, base := arrow.GetData[arrow.ViewHeader](c.bytes(1)), s.base+c.at
		for k, r := range p.rows[s.lo:s.hi] {
			if valid != nil && !bit(valid, s.lo+k) {
				continue
			}
			h := &src[int(r)+base]
			if h.IsInline() {
				continue
			}
			if h.Len() > room {
				sizes, room = append(sizes, 0), math.MaxInt32
			}
			sizes[len(sizes)-1] += h.Len()
			room -= h.Len()
		}
	}
	return sizes, nil
}

// copyViews writes the headers and the bytes, in the same order as viewSizes counted them.
func (g *gather) copyViews(cs []chunk, p *picks, valid []byte, headers []arrow.ViewHeader, out []*memory.Buffer) error {
	b, at := 0, 0
	for _, s := range p.segs {
		if err := g.tick(s.hi - s.lo); err != nil {
			return err
		}
		views := viewReader{chunk: cs[s.chunk]}
		src, base := arrow.GetData[arrow.ViewHeader](views.chunk.bytes(1)), s.base+views.chunk.at
		for k, r := range p.rows[s.lo:s.hi] {
			if valid != nil && !bit(valid, s.lo+k) {
				continue
			}
			from, to := &src[int(r)+base], &headers[s.lo+k]
			if from.IsInline() {
				to.SetBytes(from.InlineBytes())
				continue
			}
			e := views.bytes(from)
			if at+len(e) > out[b].Len() {
				b, at = b+1, 0
			}
			to.SetBytes(e)
			to.SetIndexOffset(int32(b), int32(at))
			at += copy(out[b].Bytes()[at:], e)
			if len(e) > block {
				if err := g.tick(len(e) / 64); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// viewReader reads the bytes of a chunk's views that aren't inline. It keeps the buffer it read last.
type viewReader struct {
	chunk  chunk
	buffer []byte
	number int
}

func (v *viewReader) bytes(h *arrow.ViewHeader) []byte {
	// Buffer 0 of a view is the third of the array.
	if n := int(h.BufferIndex()) + 2; n != v.number || v.buffer == nil {
		v.number, v.buffer = n, v.chunk.bytes(n)
	}
	from := int(h.BufferOffset())
	return v.buffer[from : from+h.Len()]
}
