package scd2

import (
	"slices"
	"sync"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/keyset"
	"github.com/onerow-go/onerow/internal/recast"
	"github.com/onerow-go/onerow/internal/take"
)

// batch is batch i of the new history, rows from start on of the old one, with the edits and removes that are in it; first is the number of the first of the
// edits.
func (b *builder) batch(i int, start uint32, first int, edits []change, removes []Action) *recordInWork {
	rec := b.j.given[i]
	rows := int(b.j.history.Batches[i].NumRows())
	column := func(k int) (arrow.Array, error) {
		c := &b.j.columns[k]
		if c.role == currentRole || c.role == deletedRole {
			return b.flagsOf(c, rec, k, start, edits, removes)
		}
		return b.cellsOf(c, rec, k, i, start, first, edits, removes)
	}
	cost := func(k int) int {
		n := len(removes)
		if s := b.sourceOf(&b.j.columns[k]); s >= 0 && b.foreignRows[s].at != nil {
			n += len(edits)
		}
		return min(n, 1)*rows/2 + 4*n
	}
	return &recordInWork{schema: b.j.schema, rows: rows - len(removes), column: column, cost: cost}
}

// Sources of the cells of edits; those of the used slots follow.
const (
	startCells = iota
	endCells
	slotCells
)

// foreignRows are the cells that edited rows get from elsewhere, out of one source.
type foreignRows struct {
	cells []uint32
	at    []uint32 // by edit: the number of its cell, or keyset.None where the row keeps its own; nil: all do
}

// foreign is a column of the cells that edited rows get from elsewhere: gathered once, by who needs it first, whatever the number of batches.
type foreign struct {
	sync.Mutex
	cells arrow.Array
}

// layForeign returns tasks that find the foreign cells of edits.
func (b *builder) layForeign() (tasks []func()) {
	edits := b.m.out.edits
	b.foreign, b.foreignRows = make([]foreign, len(b.j.columns)), make([]foreignRows, slotCells+len(b.j.used))
	for s := range b.foreignRows {
		f, cell, own := &b.foreignRows[s], b.cellOf(s), uint32(0)
		if s == endCells {
			own = b.j.cells.end(0)
		}
		tasks = append(tasks, func() {
			for i := range edits {
				e := &edits[i]
				from := cell(e)
				if from == e.row+own {
					continue
				}
				if f.at == nil {
					f.at, f.cells = slices.Repeat([]uint32{keyset.None}, len(edits)), make([]uint32, 0, len(edits)-i)
				}
				f.at[i] = uint32(len(f.cells))
				f.cells = append(f.cells, from)
			}
		})
	}
	return tasks
}

// cellOf says which cell of a source an edit takes.
func (b *builder) cellOf(source int) func(e *change) uint32 {
	switch used, at := len(b.j.used), source-slotCells; source {
	case startCells:
		return func(e *change) uint32 { return e.from }
	case endCells:
		return func(e *change) uint32 { return e.to }
	default:
		return func(e *change) uint32 { return b.refs[int(e.refs)*used+at] }
	}
}

// sourceOf is the source of the cells of a column; -1 of flags and keys, which no edit gets from elsewhere.
func (b *builder) sourceOf(c *column) int {
	switch c.role {
	case currentRole, deletedRole, keyRole:
		return -1
	case fromRole:
		return startCells
	case toRole:
		return endCells
	}
	return slotCells + b.j.place[c.slot]
}

// foreignCells are the foreign cells of a column, gathered when they are asked for. They belong to the builder.
func (b *builder) foreignCells(k int) (arrow.Array, error) {
	c, f := &b.j.columns[k], &b.foreign[k]
	f.Lock()
	defer f.Unlock()
	if f.cells != nil {
		return f.cells, nil
	}
	var err error
	f.cells, err = b.gather(c.field.Name, b.chunksOf(c), b.foreignRows[b.sourceOf(c)].cells)
	return f.cells, err
}

func (b *builder) releaseForeign() {
	for i := range b.foreign {
		if cells := b.foreign[i].cells; cells != nil {
			cells.Release()
		}
	}
}

// chunksOf are the chunks that the cells of a column are from.
func (b *builder) chunksOf(c *column) []arrow.Array {
	switch c.role {
	case fromRole:
		return b.j.cells.from
	case toRole:
		return b.j.cells.to
	}
	return c.chunks
}

