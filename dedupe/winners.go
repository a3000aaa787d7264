package dedupe

import (
	"cmp"
	"context"
	"slices"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/keyset"
)

// best is the greatest row of a key so far.
type best struct {
	word uint64 // of its order
	row  uint32
	even bool // a row equal in order was seen
}

// even is a row that was equal in order to the best row of its key when it came.
type even struct {
	id, row uint32
}

type entry[K keyset.Words] = keyset.Entry[K, uint64]

// winners finds the greatest row of each key, without bringing the rows of a key together: a key's state is its best row. Rows equal
// in order to the best are kept apart and settled at the end of a partition.
type winners[K keyset.Words] struct {
	*job
	bits    int
	workers []*finder[K]
}

// finder is one worker's part.
type finder[K keyset.Words] struct {
	j      *job
	parts  *keyset.Parts[K, uint64]
	keys   *keyset.Block[K]
	order  *form.Block
	words  []uint64
	hot    *hot[K]
	table  *keyset.Table[K]
	best   []best
	evens  []even
	won    keyset.Bitmap
	aside  []K // keys whose tied rows are set aside, with a row of each
	report Report
	ties   []tie
}

func findWinners[K keyset.Words](ctx context.Context, j *job) (*Plan, error) {
	w := &winners[K]{job: j, bits: keyset.PartBits(int64(j.rows))}
	defer w.release()
	spans := keyset.Spans(j.events.Lens(), j.events.Start)
	for range min(j.workers(), max(len(spans), 1<<w.bits)) {
		w.workers = append(w.workers, newFinder[K](j, w.bits))
	}
	j.progress.start()
	err := j.run(ctx, len(spans), func(worker, task int) error {
		w.workers[worker].deal(spans[task])
		j.progress.add(int64(spans[task].N), int64(j.rows), onerow.StageEncode)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, f := range w.workers {
		f.hot.flush(f)
	}
	j.progress.start()
	err = j.run(ctx, 1<<w.bits, func(worker, part int) error {
		n := w.workers[worker].find(w, part)
		j.progress.add(n, int64(j.rows), onerow.StageGroup)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return w.plan(ctx)
}

func newFinder[K keyset.Words](j *job, bits int) *finder[K] {
	return &finder[K]{
		j: j, parts: keyset.NewParts[K, uint64](bits), keys: keyset.NewBlock[K](j.keys),
		order: form.NewBlock(keyset.BlockRows), words: make([]uint64, keyset.BlockRows),
		table: keyset.NewTable[K](j.keys), won: keyset.NewBitmap(j.rows), hot: newHot[K](j),
	}
}

func (w *winners[K]) release() {
	for _, f := range w.workers {
		f.parts.Release()
	}
}

// deal reads the keys and order words of a span and deals its rows out to the partitions.
func (f *finder[K]) deal(s keyset.Span) {
	s.Blocks(func(lo, n int, row uint32) {
		keyset.Read(f.j.keys, s.Chunk, lo, n, f.keys)
		f.j.order.Words(s.Chunk, lo, n, f.order, f.words)
		if f.hot.on {
			f.hot.absorb(f, n, row)
			return
		}
		var skip []uint8
		if f.keys.AnyNull {
			skip = f.keys.Null
		}
		f.parts.AddBlock(f.keys.Keys, f.keys.Hash, f.words[:n], skip, row)
	})
}

// find finds the winners of one partition and returns the number of its rows.
func (f *finder[K]) find(w *winners[K], part int) (rows int64) {
	f.table.Reset()
	f.best, f.evens = f.best[:0], f.evens[:0]
	for _, from := range w.workers {
		rows += int64(from.parts.Rows(part))
		from.parts.Chunks(part, f.insert)
	}
	f.settleEvens()
	for i := range f.best {
		if b := &f.best[i]; b.row != noRow {
			f.won.Set(b.row)
		}
	}
	return rows
}

// noRow stands for the winner of a key whose tie is not settled.
const noRow = ^uint32(0)

// insert is the hot loop: it keeps the greatest row of each key.
func (f *finder[K]) insert(chunk []entry[K]) {
	t := f.table
	for i := range chunk {
		e := &chunk[i]
		id, ok := t.Hit(&e.Key, e.Hash)
		if !ok {
			var fresh bool
			if id, fresh = t.Insert(&e.Key, e.Hash, e.Row); fresh {
				f.best = append(f.best, best{word: e.Payload, row: e.Row})
				continue
			}
		}
		b := &f.best[id]
		if e.Payload < b.word {
			continue
		}
		if e.Payload > b.word {
			*b = best{word: e.Payload, row: e.Row}
			continue
		}
		switch c := f.j.order.Compare(e.Row, b.row); {
		case c > 0:
			*b = best{word: e.Payload, row: e.Row}
		case c == 0:
			b.even = true
			f.evens = append(f.evens, even{id: id, row: e.Row})
		}
	}
}

// settleEvens decides the keys whose best row isn't the only one of its order.
func (f *finder[K]) settleEvens() {
	if len(f.evens) == 0 {
		return
	}
	evens := slices.DeleteFunc(f.evens, func(e even) bool {
		b := &f.best[e.id]
		return !b.even || e.row != b.row && f.j.order.Compare(e.row, b.row) != 0
	})
	slices.SortFunc(evens, func(a, b even) int {
		return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.row, b.row))
	})
	var rows []uint32
	for lo := 0; lo < len(evens); {
		id := evens[lo].id
		rows = append(rows[:0], f.best[id].row)
		for ; lo < len(evens) && evens[lo].id == id; lo++ {
			rows = append(rows, evens[lo].row)
		}
		slices.Sort(rows)
		f.settle(id, rows)
	}
}

func (f *finder[K]) settle(id uint32, rows []uint32) {
	v := f.j.settle(rows)
	f.report.Duplicates += v.copies
	if v.deleteTie {
		f.report.DeleteTies++
	}
	if v.tied {
		f.report.TiedKeys++
	}
	f.best[id].row = v.winner
	if v.unsettled {
		f.report.Duplicates -= v.copies
		f.best[id].row = noRow
		f.ties = append(f.ties, tie{rows: slices.Clone(rows)})
	}
}

// plan reads the winners off.
func (w *winners[K]) plan(ctx context.Context) (*Plan, error) {
	j := w.job
	won := keyset.NewBitmap(j.rows)
	var ties []tie
	for _, f := range w.workers {
		won.Or(f.won)
		ties = append(ties, f.ties...)
		j.report.Duplicates += f.report.Duplicates
		j.report.DeleteTies += f.report.DeleteTies
		j.report.TiedKeys += f.report.TiedKeys
	}
	if len(ties) > 0 && j.opts.Ties == RejectTies {
		return nil, j.tieError(ties)
	}
	p := &Plan{Rows: won.Rows()}
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
	table := keyset.NewTable[K](j.keys)
	block := keyset.NewBlock[K](j.keys)
	marked := keyset.NewBitmap(j.rows)
	for _, t := range ties {
		c, i := j.events.At(t.rows[0])
		keyset.Read(j.keys, c, i, 1, block)
		table.Insert(&block.Keys[0], uint32(block.Hash[0]), t.rows[0])
	}
	spans := keyset.Spans(j.events.Lens(), j.events.Start)
	err := keyset.Run(ctx, 1, len(spans), func(_, task int) error {
		spans[task].Blocks(func(lo, n int, row uint32) {
			keyset.Read(j.keys, spans[task].Chunk, lo, n, block)
			for i := range n {
				if block.Null[i] != 0 {
					continue
				}
				if _, ok := table.Find(&block.Keys[i], uint32(block.Hash[i]), row+uint32(i)); ok {
					marked.Set(row + uint32(i))
				}
			}
		})
		return nil
	})
	return marked, err
}
