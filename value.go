package onerow

// Value is a Go value that stands for a cell: a string for text, []byte for binary, any Go integer for integers, a bool, float32 or
// float64 for floats, a time.Time for timestamps and dates, a time.Duration for durations.
//
// A timestamp with a zone takes the instant of a time.Time; one without takes its wall clock, whatever its location; a date takes its day
// there, and the time must be midnight. For decimals and times of day a Value is a string as errors print cells, which timestamps, dates and
// durations can be given as too: "1.50", "09:00:00.5", "2026-01-31T09:00:00" ("2026-01-31T09:00:00Z" with a zone), "2026-01-31", "90s".
//
// A column that is encoded, as a dictionary for example, takes what its values take. A Value that the column's type can't hold exactly is
// an error that wraps [ErrType]: 300 for int8, half a second for a timestamp in seconds, a text for an integer.
type Value = any
