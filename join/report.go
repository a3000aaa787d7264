package join

import (
	"encoding"
	"fmt"
	"slices"
	"strings"

	"github.com/onerow-go/onerow"
)

// Size is what [Estimate] says of a join. Row numbers are of their own side.
type Size struct {
	On Key `json:"on"`
	// Rows are the numbers of rows that each kind of join makes.
	Rows Sizes `json:"rows"`
	// Relationship is that of the rows that match. Whether the keys of a side are unique is another question: see [Side].
	Relationship Relationship `json:"relationship"`
	// MatchedKeys is the number of keys that both sides have.
	MatchedKeys int64 `json:"matched_keys"`
	Left        Side  `json:"left"`
	Right       Side  `json:"right"`
	// Worst are the keys that make the most rows, only keys that make two or more, worst first, equal ones by first appearance.
	Worst []KeySize `json:"worst,omitempty"`
	// Placeholders are the keys that stand for no value.
	Placeholders Placeholders `json:"placeholders"`
}

// Sizes are the numbers of rows of each kind of join.
type Sizes struct {
	// Inner is the number of pairs of rows whose keys are equal. Left adds the left rows without a partner, Right the right ones, Full both.
	Inner Count `json:"inner"`
	Left  Count `json:"left"`
	Right Count `json:"right"`
	Full  Count `json:"full"`
	// LeftSemi and LeftAnti are the left rows with and without a partner; RightSemi and RightAnti the right ones.
	LeftSemi  Count `json:"left_semi"`
	LeftAnti  Count `json:"left_anti"`
	RightSemi Count `json:"right_semi"`
	RightAnti Count `json:"right_anti"`
}

// Side says what one side of a join holds. Rows = MatchedRows + UnmatchedRows; NULL rows that meet nothing are among the latter.
type Side struct {
	Rows int64 `json:"rows"`
	// Keys is the number of distinct keys, those with NULL only under NullsEqual.
	Keys int64 `json:"keys"`
	// Unique says that no two rows have one key, matched or not.
	Unique bool `json:"unique"`
	// NullRows is the number of rows with NULL in a key column, NullShare its part of Rows, and Nulls counts them for each key column that
	// has any.
	NullRows  int64                `json:"null_rows"`
	NullShare float64              `json:"null_share"`
	Nulls     []onerow.ColumnNulls `json:"nulls,omitempty"`
	// PlaceholderShare is the part of Rows whose key is a placeholder.
	PlaceholderShare float64 `json:"placeholder_share"`
	// MatchedRows is the number of rows with a partner on the other side, UnmatchedRows of those without.
	MatchedRows   int64 `json:"matched_rows"`
	UnmatchedRows int64 `json:"unmatched_rows"`
	// FanOut is the number of rows of the other side that a matched row of this side meets, the mean; MaxFanOut is the most. Both are 0 without
	// a match.
	FanOut    float64 `json:"fan_out"`
	MaxFanOut int64   `json:"max_fan_out"`
	// RepeatedKeys is the number of matched keys that have two or more rows on this side. Repeats are those of them that make the most rows, at
	// most [onerow.MaxSampleKeys], worst first.
	RepeatedKeys int64     `json:"repeated_keys"`
	Repeats      []KeySize `json:"repeats,omitempty"`
}

// KeySize is a key with its rows on both sides.
type KeySize struct {
	// Values are the values of the key columns as text, as the first row that has the key has them, left rows first: NULL as NULL, text in
	// quotes, bytes in hex.
	Values []string `json:"values"`
	// Left and Right are the numbers of rows that have the key; Inner is the number of rows that a join makes of them, and Share its part of
	// all rows of the inner join.
	Left  int64   `json:"left"`
	Right int64   `json:"right"`
	Inner Count   `json:"inner"`
	Share float64 `json:"share"`
	// LeftRows and RightRows are the first rows on each side, at most [onerow.MaxSampleRows], in ascending order.
	LeftRows  onerow.Rows `json:"left_rows,omitempty"`
	RightRows onerow.Rows `json:"right_rows,omitempty"`
}

// Placeholders are the keys that stand for no value, such as -1 or "unknown": all rows that know no better have them, and so meet each other.
//
// Given (Options.Placeholders), they are all keys that have one of the values in a column. Else they are detected: on either side, a key with
// one of the usual placeholders in a column, among the 100 keys with the most rows, that has at least 3 rows, and at least 3 times the mean of
// the side's keys (those of the 100 that have a usual placeholder left out). Usual placeholders are the numbers 0 and -1, and integers of three
// or more nines with either sign; texts that without white space around them and without case are empty, "-", "?", "0", "-1", three or more zeros or nines, the nil
// UUID, "n/a", "na", "nan", "nil", "none", "null", "unknown", "undefined", "missing", "default" or "tbd"; bytes that are all zero, or none; and the
// days 0001-01-01, 1900-01-01, 1970-01-01 and 9999-12-31, as dates or at midnight.
type Placeholders struct {
	// Left and Right are the numbers of rows whose key is a placeholder; Inner is the number of rows that a join makes of them. Rows that
	// meet nothing for a NULL don't count.
	Left  int64 `json:"left"`
	Right int64 `json:"right"`
	Inner Count `json:"inner"`
	// Keys are these keys, those with the most rows first: all that were detected, or at most 200 of the given ones.
	Keys []KeySize `json:"keys,omitempty"`
}

// side returns a side by its index.
func (s *Size) side(i int) *Side {
	if i == rightSide {
		return &s.Right
	}
	return &s.Left
}

// Relationship says how many rows of one side meet how many of the other.
type Relationship uint8

const (
	// None says that no row matches.
	None Relationship = iota
	// OneToOne says that each row that matches has one partner.
	OneToOne
	// OneToMany says that left rows may meet several right rows, and each right row at most one left row.
	OneToMany
	// ManyToOne says that right rows may meet several left rows, and each left row at most one right row.
	ManyToOne
	// ManyToMany says that rows of both sides may meet several.
	ManyToMany
)

var relationships = [...]string{None: "none", OneToOne: "one_to_one", OneToMany: "one_to_many", ManyToOne: "many_to_one", ManyToMany: "many_to_many"}

var (
	_ encoding.TextMarshaler   = None
	_ encoding.TextUnmarshaler = new(Relationship)
)

// String is the relationship in words: many to one.
func (r Relationship) String() string {
	if int(r) >= len(relationships) {
		return fmt.Sprintf("Relationship(%d)", uint8(r))
	}
	return strings.ReplaceAll(relationships[r], "_", " ")
}

// MarshalText writes many_to_one.
func (r Relationship) MarshalText() ([]byte, error) {
	if int(r) >= len(relationships) {
		return nil, fmt.Errorf("%w: no relationship has the number %d", onerow.ErrOption, r)
	}
	return []byte(relationships[r]), nil
}

// UnmarshalText reads what MarshalText writes.
func (r *Relationship) UnmarshalText(text []byte) error {
	i := slices.Index(relationships[:], string(text))
	if i < 0 {
		return fmt.Errorf("%w: no relationship is named %q", onerow.ErrOption, text)
	}
	*r = Relationship(i)
	return nil
}
