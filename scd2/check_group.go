package scd2

import (
	"math"
	"math/bits"
	"slices"
	"sort"

	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/keyset"
)

// The entries of a partition are followed in order of their rows. Most histories are written in order of time, so that each version begins
// after the one of its key that came last: such a key is sound once its last entry was followed, and nothing of it is kept or moved. Of the
// other keys, the entries are found again by their links, and swept.

// trail is what is known of a key: the last word of the version that came last, and the number of its entry. The greatest bit of at is set as
// long as the key is sound, and in order.
type trail struct{ reach, at uint64 }

const (
	inOrder = 1 << 63
	noEntry = math.MaxUint32 // ends the links of a key
)

// grouper is room for one partition.
type grouper[K keyset.Words] struct {
	trails   *keyset.Table[K, trail]
	exact    bool
	chunks   [][]extentEntry[K] // of all workers. Entry i of chunk c has number c*ChunkRows + i
	links    []uint32           // of entries: where the search for its key begins, and when it was followed, the number of the one before it of its key
	streams  []stream[K]
	versions []stretch
}

// stream is what is left of the entries of a partition that come from one worker. They are in order of rows.
type stream[K keyset.Words] struct {
	entries    []extentEntry[K] // of a chunk
	links      []uint32         // theirs
	ready      int              // entries whose links say where the search begins
	at         uint64           // the number of the first
	first, end int              // chunks of the stream
	next       int              // the chunk after this one
}

func newGrouper[K keyset.Words](keys *keyset.Keys, workers int) grouper[K] {
	return grouper[K]{trails: keyset.NewTable[K, trail](keys), exact: keys.Exact(), streams: make([]stream[K], workers)}
}

// group follows the entries of a partition, sweeps the versions of keys that aren't sound, and returns the number of its rows.
func (w *checkWorker[K]) group(workers []*checkWorker[K], part int) (rows int64, err error) {
	w.chunks = w.chunks[:0]
	for i, from := range workers {
		w.streams[i].first = len(w.chunks)
		from.parts.Whole(part, func(chunk []extentEntry[K]) {
			w.chunks = append(w.chunks, chunk)
			rows += int64(len(chunk))
		})
		w.streams[i].end = len(w.chunks)
	}
	if n := len(w.chunks) * keyset.ChunkRows; cap(w.links) < n {
		w.links = make([]uint32, n+n/8)
	}
	w.trails.Fill(w.follow)
	w.sum.Keys += int64(w.trails.Len())
	slots := w.trails.Slots()
	for i := range slots {
		if s := &slots[i]; s.Row1 != 0 && s.Payload.at&inOrder == 0 && w.over == nil {
			w.sweep(w.back(workers, uint32(s.Payload.at)))
		}
	}
	return rows, w.over
}

// follow goes through all streams together, in order of rows.
func (w *checkWorker[K]) follow() {
	for i := range w.streams {
		s := &w.streams[i]
		if s.next = s.first; s.next < s.end {
			first := w.chunks[s.next]
			keyset.Fetch(first[:min(aheadRows, len(first))])
		}
		w.open(s)
	}
	for !w.pollAfter(len(w.streams)) {
		s, until := w.earliest()
		if s == nil {
			return
		}
		w.run(s, until)
		if len(s.entries) == 0 {
			w.open(s)
		}
	}
}

// earliest returns the stream of the next row, and the row from which on another one is earlier.
func (w *checkWorker[K]) earliest() (s *stream[K], until uint32) {
	row := uint32(math.MaxUint32)
	until = row
	for i := range w.streams {
		o := &w.streams[i]
		if len(o.entries) == 0 {
			continue
		}
		if r := o.entries[0].Row(); s == nil || r < row {
			s, row, until = o, r, row
		} else {
			until = min(until, r)
		}
	}
	return s, until
}

// aheadRows is the number of entries by which entries are fetched before they are made ready.
const aheadRows = 64

// open goes on to the next chunk of a stream, if there is one, and fetches what comes first in the one after it.
func (w *checkWorker[K]) open(s *stream[K]) {
	if s.entries, s.links, s.ready = nil, nil, 0; s.next == s.end {
		return
	}
	s.entries, s.at = w.chunks[s.next], uint64(s.next)*keyset.ChunkRows
	s.links = w.links[s.at : s.at+uint64(len(s.entries))]
	if s.next++; s.next < s.end {
		next := w.chunks[s.next]
		keyset.Fetch(next[:min(aheadRows, len(next))])
	}
}

// readyRows is the number of entries that are made ready together. While they are followed, the processor has time to fetch those after them.
const readyRows = 32

