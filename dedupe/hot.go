package dedupe

import (
	"context"
	"slices"

	"github.com/onerow-go/onerow/internal/keyset"
)

// absorb merges a block of rows into the keys at hand; the others are dealt out.
func (f *finder[K]) absorb(n int, row uint32) {
	for _, i := range f.hot.Greatest(f.keys, f.words[:n], row, f.j.order.Compare) {
		f.parts.Add(entry[K]{Key: f.keys.Keys[i], Payload: f.words[i], Row1: row + uint32(i) + 1})
	}
	if !f.hot.Pays() {
		f.hot.Drain(f.parts.Add)
	}
}

// direct says whether the keys and orders of a batch are read where they stand.
func (j *job) direct(chunk int) bool {
	if j.events.Lens()[chunk] == 0 {
		return false
	}
	orders, _ := j.order.Direct(chunk, 0, 1)
	return orders != nil && j.keys.Direct(chunk, 0, 1) != nil
}

// absorbRaw merges rows of a batch that is read where it stands into the keys at hand, from its first block on; the others are dealt out. It returns
// what of the span is left once that has ceased to pay.
func (f *finder[K]) absorbRaw(s keyset.Span) keyset.Span {
	keys := f.j.keys.Direct(s.Chunk, s.Lo, s.N)
	orders, flip := f.j.order.Direct(s.Chunk, s.Lo, s.N)
	for s.N > 0 && f.raw.On() {
		n := min(s.N, keyset.BlockRows)
		refused := f.raw.Greatest(keys[:n], orders[:n], flip, s.Row, f.j.order.Compare)
		list := f.list[:len(refused)]
		for at, i := range refused {
			list[at] = f.entry(keys[i], orders[i]^flip, s.Row+uint32(i))
		}
		f.parts.AddList(list)
		keys, orders = keys[n:], orders[n:]
		s.Lo, s.Row, s.N = s.Lo+n, s.Row+uint32(n), s.N-n
		if !f.raw.Pays() {
			f.raw.Drain(f.addAll)
			f.hot.Drain(f.parts.Add)
		}
	}
	return s
}

// entry is the entry of a row that was read where it stands.
func (f *finder[K]) entry(key, rank uint64, row uint32) entry[K] {
	return entry[K]{Key: keyset.RawKey[K](key), Payload: f.j.order.Narrow(rank), Row1: row + 1}
}

// addAll deals rows out that were at hand.
func (f *finder[K]) addAll(rows []keyset.RawRow) {
	for some := range slices.Chunk(rows, len(f.list)) {
		list := f.list[:len(some)]
		for i, r := range some {
			list[i] = f.entry(r.Key, r.Rank, r.Row)
		}
		f.parts.AddList(list)
	}
}

// absorbCodes merges the rows of a span by the codes of its dictionary; those equal in order to the greatest of their code are dealt out.
func (f *finder[K]) absorbCodes(s keyset.Span) {
	s.Blocks(func(lo, n int, row uint32) {
		f.j.order.Words(s.Chunk, lo, n, f.order, f.words)
		f.dealEven(f.coded.Greatest(s.Chunk, lo, f.words[:n], row, f.j.order.Compare), s.Chunk, lo, n, row)
	})
	if !f.coded.Pays() {
		f.coded.Stop(f.parts.Add)
	}
}

// manyEven is the number of rows of a block from which on it is quicker to read the keys of the whole block.
const manyEven = 32

// dealEven deals some rows of a block out whose keys weren't read.
func (f *finder[K]) dealEven(rows []uint16, chunk, lo, n int, row uint32) {
	if len(rows) < manyEven {
		for _, i := range rows {
			f.coded.Deal(i, f.words, row, f.parts.Add)
		}
		return
	}
	keyset.Read(f.j.keys, chunk, lo, n, f.keys)
	for _, i := range rows {
		if f.keys.Null[i] == 0 {
			f.parts.Add(entry[K]{Key: f.keys.Keys[i], Payload: f.words[i], Row1: row + uint32(i) + 1})
		}
	}
}

// drain deals the greatest rows of what the workers have at hand out.
func (w *winners[K]) drain(ctx context.Context) error {
	if err := w.drainRaw(ctx); err != nil {
		return err
	}
	coded := make([]*keyset.Coded[K], len(w.workers))
	for i, f := range w.workers {
		f.hot.Drain(f.parts.Add)
		coded[i] = f.coded
	}
	return keyset.DrainCoded(ctx, coded, w.order.Compare,
		func(worker int, e entry[K]) { w.workers[worker].parts.Add(e) },
		func(worker int, row uint32) { w.workers[worker].won.Set(row) })
}

// drainRaw finds the winners of what the workers have at hand, where all rows came there, or else deals it out.
func (w *winners[K]) drainRaw(ctx context.Context) error {
	raw, whole := make([]*keyset.HotRaw, len(w.workers)), true
	for i, f := range w.workers {
		raw[i] = f.raw
		whole = whole && f.raw.On()
	}
	for chunk, n := range w.events.Lens() {
		whole = whole && (n == 0 || w.direct(chunk))
	}
	if whole {
		return keyset.DrainRaw(ctx, raw, w.order.Compare,
			func(worker int, rows []keyset.RawRow) { w.workers[worker].addAll(rows) },
			func(worker int, rows []uint32) { w.workers[worker].won.SetAll(rows) })
	}
	return keyset.Run(ctx, len(raw), len(raw), func(_, task int) error {
		raw[task].Drain(w.workers[task].addAll)
		return nil
	})
}
