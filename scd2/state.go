package scd2

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/form"
)

// The columns of a state, before those of the history that the planner doesn't write itself. A state is a record like any other: store
// it beside the history, and hand it to the next call.
const (
	// StateKind (text) says what a row is: "upsert", "delete", "truncate", or "watermark".
	StateKind = "onerow_kind"
	// StateAt (of the type of ValidFrom) is its position.
	StateAt = "onerow_at"
	// StateOrdered (boolean) says whether the order columns of the row are known: they aren't for versions that the first history had.
	StateOrdered = "onerow_ordered"
	// StateOrder begins the names of the columns of At beside the position.
	StateOrder = "onerow_order_"
)

var kindNames = [...]string{upsert: "upsert", remove: "delete", truncated: "truncate", watermark: "watermark"}

// kindReader reads what the rows of a state are.
type kindReader struct {
	col *form.Column
	is  [len(kindNames)]*form.Matcher
}

func newKindReader(col *form.Column) (*kindReader, error) {
	r := &kindReader{col: col}
	var err error
	for k, name := range kindNames {
		if r.is[k], err = form.NewMatcher(col.Type, []any{name}); err != nil {
			return nil, &onerow.TypeError{Column: StateKind, Type: col.Type, Input: "state", Why: err.Error()}
		}
	}
	return r, nil
}

// at is the kind of a row. It fails when that is none, or the row has no position.
func (r *kindReader) at(row uint32, hasPosition bool) (kind, error) {
	for k, m := range r.is {
		switch {
		case !r.col.Match(m, row):
		case !hasPosition:
			return 0, fmt.Errorf("%w: row %d of state: %s is NULL", onerow.ErrOption, row, StateAt)
		default:
			return kind(k), nil
		}
	}
	return 0, fmt.Errorf("%w: row %d of state: %s is %s", onerow.ErrOption, row, StateKind, r.col.Format(row))
}

// readState reads what the rows of the state are.
func (j *job) readState() error {
	if j.state.Schema == nil {
		return nil
	}
	i, err := j.state.Index(StateKind)
	if err != nil {
		return err
	}
	col, err := j.cellsOf(j.state.Input, StateKind, j.state.Schema.Field(i).Type, j.state.Chunks(i), j.state.Lens(nil))
	if err != nil {
		return err
	}
	kinds, err := newKindReader(col)
	if err != nil {
		return err
	}
	for row := range uint32(len(j.stKinds)) {
		pos, ok := j.line.At(atState, row)
		k, err := kinds.at(row, ok)
		if err != nil {
			return err
		}
		switch {
		case k == truncated:
			if err := j.addTruncate(j.firstSt+row, atState, row); err != nil {
				return err
			}
		case k == watermark && (!j.hasLow || pos > j.lowest):
			j.lowest, j.hasLow = pos, true
		}
		j.stKinds[row] = k
	}
	return nil
}

// orderKnown says whether the order of a row of the state is known.
func (j *job) orderKnown(row uint32) bool {
	if j.ordered == nil {
		return false
	}
	return j.ordered.Match(isTrue, row-j.firstSt)
}

// isTrue matches the cells of a flag that are set.
var isTrue = func() *form.Matcher {
	m, err := form.NewMatcher(arrow.FixedWidthTypes.Boolean, []any{true})
	if err != nil {
		panic(err) // true is a boolean: nobody's input comes here
	}
	return m
}()
