package join

import (
	"slices"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/keyset"
)

// oneWord are keys of one word, as which they are dealt out bare.
func oneWord[K keyset.Words](keys []K) [][1]uint64 { return any(keys).([][1]uint64) }

// setRows makes the lists find first rows, where keys were dealt out bare.
func (w *sizer[K]) setRows(workers []*sizer[K]) {
	if w.by[leftSide].bare == nil {
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
	w.ranks[0] = w.productOf
	for side := range sideNames {
		w.ranks[1+side] = func(k K) uint64 { return w.repeatsOf(side, k) }
		w.ranks[3+side] = func(k K) uint64 { return w.rowsOf(side, k) }
	}
}

// firstRows finds first rows on a side; nil where they are known.
func (w *sizer[K]) firstRows(side int) keyset.FirstRows[K] {
	if w.by[side].rows == nil {
		return nil
	}
	return any(w.by[side].rows).(keyset.FirstRows[K])
}

// countBare is count for keys that were dealt out bare.
func (w *sizer[K]) countBare(workers []*sizer[K], part int) (rows int64, err error) {
	for side := range w.by {
		c := w.by[side].bares
		c.Reset()
		for _, from := range workers {
			from.by[side].bare.Chunks(part, func(chunk []uint64) {
				if !w.watch.OverAfter(len(chunk)) {
					c.Sum(chunk)
				}
			})
			from.by[side].parts.Chunks(part, func(chunk []sizeEntry[K]) {
				for i := range chunk {
					c.AddMany([1]uint64{chunk[i].Key[0]}, chunk[i].Payload)
				}
			})
		}
		w.sum.keys[side] += int64(c.Len())
		rows += c.Rows()
	}
	if err := w.watch.Err(); err != nil {
		return 0, err
	}
	for side := range w.by {
		w.seeBare(side, part)
	}
	w.matchBare(part)
	w.trim(part)
	return rows, w.watch.Err()
}

// seeBare is see for keys that were dealt out bare.
func (w *sizer[K]) seeBare(side, part int) {
	often, c := &w.oftenest[side], w.by[side].bares
	floor := max(often.Floor(), minPlaceholder)
	if uint64(c.Rows()-int64(c.Len())) < floor-1 {
		return // no key has so many rows
	}
	var some [keyset.MeetSlots]uint64
	for slots := range slices.Chunk(c.Slots(), len(some)) {
		n := uint(0)
		for _, s := range slots { // without a branch: which are frequent can't be foretold
			some[n%keyset.MeetSlots] = s
			if keyset.InSlot(s) >= floor {
				n++
			}
		}
		for _, s := range some[:n] {
			if rows := keyset.InSlot(s); uint64(c.InAll(s)) == rows { // else it is among the many
				often.Add(keyOf(any(c.Key(s, part)).(K), rows, 0, part))
			}
		}
		floor = max(often.Floor(), minPlaceholder)
	}
	c.Many(func(s uint64, n uint32) {
		if uint64(n) >= minPlaceholder {
			often.Add(keyOf(any(c.Key(s, part)).(K), uint64(n), 0, part))
		}
	})
}

// matchBare is match for keys that were dealt out bare.
func (w *sizer[K]) matchBare(part int) {
	few, many := leftSide, rightSide
	if w.by[few].bares.Len() > w.by[many].bares.Len() {
		few, many = many, few
	}
	of, other := w.by[few].bares, w.by[many].bares
	var m keyset.Met
	for from := 0; from < len(of.Slots()); {
		var pairs, alone int
		from, pairs, alone = of.Meet(other, from, &m)
		for i := range pairs {
			w.setPair(i, few, m.Mine[i], m.Theirs[i], part)
		}
		for _, s := range m.Alone[:alone] {
			if o := other.Slot(of.Key(s, part)); o != 0 {
				w.setPair(pairs, few, s, o, part)
				pairs++
			}
		}
		w.take(pairs, part)
	}
}

// setPair sets a pair by the slots of a key in the counts of the side with fewer keys and of the other.
func (w *sizer[K]) setPair(i, few int, mine, theirs uint64, part int) {
	k := &w.pairs[i]
	of := w.by[few].bares
	key := of.Key(mine, part)
	k.key = any(key).(K)
	k.rows[few], k.rows[1-few] = of.InAll(mine), w.by[1-few].bares.InAll(theirs)
}

// rowsOf, productOf and repeatsOf are the ranks of a key that was dealt out bare, in the lists that it may be in: oftenest, worst and repeats.
func (w *sizer[K]) rowsOf(side int, k K) uint64 { return uint64(w.by[side].bares.Of([1]uint64{k[0]})) }

func (w *sizer[K]) productOf(k K) uint64 { return w.rowsOf(leftSide, k) * w.rowsOf(rightSide, k) }

func (w *sizer[K]) repeatsOf(side int, k K) uint64 {
	if w.rowsOf(side, k) < 2 {
		return 0
	}
	return w.productOf(k)
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
