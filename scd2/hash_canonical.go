package scd2

import (
	"encoding/binary"
	"math"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow/internal/form"
)

// The tags of cells in a canonical row. They are never changed: tables hold hashes of them.
const (
	tagNull = iota
	tagBool
	tagInt
	tagHugeInt
	tagFloat
	tagDecimal
	tagText
	tagBinary
	tagDate
	tagTime
	tagNaive
	tagInstant
	tagDuration
	tagStruct
	tagList
)

var canonicalTags = map[form.Family]byte{form.TextFamily: tagText, form.BinaryFamily: tagBinary, form.TimeFamily: tagTime, form.NaiveFamily: tagNaive,
	form.InstantFamily: tagInstant, form.DurationFamily: tagDuration}

const canonicalNaN = 0x7ff8000000000000

// appendCanonical appends a cell as CanonicalHash hashes it.
func appendCanonical(dst []byte, a *hashArray, i int) []byte {
	if a, i = a.leaf(i); a == nil {
		return append(dst, tagNull)
	}
	le := binary.LittleEndian
	switch a.family {
	case form.BoolFamily:
		if a.bit(i) {
			return append(dst, tagBool, 1)
		}
		return append(dst, tagBool, 0)
	case form.IntFamily:
		v := a.int(i)
		if v < 0 && !a.signed {
			dst = append(dst, tagHugeInt)
		} else {
			dst = append(dst, tagInt)
		}
		return le.AppendUint64(dst, uint64(v))
	case form.FloatFamily:
		return le.AppendUint64(append(dst, tagFloat), canonicalFloat(a.float(i)))
	case form.DecimalFamily:
		return appendCanonicalDecimal(dst, a.limbs(i), a.scale)
	case form.DateFamily:
		return le.AppendUint64(append(dst, tagDate), uint64(a.int(i)*a.tick))
	case form.TextFamily, form.BinaryFamily:
		b := a.bytes(i)
		return append(le.AppendUint64(append(dst, a.tag), uint64(len(b))), b...)
	case form.StructFamily:
		dst = le.AppendUint64(append(dst, tagStruct), uint64(len(a.kids)))
		for _, k := range a.kids {
			dst = appendCanonical(dst, k, a.off+i)
		}
		return dst
	case form.ListFamily:
		lo, hi := a.elements(i)
		dst = le.AppendUint64(append(dst, tagList), uint64(hi-lo))
		for ; lo < hi; lo++ {
			dst = appendCanonical(dst, a.kids[0], lo)
		}
		return dst
	}
	hi, lo := a.nanos(i)
	return le.AppendUint64(le.AppendUint64(append(dst, a.tag), lo), uint64(hi))
}

// float returns a float of any width.
func (a *hashArray) float(i int) float64 {
	switch a.id {
	case arrow.FLOAT16:
		return widenHalf(uint16(a.int(i)))
	case arrow.FLOAT32:
		return float64(math.Float32frombits(uint32(a.int(i))))
	}
	return math.Float64frombits(uint64(a.int(i)))
}

func canonicalFloat(f float64) uint64 {
	switch {
	case f != f:
		return canonicalNaN
	case f == 0:
		return 0
	}
	return math.Float64bits(f)
}

func appendCanonicalDecimal(dst []byte, l [4]uint64, scale int32) []byte {
	l, negative := absLimbs(l)
	if l, scale = trimZeros(l, scale); negative {
		l = negateLimbs(l)
	}
	dst = binary.LittleEndian.AppendUint32(append(dst, tagDecimal), uint32(-scale))
	at := len(dst)
	dst = appendBigEndian(append(dst, 0), l)
	dst[at] = byte(len(dst) - at - 1)
	return dst
}
