package join

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
)

func notSketch(format string, args ...any) error {
	return fmt.Errorf("%w: %s", onerow.ErrSketch, fmt.Sprintf(format, args...))
}

// sketchReader reads the parts of a sketch. After the first error everything reads as nothing.
type sketchReader struct {
	left []byte
	err  error
}

func (r *sketchReader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = notSketch(format, args...)
	}
	r.left = nil
}

func (r *sketchReader) number() uint64 {
	n, size := binary.Uvarint(r.left)
	if size <= 0 || size > 1 && r.left[size-1] == 0 { // a number has one form
		r.fail("a number is cut off or too long")
		return 0
	}
	r.left = r.left[size:]
	return n
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

func (r *sketchReader) bytes(n int) []byte {
	if n > len(r.left) {
		r.fail("it ends too early")
		return make([]byte, n)
	}
	b := r.left[:n]
	r.left = r.left[n:]
	return b
}

func (r *sketchReader) text() string { return string(r.bytes(r.count("bytes of text", 1))) }

func (r *sketchReader) sketch(flags byte) *Sketch {
	if flags >= flagsEnd {
		r.fail("it has the unknown flags %#x", flags)
	}
	s := &Sketch{full: flags&flagFull != 0, distinct: flags&flagDistinct != 0}
	if flags&flagNullsEqual != 0 {
		s.nulls = NullsEqual
	}
	size := r.number()
	if size < MinSketchKeys || size > MaxSketchKeys {
		r.fail("the sample may hold %d keys, of %d to %d", size, MinSketchKeys, MaxSketchKeys)
		return s
	}
	s.size = int(size)
	for range r.count("columns", 2) {
		s.columns = append(s.columns, sketchColumn{name: r.text(), typ: r.shape(0)})
	}
	s.rows, s.nullRows = r.number(), r.number()
	s.sample = r.keys(len(s.columns), 0)
	if !s.full {
		return s
	}
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
	for i := range keys {
		k := &keys[i]
		k.hash, k.id, k.low = binary.LittleEndian.Uint64(r.bytes(8)), r.text(), r.number()
		k.high = k.low
		if more > 0 {
			k.high = addCapped(k.low, r.number())
		}
		k.texts = make([]string, columns)
		for c := range k.texts {
			k.texts[c] = r.text()
		}
		if r.err != nil {
			return nil
		}
	}
	return keys
}

// maxShapeDepth bounds how deep types are nested.
const maxShapeDepth = 1000

func (r *sketchReader) shape(depth int) arrow.DataType {
	b := r.bytes(1)[0]
	switch {
	case depth > maxShapeDepth:
		r.fail("a type is nested more than %d deep", maxShapeDepth)
	case int(b) < len(families):
		return families[b]
	case b == structShape:
		fields := make([]arrow.Field, r.count("fields", 2))
		for i := range fields {
			fields[i] = arrow.Field{Name: r.text(), Type: r.shape(depth + 1), Nullable: true}
		}
		if r.err == nil {
			return arrow.StructOf(fields...)
		}
	case b == listShape:
		if elem := r.shape(depth + 1); r.err == nil {
			return arrow.ListOf(elem)
		}
	default:
		r.fail("no family of types has the number %d", b)
	}
	return arrow.Null
}

// check refuses what contradicts itself: no estimate of a sketch that passes it overflows, or finds a row that isn't there.
func (s *Sketch) check() error {
	switch {
	case len(s.columns) == 0:
		return notSketch("it has no key columns")
	case s.rows > math.MaxInt64 || s.nullRows > s.rows:
		return notSketch("it has %d rows, of which %d with NULL", s.rows, s.nullRows)
	case len(s.sample) > s.size || s.full && len(s.sample) < s.size:
		return notSketch("the sample of %d keys has %d", s.size, len(s.sample))
	case len(s.heavy) > heavyKeys(s.size):
		return notSketch("it has %d heavy keys, of at most %d", len(s.heavy), heavyKeys(s.size))
	case s.full && len(s.buckets) != bucketCount(s.size):
		return notSketch("it has %d buckets, of %d", len(s.buckets), bucketCount(s.size))
	}
	sum := uint64(0)
	for i, k := range s.sample {
		if i > 0 && compareSampled(s.sample[i-1], k) >= 0 {
			return notSketch("key %d of the sample isn't in its place", i)
		}
		if k.low == 0 || k.low > s.keyed()-sum {
			return notSketch("key %d of the sample has %d rows", i, k.low)
		}
		sum += k.low
	}
	if !s.full {
		if sum != s.keyed() {
			return notSketch("its keys have %d rows, of %d", sum, s.keyed())
		}
		return nil
	}
	return s.checkBuckets()
}

// checkBuckets adds up what each bucket must hold at least.
func (s *Sketch) checkBuckets() error {
	seen := map[string]bool{}
	known := make([]uint64, len(s.buckets))
	for i, k := range s.heavy {
		known[bucketOf(k.hash, len(known))] += k.low
		if seen[k.id] || i > 0 && compareHeavy(s.heavy[i-1], k) >= 0 {
			return notSketch("heavy key %d isn't in its place", i)
		}
		if seen[k.id] = true; k.low == 0 || k.high > s.keyed() {
			return notSketch("heavy key %d has %d to %d rows", i, k.low, k.high)
		}
		if s.covers(k) && (k.low != k.high || s.sampled(k) != k.low) {
			return notSketch("heavy key %d has other rows in the sample", i)
		}
	}
	for _, k := range s.sample {
		if !seen[k.id] {
			known[bucketOf(k.hash, len(known))] += k.low
		}
	}
	sum := uint64(0)
	for i, b := range s.buckets {
		if b.rows > s.keyed()-sum || known[i] > b.rows || b.keys > s.keyed() || b.most > s.keyed() {
			return notSketch("bucket %d has more rows than there are, or less than its keys", i)
		}
		sum += b.rows
	}
	if sum != s.keyed() {
		return notSketch("its buckets have %d rows, of %d", sum, s.keyed())
	}
	return nil
}
