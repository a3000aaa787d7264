package onerow

// NullKey says what a verb does with rows that have NULL in a key column.
type NullKey uint8

const (
	// RejectNullKeys refuses the call, with the number of such rows per column.
	RejectNullKeys NullKey = iota
	// EqualNullKeys treats NULL as a value that equals itself: rows with NULL in the same places are one key.
	EqualNullKeys
	// SetAsideNullKeys leaves such rows out of the work and lists them in the outcome.
	SetAsideNullKeys
)
