package scd2

import (
	"context"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/frame"
	"github.com/onerow-go/onerow/internal/keyset"
)

// checker is a call of [Check] with its columns found and its options checked.
//
//	rows ─► deal: faults of single rows; an extent a row ─► partitions ─► group: versions by key ─► sweep: faults between versions
type checker struct {
	*timeline
	opts     CheckOptions
	limit    int // findings that are listed
	key      []*form.Column
	keys     *keyset.Keys
	progress *frame.Progress
}

// extent is what goes with a row to its partition: its start, the last word that it is valid at, and its tag. Words are halved, so that entries
// have no holes.
type extent struct {
	from, last word
	tag        uint32
}

type word [2]uint32

func split(w uint64) word    { return word{uint32(w), uint32(w >> 32)} }
func (w word) whole() uint64 { return uint64(w[1])<<32 | uint64(w[0]) }

// Tags of a version.
const (
	isOpen   = 1 << iota
	isIdle   // has no time: it overlaps nothing and bounds no gap
	isEmpty  // idle, but it has a start
	isFaulty // has a finding of its own
)

type extentEntry[K keyset.Words] = keyset.Entry[K, extent]

// checkWorker is one worker's part of a check.
type checkWorker[K keyset.Words] struct {
	sweeper
	parts *keyset.Parts[K, extent]
	block *keyset.Block[K]
	ends  *ends
	pays  []extent

	// Room for one partition.
	numbers  *keyset.Table[K, uint32]
	entries  []keyset.Entry[K, uint32]
	ids      []uint32 // of the rows' keys
	starts   []uint32 // of the keys in versions
	versions []stretch
}

func checkKeys[K keyset.Words](ctx context.Context, c *checker) (*CheckReport, error) {
	rows := c.frame.Rows
	bits := keyset.PartBits(rows)
	spans := keyset.Spans(c.rows.Lens(), c.rows.Start)
	var workers []*checkWorker[K]
	for range min(c.opts.Resources.WorkerCount(), max(len(spans), 1<<bits)) {
		workers = append(workers, newCheckWorker[K](ctx, c, bits))
	}
	defer func() {
		for _, w := range workers {
			w.parts.Release()
		}
	}()
	c.progress.Start(onerow.StageEncode, rows)
	err := keyset.Run(ctx, len(workers), len(spans), func(w, task int) error {
		workers[w].deal(spans[task])
		c.progress.Add(int64(spans[task].N))
		return nil
	})
	if err != nil {
		return nil, err
	}
	keyed := rows
	for _, w := range workers {
		keyed -= w.sum.NullKeys
	}
	c.progress.Start(onerow.StageGroup, keyed)
	err = keyset.Run(ctx, len(workers), 1<<bits, func(w, part int) error {
		n, err := workers[w].group(workers, part)
		c.progress.Add(n)
		return err
	})
	if err != nil {
		return nil, err
	}
	return collectCheck(ctx, workers)
}

func newCheckWorker[K keyset.Words](ctx context.Context, c *checker, bits int) *checkWorker[K] {
	w := &checkWorker[K]{sweeper: sweeper{checker: c, poll: poll{ctx: ctx}}, parts: keyset.NewParts[K, extent](bits), block: keyset.NewBlock[K](c.keys),
		ends: c.newEnds(), pays: make([]extent, keyset.BlockRows), numbers: keyset.NewTable[K, uint32](c.keys)}
	w.found = findings{limit: c.limit, poll: &w.poll}
	return w
}

// deal reads a span, finds the faults of single rows, and deals the rows out to the partitions.
func (w *checkWorker[K]) deal(s keyset.Span) {
	s.Blocks(func(lo, n int, row uint32) {
		keyset.Read(w.keys, s.Chunk, lo, n, w.block)
		w.read(s.Chunk, lo, n, w.ends)
		w.extents(n, row)
		w.flags(n, row)
		var skip []uint8
		if w.block.AnyNull {
			skip = w.block.Null
			w.nullKeys(skip, row)
		}
		w.parts.AddBlock(w.block.Keys, w.block.Hash, w.pays[:n], skip, row)
	})
}

// extents is the hot loop of dealing.
func (w *checkWorker[K]) extents(n int, row uint32) {
	from, to, noFrom, noTo, pays := w.ends.from[:n], w.ends.to[:n], w.ends.noFrom[:n], w.ends.noTo[:n], w.pays[:n]
	// The last word of a half-open version is the one before its end. An open one has no end, so its last word is the greatest.
	before := uint64(1)
	if w.table.Bounds == Closed {
		before = 0
	}
	for i, start := range from {
		last, tag := to[i], uint32(0)
		switch {
		case noFrom[i] != 0:
			start, last, tag = 0, 0, isIdle|isFaulty
			if noTo[i] != 0 {
				tag |= isOpen
			}
			w.fault(NullStart, row+uint32(i))
		case noTo[i] != 0:
			tag = isOpen
		case last > start || last == start && before == 0:
			last -= before
		default:
			last, tag = start, w.timeless(start, last, row+uint32(i))
		}
		pays[i] = extent{split(start), split(last), tag}
	}
}

