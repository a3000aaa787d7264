package join

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/keyset"
)

// part is the index of the versions of one partition. It is only read once it is made, by several workers at a time.
type part[K keyset.Words] struct {
	table  *keyset.Table[K, uint32] // the number of each key
	bounds []uint32                 // the steps of key i are from bounds[i] to bounds[i+1]; each has one at least
	steps
}

// steps say what holds the words from one on, up to the next step: how many versions, and which, if it is one.
//
// The steps of a key are the line cut at every start and every end. A fact needs one search in them, however its versions lie, so that
// overlaps cost it nothing.
type steps struct {
	from  []uint64
	holds []holders
}

func (s *steps) add(from uint64, h holders) {
	s.from, s.holds = append(s.from, from), append(s.holds, h)
}

// gap adds a step from which on nothing holds anything.
func (s *steps) gap(from uint64) { s.add(from, holders{0, uint32(Gap)}) }

// stretch is a version as its key's steps are made of it: it holds the words from..last, both included.
type stretch struct {
	from, last uint64
	row        uint32
}

func (s *stretch) isIdle() bool { return s.from > s.last }

// indexer makes parts.
type indexer[K keyset.Words] struct {
	watch   *keyset.Watch
	base    uint32 // the row that is version 0
	endless bool   // versions have no end of their own
	said    VersionReport
	samples []sample

	// Room for one partition.
	entries []keyset.Entry[K, uint32]
	ids     []uint32
	starts  []uint32
	list    []stretch
	byLast  []stretch
	rows    onerow.Rows // of a sample
}

// index brings the versions of each key of a partition together, and makes steps of them. It returns the number of versions too.
func (x *indexer[K]) index(keys *keyset.Keys, workers []*rangeWorker[K], number int) (*part[K], int64) {
	p := &part[K]{table: keyset.NewTable[K, uint32](keys)}
	n := 0
	for _, w := range workers {
		n += w.versionParts.Rows(number)
	}
	p.table.Fill(func() {
		x.ids, x.starts = x.ids[:0], append(x.starts[:0], 0)
		for _, w := range workers {
			w.versionParts.Chunks(number, func(es []keyset.Entry[K, extent]) { x.number(p, es) })
		}
	})
	x.scatter(workers, number, n)
	p.bounds = make([]uint32, 1, p.table.Len()+1)
	p.steps = steps{make([]uint64, 0, n+n/8), make([]holders, 0, n+n/8)}
	lo := uint32(0)
	for _, hi := range x.starts[:p.table.Len()] {
		if x.watch.OverAfter(int(hi - lo)) {
			break
		}
		x.step(p, x.list[lo:hi])
		p.bounds = append(p.bounds, uint32(len(p.from)))
		lo = hi
	}
	x.said.Keys += int64(p.table.Len())
	return p, int64(n)
}

// number gives each key of the partition an id, and counts its rows.
func (x *indexer[K]) number(p *part[K], chunk []keyset.Entry[K, extent]) {
	if x.watch.OverAfter(len(chunk)) {
		return
	}
	es := x.entries[:0]
	for i := range chunk {
		es = append(es, keyset.Entry[K, uint32]{Key: chunk[i].Key, Row1: chunk[i].Row1})
	}
	x.entries = es
	start := p.table.Starts(es)
	for i := range es {
		es[i].Payload = uint32(p.table.Len())
		s, fresh := p.table.At(&es[i], start[i])
		if fresh {
			x.starts = append(x.starts, 0)
		}
		x.ids = append(x.ids, s.Payload)
		x.starts[s.Payload+1]++
	}
}

// scatter puts the versions of a key side by side. Afterwards starts has the end of each key.
func (x *indexer[K]) scatter(workers []*rangeWorker[K], number, n int) {
	if x.watch.Done() {
		return
	}
	x.list = slices.Grow(x.list[:0], n)[:n]
	sum := uint32(0)
	for i, c := range x.starts {
		sum += c
		x.starts[i] = sum
	}
	ids := x.ids
	for _, w := range workers {
		w.versionParts.Chunks(number, func(chunk []keyset.Entry[K, extent]) {
			if x.watch.OverAfter(len(chunk)) {
				return
			}
			for i := range chunk {
				e := &chunk[i]
				at := &x.starts[ids[i]]
				x.list[*at] = stretch{from: e.Payload.from.whole(), last: e.Payload.last.whole(), row: e.Row() - x.base}
				*at++
			}
			ids = ids[len(chunk):]
		})
	}
}

// step appends the steps of one key.
func (x *indexer[K]) step(p *part[K], v []stretch) {
	if v = x.sort(v); x.watch.Done() {
		return
	}
	if x.endless {
		x.untilNext(v)
	}
	mark := len(p.from)
	for i := range v {
		if x.lookedAt(i) {
			return
		}
		s := &v[i]
		if i > 0 {
			if last := v[i-1].last; last >= s.from {
				p.from, p.holds = p.from[:mark], p.holds[:mark]
				x.overlapping(p, v)
				return
			} else if last+1 < s.from {
				p.gap(last + 1)
			}
		}
		p.add(s.from, holders{1, s.row})
	}
	if n := len(v); n == 0 {
		p.gap(0)
	} else if v[n-1].last < math.MaxUint64 {
		p.gap(v[n-1].last + 1)
	}
}

