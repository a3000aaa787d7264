package scd2

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/frame"
	"github.com/onerow-go/onerow/internal/keyset"
	"github.com/onerow-go/onerow/internal/order"
	"github.com/onerow-go/onerow/internal/position"
	"github.com/onerow-go/onerow/internal/recast"
)

// keyColumns lays the key columns out over all rows, and over the previous keys of the changes.
func (f *finder) keyColumns() error {
	j := f.job
	lens := j.lens
	previous := j.opts.Op.PreviousKey != nil
	if previous {
		lens = j.changes.Lens(slices.Clone(lens))
	}
	for i, name := range j.table.Key {
		c := f.find(name)
		if previous && j.changes.Schema != nil {
			was := j.opts.Op.PreviousKey[i]
			old, err := f.align(j.changes, was, name, c.field.Type)
			if err == nil {
				_, err = j.changes.Index(was)
			}
			if err == nil {
				_, err = j.cellsOf(j.changes.Input, was, c.field.Type, old, j.changes.Lens(nil))
			}
			if err != nil {
				f.err(err)
				continue
			}
			c.chunks = append(c.chunks, old...)
			if c.cells, err = j.cellsOf("", name, c.field.Type, c.chunks, lens); err != nil {
				f.err(err)
				continue
			}
		}
		j.keyCols = append(j.keyCols, c.cells)
	}
	if len(f.errs) > 0 {
		return errors.Join(f.errs...)
	}
	j.keys = keyset.NewKeys(j.keyCols, j.opts.NullKey == onerow.EqualNullKeys)
	return nil
}

// readPositions brings all times to the types of the boundaries, and lays them on one line.
func (j *job) readPositions(ctx context.Context) error {
	from, to := j.column(fromRole).field.Type, j.column(toRole).field.Type
	f := &finder{job: j, nulls: map[string][]arrow.Array{}}
	changes := f.null(from, j.changes)
	if j.opts.From != "" && j.changes.Schema != nil {
		var err error
		if _, err = j.changes.Index(j.opts.From); err == nil {
			changes, err = f.align(j.changes, j.opts.From, j.table.ValidFrom, from)
		}
		f.err(err)
	}
	state := f.null(from, j.state)
	if j.state.Schema != nil {
		var err error
		if _, err = j.state.Index(StateAt); err == nil {
			state, err = f.align(j.state, StateAt, j.table.ValidFrom, from)
		}
		f.err(err)
	}
	now, open, since := j.literal(f, from, j.opts.Now, "Now"), j.literal(f, to, j.table.OpenEnd, "OpenEnd"), j.literal(f, from, j.opts.Since, "Since")
	if len(f.errs) > 0 {
		return errors.Join(f.errs...)
	}
	fromAt, _ := j.history.Index(j.table.ValidFrom)
	toAt, _ := j.history.Index(j.table.ValidTo)
	starts, ends := j.history.Chunks(fromAt), j.history.Chunks(toAt)
	if err := j.layBounds(starts, ends, slices.Concat(changes, state), now, open, from, to); err != nil {
		return err
	}
	return j.layLine(ctx, [][]arrow.Array{starts, ends, changes, state, {now}, {open}, {since}})
}

// literal makes a row of a Go value; NULL of nil.
func (j *job) literal(f *finder, t arrow.DataType, v onerow.Value, option string) arrow.Array {
	if v == nil {
		arr, err := recastNull(t, 1)
		f.err(err)
		return arr
	}
	arr, err := recast.Literal(heap, t, v)
	if err != nil {
		f.err(fmt.Errorf("%w: %s is %v: %w", onerow.ErrType, option, v, err))
	}
	return arr
}

func (j *job) column(r role) *column {
	for i := range j.columns {
		if j.columns[i].role == r {
			return &j.columns[i]
		}
	}
	return nil
}

func (j *job) layBounds(starts, ends, said []arrow.Array, now, open arrow.Array, from, to arrow.DataType) error {
	b := bounds{history: uint32(j.history.Rows), fromTyp: from, toType: to}
	b.now = 2*b.history + uint32(j.changes.Rows+j.state.Rows)
	b.open = b.now + 1
	none, err := recastNull(from, 1)
	if err != nil {
		return err
	}
	var seen []arrow.Array
	if at := j.stored(j.opts.From); j.seenAt != nil {
		seen = at.chunks[:len(j.history.Batches)]
	}
	if b.from, b.badFrom, err = all(from, starts, ends, said, []arrow.Array{now, none}, seen); err != nil {
		return err
	}
	b.to, b.badTo, err = all(to, starts, ends, said, []arrow.Array{now, open}, seen)
	j.cells = b
	return err
}

