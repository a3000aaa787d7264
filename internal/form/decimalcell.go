package form

// Decimal returns the cell of a row of a column of decimals: its digits as 256 bits in two's complement, lowest limb first, and its scale. ok is
// false for NULL.
func (c *Column) Decimal(row uint32) (limbs [4]uint64, scale int32, ok bool) {
	k, i := c.At(row)
	a := c.Chunks[k]
	if a.Null(i) {
		return limbs, 0, false
	}
	a, i = a.leaf(i)
	return a.limbs(i), a.scale, true
}
