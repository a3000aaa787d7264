package recast

import (
	"fmt"
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow/internal/take"
)

type offset interface{ int32 | int64 }

// bytes converts text and binary between its layouts.
func (c *caster) bytes(r rows, to arrow.DataType) (arrow.ArrayData, []int, error) {
	at, err := bytesAt(&r)
	if err != nil {
		return nil, nil, err
	}
	switch t := to.(type) {
	case *arrow.StringType, *arrow.BinaryType:
		return toOffsets[int32](c, r, to, at, math.MaxInt32)
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		return toOffsets[int64](c, r, to, at, math.MaxInt) // what the machine can address
	case *arrow.FixedSizeBinaryType:
		return c.toFixed(r, t, at)
	}
	return c.toViews(r, to, at)
}

// bytesAt reads the bytes of a row.
func bytesAt(r *rows) (func(i int) []byte, error) {
	switch t := r.data.DataType().(type) {
	case *arrow.StringType, *arrow.BinaryType:
		return offsetsAt[int32](r), nil
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		return offsetsAt[int64](r), nil
	case *arrow.FixedSizeBinaryType:
		data, w, first := r.raw(1), t.ByteWidth, r.at
		return func(i int) []byte { return data[(first+i)*w : (first+i+1)*w] }, nil
	case *arrow.StringViewType, *arrow.BinaryViewType:
		headers := words[arrow.ViewHeader](r)
		var blocks [][]byte
		for b := 2; b < len(r.data.Buffers()); b++ {
			blocks = append(blocks, r.raw(b))
		}
		return func(i int) []byte {
			h := &headers[i]
			if h.IsInline() {
				return h.InlineBytes()
			}
			lo := int(h.BufferOffset())
			return blocks[h.BufferIndex()][lo : lo+h.Len()]
		}, nil
	}
	return nil, fmt.Errorf("type %v has no bytes", r.data.DataType())
}

func offsetsAt[T offset](r *rows) func(i int) []byte {
	offsets, data := arrow.GetData[T](r.raw(1))[r.at:], r.raw(2)
	return func(i int) []byte { return data[offsets[i]:offsets[i+1]] }
}

// toOffsets writes text or binary behind offsets: first the lengths, which give the size, then the bytes.
func toOffsets[T offset](c *caster, r rows, to arrow.DataType, at func(i int) []byte, limit int64) (arrow.ArrayData, []int, error) {
	var o T
	obuf := c.buffer((r.n + 1) * widthOf(o))
	offsets := arrow.GetData[T](obuf.Bytes())
	var total int64
	for i := range r.n {
		if r.has(i) {
			total += int64(len(at(i)))
		}
		offsets[i+1] = T(total)
	}
	if total > limit {
		return nil, nil, &take.SizeError{Type: to, Size: total, Limit: limit, Unit: take.Bytes}
	}
	buf := c.buffer(int(total))
	out := buf.Bytes()
	r.each(func(i int) { copy(out[offsets[i]:], at(i)) })
	return c.result(to, r, nil, nil, obuf, buf)
}

func widthOf[T offset](o T) int {
	if _, ok := any(o).(int32); ok {
		return 4
	}
	return 8
}

// toFixed writes binary of one width.
func (c *caster) toFixed(r rows, to *arrow.FixedSizeBinaryType, at func(i int) []byte) (arrow.ArrayData, []int, error) {
	buf, w := c.buffer(r.n*to.ByteWidth), to.ByteWidth
	out := buf.Bytes()
	var unfit []int
	r.each(func(i int) {
		if b := at(i); len(b) == w {
			copy(out[i*w:], b)
		} else {
			unfit = append(unfit, i)
		}
	})
	return c.result(to, r, unfit, nil, buf)
}

// maxInline is how many bytes a view holds itself. Arrow's IsViewInline says one less in v15.
const maxInline = 12

// viewBytes is how many bytes a buffer of a view has at most. Tests lower it.
var viewBytes = math.MaxInt32

// toViews writes views. The bytes of long elements lie one after the other, in buffers of at most viewBytes. An element that is longer
// doesn't fit a view.
func (c *caster) toViews(r rows, to arrow.DataType, at func(i int) []byte) (arrow.ArrayData, []int, error) {
	hbuf := c.buffer(r.n * arrow.ViewHeaderSizeBytes)
	headers := arrow.GetData[arrow.ViewHeader](hbuf.Bytes())
	var sizes, unfit []int
	room := 0
	r.each(func(i int) {
		switch n := len(at(i)); {
		case n > viewBytes:
			unfit = append(unfit, i)
		case n > maxInline:
			if n > room {
				sizes, room = append(sizes, 0), viewBytes
			}
			sizes[len(sizes)-1] += n
			room -= n
		}
	})
	buffers := []*memory.Buffer{hbuf}
	for _, n := range sizes {
		buffers = append(buffers, c.buffer(n))
	}
	block, used := 1, 0
	r.each(func(i int) {
		b := at(i)
		if len(b) > viewBytes {
			return
		}
		headers[i].SetBytes(b)
		if headers[i].IsInline() {
			return
		}
		if used+len(b) > buffers[block].Len() {
			block, used = block+1, 0
		}
		headers[i].SetIndexOffset(int32(block-1), int32(used))
		used += copy(buffers[block].Bytes()[used:], b)
	})
	return c.result(to, r, unfit, nil, buffers...)
}
