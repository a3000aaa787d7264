package keyset

// Sum adds entries up in a table: the payload is a number of rows, the row the first of them. This is the hot loop of counting. Where the
// words of a key decide, it has all it needs in registers; other keys go by At.
func Sum[K Words](t *Table[K, uint32], entries []Entry[K, uint32]) {
	start := t.Starts(entries) // there is room for all of them
	if t.exact {
		t.n += sumExact(t.slots, entries, start)
		return
	}
	for i := range entries {
		e := &entries[i]
		s := t.Hit(e, start[i])
		if s == nil {
			var fresh bool
			if s, fresh = t.At(e, start[i]); fresh {
				continue
			}
		}
		s.Payload += e.Payload
		s.Row1 = min(s.Row1, e.Row1)
	}
}

// sumExact returns the number of keys that are new.
func sumExact[K Words](slots []Entry[K, uint32], entries []Entry[K, uint32], start []uint32) (fresh int) {
	mask := uint32(len(slots) - 1)
	start = start[:len(entries)]
	for i := range entries {
		e := &entries[i]
		for at := start[i]; ; at++ {
			s := &slots[at&mask]
			if s.Key == e.Key && s.Row1 != 0 {
				s.Payload += e.Payload
				s.Row1 = min(s.Row1, e.Row1)
				break
			}
			if s.Row1 == 0 {
				*s = *e
				fresh++
				break
			}
		}
	}
	return fresh
}

// Slots are the table's slots: the entries, in no order that means anything, and free ones, which are zero.
func (t *Table[K, P]) Slots() []Entry[K, P] { return t.slots }
