package scd2

import (
	"github.com/onerow-go/onerow"
)

// Merge is the outcome of [Plan]: what turns the history into the next one. It borrows the batches of the call: they must stay
// alive as long as it is used. All lists are in ascending order of their rows; Inserts are those with values of the history, of the changes, of
// the state, then deletion rows of previous keys, each in that order.
//
// Rows of the history are inserted, closed, rewritten, removed, or left as they are. Every row of the changes is applied,
// unchanged, superseded, a duplicate, ignored or rejected.
type Merge struct {
	// Inserts are the rows that come new, in the order in which [Merge.Apply] appends them.
	Inserts []Insert
	// Closes are the open rows of the history that get an end.
	Closes []Action
	// Rewrites are the rows of the history that change otherwise: a moved start or end, a correction.
	Rewrites []Action
	// Removes are the rows of the history that vanish.
	Removes []Action
	// Unchanged are the rows of the changes that say what the history says already, or delete what isn't there. The state may remember them.
	Unchanged onerow.Rows
	// Ignored are the rows of the changes that were not applied, as the options say or because they are not newer.
	Ignored []Action
	// Rejected are the rows of the changes that were set aside.
	Rejected []Action
	// Report counts what happened.
	Report Report

	job *job
	out *outcome
}

// Action is a row, and why it is listed.
type Action struct {
	Row    uint32 `json:"row"`
	Reason Reason `json:"reason"`
}

// Insert is a row that comes new, and which row its values come from.
type Insert struct {
	// From is the input that Row is a row of: the changes, the history for the last values of a deleted key, or the state.
	From   Input  `json:"from"`
	Row    uint32 `json:"row"`
	Reason Reason `json:"reason"`
}

// Input is one of the three inputs of [Plan].
type Input uint8

const (
	// FromChanges is a row of the changes.
	FromChanges Input = iota
	// FromHistory is a row of the history.
	FromHistory
	// FromState is a row of the state.
	FromState
)

// Reason says why a row is in one of the lists of a [Merge].
type Reason uint8

const (
	// NewKey is an insert, the first version of its key.
	NewKey Reason = iota + 1
	// Changed is an insert after, or a close by, a newer version.
	Changed
	// Returned is an insert of a key that was deleted before; a close of its deletion row.
	Returned
	// Split is an insert before a later version of its key, by a late event.
	Split
	// Remembered is an insert of a version that the state knew of.
	Remembered
	// DeletionRow is an insert that stands for a deletion.
	DeletionRow
	// Deleted is a close by a delete; a remove of a version whose start a delete took.
	Deleted
	// Truncated is a close by a truncate.
	Truncated
	// WasAbsent is a close of a version because the snapshot doesn't have the key.
	WasAbsent
	// EndMoved is a rewrite of a version that ends at another time.
	EndMoved
	// StartMoved is a rewrite of a version that starts at another time.
	StartMoved
	// Corrected is a rewrite of values in place.
	Corrected
	// FlagMended is a rewrite of a wrong current flag.
	FlagMended
	// Repeated is a remove of a version that now repeats the one before it.
	Repeated
	// Replaced is a remove of a version whose start a greater event took.
	Replaced
	// LateEvent is an ignored event.
	LateEvent
	// NotNewer is an ignored row of a snapshot, which differs without a newer order value.
	NotNewer
	// NullKeyed is a rejected event with NULL in its key.
	NullKeyed
	// Tied is a rejected event of a key with a tie.
	Tied
	// BelowWatermark is a rejected event from before the state's watermark.
	BelowWatermark
)

// Report counts what [Plan] decided. Events = Applied + Unchanged + Superseded + Duplicates + Ignored + Rejected.
type Report struct {
	// Events is the number of rows of the changes.
	Events int64 `json:"events"`
	// Applied is the number of rows of the changes that make a difference to the history.
	Applied int64 `json:"applied"`
	// Unchanged is the number of those that say what the history says already.
	Unchanged int64 `json:"unchanged"`
	// Superseded is the number of those that lost to a greater event at their position.
	Superseded int64 `json:"superseded"`
	// Duplicates is the number of copies of an event of the same call.
	Duplicates int64 `json:"duplicates"`
	// Ignored is the number of those not applied, as the options say or because they are not newer.
	Ignored int64 `json:"ignored"`
	// Rejected is the number of those set aside.
	Rejected int64 `json:"rejected"`

	// Insert, Close, Rewrite and Remove are the numbers of rows of the history that come new, get an end, change otherwise, vanish.
	Insert  int64 `json:"insert"`
	Close   int64 `json:"close"`
	Rewrite int64 `json:"rewrite"`
	Remove  int64 `json:"remove"`

	// History is the number of rows of the history given, Open the number of its open versions, deletion rows not counted.
	History int64 `json:"history"`
	Open    int64 `json:"open"`
	// Keys is the number of keys that the changes touch.
	Keys int64 `json:"keys"`
	// ClosedByAbsence is the part of Close for keys that the snapshot doesn't have.
	ClosedByAbsence int64 `json:"closed_by_absence"`
	// Late is the number of late events that were applied.
	Late int64 `json:"late"`
	// Unsure is the part of Late that was applied without a State: what was said after them, and isn't shown by the history, isn't known.
	Unsure int64 `json:"unsure"`
	// Remembered is the number of rows of the new state, Forgotten of those of the old one that it doesn't need.
	Remembered int64 `json:"remembered"`
	Forgotten  int64 `json:"forgotten"`
}
