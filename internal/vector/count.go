package vector

import "unsafe"

// Keys are dealt out to 1<<CountBits partitions by their top bits. As an entry, a key is without these, over as many bits that say
// something else; as a slot of a table, over as many bits of a number, or two. A free slot is zero. Where a key is looked for begins with
// bit CountShift of an entry.
const (
	CountBits  = 9
	CountShift = 32
)

// low are the bits that aren't the key's.
const low = 1<<CountBits - 1

// ChunkWords is the number of words of a chunk.
const ChunkWords = 256

// Chunk is the chunk of a partition that is being filled, and the number of words in it.
type Chunk struct {
	Words *[ChunkWords]uint64
	N     uint
}

// Deal puts keys as entries into the chunks of their partitions, of which there are 1<<CountBits, up to the first whose chunk is full, and
// returns their number. tag is what the entries say besides.
func Deal(chunks []Chunk, keys []uint64, tag uint64) (done int) {
	chunks = chunks[:1<<CountBits]
	if done, ok := deal(chunks, keys, tag); ok {
		return done
	}
	base := unsafe.Pointer(&chunks[0])
	for i, w := range keys {
		c := (*Chunk)(unsafe.Add(base, w>>(64-CountBits)*uint64(unsafe.Sizeof(Chunk{}))))
		n := c.N
		if n >= ChunkWords {
			return i
		}
		c.N = n + 1
		*(*uint64)(unsafe.Add(unsafe.Pointer(c.Words), n%ChunkWords*8)) = w<<CountBits | tag
	}
	return len(keys)
}

// checked panics unless what the loops that count take for granted holds: slots lie where starts leads, entries are at most ChunkWords, and
// left has room for so many numbers.
func checked(slots []uint64, starts uint64, entries []uint64, left []uint8) {
	_, _ = slots[starts], left[:ChunkWords:ChunkWords][:len(entries)]
}

// Count counts entries in the slots at their start, which is some of the bits of starts, where these are their key's, and have room for one
// more, or are free. It puts the numbers of the entries that are left, at most ChunkWords, into left, which has room for as many, and
// returns how many they are, and how many slots were free. It has no branch: which are left can't be foretold.
func Count(slots []uint64, starts uint64, entries []uint64, left []uint8) (n, free int) {
	checked(slots, starts, entries, left)
	if n, free, ok := count(slots, starts, entries, left); ok {
		return n, free
	}
	base := unsafe.Pointer(&slots[0])
	for i, e := range entries {
		s := (*uint64)(unsafe.Add(base, e>>CountShift&starts*8))
		was, leave := *s, 0
		e &^= low
		if was == 0 {
			free++
		}
		if was == 0 {
			was = e
		}
		// The number, if the keys are equal; else it is far more.
		if was-e >= low {
			leave = 1
		}
		*s = was + uint64(1-leave)
		left[n] = uint8(i)
		n += leave
	}
	return n, free
}

// CountNext is Count for entries that Count left, by the slots that come next; left has their numbers, and then those of the entries left now.
func CountNext(slots []uint64, starts uint64, entries []uint64, left []uint8) (n, free int) {
	_ = slots[starts]
	if n, free, ok := countNext(slots, starts, entries, left); ok {
		return n, free
	}
	for _, i := range left {
		e := entries[i]
		at := e >> CountShift & starts
		e &^= low
		s := &slots[(at+1)&starts]
		left[n] = i
		was := *s
		if slots[at]-e <= low { // its number is as great as a slot's can be
			n++
			continue
		}
		if was == 0 {
			free++
			was = e
		}
		if was-e >= low {
			n++
			continue
		}
		*s = was + 1
	}
	return n, free
}

// CountSecond is Count by the second number of a key, which lies beside its slot. A slot that was free has a first number of zero then.
// Entries of the key that is zero are left.
func CountSecond(slots []uint64, second []uint8, starts uint64, entries []uint64, left []uint8) (n, free int) {
	checked(slots, starts, entries, left)
	_ = second[starts]
	if n, free, ok := countSecond(slots, second, starts, entries, left); ok {
		return n, free
	}
	base, beside := unsafe.Pointer(&slots[0]), unsafe.Pointer(&second[0])
	for i, e := range entries {
		at := e >> CountShift & starts
		s, m := (*uint64)(unsafe.Add(base, at*8)), (*uint8)(unsafe.Add(beside, at))
		was, number, leave := *s, *m, uint8(0)
		e &^= low
		taken := e
		if was != 0 {
			taken = 0
		}
		if taken != 0 {
			free++
		}
		was |= taken
		if was-e > low {
			leave = 1
		}
		if number == 1<<8-1 {
			leave = 1
		}
		if e == 0 {
			leave = 1
		}
		*s = was
		*m = number + 1 - leave
		left[n] = uint8(i)
		n += int(leave)
	}
	return n, free
}
