// Package oracle answers what the verbs answer, slowly and plainly: a row at a time, over Go maps and exact numbers. Tests
// compare the verbs with it.
//
// It reads Arrow arrays with code of its own and shares none with the packages that the verbs are built of, so that a
// mistake would have to be made twice to go unseen. Its parts:
//
//	value.go, decode.go   a cell as a value: exact numbers, bytes, items
//	family.go             which types can be equal to each other, and which can be keys and orders
//	equal.go              equality and the two orders of values
//	literal.go            values written in options
//	table.go              batches as rows of values
//	latest.go …           dedupe.Latest: setup; one key; carry-forward
//	check.go              grain.Check
//	diagnose.go …         grain.Diagnose: causes; forms of text
//	mergeconflicts.go     grain.MergeConflicts
//	minimalkeys.go        grain.Keys
//	profile.go            grain.Profile
//	asof.go               join.AsOf and Between
//	ranges.go             scd2.Check, Current and AsOf
//	joinsize.go           join.Estimate; joinplaceholder.go its placeholders
//	history.go …          scd2.Plan in Changes mode: columns; events; the replay
//	history_snapshot.go   scd2.Plan in Snapshot mode
package oracle
