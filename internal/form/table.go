package form

import (
	"sync"

	"golang.org/x/exp/constraints"
)

// table is what a Reader made of the values that adaptors point into: of each value once. The two words of a value lie side by side, as rows
// come to it in no order.
type table struct {
	once  sync.Once
	words [][2]uint64
	null  []uint8 // nil: no value is NULL
	mul   uint64  // Mode Word: of the values
}

func (r *Reader) addTable(v *Array) {
	if deeper := v.values(); deeper != nil && deeper.Len <= v.Len {
		r.addTable(deeper)
	}
	if r.tables[v] != nil {
		return
	}
	r.tables[v] = &table{}
}

// fill reads the values.
func (r *Reader) fill(t *table, v *Array) {
	b := NewBlock(v.Len)
	if r.mode == Digest {
		b = NewHashBlock(v.Len)
	}
	r.read(v, 0, b)
	t.words, t.mul = make([][2]uint64, v.Len), v.bottom().mul
	first := b.K0
	if r.mode == Digest {
		first = b.H
	}
	for i := range t.words {
		t.words[i] = [2]uint64{first[i], b.K1[i]}
	}
	if b.AnyNull {
		t.null = b.Null
	}
}

// gather reads an adaptor through the table of its values.
func (r *Reader) gather(a *Array, lo int, b *Block, t *table) {
	p, n := a.off+lo, len(b.K0)
	switch {
	case a.Kind == KindRuns:
		a.gatherRuns(lo, t, b)
	case a.valid != nil:
		for i := range b.K0 {
			if bit(a.valid, p+i) {
				b.pick(i, t, a.intAt(a.index, p+i))
			} else {
				b.Null[i], b.AnyNull = 1, true
			}
		}
	default:
		switch a.index {
		case KindI8:
			gather(a.i8[p:p+n], t, b)
		case KindI16:
			gather(a.i16[p:p+n], t, b)
		case KindI32:
			gather(a.i32[p:p+n], t, b)
		case KindI64:
			gather(a.i64[p:p+n], t, b)
		case KindU8:
			gather(a.u8[p:p+n], t, b)
		case KindU16:
			gather(a.u16[p:p+n], t, b)
		case KindU32:
			gather(a.u32[p:p+n], t, b)
		default:
			gather(a.u64[p:p+n], t, b)
		}
	}
	r.rehash(b, t)
	b.nulls()
}

// gather is the hot loop of dictionary keys.
func gather[T constraints.Integer](index []T, t *table, b *Block) {
	k0, k1 := b.K0[:len(index)], b.K1[:len(index)]
	for i, p := range index {
		w := &t.words[p]
		k0[i], k1[i] = w[0], w[1]
	}
	if t.null == nil {
		return
	}
	for i, p := range index {
		z := t.null[p]
		b.Null[i] = z
		b.AnyNull = b.AnyNull || z != 0
	}
}

// pick puts value p of the table at place i.
func (b *Block) pick(i int, t *table, p int64) {
	w := &t.words[p]
	b.K0[i], b.K1[i] = w[0], w[1]
	if t.null != nil && t.null[p] != 0 {
		b.Null[i], b.AnyNull = 1, true
	}
}

func (a *Array) gatherRuns(lo int, t *table, b *Block) {
	ends, run := a.kids[0], a.run(lo)
	for i := range b.K0 {
		for ends.intAt(ends.Kind, ends.off+run) <= int64(a.off+lo+i) {
			run++
		}
		b.pick(i, t, int64(run))
	}
}

// rehash makes the hashes of words that came from a table, which doesn't hold them.
func (r *Reader) rehash(b *Block, t *table) {
	switch r.mode {
	case Word:
		b.hashWords(t.mul)
	case Digest:
		copy(b.H, b.K0)
	case Text:
		b.hashTexts()
	}
}
