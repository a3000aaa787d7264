package keyset

import (
	"unsafe"

	"github.com/onerow-go/onerow/internal/form"
)

// manyLong is the number of long texts in a block from which on they are better looked up together.
const manyLong = 16

// texts puts the numbers of texts, read from the column's own memory, into dst, which has their number of words, each moved left by shift and or-ed to what
// is there. The first of them is in a row. It returns false where that memory has no texts of few bytes; what it did by then does no harm.
func (c *codes) texts(a *form.Array, lo int, row uint32, dst []uint64, shift uint, to *fitting) bool {
	if c.keep == 0 || c.mode != form.Text {
		return false
	}
	if t := a.RawTexts(lo, len(dst)); len(t.Offs) > 0 {
		return numberTexts(c, &t, row, dst, shift, to)
	}
	t := a.RawLargeTexts(lo, len(dst))
	return len(t.Offs) > 0 && numberTexts(c, &t, row, dst, shift, to)
}

func numberTexts[O form.Offset](c *codes, t *form.Texts[O], row uint32, dst []uint64, shift uint, to *fitting) bool {
	long := 0
	for i := numberKnown(c, t, 0, dst, shift); i < len(dst); i += 1 + numberKnown(c, t, i+1, dst[i+1:], shift) {
		var key [2]uint64
		if key[0], key[1] = t.Words(i); key[1]>>56 == form.LongText {
			if long++; long == manyLong || i == 0 {
				return false
			}
		}
		row := row + uint32(i)
		code := c.find(&key, row).code.Load()
		if code == 0 {
			code = c.add(&key, row)
		}
		if code == 0 {
			to.miss[i], to.missed = 1, true
		}
		dst[i] |= uint64(code) << shift
	}
	return true
}

// numberKnown does so up to the first text that isn't short or has no number yet, and returns how many came before it. The hot loop of texts that have few values.
func numberKnown[O form.Offset](c *codes, t *form.Texts[O], at int, dst []uint64, shift uint) int {
	offs, base, last := t.Offs[at:][:len(dst)+1], t.Base, t.Last
	slots, secret := c.slots, secrets
	for i := range dst {
		start := uint64(offs[i])
		n := uint64(offs[i+1] - offs[i])
		if n > form.MaxInline || start >= last {
			return i
		}
		k0, k1 := form.Inline(unsafe.Add(base, start), n)
		h := secret.fold(k0, k1)
		s := &slots[h&uint64(len(slots)-1)]
		code := s.code.Load()
		for code != 0 && s.key != [2]uint64{k0, k1} {
			h++
			s = &slots[h&uint64(len(slots)-1)]
			code = s.code.Load()
		}
		if code == 0 {
			return i
		}
		dst[i] |= uint64(code) << (shift & 63)
	}
	return len(dst)
}
