package scd2

import (
	"errors"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/frame"
	"github.com/onerow-go/onerow/internal/recast"
)

// role says what a column of the history is for.
type role uint8

const (
	valueRole role = iota
	keyRole
	fromRole
	toRole
	currentRole
	deletedRole
)

// column is a column of the new history.
type column struct {
	role  role
	field arrow.Field
	// slot says which row of a version gives its value; see slotOf. Of value columns alone.
	slot int
	// chunks and cells are the column over all rows, of the history's type; of key and value columns alone. The chunks are borrowed,
	// or made by the garbage collected allocator: they need no release.
	chunks []arrow.Array
	cells  *form.Column
}

// The values of a version may come from several rows: a column's slot says which. Columns of KeepNull have slots of their own, from
// ownSlots on.
const (
	saidTracked    = iota // columns of the source: the first event of the version
	saidUntracked         // the last event of the version
	otherTracked          // columns that the source lacks: the version before, or the history's row
	otherUntracked        //
	ownSlots
)

// heap makes what a plan holds on to.
var heap = memory.NewGoAllocator()

// finder finds the columns of the new history.
type finder struct {
	*job
	nulls map[string][]arrow.Array
	errs  []error
	named map[string]bool // columns with a role, or named by At or Op
}

func (j *job) findColumns() error {
	f := &finder{job: j, nulls: map[string][]arrow.Array{}, named: map[string]bool{}}
	for _, o := range j.opts.At {
		f.named[o.Column] = true
	}
	f.named[j.opts.Op.Column] = true
	j.slots, j.tracks = ownSlots, make([]bool, ownSlots)
	j.tracks[saidTracked], j.tracks[otherTracked] = true, true
	f.roles()
	fields := j.history.Schema.Fields()
	for i, field := range fields {
		f.add(field, i)
	}
	f.fromSource()
	f.tracked()
	f.keepNull()
	if len(f.errs) > 0 {
		return errors.Join(f.errs...)
	}
	f.index()
	return f.keyColumns()
}

func (f *finder) err(err error) {
	if err != nil {
		f.errs = append(f.errs, err)
	}
}

// roles checks that the history has the columns that the table names, and their types.
func (f *finder) roles() {
	typeOf := func(name string) arrow.DataType {
		if name == "" {
			return nil
		}
		i, err := f.history.Index(name)
		if err != nil {
			f.err(err)
			return nil
		}
		return f.history.Schema.Field(i).Type
	}
	use := func(name string, t arrow.DataType, use frame.Use) {
		if t == nil {
			return
		}
		if ok, why := use(t); !ok {
			f.err(&onerow.TypeError{Column: name, Type: t, Input: "history", Why: why})
		}
	}
	for _, k := range f.table.Key {
		use(k, typeOf(k), form.IsKey)
	}
	from, to := typeOf(f.table.ValidFrom), typeOf(f.table.ValidTo)
	use(f.table.ValidFrom, from, form.IsOrder)
	use(f.table.ValidTo, to, form.IsOrder)
	if from != nil && to != nil {
		if ok, why := form.Comparable(from, to); !ok {
			f.err(&onerow.TypeError{Column: f.table.ValidFrom, Type: from, Input: "history",
				OtherColumn: f.table.ValidTo, OtherType: to, OtherInput: "history", Why: why})
		}
	}
	for _, flag := range []string{f.table.Current, f.table.Deleted} {
		use(flag, typeOf(flag), func(t arrow.DataType) (bool, string) {
			return form.FamilyOf(t) == form.BoolFamily, "a flag needs a boolean column"
		})
	}
}

func (f *finder) roleOf(name string) role {
	switch {
	case name == f.table.ValidFrom:
		return fromRole
	case name == f.table.ValidTo:
		return toRole
	case name == f.table.Current:
		return currentRole
	case name == f.table.Deleted:
		return deletedRole
	case slices.Contains(f.table.Key, name):
		return keyRole
	}
	return valueRole
}

// add takes over column i of the history.
func (f *finder) add(field arrow.Field, i int) {
	c := column{role: f.roleOf(field.Name), field: field}
	switch c.role {
	case keyRole:
		if f.changes.Schema != nil {
			if _, err := f.changes.Index(field.Name); err != nil {
				f.err(err)
				return
			}
		}
	case valueRole:
		if n := len(f.history.Schema.FieldIndices(field.Name)); n > 1 {
			_, err := f.history.Index(field.Name)
			f.err(err)
			return
		}
		said, err := f.said(field.Name)
		if err != nil {
			f.err(err)
			return
		}
		c.slot = slotOf(said, f.isTracked(field.Name))
	default:
		f.columns = append(f.columns, c)
		return
	}
	f.read(&c, f.history.Chunks(i))
	f.columns = append(f.columns, c)
}

