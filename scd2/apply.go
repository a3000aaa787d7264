package scd2

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/frame"
	"github.com/onerow-go/onerow/internal/keyset"
	"github.com/onerow-go/onerow/internal/take"
)

// Apply makes the new history: the rows of the old one in their order, without those that were removed, then the rows that come new, in the
// order of [Merge.Inserts]. Its batches are those of the old one, and one for the new rows; batches without rows are left out, but for the
// first when there is no other, and small ones at the end are joined, so that a history that grows by many small merges has few. Columns of
// a batch in which nothing changes are shared with it. The caller releases the records. alloc makes their buffers, from several goroutines
// at once; nil is the allocator of Options.Resources.
//
// history is what the plan is applied to: the batches that it was made for, or the same rows in the same order read again. Other rows are
// an error that wraps [onerow.ErrStaleBase]. Other errors are those of [onerow.Take].
func (m *Merge) Apply(ctx context.Context, alloc memory.Allocator, history []arrow.Record) (out []arrow.Record, err error) {
	b := m.builder(ctx, alloc)
	made := false
	defer func() { // after a panic of the allocator, too
		if !made {
			for _, rec := range out {
				rec.Release()
			}
			out = nil
		}
	}()
	err = b.guard(func() error {
		if err := m.checkBase(ctx, history); err != nil {
			return err
		}
		defer b.releaseForeign()
		var making []*recordInWork
		laying := b.layForeign()
		if len(m.out.inserts) > 0 {
			inserted, rows := b.versions(nil, m.out.inserts)
			making, laying = append(making, inserted), append(laying, rows...)
		}
		if err := b.all(laying); err != nil {
			return err
		}
		edits, removes := m.out.edits, m.out.removes
		start := uint32(0)
		for i, rec := range m.job.history.Batches {
			end := start + uint32(rec.NumRows())
			e := sort.Search(len(edits), func(k int) bool { return edits[k].row >= end })
			r := sort.Search(len(removes), func(k int) bool { return removes[k].Row >= end })
			making = append(making, b.batch(i, start, len(m.out.edits)-len(edits), edits[:e], removes[:r]))
			start, edits, removes = end, edits[e:], removes[r:]
		}
		if out, err = b.records(making...); err != nil {
			return err
		}
		if len(m.out.inserts) > 0 {
			out = append(out[1:], out[0])
		}
		out, err = b.join(out)
		return err
	})
	made = err == nil
	return out, err
}

// checkBase compares a history with the one that the plan was made for.
func (m *Merge) checkBase(ctx context.Context, history []arrow.Record) error {
	j := m.job
	if same(history, j.given) {
		return nil
	}
	f, err := frame.New("history", history)
	if err != nil {
		return err
	}
	stale := func(format string, args ...any) error {
		return fmt.Errorf("%w: "+format, append([]any{onerow.ErrStaleBase}, args...)...)
	}
	if f.Rows != j.history.Rows {
		return stale("it has %d rows, and the plan was made for %d", f.Rows, j.history.Rows)
	}
	if f.Schema == nil {
		return nil
	}
	if why := form.SchemasDiffer(j.history.Schema, f.Schema); why != "" {
		return stale("%s", why)
	}
	both, err := frame.NewTable(frame.Part{Frame: j.history}, frame.Part{Frame: f})
	if err != nil {
		return err
	}
	fields := f.Schema.Fields()
	return j.run(ctx, len(fields), func(_, i int) error {
		c, err := both.Column(fields[i].Name, nil)
		if err != nil {
			return err
		}
		for row := range j.firstChg {
			if row&0xffff == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			if c.Compare(row, j.firstChg+row, form.ByBits) != 0 {
				return stale("row %d has %s in column %q, and the plan was made for %s", row, c.Format(j.firstChg+row), fields[i].Name, c.Format(row))
			}
		}
		return nil
	})
}

func same(a, b []arrow.Record) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// builder makes records of the new history.
type builder struct {
	ctx   context.Context
	m     *Merge
	j     *job
	alloc memory.Allocator
	refs  []uint32 // those of the outcome, and more

	// For Apply: what edited rows get from elsewhere, by source of cells and by column.
	foreignRows []foreignRows
	foreign     []foreign
}

// all runs tasks on the call's workers.
func (b *builder) all(tasks []func()) error {
	return b.j.run(b.ctx, len(tasks), func(_, i int) error {
		tasks[i]()
		return nil
	})
}

func (m *Merge) builder(ctx context.Context, alloc memory.Allocator) *builder {
	if alloc == nil && m.job != nil {
		alloc = m.job.opts.Resources.Allocator
	}
	if alloc == nil {
		alloc = memory.DefaultAllocator
	}
	b := &builder{ctx: ctx, m: m, j: m.job, alloc: alloc}
	if m.out != nil {
		b.refs = slices.Clip(m.out.refs)
	}
	return b
}

// guard turns what take says into the errors of package onerow.
func (b *builder) guard(f func() error) error {
	if b.j == nil {
		return fmt.Errorf("%w: the merge isn't one of Plan", onerow.ErrNoBatches)
	}
	if err := b.ctx.Err(); err != nil {
		return err
	}
	return keyset.Guard(f)
}

// gather takes rows of a column.
func (b *builder) gather(name string, chunks []arrow.Array, rows []uint32) (arrow.Array, error) {
	arr, err := take.Column(b.ctx, b.alloc, chunks, rows)
	return arr, b.takeError(name, err)
}

