package take

import "github.com/apache/arrow/go/v15/arrow"

// extents say where elements of variable length lie, and where they go: text, binary, and the elements of lists.
type extents[T offset] struct {
	// offsets are the output's. Until they are completed, they are ends counted from the start of their part; the first is 0.
	offsets []T
	// from is where each row's element lies in its chunk; 0 for NULL.
	from []T
	// starts are where the parts start in the output, and where the last one ends.
	starts []int64
}

// find finds the extents of the rows, after checking each against the size of what the offsets of its chunk point into. A NULL has no length.
func (e *extents[T]) find(g *gather, t arrow.DataType, cs []chunk, p *picks, valid []byte, sizes []int64, unit string) error {
	e.from, e.starts = make([]T, len(p.rows)), make([]int64, p.parts()+1)
	e.offsets[0] = 0
	srcs := typed[T](cs, 1)
	err := g.each(p, func(g *gather, part int, segs []segment) error {
		total := int64(0)
		for _, s := range segs {
			if err := g.tick(s.hi - s.lo); err != nil {
				return err
			}
			r := extentReader[T]{src: srcs[s.chunk], base: s.base + cs[s.chunk].at, size: sizes[s.chunk]}
			rows, from, ends := p.rows[s.lo:s.hi], e.from[s.lo:s.hi], e.offsets[s.lo+1:s.hi+1]
			var bad bool
			if valid == nil {
				ahead(r.src, r.base, 2, rows, p.many(), func(lo, hi int) {
					var wrong bool
					total, wrong = r.all(rows[lo:hi], from[lo:hi], ends[lo:hi], total)
					bad = bad || wrong
				})
			} else {
				total, bad = r.some(rows, from, ends, total, valid, s.lo)
			}
			if bad {
				return r.outside(t, rows, valid, s.lo, unit)
			}
		}
		e.starts[part+1] = total
		return nil
	})
	if err != nil {
		return err
	}
	for part := range p.parts() {
		e.starts[part+1] += e.starts[part]
	}
	if total, limit := e.starts[p.parts()], limitOf[T](); total > limit {
		return &SizeError{Type: t, Size: total, Limit: limit, Unit: unit}
	}
	return nil
}

// extentReader reads the offsets of a chunk.
type extentReader[T offset] struct {
	src  []T
	base int   // what rows are counted from in src
	size int64 // of what the offsets point into
}

// all adds the lengths of rows to a total, and writes it behind each. It says whether a row lies outside.
func (r *extentReader[T]) all(rows []uint32, from, ends []T, total int64) (sum int64, bad bool) {
	src, base, size := r.src, r.base, r.size
	from, ends = from[:len(rows)], ends[:len(rows)]
	wrong := int64(0)
	for k, row := range rows {
		e := int(row) + base
		lo, hi := src[e], src[e+1]
		n := int64(hi) - int64(lo)
		wrong |= int64(lo) | n | (size - int64(hi)) // each is negative when it is what is wrong
		total += n
		from[k], ends[k] = lo, T(total)
	}
	return total, wrong < 0
}

// some is all for rows of which some are NULL: those that have a 0 bit, counted from at.
func (r *extentReader[T]) some(rows []uint32, from, ends []T, total int64, valid []byte, at int) (sum int64, bad bool) {
	wrong := int64(0)
	for k, row := range rows {
		if bit(valid, at+k) {
			e := int(row) + r.base
			lo, hi := r.src[e], r.src[e+1]
			n := int64(hi) - int64(lo)
			wrong |= int64(lo) | n | (r.size - int64(hi))
			total += n
			from[k] = lo
		}
		ends[k] = T(total)
	}
	return total, wrong < 0
}

// outside is the error of the first row that lies outside.
func (r *extentReader[T]) outside(t arrow.DataType, rows []uint32, valid []byte, at int, unit string) error {
	for k, row := range rows {
		if valid != nil && !bit(valid, at+k) {
			continue
		}
		e := int(row) + r.base
		if lo, hi := int64(r.src[e]), int64(r.src[e+1]); lo < 0 || hi < lo || hi > r.size {
			return outside(t, lo, hi, r.size, unit)
		}
	}
	return &DataError{Type: t, Why: "its offsets change while they are read"}
}
