package join

// absorb counts a block of rows of a side with the keys at hand; the others are dealt out.
func (w *sizer[K]) absorb(side int, row uint32) {
	by := &w.by[side]
	for _, i := range by.hot.Count(w.block, row) {
		if by.bare != nil {
			by.bare.Add([1]uint64{w.block.Keys[i][0]}, row+uint32(i))
			continue
		}
		by.parts.Add(sizeEntry[K]{Payload: 1, Key: w.block.Keys[i], Row1: row + uint32(i) + 1})
	}
	if !by.hot.Pays() {
		w.drain(side)
	}
}

// drain deals the keys at hand out, each as one entry with its count.
func (w *sizer[K]) drain(side int) { w.by[side].hot.Drain(w.by[side].parts.Add) }
