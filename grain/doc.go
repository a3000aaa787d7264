// Package grain says what one row of a table stands for.
//
// The grain of a table is the set of columns that tells its rows apart: one row per order, or one per order and line. A
// merge is safe when its source has one row per key of the ON clause.
//
//   - [Check] counts the rows of each key: is the key unique, and if not, which keys repeat, how often, and in which rows.
//   - [Diagnose] says why keys repeat (copies, retries, versions, a missing column, placeholders, the form of text…), and what to do about it.
//   - [Align] compares the grain that a table was deduped at with that of an ON clause.
//   - [Keys] finds all minimal keys of a table, and near-keys with what violates them.
//   - [MergeConflicts] looks at both sides of a MERGE before it is run: target rows that several source rows act on, new keys that come
//     more than once, rows with NULL in the ON clause. The source's columns may have other names. [MergeEngines] says which engines raise an error.
//   - [Profile] takes a table's figures (rows, keys, surplus, NULLs, exact sums), and [Compare] refuses growth or loss of them beyond a tolerance.
//
// # Equality
//
// Keys are equal by value, column by column, as package onerow says: no encoding, width, scale or unit matters, and
// nothing is concatenated. Rows with NULL in a key column are left out and counted (NullsDistinct), or NULL equals NULL
// (NullsEqual).
//
// # Outcome
//
// A report is counts and a list of the worst keys, each with its first rows; its Err makes an error of it, for calls that must not go on
// with duplicates.
package grain
