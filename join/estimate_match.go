package join

import (
	"math/bits"

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
	for i := range slots {
		s := &slots[i]
		rows += int64(s.Payload)
		switch {
		case w.e.marked == nil:
			if n := uint64(s.Payload); n >= minPlaceholder && n >= often.floor {
				often.add(s, part, CountOf(n))
			}
		case s.Row1 != 0 && w.e.marked.has(s.Row()):
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
	slots, other := w.by[few].table.Slots(), w.by[many].table
	for len(slots) > 0 && !w.watch.Done() {
		n := 0
		for len(slots) > 0 && n < len(w.keys) {
			w.keys[n] = slots[0]
			if slots[0].Row1 != 0 {
				n++
			}
			slots = slots[1:]
		}
		other.FindAll(w.keys[:n], w.found[:n])
		for i, o := range w.found[:n] {
			if s := &w.keys[i]; o != nil {
				if few == rightSide {
					w.take(o, s, part)
				} else {
					w.take(s, o, part)
				}
			}
		}
		w.watch.OverAfter(n)
	}
}

// take takes a key of both sides in.
func (w *sizer[K]) take(l, r *sizeEntry[K], part int) {
	s := &w.sum
	s.matchedKeys++
	s.matchedRows[leftSide] += int64(l.Payload)
	s.matchedRows[rightSide] += int64(r.Payload)
	s.most[leftSide] = max(s.most[leftSide], int64(l.Payload))
	s.most[rightSide] = max(s.most[rightSide], int64(r.Payload))
	p := uint64(l.Payload) * uint64(r.Payload)
	var carry uint64
	s.inner.lo, carry = bits.Add64(s.inner.lo, p, 0)
	s.inner.hi += carry
	if w.e.marked != nil && w.e.marked.has(l.Row()) {
		s.placeholderInner = s.placeholderInner.plus(CountOf(p))
	}
	if p == 1 {
		return
	}
	if p >= w.worst.floor {
		w.worst.add(l, part, CountOf(p))
	}
	for side, n := range [2]uint32{l.Payload, r.Payload} {
		if n > 1 {
			s.repeated[side]++
			if p >= w.repeats[side].floor {
				w.repeats[side].add(l, part, CountOf(p))
			}
		}
	}
}
