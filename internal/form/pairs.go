package form

// SamePairs compares rows of a column pair by pair: it clears same[k] where the cells of rows as[k] and bs[k] aren't equal as keys; NULL
// equals NULL. Pairs that are known to differ are passed over.
//
// Pairs lie anywhere, so that each cell is a cache miss. One column at a time, and with as little as possible between two loads, the
// processor has several of them under way at once: that is what this is for.
func (c *Column) SamePairs(as, bs []uint32, same []bool) {
	switch kind, ok := c.oneKind(); {
	case !ok:
		c.samePairs(as, bs, same)
	case kind == KindI64:
		pairs(c, as, bs, same, func(a *Array) []int64 { return a.i64 }, sameValue[int64])
	case kind == KindU64:
		pairs(c, as, bs, same, func(a *Array) []uint64 { return a.u64 }, sameValue[uint64])
	case kind == KindI32:
		pairs(c, as, bs, same, func(a *Array) []int32 { return a.i32 }, sameValue[int32])
	case kind == KindF64:
		pairs(c, as, bs, same, func(a *Array) []float64 { return a.f64 }, sameFloat)
	case kind == KindBytes32:
		c.sameTexts(as, bs, same)
	default:
		c.samePairs(as, bs, same)
	}
}

// oneKind is the kind and unit that all chunks have, but for those without a value.
func (c *Column) oneKind() (kind Kind, ok bool) {
	var mul uint64
	for _, a := range c.Chunks {
		switch {
		case a.Kind == KindNull || a.Len == 0:
		case mul == 0:
			kind, mul = a.Kind, a.mul
		case kind != a.Kind || mul != a.mul:
			return 0, false
		}
	}
	return kind, mul != 0
}

func (c *Column) samePairs(as, bs []uint32, same []bool) {
	for k := range as {
		if same[k] {
			same[k] = c.Compare(as[k], bs[k], ByValue) == 0
		}
	}
}

func sameValue[T comparable](x, y T) bool { return x == y }
func sameFloat(x, y float64) bool         { return x == y || x != x && y != y }

// pairs compares cells of fixed width. The values of a NULL aren't looked at.
func pairs[T any](c *Column, as, bs []uint32, same []bool, values func(*Array) []T, equal func(x, y T) bool) {
	type chunk struct {
		values []T
		valid  []byte
		off    int
		null   bool
		rows   []struct{}
	}
	chunks := make([]chunk, len(c.Chunks))
	for k, a := range c.Chunks {
		chunks[k] = chunk{valid: a.valid, off: a.off, null: a.Kind == KindNull, rows: a.rows}
		if !chunks[k].null {
			chunks[k].values = values(a)
		}
	}
	for k := range as {
		if !same[k] {
			continue
		}
		ka, i := c.At(as[k])
		kb, j := c.At(bs[k])
		x, y := &chunks[ka], &chunks[kb]
		_, _ = x.rows[i], y.rows[j] // they exist
		i, j = i+x.off, j+y.off
		xn := x.null || x.valid != nil && !bit(x.valid, i)
		yn := y.null || y.valid != nil && !bit(y.valid, j)
		if xn || yn {
			same[k] = xn && yn
			continue
		}
		same[k] = equal(x.values[i], y.values[j])
	}
}

// sameTexts compares bytes behind 32-bit offsets: the offsets of all pairs first, then the bytes of those of one length.
func (c *Column) sameTexts(as, bs []uint32, same []bool) {
	type cell struct {
		text []byte
		null bool
	}
	at := func(row uint32) cell {
		k, i := c.At(row)
		a := c.Chunks[k]
		if a.Null(i) {
			return cell{null: true}
		}
		return cell{text: a.bytes(i)}
	}
	const block = 128
	var xs, ys [block]cell
	for lo := 0; lo < len(as); lo += block {
		n := min(block, len(as)-lo)
		for k := range n {
			if same[lo+k] {
				xs[k], ys[k] = at(as[lo+k]), at(bs[lo+k])
			}
		}
		for k := range n {
			if same[lo+k] {
				same[lo+k] = xs[k].null == ys[k].null && string(xs[k].text) == string(ys[k].text)
			}
		}
	}
}