// all brings the parts of the bounds to one type, and lists the cells that it can't hold.
func all(t arrow.DataType, parts ...[]arrow.Array) ([]arrow.Array, map[uint32]bool, error) {
	var out []arrow.Array
	var bad map[uint32]bool
	start := uint32(0)
	for _, arr := range slices.Concat(parts...) {
		to, unfit, err := lend(arr, t)
		if err != nil {
			return nil, nil, err
		}
		for _, i := range unfit {
			if bad == nil {
				bad = map[uint32]bool{}
			}
			bad[start+uint32(i)] = true
		}
		out = append(out, to)
		start += uint32(arr.Len())
	}
	return out, bad, nil
}

func (j *job) layLine(ctx context.Context, parts [][]arrow.Array) error {
	names := []string{j.table.ValidFrom, j.table.ValidTo, j.opts.From, StateAt, "Now", "OpenEnd", "Since"}
	inputs := []string{j.history.Input, j.history.Input, j.changes.Input, j.state.Input, "options", "options", "options"}
	var cols []*form.Column
	for i, chunks := range parts {
		lens := make([]int, len(chunks))
		for k, arr := range chunks {
			lens[k] = arr.Len()
		}
		c, err := j.cellsOf(inputs[i], names[i], j.cells.fromTyp, chunks, lens)
		if err != nil {
			return err
		}
		cols = append(cols, c)
	}
	if j.seenAt != nil {
		cols = append(cols, j.seenAt)
	}
	var err error
	if j.line, err = position.New(ctx, j.opts.Resources.WorkerCount(), cols...); err != nil {
		return err
	}
	j.now, _ = j.line.At(atNow, 0)
	j.openEnd, j.hasOpen = j.line.At(atOpen, 0)
	j.since, _ = j.line.At(atSince, 0)
	if j.opts.Now != nil && j.beyond(j.now) {
		return fmt.Errorf("%w: Now is %s, at or beyond Table.OpenEnd, which says that a version is open", onerow.ErrValue, textOf(j.opts.Now))
	}
	return nil
}

// orderColumn reads an order column of the changes as it is, over all rows; the history may have it, and the state has it under another name.
func (j *job) orderColumn(name string) (*form.Column, error) {
	history := frame.Part{Frame: j.history, Optional: true}
	if j.history.Has(name) && j.stored(name) == nil {
		history.Names = map[string]string{name: ""} // a column of that name which is for the planner
	}
	state := frame.Part{Frame: j.state, Optional: true, Names: map[string]string{name: StateOrder + name}}
	nothing := frame.Part{Frame: nothingFrame(), Optional: true}
	t, err := frame.NewTable(history, frame.Part{Frame: j.changes}, state, nothing)
	if err != nil {
		return nil, err
	}
	return t.Column(name, form.IsOrder)
}

// stored returns the value column of a name that the history has, or nil.
func (j *job) stored(name string) *column {
	for i := range j.columns {
		if c := &j.columns[i]; c.field.Name == name && c.role == valueRole && j.history.Has(name) {
			return c
		}
	}
	return nil
}

