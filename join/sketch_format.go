package join

import (
	"bytes"
	"encoding"
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/cespare/xxhash/v2"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/form"
)

var (
	_ encoding.BinaryMarshaler   = (*Sketch)(nil)
	_ encoding.BinaryUnmarshaler = (*Sketch)(nil)
)

// SketchVersion is the version of the binary format that this release writes. It reads versions 1 to SketchVersion.
const SketchVersion = 1

// sketchMagic begins every file.
const sketchMagic = "1rowskch"

// The bits of the flags.
const (
	flagNullsEqual = 1 << iota
	flagFull
	flagsEnd
)

// MarshalBinary writes the sketch. Equal sketches have equal bytes on every machine. The format, version 1, in which n is an unsigned LEB128 number
// of at most 64 bits in its shortest form, and text is n bytes behind their number n:
//
//	8 bytes   "1rowskch"
//	1 byte    the version
//	1 byte    flags: 1 NULL equals NULL, 2 there are keys beyond the sample
//	n         keys that the sample may hold
//	n         key columns; of each:
//	  text      its name
//	  type      1 byte: the family, 0 null, 1 bool, 2 integer, 3 float, 4 decimal, 5 text, 6 binary, 7 date, 8 time of day, 9 timestamp
//	            without a zone, 10 timestamp with one, 11 duration, 12 struct, 13 list. A struct: n fields, of each the name (text) and the
//	            type; a list: the type of its elements
//	n         rows
//	n         rows with NULL in the key
//	n         keys in the sample, ascending by hash, then by the bytes of the key; of each:
//	  8 bytes   its hash, little-endian: what splitmix64 makes of the one that onerow.Partition goes by
//	  text      its canonical bytes, as scd2.CanonicalHash hashes them, cell after cell; of a key of more than 64 of them 255, and their SHA-256
//	  n         rows
//	  text      for each key column: the value as text, in at most 160 bytes
//	and where there are keys beyond the sample:
//	n         distinct keys, at least
//	n         heavy keys, those with the most rows (at least) first, then with the most at most, equal ones as in the sample; of each:
//	  8 bytes   hash
//	  text      canonical bytes
//	  n         rows, at least
//	  n         how many more there may be
//	  text      for each key column
//	n         the binary logarithm of the number of buckets; of each bucket, which holds the keys whose hash has its number in the low bits:
//	  n         rows
//	  n         keys that aren't heavy, at most
//	  n         rows that such a key has, at most
//	  n, n      the sum of the squares of the rows of such keys, at most: high and low 64 bits
//	8 bytes   XXH64 of all bytes before, little-endian
//
// A sketch without key columns (the zero value) wraps [onerow.ErrNoKey].
func (s *Sketch) MarshalBinary() ([]byte, error) {
	if err := checkSketches(s, s, [2]string{}); err != nil {
		return nil, err
	}
	flags := byte(0)
	if s.nulls == NullsEqual {
		flags |= flagNullsEqual
	}
	if s.full {
		flags |= flagFull
	}
	to := append([]byte(sketchMagic), SketchVersion, flags)
	to = appendNumbers(to, uint64(s.size), uint64(len(s.columns)))
	for _, c := range s.columns {
		to = appendShape(appendText(to, c.name), c.typ)
	}
	to = appendNumbers(to, s.rows, s.nullRows, uint64(len(s.sample)))
	for _, k := range s.sample {
		to = appendKey(to, k, k.low)
	}
	if s.full {
		to = appendNumbers(to, s.least, uint64(len(s.heavy)))
		for _, k := range s.heavy {
			to = appendKey(to, k, k.low, k.high-k.low)
		}
		to = appendNumbers(to, uint64(log2(len(s.buckets))))
		for _, b := range s.buckets {
			to = appendNumbers(to, b.rows, b.keys, b.most, b.squares.hi, b.squares.lo)
		}
	}
	return binary.LittleEndian.AppendUint64(to, xxhash.Sum64(to)), nil
}

func appendNumbers(to []byte, numbers ...uint64) []byte {
	for _, n := range numbers {
		to = binary.AppendUvarint(to, n)
	}
	return to
}

func appendText(to []byte, text string) []byte {
	return append(binary.AppendUvarint(to, uint64(len(text))), text...)
}

func appendKey(to []byte, k sketchKey, rows ...uint64) []byte {
	to = appendNumbers(appendText(binary.LittleEndian.AppendUint64(to, k.hash), k.id), rows...)
	for _, t := range k.texts {
		to = appendText(to, t)
	}
	return to
}

