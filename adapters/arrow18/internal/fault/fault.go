// Package fault is what a conversion between versions of Arrow can find wrong, for the packages up and down.
package fault

import "fmt"

// Error says which column can't be converted.
type Error struct {
	// Column is the path to the column: its name, then those of the fields inside it, with dots between.
	Column string
	// Type is the column's type in the version that it comes from; nil if there is none.
	Type fmt.Stringer
	// Why says what is wrong, in words.
	Why string
	// Malformed is true if the buffers contradict the type, false if the other version lacks the type.
	Malformed bool
}

func (e *Error) Error() string { return fmt.Sprintf("column %q: %v: %s", e.Column, e.Type, e.Why) }

// Caught turns a panic into an error that is malformed. Arrow's constructors report what they find wrong by panics; what they
// look for is looked for before them, so that nothing is left half-made, but for what only they know.
func Caught(column string, err *error) {
	if p := recover(); p != nil {
		*err = &Error{Column: column, Why: fmt.Sprint(p), Malformed: true}
	}
}