// timeless reports a version that ends where it starts, or before.
func (w *checkWorker[K]) timeless(start, end uint64, row uint32) (tag uint32) {
	if end < start {
		w.fault(Inverted, row)
		return isIdle | isFaulty
	}
	if w.opts.ZeroLength == AllowZeroLength {
		return isIdle | isEmpty
	}
	w.fault(ZeroLength, row)
	return isIdle | isEmpty | isFaulty
}

// flags compares the current flag with the end.
func (w *checkWorker[K]) flags(n int, row uint32) {
	if w.current == nil {
		return
	}
	flag := w.ends.current
	for i, z := range flag.Null[:n] {
		current := w.ends.noTo[i] != 0 && !w.ends.isDeleted(i)
		if z != 0 || flag.K0[i] != 0 != current {
			w.fault(CurrentMismatch, row+uint32(i))
			w.pays[i].tag |= isFaulty
		}
	}
}

func (w *checkWorker[K]) nullKeys(null []uint8, row uint32) {
	for i, z := range null {
		if z != 0 {
			w.fault(NullKey, row+uint32(i))
			w.sum.BrokenKeys++
		}
	}
}

// fault counts and lists a fault of a single row.
func (w *checkWorker[K]) fault(k Kind, row uint32) {
	*w.sum.count(k)++
	w.found.add(finding{first: row, second: row, kind: k})
}

// count returns where faults of a kind are counted, all but overlaps.
func (r *CheckReport) count(k Kind) *int64 {
	switch k {
	case Gap:
		return &r.Gaps
	case Inverted:
		return &r.Inverted
	case ZeroLength:
		return &r.ZeroLength
	case TwoOpen:
		return &r.TwoOpen
	case DuplicateStart:
		return &r.DuplicateStarts
	case NullStart:
		return &r.NullStarts
	case NullKey:
		return &r.NullKeys
	default:
		return &r.CurrentMismatches
	}
}

// group brings the versions of each key of a partition together, and returns the number of its rows.
func (w *checkWorker[K]) group(workers []*checkWorker[K], part int) (rows int64, err error) {
	n := 0
	for _, from := range workers {
		n += from.parts.Rows(part)
	}
	w.numbers.Reset()
	w.ids, w.starts = w.ids[:0], append(w.starts[:0], 0)
	for _, from := range workers {
		from.parts.Chunks(part, w.number)
	}
	w.sum.Keys += int64(w.numbers.Len())
	w.scatter(workers, part, n)
	lo := uint32(0)
	for _, hi := range w.starts[:w.numbers.Len()] {
		if w.over != nil {
			break
		}
		w.sweep(w.versions[lo:hi])
		lo = hi
	}
	return int64(n), w.over
}

// number gives each key of the partition an id, and counts its rows.
func (w *checkWorker[K]) number(chunk []extentEntry[K]) {
	if w.pollAfter(len(chunk)) {
		return
	}
	if cap(w.entries) < len(chunk) {
		w.entries = make([]keyset.Entry[K, uint32], len(chunk))
	}
	es := w.entries[:len(chunk)]
	for i := range es {
		es[i].Key, es[i].Row1 = chunk[i].Key, chunk[i].Row1
	}
	t := w.numbers
	start := t.Starts(es)
	for i := range es {
		e := &es[i]
		s := t.Hit(e, start[i])
		if s == nil {
			var fresh bool
			e.Payload = uint32(t.Len())
			if s, fresh = t.At(e, start[i]); fresh {
				w.starts = append(w.starts, 0)
			}
		}
		w.ids = append(w.ids, s.Payload)
		w.starts[s.Payload+1]++
	}
}

// scatter puts the versions of a key side by side. Afterwards starts has the end of each key.
func (w *checkWorker[K]) scatter(workers []*checkWorker[K], part, n int) {
	if w.over != nil {
		return
	}
	if cap(w.versions) < n {
		w.versions = make([]stretch, n+n/8)
	}
	sum := uint32(0)
	for i, c := range w.starts {
		sum += c
		w.starts[i] = sum
	}
	ids, starts, versions := w.ids, w.starts, w.versions[:n]
	for _, from := range workers {
		from.parts.Chunks(part, func(chunk []extentEntry[K]) {
			if w.pollAfter(len(chunk)) {
				return
			}
			for i := range chunk {
				e := &chunk[i]
				at := &starts[ids[i]]
				versions[*at] = stretch{from: e.Payload.from.whole(), last: e.Payload.last.whole(), row: e.Row(), tag: e.Payload.tag}
				*at++
			}
			ids = ids[len(chunk):]
		})
	}
}

// collectCheck adds the workers' parts up.
func collectCheck[K keyset.Words](ctx context.Context, workers []*checkWorker[K]) (*CheckReport, error) {
	c := workers[0].checker
	r := &CheckReport{Key: append([]string(nil), c.table.Key...), Rows: c.frame.Rows}
	all := findings{limit: c.limit, poll: &poll{ctx: ctx}}
	for _, w := range workers {
		r.Keys += w.sum.Keys
		r.Overlaps += w.sum.Overlaps
		r.BrokenKeys += w.sum.BrokenKeys
		for k := Gap; k <= CurrentMismatch; k++ {
			*r.count(k) += *w.sum.count(k)
		}
		for _, f := range w.found.list {
			all.add(f)
		}
	}
	var err error
	if r.Findings, err = c.list(all.first(), all.poll); err != nil {
		return nil, err
	}
	return r, nil
}
