package scd2

import (
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
)

// Mode says what the source is. It has no default.
type Mode uint8

const (
	// Changes reads each row as an event; absence means nothing.
	Changes Mode = iota + 1
	// Snapshot reads the source as complete; [Options].Absent says what absence means.
	Snapshot
)

// Absent says what it means that a key with an open version isn't in a snapshot. It has no default.
type Absent uint8

const (
	// AbsentCloses closes the open version at Now.
	AbsentCloses Absent = iota + 1
	// AbsentKept leaves it.
	AbsentKept
)

// Late says what happens to late events: those before the last boundary, start or end, of their key's history. An event that says what the
// history says there already, in the tracked columns, is never late; it may correct others. A truncate speaks of all keys: it may be
// refused, but isn't ignored. What else a call does may take the boundary away that made an event late: with IgnoreLate, the same changes
// again may then apply it.
type Late uint8

const (
	// RewriteLate puts a late event where it belongs: it splits the version that it falls in.
	RewriteLate Late = iota
	// IgnoreLate lists it in [Merge.Ignored].
	IgnoreLate
	// RejectLate refuses the call.
	RejectLate
)

// Unchanged says what becomes of an event that repeats the version valid just before it.
type Unchanged uint8

const (
	// CollapseUnchanged makes no version of it.
	CollapseUnchanged Unchanged = iota
	// KeepUnchanged makes a version of it all the same.
	KeepUnchanged
)

// Deletes says what stands for a deletion in the history.
type Deletes uint8

const (
	// DeletesClose ends the open version; no row stands for the time after.
	DeletesClose Deletes = iota
	// DeletesAsRows also adds a row with the last values, marked in [Table].Deleted, valid until the key returns.
	DeletesAsRows
)

// Ties says what happens to events of one key that are equal in order and differ in content, and to an event at an existing start that
// says otherwise.
type Ties uint8

const (
	// RejectTies refuses the call, naming the keys.
	RejectTies Ties = iota
	// TiesByContent keeps the greatest event by content: the same for every arrival.
	TiesByContent
	// SetAsideTies lists all events of such a key in [Merge.Rejected], and leaves its history alone, but for truncates, which speak of all
	// keys.
	SetAsideTies
)

// Missing says what it means that the source lacks a column of the history.
type Missing uint8

const (
	// KeepUnlessTracked keeps the history's values, and refuses the call when the column is named in [Options].Tracked.
	KeepUnlessTracked Missing = iota
	// KeepMissing keeps the history's values: a new version takes over what the key had.
	KeepMissing
	// NullMissing reads the column as NULL.
	NullMissing
)

// New says what happens to a column of the source that the history lacks.
type New uint8

const (
	// RejectNew refuses the call.
	RejectNew New = iota
	// AddNew adds the column to the history, at its end; rows that are there already have NULL in it, which is no
	// change until an event says otherwise. A table in an engine needs the column before [MergeSQL] runs.
	AddNew
)

// Columns says what happens where the columns of source and history differ.
type Columns struct {
	// Missing says what a column means that only the history has. Default KeepUnlessTracked.
	Missing Missing
	// New says what happens to a column that only the source has. Order and op columns need not be in the history. Default RejectNew.
	New New
	// KeepNull lists columns in which NULL in an event means "not said": the key's value stays. What a version took over from the one
	// before it, here or of a missing column, it keeps: a late event before it doesn't change it, so that these values depend on the order
	// of arrival. Default none.
	KeepNull []string
	// Group says that the source speaks for its columns alone, on a clock of its own, beside other sources for the others. Versions that
	// other sources made are then no events of this one: a change holds on past their boundaries, until this source's next. Plans for
	// disjoint groups can be made one after the other, each with its own State. Default false: each version of the history was said as a
	// whole.
	Group bool
}

