package join

import (
	"context"
	"math"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/keyset"
)

// word is a position on the line, halved, so that entries have no holes.
type word [2]uint32

func split(w uint64) word    { return word{uint32(w), uint32(w >> 32)} }
func (w word) whole() uint64 { return uint64(w[1])<<32 | uint64(w[0]) }

// extent is what goes with a version to its partition: the first and the last word that it holds. One that holds nothing has them the
// wrong way around.
type extent struct{ from, last word }

var idle = extent{from: split(math.MaxUint64)}

// sink takes what was found out about facts, a few at a time.
type sink interface {
	// take is called with the number of a worker, the rows of facts, and what holds each of them.
	take(worker int, rows []uint32, found []holders)
	// room is where answers for n facts from a row on may be put, nil for no such place.
	room(row uint32, n int) []uint32
	// takeAnswers is take for what was found in a board. held says that one version holds each fact. Answers for rows that aren't listed one by one are in
	// room, if there is such a place.
	takeAnswers(worker int, rows *rowList, answers []uint32, held bool)
	// refuse is called for a fact that can be held by nothing: for NULL in its key, or as its time.
	refuse(worker int, row uint32, why Status)
}

// holders says how many versions hold a fact, and which, if it is one. If it is none, row is the Status that says why.
type holders struct{ n, row uint32 }

// rangeWorker is one worker's part of a call.
//
//	versions ─► deal ─► partitions ─► index: steps of each key
//	facts    ─► deal ─► partitions ─► probe: key, then step ─► sink
type rangeWorker[K keyset.Words] struct {
	*ranging
	keyset.Watch
	id           int
	sink         sink
	versionParts *keyset.Parts[K, extent]
	factParts    *keyset.Parts[K, word]
	indexer[K]

	// Room for a block of either side, and of facts.
	block   *keyset.Block[K]
	words   [2][]uint64
	nulls   [2][]uint8
	extents []extent
	at      []word
	probing[K]
	looking  *looking[K]
	keptKeys []K
}

func newRangeWorker[K keyset.Words](ctx context.Context, r *ranging, id, bits int, to sink) *rangeWorker[K] {
	const n = keyset.BlockRows
	w := &rangeWorker[K]{ranging: r, Watch: keyset.NewWatch(ctx), id: id, sink: to,
		versionParts: keyset.NewParts[K, extent](bits), factParts: keyset.NewParts[K, word](bits), block: keyset.NewBlock[K](r.keys),
		extents: make([]extent, n), at: make([]word, n),
		probing: newProbing[K](), looking: newLooking[K](), keptKeys: make([]K, n)}
	for i := range w.words {
		w.words[i], w.nulls[i] = make([]uint64, n), make([]uint8, n)
	}
	w.indexer = indexer[K]{watch: &w.Watch, base: r.first, endless: r.given.ValidTo == ""}
	for i := range w.nulls[1] {
		w.nulls[1][i] = 1 // no end, where there is no column of ends to read
	}
	return w
}

// answer finds what holds each fact, and hands it to the sink. It returns what there is to say of the versions.
func (r *ranging) answer(ctx context.Context, to func(workers int) sink) (VersionReport, error) {
	if r.keys.OneWord() {
		return answerKeys[[1]uint64](ctx, r, to)
	}
	return answerKeys[[2]uint64](ctx, r, to)
}

func answerKeys[K keyset.Words](ctx context.Context, r *ranging, to func(workers int) sink) (report VersionReport, err error) {
	bits := partBits(r.versions.Rows)
	versions, facts := r.spans()
	var workers []*rangeWorker[K]
	count := min(r.res.WorkerCount(), max(len(versions)+len(facts), 1<<bits))
	out := to(count)
	for i := range count {
		workers = append(workers, newRangeWorker[K](ctx, r, i, bits, out))
	}
	defer func() {
		for _, w := range workers {
			w.versionParts.Release()
			w.factParts.Release()
		}
	}()
	r.progress.Start(onerow.StageEncode, 2*r.versions.Rows)
	err = keyset.Run(ctx, len(workers), len(versions), func(w, task int) error {
		r.progress.Add(int64(versions[task].N) + workers[w].dealVersions(versions[task]))
		return nil
	})
	if err != nil {
		return report, err
	}
	index := make([]*part[K], 1<<bits)
	err = keyset.Run(ctx, len(workers), len(index), func(w, part int) error {
		p, n := workers[w].index(r.keys, workers, part)
		index[part] = p
		r.progress.Add(n)
		return workers[w].Err()
	})
	if err != nil {
		return report, err
	}
	if r.versions.Rows < odd-crowd && suitsBoard(index, r.facts.Rows) {
		err = probeBoard(ctx, r, workers, index, facts)
	} else {
		err = probeParts(ctx, r, workers, index, facts)
	}
	if err != nil {
		return report, err
	}
	return collectVersions(r, workers), nil
}

// probeBoard looks facts up as they are read.
func probeBoard[K keyset.Words](ctx context.Context, r *ranging, workers []*rangeWorker[K], index []*part[K], facts []keyset.Span) error {
	r.progress.Start(onerow.StageGroup, r.facts.Rows)
	b, err := newBoard(ctx, r.keys, len(workers), index)
	if err != nil {
		return err
	}
	return keyset.Run(ctx, len(workers), len(facts), func(w, task int) error {
		workers[w].lookSpan(b, facts[task])
		r.progress.Add(int64(facts[task].N))
		return nil
	})
}

