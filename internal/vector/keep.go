package vector

import "unsafe"

// Kept is a key with its greatest row so far: that with the greatest payload. Row1 is 1 + the row's number, 0 in slots that are free.
type Kept struct {
	Key           uint64
	Row1, Payload uint32
}

// KeepShift is the bit of a key from which on bits say where it is looked for.
const KeepShift = 23

// Keep merges entries into the slots at their start, which is some of the bits of starts: into those that are free, and, if payloads
// differ, those of their key. It puts the numbers of the entries that are left, at most 256, into left, which has room for as many, and
// returns how many they are, and how many slots were free. It has no branch: neither which of two entries is greater can be foretold, nor
// which are left.
func Keep(slots []Kept, starts uint64, entries []Kept, left []uint8) (n, free int) {
	_, _ = slots[starts], left[:256:256][:len(entries)]
	if n, free, ok := keep(slots, starts, entries, left); ok {
		return n, free
	}
	base := unsafe.Pointer(&slots[0])
	for i := range entries {
		e := &entries[i]
		s := (*Kept)(unsafe.Add(base, e.Key>>KeepShift&starts*uint64(unsafe.Sizeof(Kept{}))))
		was, is := uint64(s.Payload)<<32|uint64(s.Row1), uint64(e.Payload)<<32|uint64(e.Row1)
		key, differ, leave := s.Key, (was^is)>>32, 0
		if was == 0 {
			key, differ = e.Key, is
			free++
		}
		if key != e.Key {
			leave = 1
		}
		if differ == 0 {
			leave = 1
		}
		best := max(was, is&(uint64(leave)-1))
		s.Key, s.Row1, s.Payload = key, uint32(best), uint32(best>>32)
		left[n] = uint8(i)
		n += leave
	}
	return n, free
}

// KeepNext is Keep for entries that Keep left, by the slots that come next, up to mask; left has their numbers, and then those of the
// entries left now, which are all whose key is at its start.
func KeepNext(slots []Kept, starts, mask uint64, entries []Kept, left []uint8) (n, free int) {
	_, _ = slots[starts], slots[mask]
	if n, free, ok := keepNext(slots, starts, mask, entries, left); ok {
		return n, free
	}
	for _, i := range left {
		e := &entries[i]
		at := e.Key >> KeepShift & starts
		s := &slots[(at+1)&mask]
		left[n] = i
		switch {
		case slots[at].Key == e.Key:
			n++
		case s.Row1 == 0:
			*s = *e
			free++
		case s.Key != e.Key || s.Payload == e.Payload:
			n++
		case e.Payload > s.Payload:
			s.Row1, s.Payload = e.Row1, e.Payload
		}
	}
	return n, free
}
