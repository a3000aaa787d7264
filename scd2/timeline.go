package scd2

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/frame"
	"github.com/onerow-go/onerow/internal/keyset"
	"github.com/onerow-go/onerow/internal/position"
	"github.com/onerow-go/onerow/internal/recast"
)

// timeline is a given history as [Check], [Current] and [AsOf] read it: its boundaries on one line, and its flags.
type timeline struct {
	table            Table // with its defaults
	frame            *frame.Frame
	rows             *frame.Table
	from, to         *form.Column
	current, deleted *form.Reader // nil without

	line    *position.Line
	open    uint64 // the sentinel's word, with hasOpen
	hasOpen bool
	at      uint64 // the word of the time that was asked for, with hasAt
	hasAt   bool

	// step is how far a start may lie beyond an inclusive end before there is a gap. If it isn't sure, stepCells is the step in the
	// finest unit of the family, and the cells decide.
	step      uint64
	sure      bool
	stepCells uint64
}

// Columns of the line.
const (
	lineFrom = iota
	lineTo
	lineLiterals
)

func newTimeline(table Table) (*timeline, error) {
	t := &timeline{table: table.withDefaults()}
	var err error
	if t.frame, err = frame.New("history", table.Batches); err != nil {
		return nil, err
	}
	t.rows, err = frame.NewTable(frame.Part{Frame: t.frame})
	return t, err
}

// findColumns finds boundaries and flags. What is wrong with several comes back together.
func (t *timeline) findColumns() error {
	var errs [6]error
	t.from, errs[0] = t.rows.Column(t.table.ValidFrom, form.IsOrder)
	t.to, errs[1] = t.rows.Column(t.table.ValidTo, form.IsOrder)
	if errs[0] == nil && errs[1] == nil {
		errs[2] = t.comparable()
	}
	t.current, errs[3] = t.flag(t.table.Current)
	t.deleted, errs[4] = t.flag(t.table.Deleted)
	if t.table.Bounds > Closed {
		errs[5] = fmt.Errorf("%w: Bounds has no value %d", onerow.ErrOption, t.table.Bounds)
	}
	return errors.Join(errs[:]...)
}

func (t *timeline) comparable() error {
	if t.table.ValidFrom == t.table.ValidTo {
		return fmt.Errorf("%w: ValidFrom and ValidTo are both column %q", onerow.ErrOption, t.table.ValidTo)
	}
	if ok, why := form.Comparable(t.from.Type, t.to.Type); !ok {
		return &onerow.TypeError{Column: t.from.Name, Type: t.from.Type, Input: t.frame.Input,
			OtherColumn: t.to.Name, OtherType: t.to.Type, OtherInput: t.frame.Input, Why: why}
	}
	return t.readUnit()
}

func (t *timeline) flag(name string) (*form.Reader, error) {
	if name == "" {
		return nil, nil
	}
	c, err := t.rows.Column(name, func(typ arrow.DataType) (bool, string) {
		f := form.FamilyOf(typ)
		return f == form.BoolFamily || f == form.NullFamily, "a flag needs a boolean column"
	})
	if err != nil {
		return nil, err
	}
	var r *form.Reader
	err = keyset.Guard(func() error {
		r = form.NewReader(c.Chunks, form.Ordinal)
		return nil
	})
	return r, err
}

// family is that of the boundaries: one of them may be of the null type.
func (t *timeline) family() form.Family {
	if f := form.FamilyOf(t.to.Type); f != form.NullFamily {
		return f
	}
	return form.FamilyOf(t.from.Type)
}

// readUnit finds the step between an end and the next start.
func (t *timeline) readUnit() error {
	if t.table.Bounds == HalfOpen {
		return nil
	}
	refuse := func(why string) error {
		return &onerow.TypeError{Column: t.to.Name, Type: t.to.Type, Input: t.frame.Input, Why: "Unit: " + why}
	}
	unit, nanoseconds := reflect.ValueOf(t.table.Unit), int64(1)
	switch t.family() {
	case form.IntFamily:
		_, isDuration := t.table.Unit.(time.Duration)
		switch {
		case !unit.IsValid():
			t.stepCells = 1
		case isDuration || !unit.CanInt() && !unit.CanUint():
			return refuse(fmt.Sprintf("integers need an integer, not a %T", t.table.Unit))
		case unit.CanUint():
			t.stepCells = unit.Uint()
		case unit.Int() > 0:
			t.stepCells = uint64(unit.Int())
		}
	case form.DateFamily, form.TimeFamily, form.NaiveFamily, form.InstantFamily, form.DurationFamily:
		if t.family() == form.DateFamily {
			nanoseconds = int64(time.Millisecond)
		}
		d, isDuration := t.table.Unit.(time.Duration)
		switch {
		case !unit.IsValid():
			t.stepCells = t.tick()
		case !isDuration:
			return refuse(fmt.Sprintf("times need a time.Duration, not a %T", t.table.Unit))
		case d >= time.Duration(nanoseconds):
			t.stepCells = uint64(int64(d) / nanoseconds)
		}
	default:
		if unit.IsValid() {
			return refuse("values of this type have no step")
		}
		return nil
	}
	if t.stepCells == 0 {
		return fmt.Errorf("%w: Unit is %v, and should be positive", onerow.ErrOption, t.table.Unit)
	}
	return nil
}