// lookedAt looks at the context every so many versions of a key, which may have all there are. It says whether it is over.
func (x *indexer[K]) lookedAt(i int) bool {
	const every = 1 << 16
	return i%every == every-1 && x.watch.OverAfter(every)
}

// untilNext ends versions where the next one starts.
func (x *indexer[K]) untilNext(v []stretch) {
	last := uint64(math.MaxUint64)
	for i := len(v) - 1; i >= 0 && !x.lookedAt(i); i-- {
		if i < len(v)-1 && v[i].from < v[i+1].from {
			last = v[i+1].from - 1
		}
		v[i].last = last
	}
}

// overlapping appends the steps of a key with versions that share time, given by their starts. Ends and starts are walked along the line together. Which version
// is left when but one is, comes of adding each that starts, and those that end, to one word by exclusive or.
func (x *indexer[K]) overlapping(p *part[K], v []stretch) {
	x.byLast = append(x.byLast[:0], v...)
	ends := x.byLast
	x.sortByLast(ends)
	var now holders
	for started, ended := 0, 0; ended < len(ends) && !x.watch.Over(); {
		at := ends[ended].last + 1
		if started < len(v) && v[started].from <= ends[ended].last {
			at = v[started].from
		} else if at == 0 {
			break // what is left never ends
		}
		for ; ended < len(ends) && ends[ended].last < at; ended++ {
			now.n--
			now.row ^= ends[ended].row
		}
		for ; started < len(v) && v[started].from == at; started++ {
			x.said.Overlaps += uint64(now.n)
			now.n++
			now.row ^= v[started].row
		}
		if now.n == 0 {
			p.gap(at)
		} else {
			p.add(at, now)
		}
	}
	x.sample(v)
}

// sort leaves out versions that hold nothing, and brings the others into order of their starts.
func (x *indexer[K]) sort(v []stretch) []stretch {
	kept, sorted := 0, true
	for i := range v {
		if x.lookedAt(i) {
			return nil
		}
		if v[i].isIdle() {
			continue
		}
		if kept < i {
			v[kept] = v[i]
		}
		sorted = sorted && (kept == 0 || v[kept-1].from <= v[kept].from)
		kept++
	}
	if v = v[:kept]; !sorted {
		x.sortByStart(v)
	}
	return v
}

// rankRows is the number of versions up to which they are sorted by ranks.
const rankRows = 24

// sortByStart brings versions into order of their starts; those with one start stay as they lie. Few are each put behind those that come before it, which are counted without
// a branch: a guess would be wrong half of the time.
func (x *indexer[K]) sortByStart(v []stretch) {
	if len(v) <= rankRows {
		var ranks [rankRows]uint32
		var sorted [rankRows]stretch
		for i := range v {
			from, rank := v[i].from, uint32(i)
			for j := range v[:i] {
				_, before := bits.Sub64(from, v[j].from, 0) // 1 if i is
				ranks[j] += uint32(before)
				rank -= uint32(before)
			}
			ranks[i] = rank
		}
		for i := range v {
			sorted[ranks[i]%rankRows] = v[i]
		}
		copy(v, sorted[:])
		return
	}
	slices.SortFunc(v, func(a, b stretch) int {
		if x.watch.Over() {
			return 0
		}
		return cmp.Compare(a.from, b.from)
	})
}

func (x *indexer[K]) sortByLast(v []stretch) {
	slices.SortFunc(v, func(a, b stretch) int {
		if x.watch.Over() {
			return 0
		}
		return cmp.Compare(a.last, b.last)
	})
}

// sample is a key with versions that share time.
type sample struct {
	rows  onerow.Rows // the first of them, ascending
	count int64       // of them
}

// sample keeps the first keys with versions that share time, in order of the first such row.
func (x *indexer[K]) sample(v []stretch) {
	x.said.OverlappingKeys++
	s := sample{rows: x.rows[:0]}
	reach := uint64(0) // of those before
	for i := range v {
		if x.watch.Over() {
			return
		}
		if i > 0 && reach >= v[i].from || i+1 < len(v) && v[i+1].from <= v[i].last {
			s.add(v[i].row)
		}
		reach = max(reach, v[i].last)
	}
	x.rows = s.rows
	at, _ := slices.BinarySearchFunc(x.samples, s, firstRow)
	if at < onerow.MaxSampleKeys {
		s.rows = slices.Clone(s.rows)
		x.samples = slices.Insert(x.samples, at, s)
		x.samples = x.samples[:min(len(x.samples), onerow.MaxSampleKeys)]
	}
}

func firstRow(a, b sample) int { return cmp.Compare(a.rows[0], b.rows[0]) }

// add keeps the lowest rows.
func (s *sample) add(row uint32) {
	s.count++
	at, _ := slices.BinarySearch(s.rows, row)
	if at < onerow.MaxSampleRows {
		s.rows = slices.Insert(s.rows[:min(len(s.rows), onerow.MaxSampleRows-1)], at, row)
	}
}
