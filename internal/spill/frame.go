package spill

import (
	"bufio"
	"encoding/binary"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/cespare/xxhash/v2"
)

const (
	headBytes = 16
	sumBytes  = 8
	// absent is the size of a buffer that isn't there.
	absent = ^uint64(0)
)

// padded is a size as it is in the body.
func padded(n uint64) uint64 { return (n + 7) &^ 7 }

// writer writes frames.
type writer struct {
	to     *bufio.Writer
	sum    *xxhash.Digest
	layout []byte
	body   uint64
	n      int64
}

// write writes one frame and returns how many bytes it had, or would have had.
func (w *writer) write(to io.Writer, seed uint64, rec arrow.Record) (int64, error) {
	if w.to == nil {
		w.to, w.sum = bufio.NewWriterSize(nil, 32<<10), xxhash.New()
	}
	w.to.Reset(to)
	w.sum.ResetWithSeed(seed)
	w.layout, w.body, w.n = w.layout[:0], 0, 0
	for _, c := range rec.Columns() {
		w.describe(c.Data())
	}
	w.word(uint64(len(w.layout)))
	w.word(w.body)
	w.bytes(w.layout)
	for _, c := range rec.Columns() {
		w.buffers(c.Data())
	}
	w.word(w.sum.Sum64())
	return w.n, w.to.Flush()
}

// describe adds an array, and all below it, to the layout.
func (w *writer) describe(d arrow.ArrayData) {
	add := func(v uint64) { w.layout = binary.NativeEndian.AppendUint64(w.layout, v) }
	below := childrenOf(d)
	for _, v := range []int{d.Len(), d.NullN(), d.Offset(), len(below), len(d.Buffers())} {
		add(uint64(v))
	}
	for _, b := range d.Buffers() {
		if b == nil {
			add(absent)
			continue
		}
		add(uint64(b.Len()))
		w.body += padded(uint64(b.Len()))
	}
	for _, c := range below {
		w.describe(c)
	}
}

// childrenOf are the arrays below one, its dictionary among them.
func childrenOf(d arrow.ArrayData) []arrow.ArrayData {
	if dict, ok := d.Dictionary().(*array.Data); ok && dict != nil {
		return []arrow.ArrayData{dict}
	}
	return d.Children()
}

// buffers writes those of an array and of all below it, in the order of the layout.
func (w *writer) buffers(d arrow.ArrayData) {
	for _, b := range d.Buffers() {
		if b == nil {
			continue
		}
		w.bytes(b.Bytes())
		var zeros [8]byte
		w.bytes(zeros[:padded(uint64(b.Len()))-uint64(b.Len())])
	}
	for _, c := range childrenOf(d) {
		w.buffers(c)
	}
}

func (w *writer) word(v uint64) {
	var b [8]byte
	binary.NativeEndian.PutUint64(b[:], v)
	w.bytes(b[:])
}

// bytes writes some; an error stays with the buffered writer, until it is flushed.
func (w *writer) bytes(b []byte) {
	_, _ = w.sum.Write(b) // never fails
	_, _ = w.to.Write(b)
	w.n += int64(len(b))
}

// reader reads the frames of one partition.
type reader struct {
	from      io.Reader
	partition *partition
	schema    *arrow.Schema
	mem       memory.Allocator
	left      int64 // bytes of the frames that are not read yet
}

// next reads frame i.
func (r *reader) next(i int) (arrow.Record, error) {
	var head [headBytes]byte
	if err := r.full(head[:], i); err != nil {
		return nil, err
	}
	layoutSize, bodySize := binary.NativeEndian.Uint64(head[:]), binary.NativeEndian.Uint64(head[8:])
	limit := uint64(min(r.left, r.partition.widest))
	if layoutSize > limit || bodySize > limit || headBytes+layoutSize+bodySize+sumBytes > limit || layoutSize%8 != 0 {
		return nil, damaged(r.partition.path, i, "its sizes are wrong")
	}
	r.left -= int64(headBytes + layoutSize + bodySize + sumBytes)
	layout := make([]byte, layoutSize)
	if err := r.full(layout, i); err != nil {
		return nil, err
	}
	body := memory.NewResizableBuffer(r.mem)
	defer body.Release()
	body.Resize(int(bodySize))
	if err := r.full(body.Bytes(), i); err != nil {
		return nil, err
	}
	var sum [sumBytes]byte
	if err := r.full(sum[:], i); err != nil {
		return nil, err
	}
	digest := xxhash.NewWithSeed(r.partition.seed + uint64(i))
	for _, b := range [][]byte{head[:], layout, body.Bytes()} {
		_, _ = digest.Write(b) // never fails
	}
	if digest.Sum64() != binary.NativeEndian.Uint64(sum[:]) {
		return nil, damaged(r.partition.path, i, "its checksum is wrong")
	}
	return r.record(i, layout, body)
}

// full fills b.
func (r *reader) full(b []byte, frame int) error {
	switch _, err := io.ReadFull(r.from, b); err {
	case nil:
		return nil
	case io.EOF, io.ErrUnexpectedEOF:
		return damaged(r.partition.path, frame, "the file ends in it")
	default:
		return failed("read", r.partition.path, err)
	}
}

// end says whether the file ends where it should.
func (r *reader) end() error {
	var more [1]byte
	switch n, err := io.ReadFull(r.from, more[:]); {
	case n > 0 || r.left != 0:
		return damaged(r.partition.path, r.partition.frames, "there is more than was written")
	case err != io.EOF:
		return failed("read", r.partition.path, err)
	}
	return nil
}
