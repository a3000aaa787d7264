// Package cases runs the case files below testdata: calls on tiny tables, each with its one right answer.
// testdata/FORMAT.md says how they are written. It calls the library through its public API only.
//
// A case is run once for each form that arrowtest has of its tables: cut into batches of other sizes, with empty batches
// in between, as slices of larger arrays that hold garbage, in other encodings; and, unless its answer depends on arrival,
// with its rows shuffled. What a case doesn't say, but any answer must hold, is checked as well: that every row went
// somewhere, that the lists of rows are in order and don't overlap, that winners have one key each and go out with the
// bits they came with, and that nothing is leaked.
//
// A case of a verb that the library doesn't have yet is counted apart, as skipped: it never passes.
package cases
