// Package onerow holds the nouns that the verbs of onerow share: one key, one row.
//
// The verbs live in the packages below it:
//
//	dedupe   the latest row per key, in memory and of streams beyond it: winners, ties, carry-forward, guard against replays
//	scd2     the history of a table: plan, apply, check; staged rows and MERGE text for engines; row hashes
//	grain    what one row stands for: is this key unique, why not, what is the key, will this MERGE fail
//	join     how many rows a join makes, before it runs; joins by time
//
// Package onerowtest is for tests of your own merge rules.
//
// All of them read Arrow record batches and answer with row lists:
//
//	batches ─► verb(key, order, options) ─► Rows + Report ─► Take ─► arrow.Record
//
// (scd2 writes boundaries and flags, so that it makes its records itself.)
//
// # Rows
//
// The batches of one call are read as one table. Its rows are numbered from 0, across the batches, in the order in
// which the batches are given: the first row of the second batch has the number that is the length of the first. A
// [Rows] lists such numbers; [Take] makes a record of them. Nothing is copied before Take is called.
//
// # Keys and orders
//
// A key is a list of column names. Two rows have one key when their columns are equal by value, column by column:
// the encoding (dictionary, run-end, view, large offsets), the width of an integer, the scale of a decimal and the
// unit of a timestamp don't matter; -0 and 0 are equal, and so are all NaNs. Integers and floats, text and binary,
// naive and zoned timestamps are different families and never equal: such a pair is an error that wraps [ErrType].
//
// An order is a list of [Order] values, made by [Desc] and [Asc]. The first difference decides.
//
// # Errors
//
// Every error but the context's wraps one of the sentinels of this package (errors.Is). Those about columns, types, rows and keys have
// one of its error types (errors.As), which name them.
//
// # Ownership
//
// A call borrows its input batches. A returned record or array belongs to the caller, who releases it.
package onerow
