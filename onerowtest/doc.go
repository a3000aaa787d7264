// Package onerowtest tests merge rules: tables are written as text, outcomes are compared row by row, and a set of changes is
// delivered in every way in which it may arrive.
//
//	text ─► Records ─► the rule under test ─► Equal, EqualHistory   a diff of rows, where they differ
//	           │                          └─► CheckHistory          versions that overlap, two open ones, …
//	           └─► Cuts, Arrivals                                   the same changes, cut and shuffled
//
// It builds on what a test has: everything that a function here makes is released when the test ends, and the test fails when
// something else still holds on to it. Any testing.T, testing.B, testing.F or rapid.T is a [TB].
//
// # Tables
//
// The first line of a table names its columns and their types, each further line is a row:
//
//	id:int64  plan:string   valid_from:date32  valid_to:date32
//	7         basic         2026-01-01         2026-02-01      # a comment goes on to the end of its line
//	7         "team of 5"   2026-02-01         -
//
// Cells are separated by blanks; how wide doesn't matter. A | between blanks is ornament. Empty lines count for nothing. A line of
// three or more dashes ends a batch and begins the next, so that a table with n such lines has n+1 batches, some perhaps empty.
//
// A column is written name:type, with ! at the end where it isn't nullable. The types are
//
//	null bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64
//	string large_string string_view binary large_binary binary_view fsb(N)
//	date32 date64 time32[s|ms] time64[us|ns] timestamp[UNIT] timestamp[UNIT,ZONE] duration[UNIT]
//	decimal(P,S) decimal256(P,S)
//	dict<INDEX,VALUE> ree<VALUE> list<T> large_list<T> fsl<T,N> struct<a:T,b:T> map<K,V>
//
// where UNIT is s, ms, us or ns, and ZONE the name of a time zone or an offset.
//
// # Cells
//
//	NULL             -, NULL
//	bool             true, false
//	integer          7, -7
//	float            1.5, -0, 1e300, NaN, NaN#1 (a NaN of other bits), Inf, -Inf
//	decimal          1.50
//	text             a word, or "text in quotes" with the escapes of Go: where it is empty, has blanks, begins with " or #, or is
//	                 NULL, -, | or a line's worth of dashes
//	binary           ff00 (hexadecimal digits), "text in quotes"
//	date             2026-01-31
//	timestamp        2026-01-31T09:00:00.5, 2026-01-31T09:00, 2026-01-31 (midnight); in a column with a zone with Z or an offset
//	                 behind the time: 2026-01-31T09:00Z; a date alone is midnight UTC
//	time of day      09:00:00.5, 09:00
//	duration         90s, 1h30m, 250ms
//	list             [1, null], as JSON
//	struct           {"a": 1}, as JSON, with all fields
//	map              [{"key": "a", "value": 1}], as JSON
//	dict, ree        a cell of the type of its values
//
// For a date, a timestamp, a time of day or a duration an integer stands for the number that the column holds. Inside of JSON,
// values are written as above, texts, dates and times in quotes; a float that isn't a number is {"f": "NaN"} or {"f": "Infinity"},
// binary is {"x": "ff00"}, and a duration the column's number.
//
// # Values
//
// Values are compared by what they mean: an int32 7 equals an int64 7, the decimal 1.20 equals 1.2000, an instant equals itself in
// another unit or zone, and encodings don't matter. NaN equals NaN. Where a key takes -0 for 0, a test tells them apart: what
// is stored keeps the row's own bits.
package onerowtest
