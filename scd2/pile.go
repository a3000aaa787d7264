package scd2

// pile collects values one by one, in pieces that never move: a list that grows by copying would touch each of millions of elements several times.
type pile[T any] struct {
	full [][]T
	last []T
	n    int
}

// The sizes of pieces.
const (
	firstPiece = 64
	mostPiece  = 1 << 14
)

// add puts values on the pile.
func (p *pile[T]) add(values ...T) {
	if cap(p.last)-len(p.last) < len(values) {
		if p.last != nil {
			p.full = append(p.full, p.last)
		}
		p.last = make([]T, 0, max(len(values), min(max(firstPiece, 2*cap(p.last)), mostPiece)))
	}
	p.last = append(p.last, values...)
	p.n += len(values)
}

// each calls f with each value.
func (p *pile[T]) each(f func(*T)) {
	for _, piece := range p.full {
		for i := range piece {
			f(&piece[i])
		}
	}
	for i := range p.last {
		f(&p.last[i])
	}
}

// flat puts the values of piles into one list.
func flat[T any](piles ...*pile[T]) []T {
	n := 0
	for _, p := range piles {
		n += p.n
	}
	if n == 0 {
		return nil
	}
	out := make([]T, 0, n)
	for _, p := range piles {
		for _, piece := range p.full {
			out = append(out, piece...)
		}
		out = append(out, p.last...)
	}
	return out
}
