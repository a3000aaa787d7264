package form

import (
	"encoding/binary"
	"math/bits"
)

// The tags of canonical cells. They are never changed: tables hold hashes of canonical rows, and files hold canonical keys.
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

var tagOf = [...]byte{BoolFamily: tagBool, IntFamily: tagInt, FloatFamily: tagFloat, DecimalFamily: tagDecimal, TextFamily: tagText, BinaryFamily: tagBinary,
	DateFamily: tagDate, TimeFamily: tagTime, NaiveFamily: tagNaive, InstantFamily: tagInstant, DurationFamily: tagDuration, StructFamily: tagStruct,
	ListFamily: tagList}

// canonicalNaN stands for every NaN.
const canonicalNaN = 0x7ff8000000000000

// AppendCanonical appends the canonical bytes of row i, of any key type: equal values have equal bytes, in every encoding, width, scale and unit,
// and others have other ones, also when cells are appended to each other. All numbers are little-endian.
//
//	NULL               0
//	bool               1, 0 or 1
//	integer            2, 64 bits; 3 where it is 2^63 or more
//	float              4, the bits as float64, one zero, one NaN
//	decimal            5, 32 bits of exponent, the number of bytes of the unscaled value, those bytes (two's complement, big-endian); no zeros at the end
//	text, binary       6 or 7, 64 bits of length, the bytes
//	date               8, 64 bits of milliseconds
//	time, duration     9 (time), 10 (without zone), 11 (with one), 12 (duration), 128 bits of nanoseconds
//	struct             13, 64 bits of the number of fields, each of them
//	list               14, 64 bits of the number of elements, each of them
func AppendCanonical(dst []byte, a *Array, i int) []byte {
	if a.Null(i) {
		return append(dst, tagNull)
	}
	a, i = a.leaf(i)
	le := binary.LittleEndian
	dst = append(dst, tagOf[a.Family])
	switch a.Family {
	case BoolFamily:
		return append(dst, byte(a.hashWord(i)))
	case IntFamily:
		v := a.intAt(a.Kind, a.off+i)
		if v < 0 && a.Kind == KindU64 {
			dst[len(dst)-1] = tagHugeInt
		}
		return le.AppendUint64(dst, uint64(v))
	case FloatFamily:
		f := a.float(i)
		if f != f {
			return le.AppendUint64(dst, canonicalNaN)
		}
		return le.AppendUint64(dst, canonical(f))
	case DecimalFamily:
		return appendCanonicalDecimal(dst, a.limbs(i), a.scale)
	case DateFamily:
		return le.AppendUint64(dst, uint64(a.intAt(a.Kind, a.off+i))*a.mul)
	case TextFamily, BinaryFamily:
		b := a.bytes(i)
		return append(le.AppendUint64(dst, uint64(len(b))), b...)
	case StructFamily:
		dst = le.AppendUint64(dst, uint64(len(a.kids)))
		for _, k := range a.kids {
			dst = AppendCanonical(dst, k, a.off+i)
		}
		return dst
	case ListFamily:
		lo, hi := a.span(i)
		dst = le.AppendUint64(dst, uint64(hi-lo))
		for ; lo < hi; lo++ {
			dst = AppendCanonical(dst, a.kids[0], lo)
		}
		return dst
	}
	hi, lo := wide(a.intAt(a.Kind, a.off+i), false, a.mul)
	return le.AppendUint64(le.AppendUint64(dst, lo), uint64(hi))
}

func appendCanonicalDecimal(dst []byte, l [4]uint64, scale int32) []byte {
	l, negative := magnitude(l)
	if l, scale = trimZeros(l, scale); negative {
		l = negate(l)
	}
	dst = binary.LittleEndian.AppendUint32(dst, uint32(-scale))
	at := len(dst)
	dst = AppendBigEndian(append(dst, 0), l)
	dst[at] = byte(len(dst) - at - 1)
	return dst
}

// trimZeros takes the zeros off the end of the magnitude of an unscaled value, each one with a place of its scale.
func trimZeros(l [4]uint64, scale int32) ([4]uint64, int32) {
	if l == [4]uint64{} {
		return l, 0
	}
	for l[1]|l[2]|l[3] != 0 {
		var quo [4]uint64
		var rem uint64
		for k := 3; k >= 0; k-- {
			quo[k], rem = bits.Div64(rem, l[k], 10)
		}
		if rem != 0 {
			return l, scale
		}
		l, scale = quo, scale-1
	}
	for l[0]%10 == 0 {
		l[0] /= 10
		scale--
	}
	return l, scale
}

// AppendBigEndian appends a 256-bit integer, lowest limb first, in as few bytes as hold it with its sign, at least one.
func AppendBigEndian(dst []byte, l [4]uint64) []byte {
	var b [32]byte
	for k, w := range l {
		binary.BigEndian.PutUint64(b[24-8*k:], w)
	}
	sign := byte(int64(l[3]) >> 63)
	n := 0
	for n < 31 && b[n] == sign && (b[n+1]^sign)>>7 == 0 {
		n++
	}
	return append(dst, b[n:]...)
}
