package order

// Direct returns words for rows lo to lo+n of batch c that, flipped, are the greater the greater the row by its first order column, and equal where that
// is equal. They stand in the column's own memory. It returns nil where there are none: for columns with NULL or of other than 64 bits, without
// order columns, and where not the first column comes first.
func (o *Order) Direct(c, lo, n int) (words []uint64, flip uint64) {
	if o.first == nil || o.snap != nil {
		return nil, 0
	}
	a := o.by[0].Chunks[c]
	if words, _ = a.Raw(lo, n); words == nil {
		return nil, 0
	}
	return words, a.Flip() ^ o.down()
}

// Narrow is the word that Words has for a row of which Direct has the flipped word w.
func (o *Order) Narrow(w uint64) uint32 {
	down := o.down()
	return o.narrow.word(w^down) ^ uint32(down)
}

// down has the bits that are flipped where a lesser cell is the greater row.
func (o *Order) down() (flip uint64) {
	if o.by[0].Ascending {
		flip = ^flip
	}
	return flip
}
