package scd2

import (
	"cmp"
	"math"
	"slices"
)

// stretch is a version of a key as the sweep sees it: it is valid at the words from..last, both included.
type stretch struct {
	from, last uint64
	row, tag   uint32
}

func (v *stretch) before(o *stretch) bool {
	return v.from < o.from || v.from == o.from && v.row < o.row
}

// sweeper finds the faults between the versions of one key after the other.
type sweeper struct {
	*checker
	poll
	sum   CheckReport
	found findings

	spare []stretch // room to merge
	live  []stretch // those that have time
	group []uint32
}

// sweep finds what is wrong between the versions of a key, and brings them into order of their starts.
func (s *sweeper) sweep(v []stretch) {
	if s.pollAfter(len(v)) || s.sound(v) {
		return
	}
	if !s.sort(v) || s.sound(v) {
		return
	}
	broken := false
	s.live = s.live[:0]
	opens := 0
	for i := range v {
		if v[i].tag&isIdle == 0 {
			s.live = append(s.live, v[i])
		}
		broken = broken || v[i].tag&isFaulty != 0
		opens += int(v[i].tag & isOpen)
	}
	if opens > 1 {
		s.twoOpen(v)
		broken = true
	}
	broken = s.duplicateStarts(v) || broken
	broken = s.gaps(s.live) || broken
	broken = s.overlaps(s.live) || broken
	if broken {
		s.sum.BrokenKeys++
	}
}

// sound says whether versions are in order and nothing is wrong with them. It is all that is done for most keys.
func (s *sweeper) sound(v []stretch) bool {
	step := uint64(math.MaxUint64)
	if s.opts.Gaps == ReportGaps {
		step = s.step
	}
	for i := 1; i < len(v); i++ {
		a, b := &v[i-1], &v[i]
		if a.tag&^isOpen != 0 || b.from <= a.last || b.from-a.last > step {
			return false
		}
	}
	return v[len(v)-1].tag&^isOpen == 0
}

// twoOpen reports the open versions of a key.
func (s *sweeper) twoOpen(v []stretch) {
	s.group = s.group[:0]
	for i := range v {
		if v[i].tag&isOpen != 0 {
			s.group = append(s.group, v[i].row)
		}
	}
	s.report(TwoOpen, s.group)
}

// report counts and lists a finding about a group of rows.
func (s *sweeper) report(k Kind, rows []uint32) {
	*s.sum.count(k)++
	if first := slices.Min(rows); s.found.takes(first) {
		rows = slices.Clone(rows)
		slices.SortFunc(rows, func(a, b uint32) int {
			if s.pollAfter(1) {
				return 0
			}
			return cmp.Compare(a, b)
		})
		s.found.add(finding{first: first, second: rows[1], kind: k, rows: rows})
	}
}

// duplicateStarts reports starts that several versions have.
func (s *sweeper) duplicateStarts(v []stretch) (found bool) {
	for lo := 0; lo < len(v); {
		s.group = s.group[:0]
		hi := lo
		for ; hi < len(v) && v[hi].from == v[lo].from; hi++ {
			if v[hi].tag&isIdle == 0 || v[hi].tag&isEmpty != 0 {
				s.group = append(s.group, v[hi].row)
			}
		}
		if len(s.group) > 1 {
			s.report(DuplicateStart, s.group)
			found = true
		}
		lo = hi
	}
	return found
}

// gaps reports time between the longest reach so far and the next start.
func (s *sweeper) gaps(live []stretch) (found bool) {
	if s.opts.Gaps != ReportGaps || len(live) == 0 {
		return false
	}
	reach := &live[0]
	for i := range live[1:] {
		next := &live[i+1]
		if s.pollAfter(1) {
			return found
		}
		if next.from > reach.last && next.from-reach.last > s.step && (s.sure || s.exceeds(next.row, reach.row)) {
			s.sum.Gaps++
			s.found.add(finding{first: min(reach.row, next.row), second: max(reach.row, next.row), kind: Gap})
			found = true
		}
		if next.last > reach.last || next.last == reach.last && next.row < reach.row {
			reach = next
		}
	}
	return found
}

// overlaps counts the pairs of versions that share time. Of a version and those that start later, or with it, these are the ones that start by
// its last word.
func (s *sweeper) overlaps(live []stretch) bool {
	total := uint64(0)
	for i := range live {
		if s.pollAfter(1) {
			return false
		}
		if n := startingBy(live[i+1:], live[i].last); n > 0 {
			total += uint64(n)
		}
	}
	if total == 0 {
		return false
	}
	s.sum.Overlaps += total
	s.listPairs(live, total)
	return true
}

// startingBy is the number of versions, given in order of their starts, that start at a word or before it. It takes steps that double, as there are few
// in most histories.
func startingBy(v []stretch, last uint64) int {
	hi := 1
	for hi <= len(v) && v[hi-1].from <= last {
		hi *= 2
	}
	lo := hi / 2 // of the first lo versions it is known
	hi = min(hi-1, len(v))
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if v[mid].from <= last {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// insertionRows is the number of versions up to which they are sorted by insertion.
const insertionRows = 24

// sort brings versions into order of start and row, and says whether it is done: it stops when the context ends. It takes linear time when they are in
// order already, or made of a few runs that are.
func (s *sweeper) sort(v []stretch) bool {
	if len(v) > insertionRows {
		return s.mergeRuns(v)
	}
	for i := 1; i < len(v); i++ {
		x := v[i]
		j := i
		for ; j > 0 && x.before(&v[j-1]); j-- {
			v[j] = v[j-1]
		}
		v[j] = x
	}
	return true
}

// mergeRuns is a merge sort that takes the runs that it finds.
func (s *sweeper) mergeRuns(v []stretch) bool {
	ends := s.runs(v)
	if s.over != nil {
		return false
	}
	if cap(s.spare) < len(v) {
		s.spare = make([]stretch, len(v))
	}
	from, into := v, s.spare[:len(v)]
	for len(ends) > 1 {
		lo, kept := 0, ends[:0]
		for r := 0; r < len(ends); r += 2 {
			mid, hi := ends[r], ends[min(r+1, len(ends)-1)]
			if s.merge(into[lo:hi], from[lo:mid], from[mid:hi]); s.over != nil {
				return false
			}
			kept = append(kept, hi)
			lo = hi
		}
		ends = kept
		from, into = into, from
	}
	if &from[0] != &v[0] {
		copy(v, from)
	}
	return true
}

// runs turns descending runs around, makes runs of what is short, and returns where each ends. It stops when the context ends.
func (s *sweeper) runs(v []stretch) (ends []int) {
	for lo := 0; lo < len(v) && !s.pollAfter(insertionRows); {
		hi := lo + 1
		for hi < len(v) && v[hi-1].before(&v[hi]) {
			hi++
		}
		if hi == lo+1 {
			for hi < len(v) && v[hi].before(&v[hi-1]) {
				hi++
			}
			slices.Reverse(v[lo:hi])
		}
		if short := min(lo+insertionRows, len(v)); hi < short {
			hi = short
			s.sort(v[lo:hi])
		}
		ends = append(ends, hi)
		lo = hi
	}
	return ends
}

func (s *sweeper) merge(into, a, b []stretch) {
	for i := range into {
		if i&0x3ff == 0 && s.pollAfter(1024) {
			return
		}
		if len(b) == 0 || len(a) > 0 && a[0].before(&b[0]) {
			into[i], a = a[0], a[1:]
		} else {
			into[i], b = b[0], b[1:]
		}
	}
}