// cellsOf makes a column of a batch: the old one where nothing changes, else out of it and of the column's foreign cells.
func (b *builder) cellsOf(c *column, rec arrow.Record, k, i int, start uint32, first int, edits []change, removes []Action) (arrow.Array, error) {
	replaced, from := b.replaced(c, start, first, edits)
	if replaced == nil && len(removes) == 0 {
		if k < int(rec.NumCols()) {
			return shared(rec, k), nil
		}
		c.chunks[i].Retain() // a column that the history didn't have
		return c.chunks[i], nil
	}
	base := i
	if c.role == toRole {
		base += len(b.j.history.Batches)
	}
	left := make([]uint32, len(removes))
	for r := range removes {
		left[r] = removes[r].Row - start
	}
	var by arrow.Array
	if replaced != nil {
		cells, err := b.foreignCells(k)
		if err != nil {
			return nil, err
		}
		by = array.NewSlice(cells, int64(from), int64(from)+int64(len(replaced)))
		defer by.Release()
	}
	arr, err := take.Edited(b.ctx, b.alloc, b.chunksOf(c)[base], left, replaced, by)
	return arr, b.takeError(c.field.Name, err)
}

// replaced are the rows of a batch, from 0, that have a foreign cell in a column, and the number of the first one's; the cells of the others follow.
func (b *builder) replaced(c *column, start uint32, first int, edits []change) (rows []uint32, from uint32) {
	s := b.sourceOf(c)
	if s < 0 || b.foreignRows[s].at == nil {
		return nil, 0
	}
	for e, at := range b.foreignRows[s].at[first : first+len(edits)] {
		if at == keyset.None {
			continue
		}
		if rows == nil {
			rows, from = make([]uint32, 0, len(edits)-e), at
		}
		rows = append(rows, edits[e].row-start)
	}
	return rows, from
}

// shared is a column of a batch of the history, shared with it.
func shared(rec arrow.Record, k int) arrow.Array {
	if arr := rec.Column(k); int64(arr.Len()) > rec.NumRows() {
		return array.NewSlice(arr, 0, rec.NumRows())
	}
	rec.Column(k).Retain()
	return rec.Column(k)
}

// flagsOf makes a flag column of a batch.
func (b *builder) flagsOf(c *column, rec arrow.Record, k int, start uint32, edits []change, removes []Action) (arrow.Array, error) {
	if len(edits)+len(removes) == 0 {
		return shared(rec, k), nil
	}
	old := b.j.current
	if c.role == deletedRole {
		old = b.j.deleted
	}
	n := int(rec.NumRows()) - len(removes)
	flags, null := make([]bool, 0, n), make([]bool, 0, n)
	for row := start; row < start+uint32(rec.NumRows()); row++ {
		switch {
		case len(removes) > 0 && removes[0].Row == row:
			removes = removes[1:]
		case len(edits) > 0 && edits[0].row == row:
			flags, null, edits = append(flags, edits[0].flag(c.role)), append(null, false), edits[1:]
		default:
			flags, null = append(flags, old.Match(isTrue, row)), append(null, old.Null(row))
		}
	}
	return b.flags(c.field, flags, null)
}

// flags makes a flag column.
func (b *builder) flags(field arrow.Field, flags, null []bool) (arrow.Array, error) {
	bld := array.NewBooleanBuilder(b.alloc)
	defer bld.Release()
	bld.Reserve(len(flags))
	for i, f := range flags {
		if null != nil && null[i] {
			bld.AppendNull()
		} else {
			bld.Append(f)
		}
	}
	arr := bld.NewArray()
	if form.SameType(arr.DataType(), field.Type) {
		return arr, nil
	}
	defer arr.Release()
	out, _, err := recast.Array(b.alloc, arr, field.Type)
	if err != nil {
		return nil, &onerow.TypeError{Column: field.Name, Type: field.Type, Why: err.Error()}
	}
	return out, nil
}

// mostJoined is the number of rows up to which batches are joined.
const mostJoined = 1 << 17

// join leaves out batches without rows, and joins those at the end as long as one isn't more than twice as long as the one after it: each row is copied
// a few times at most, however many merges come after it.
func (b *builder) join(batches []arrow.Record) ([]arrow.Record, error) {
	out := batches[:0]
	for i, rec := range batches {
		if rec.NumRows() > 0 || len(out) == 0 && i == len(batches)-1 {
			out = append(out, rec)
		} else {
			rec.Release()
		}
	}
	clear(batches[len(out):])
	first, rows := len(out)-1, int64(0)
	for ; first >= 0; first-- {
		n := out[first].NumRows()
		if first < len(out)-1 && (n > 2*rows || n+rows > mostJoined) {
			break
		}
		rows += n
	}
	if first++; len(out)-first < 2 {
		return out, nil
	}
	all := make(onerow.Rows, rows)
	for i := range all {
		all[i] = uint32(i)
	}
	joined, err := onerow.Take(b.ctx, out[first:], all, onerow.Resources{Workers: b.j.opts.Resources.Workers, Allocator: b.alloc})
	if err != nil {
		return out, err
	}
	for _, rec := range out[first:] {
		rec.Release()
	}
	return append(out[:first], joined), nil
}
