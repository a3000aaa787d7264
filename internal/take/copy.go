package take

// copyBytes copies the elements, and completes their offsets.
func (e *extents[T]) copyBytes(g *gather, cs []chunk, p *picks, out []byte) error {
	bytes := typed[uint8](cs, 2)
	return g.each(p, func(g *gather, part int, segs []segment) error {
		// Nothing behind the part may be written over, as others write there.
		c := copier[T]{start: int(e.starts[part]), at: int(e.starts[part]), out: out[:e.starts[part+1]:e.starts[part+1]]}
		for _, s := range segs {
			if err := g.tick(s.hi - s.lo); err != nil {
				return err
			}
			c.data = bytes[s.chunk]
			from, ends := e.from[s.lo:s.hi], e.offsets[s.lo+1:s.hi+1]
			size := max(short, int(ends[len(ends)-1]-ends[0])/len(ends))
			var err error
			steps(len(from), textStep, func(lo, hi int) { fetchBytes(c.data, from[lo:hi], size, p.many()) }, func(lo, hi int) {
				if err == nil {
					err = c.copy(g, from[lo:hi], ends[lo:hi])
				}
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// copier copies elements of one part.
type copier[T offset] struct {
	data []byte // the bytes of a chunk
	// start is where the part starts in out, and at is where its next element goes.
	start, at int
	out       []byte
	// to is where the elements in work go.
	to [textStep + 1]int
}

// short is the number of bytes that are copied for a short element, whatever its length, where these exist on both sides: what is too much is
// written over by the elements after it.
const short = 16

// copy copies at most textStep elements, and completes their ends.
func (c *copier[T]) copy(g *gather, from, ends []T) error {
	first, n := c.at, len(from)
	longest, last := c.place(from, ends)
	size := c.at - first
	stretch := int(from[n-1]) - int(from[0])
	switch {
	case stretch == c.to[n-1]-first: // one run, if they ascend
		c.runs(from)
	case longest <= short && last+short <= len(c.data) && c.to[n-1]+short <= len(c.out):
		c.shorts(from)
	case stretch >= size-longest && stretch < size+size/8: // nearly all that is between them
		c.runs(from)
	default:
		c.each(from)
	}
	if size > block {
		return g.tick(size / 64)
	}
	return nil
}

// place finds where elements go. It returns the length of the longest and where the last of them lies.
func (c *copier[T]) place(from, ends []T) (longest, last int) {
	start, at := c.start, c.at
	ends, to := ends[:len(from)], c.to[:len(from)+1]
	for k, f := range from {
		end := start + int(ends[k])
		ends[k], to[k] = T(end), at
		longest, last = max(longest, end-at), max(last, int(f))
		at = end
	}
	c.at, to[len(from)] = at, at
	return longest, last
}

// shorts copies elements that are all short and have bytes behind them.
func (c *copier[T]) shorts(from []T) {
	data, out := c.data, c.out
	to := c.to[:len(from)]
	for k, f := range from {
		f, t := int(f), to[k]
		*(*[short]byte)(out[t : t+short]) = *(*[short]byte)(data[f : f+short])
	}
}

// each copies elements one by one.
func (c *copier[T]) each(from []T) {
	const medium = 64
	data, out := c.data, c.out
	to := c.to[:len(from)+1]
	for k, f := range from {
		f, t := int(f), to[k]
		switch n := to[k+1] - t; {
		case n <= short && f+short <= len(data) && t+short <= len(out):
			*(*[short]byte)(out[t:]) = *(*[short]byte)(data[f:])
		case n <= medium && f+medium <= len(data) && t+medium <= len(out):
			*(*[medium]byte)(out[t:]) = *(*[medium]byte)(data[f:])
		default:
			copy(out[t:t+n], data[f:f+n])
		}
	}
}

// runs copies elements, those that follow each other in the chunk at once.
func (c *copier[T]) runs(from []T) {
	lo, to, size := int(from[0]), c.to[0], 0 // data[lo:lo+size] is to be copied to out[to:]
	for k, f := range from {
		n := c.to[k+1] - c.to[k]
		if n > 0 && int(f) != lo+size { // no bytes may be NULL, which lies nowhere
			copy(c.out[to:to+size], c.data[lo:lo+size])
			lo, to, size = int(f), c.to[k], 0
		}
		size += n
	}
	copy(c.out[to:to+size], c.data[lo:lo+size])
}
