package keyset

// Sum adds entries up in a table: the payload is a number of rows, the row the first of them. At most ChunkRows entries come at a time. This is the
// hot loop of counting.
func Sum[K Words](t *Table[K, uint32], entries []Entry[K, uint32]) {
	t.Grow(len(entries))
	for _, i := range sumAtStart(t, entries) {
		e := &entries[i]
		if s := t.place(e); s != nil {
			s.Payload += e.Payload
			s.Row1 = min(s.Row1, e.Row1)
		}
	}
}

// sumAtStart adds those entries up whose keys are in the table, right at their start, and returns the numbers of those left, valid until the next
// call. It has no branch: which are left can't be foretold.
func sumAtStart[K Words](t *Table[K, uint32], entries []Entry[K, uint32]) []uint8 {
	slots, starts, long := t.base(), t.starts, t.long
	left, n := (*[ChunkRows]uint8)(t.left), uint32(0)
	for i := range entries {
		e := &entries[i]
		s := slotAt[K, uint32](slots, uint32(e.Key[0]>>slotShift)&starts)
		leave := missed(s, e, long)
		s.Payload += e.Payload & (leave - 1)
		s.Row1 = min(s.Row1, e.Row1|-leave)
		left[n%ChunkRows] = uint8(i)
		n += leave
	}
	return left[:n]
}

// Slots are the table's slots: the entries, in no order that means anything, and free ones, which have no row and a zero payload.
func (t *Table[K, P]) Slots() []Entry[K, P] { return t.slots }
