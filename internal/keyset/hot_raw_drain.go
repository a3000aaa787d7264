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

// Drain turns it off, and calls f with each key at hand, its greatest order and that row; only the first time.
func (h *HotRaw) Drain(f func(key, rank uint64, row uint32)) {
	if !h.On() {
		return
	}
	h.on = false
	for at, row1 := range h.rows {
		if row1 != 0 {
			f(h.slots[at].key, h.slots[at].rank, row1-1)
		}
	}
	h.Release()
}

// rawFound is a key at hand of one worker or several.
type rawFound struct {
	rawSlot
	row1 uint32
}

// DrainRaw brings together what workers have at hand, all of which are on: where all rows of all batches came to them. It calls found with the greatest row
// of each key none of whose rows went on, and deal with the greatest rows of the others; worker says which of the workers does so.
func DrainRaw(ctx context.Context, workers []*HotRaw, compare func(a, b uint32) int,
	deal func(worker int, key, rank uint64, row uint32), found func(worker int, row uint32)) error {
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
	err = Run(ctx, len(workers), (n+rawRange-1)/rawRange, func(w, task int) error {
		var keys []rawFound
		for at := task * rawRange; at < min((task+1)*rawRange, n); at += rawWays {
			whole := true
			keys = keys[:0]
			for _, h := range workers {
				if h.spilled.Has(uint32(at / rawWays)) {
					whole = false
				}
				keys, whole = h.join(keys, at, whole, compare)
			}
			for _, k := range keys {
				if whole {
					found(w, k.row1-1)
				} else {
					deal(w, k.key, k.rank, k.row1-1)
				}
			}
		}
		return nil
	})
	for _, h := range workers {
		h.on = false
	}
	return err
}

// join adds the keys of a line to those of other workers. It isn't whole if rows of one key are equal.
func (h *HotRaw) join(keys []rawFound, at int, whole bool, compare func(a, b uint32) int) ([]rawFound, bool) {
	others := len(keys)
next:
	for i, s := range h.slots[at : at+rawWays] {
		row1 := h.rows[at+i]
		if row1 == 0 {
			continue
		}
		for j := range others {
			o := &keys[j]
			if o.key != s.key {
				continue
			}
			greater := s.rank > o.rank
			if s.rank == o.rank {
				switch c := compare(row1-1, o.row1-1); {
				case c > 0:
					greater = true
				case c == 0: // both are dealt out
					keys, whole = append(keys, rawFound{s, row1}), false
				}
			}
			if greater {
				*o = rawFound{s, row1}
			}
			continue next
		}
		keys = append(keys, rawFound{s, row1})
	}
	return keys, whole
}
