package keyset

import (
	"context"
	"math/bits"
)

// rawRange is the number of slots in a task.
const rawRange = 1 << 14

// RawKey is the key that Read makes of a word.
func RawKey[K Words](word uint64) (k K) {
	k[0] = secrets.One(word)
	return k
}

// RawRow is a key at hand, its greatest order, and that row.
type RawRow struct {
	Key, Rank uint64
	Row       uint32
}

// rawList is how many rows are handed over together.
const rawList = 256

// Drain turns it off, and calls f with all keys at hand, some at a time; only the first time. The lists are valid during the call.
func (h *HotRaw) Drain(f func([]RawRow)) {
	if !h.On() {
		return
	}
	h.on = false
	list := make([]RawRow, 0, rawList)
	for at, row1 := range h.rows {
		if row1 != 0 {
			list = append(list, RawRow{h.slots[at].key, h.slots[at].rank, row1 - 1})
		}
		if len(list) == rawList {
			f(list)
			list = list[:0]
		}
	}
	f(list)
	h.Release()
}

// DrainRaw brings together what workers have at hand, all of which are on: where all rows of all batches came to them. It calls found with
// the greatest row of each key none of whose rows went on, and deal with the greatest rows of the others, some at a time: those of lines
// that spilled, and those that a worker whose line is full hasn't at hand. worker says which of the workers does so. The lists are valid
// during the call.
func DrainRaw(ctx context.Context, workers []*HotRaw, compare func(a, b uint32) int,
	deal func(worker int, rows []RawRow), found func(worker int, rows []uint32)) error {
	n := 0
	for _, h := range workers {
		n = max(n, len(h.slots))
	}
	err := Run(ctx, len(workers), len(workers), func(_, task int) error {
		if h := workers[task]; len(h.slots) < n {
			h.grow(bits.TrailingZeros(uint(n / len(h.slots))))
		}
		return nil
	})
	if err != nil {
		return err
	}
	joins := make([]rawJoin, len(workers))
	for w := range joins {
		joins[w] = newRawJoin(workers, compare)
	}
	err = Run(ctx, len(workers), (n+rawRange-1)/rawRange, func(w, task int) error {
		j := &joins[w]
		for at := uint32(task * rawRange); at < uint32(min((task+1)*rawRange, n)); at += rawWays {
			j.line(at)
			if len(j.dealt) >= rawList {
				deal(w, j.dealt)
				j.dealt = j.dealt[:0]
			}
			if len(j.found) >= rawList {
				found(w, j.found)
				j.found = j.found[:0]
			}
		}
		deal(w, j.dealt)
		found(w, j.found)
		j.dealt, j.found = j.dealt[:0], j.found[:0]
		return nil
	})
	for _, h := range workers {
		h.on = false
	}
	return err
}

// rawJoin brings the keys of lines together.
type rawJoin struct {
	workers []*HotRaw
	compare func(a, b uint32) int
	keys    []rawKey // of a line
	found   []uint32
	dealt   []RawRow
}

// rawKey is a key at hand of one worker or several.
type rawKey struct {
	rawSlot
	row1 uint32
	full int // workers that have it in a line that is full
}

func newRawJoin(workers []*HotRaw, compare func(a, b uint32) int) rawJoin {
	most := len(workers) * rawWays // keys of a line
	return rawJoin{workers, compare, make([]rawKey, 0, most), make([]uint32, 0, rawList+most), make([]RawRow, 0, rawList+most)}
}

// line brings the keys of the line together that begins at a slot.
func (j *rawJoin) line(at uint32) {
	full, whole := 0, true // workers whose line is full
	j.keys = j.keys[:0]
	for _, h := range j.workers {
		one := 0
		if h.full(at) {
			one = 1
		}
		full += one
		apart := j.add(h.slots[at:at+rawWays], h.rows[at:at+rawWays], one)
		whole = whole && apart && !h.spilled.Has(at/rawWays)
	}
	for _, k := range j.keys {
		if whole && k.full == full {
			j.found = append(j.found, k.row1-1)
		} else {
			j.dealt = append(j.dealt, RawRow{k.key, k.rank, k.row1 - 1})
		}
	}
}

// add adds the keys of a worker's line to those of others. It says whether all rows of one key differ in order.
func (j *rawJoin) add(line []rawSlot, rows []uint32, full int) (apart bool) {
	apart = true
	others := len(j.keys)
next:
	for i, s := range line {
		row1 := rows[i]
		if row1 == 0 {
			continue
		}
		for at := range others {
			o := &j.keys[at]
			if o.key != s.key {
				continue
			}
			greater := s.rank > o.rank
			if s.rank == o.rank {
				switch c := j.compare(row1-1, o.row1-1); {
				case c > 0:
					greater = true
				case c == 0: // both are dealt out
					j.keys, apart = append(j.keys, rawKey{s, row1, full}), false
				}
			}
			if greater {
				o.rawSlot, o.row1 = s, row1
			}
			o.full += full
			continue next
		}
		j.keys = append(j.keys, rawKey{s, row1, full})
	}
	return apart
}