func slotOf(said, tracked bool) int {
	switch {
	case said && tracked:
		return saidTracked
	case said:
		return saidUntracked
	case tracked:
		return otherTracked
	}
	return otherUntracked
}

// said says whether the source speaks for a value column of the history.
func (f *finder) said(name string) (bool, error) {
	if f.changes.Schema == nil || f.opts.Columns.Missing == NullMissing && !f.changes.Has(name) {
		return true, nil
	}
	if f.changes.Has(name) || f.opts.Columns.Missing == KeepUnlessTracked && slices.Contains(f.opts.Tracked, name) {
		_, err := f.changes.Index(name)
		return true, err
	}
	return false, nil
}

func (f *finder) isTracked(name string) bool {
	if f.opts.Tracked == nil {
		return !f.named[name]
	}
	return slices.Contains(f.opts.Tracked, name)
}

// fromSource looks at the columns that only the source has.
func (f *finder) fromSource() {
	if f.changes.Schema == nil {
		return
	}
	for i, field := range f.changes.Schema.Fields() {
		role := f.roleOf(field.Name)
		switch {
		case role == keyRole || f.named[field.Name] || slices.Contains(f.opts.Op.PreviousKey, field.Name):
		case role != valueRole:
			f.err(fmt.Errorf("%w: the changes have a column %q, which in the history is for the planner to write", onerow.ErrOption, field.Name))
		case f.history.Has(field.Name):
		case f.opts.Columns.New == RejectNew:
			_, err := f.history.Index(field.Name)
			f.err(fmt.Errorf("%w; Options.Columns.New can add it", err))
		default:
			if _, err := f.changes.Index(field.Name); err != nil {
				f.err(err)
				continue
			}
			field.Nullable = true
			c := column{field: f.changes.Schema.Field(i), slot: slotOf(true, f.isTracked(field.Name))}
			c.field.Nullable = true
			f.read(&c, f.null(field.Type, f.history))
			f.columns = append(f.columns, c)
		}
	}
}

// tracked checks that columns named as tracked are there.
func (f *finder) tracked() {
	for _, name := range f.opts.Tracked {
		if f.find(name) == nil && !f.changes.Has(name) && !f.history.Has(name) {
			_, err := f.history.Index(name)
			f.err(err)
		}
	}
}

func (f *finder) find(name string) *column {
	for i := range f.columns {
		if f.columns[i].field.Name == name {
			return &f.columns[i]
		}
	}
	return nil
}

// keepNull gives the columns of KeepNull slots of their own.
func (f *finder) keepNull() {
	for _, name := range f.opts.Columns.KeepNull {
		c := f.find(name)
		if c == nil || c.role != valueRole {
			_, err := f.history.Index(name)
			f.err(err)
			continue
		}
		if c.slot < otherTracked {
			f.tracks = append(f.tracks, c.slot == saidTracked)
			c.slot = f.slots
			f.slots++
		}
	}
}

// read brings a column of changes and state to the history's type, and lays it out over all rows.
func (f *finder) read(c *column, history []arrow.Array) {
	changes, err := f.align(f.changes, c.field.Name, c.field.Name, c.field.Type, "history")
	f.err(err)
	state, err2 := f.align(f.state, c.field.Name, c.field.Name, c.field.Type, "history")
	f.err(err2)
	if err != nil || err2 != nil {
		return
	}
	none, err := recastNull(c.field.Type, 1)
	f.err(err)
	c.chunks = slices.Concat(history, changes, state, []arrow.Array{none})
	if c.cells, err = f.cellsOf(c.field.Name, c.field.Type, c.chunks, f.lens); err != nil {
		f.err(err)
	}
	if f.changes.Schema != nil {
		for _, i := range f.changes.Schema.FieldIndices(c.field.Name) {
			c.field.Nullable = c.field.Nullable || f.changes.Schema.Field(i).Nullable
		}
	}
}

func (j *job) cellsOf(name string, t arrow.DataType, chunks []arrow.Array, lens []int) (*form.Column, error) {
	arrs, err := frame.Read(chunks)
	if err != nil {
		return nil, fmt.Errorf("column %q: %w", name, err)
	}
	return &form.Column{Name: name, Type: t, Chunks: arrs, Layout: form.NewLayout(lens)}, nil
}