// probeParts deals facts out, and looks those of a partition up in its index.
func probeParts[K keyset.Words](ctx context.Context, r *ranging, workers []*rangeWorker[K], index []*part[K], facts []keyset.Span) error {
	r.progress.Start(onerow.StageGroup, 2*r.facts.Rows)
	err := keyset.Run(ctx, len(workers), len(facts), func(w, task int) error {
		r.progress.Add(int64(facts[task].N) + workers[w].dealFacts(facts[task]))
		return nil
	})
	if err != nil {
		return err
	}
	return keyset.Run(ctx, len(workers), len(index)*len(workers), func(w, task int) error {
		part, from := task/len(workers), workers[task%len(workers)].factParts
		from.Chunks(part, func(es []keyset.Entry[K, word]) { workers[w].probe(index[part], es) })
		r.progress.Add(int64(from.Rows(part)))
		return workers[w].Err()
	})
}

// fewVersions is the number of versions up to which one worker makes the index of all of them.
const fewVersions = 1 << 14

// partBits makes partitions so small that the index of one stays in the cache beside the facts that are looked up in it.
func partBits(versions int64) int {
	if versions <= fewVersions {
		return 0
	}
	return keyset.PartBits(16 * versions)
}

// spans are the tasks of both sides.
func (r *ranging) spans() (versions, facts []keyset.Span) {
	for _, s := range keyset.Spans(r.rows.Lens(), r.rows.Start) {
		if s.Chunk < len(r.facts.Batches) {
			facts = append(facts, s)
		} else {
			versions = append(versions, s)
		}
	}
	return versions, facts
}

// dealVersions reads a span of versions and deals them out to the partitions. It returns the number of those that it left out.
func (w *rangeWorker[K]) dealVersions(s keyset.Span) (nulls int64) {
	chunk := s.Chunk - len(w.facts.Batches)
	s.Blocks(func(lo, n int, row uint32) {
		keyset.Read(w.keys, s.Chunk, lo, n, w.block)
		w.readExtents(chunk, lo, n)
		var skip []uint8
		if w.block.AnyNull {
			skip = w.block.Null
			nulls += int64(w.block.NullRows)
		}
		w.versionParts.AddBlock(w.block.Keys, w.extents[:n], skip, row)
	})
	w.said.NullKeys += nulls
	return nulls
}

// dealFacts reads a span of facts and deals them out to the partitions. It returns the number of those that it refused.
func (w *rangeWorker[K]) dealFacts(s keyset.Span) (refused int64) {
	w.readFacts(s, func(n int, skip []uint8, row uint32) {
		for i, t := range w.words[0][:n] {
			w.at[i] = split(t)
		}
		for _, z := range skip {
			refused += int64(z)
		}
		w.factParts.AddBlock(w.block.Keys[:n], w.at[:n], skip, row)
	})
	return refused
}

// readExtents reads the times of a block of versions.
func (w *rangeWorker[K]) readExtents(chunk, lo, n int) {
	from, to, noFrom, noTo := w.words[0][:n], w.words[1][:n], w.nulls[0][:n], w.nulls[1][:n]
	w.line.Read(lineFrom, chunk, lo, n, from, noFrom)
	if !w.endless {
		w.line.Read(lineTo, chunk, lo, n, to, noTo)
	}
	// The last word of a half-open version is the one before its end. An open one has no end, so its last word is the greatest.
	before := uint64(1)
	if w.given.Bounds == Closed {
		before = 0
	}
	for i, start := range from {
		e, end := &w.extents[i], to[i]
		switch {
		case noFrom[i] != 0:
			*e = idle
			w.said.Idle++
		case noTo[i] != 0 || w.hasOpen && end == w.open:
			*e = extent{split(start), split(math.MaxUint64)}
		case end > start || end == start && before == 0:
			*e = extent{split(start), split(end - before)}
		default:
			*e = idle
			w.said.Idle++
		}
	}
}

// readFacts calls f for each block of a span of facts: the keys are in the block, the times in w.words[0], and skip is 1 for those that have been
// refused.
func (w *rangeWorker[K]) readFacts(s keyset.Span, f func(n int, skip []uint8, row uint32)) {
	s.Blocks(func(lo, n int, row uint32) {
		keyset.Read(w.keys, s.Chunk, lo, n, w.block)
		noTime := w.nulls[0][:n]
		null := w.line.Read(lineAt, s.Chunk, lo, n, w.words[0][:n], noTime)
		if !null && !w.block.AnyNull {
			f(n, nil, row)
			return
		}
		for i, noKey := range w.block.Null[:n] {
			switch {
			case noKey != 0:
				w.sink.refuse(w.id, row+uint32(i), NullKey)
				noTime[i] = 1
			case noTime[i] != 0:
				w.sink.refuse(w.id, row+uint32(i), NullTime)
			}
		}
		f(n, noTime, row)
	})
}

// lookSpan finds what holds the facts of a span in a board.
func (w *rangeWorker[K]) lookSpan(b *board[K], s keyset.Span) {
	w.readFacts(s, func(n int, skip []uint8, row uint32) {
		l := w.looking
		q := &l.asked
		*q = asked[K]{keys: w.block.Keys[:n], times: w.words[0][:n], rowList: rowList{first: row}}
		answers := w.sink.room(row, n)
		if skip != nil {
			q.keys, q.times, q.rows = w.kept(skip, row)
		}
		if skip != nil || answers == nil {
			answers = l.answers[:len(q.keys)]
		}
		held := b.look(l, answers)
		w.sink.takeAnswers(w.id, &q.rowList, answers, held)
	})
}

// kept brings the facts of a block together that haven't been refused.
func (w *rangeWorker[K]) kept(skip []uint8, row uint32) (keys []K, times []uint64, rows []uint32) {
	n := 0
	for i, z := range skip {
		w.keptKeys[n], w.times[n], w.probing.rows[n] = w.block.Keys[i], w.words[0][i], row+uint32(i)
		n += 1 - int(z&1)
	}
	return w.keptKeys[:n], w.times[:n], w.probing.rows[:n]
}
