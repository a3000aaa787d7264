package dedupe

import (
	"github.com/onerow-go/onerow"
)

// Plan is the outcome of [Latest]: which rows to keep, which to set aside, and why the others went. It borrows the batches
// of the call: they must stay alive as long as [Plan.Take] may be called.
//
// All lists are in ascending order. Every row of the input is in Rows, SetAside or Stale, or is counted as superseded
// or duplicate in the report.
type Plan struct {
	// Rows are the winners, one a key, delete rows included. [Plan.Take] takes these; the caller may leave some out before, such as
	// the deletes: p.Rows = p.Rows.Without(p.Deletes).
	Rows onerow.Rows

	// Deletes are those of the winners that are delete rows.
	Deletes onerow.Rows

	// SetAside are the rows with NULL keys and the rows of tied keys, where the options set them aside.
	SetAside onerow.Rows

	// Stale are the rows that are not newer than the target's row of their key. Always empty without Options.Against.
	Stale onerow.Rows

	// Ended are the key-change rows that end their previous key: nothing of that key, in the batches or in the target,
	// is newer. The values of the previous-key columns in these rows are the keys to delete from the target
	// (see [Plan.TakeEnded]). A row may be both in Rows and in Ended.
	Ended onerow.Rows

	// Report counts what happened.
	Report Report

	job *job
	// filled has, for each fill of the job, the row that gives a winner its value, where that isn't its own.
	filled []map[uint32]uint32
}

// Report counts what [Latest] did. In = Kept + Superseded + Duplicates + SetAside + Stale.
type Report struct {
	// In is the number of rows of the input.
	In int64 `json:"in"`
	// Kept is the number of winners, delete rows included.
	Kept int64 `json:"kept"`
	// Superseded is the number of rows that lost to a greater row of their key, to the key's end by a key change, or in
	// a tie that was resolved.
	Superseded int64 `json:"superseded"`
	// Duplicates is the number of copies of winners: equal in every column.
	Duplicates int64 `json:"duplicates"`
	// SetAside is the number of rows set aside for a NULL key or a tie.
	SetAside int64 `json:"set_aside"`
	// Stale is the number of rows not newer than the target's row of their key.
	Stale int64 `json:"stale"`

	// TiedKeys is the number of keys with a tie for the winner, however it was resolved, ties with the target included.
	TiedKeys int64 `json:"tied_keys"`
	// TiedRows is the part of SetAside that was set aside for a tie.
	TiedRows int64 `json:"tied_rows"`
	// NullKeyRows is the number of rows with NULL in a key column.
	NullKeyRows int64 `json:"null_key_rows"`
	// NullOrderRows is the number of rows with NULL in an order column, rows set aside for their key not counted.
	NullOrderRows int64 `json:"null_order_rows"`
	// Deletes is the number of winners that are delete rows.
	Deletes int64 `json:"deletes"`
	// DeleteTies is the number of keys for which a delete won over an upsert equal in order.
	DeleteTies int64 `json:"delete_ties"`
	// Replays is the part of Stale that is equal in order and content to the target's row.
	Replays int64 `json:"replays"`
	// EndedKeys is the number of keys that end by a key change.
	EndedKeys int64 `json:"ended_keys"`
	// Filled is the number of values of winners that were carried forward.
	Filled int64 `json:"filled"`
	// Unfilled is the number of values of winners that stay unavailable.
	Unfilled int64 `json:"unfilled"`
}
