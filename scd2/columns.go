package scd2

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/frame"
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

func (j *job) findColumns(ctx context.Context) error {
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
		if err := ctx.Err(); err != nil {
			return err
		}
		f.add(field, i)
	}
	f.fromSource()
	f.tracked()
	f.keepNull()
	if len(f.errs) > 0 {
		return errors.Join(f.errs...)
	}
	f.index()
	return f.keyColumns() // with the errors of index
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
		if k == "" {
			_, err := f.history.Index(k)
			f.err(err)
		}
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
		if f.state.Schema != nil {
			if _, err := f.state.Index(field.Name); err != nil {
				f.err(err)
				return
			}
		}
	case valueRole:
		if at := f.history.Schema.FieldIndices(field.Name); len(at) > 1 {
			if at[0] == i {
				_, err := f.history.Index(field.Name)
				f.err(err)
			}
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
		if f.find(name) == nil && (!f.history.Has(name) || !f.changes.Has(name)) {
			if _, err := f.history.Index(name); err != nil {
				f.err(err)
			}
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
		if j.isOurs(c.field.Name) {
			f.err(fmt.Errorf("%w: the history has a column %q, a name that staged rows or the state need", onerow.ErrOption, c.field.Name))
		}
		if c.role != valueRole {
			continue
		}
		j.bySlot[c.slot] = append(j.bySlot[c.slot], c)
		if c.slot < otherTracked || c.slot >= ownSlots {
			j.said = append(j.said, c.cells)
		}
	}
	j.place = make([]int, j.slots)
	for s, cols := range j.bySlot {
		if len(cols) > 0 {
			j.place[s] = len(j.used)
			j.used = append(j.used, s)
		}
	}
	meta := j.history.Schema.Metadata()
	j.schema = arrow.NewSchema(fields, &meta)
}

// isOurs says whether a name is one of the columns of staged rows or of the state.
func (j *job) isOurs(name string) bool {
	if name == ActionColumn || name == StateKind || name == StateAt || name == StateOrdered || name == MergeKeyPrefix+j.table.ValidFrom {
		return true
	}
	key, merge := strings.CutPrefix(name, MergeKeyPrefix)
	at, ordered := strings.CutPrefix(name, StateOrder)
	return merge && slices.Contains(j.table.Key, key) || ordered && slices.ContainsFunc(j.opts.At, func(o onerow.Order) bool { return o.Column == at })
}