func log2(n int) int { return bits.Len(uint(n)) - 1 }

// families are the types that stand for a family, at its number in the format. The numbers are never changed.
var families = [...]arrow.DataType{arrow.Null, arrow.FixedWidthTypes.Boolean, arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Float64,
	&arrow.Decimal128Type{Precision: 38}, arrow.BinaryTypes.String, arrow.BinaryTypes.Binary, arrow.FixedWidthTypes.Date32, arrow.FixedWidthTypes.Time64ns,
	&arrow.TimestampType{Unit: arrow.Nanosecond}, arrow.FixedWidthTypes.Timestamp_ns, arrow.FixedWidthTypes.Duration_ns}

// Structs and lists have the numbers after these.
const (
	structShape = byte(len(families)) + iota
	listShape
)

// shapeOf is the number of a key type.
func shapeOf(t arrow.DataType) byte {
	f := form.FamilyOf(t)
	for i, r := range families {
		if form.FamilyOf(r) == f {
			return byte(i)
		}
	}
	if f == form.StructFamily {
		return structShape
	}
	return listShape
}

// family is the type that stands for all that values of a key type can equal.
func family(t arrow.DataType) arrow.DataType {
	switch l := form.Logical(t).(type) {
	case *arrow.StructType:
		fields := make([]arrow.Field, l.NumFields())
		for i, f := range l.Fields() {
			fields[i] = arrow.Field{Name: f.Name, Type: family(f.Type), Nullable: true}
		}
		return arrow.StructOf(fields...)
	case arrow.ListLikeType:
		return arrow.ListOf(family(l.Elem()))
	default:
		return families[shapeOf(l)]
	}
}

// maxShapes bounds how many types a key column consists of: each takes two bytes of a file, and some hundred of memory.
const maxShapes = 4096

// sketchable says whether the type of a key column, which family returned, is one that a sketch holds.
func sketchable(t arrow.DataType) (ok bool, why string) {
	if shapes(t) > maxShapes {
		return false, fmt.Sprintf("it consists of more than %d types, too many for a sketch", maxShapes)
	}
	return true, ""
}

// shapes counts the types that one consists of.
func shapes(t arrow.DataType) int {
	n := 1
	switch t := t.(type) {
	case *arrow.StructType:
		for _, f := range t.Fields() {
			n += shapes(f.Type)
		}
	case *arrow.ListType:
		n += shapes(t.Elem())
	}
	return n
}

// appendShape writes a type that family returned.
func appendShape(to []byte, t arrow.DataType) []byte {
	to = append(to, shapeOf(t))
	switch t := t.(type) {
	case *arrow.StructType:
		to = appendNumbers(to, uint64(t.NumFields()))
		for _, f := range t.Fields() {
			to = appendShape(appendText(to, f.Name), f.Type)
		}
	case *arrow.ListType:
		to = appendShape(to, t.Elem())
	}
	return to
}

// UnmarshalBinary reads what [Sketch.MarshalBinary] wrote. Bytes that are no sketch, damaged, of a later version, or that contradict
// themselves are an error that wraps [onerow.ErrSketch] and says what is wrong; s is as before then. A sum over all bytes detects damage,
// not malice: who writes the sum as well can make up a sketch whose numbers go together and are wrong. It takes memory in proportion to the
// bytes, at most some 25 times as much. The data may be written to afterwards.
func (s *Sketch) UnmarshalBinary(data []byte) error {
	if s == nil {
		return fmt.Errorf("%w: the sketch to read into is nil", onerow.ErrOption)
	}
	head := len(sketchMagic) + 2
	switch {
	case len(data) < head+8 || !bytes.HasPrefix(data, []byte(sketchMagic)):
		return notSketch("it doesn't begin as one")
	case data[head-2] == 0 || data[head-2] > SketchVersion:
		return notSketch("it has version %d, this program reads up to %d", data[head-2], SketchVersion)
	}
	end := len(data) - 8
	if sum := binary.LittleEndian.Uint64(data[end:]); sum != xxhash.Sum64(data[:end]) {
		return notSketch("it is damaged: the checksum differs")
	}
	r := &sketchReader{left: string(data[head:end])}
	read := r.sketch(data[head-1])
	if r.err == nil && len(r.left) > 0 {
		r.fail("%d bytes are left over", len(r.left))
	}
	if r.err == nil {
		r.err = read.check()
	}
	if r.err != nil {
		return r.err
	}
	*s = *read
	return nil
}
