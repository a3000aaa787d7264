package dedupe

import (
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
)

// Ties says which of several rows wins that have one key, are equal in order and differ in content.
type Ties uint8

const (
	// RejectTies refuses the call, naming the keys.
	RejectTies Ties = iota
	// TiesByContent keeps the greatest row by content: all columns from left to right, NULL lowest, NaN greatest, text
	// and binary by bytes, nested values element by element. The winner is the same for every arrival.
	TiesByContent
	// FirstTied keeps the row that came first. The result depends on arrival.
	FirstTied
	// LastTied keeps the row that came last. The result depends on arrival.
	LastTied
	// SetAsideTies lists all rows of such a key, older ones too, in [Plan.SetAside]; rows not newer than the target's are stale
	// all the same.
	SetAsideTies
)

// Op names the columns that say what a row does. The zero value: every row is an upsert.
type Op struct {
	// Column holds the operation. A NULL is an upsert. Default "": there is none.
	Column string

	// Delete lists the values of Column that delete: "d", true, 3. See [onerow.Value]. Default none.
	Delete []onerow.Value

	// Snapshot lists the values of Column that mark a snapshot read, such as "r": older than every streamed change,
	// whatever its order columns say. Default none.
	Snapshot []onerow.Value

	// PreviousKey names, for each key column, the column that holds the key that the row had before. A row in which
	// one of them is not NULL and the previous key differs from the key is a key change: it ends the previous key at its
	// point of the order, as a delete would (see [Plan.Ended]), and carry-forward goes on from there. A row in which all
	// of them are NULL changes no key. One that is NULL in part is treated as Options.NullKey says of keys: refused, a key like any
	// other, or none. Two rows may not exchange their keys directly: the row that gives a key up must come before the one that takes it, as
	// it must in a table whose key is checked row by row. Default nil: keys don't change.
	PreviousKey []string
}

// Fill asks for carry-forward in one column: a source that doesn't send unchanged large values sends a placeholder
// instead, and the value is taken from the nearest older row in the life of the row.
type Fill struct {
	// Column is the column to fill. If the target has it, it must have the same type there.
	Column string
	// Unavailable is the placeholder.
	Unavailable onerow.Value
}

// Options are the optional parts of [Latest]. The zero value is the documented default of each.
type Options struct {
	// NullKey says what happens to rows with NULL in a key column. Default [onerow.RejectNullKeys].
	NullKey onerow.NullKey

	// Ties says which of several rows wins that are equal in order and differ in content. Default RejectTies.
	Ties Ties

	// Op names the columns that say what a row does. Default: every row is an upsert.
	Op Op

	// Fill lists the columns to carry forward. Default none: a winner is a whole row of the input.
	Fill []Fill

	// Against holds what the target has already: one row a key, with the key and order columns under the same names, and
	// any others. Rows not newer than the target's row of their key are stale (see [Plan.Stale]). For deletes to be
	// guarded against replays, the target must hold the deleted keys too (tombstones), with the op column; snapshot
	// reads are told apart by the op column too. The batches must have one schema. Every call reads all of them; for batch after batch
	// see [Guard]. Default nil: no guard.
	Against []arrow.Record

	// Resources bounds what the call may use. Default: all processors, the default allocator.
	Resources onerow.Resources
}
