package scd2

// Target describes the target table of a merge for [MergeSQL].
type Target struct {
	// Name is the table's name, one element a part: "prod", "customers".
	Name []string
	// Key, ValidFrom and Columns are columns of the table: its key, the start, and all of them in order.
	Key       []string
	ValidFrom string
	Columns   []string
	// NullKeys says that NULLs in key columns are equal to each other.
	NullKeys bool
}
