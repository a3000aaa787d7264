package form

import (
	"encoding/binary"
	"hash/maphash"
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/cespare/xxhash/v2"
)

// The stable hash of a cell. It is a function of the value alone: the same for every encoding, width, scale and unit
// that the family allows, on every machine and in every version. It is the sum of these parts:
//
//	integers, bool     mix64 of the value, sign-extended
//	floats             mix64 of the bits as float64, one NaN, one zero
//	dates, times       mix64 of the value in the family's finest unit, modulo 2^64
//	decimals           mix64 of unscaled × 10^-scale in the field of 2^61-1 elements
//	text, binary       up to 15 bytes: mix2 of the bytes as two words, zero-padded, the length in the top byte of the second
//	                   longer: mix64 of XXH64
//	structs, lists     mix64 of their number of parts, to which the hash of each is combined, from left to right
//	NULL               nullHash
//
// Two words are mix2: with the low and high half of the product of a^0x2d358dccaa6c78a5 and b^0x8bb84b93962eacc9, mix64 of
// high^low^a. A part p is combined into h as (h × combineBy ^ p rotated left by 29) + golden.
//
// mix64 is the finaliser of splitmix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).
const (
	nullHash  = 0x6a09e667f3bcc909
	golden    = 0x9e3779b97f4a7c15
	combineBy = 0xd1342543de82ef95
)

func mix64(x uint64) uint64 {
	x += golden
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func mix2(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^0x2d358dccaa6c78a5, b^0x8bb84b93962eacc9)
	return mix64(hi ^ lo ^ a)
}

// combine adds the hash of the next part to the hash of the parts before it.
func combine(h, part uint64) uint64 { return h*combineBy ^ bits.RotateLeft64(part, 29) + golden }

// hasher is the stable hash, or one keyed by a secret of this process: crafted keys collide under the first
// only.
type hasher struct {
	secret bool
}

var (
	secretWord = rand.Uint64() | 1
	secretSeed = maphash.MakeSeed()
)

func (s hasher) word(w uint64) uint64 {
	if s.secret {
		return mix2(w, secretWord)
	}
	return mix64(w)
}

func (s hasher) bytes(b []byte) uint64 {
	if s.secret {
		return maphash.Bytes(secretSeed, b)
	}
	if len(b) <= MaxInline {
		return mix2(inline(b))
	}
	return mix64(xxhash.Sum64(b))
}

// MaxInline is the number of bytes that fit an inlined text.
const MaxInline = 15

// inline packs at most MaxInline bytes into two words, their number in the top byte of the second.
func inline(b []byte) (lo, hi uint64) {
	n := len(b)
	switch {
	case n > 8:
		lo = binary.LittleEndian.Uint64(b)
		hi = binary.LittleEndian.Uint64(b[n-8:]) >> (64 - 8*(n-8))
	case n == 8:
		lo = binary.LittleEndian.Uint64(b)
	case n >= 4:
		lo = uint64(binary.LittleEndian.Uint32(b)) | uint64(binary.LittleEndian.Uint32(b[n-4:]))<<(8*(n-4))
	case n > 0:
		lo = uint64(b[0]) | uint64(b[n>>1])<<(8*(n>>1)) | uint64(b[n-1])<<(8*(n-1))
	}
	return lo, hi | uint64(n)<<56
}

func le32(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }
func le64(b []byte) int64  { return int64(binary.LittleEndian.Uint64(b)) }

// cell hashes row i of any key type.
func (s hasher) cell(a *Array, i int) uint64 {
	if a.Null(i) {
		return nullHash
	}
	a, i = a.leaf(i)
	switch a.Family {
	case TextFamily, BinaryFamily:
		return s.bytes(a.bytes(i))
	case StructFamily:
		h := uint64(len(a.kids))
		for _, k := range a.kids {
			h = combine(h, s.cell(k, a.off+i))
		}
		return mix64(h)
	case ListFamily:
		lo, hi := a.span(i)
		h := uint64(hi - lo)
		for ; lo < hi; lo++ {
			h = combine(h, s.cell(a.kids[0], lo))
		}
		return mix64(h)
	}
	if s.secret && a.Family == DecimalFamily {
		return s.word(secretDecimal(a.limbs(i), a.scale))
	}
	if s.secret && a.isTime() {
		return secretTime(a.intAt(a.Kind, a.off+i), a.mul)
	}
	return s.word(a.hashWord(i))
}

func (a *Array) isTime() bool { return a.Family >= DateFamily && a.Family <= DurationFamily }

// secretTime hashes all 128 bits of a time in its family's finest unit: the stable hash takes 64 of them, which some times share.
func secretTime(x int64, mul uint64) uint64 {
	hi, lo := wide(x, false, mul)
	return mix2(lo, secretWord^uint64(hi))
}

// hashWord folds a fixed-width cell into the word that the stable hash mixes.
func (a *Array) hashWord(i int) uint64 {
	switch a.Family {
	case BoolFamily:
		if bit(a.bits, a.off+i) {
			return 1
		}
		return 0
	case FloatFamily:
		return canonical(a.float(i))
	case DecimalFamily:
		return decimalWord(a.limbs(i), a.scale)
	}
	return uint64(a.intAt(a.Kind, a.off+i)) * a.mul
}

// canonical returns the bits of f with one zero and one NaN.
func canonical(f float64) uint64 {
	switch {
	case f != f:
		return 0x7ff8000000000001
	case f == 0:
		return 0
	}
	return math.Float64bits(f)
}

// HashWords puts the stable hashes of raw words, given with their factor.
func HashWords(words []uint64, mul uint64, hash []uint64) {
	hash = hash[:len(words)]
	if mul == 1 {
		for i, w := range words {
			hash[i] = mix64(w)
		}
		return
	}
	for i, w := range words {
		hash[i] = mix64(w * mul)
	}
}

// Combine adds the hash of the next key column to that of the columns before it.
func Combine(h, part uint64) uint64 { return combine(h, part) }
