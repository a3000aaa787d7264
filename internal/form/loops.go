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

func (a *Array) texts(lo int, b *Block) {
	switch a.Kind {
	case KindBytes32:
		readTexts(a.texts32(lo, len(b.K0)), b)
	case KindBytes64:
		readTexts(a.texts64(lo, len(b.K0)), b)
	default:
		for i := range b.K0 {
			if b.Null[i] == 0 {
				b.K0[i], b.K1[i] = textKey(a.bytes(lo + i))
			}
		}
	}
}

// readTexts is the hot loop of texts. NULL slots go the slow way, as their offsets may point anywhere.
func readTexts[O Offset](t Texts[O], b *Block) {
	k0, k1 := b.K0, b.K1[:len(b.K0)]
	offs, base, last := t.Offs[:len(k0)+1], t.Base, t.Last
	for i := range k0 {
		start := uint64(offs[i])
		if n := uint64(offs[i+1] - offs[i]); n <= MaxInline && start < last {
			k0[i], k1[i] = Inline(unsafe.Add(base, start), n)
		} else if b.Null[i] == 0 {
			k0[i], k1[i] = t.Words(i)
		}
	}
}

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
