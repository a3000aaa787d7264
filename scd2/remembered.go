package scd2

import (
	"context"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/frame"
	"github.com/onerow-go/onerow/internal/keyset"
	"github.com/onerow-go/onerow/internal/position"
	"github.com/onerow-go/onerow/internal/recast"
)

// State gives what the history doesn't show, and the next call needs to know: one record, with a row for each event that made no version or
// that the columns of its version don't tell all of, each truncate, and the watermark. Its columns are StateKind, StateAt, StateOrdered, a
// column for each of At beside the position (StateOrder and its name), then the columns of the history but for its boundaries and flags:
// the key, which is NULL for truncates and watermarks, and what was said, which is NULL for deletes. Rows of the state that was given keep
// their order, new ones follow. The caller releases the record, stores it beside the history, together with the merge, and hands it to the
// next call ([Options].State).
//
// A state grows with the events that make no version; with several order columns, unless the history has all columns of At, not tracked, by a
// row for each version too. [Compact] makes it small. Cost and errors are as those of [onerow.Take].
func (m *Merge) State(ctx context.Context, alloc memory.Allocator) (rec arrow.Record, err error) {
	b := m.builder(ctx, alloc)
	err = b.guard(func() error {
		s := b.stateRows()
		var fields []arrow.Field
		for _, c := range s.cols {
			fields = append(fields, c.field)
		}
		rec, err = b.record(&recordInWork{schema: arrow.NewSchema(fields, nil), rows: s.rows, column: func(i int) (arrow.Array, error) { return s.cols[i].make() }})
		return err
	})
	if err != nil {
		return nil, err
	}
	return rec, nil
}

// stateRows are the columns of a state.
type stateRows struct {
	rows int
	cols []stagedColumn
}

// stateRows lays out the new state: rows of the old one that are still needed, what is new, and new truncates.
func (b *builder) stateRows() stateRows {
	j, out := b.j, b.m.out
	var kinds []kind
	var cells, keys, orders []uint32
	var refs []int64 // as of kept; -1: all of the row in keys, -2: nothing
	for row := range uint32(j.state.Rows) {
		if out.forgotten != nil && out.forgotten.Has(row) {
			continue
		}
		all := j.firstSt + row
		kinds, cells, keys, orders, refs = append(kinds, j.stKinds[row]), append(cells, j.cells.said(all)), append(keys, all), append(orders, all), append(refs, -1)
	}
	old := len(kinds)
	for _, m := range out.mems {
		kinds, cells, keys, orders, refs = append(kinds, m.kind), append(cells, m.cell), append(keys, m.key), append(orders, m.order), append(refs, int64(m.refs))
	}
	for _, t := range out.newTruncates() {
		kinds, cells, keys, orders, refs = append(kinds, truncated), append(cells, t.cell), append(keys, j.nothing), append(orders, t.row), append(refs, -2)
	}
	s := stateRows{rows: len(kinds)}
	s.cols = append(s.cols, stagedColumn{arrow.Field{Name: StateKind, Type: arrow.BinaryTypes.String}, func() (arrow.Array, error) {
		bld := array.NewStringBuilder(b.alloc)
		defer bld.Release()
		for _, k := range kinds {
			bld.Append(kindNames[k])
		}
		return bld.NewArray(), nil
	}}, stagedColumn{arrow.Field{Name: StateAt, Type: j.cells.fromTyp}, func() (arrow.Array, error) {
		return b.gather(StateAt, j.cells.from, cells)
	}}, stagedColumn{arrow.Field{Name: StateOrdered, Type: arrow.FixedWidthTypes.Boolean}, func() (arrow.Array, error) {
		known := make([]bool, len(orders))
		for i, row := range orders {
			known[i] = row != keyset.None && (i >= old || j.order == nil || kinds[i] == watermark || j.orderKnown(row))
		}
		return b.flags(arrow.Field{Name: StateOrdered, Type: arrow.FixedWidthTypes.Boolean}, known, nil)
	}})
	for _, o := range j.opts.At {
		if o.Column != j.opts.From {
			s.cols = append(s.cols, b.orderOfState(o.Column, orders))
		}
	}
	for i := range j.columns {
		if c := &j.columns[i]; c.role == keyRole || c.role == valueRole {
			s.cols = append(s.cols, b.columnOfState(c, keys, refs))
		}
	}
	return s
}

// orderOfState is an order column of a state, of the type that the changes have, or else the state.
func (b *builder) orderOfState(name string, orders []uint32) stagedColumn {
	j := b.j
	var t arrow.DataType = arrow.Null
	var changes, state []arrow.Array
	if j.changes.Schema != nil {
		at, _ := j.changes.Index(name)
		t, changes = j.changes.Schema.Field(at).Type, j.changes.Chunks(at)
	}
	if at, err := j.state.Index(StateOrder + name); j.state.Schema != nil && err == nil {
		state = j.state.Chunks(at)
		if j.state.Rows > 0 || t == arrow.Null {
			t = j.state.Schema.Field(at).Type
		}
	}
	field := arrow.Field{Name: StateOrder + name, Type: t, Nullable: true}
	return stagedColumn{field, func() (arrow.Array, error) {
		rows := make([]uint32, len(orders))
		for i, row := range orders {
			if rows[i] = j.nothing; row != keyset.None {
				rows[i] = row
			}
		}
		f := &finder{job: j, nulls: map[string][]arrow.Array{}}
		history := f.null(t, j.history)
		if c := j.stored(name); c != nil && j.inHistory {
			var err error
			if history, err = convert(c.chunks[:len(j.history.Batches)], t, b.unfit(name, t)); err != nil {
				return nil, err
			}
		}
		if state == nil {
			state = f.null(t, j.state)
		}
		changes, err := convert(changes, t, b.unfit(name, t))
		if err != nil {
			return nil, err
		}
		if state, err = convert(state, t, b.unfit(name, t)); err != nil {
			return nil, err
		}
		none, err := recastNull(t, 1)
		if err != nil {
			return nil, err
		}
		return b.gather(field.Name, slices.Concat(history, changes, state, []arrow.Array{none}), rows)
	}}
}

