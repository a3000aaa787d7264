package onerow

// Value is a Go value that stands for a cell: a string for text, []byte for binary, any Go integer for integers, bool,
// float32 or float64 for floats. For dates and timestamps it is a time.Time, for durations a time.Duration; for these, for
// decimals and for times of day it may be a string as errors print the value: "1.50", "2026-01-31". A naive timestamp takes the
// wall clock of a time.Time, whatever its location; a date takes its day, which must be at midnight. A Value that its column's type
// can't hold is an error that wraps [ErrType].
type Value = any
