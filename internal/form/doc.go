// Package form reads Arrow arrays by value.
//
// It is the one place that switches on Arrow types. Some forty logical types collapse onto a few physical [Kind]s
// (bits, words of 1 to 32 bytes, bytes behind offsets or views) and a [Family], which says what a value is equal to:
//
//	arrow.Array ─► Of ─► Array{Kind, Family, buffers, offset}
//	                       ├─ Null, Equal, Compare, Format   cell by cell, any type
//	                       └─ Words, Texts, Hashes           block by block, for the kernel's loops
//
// Dictionary, run-end and extension arrays are adaptors: a cell of theirs is a cell of the array below. NULL is decided
// logically, by following them down, never by the null count that Arrow reports, and nothing is read from a slot that
// is NULL. Offsets of sliced arrays are kept in the Array; its rows are 0 to Len-1.
//
// An Array borrows the buffers of the array that it was made of. Shapes are checked as far as that is cheap; buffers
// that contradict the shape (offsets beyond the data, indices beyond the dictionary) end in a runtime bounds
// panic, never in a read outside: callers recover it (see keyset.Guard).
package form
