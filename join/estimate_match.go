package join

import (
	"math/bits"
	"slices"

	"github.com/onerow-go/onerow/internal/keyset"
)

// count counts the keys of one partition on either side and matches them, and returns the number of rows in it.
func (w *sizer[K]) count(workers []*sizer[K], part int) (rows int64, err error) {
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
	return rows, w.watch.Err()
}

// see takes the keys of one side in, and returns the number of their rows; free slots have none.
func (w *sizer[K]) see(side int, slots []sizeEntry[K], part int) (rows int64) {
	often := &w.oftenest[side]
	if w.e.marked == nil {
		floor := max(often.floor, minPlaceholder)
		for i := range slots {
			n := uint64(slots[i].Payload)
			rows += int64(n)
			if n >= floor {
				often.add(&slots[i], part, CountOf(n))
				floor = max(often.floor, minPlaceholder)
			}
		}
		return rows
	}
	for i := range slots {
		s := &slots[i]
		rows += int64(s.Payload)
		if s.Row1 != 0 && w.e.marked.has(s.Row()) {
			w.sum.placeholderRows[side] += int64(s.Payload)
			often.add(s, part, CountOf(uint64(s.Payload)))
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
		w.take(few, n, part)
	}
}

// take takes those of the first n keys in that were found on the other side as well.
func (w *sizer[K]) take(few, n, part int) {
	// Summed up in registers, which arrays and fields are not.
	var keys, matchedL, matchedR, repeatedL, repeatedR int64
	var mostL, mostR uint32
	var lo, hi, carry uint64
	for i, r := range w.found[:n] {
		if r == nil {
			continue
		}
		l := &w.keys[i]
		if few == rightSide {
			l, r = r, l
		}
		keys++
		matchedL += int64(l.Payload)
		matchedR += int64(r.Payload)
		mostL, mostR = max(mostL, l.Payload), max(mostR, r.Payload)
		repeatedL += int64(min(l.Payload-1, 1))
		repeatedR += int64(min(r.Payload-1, 1))
		p := uint64(l.Payload) * uint64(r.Payload)
		lo, carry = bits.Add64(lo, p, 0)
		hi += carry
		if w.e.marked != nil && w.e.marked.has(l.Row()) {
			w.sum.placeholderInner = w.sum.placeholderInner.plus(CountOf(p))
		}
		if p == 1 {
			continue
		}
		if p >= w.worst.floor {
			w.worst.add(l, part, CountOf(p))
		}
		if l.Payload > 1 && p >= w.repeats[leftSide].floor {
			w.repeats[leftSide].add(l, part, CountOf(p))
		}
		if r.Payload > 1 && p >= w.repeats[rightSide].floor {
			w.repeats[rightSide].add(l, part, CountOf(p))
		}
	}
	s := &w.sum
	s.matchedKeys += keys
	s.inner = s.inner.plus(Count{hi: hi, lo: lo})
	s.matchedRows[leftSide] += matchedL
	s.matchedRows[rightSide] += matchedR
	s.most[leftSide], s.most[rightSide] = max(s.most[leftSide], int64(mostL)), max(s.most[rightSide], int64(mostR))
	s.repeated[leftSide] += repeatedL
	s.repeated[rightSide] += repeatedR
}
