package dedupe

import (
	"context"

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
	coded := make([]*keyset.Coded[K], len(w.workers))
	for i, f := range w.workers {
		f.hot.Drain(f.parts.Add)
		coded[i] = f.coded
	}
	return keyset.DrainCoded(ctx, coded, w.order.Compare,
		func(worker int, e entry[K]) { w.workers[worker].parts.Add(e) },
		func(worker int, row uint32) { w.workers[worker].won.Set(row) })
}
