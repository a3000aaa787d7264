package keyset

// Greatest merges a block of rows: of each key at hand, the greatest row stays, by the word of its order, and where words are equal by compare.
// It returns the rows of the block, by their places in it, that go on to the partitions: those of keys that aren't at hand, and those that
// are equal in order to the greatest of their key. row is the number of the block's first row. The list is valid until the next call.
func (h *Hot[K]) Greatest(b *Block[K], words []uint32, row uint32, compare func(a, b uint32) int) (refused []uint16) {
	h.begin()
	var m, c int
	if h.home == 0 || b.AnyNull {
		m = h.all(b)
	} else {
		m, c = h.greatest(b.Keys, words, row+1)
	}
	for _, i := range h.missed[:m] {
		row1 := row + uint32(i) + 1
		switch at, found, free := h.find(&b.Keys[i], row1); {
		case found:
			h.weigh(&h.slots[at], i, words[i], row1, compare)
		case free:
			h.slots[at] = hotSlot[K]{b.Keys[i], uint64(words[i])<<32 | uint64(row1)}
			h.used++
			h.fresh++
		default:
			h.refused = append(h.refused, i)
		}
	}
	for _, i := range h.closer[:c] {
		h.weigh(&h.slots[h.homeOf(&b.Keys[i])], i, words[i], row+uint32(i)+1, compare)
	}
	h.count(b)
	return h.refused
}

// all lists all rows of a block with a key as missed, and returns their number.
func (h *Hot[K]) all(b *Block[K]) (m int) {
	for i := range b.Keys {
		h.missed[m] = uint16(i)
		m += 1 - int(b.Null[i])
	}
	return m
}

// count counts the rows of a block that were merged.
func (h *Hot[K]) count(b *Block[K]) {
	n := len(b.Keys)
	if b.AnyNull {
		n -= b.NullRows
	}
	h.seen += n
	h.merged += n - len(h.refused)
}

// greatest is the hot loop of keys at hand. Rows that don't find their key are missed; those whose word is that of the slot need a closer look. A
// row that is greater takes a branch: with many rows a key, most rows aren't, or, where rows come in order, all are.
func (h *Hot[K]) greatest(keys []K, words []uint32, row1 uint32) (m, c int) {
	slots, long := h.slots, h.long
	words = words[:len(keys)]
	for i := range keys {
		k := &keys[i]
		s := &slots[int((*k)[0]>>slotShift)&(len(slots)-1)]
		v := uint64(words[i])<<32 | uint64(row1)
		row1++
		h.missed[m&(BlockRows-1)] = uint16(i)
		miss := differ(&s.key, k, long)
		m += miss
		if miss != 0 {
			v = 0
		}
		if old := s.state; v >= old&^rowMask {
			if (v^old)>>32 != 0 {
				s.state = v
			} else if miss == 0 {
				h.closer[c&(BlockRows-1)] = uint16(i)
				c++
			}
		}
	}
	return m, c
}

// differ is 0 if words alone say that two keys are equal, else 1, without a branch. Those with long at the top don't decide.
func differ[K Words](a, b *K, long uint64) (d int) {
	last := len(*a) - 1
	if ((*a)[0]^(*b)[0])|((*a)[last]^(*b)[last]) != 0 {
		d = 1
	}
	if last == 1 && (*b)[last]>>56 == long {
		d = 1
	}
	return d
}

// weigh keeps a row as the greatest of its key, drops it for a greater one, or refuses it.
func (h *Hot[K]) weigh(s *hotSlot[K], i uint16, word, row1 uint32, compare func(a, b uint32) int) {
	old := s.word()
	if word == old {
		switch c := compare(row1-1, s.row1()-1); {
		case c == 0:
			h.refused = append(h.refused, i)
			return
		case c < 0:
			return
		}
	}
	if word >= old {
		s.state = uint64(word)<<32 | uint64(row1)
	}
}

// Count counts a block of rows with the keys at hand, and returns the rows of the block, by their places in it, that go on to the partitions:
// those of keys that aren't at hand. row is the number of the block's first row; blocks come in ascending order. The list is valid until the next call.
func (h *Hot[K]) Count(b *Block[K], row uint32) (refused []uint16) {
	h.begin()
	var m, c int
	if h.home == 0 || b.AnyNull {
		m = h.all(b)
	} else {
		m, c = h.counts(b.Keys)
	}
	for _, i := range h.closer[:c] {
		h.add(h.homeOf(&b.Keys[i]), row+uint32(i))
	}
	for _, i := range h.missed[:m] {
		row := row + uint32(i)
		switch at, found, free := h.find(&b.Keys[i], row+1); {
		case found:
			h.add(at, row)
		case free:
			h.slots[at] = hotSlot[K]{b.Keys[i], uint64(row + 1)}
			h.used++
			h.fresh++
			h.add(at, row)
		default:
			h.refused = append(h.refused, i)
		}
	}
	h.count(b)
	return h.refused
}

// counts is the hot loop of counting keys at hand. Rows that don't find their key are missed. Those of keys of which few were counted need a closer
// look, and aren't counted.
func (h *Hot[K]) counts(keys []K) (m, c int) {
	slots, long, few := h.slots, h.long, uint64(h.samples)<<32
	for i := range keys {
		k := &keys[i]
		s := &slots[int((*k)[0]>>slotShift)&(len(slots)-1)]
		h.missed[m&(BlockRows-1)] = uint16(i)
		miss := differ(&s.key, k, long)
		m += miss
		if s.state >= few {
			s.state += uint64(1-miss) << 32
		} else if miss == 0 {
			h.closer[c&(BlockRows-1)] = uint16(i)
			c++
		}
	}
	return m, c
}

// add counts a row, and keeps it if it is one of the first.
func (h *Hot[K]) add(at, row uint32) {
	s := &h.slots[at]
	if n := int(s.word()); n < h.samples {
		h.firstOf(at)[n] = row
	}
	s.state += 1 << 32
}

// FirstRows returns the first rows of a key that were counted at hand.
func (h *Hot[K]) FirstRows(k K, row1 uint32) []uint32 {
	if h.slots == nil {
		return nil
	}
	at, found, _ := h.find(&k, row1)
	if !found {
		return nil
	}
	return h.firstOf(at)[:min(int(h.slots[at].word()), h.samples)]
}
