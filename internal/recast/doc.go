// Package recast turns Arrow arrays into arrays of another type of the same family, by value and exactly.
//
//	Array ─► cast ─┬─ types agree ──────────────► the data as it is
//	               ├─ to a dictionary, run-ends ─► cast to the values' type, then encode
//	               ├─ from a dictionary, run-ends► cast the values, then gather
//	               └─ plain to plain ───────────► a loop per physical layout: ints and times, floats, decimals, bytes, structs, lists
//
// A cast gives the data and the rows whose values the type can't hold: they are NULL in the data. A parent of
// such a row is one itself. Numbers are never taken through a float or a text, and nothing is read from a slot that is NULL,
// or lies below one.
package recast
