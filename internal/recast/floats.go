package recast

import (
	"math"

	"github.com/apache/arrow/go/v15/arrow"
)

// floats converts floats, all by way of the bits of a float64, which holds every narrower one.
func (c *caster) floats(r rows, to arrow.DataType) (arrow.ArrayData, []int, error) {
	buf := c.buffer(r.n * to.(arrow.FixedWidthDataType).Bytes())
	var unfit []int
	switch r.data.DataType().ID() {
	case arrow.FLOAT16:
		unfit = floatsOf(r, words[uint16](&r), widen16, to, buf.Bytes())
	case arrow.FLOAT32:
		unfit = floatsOf(r, words[uint32](&r), widen32, to, buf.Bytes())
	default:
		unfit = floatsOf(r, words[uint64](&r), func(w uint64) uint64 { return w }, to, buf.Bytes())
	}
	return c.result(to, r, unfit, nil, buf)
}

func floatsOf[S uint16 | uint32 | uint64](r rows, src []S, widen func(S) uint64, to arrow.DataType, out []byte) []int {
	switch to.ID() {
	case arrow.FLOAT16:
		return castFloats(r, src, widen, narrow16, arrow.GetData[uint16](out))
	case arrow.FLOAT32:
		return castFloats(r, src, widen, narrow32, arrow.GetData[uint32](out))
	}
	return castFloats(r, src, widen, func(w uint64) (uint64, bool) { return w, true }, arrow.GetData[uint64](out))
}

func castFloats[S, D uint16 | uint32 | uint64](r rows, src []S, widen func(S) uint64, narrow func(uint64) (D, bool), out []D) (unfit []int) {
	for i, x := range src {
		if !r.has(i) {
			continue
		}
		y, ok := narrow(widen(x))
		if out[i] = y; !ok {
			unfit = append(unfit, i)
		}
	}
	return unfit
}

const (
	sign64 = 1 << 63
	inf64  = 0x7ff << 52
)

// widen32 goes by bits where the machine would change those of a NaN.
func widen32(b uint32) uint64 {
	if b&0x7f800000 == 0x7f800000 {
		return uint64(b>>31)<<63 | inf64 | uint64(b&0x7fffff)<<29
	}
	return math.Float64bits(float64(math.Float32frombits(b)))
}

func widen16(b uint16) uint64 {
	sign, exp, frac := uint64(b>>15)<<63, uint64(b>>10&0x1f), uint64(b&0x3ff)
	switch exp {
	case 0:
		return sign | math.Float64bits(float64(frac)/(1<<24))
	case 0x1f:
		return sign | inf64 | frac<<42
	}
	return sign | (exp+1023-15)<<52 | frac<<42
}

// narrow32 returns the float32 of a float64, given and returned as bits, and whether it is the same number. A NaN loses the low bits of its
// payload; one that has no others gets the quiet bit.
func narrow32(b uint64) (uint32, bool) {
	sign := uint32(b >> 63 << 31)
	if b&^sign64 > inf64 {
		return sign | 0x7f800000 | max(uint32(b<<12>>(12+29)), quiet(b, 29)), true
	}
	f := math.Float64frombits(b)
	g := float32(f)
	return math.Float32bits(g), float64(g) == f
}

// quiet returns the quiet bit of a NaN whose fraction would be lost when it is cut by so many bits.
func quiet(b uint64, cut uint) uint32 {
	if b<<12>>(12+cut) == 0 {
		return uint32(uint64(1<<51) >> cut)
	}
	return 0
}

// narrow16 is narrow32 for float16.
func narrow16(b uint64) (uint16, bool) {
	sign := uint16(b >> 63 << 15)
	abs := b &^ sign64
	f := math.Float64frombits(abs)
	switch {
	case abs > inf64:
		return sign | 0x7c00 | max(uint16(b<<12>>(12+42)), uint16(quiet(b, 42))), true
	case abs == inf64:
		return sign | 0x7c00, true
	case f > 65504:
		return 0, false
	case f < 1.0/(1<<14): // subnormal: multiples of 2^-24
		units := f * (1 << 24)
		return sign | uint16(units), units == math.Trunc(units)
	}
	return sign | uint16(abs>>42-(1023-15)<<10), abs<<(64-42) == 0
}
