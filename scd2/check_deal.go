package scd2

import (
	"context"
	"math"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/frame"
	"github.com/onerow-go/onerow/internal/keyset"
)

// checker is a call of [Check] with its columns found and its options checked.
//
//	rows ─► deal: faults of single rows; an extent a row ─► partitions ─► group: the suspect keys ─► sweep: faults between their versions
type checker struct {
	*timeline
	opts     CheckOptions
	limit    int // findings that are listed
	key      []*form.Column
	keys     *keyset.Keys
	progress *frame.Progress
}

// extent is what goes with a row to its partition: its start, and the last word that it is valid at, which is the greatest for open versions
// alone. A version of which that isn't all that is to be known, or whose start is the least word, is an odd one: it has 0 for a start, and for a
// last word its worker and its number among the odd ones of that. An entry is four words for keys of one, so that none lies across two lines of
// the cache.
type extent struct{ from, last uint64 }

func (e extent) isOdd() bool { return e.from == 0 }

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
	number int
	parts  *keyset.Parts[K, extent]
	block  *keyset.Block[K]
	ends   *ends
	pays   []extent
	odd    []stretch
	grouper[K]
}

func checkKeys[K keyset.Words](ctx context.Context, c *checker) (*CheckReport, error) {
	rows := c.frame.Rows
	bits := keyset.PartBits(rows)
	spans := keyset.Spans(c.rows.Lens(), c.rows.Start)
	var workers []*checkWorker[K]
	n := min(c.opts.Resources.WorkerCount(), max(len(spans), 1<<bits))
	for range n {
		workers = append(workers, newCheckWorker[K](ctx, c, len(workers), n, bits))
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

func newCheckWorker[K keyset.Words](ctx context.Context, c *checker, number, workers, bits int) *checkWorker[K] {
	w := &checkWorker[K]{sweeper: sweeper{checker: c, poll: poll{ctx: ctx}}, number: number, parts: keyset.NewParts[K, extent](bits),
		block: keyset.NewBlock[K](c.keys), ends: c.newEnds(), pays: make([]extent, keyset.BlockRows), grouper: newGrouper[K](c.keys, workers)}
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
		w.parts.AddBlock(w.block.Keys, w.pays[:n], skip, row)
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
		end, open := to[i], noTo[i]
		if noFrom[i] == 0 && start < end && start != 0 && (before != 0 || end != math.MaxUint64 || open != 0) {
			pays[i] = extent{start, end - before&^uint64(open)}
		} else {
			pays[i] = w.extent(w.edge(i, row+uint32(i), before))
		}
	}
}

// edge is a version that isn't one like most. It reports what is wrong with it.
func (w *checkWorker[K]) edge(i int, row uint32, before uint64) stretch {
	start, end, open := w.ends.from[i], w.ends.to[i], w.ends.noTo[i] != 0
	v := stretch{from: start, last: math.MaxUint64, row: row}
	switch {
	case w.ends.noFrom[i] != 0:
		w.fault(NullStart, row)
		v.from, v.last, v.tag = 0, 0, isIdle|isFaulty
		if open {
			v.tag |= isOpen
		}
	case open:
		v.tag = isOpen
	case end > start || end == start && before == 0:
		v.last = end - before
	default:
		v.last, v.tag = start, w.timeless(start, end, row)
	}
	return v
}

// extent brings a version to what goes with its row.
func (w *checkWorker[K]) extent(v stretch) extent {
	if e := (extent{v.from, v.last}); !e.isOdd() && v == stretchOf(e, v.row) {
		return e
	}
	w.odd = append(w.odd, v)
	return extent{0, uint64(w.number)<<32 | uint64(len(w.odd)-1)}
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
			w.markFaulty(i, row+uint32(i))
		}
	}
}

// markFaulty says of a version of the block that it has a finding of its own.
func (w *checkWorker[K]) markFaulty(i int, row uint32) {
	if e := w.pays[i]; e.isOdd() {
		w.odd[uint32(e.last)].tag |= isFaulty
	} else {
		v := stretchOf(e, row)
		v.tag |= isFaulty
		w.pays[i] = w.extent(v)
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