func (b *builder) unfit(name string, t arrow.DataType) func(row uint32, value string) error {
	return func(row uint32, value string) error {
		return &onerow.ValueError{Column: name, Type: t, Input: "changes", Row: row, Value: value, Into: StateOrder + name, IntoType: t}
	}
}

// columnOfState is a column of the history in a state.
func (b *builder) columnOfState(c *column, keys []uint32, refs []int64) stagedColumn {
	field := c.field
	field.Nullable = true
	return stagedColumn{field, func() (arrow.Array, error) {
		rows := make([]uint32, len(keys))
		for i := range rows {
			switch {
			case c.role == keyRole || refs[i] == -1:
				rows[i] = keys[i]
			case refs[i] == -2:
				rows[i] = b.j.nothing
			default:
				rows[i] = b.ref(uint32(refs[i]), c.slot)
			}
		}
		return b.gather(field.Name, c.chunks, rows)
	}}
}

// Compact drops from a state what lies before a watermark, and puts the watermark into it: from then on, events before it are rejected
// ([BelowWatermark]), since what they need to know isn't known any more. (An event from then on may still split a version that began
// before: what the part before it had in columns that aren't tracked is then what they were corrected to last.) The watermark is a
// position: all events before it must have come. A state keeps the greatest watermark it was given. The caller releases the record; alloc
// makes its buffers, nil being memory.DefaultAllocator. Large states are copied by GOMAXPROCS goroutines. state is borrowed, and may be of
// several batches.
//
// Errors wrap [onerow.ErrNoBatches], [onerow.ErrNoColumn], [onerow.ErrType], [onerow.ErrSchema], [onerow.ErrOption] for rows that no state
// has, or are those of [onerow.Take].
func Compact(ctx context.Context, alloc memory.Allocator, state []arrow.Record, watermark onerow.Value) (rec arrow.Record, err error) {
	err = keyset.Guard(func() error {
		rec, err = compact(ctx, alloc, state, watermark)
		return err
	})
	if err != nil {
		return nil, err
	}
	return rec, nil
}

func compact(ctx context.Context, alloc memory.Allocator, state []arrow.Record, low onerow.Value) (arrow.Record, error) {
	if low == nil {
		return nil, fmt.Errorf("%w: the watermark is nil", onerow.ErrType)
	}
	f, err := frame.New("state", state)
	if err != nil {
		return nil, err
	}
	if f.Schema == nil {
		return nil, fmt.Errorf("%w: there is no state to compact", onerow.ErrNoBatches)
	}
	t, err := frame.NewTable(frame.Part{Frame: f})
	if err != nil {
		return nil, err
	}
	at, err := t.Column(StateAt, form.IsOrder)
	if err != nil {
		return nil, err
	}
	col, err := t.Column(StateKind, nil)
	if err != nil {
		return nil, err
	}
	kinds, err := newKindReader(col)
	if err != nil {
		return nil, err
	}
	mark, err := watermarkOf(f, low)
	if err != nil {
		return nil, err
	}
	defer mark.Release()
	marks, err := form.OfAll([]arrow.Array{mark.Column(f.Schema.FieldIndices(StateAt)[0])})
	if err != nil {
		return nil, err
	}
	fixed := &form.Column{Name: StateAt, Type: at.Type, Chunks: marks, Layout: form.NewLayout([]int{1})}
	line, err := position.New(ctx, 1, at, fixed)
	if err != nil {
		return nil, err
	}
	lowest, _ := line.At(1, 0)
	var rows onerow.Rows
	greater := false
	for row := range t.Rows() {
		if row&0xffff == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		pos, ok := line.At(0, row)
		k, err := kinds.at(row, ok)
		if err != nil {
			return nil, err
		}
		if pos >= lowest {
			rows = append(rows, row)
			greater = greater || k == watermark
		}
	}
	batches := slices.Clone(state)
	if !greater {
		batches, rows = append(batches, mark), append(rows, t.Rows())
	}
	return onerow.Take(ctx, batches, rows, onerow.Resources{Allocator: alloc})
}

// watermarkOf makes the row of a watermark: all other columns are NULL.
func watermarkOf(f *frame.Frame, low onerow.Value) (arrow.Record, error) {
	fields := f.Schema.Fields()
	cols := make([]arrow.Array, len(fields))
	for i, field := range fields {
		var v onerow.Value
		switch field.Name {
		case StateKind:
			v = kindNames[watermark]
		case StateAt:
			v = low
		case StateOrdered:
			v = true
		}
		var err error
		if v == nil && field.Name != StateAt {
			cols[i], err = recastNull(field.Type, 1)
		} else {
			cols[i], err = recast.Literal(heap, field.Type, v)
		}
		if err != nil {
			return nil, fmt.Errorf("%w: watermark %v: %w", onerow.ErrType, low, err)
		}
		fields[i].Nullable = field.Nullable || cols[i].NullN() > 0
	}
	return array.NewRecord(arrow.NewSchema(fields, nil), cols, 1), nil
}
