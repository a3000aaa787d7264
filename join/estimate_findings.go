package join

import (
	"cmp"
	"slices"

	"github.com/onerow-go/onerow"
)

// findings are what was found of some keys, with all rows that have them: of all keys of a call, or of a part of them. Those of parts add up.
type findings struct {
	sum   sums
	nulls [2][]onerow.ColumnNulls
	worst []ranked
	// repeats are the matched keys that repeat on a side.
	repeats [2][]ranked
	// oftenest are the keys with the most rows of a side. Listed are those of them that are given placeholders, or look like usual ones.
	oftenest [2][]ranked
}

// ranked is a key in a list. Greater ranks come first, and of equal ones the key that appears first.
type ranked struct {
	KeySize
	listed bool // KeySize is known
	rank   Count
	first  uint32 // the number of its first row: on the left side; of oftenest on its own side
}

// lists are all lists, in the order in which their keys are looked for.
func (f *findings) lists() [][]ranked {
	return [][]ranked{f.worst, f.repeats[leftSide], f.repeats[rightSide], f.oftenest[leftSide], f.oftenest[rightSide]}
}

// add adds those of another part of the keys.
func (f *findings) add(o *findings, worst int) {
	f.sum.add(&o.sum)
	f.worst = firstOf(worst, f.worst, o.worst)
	for side := range sideNames {
		f.repeats[side] = firstOf(onerow.MaxSampleKeys, f.repeats[side], o.repeats[side])
		f.oftenest[side] = firstOf(maxPlaceholders, f.oftenest[side], o.oftenest[side])
	}
}

// firstOf merges two lists, which are in order, and keeps the first keys.
func firstOf(limit int, a, b []ranked) []ranked {
	if len(a) >= limit && len(a) > 0 { // full: what comes after its last need not be added
		end, _ := slices.BinarySearchFunc(b, a[len(a)-1], compareRanked)
		b = b[:end]
	}
	if len(b) == 0 {
		return a
	}
	all := slices.Concat(a, b)
	slices.SortFunc(all, compareRanked)
	return all[:min(len(all), max(0, limit))]
}

func compareRanked(x, y ranked) int {
	return cmp.Or(y.rank.Cmp(x.rank), cmp.Compare(x.first, y.first))
}

// size makes the size of all keys. rows are those of the sides.
func (f *findings) size(on Key, opts Options, rows [2]int64) *Size {
	size := &Size{On: on}
	s := &f.sum
	for i := range sideNames {
		side := size.side(i)
		side.Rows, side.Nulls = rows[i], f.nulls[i]
		side.Keys, side.Unique = s.keys[i], s.keys[i] == s.keyed(side.Rows, i, opts.Nulls)
		side.NullRows, side.NullShare = s.nullRows[i], share(float64(s.nullRows[i]), float64(side.Rows))
		side.MatchedRows, side.UnmatchedRows = s.matchedRows[i], side.Rows-s.matchedRows[i]
		side.RepeatedKeys, side.Repeats = s.repeated[i], f.keys(f.repeats[i])
		side.FanOut = share(s.inner.Float64(), float64(s.matchedRows[i]))
		side.MaxFanOut = s.most[1-i]
	}
	count := func(n int64) Count { return CountOf(uint64(n)) }
	r := &size.Rows
	r.Inner = s.inner
	r.LeftSemi, r.LeftAnti = count(size.Left.MatchedRows), count(size.Left.UnmatchedRows)
	r.RightSemi, r.RightAnti = count(size.Right.MatchedRows), count(size.Right.UnmatchedRows)
	r.Left, r.Right = r.Inner.plus(r.LeftAnti), r.Inner.plus(r.RightAnti)
	r.Full = r.Left.plus(r.RightAnti)
	size.MatchedKeys = s.matchedKeys
	size.Relationship = relationship(s.matchedKeys > 0, s.repeated[leftSide] > 0, s.repeated[rightSide] > 0)
	size.Worst = f.keys(f.worst)
	size.Placeholders = f.placeholders(opts, rows)
	for side, n := range [2]int64{size.Placeholders.Left, size.Placeholders.Right} {
		size.side(side).PlaceholderShare = share(float64(n), float64(rows[side]))
	}
	return size
}

// keys are the keys of a list, with their share.
func (f *findings) keys(list []ranked) (out []KeySize) {
	for _, k := range list {
		k.Share = share(k.Inner.Float64(), f.sum.inner.Float64())
		out = append(out, k.KeySize)
	}
	return out
}

// share is part / whole, 0 of nothing.
func share(part, whole float64) float64 {
	if whole == 0 {
		return 0
	}
	return part / whole
}
