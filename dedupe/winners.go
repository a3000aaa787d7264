package dedupe

import (
	"cmp"
	"context"
	"slices"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/keyset"
)

// entry is a row with the word of its order, or a key with its greatest row so far.
type entry[K keyset.Words] = keyset.Entry[K, uint32]

// winners finds the greatest row of each key, without bringing the rows of a key together: a key's state is its best row. Rows equal
// in order to the best are kept apart and settled at the end of a partition.
type winners[K keyset.Words] struct {
	*job
	bits    int
	workers []*finder[K]
}

// finder is one worker's part.
type finder[K keyset.Words] struct {
	keyset.Watch
	j      *job
	parts  *keyset.Parts[K, uint32]
	keys   *keyset.Block[K]
	order  *form.Block
	words  []uint32
	hot    *keyset.Hot[K]
	raw    *keyset.HotRaw // nil: no batch is read where it stands
	list   []entry[K]
	coded  *keyset.Coded[K]
	table  *keyset.Table[K, uint32]
	even   func(s, e *entry[K]) // meet
	evens  []entry[K]           // rows that were equal in order to the greatest of their key when they came
	won    keyset.Bitmap
	report Report
	ties   []tie
}

func findWinners[K keyset.Words](ctx context.Context, j *job) (*Plan, error) {
	w := &winners[K]{job: j, bits: keyset.PartBits(int64(j.rows))}
	defer w.release()
	spans := keyset.Spans(j.events.Lens(), j.events.Start)
	n := min(j.workers(), max(len(spans), 1<<w.bits))
	codes := keyset.NewCodes(j.keys, n)
	raw := slices.ContainsFunc(spans, func(s keyset.Span) bool { return j.direct(s.Chunk) })
	for range n {
		w.workers = append(w.workers, newFinder[K](ctx, j, w.bits, codes, raw))
	}
	j.progress.Start(onerow.StageEncode, int64(j.rows))
	err := j.run(ctx, len(spans), func(worker, task int) error {
		w.workers[worker].deal(spans[task])
		j.progress.Add(int64(spans[task].N))
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := w.drain(ctx); err != nil {
		return nil, err
	}
	j.progress.Start(onerow.StageGroup, w.dealt())
	err = j.run(ctx, 1<<w.bits, func(worker, part int) error {
		f := w.workers[worker]
		j.progress.Add(f.find(w, part))
		return f.Err()
	})
	if err != nil {
		return nil, err
	}
	return w.plan(ctx)
}

func newFinder[K keyset.Words](ctx context.Context, j *job, bits int, codes *keyset.Codes, raw bool) *finder[K] {
	f := &finder[K]{
		Watch: keyset.NewWatch(ctx), j: j, parts: keyset.NewParts[K, uint32](bits), keys: keyset.NewBlock[K](j.keys),
		order: form.NewBlock(keyset.BlockRows), words: make([]uint32, keyset.BlockRows),
		table: keyset.NewTable[K, uint32](j.keys), won: keyset.LendBitmap(j.rows), hot: keyset.HotGreatest[K](j.keys, j.rows),
		coded: keyset.NewCoded[K](codes),
	}
	f.even = f.meet
	if raw {
		f.raw = keyset.NewHotRaw(j.rows)
	}
	if f.raw.On() {
		f.list = make([]entry[K], keyset.BlockRows)
	}
	return f
}

// dealt is the number of rows that were dealt out to partitions.
func (w *winners[K]) dealt() (n int64) {
	for _, f := range w.workers {
		for p := range f.parts.Len() {
			n += int64(f.parts.Rows(p))
		}
	}
	return n
}

func (w *winners[K]) release() {
	for _, f := range w.workers {
		f.parts.Release()
		f.raw.Release()
		f.won.GiveBack()
	}
}

// deal reads the keys and order words of a span and deals its rows out to the partitions.
func (f *finder[K]) deal(s keyset.Span) {
	if f.coded.Takes(s.Chunk, f.parts.Add) {
		f.absorbCodes(s)
		return
	}
	if f.raw.On() && f.j.direct(s.Chunk) {
		s = f.absorbRaw(s)
	}
	s.Blocks(func(lo, n int, row uint32) {
		keyset.Read(f.j.keys, s.Chunk, lo, n, f.keys)
		f.j.order.Words(s.Chunk, lo, n, f.order, f.words)
		if f.hot.On() {
			f.absorb(n, row)
			return
		}
		f.hot.Look(f.keys)
		var skip []uint8
		if f.keys.AnyNull {
			skip = f.keys.Null
		}
		f.parts.AddBlock(f.keys.Keys, f.words[:n], skip, row)
	})
}

// find finds the winners of one partition and returns the number of its rows.
func (f *finder[K]) find(w *winners[K], part int) (rows int64) {
	for _, from := range w.workers {
		rows += int64(from.parts.Rows(part))
	}
	if rows == 0 {
		return 0
	}
	f.table.Fill(func() {
		f.evens = f.evens[:0]
		for _, from := range w.workers {
			from.parts.Chunks(part, f.insert)
		}
	})
	f.table.Mark(f.won)
	f.settleEvens()
	return rows
}

// insert keeps the greatest row of each key.
func (f *finder[K]) insert(chunk []entry[K]) {
	if !f.OverAfter(len(chunk)) {
		keyset.Keep(f.table, chunk, f.even)
	}
}

// meet ranks a row whose word is that of the greatest row of its key.
func (f *finder[K]) meet(s, e *entry[K]) {
	switch c := f.j.order.Compare(e.Row(), s.Row()); {
	case c > 0:
		s.Row1 = e.Row1
	case c == 0:
		f.evens = append(f.evens, *e)
	}
}

// settleEvens decides the keys whose greatest row isn't the only one of its order.
func (f *finder[K]) settleEvens() {
	if len(f.evens) == 0 {
		return
	}
	type pair struct{ best, row uint32 }
	var pairs []pair
	var found [keyset.ChunkRows]*entry[K]
	for evens := range slices.Chunk(f.evens, len(found)) {
		if f.OverAfter(len(evens)) {
			return
		}
		f.table.FindAll(evens, found[:len(evens)])
		for i, s := range found[:len(evens)] {
			if best, row := s.Row(), evens[i].Row(); best != row && f.j.order.Compare(row, best) == 0 {
				pairs = append(pairs, pair{best, row})
			}
		}
	}
	slices.SortFunc(pairs, func(a, b pair) int {
		if f.Over() {
			return 0
		}
		return cmp.Or(cmp.Compare(a.best, b.best), cmp.Compare(a.row, b.row))
	})
	var rows []uint32
	for lo := 0; lo < len(pairs) && !f.Done(); {
		best := pairs[lo].best
		rows = rows[:0]
		for ; lo < len(pairs) && pairs[lo].best == best; lo++ {
			rows = append(rows, pairs[lo].row)
		}
		at, _ := slices.BinarySearch(rows, best)
		rows = slices.Insert(rows, at, best)
		f.settle(best, rows)
	}
}

// settle decides between rows that are equal in order; best is the one that is marked so far.
func (f *finder[K]) settle(best uint32, rows []uint32) {
	if f.j.undecided {
		f.won.SetAll(rows)
		return
	}
	v := f.j.settle(&f.Watch, rows)
	f.report.count(v)
	f.won.Clear(best)
	if v.unsettled {
		f.ties = append(f.ties, tie{rows: slices.Clone(rows)})
		return
	}
	f.won.Set(v.winner)
}

// plan reads the winners off.
func (w *winners[K]) plan(ctx context.Context) (*Plan, error) {
	j := w.job
	won := w.workers[0].won
	var ties []tie
	for i, f := range w.workers {
		if i > 0 {
			won.Or(f.won)
		}
		ties = append(ties, f.ties...)
		j.report.add(f.report)
	}
	if len(ties) > 0 && j.opts.Ties == RejectTies {
		return nil, j.tieError(ties)
	}
	p := &Plan{Rows: won.RowsBy(len(w.workers))}
	aside := j.nullKey
	if len(ties) > 0 {
		tied, err := rowsOfKeys[K](ctx, j, ties)
		if err != nil {
			return nil, err
		}
		j.report.TiedRows = int64(tied.Count())
		if aside != nil {
			tied.Or(aside)
		}
		aside = tied
	}
	p.SetAside = aside.Rows()
	return j.finish(p), nil
}

// rowsOfKeys marks all rows of the batches that have the key of a tie.
func rowsOfKeys[K keyset.Words](ctx context.Context, j *job, ties []tie) (keyset.Bitmap, error) {
	table := keyset.NewTable[K, struct{}](j.keys)
	block := keyset.NewBlock[K](j.keys)
	marked := keyset.NewBitmap(j.rows)
	for _, t := range ties {
		c, i := j.events.At(t.rows[0])
		keyset.Read(j.keys, c, i, 1, block)
		table.At(&keyset.Entry[K, struct{}]{Key: block.Keys[0], Row1: t.rows[0] + 1}, table.Start(&block.Keys[0]))
	}
	spans := keyset.Spans(j.events.Lens(), j.events.Start)
	err := keyset.Run(ctx, 1, len(spans), func(_, task int) error {
		spans[task].Blocks(func(lo, n int, row uint32) {
			keyset.Read(j.keys, spans[task].Chunk, lo, n, block)
			for i := range n {
				if block.Null[i] != 0 {
					continue
				}
				e := keyset.Entry[K, struct{}]{Key: block.Keys[i], Row1: row + uint32(i) + 1}
				if table.Find(&e) != nil {
					marked.Set(e.Row())
				}
			}
		})
		return nil
	})
	return marked, err
}