// takeError names the column in an error of take.
func (b *builder) takeError(name string, err error) error {
	var size *take.SizeError
	var data *take.DataError
	switch {
	case errors.As(err, &size):
		return &onerow.SizeError{Column: name, Type: size.Type, Size: size.Size, Limit: size.Limit, Unit: size.Unit}
	case errors.As(err, &data):
		return fmt.Errorf("column %q of type %v: %w: %s", name, data.Type, onerow.ErrMalformed, data.Why)
	}
	return err
}

// recordInWork is a record to be made of columns.
type recordInWork struct {
	schema *arrow.Schema
	rows   int
	column func(i int) (arrow.Array, error)
	cost   func(i int) int // what a column takes, in steps of some nanoseconds; nil: nobody knows
	made   []arrow.Array
}

// records makes records, all of their columns in parallel, the dearest ones first: what is left for the end is little, and all workers have a share of it.
func (b *builder) records(making ...*recordInWork) (out []arrow.Record, err error) {
	type task struct {
		of      *recordInWork
		i, cost int
	}
	var tasks []task
	for _, r := range making {
		r.made = make([]arrow.Array, r.schema.NumFields())
		for i := range r.made {
			t := task{of: r, i: i}
			if r.cost != nil {
				t.cost = r.cost(i)
			}
			tasks = append(tasks, t)
		}
	}
	slices.SortStableFunc(tasks, func(a, b task) int { return cmp.Compare(b.cost, a.cost) })
	defer func() {
		for _, t := range tasks {
			if c := t.of.made[t.i]; c != nil {
				c.Release()
			}
		}
	}()
	err = b.j.run(b.ctx, len(tasks), func(_, k int) (err error) {
		t := tasks[k]
		t.of.made[t.i], err = t.of.column(t.i)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, r := range making {
		out = append(out, array.NewRecord(r.schema, r.made, int64(r.rows)))
	}
	return out, nil
}

// record makes one record.
func (b *builder) record(making *recordInWork) (arrow.Record, error) {
	recs, err := b.records(making)
	if err != nil {
		return nil, err
	}
	return recs[0], nil
}

// versions are a record of some lists of changes, one after the other, with more columns before it. Before it is made, the tasks are to be run that lay
// its rows.
func (b *builder) versions(before []stagedColumn, lists ...[]change) (making *recordInWork, laying []func()) {
	schema := b.j.schema
	if before != nil {
		fields := make([]arrow.Field, 0, len(before)+len(schema.Fields()))
		for _, c := range before {
			fields = append(fields, c.field)
		}
		schema = arrow.NewSchema(append(fields, schema.Fields()...), nil)
	}
	rows, laying := b.rowsOf(lists)
	column := func(i int) (arrow.Array, error) {
		if i < len(before) {
			return before[i].make()
		}
		return b.column(&b.j.columns[i-len(before)], rows)
	}
	cost := func(i int) int {
		if i < len(before) {
			return 2 * rows.n
		}
		return b.j.columns[i-len(before)].cost() * rows.n
	}
	return &recordInWork{schema: schema, rows: rows.n, column: column, cost: cost}, laying
}

// cost is what a cell of a column takes to gather. Those of boundaries come from several places; an end may be NULL.
func (c *column) cost() int {
	switch {
	case c.role == toRole:
		return 4
	case c.role == fromRole:
		return 3
	case c.role == currentRole || c.role == deletedRole:
		return 1
	case form.FamilyOf(c.field.Type) == form.TextFamily:
		return 3
	}
	return 2
}

// versionRows say of some changes where their cells are from.
type versionRows struct {
	n             int
	lists         [][]change
	from, to, key []uint32
	bySlot        [][]uint32 // by place of the slot
}

// rowsOf returns rows that the tasks lay.
func (b *builder) rowsOf(lists [][]change) (v *versionRows, laying []func()) {
	v = &versionRows{lists: lists, bySlot: make([][]uint32, len(b.j.used))}
	for _, l := range lists {
		v.n += len(l)
	}
	lay := func(to *[]uint32, of func(*change) uint32) {
		laying = append(laying, func() {
			rows := make([]uint32, v.n)
			to, rest := to, rows
			for _, l := range lists {
				for i := range l {
					rest[i] = of(&l[i])
				}
				rest = rest[len(l):]
			}
			*to = rows
		})
	}
	lay(&v.from, func(c *change) uint32 { return c.from })
	lay(&v.to, func(c *change) uint32 { return c.to })
	lay(&v.key, func(c *change) uint32 { return c.key })
	for place := range v.bySlot {
		lay(&v.bySlot[place], func(c *change) uint32 { return b.refs[int(c.refs)*len(b.j.used)+place] })
	}
	return v, laying
}

// column makes one column of changes.
func (b *builder) column(c *column, rows *versionRows) (arrow.Array, error) {
	switch c.role {
	case currentRole, deletedRole:
		flags := make([]bool, 0, rows.n)
		for _, l := range rows.lists {
			for i := range l {
				flags = append(flags, l[i].flag(c.role))
			}
		}
		return b.flags(c.field, flags, nil)
	case fromRole:
		return b.gather(c.field.Name, b.j.cells.from, rows.from)
	case toRole:
		return b.gather(c.field.Name, b.j.cells.to, rows.to)
	case keyRole:
		return b.gather(c.field.Name, c.chunks, rows.key)
	}
	return b.gather(c.field.Name, c.chunks, rows.bySlot[b.j.place[c.slot]])
}

// ref is the row that gives a slot of a version.
func (b *builder) ref(version uint32, slot int) uint32 {
	return b.refs[int(version)*len(b.j.used)+b.j.place[slot]]
}

// flag is what a version has in a flag column.
func (c *change) flag(r role) bool {
	if r == deletedRole {
		return c.marker
	}
	return c.open && !c.marker
}
