package form

import (
	"encoding/binary"
	"math"
	"unsafe"
)

// Raw returns rows lo to lo+n of an array of 64-bit words without NULL, as they stand, and the factor to the family's finest unit. For
// other arrays it returns nil. It is the array's own memory: a pass over it that isn't made is the cheapest.
func (a *Array) Raw(lo, n int) (words []uint64, mul uint64) {
	if a.valid != nil {
		return nil, 0
	}
	return a.RawSlots(lo, n)
}

// RawSlots is [Array.Raw] for arrays that may have NULL: what stands in the slots of NULL rows means nothing. See [Array.Nulls].
func (a *Array) RawSlots(lo, n int) (words []uint64, mul uint64) {
	if n == 0 {
		return nil, 0
	}
	p := a.off + lo
	switch a.Kind {
	case KindU64:
		return a.u64[p : p+n], a.mul
	case KindI64:
		v := a.i64[p : p+n]
		return unsafe.Slice((*uint64)(unsafe.Pointer(&v[0])), n), a.mul
	}
	return nil, 0
}

// Flip returns the bits by which raw words and those of Mode Ordinal differ.
func (a *Array) Flip() uint64 {
	if a.Kind == KindI64 {
		return signBit
	}
	return 0
}

// Offset is a place in the bytes of an array of texts.
type Offset interface{ uint32 | uint64 }

// Texts are some texts of an array, as they lie in its memory. In a malformed array offsets are anything.
type Texts[O Offset] struct {
	Offs []O // text i is from Offs[i] to Offs[i+1]
	data []byte
	// Base is the first byte. Two words can be read, and the texts that they hold be of at most MaxInline bytes, from each offset below Last on.
	Base unsafe.Pointer
	Last uint64
}

// RawTexts are rows lo to lo+n of an array of text or binary with offsets of 32 bits and without NULL. For other arrays it has no offsets.
func (a *Array) RawTexts(lo, n int) (t Texts[uint32]) {
	if a.Kind == KindBytes32 && a.valid == nil && n > 0 {
		t = a.texts32(lo, n)
	}
	return t
}

// RawLargeTexts is [Array.RawTexts] for offsets of 64 bits.
func (a *Array) RawLargeTexts(lo, n int) (t Texts[uint64]) {
	if a.Kind == KindBytes64 && a.valid == nil && n > 0 {
		t = a.texts64(lo, n)
	}
	return t
}

func (a *Array) texts32(lo, n int) Texts[uint32] {
	o := a.i32[a.off+lo:][:n+1]
	return textsOf(unsafe.Slice((*uint32)(unsafe.Pointer(&o[0])), len(o)), a.data, math.MaxInt32)
}

func (a *Array) texts64(lo, n int) Texts[uint64] {
	o := a.i64[a.off+lo:][:n+1]
	return textsOf(unsafe.Slice((*uint64)(unsafe.Pointer(&o[0])), len(o)), a.data, math.MaxInt64)
}

func textsOf[O Offset](offs []O, data []byte, most uint64) Texts[O] {
	return Texts[O]{Offs: offs, data: data, Base: unsafe.Pointer(unsafe.SliceData(data)), Last: lastOf(uint64(len(data)), most)}
}

// lastOf is Last for a number of bytes, and offsets that are no greater than most: those that are were negative.
func lastOf(size, most uint64) uint64 {
	if size <= MaxInline {
		return 0
	}
	return min(size, most) - MaxInline
}

// Inline returns the words of Mode Text of a text of n bytes, at most MaxInline, of which two words can be read.
func Inline(p unsafe.Pointer, n uint64) (k0, k1 uint64) {
	w, m := (*[16]byte)(p), &masks[n]
	return binary.LittleEndian.Uint64(w[:8]) & m[0], binary.LittleEndian.Uint64(w[8:])&m[1] | m[2]
}

// Words returns the words of Mode Text of text i.
func (t *Texts[O]) Words(i int) (k0, k1 uint64) {
	start, end := t.Offs[i], t.Offs[i+1]
	return textKey(t.data[start:end])
}

// masks[n] keeps the first n bytes of two words, and has their number at the top of the second.
var masks = func() (m [MaxInline + 1][4]uint64) {
	for n := range m {
		for i := range n {
			m[n][i>>3] |= 0xff << (8 * (i & 7))
		}
		m[n][2] = uint64(n) << 56
	}
	return m
}()
