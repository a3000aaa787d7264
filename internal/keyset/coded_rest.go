package keyset

import (
	"context"
	"math/bits"
	"slices"

	"github.com/onerow-go/onerow/internal/form"
)

// codedRange is the number of codes in a task.
const codedRange = 16 * BlockRows

// codedRest is what several workers have at hand of one dictionary.
type codedRest[K Words] struct {
	all  []*Coded[K]
	dict *form.Array
	// lone tells codes whose values no other has; nil: not looked for.
	lone *loneCodes
}

// loneCodes is a filter of the keys of a dictionary's values. A code that has a bit of its own stands for a value of its own.
type loneCodes struct {
	marks []marks // of each worker; after join, the first has those of all
	shift uint
	at    []uint32 // by code: bits of its value's key; see bitsOf
	dealt Bitmap   // by code: rows of it went on
}

// marks are 64 bits a word that some values have, and which of them more than one has. Each worker has its own: bits that all set at once cost 20 ns each.
type marks []struct{ once, twice uint64 }

// bitsOf returns the word of a value's bits, and the two bits that it has there.
func bitsOf(at uint32, shift uint) (word uint32, two uint64) {
	return at >> (shift & 31), 1<<(at&63) | 1<<(at>>6&63)
}

// DrainCoded brings together what workers have at hand: of each code, the greatest row of all workers. It calls deal with these rows, and with those equal
// to them in order; worker says which of the workers does so. Where all rows of all batches are here, most codes are found to stand for values that
// no other code has: their rows are the greatest of their keys, and found is called with them.
func DrainCoded[K Words](ctx context.Context, workers []*Coded[K], compare func(a, b uint32) int,
	deal func(worker int, e Entry[K, uint32]), found func(worker int, row uint32)) error {
	for _, r := range restOf(workers) {
		tasks := (r.dict.Len + codedRange) / codedRange // one more code than values
		if r.complete() {
			r.lone = newLone(r.dict.Len, len(workers))
			r.dealtBefore()
			if err := Run(ctx, len(workers), tasks, func(w, task int) error {
				r.mark(workers[w], w, task*codedRange, min((task+1)*codedRange, r.dict.Len))
				return nil
			}); err != nil {
				return err
			}
			if err := Run(ctx, len(workers), len(workers), func(_, task int) error {
				r.lone.join(task, len(workers))
				return nil
			}); err != nil {
				return err
			}
		}
		if err := Run(ctx, len(workers), tasks, func(w, task int) error {
			r.drain(workers[w], task*codedRange, min((task+1)*codedRange, r.dict.Len+1), compare,
				func(e Entry[K, uint32]) { deal(w, e) }, func(row uint32) { found(w, row) })
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// restOf brings the workers of each dictionary together.
func restOf[K Words](workers []*Coded[K]) (out []codedRest[K]) {
	for _, h := range workers {
		if h.dict == nil {
			continue
		}
		at := slices.IndexFunc(out, func(r codedRest[K]) bool { return r.dict == h.dict })
		if at < 0 {
			at = len(out)
			out = append(out, codedRest[K]{dict: h.dict})
		}
		out[at].all = append(out[at].all, h)
	}
	return out
}

// complete says whether all rows with a key are here, but for those that are listed as equal.
func (r *codedRest[K]) complete() bool {
	c := r.all[0].codes
	for _, a := range c.keys.cols[0].Chunks {
		if a.Len > 0 && a.Dictionary() != r.dict {
			return false
		}
	}
	for _, h := range r.all {
		if c.keys.nulls && h.slots[r.dict.Len] != 0 {
			return false
		}
	}
	return !c.stopped.Load()
}

// newLone returns a filter of 16 to 32 bits a value.
func newLone(n, workers int) *loneCodes {
	words := min(max(1, bits.Len(uint(n))-2), 32)
	l := &loneCodes{shift: uint(32 - words), at: make([]uint32, n), marks: make([]marks, workers), dealt: NewBitmap(uint32(n + 1))}
	for w := range l.marks {
		l.marks[w] = make(marks, 1<<words)
	}
	return l
}

// dealtBefore notes the codes of which rows went on.
func (r *codedRest[K]) dealtBefore() {
	for _, h := range r.all {
		for _, code := range h.evenCodes {
			r.lone.dealt.Set(code)
		}
	}
}

// mark enters the values from lo to hi; h is the worker that does it, number w.
func (r *codedRest[K]) mark(h *Coded[K], w, lo, hi int) {
	l := r.lone
	for ; lo < hi; lo += BlockRows {
		n := min(BlockRows, hi-lo)
		Read(h.codes.of[r.dict], 0, lo, n, h.block)
		at := l.at[lo : lo+n]
		for i := range at {
			at[i] = uint32(h.block.Keys[i][0] >> 32)
		}
		if form.IsConstantHash() {
			clear(at)
		}
		if h.block.AnyNull {
			for i, z := range h.block.Null {
				if z != 0 {
					l.dealt.Set(uint32(lo + i)) // to be left out
				}
			}
		}
		l.enter(w, at)
	}
}

// enter marks the bits of some values for a worker.
func (l *loneCodes) enter(w int, at []uint32) {
	marks := l.marks[w]
	for _, v := range at {
		word, two := bitsOf(v, l.shift)
		m := &marks[word]
		m.twice |= m.once & two
		m.once |= two
	}
}

// join brings a part of the workers' marks together.
func (l *loneCodes) join(part, parts int) {
	n := len(l.marks[0])
	lo, hi := n*part/parts, n*(part+1)/parts
	all := l.marks[0][lo:hi]
	for _, o := range l.marks[1:] {
		for i, m := range o[lo:hi] {
			all[i].twice |= m.twice | all[i].once&m.once
			all[i].once |= m.once
		}
	}
}

// is says whether a code stands for a value of its own, and no rows of it went on.
func (l *loneCodes) is(code int) bool {
	word, two := bitsOf(l.at[code], l.shift)
	return two&^l.marks[0][word].twice != 0 && !l.dealt.Has(uint32(code))
}

// drain brings the slots from lo to hi together; h is the worker that does it.
func (r *codedRest[K]) drain(h *Coded[K], lo, hi int, compare func(a, b uint32) int, deal func(Entry[K, uint32]), found func(row uint32)) {
	var best [BlockRows]uint64
	for ; lo < hi; lo += BlockRows {
		best := best[:min(BlockRows, hi-lo)]
		copy(best, r.all[0].slots[lo:])
		for _, o := range r.all[1:] {
			for i, s := range o.slots[lo : lo+len(best)] {
				if (s^best[i])>>32 != 0 {
					best[i] = max(best[i], s)
				} else if s != 0 {
					if best[i] = r.even(h, lo+i, best[i], s, compare, deal); r.lone != nil {
						r.lone.dealt.Set(uint32(lo + i))
					}
				}
			}
		}
		r.give(h, lo, best, deal, found)
	}
}

// even returns the greater of two states with one word, or, if the second is as great, the first, and deals the second out.
func (r *codedRest[K]) even(h *Coded[K], code int, a, b uint64, compare func(a, b uint32) int, deal func(Entry[K, uint32])) uint64 {
	if a == 0 {
		return b
	}
	best, equal := greater(a, b, compare)
	if equal {
		h.deal(r.dict, code, b, deal)
	}
	return best
}

// give gives the greatest rows of the codes from lo on away.
func (r *codedRest[K]) give(h *Coded[K], lo int, best []uint64, deal func(Entry[K, uint32]), found func(row uint32)) {
	if r.lone != nil {
		for i, s := range best {
			if s != 0 && lo+i < r.dict.Len && r.lone.is(lo+i) {
				found(uint32(s) - 1)
				best[i] = 0
			}
		}
	}
	read := false
	for i, s := range best {
		switch {
		case s == 0:
		case r.lone != nil || lo+i == r.dict.Len:
			h.deal(r.dict, lo+i, s, deal)
		default:
			if !read {
				Read(h.codes.of[r.dict], 0, lo, min(len(best), r.dict.Len-lo), h.block)
				read = true
			}
			if e, ok := h.entry(i, s); ok {
				deal(e)
			}
		}
	}
}
