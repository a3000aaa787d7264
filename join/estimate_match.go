package join

import (
	"math/bits"
	"slices"

	"github.com/onerow-go/onerow/internal/keyset"
)

// count counts the keys of one partition on either side and matches them, and returns the number of rows in it.
func (w *sizer[K]) count(workers []*sizer[K], part int) (rows int64, err error) {
	if w.bare != nil {
		return w.countBare(workers, part)
	}
	for side := range w.by {
		t := w.by[side].table
		t.Fill(func() {
			for _, from := range workers {
				from.by[side].parts.Chunks(part, func(chunk []sizeEntry[K]) {
					if !w.watch.OverAfter(len(chunk)) {
						keyset.Sum(t, chunk)
					}
				})
			}
		})
		w.sum.keys[side] += int64(t.Len())
	}
	if err := w.watch.Err(); err != nil {
		return 0, err
	}
	for side := range w.by {
		rows += w.see(side, w.by[side].table.Slots(), part)
	}
	w.match(part)
	w.trim(part)
	return rows, w.watch.Err()
}

// trim drops keys that won't be listed.
func (w *sizer[K]) trim(part int) {
	for i, list := range w.lists() {
		list.Trim(part, w.ranks[i])
	}
}

// see takes the keys of one side in, and returns the number of their rows; free slots have none.
func (w *sizer[K]) see(side int, slots []sizeEntry[K], part int) (rows int64) {
	often := &w.oftenest[side]
	if w.e.marked == nil {
		floor := max(often.Floor(), minPlaceholder)
		for i := range slots {
			s := &slots[i]
			rows += int64(s.Payload)
			if uint64(s.Payload) >= floor {
				often.Add(keyOf(s.Key, uint64(s.Payload), s.Row1, part))
			}
		}
		return rows
	}
	for i := range slots {
		s := &slots[i]
		rows += int64(s.Payload)
		if s.Row1 != 0 && w.e.marked.has(s.Row()) {
			w.sum.placeholderRows[side] += int64(s.Payload)
			often.Add(keyOf(s.Key, uint64(s.Payload), s.Row1, part))
		}
	}
	return rows
}

// match finds the keys of both sides: it looks for those of the smaller side in the table of the other, a batch of them at a time, so that
// one search need not wait for another.
func (w *sizer[K]) match(part int) {
	few, many := leftSide, rightSide
	if w.by[few].table.Len() > w.by[many].table.Len() {
		few, many = many, few
	}
	other := w.by[many].table
	for slots := range slices.Chunk(w.by[few].table.Slots(), len(w.keys)) {
		if w.watch.OverAfter(len(slots)) {
			return
		}
		n := 0
		for i := range slots { // without a branch: which are free can't be foretold
			w.keys[n%len(w.keys)] = slots[i]
			n += int(min(slots[i].Row1, 1))
		}
		other.FindAll(w.keys[:n], w.found[:n])
		w.take(w.pair(few, n), part)
	}
}

// pair puts those of the first n keys, of one side, that were found on the other side as well, into pairs, and returns their number.
func (w *sizer[K]) pair(few, n int) (pairs int) {
	for i, r := range w.found[:n] {
		if r == nil {
			continue
		}
		l := &w.keys[i]
		if few == rightSide {
			l, r = r, l
		}
		w.pairs[pairs] = pair[K]{l.Key, [2]uint32{l.Payload, r.Payload}, l.Row1}
		pairs++
	}
	return pairs
}

// take takes the first n pairs in.
func (w *sizer[K]) take(n, part int) {
	// Summed up in registers, which arrays and fields are not.
	var matchedL, matchedR, repeatedL, repeatedR int64
	var mostL, mostR uint32
	var lo, hi, carry uint64
	worst, repeatsL, repeatsR := w.worst.Floor(), w.repeats[leftSide].Floor(), w.repeats[rightSide].Floor()
	least := max(minWorst, min(worst, repeatsL, repeatsR))
	for i := range w.pairs[:n] {
		k := &w.pairs[i]
		l, r := k.rows[leftSide], k.rows[rightSide]
		matchedL += int64(l)
		matchedR += int64(r)
		mostL, mostR = max(mostL, l), max(mostR, r)
		repeatedL += int64(min(l-1, 1))
		repeatedR += int64(min(r-1, 1))
		p := uint64(l) * uint64(r)
		lo, carry = bits.Add64(lo, p, 0)
		hi += carry
		if w.e.marked != nil && w.e.marked.has(k.row1-1) {
			w.sum.placeholderInner = w.sum.placeholderInner.plus(CountOf(p))
		}
		if p < least {
			continue
		}
		if p >= worst {
			w.worst.Add(keyOf(k.key, p, k.row1, part))
		}
		if l > 1 && p >= repeatsL {
			w.repeats[leftSide].Add(keyOf(k.key, p, k.row1, part))
		}
		if r > 1 && p >= repeatsR {
			w.repeats[rightSide].Add(keyOf(k.key, p, k.row1, part))
		}
	}
	s := &w.sum
	s.matchedKeys += int64(n)
	s.inner = s.inner.plus(Count{hi: hi, lo: lo})
	s.matchedRows[leftSide] += matchedL
	s.matchedRows[rightSide] += matchedR
	s.most[leftSide], s.most[rightSide] = max(s.most[leftSide], int64(mostL)), max(s.most[rightSide], int64(mostR))
	s.repeated[leftSide] += repeatedL
	s.repeated[rightSide] += repeatedR
}
