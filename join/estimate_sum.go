package join

import "github.com/onerow-go/onerow/internal/keyset"

// sums are what is added up over the keys. Of a pair, the first is of the left side.
type sums struct {
	nullRows    [2]int64
	keys        [2]int64
	matchedKeys int64
	matchedRows [2]int64
	inner       Count
	most        [2]int64 // rows of a matched key on this side, the most
	repeated    [2]int64 // matched keys that repeat on this side

	// Of given placeholders.
	placeholderRows  [2]int64
	placeholderInner Count
}

// match adds a key that has rows on both sides.
func (s *sums) match(rows [2]uint64) Count {
	s.matchedKeys++
	for side, n := range rows {
		s.matchedRows[side] += int64(n)
		s.most[side] = max(s.most[side], int64(n))
		if n > 1 {
			s.repeated[side]++
		}
	}
	p := product(rows[leftSide], rows[rightSide])
	s.inner = s.inner.plus(p)
	return p
}

func (s *sums) addNulls(o *sums) {
	for side, n := range o.nullRows {
		s.nullRows[side] += n
	}
}

func (s *sums) add(o *sums) {
	s.matchedKeys += o.matchedKeys
	s.inner = s.inner.plus(o.inner)
	s.placeholderInner = s.placeholderInner.plus(o.placeholderInner)
	for side := range s.keys {
		s.keys[side] += o.keys[side]
		s.matchedRows[side] += o.matchedRows[side]
		s.most[side] = max(s.most[side], o.most[side])
		s.repeated[side] += o.repeated[side]
		s.placeholderRows[side] += o.placeholderRows[side]
	}
}

// keyed is the number of rows of a side that take part in the matching.
func (s *sums) keyed(rows int64, side int, nulls Nulls) int64 {
	if nulls == NullsNever {
		return rows - s.nullRows[side]
	}
	return rows
}

// count counts the keys of one partition on either side and matches them, and returns the number of rows in it.
func (w *sizer[K]) count(workers []*sizer[K], part int) (rows int64, err error) {
	for side := range w.by {
		t := w.by[side].table
		t.Reset()
		for _, from := range workers {
			from.by[side].parts.Chunks(part, func(chunk []sizeEntry[K]) {
				if !w.watch.OverAfter(len(chunk)) {
					insert(t, chunk)
				}
			})
		}
		w.sum.keys[side] += int64(t.Len())
	}
	if err := w.watch.Err(); err != nil {
		return 0, err
	}
	left, right := w.by[leftSide].table, w.by[rightSide].table
	left.All(func(l *sizeEntry[K]) { rows += w.see(leftSide, l, part) })
	right.All(func(r *sizeEntry[K]) {
		rows += w.see(rightSide, r, part)
		if l := left.Find(r); l != nil {
			w.match(l, r, part)
		}
	})
	return rows, w.watch.Err()
}

// insert is the hot loop.
func insert[K keyset.Words](t *keyset.Table[K, uint32], chunk []sizeEntry[K]) {
	start := t.Starts(chunk)
	for i := range chunk {
		e := &chunk[i]
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

// see takes a key of one side in, and returns the number of its rows.
func (w *sizer[K]) see(side int, s *sizeEntry[K], part int) int64 {
	switch {
	case w.e.marked == nil:
		if s.Payload >= minPlaceholder {
			w.oftenest[side].add(s, part, CountOf(uint64(s.Payload)))
		}
	case w.e.marked.has(s.Row()):
		w.sum.placeholderRows[side] += int64(s.Payload)
		w.oftenest[side].add(s, part, CountOf(uint64(s.Payload)))
	}
	return int64(s.Payload)
}

// match takes a key of both sides in.
func (w *sizer[K]) match(l, r *sizeEntry[K], part int) {
	p := w.sum.match([2]uint64{uint64(l.Payload), uint64(r.Payload)})
	if w.e.marked != nil && w.e.marked.has(l.Row()) {
		w.sum.placeholderInner = w.sum.placeholderInner.plus(p)
	}
	if p == CountOf(1) {
		return
	}
	w.worst.add(l, part, p)
	if l.Payload > 1 {
		w.repeats[leftSide].add(l, part, p)
	}
	if r.Payload > 1 {
		w.repeats[rightSide].add(l, part, p)
	}
}

// relationship names what rows of either side meet.
func relationship(matched, leftRepeats, rightRepeats bool) Relationship {
	switch {
	case !matched:
		return None
	case leftRepeats && rightRepeats:
		return ManyToMany
	case leftRepeats:
		return ManyToOne
	case rightRepeats:
		return OneToMany
	}
	return OneToOne
}
