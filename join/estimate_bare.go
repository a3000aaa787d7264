package join

import (
	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/keyset"
)

// oneWord are keys of one word, as which they are dealt out bare.
func oneWord[K keyset.Words](keys []K) [][1]uint64 { return any(keys).([][1]uint64) }

// setRows makes the lists find first rows, where keys were dealt out bare.
func (w *sizer[K]) setRows(workers []*sizer[K]) {
	if w.bare == nil {
		return
	}
	for side := range w.by {
		var from []*keyset.Bare
		var drained []*keyset.Parts[[1]uint64, uint32]
		for _, o := range workers {
			from, drained = append(from, o.by[side].bare), append(drained, any(o.by[side].parts).(*keyset.Parts[[1]uint64, uint32]))
		}
		first, end := uint32(0), w.e.first
		if side == rightSide {
			first, end = w.e.first, w.e.rows.Rows()
		}
		w.by[side].rows = keyset.NewBareRows(w.e.keys, first, end, from, drained)
	}
	for i, list := range w.lists() {
		list.Rows = w.firstRows(sidesOfLists[i])
	}
	w.ranks[0] = func(k K) uint64 { return productOf(w.bare.of(k)) }
	for side := range sideNames {
		w.ranks[1+side] = func(k K) uint64 { return repeatsOf(side, w.bare.of(k)) }
		w.ranks[3+side] = func(k K) uint64 { return uint64(w.bare.of(k)[side]) }
	}
}

// firstRows finds first rows on a side; nil where they are known.
func (w *sizer[K]) firstRows(side int) keyset.FirstRows[K] {
	if w.by[side].rows == nil {
		return nil
	}
	return any(w.by[side].rows).(keyset.FirstRows[K])
}

// barePairs are the keys of both sides, which were dealt out bare, of the partition that a worker is at.
type barePairs[K keyset.Words] struct {
	*keyset.Pairs
	swap  int // 1 if the right side is the first there: the one with more rows
	least func() keyset.Least
	see   func(keyset.Pair)
}

func newBarePairs[K keyset.Words](w *sizer[K]) *barePairs[K] {
	b := &barePairs[K]{Pairs: keyset.NewPairs(), least: w.leastBare, see: w.seeBare}
	if f := w.e.frames; f[leftSide].Rows < f[rightSide].Rows {
		b.swap = 1
	}
	return b
}

// of returns the numbers of rows of a key by side.
func (b *barePairs[K]) of(k K) [2]uint32 { return b.bySide(b.Of([1]uint64{k[0]})) }

func (b *barePairs[K]) bySide(rows [2]uint32) [2]uint32 {
	return [2]uint32{rows[b.swap], rows[1-b.swap]}
}

// countBare is count for keys that were dealt out bare.
func (w *sizer[K]) countBare(workers []*sizer[K], part int) (rows int64, err error) {
	b := w.bare
	b.Reset()
	for first := range sideNames {
		side := first ^ b.swap
		for _, from := range workers {
			from.by[side].bare.Chunks(part, func(chunk []uint64) {
				if !w.watch.OverAfter(len(chunk)) {
					b.Sum(first, chunk)
				}
			})
			from.by[side].parts.Chunks(part, func(chunk []sizeEntry[K]) {
				for i := range chunk {
					b.AddMany(first, [1]uint64{chunk[i].Key[0]}, chunk[i].Payload)
				}
			})
		}
	}
	if err := w.watch.Err(); err != nil {
		return 0, err
	}
	w.addBare(b.Meet(part, b.least, b.see))
	w.trim(part)
	return b.Rows(), w.watch.Err()
}

// addBare adds the sums of a partition.
func (w *sizer[K]) addBare(of keyset.PairSums) {
	s := &w.sum
	s.matchedKeys += of.Both
	s.inner = s.inner.plus(Count{hi: of.Hi, lo: of.Lo})
	for side := range sideNames {
		at := side ^ w.bare.swap
		s.keys[side] += of.Keys[at]
		s.matchedRows[side] += of.Rows[at]
		s.most[side] = max(s.most[side], int64(of.Most[at]))
		s.repeated[side] += of.Repeated[at]
	}
}

// leastBare says which keys may be listed; see seeBare.
func (w *sizer[K]) leastBare() (l keyset.Least) {
	l.Product = max(w.worst.Floor(), minWorst)
	for side := range sideNames {
		at := side ^ w.bare.swap
		l.Repeated[at] = w.repeats[side].Floor()
		l.Rows[at] = max(w.oftenest[side].Floor(), minPlaceholder)
	}
	return l
}

// seeBare puts a key into the lists that it may be in.
func (w *sizer[K]) seeBare(pair keyset.Pair) {
	rows, key := w.bare.bySide(pair.Rows), any(pair.Key).(K)
	p := productOf(rows)
	if p >= max(w.worst.Floor(), minWorst) {
		w.worst.Add(keyOf(key, p, 0, pair.Part))
	}
	for side, n := range rows {
		if often := &w.oftenest[side]; uint64(n) >= max(often.Floor(), minPlaceholder) {
			often.Add(keyOf(key, uint64(n), 0, pair.Part))
		}
		if repeats := &w.repeats[side]; n > 1 && p > 0 && p >= repeats.Floor() {
			repeats.Add(keyOf(key, p, 0, pair.Part))
		}
	}
}

func productOf(rows [2]uint32) uint64 { return uint64(rows[leftSide]) * uint64(rows[rightSide]) }

// repeatsOf is the rank of a key among those that repeat on a side.
func repeatsOf(side int, rows [2]uint32) uint64 {
	if rows[side] < 2 {
		return 0
	}
	return productOf(rows)
}

// passBare is pass for keys that were dealt out bare.
func (w *sizer[K]) passBare(side, part int, keys []K, finds []*found) {
	if w.by[side].bare == nil {
		return
	}
	rows, counts := w.by[side].rows.Rows(part, len(keys), func(i int) [1]uint64 { return [1]uint64{keys[i][0]} }, onerow.MaxSampleRows)
	for i, f := range finds {
		f.count[side] += counts[i]
		f.rows[side] = append(f.rows[side], rows[i]...)
	}
}
