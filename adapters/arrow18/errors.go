package arrow18

import (
	"errors"
	"fmt"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/adapters/arrow18/internal/fault"
)

// TypeError says which column has a type that the other version of Arrow lacks. It wraps onerow.ErrType.
type TypeError struct {
	// Column is the column's name; for a column inside another the names from the outermost on, with dots between:
	// "order.lines.item.price". It is "" for an array by itself.
	Column string
	// Type is the type: an arrow.DataType of the version that it comes from.
	Type fmt.Stringer
	// Why says what can't be done, in words.
	Why string
}

func (e *TypeError) Error() string {
	return fmt.Sprintf("column %q of type %v: %s", e.Column, e.Type, e.Why)
}

func (e *TypeError) Unwrap() error { return onerow.ErrType }

// said turns what a conversion found into an error of this package.
func said(err error) error {
	var f *fault.Error
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &f):
		return err
	case !f.Malformed:
		return &TypeError{Column: f.Column, Type: f.Type, Why: f.Why}
	case f.Type == nil:
		return fmt.Errorf("column %q: %w: %s", f.Column, onerow.ErrMalformed, f.Why)
	}
	return fmt.Errorf("column %q of type %v: %w: %s", f.Column, f.Type, onerow.ErrMalformed, f.Why)
}
