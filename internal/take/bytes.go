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

// bytesColumn gathers text or binary with offsets: first the lengths, which give the offsets and the size, then the bytes.
func bytesColumn[T offset](g *gather, t arrow.DataType, cs []chunk, p *picks) (*array.Data, error) {
	v, err := g.validity(cs, p)
	if err != nil {
		return nil, err
	}
	obuf := g.buffer(offsetBytes[T](len(p.rows) + 1))
	offsets := arrow.GetData[T](obuf.Bytes())
	sizes := make([]int64, len(cs))
	for i, c := range cs {
		sizes[i] = int64(len(c.bytes(2)))
	}
	total, err := gatherOffsets(g, t, cs, p, v.bits, offsets, sizes, Bytes)
	if err != nil {
		return nil, err
	}
	buf := g.buffer(int(total))
	if err := copyBytes(g, cs, p, v.bits, offsets, buf.Bytes()); err != nil {
		return nil, err
	}
	return g.data(t, len(p.rows), v.nulls, nil, v.buffer, obuf, buf), nil
}

// gatherOffsets writes the offsets of text, binary or lists and returns the last, after checking every element against
// the size of what the offsets of its chunk point into.
func gatherOffsets[T offset](g *gather, t arrow.DataType, cs []chunk, p *picks, valid []byte, offsets []T, sizes []int64, unit string) (int64, error) {
	var total int64
	offsets[0] = 0
	srcs := typed[T](cs, 1)
	for _, s := range p.segs {
		if err := g.tick(s.hi - s.lo); err != nil {
			return 0, err
		}
		src, size, base := srcs[s.chunk], sizes[s.chunk], s.base+cs[s.chunk].at
		out := offsets[s.lo+1 : s.hi+1]
		for k, r := range p.rows[s.lo:s.hi] {
			if valid == nil || bit(valid, s.lo+k) {
				e := int(r) + base
				from, to := int64(src[e]), int64(src[e+1])
				if from < 0 || to < from || to > size {
					return 0, outside(t, from, to, size, unit)
				}
				total += to - from
			}
			out[k] = T(total)
		}
	}
	if limit := limitOf[T](); total > limit {
		return 0, &SizeError{Type: t, Size: total, Limit: limit, Unit: unit}
	}
	return total, nil
}

func outside(t arrow.DataType, from, to, size int64, unit string) error {
	return &DataError{Type: t, Why: fmt.Sprintf("a value lies at [%d, %d) of %d %s", from, to, size, unit)}
}

// copyBytes copies the elements to where the output's offsets say: those that follow each other at once, and short ones as 16 bytes, whatever
// their length, where these exist on both sides: what is too much is written over by the elements after it.
func copyBytes[T offset](g *gather, cs []chunk, p *picks, valid []byte, offsets []T, out []byte) error {
	const short = 16
	srcs, bytes := typed[T](cs, 1), typed[uint8](cs, 2)
	for _, s := range p.segs {
		if err := g.tick(s.hi - s.lo); err != nil {
			return err
		}
		src, data, base := srcs[s.chunk], bytes[s.chunk], s.base+cs[s.chunk].at
		at := int(offsets[s.lo])
		rows := p.rows[s.lo:s.hi]
		for k := 0; k < len(rows); {
			if valid != nil && !bit(valid, s.lo+k) {
				k++
				continue
			}
			r, run := rows[k], 1
			for k+run < len(rows) && rows[k+run] == r+uint32(run) && (valid == nil || bit(valid, s.lo+k+run)) {
				run++
			}
			e := int(r) + base
			from, to := int(src[e]), int(src[e+run])
			n := to - from
			if n <= short && from+short <= len(data) && at+short <= len(out) {
				*(*[short]byte)(out[at:]) = *(*[short]byte)(data[from:])
			} else {
				copy(out[at:], data[from:to])
			}
			at, k = at+n, k+run
			if n > block {
				if err := g.tick(n / 64); err != nil {
					return err
				}
			}
		}
	}
	return nil
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
