//go:build !purego

package vector

import "unsafe"

// lanes is the number of words that are done at a time.
const lanes = 8

// avx512 says whether there are the instructions, and the system saves their registers. Processors without VBMI2, which came later than
// what is used here, are left out: they lower their clock for these instructions.
var avx512 = detect()

func detect() bool {
	const (
		xsave, avx             = 1 << 27, 1 << 28                   // of leaf 1, ECX
		foundation, dq, bw, vl = 1 << 16, 1 << 17, 1 << 30, 1 << 31 // of leaf 7, EBX
		vbmi2                  = 1 << 6                             // of leaf 7, ECX
		saved                  = 0xe6                               // of XCR0: registers of SSE, AVX and AVX-512
	)
	if most, _, _, _ := cpuid(0, 0); most < 7 {
		return false
	}
	if _, _, c, _ := cpuid(1, 0); c&(xsave|avx) != xsave|avx || xgetbv()&saved != saved {
		return false
	}
	_, b, c, _ := cpuid(7, 0)
	const all = foundation | dq | bw | vl
	return b&all == all && c&vbmi2 != 0
}

func permute(to, from []uint64, p Permutation) (done int) {
	if !avx512 {
		return 0
	}
	permute512(unsafe.SliceData(to), unsafe.SliceData(from), len(from)/lanes, p.Add, p.By, p.Again)
	return len(from) / lanes * lanes
}

func narrow(to []uint32, from []uint64, base, shift uint64, flip uint32) (done int, greatest uint64) {
	if !avx512 {
		return 0, 0
	}
	greatest = narrow512(unsafe.SliceData(to), unsafe.SliceData(from), len(from)/lanes, base, shift, flip)
	return len(from) / lanes * lanes, greatest
}

func unbeaten(s Slots, keys, orders []uint64, flip uint64, list []uint16, i, m int) (end, n int) {
	rows := (len(keys) - i) / lanes * lanes
	if !avx512 || rows == 0 {
		return i, m
	}
	m = unbeaten512(unsafe.SliceData(list), m, &keys[i], &orders[i], i, rows, flip, s.By, uint64(s.Shift-slotBits), s.lineMask(), s.Base)
	return i + rows, m
}

func above(s Slots, keys, orders []uint64, flip, least uint64, list []uint16, i, m int) (end, n int) {
	rows := (len(keys) - i) / lanes * lanes
	if !avx512 || rows == 0 {
		return i, m
	}
	m = above512(unsafe.SliceData(list), m, &keys[i], &orders[i], i, rows, flip, s.By, uint64(s.Shift-1), s.Mask*2, s.Base, least)
	return i + rows, m
}

func homeless(s Slots, keys []uint64, list, out []uint16) (n int, done bool) {
	if !avx512 || len(list) == 0 {
		return 0, false
	}
	return homeless512(&list[0], &out[0], len(list), unsafe.SliceData(keys), s.By, uint64(s.Shift-slotBits), s.lineMask(), s.Base), true
}

// lineMask is Mask for the bytes by which lines are away from Base.
func (s Slots) lineMask() uint64 { return s.Mask << slotBits &^ (1<<(slotBits+lineBits) - 1) }

//go:noescape
func permute512(to, from *uint64, n int, add, by, again uint64)

//go:noescape
func narrow512(to *uint32, from *uint64, n int, base, shift uint64, flip uint32) (greatest uint64)

// unbeaten512 and homeless512 have mask and shift for the bytes by which lines are away from the first.
//
//go:noescape
func unbeaten512(list *uint16, m int, keys, orders *uint64, i, rows int, flip, by, shift, mask uint64, slots unsafe.Pointer) (n int)

//go:noescape
func homeless512(list, out *uint16, m int, keys *uint64, by, shift, mask uint64, slots unsafe.Pointer) (n int)

// above512 has mask and shift for words, of which slots have two.
//
//go:noescape
func above512(list *uint16, m int, keys, orders *uint64, i, rows int, flip, by, shift, mask uint64, slots unsafe.Pointer, least uint64) (n int)

func cpuid(leaf, sub uint32) (a, b, c, d uint32)

func xgetbv() (low uint32)