func (s *stream[K]) skip(n int) {
	s.entries, s.links, s.at, s.ready = s.entries[n:], s.links[n:], s.at+uint64(n), s.ready-n
}

// run leads keys on to the entries of a stream's chunk that lie before a row.
func (w *checkWorker[K]) run(s *stream[K], until uint32) {
	far := uint64(math.MaxUint64)
	if w.opts.Gaps == ReportGaps {
		far = w.step
	}
	for len(s.entries) > 0 && !w.pollAfter(readyRows) {
		if s.ready == 0 {
			s.ready = min(readyRows, len(s.entries))
			keyset.Fetch(s.entries[min(aheadRows, len(s.entries)):min(aheadRows+readyRows, len(s.entries))])
			keyset.StartsIn(w.trails, s.entries[:s.ready], s.links[:s.ready])
		}
		n := s.ready
		if s.entries[n-1].Row() >= until {
			n = sort.Search(n, func(i int) bool { return s.entries[i].Row() >= until })
		}
		for rest := s.ready - n; s.ready > rest; {
			m := s.ready - rest
			k := lead(w.trails.Slots(), s.entries[:m], s.links[:m], s.at, far, w.exact)
			if s.skip(k); k < m {
				w.miss(s, far)
			}
		}
		if s.ready > 0 {
			return
		}
	}
}

// lead is the hot loop of grouping: it leads keys on to their entries, of which the first has number at. It returns how many it got through before
// one whose key isn't in the table yet, or isn't decided by its words.
func lead[K keyset.Words](slots []keyset.Entry[K, trail], entries []extentEntry[K], links []uint32, at, far uint64, exact bool) int {
	links = links[:len(entries)]
	mask := uint32(len(slots) - 1)
	for i := range entries {
		e := &entries[i]
		j := links[i] & mask
		k := &slots[j]
		for k.Key != e.Key {
			if k.Row1 == 0 {
				return i
			}
			j = (j + 1) & mask
			k = &slots[j]
		}
		if k.Row1 == 0 || len(e.Key) > 1 && !exact && e.Key[len(e.Key)-1]>>56 == form.LongText {
			return i
		}
		links[i] = k.Payload.lead(e.Payload, at+uint64(i), far)
	}
	return len(entries)
}

// lead leads a key on to entry at, and returns the number of the one before it. The key is sound still if the version starts after the one
// before it, and by far at most; that of an odd version is after none. Where rows have no order, it can't be foretold: no branch.
func (t *trail) lead(e extent, at, far uint64) (before uint32) {
	_, after := bits.Sub64(t.reach, e.from, 0)
	still := t.at & (after << 63)
	if far != math.MaxUint64 && e.from-t.reach > far {
		still = 0
	}
	before = uint32(t.at)
	t.reach, t.at = e.last, still|at
	return before
}

// miss leads the key of the next entry of a stream on to it, wherever in the table it is, or puts it there.
func (w *checkWorker[K]) miss(s *stream[K], far uint64) {
	t, e, link, at := w.trails, &s.entries[0], &s.links[0], s.at
	s.skip(1)
	first := trail{e.Payload.last, at | inOrder}
	if e.Payload.isOdd() {
		first.at = at
	}
	size := len(t.Slots())
	k, fresh := t.At(&keyset.Entry[K, trail]{Key: e.Key, Payload: first, Row1: e.Row1}, *link)
	if *link = noEntry; !fresh {
		*link = k.Payload.lead(e.Payload, at, far)
	}
	if len(t.Slots()) != size {
		for i := range w.streams {
			s := &w.streams[i]
			keyset.StartsIn(t, s.entries[:s.ready], s.links[:s.ready])
		}
	}
}

// back finds the versions of a key again, of which entry at is the last, in order of their rows.
func (w *checkWorker[K]) back(workers []*checkWorker[K], at uint32) []stretch {
	v := w.versions[:0]
	for ; at != noEntry && !w.pollAfter(1); at = w.links[at] {
		e := &w.chunks[at/keyset.ChunkRows][at%keyset.ChunkRows]
		if e.Payload.isOdd() {
			v = append(v, workers[e.Payload.last>>32].odd[uint32(e.Payload.last)])
		} else {
			v = append(v, stretchOf(e.Payload, e.Row()))
		}
	}
	w.versions = v
	slices.Reverse(v)
	return v
}

// stretchOf is a version that isn't odd.
func stretchOf(e extent, row uint32) stretch {
	v := stretch{from: e.from, last: e.last, row: row}
	if e.last == math.MaxUint64 {
		v.tag = isOpen
	}
	return v
}
