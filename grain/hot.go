package grain

// absorb counts a block of rows with the keys at hand; the others are dealt out.
func (c *counter[K]) absorb(row uint32) {
	for _, i := range c.hot.Count(c.block, row) {
		if c.bare != nil {
			c.bare.Add([1]uint64{c.block.Keys[i][0]}, row+uint32(i))
			continue
		}
		c.parts.Add(entry[K]{Payload: 1, Key: c.block.Keys[i], Row1: row + uint32(i) + 1})
	}
	if !c.hot.Pays() {
		c.drain()
	}
}

// drain deals the keys at hand out, each as one entry with its count.
func (c *counter[K]) drain() { c.hot.Drain(c.parts.Add) }
