package keyset

import (
	"unsafe"

	"github.com/onerow-go/onerow/internal/prefetch"
	"github.com/onerow-go/onerow/internal/vector"
)

const (
	// rawStretch is how many rows are looked at together, rawAhead how many rows ahead memory is fetched.
	rawStretch, rawAhead = 64, 1024
)

// rawShift is where the number of a slot begins in the product of a key and a secret: at the highest bits, so that all bits of the key have a say.
const rawShift = 64 - rawMostBits

// scale is the number of bits by which the place of a slot in memory is more than its number.
const rawScale = 4

// look is the first step. While some rows are looked at, the memory of those that come later is fetched, and, where keys are many and rows
// are looked at one by one, so are their slots.
func (h *HotRaw) look(keys, orders []uint64, flip uint64, row1 uint32) (m int) {
	slots, rising, few := unsafe.Pointer(&h.slots[0]), h.rising, h.few
	lo := 0
	if !rising {
		lo, m = h.lookWide(keys, orders, flip)
	}
	far := h.used > RawNear && lo == 0
	if far || rising {
		h.findHomes(keys)
	}
	if far {
		prefetch.Cells(slots, unsafe.Sizeof(rawSlot{}), h.homes[:min(rawStretch, len(keys))])
	}
	for ; lo < len(keys); lo += rawStretch {
		hi := min(lo+rawStretch, len(keys))
		fetchRaw(keys, orders, lo)
		if far {
			prefetch.Cells(slots, unsafe.Sizeof(rawSlot{}), h.homes[hi:min(hi+rawStretch, len(keys))])
		}
		switch {
		case rising:
			m = h.passRising(keys[:hi], orders[:hi], flip, m, uint(lo), row1)
		case far:
			m = h.passFar(keys[:hi], orders[:hi], flip, m, uint(lo))
		case few:
			m = h.passFew(keys[:hi], orders[:hi], flip, m, uint(lo))
		default:
			m = h.pass(keys[:hi], orders[:hi], flip, m, uint(lo))
		}
	}
	return m
}

// table is the slots as vectors look at them.
func (h *HotRaw) table() vector.Slots {
	return vector.Slots{Base: unsafe.Pointer(&h.slots[0]), By: h.by, Shift: rawShift, Mask: h.mask}
}

// lookWide is the first step for the rows of whole vectors, and returns their number, 0 where there are no vectors. These look at whole
// lines, and fetch by themselves.
func (h *HotRaw) lookWide(keys, orders []uint64, flip uint64) (done, m int) {
	if h.least > 0 {
		return h.table().Above(keys, orders, flip, h.least, h.missed[:len(keys)], 0, 0)
	}
	return h.table().Unbeaten(keys, orders, flip, h.missed[:len(keys)], 0, 0)
}

// fetchRaw fetches a stretch of the rows that come after those of a block.
func fetchRaw(keys, orders []uint64, at int) {
	if at += rawAhead; at < min(cap(keys), cap(orders)) {
		prefetch.Read(unsafe.Pointer(&keys[:at+1][at]), rawStretch*8/prefetch.Line)
		prefetch.Read(unsafe.Pointer(&orders[:at+1][at]), rawStretch*8/prefetch.Line)
	}
}

// findHomes finds the slots at which rows look.
func (h *HotRaw) findHomes(keys []uint64) {
	by, mask := h.by, h.mask
	homes := h.homes[:len(keys)]
	for i, k := range keys {
		k *= by
		homes[i] = uint32((k ^ k>>32) * by >> rawShift & mask)
	}
}

// passFar is pass where the slots are found already.
//
//go:noinline
func (h *HotRaw) passFar(keys, orders []uint64, flip uint64, m int, i uint) int {
	slots, homes := unsafe.Pointer(&h.slots[0]), h.homes[:len(keys)]
	orders = orders[:len(keys)]
	for ; i < uint(len(keys)); i++ {
		s := (*rawSlot)(unsafe.Add(slots, uintptr(homes[i])<<rawScale))
		h.missed[m&(BlockRows-1)] = uint16(i)
		m += one(s.key != keys[i]) | one(orders[i]^flip >= s.rank)
	}
	return m
}

// passRising is passFar that keeps rows which are the greatest of their keys so far: all of them, where rows come in order.
//
//go:noinline
func (h *HotRaw) passRising(keys, orders []uint64, flip uint64, m int, i uint, row1 uint32) int {
	slots, homes, rows, n := unsafe.Pointer(&h.slots[0]), h.homes[:len(keys)], h.rows, 0
	orders = orders[:len(keys)]
	for ; i < uint(len(keys)); i++ {
		s := (*rawSlot)(unsafe.Add(slots, uintptr(homes[i])<<rawScale))
		rank := orders[i] ^ flip
		switch {
		case s.key != keys[i] || rank == s.rank:
			h.missed[m&(BlockRows-1)] = uint16(i)
			m++
		case rank > s.rank:
			s.rank, rows[homes[i]] = rank, row1+uint32(i)
			n++
		}
	}
	h.rises += n
	return m
}

// pass has no branch, as which rows are done with can't be foretold, and keeps all in registers.
//
//go:noinline
func (h *HotRaw) pass(keys, orders []uint64, flip uint64, m int, i uint) int {
	slots, by, mask := unsafe.Pointer(&h.slots[0]), h.by, h.mask<<rawScale
	orders = orders[:len(keys)]
	for ; i < uint(len(keys)); i++ {
		to := keys[i] * by
		to ^= to >> 32
		to *= by
		s := (*rawSlot)(unsafe.Add(slots, to>>(rawShift-rawScale)&mask))
		h.missed[m&(BlockRows-1)] = uint16(i)
		m += one(s.key != keys[i]) | one(orders[i]^flip >= s.rank)
	}
	return m
}

// passFew is pass for blocks of which few rows are left: with a branch it has half as many instructions.
//
//go:noinline
func (h *HotRaw) passFew(keys, orders []uint64, flip uint64, m int, i uint) int {
	slots, by, mask := unsafe.Pointer(&h.slots[0]), h.by, h.mask<<rawScale
	orders = orders[:len(keys)]
	for ; i < uint(len(keys)); i++ {
		to := keys[i] * by
		to ^= to >> 32
		to *= by
		s := (*rawSlot)(unsafe.Add(slots, to>>(rawShift-rawScale)&mask))
		if s.key != keys[i] || orders[i]^flip >= s.rank {
			h.missed[m&(BlockRows-1)] = uint16(i)
			m++
		}
	}
	return m
}

// one is 1 for true.
func one(b bool) (n int) {
	if b {
		n = 1
	}
	return n
}