// tick is the default unit of times, in the finest unit of their family.
func (t *timeline) tick() uint64 {
	if t.family() == form.DateFamily {
		return uint64(24 * time.Hour / time.Millisecond)
	}
	typ := t.to.Type
	if form.FamilyOf(typ) == form.NullFamily {
		typ = t.from.Type
	}
	return uint64(form.Logical(typ).(arrow.TemporalWithUnit).TimeUnit().Multiplier())
}

// lay brings the boundaries onto one line, and with them the sentinel and the time that is asked for, if any.
func (t *timeline) lay(ctx context.Context, res onerow.Resources, at ...onerow.Value) error {
	cols := []*form.Column{t.from, t.to}
	if t.table.OpenEnd != nil && form.FamilyOf(t.to.Type) != form.NullFamily {
		c, err := t.literal(t.table.OpenEnd, "OpenEnd", t.to)
		if err != nil {
			return err
		}
		cols, t.hasOpen = append(cols, c), true
	}
	if len(at) > 0 && t.family() != form.NullFamily {
		c, err := t.literal(at[0], "at", t.from, t.to)
		if err != nil {
			return err
		}
		cols, t.hasAt = append(cols, c), true
	}
	var err error
	if t.line, err = position.New(ctx, res.WorkerCount(), cols...); err != nil {
		return err
	}
	next := lineLiterals
	if t.hasOpen {
		t.open, _ = t.line.At(next, 0)
		next++
	}
	if t.hasAt {
		t.at, _ = t.line.At(next, 0)
	}
	t.step, t.sure = 1, true
	if t.table.Bounds == Closed {
		if t.step, t.sure = 0, t.stepCells == 0; !t.sure {
			t.step, t.sure = t.line.Step(t.stepCells)
		}
	}
	return nil
}

// literal reads a value as a cell of the first of the columns whose type can hold it.
func (t *timeline) literal(v onerow.Value, option string, cols ...*form.Column) (*form.Column, error) {
	var first error
	for _, c := range cols {
		if form.FamilyOf(c.Type) == form.NullFamily {
			continue
		}
		arr, err := recast.Literal(memory.NewGoAllocator(), form.Logical(c.Type), v)
		if err != nil {
			if first == nil {
				first = &onerow.TypeError{Column: c.Name, Type: c.Type, Input: t.frame.Input, Why: option + ": " + err.Error()}
			}
			continue
		}
		a, err := form.Of(arr)
		if err != nil {
			return nil, err
		}
		return &form.Column{Name: option, Type: arr.DataType(), Chunks: []*form.Array{a}, Layout: form.NewLayout([]int{1})}, nil
	}
	return nil, first
}

// ends is room for the boundaries and flags of a block of rows.
type ends struct {
	from, to         []uint64
	noFrom, noTo     []uint8
	current, deleted *form.Block // nil without
}

func (t *timeline) newEnds() *ends {
	w, z := make([]uint64, 2*keyset.BlockRows), make([]uint8, 2*keyset.BlockRows)
	const n = keyset.BlockRows
	e := &ends{from: w[:n], to: w[n:], noFrom: z[:n], noTo: z[n:]}
	if t.current != nil {
		e.current = form.NewBlock(n)
	}
	if t.deleted != nil {
		e.deleted = form.NewBlock(n)
	}
	return e
}

// read fills the room. An open version gets the greatest end that there is, and 1 in noTo.
func (t *timeline) read(chunk, lo, n int, e *ends) {
	t.line.Read(lineFrom, chunk, lo, n, e.from, e.noFrom)
	anyOpen := t.line.Read(lineTo, chunk, lo, n, e.to, e.noTo)
	to, noTo := e.to[:n], e.noTo[:n]
	if t.hasOpen {
		open := t.open
		for i, w := range to {
			if w == open {
				noTo[i], anyOpen = 1, true
			}
		}
	}
	if anyOpen {
		for i, z := range noTo {
			if z != 0 {
				to[i] = math.MaxUint64
			}
		}
	}
	if t.current != nil {
		t.current.Read(chunk, lo, n, e.current)
	}
	if t.deleted != nil {
		t.deleted.Read(chunk, lo, n, e.deleted)
	}
}

// isDeleted says whether row i of the block is a deletion row.
func (e *ends) isDeleted(i int) bool {
	return e.deleted != nil && e.deleted.K0[i] != 0 // the word of NULL is 0
}