// align reads a column of changes or state as one of a type of the history; rows are NULL where it is missing.
func (f *finder) align(from *frame.Frame, name, into string, t arrow.DataType, other string) ([]arrow.Array, error) {
	if !from.Has(name) {
		return f.null(t, from), nil
	}
	i, err := from.Index(name)
	if err != nil {
		return nil, err
	}
	mine := from.Schema.Field(i).Type
	if ok, why := form.Comparable(mine, t); !ok && !form.SameType(mine, t) {
		return nil, &onerow.TypeError{Column: name, Type: mine, Input: from.Input, OtherColumn: into, OtherType: t, OtherInput: other, Why: why}
	}
	return convert(from.Chunks(i), t, func(row uint32, value string) error {
		return &onerow.ValueError{Column: name, Type: mine, Input: from.Input, Row: row, Value: value, Into: into, IntoType: t}
	})
}

// convert brings arrays to a type. The first cell that doesn't fit makes an error of unfit; nil leaves such cells NULL.
func convert(chunks []arrow.Array, t arrow.DataType, unfit func(row uint32, value string) error) ([]arrow.Array, error) {
	out := make([]arrow.Array, len(chunks))
	start := uint32(0)
	for k, arr := range chunks {
		to, bad, err := lend(arr, t)
		if err != nil {
			return nil, err
		}
		if len(bad) > 0 && unfit != nil {
			cells, err := form.Of(arr)
			if err != nil {
				return nil, fmt.Errorf("%w: %w", onerow.ErrMalformed, err)
			}
			return nil, unfit(start+uint32(bad[0]), form.Format(cells, bad[0]))
		}
		out[k] = to
		start += uint32(arr.Len())
	}
	return out, nil
}

// lend brings an array to a type. What it returns needs no release: its buffers are the array's, which is borrowed, or of the heap.
func lend(arr arrow.Array, t arrow.DataType) (arrow.Array, []int, error) {
	to, unfit, err := recast.Array(heap, arr, t)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", onerow.ErrMalformed, err)
	}
	defer to.Release()
	if to == arr {
		return arr, unfit, nil
	}
	return array.MakeFromData(unowned(to.Data())), unfit, nil
}

// unowned is data over the same bytes that holds no reference to their buffers.
func unowned(d arrow.ArrayData) *array.Data {
	buffers := make([]*memory.Buffer, len(d.Buffers()))
	for i, b := range d.Buffers() {
		if b != nil {
			buffers[i] = memory.NewBufferBytes(b.Bytes())
		}
	}
	children := make([]arrow.ArrayData, len(d.Children()))
	for i, c := range d.Children() {
		children[i] = unowned(c)
	}
	if dict, ok := d.Dictionary().(*array.Data); ok && dict != nil {
		return array.NewDataWithDictionary(d.DataType(), d.Len(), buffers, d.NullN(), d.Offset(), unowned(dict))
	}
	return array.NewData(d.DataType(), d.Len(), buffers, children, d.NullN(), d.Offset())
}

// null makes the chunks of a column that an input lacks; columns of one type share them.
func (f *finder) null(t arrow.DataType, in *frame.Frame) []arrow.Array {
	id := in.Input + " " + t.Fingerprint() + t.String()
	if out, ok := f.nulls[id]; ok {
		return out
	}
	var out []arrow.Array
	for _, b := range in.Batches {
		arr, err := recastNull(t, int(b.NumRows()))
		if err != nil {
			f.err(err)
			return nil
		}
		out = append(out, arr)
	}
	f.nulls[id] = out
	return out
}

func recastNull(t arrow.DataType, n int) (arrow.Array, error) {
	out, _, err := recast.Array(heap, array.NewNull(n), t)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", onerow.ErrType, err)
	}
	return out, nil
}

// index makes the schema, and lists the columns by slot.
func (f *finder) index() {
	j := f.job
	fields := make([]arrow.Field, len(j.columns))
	j.bySlot = make([][]*column, j.slots)
	for i := range j.columns {
		c := &j.columns[i]
		if c.role == toRole && j.table.OpenEnd == nil {
			c.field.Nullable = true
		}
		fields[i] = c.field
		if c.role != valueRole {
			continue
		}
		j.bySlot[c.slot] = append(j.bySlot[c.slot], c)
		if c.slot < otherTracked || c.slot >= ownSlots {
			j.said = append(j.said, c.cells)
		}
	}
	meta := j.history.Schema.Metadata()
	j.schema = arrow.NewSchema(fields, &meta)
}