// readOrder reads what At has beside the positions.
func (j *job) readOrder() error {
	var by []order.By
	var errs []error
	j.inHistory = true
	for _, o := range j.opts.At {
		if o.Column == j.opts.From {
			continue
		}
		c, err := j.orderColumn(o.Column)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		b := order.By{Column: c, Ascending: o.Ascending}
		if o.Nulls == onerow.NullsAreHighest {
			b.Nulls = order.Highest
		}
		by, j.orderCols = append(by, b), append(j.orderCols, c)
		j.nullable = append(j.nullable, o.Nulls != onerow.RejectNulls)
		stored := j.stored(o.Column)
		j.inHistory = j.inHistory && stored != nil && stored.slot == saidUntracked
	}
	at := j.stored(j.opts.From)
	if j.inHistory = j.inHistory && at != nil && at.slot == saidUntracked; j.inHistory && len(errs) == 0 {
		j.seenAt = at.cells
	}
	if len(by) > 0 && len(errs) == 0 {
		j.order = order.New(by, nil, nil)
	}
	if j.state.Schema != nil && j.state.Has(StateOrdered) {
		i, err := j.state.Index(StateOrdered)
		if err == nil {
			err = isFlag(j.state, i)
		}
		if err == nil {
			lens := j.state.Lens(nil)
			j.ordered, err = j.cellsOf(j.state.Input, StateOrdered, j.state.Schema.Field(i).Type, j.state.Chunks(i), lens)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// isFlag refuses columns that aren't boolean.
func isFlag(f *frame.Frame, i int) error {
	c := f.Schema.Field(i)
	if form.FamilyOf(c.Type) == form.BoolFamily {
		return nil
	}
	return &onerow.TypeError{Column: c.Name, Type: c.Type, Input: f.Input, Why: "a flag needs a boolean column"}
}

// readFlags reads the columns that mark current versions and deletion rows.
func (j *job) readFlags() error {
	for _, flag := range []struct {
		name string
		col  **form.Column
	}{{j.table.Current, &j.current}, {j.table.Deleted, &j.deleted}} {
		if flag.name == "" {
			continue
		}
		i, err := j.history.Index(flag.name)
		if err != nil {
			return err
		}
		if *flag.col, err = j.cellsOf(j.history.Input, flag.name, j.history.Schema.Field(i).Type, j.history.Chunks(i), j.history.Lens(nil)); err != nil {
			return err
		}
	}
	return nil
}

// readOps says what each row of changes and state does.
func (j *job) readOps(ctx context.Context) error {
	j.kinds = make([]kind, j.changes.Rows)
	j.stKinds = make([]kind, j.state.Rows)
	errs := []error{j.readState()}
	if name := j.opts.Op.Column; name != "" && j.changes.Schema != nil {
		i, err := j.changes.Index(name)
		if err != nil {
			return errors.Join(append(errs, err)...)
		}
		op, err := j.cellsOf(j.changes.Input, name, j.changes.Schema.Field(i).Type, j.changes.Chunks(i), j.changes.Lens(nil))
		if err != nil {
			return err
		}
		errs = append(errs, j.matchOps(ctx, op, j.opts.Op.Delete, remove), j.matchOps(ctx, op, j.opts.Op.Truncate, truncated))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	for i, k := range j.kinds {
		if k == truncated {
			row := j.firstChg + uint32(i)
			if err := j.addTruncate(row, atChange, uint32(i)); err != nil {
				return err
			}
		}
	}
	slices.SortFunc(j.trunc, func(a, b truncate) int { return cmp.Or(cmp.Compare(a.pos, b.pos), cmp.Compare(a.row, b.row)) })
	for _, t := range j.trunc {
		switch {
		case t.row >= j.firstSt:
			j.oldTrunc = append(j.oldTrunc, t)
		case j.inTime(t.pos):
			j.newTrunc, j.fresh = append(j.newTrunc, t), append(j.fresh, t.pos)
		}
	}
	return nil
}

func (j *job) addTruncate(row uint32, col int, i uint32) error {
	t := truncate{row: row, cell: j.cells.said(row)}
	pos, ok := j.line.At(col, i)
	switch {
	case col == atChange && j.opts.From == "":
		t.pos, t.cell = j.now, j.cells.now
	case ok:
		t.pos = pos
	default:
		return &onerow.NullError{Kind: onerow.ErrNullOrder, Input: "changes", Columns: []onerow.ColumnNulls{{Column: j.opts.From, Rows: 1, First: i}}}
	}
	if col == atChange && j.beyond(t.pos) {
		return fmt.Errorf("%w: row %d of changes truncates at or beyond Table.OpenEnd", onerow.ErrValue, i)
	}
	if col == atChange && j.opts.Since != nil && t.pos < j.since {
		return fmt.Errorf("%w: row %d of changes truncates at a point before Options.Since", onerow.ErrPartialHistory, i)
	}
	j.trunc = append(j.trunc, t)
	return nil
}

// nothingFrame is a row without columns.
func nothingFrame() *frame.Frame {
	schema := arrow.NewSchema(nil, nil)
	return &frame.Frame{Schema: schema, Batches: []arrow.Record{array.NewRecord(schema, nil, 1)}, Rows: 1}
}