// Op names the columns that say what a row does, in Changes mode. The zero value: every row is an upsert.
type Op struct {
	// Column holds the operation. NULL is an upsert. Default "": there is none.
	Column string
	// Delete lists the values of Column that delete. Default none.
	Delete []onerow.Value
	// Truncate lists the values of Column that end every open version. The key of such a row isn't read. Default none.
	Truncate []onerow.Value
	// PreviousKey names, for each key column, the column that holds the key that the row had before. A row whose previous key isn't NULL
	// and differs from its key is a key change: a delete of the old key and an upsert of the new, at one time. One that is NULL in part is
	// treated as Options.NullKey says of keys: refused, a key like any other, or none. Two rows may not exchange their keys directly: the
	// row that gives a key up must come before the one that takes it, as it must in a table whose key is checked row by row. Not together
	// with IgnoreLate and SetAsideTies, which would take one half of a key change away. Default nil: keys don't change.
	PreviousKey []string
}

// Options are the optional parts of [Plan], all but Mode.
type Options struct {
	// Mode says what the source is. It must be set.
	Mode Mode

	// At is the order of events: positions, then what tells events of one position apart. Its first column, or the one named in
	// From, gives valid_from, and can be neither ascending nor NULL. Events of a key that share the position are one version, the last in the
	// full order. With several columns, keep them all in the history, not tracked: the state is small then. Default none: Now.
	At []onerow.Order

	// From names the column of At whose values are the positions. Default "": the first.
	From string

	// Now is the one position of all rows of the call where there is no At, and in Snapshot mode the time at which absent keys are
	// closed. A full table that comes again and again is a Snapshot: in Changes mode each row of it would be an event to remember. Default nil: At.
	Now onerow.Value

	// Tracked lists the columns whose changes make versions; the others are corrected in place. Default nil: all columns but the key, the order,
	// the op and the boundaries.
	Tracked []string

	// Op names the columns that say what a row does. Default: every row is an upsert.
	Op Op

	// Late says what happens to late events, in Changes mode. Default RewriteLate.
	Late Late

	// Unchanged says what becomes of an event that repeats its version. Default CollapseUnchanged.
	Unchanged Unchanged

	// Deletes says what stands for a deletion. Default DeletesClose.
	Deletes Deletes

	// Ties says what happens to events that are equal in order and differ in content. Default RejectTies.
	Ties Ties

	// Absent says what absence from a snapshot means. It must be set in Snapshot mode.
	Absent Absent

	// MaxClose is the greatest share, from 0 to 1, of the history's open versions that may be closed by absence; deletion rows aren't open.
	// Rows of the history with NULL in the key count as open, and are never closed, unless NULL keys are equal. Default 0: none.
	MaxClose float64

	// AllowEmpty lets a snapshot without rows through. Default false: it is refused.
	AllowEmpty bool

	// RequireChange makes a plan that changes nothing ([Merge.Empty]) an error. Default false.
	RequireChange bool

	// NullKey says what happens to events with NULL in a key column. Default [onerow.RejectNullKeys]. Rows of the history with a NULL key are
	// matched under [onerow.EqualNullKeys] alone.
	NullKey onerow.NullKey

	// Columns says what happens where the columns of source and history differ.
	Columns Columns

	// Since tells that the history given is a part: it holds every version that is open or ends at or after Since, and may lack others.
	// Events before Since are then refused, and so is what would need the last values of a key that has no version given. Default nil: for
	// each key that the changes touch (in Snapshot mode with AbsentCloses and after a truncate: that has an open version) all versions are
	// given.
	Since onerow.Value

	// State is what [Merge.State] of the call before gave, of one schema. In Snapshot mode it is handed on. Default nil: what the history
	// doesn't show isn't known.
	State []arrow.Record

	// Base is the caller's name of the history that was read, such as a snapshot or version id. It goes into [Audit]. Default "".
	Base string

	// Resources bounds what the call may use. Default: all processors, the default allocator.
	Resources onerow.Resources
}
