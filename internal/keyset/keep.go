package keyset

import (
	"unsafe"

	"github.com/onerow-go/onerow/internal/vector"
)

// Keep keeps of each key the entry with the greatest payload. At most ChunkRows entries come at a time. An entry whose payload equals that
// of the one kept, s, is for even to judge, which may give s its row.
func Keep[K Words](t *Table[K, uint32], entries []Entry[K, uint32], even func(s, e *Entry[K, uint32])) {
	if len(entries) == 0 {
		return
	}
	t.Grow(len(entries))
	var left []uint8
	if len(entries[0].Key) == 1 {
		left = keepOneWord(t, entries)
	} else {
		left = keepAtStart(t, entries)
	}
	for _, i := range left {
		e := &entries[i]
		s := t.place(e)
		switch {
		case s == nil || e.Payload < s.Payload:
		case e.Payload > s.Payload:
			s.Payload, s.Row1 = e.Payload, e.Row1
		default:
			even(s, e)
		}
	}
}

// keepOneWord does so for those entries of keys of one word that find their key, or a free slot, at their start or in the slot after it,
// and have another payload than is kept. It returns the numbers of those left, valid until the next call.
func keepOneWord[K Words](t *Table[K, uint32], entries []Entry[K, uint32]) []uint8 {
	slots, some := asKept(t.slots), asKept(entries)
	n, free := vector.Keep(slots, uint64(t.starts), some, t.left)
	n, next := vector.KeepNext(slots, uint64(t.starts), uint64(t.mask), some, t.left[:n])
	t.n += free + next
	return t.left[:n]
}

// asKept gives entries of keys of one word as vector has them.
func asKept[K Words](entries []Entry[K, uint32]) []vector.Kept {
	return unsafe.Slice((*vector.Kept)(unsafe.Pointer(unsafe.SliceData(entries))), len(entries))
}

const _ = uint(slotShift-vector.KeepShift) + uint(vector.KeepShift-slotShift)

// keepAtStart does so for those entries whose keys are in the table, right at their start and with another payload, and returns the numbers of
// those left, valid until the next call. It has no branch: neither which of two entries is greater can be foretold, nor which are left.
func keepAtStart[K Words](t *Table[K, uint32], entries []Entry[K, uint32]) []uint8 {
	slots, starts, long := t.base(), t.starts, t.long
	left, n := (*[ChunkRows]uint8)(t.left), uint32(0)
	for i := range entries {
		e := &entries[i]
		s := slotAt[K, uint32](slots, uint32(e.Key[0]>>slotShift)&starts)
		// Payload and row as one word: one comparison, one choice, one store.
		was, is := uint64(s.Payload)<<32|uint64(s.Row1), uint64(e.Payload)<<32|uint64(e.Row1)
		leave := missed(s, e, long)
		if (was^is)>>32 == 0 {
			leave = 1
		}
		best := max(was, is&(uint64(leave)-1))
		s.Row1, s.Payload = uint32(best), uint32(best>>32)
		left[n%ChunkRows] = uint8(i)
		n += leave
	}
	return left[:n]
}
