package form

import (
	"encoding/binary"
	"hash/maphash"
	"math"
	"unsafe"

	"github.com/cespare/xxhash/v2"
	"golang.org/x/exp/constraints"
)

// The loops over the rows of a block, one for each mode of a Reader. They read what stands in the slots of NULL rows, except
// where that could lead outside a buffer; the Reader overwrites it.

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

func intWords[T constraints.Integer](v []T, dst []uint64) {
	v = v[:len(dst)]
	for i, x := range v {
		dst[i] = uint64(int64(x))
	}
}

// rawWords puts integers sign-extended, floats as the bits of one NaN and one zero.
func (a *Array) rawWords(lo int, dst []uint64) {
	p := a.off + lo
	switch a.Kind {
	case KindBool:
		for i := range dst {
			dst[i] = uint64(a.bits[(p+i)>>3] >> ((p + i) & 7) & 1)
		}
	case KindI8:
		intWords(a.i8[p:], dst)
	case KindI16:
		intWords(a.i16[p:], dst)
	case KindI32:
		intWords(a.i32[p:], dst)
	case KindI64:
		intWords(a.i64[p:], dst)
	case KindU8:
		intWords(a.u8[p:], dst)
	case KindU16:
		intWords(a.u16[p:], dst)
	case KindU32:
		intWords(a.u32[p:], dst)
	case KindU64:
		copy(dst, a.u64[p:p+len(dst)])
	case KindF64:
		for i, f := range a.f64[p : p+len(dst)] {
			dst[i] = canonical(f)
		}
	default:
		for i := range dst {
			dst[i] = canonical(a.float(lo + i))
		}
	}
}

// hashWords puts the stable hashes of words of Mode Word, if the block has hashes.
func (b *Block) hashWords(mul uint64) {
	if b.H != nil {
		HashWords(b.K0, mul, b.H)
	}
}

// hashTexts puts the stable hashes of words of Mode Text, if the block has hashes.
func (b *Block) hashTexts() {
	for i := range b.H {
		if w := b.K1[i]; w>>56 == LongText {
			b.H[i] = mix64(b.K0[i])
		} else {
			b.H[i] = mix2(b.K0[i], w)
		}
	}
}

// texts is the hot loop of text keys. A text that is followed by enough bytes of the buffer is loaded as two
// words and masked; the others, and NULL slots, go the slow way.
func (a *Array) texts(lo int, b *Block) {
	if a.Kind == KindBytes32 {
		p := a.off + lo
		offs := a.i32[p : p+len(b.K0)+1]
		k0, k1 := b.K0, b.K1[:len(b.K0)]
		start := int(offs[0])
		for i := range k0 {
			end := int(offs[i+1])
			n := end - start
			if uint(n) <= MaxInline && start >= 0 && start+16 <= len(a.data) {
				w := a.data[start : start+16 : start+16]
				x, y := binary.LittleEndian.Uint64(w), binary.LittleEndian.Uint64(w[8:])
				m := masks[n&15]
				k0[i], k1[i] = x&m[0], y&m[1]|uint64(n)<<56
			} else if b.Null[i] == 0 {
				k0[i], k1[i] = textKey(a.data[start:end])
			}
			start = end
		}
		return
	}
	for i := range b.K0 {
		if b.Null[i] == 0 {
			b.K0[i], b.K1[i] = textKey(a.bytes(lo + i))
		}
	}
}

// masks[n] keeps the first n bytes of two words.
var masks = func() (m [16][2]uint64) {
	for n := range m {
		for i := range n {
			m[n][i>>3] |= 0xff << (8 * (i & 7))
		}
	}
	return m
}()

func textKey(t []byte) (k0, k1 uint64) {
	if len(t) <= MaxInline {
		return inline(t)
	}
	return xxhash.Sum64(t), maphash.Bytes(secretSeed, t) | LongText<<56
}

func (a *Array) digests(lo int, b *Block) {
	switch a.Family {
	case TextFamily, BinaryFamily, StructFamily, ListFamily, DecimalFamily:
		stable, keyed := hasher{}, hasher{secret: true}
		for i := range b.K0 {
			if b.Null[i] == 0 {
				b.K1[i] = keyed.cell(a, lo+i)
				if b.H != nil {
					b.H[i] = stable.cell(a, lo+i)
				}
			}
		}
		return
	}
	a.rawWords(lo, b.K0)
	b.hashWords(a.mul)
	if a.isTime() {
		for i, w := range b.K0 {
			b.K1[i] = secretTime(int64(w), a.mul)
		}
		return
	}
	for i, w := range b.K0 {
		b.K1[i] = mix2(w, secretWord)
	}
}

const signBit = 1 << 63

func (a *Array) ranks(lo int, b *Block) {
	switch a.Family {
	case TextFamily, BinaryFamily:
		for i := range b.K0 {
			if b.Null[i] == 0 {
				b.K0[i] = prefix(a.bytes(lo + i))
			}
		}
	case DecimalFamily:
		for i := range b.K0 {
			b.K0[i] = clamp(a.limbs(lo + i))
		}
	case FloatFamily:
		a.rawWords(lo, b.K0)
		for i, w := range b.K0 {
			b.K0[i] = rankFloat(w)
		}
	default:
		a.rawWords(lo, b.K0)
		if a.Kind == KindU64 || a.Kind == KindBool {
			return
		}
		for i := range b.K0 {
			b.K0[i] ^= signBit
		}
	}
}

// rankFloat takes canonical bits to a word that grows with the number: all bits flip for negative ones, the sign alone for others.
func rankFloat(w uint64) uint64 { return w ^ (uint64(int64(w)>>63) | signBit) }

// prefix returns the first eight bytes, the first highest.
func prefix(t []byte) uint64 {
	if len(t) >= 8 {
		return binary.BigEndian.Uint64(t)
	}
	var w uint64
	for i, c := range t {
		w |= uint64(c) << (56 - 8*i)
	}
	return w
}

// clamp brings a 256-bit integer into the range of 64 bits, growing with it.
func clamp(l [4]uint64) uint64 {
	sign := uint64(int64(l[3]) >> 63)
	if l[1] == sign && l[2] == sign && l[3] == sign && l[0]>>63 == sign&1 {
		return l[0] ^ signBit
	}
	if sign != 0 {
		return 0
	}
	return math.MaxUint64
}
