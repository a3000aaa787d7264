package join

import (
	"encoding/binary"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
)

func notSketch(format string, args ...any) error {
	return fmt.Errorf("%w: %s", onerow.ErrSketch, fmt.Sprintf(format, args...))
}

// sketchReader reads the parts of a sketch. After the first error everything reads as nothing.
type sketchReader struct {
	left   string // of a copy of the file, which the texts of the sketch are parts of
	shapes int    // of the column at hand
	err    error
}

func (r *sketchReader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = notSketch(format, args...)
	}
	r.left = ""
}

func (r *sketchReader) number() (n uint64) {
	for i := range min(len(r.left), binary.MaxVarintLen64) {
		b := r.left[i]
		if b < 0x80 {
			if i > 0 && b == 0 || i == binary.MaxVarintLen64-1 && b > 1 {
				break // a number has one form, and 64 bits
			}
			r.left = r.left[i+1:]
			return n | uint64(b)<<(7*i)
		}
		n |= uint64(b&0x7f) << (7 * i)
	}
	r.fail("a number is cut off or too long")
	return 0
}

// count is the number of things that follow, each of which has at least some bytes.
func (r *sketchReader) count(of string, bytes int) int {
	n := r.number()
	if n > uint64(len(r.left)/bytes) {
		r.fail("%d %s don't fit the %d bytes that follow", n, of, len(r.left))
		return 0
	}
	return int(n)
}

func (r *sketchReader) byte() byte {
	if len(r.left) == 0 {
		r.fail("it ends too early")
		return 0
	}
	b := r.left[0]
	r.left = r.left[1:]
	return b
}

func (r *sketchReader) hash() (h uint64) {
	if len(r.left) < 8 {
		r.fail("it ends too early")
		return 0
	}
	for i := range 8 {
		h |= uint64(r.left[i]) << (8 * i)
	}
	r.left = r.left[8:]
	return h
}

func (r *sketchReader) text() string {
	n := r.count("bytes of text", 1)
	t := r.left[:n]
	r.left = r.left[n:]
	return t
}

func (r *sketchReader) sketch(flags byte) *Sketch {
	if flags >= flagsEnd {
		r.fail("it has the unknown flags %#x", flags)
	}
	s := &Sketch{full: flags&flagFull != 0}
	if flags&flagNullsEqual != 0 {
		s.nulls = NullsEqual
	}
	size := r.number()
	if size < uint64(leastSketchKeys) || size > MaxSketchKeys {
		r.fail("the sample may hold %d keys, of %d to %d", size, leastSketchKeys, MaxSketchKeys)
		return s
	}
	s.size = int(size)
	for range r.count("columns", 2) {
		r.shapes = 0
		s.columns = append(s.columns, sketchColumn{name: r.text(), typ: r.shape()})
	}
	s.rows, s.nullRows = r.number(), r.number()
	s.sample = r.keys(len(s.columns), 0)
	if !s.full {
		return s
	}
	s.least = r.number()
	s.heavy = r.keys(len(s.columns), 1)
	if bits := r.number(); bits > uint64(log2(bucketCount(MaxSketchKeys))) || 1<<bits > len(r.left)/5 {
		r.fail("2^%d buckets don't fit the %d bytes that follow", bits, len(r.left))
	} else {
		s.buckets = make([]bucket, 1<<bits)
	}
	for i := range s.buckets {
		s.buckets[i] = bucket{rows: r.number(), keys: r.number(), most: r.number(), squares: Count{hi: r.number(), lo: r.number()}}
	}
	return s
}

// keys reads a list of keys, each with its rows and more numbers to add to their bound.
func (r *sketchReader) keys(columns, more int) []sketchKey {
	keys := make([]sketchKey, r.count("keys", 10+more+columns))
	texts := make([]string, len(keys)*columns)
	for i := range keys {
		k := &keys[i]
		k.hash, k.id, k.low = r.hash(), r.text(), r.number()
		k.high = k.low
		if more > 0 {
			k.high = addCapped(k.low, r.number())
		}
		k.texts = texts[i*columns:][:columns:columns]
		for c := range k.texts {
			k.texts[c] = r.text()
		}
		if r.err != nil {
			return nil
		}
	}
	return keys
}

func (r *sketchReader) shape() arrow.DataType {
	if r.shapes++; r.shapes > maxShapes {
		r.fail("a key column consists of more than %d types", maxShapes)
	}
	switch b := r.byte(); {
	case int(b) < len(families):
		return families[b]
	case b == structShape:
		var fields []arrow.Field
		for range r.count("fields", 2) {
			if fields = append(fields, arrow.Field{Name: r.text(), Type: r.shape(), Nullable: true}); r.err != nil {
				return arrow.Null
			}
		}
		return arrow.StructOf(fields...)
	case b == listShape:
		return arrow.ListOf(r.shape())
	default:
		r.fail("no family of types has the number %d", b)
		return arrow.Null
	}
}
