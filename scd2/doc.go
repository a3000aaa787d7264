// Package scd2 keeps the history of a table: one row a version, valid on a half-open interval.
//
//	history ─┐
//	changes ─┼─► Plan ─► Merge{inserts, closes, rewrites, removes, …} ─► Apply   the next history, in memory
//	state ───┘             │                                          ├─► Staged  rows for one atomic MERGE (see MergeSQL)
//	                       └─► Audit, Report                          └─► State   what the next call needs to know
//
// # Versions
//
// A version of a key is valid on [valid_from, valid_to): from its start on, up to its end and not including it. The end of an open
// version is NULL or the declared sentinel ([Table].OpenEnd); both read as open. After a merge of a well-formed history each key
// has one open version at most, no two versions overlap, none is empty or inverted, and a version that follows another
// without a gap starts exactly where that one ends.
//
// # Events
//
// In [Changes] mode each source row is an event at a point of time, its position: a value of an order column, or one clock
// value for the call. Events may come in any order and any number of times. A late event splits the version it falls in; an event
// that says what its key's version says already makes none. In [Snapshot] mode the source is complete, and a key that is absent from
// it is closed or kept, as the caller says.
//
// A column whose changes make versions is tracked. Others are corrected in place, on the version that an event falls in; so are order
// columns that the history has too, which then tell of the last event that fell in a version, and not of the one that began it.
//
// # State
//
// A history doesn't show everything that was said: not that a value was said again, not a delete of a key that wasn't there, not
// in which order events came inside a transaction. A late event may need to know. [Merge.State] gives what the history doesn't
// show as a small table; stored beside the history and handed in again ([Options].State), it makes the history the same
// for every order and batching of the same events.
//
// [Check] finds what is wrong with a history that something else wrote; [Current] and [AsOf] select rows of it.
package scd2
