package scd2

import (
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/keyset"
	"github.com/onerow-go/onerow/internal/recast"
	"github.com/onerow-go/onerow/internal/take"
)

// batch is batch i of the new history, rows start to end of the old one, with the edits and removes that are in it.
func (b *builder) batch(i int, start, end uint32, first int, edits []change, removes []Action) *recordInWork {
	rec := b.j.given[i]
	var rows []uint32 // those that stay, when some don't
	n := int(end - start)
	if len(removes) > 0 {
		rows = make([]uint32, 0, n)
		for row, next := start, 0; row < end; row++ {
			if next < len(removes) && removes[next].Row == row {
				next++
				continue
			}
			rows = append(rows, row)
		}
		n = len(rows)
	}
	return &recordInWork{schema: b.j.schema, rows: n, column: func(k int) (arrow.Array, error) {
		c := &b.j.columns[k]
		if c.role == currentRole || c.role == deletedRole {
			return b.flagsOf(c, rec, k, start, rows, edits)
		}
		return b.cellsOf(c, rec, k, i, start, first, edits, removes)
	}}
}

// foreign are the cells of one column that edited rows get from elsewhere: gathered once, whatever the number of batches.
type foreign struct {
	cells arrow.Array // nil: none
	at    []uint32    // by edit: its cell, or keyset.None where the row keeps its own
}

// foreignCells gathers the foreign cells of all columns. They belong to the builder, which releases them.
func (b *builder) foreignCells() error {
	b.foreign = make([]foreign, len(b.j.columns))
	return b.j.run(b.ctx, len(b.foreign), func(_, k int) error {
		c := &b.j.columns[k]
		chunks, own, cell := b.source(c)
		if cell == nil {
			return nil
		}
		var rows []uint32
		f := &b.foreign[k]
		for i := range b.m.out.edits {
			e := &b.m.out.edits[i]
			from := cell(e)
			if from == e.row+own {
				continue
			}
			if rows == nil {
				f.at = slices.Repeat([]uint32{keyset.None}, len(b.m.out.edits))
			}
			f.at[i] = uint32(len(rows))
			rows = append(rows, from)
		}
		if rows == nil {
			return nil
		}
		var err error
		f.cells, err = b.gather(c.field.Name, chunks, rows)
		return err
	})
}

func (b *builder) releaseForeign() {
	for _, f := range b.foreign {
		if f.cells != nil {
			f.cells.Release()
		}
	}
}

// source says where the cells of a column are from: chunks, the number of the cell of row 0 of the history, and which cell an edit takes; nil for flags and keys, which no
// edit gets from elsewhere.
func (b *builder) source(c *column) (chunks []arrow.Array, own uint32, cell func(e *change) uint32) {
	switch c.role {
	case currentRole, deletedRole, keyRole:
		return c.chunks, 0, nil
	case fromRole:
		return b.j.cells.from, 0, func(e *change) uint32 { return e.from }
	case toRole:
		return b.j.cells.to, b.j.cells.history, func(e *change) uint32 { return e.to }
	}
	return c.chunks, 0, func(e *change) uint32 { return b.ref(e.refs, c.slot) }
}

// cellsOf makes a column of a batch: the old one where nothing changes, else out of it and of the column's foreign cells. first is the number of the first of the edits.
func (b *builder) cellsOf(c *column, rec arrow.Record, k, i int, start uint32, first int, edits []change, removes []Action) (arrow.Array, error) {
	f := &b.foreign[k]
	var replaced []uint32
	from := uint32(0) // the first of their cells: they are in the order of the edits
	if f.at != nil {
		for e, at := range f.at[first : first+len(edits)] {
			if at == keyset.None {
				continue
			}
			if replaced == nil {
				replaced, from = make([]uint32, 0, len(edits)-e), at
			}
			replaced = append(replaced, edits[e].row-start)
		}
	}
	if replaced == nil && len(removes) == 0 {
		if k < int(rec.NumCols()) {
			return shared(rec, k), nil
		}
		c.chunks[i].Retain() // a column that the history didn't have
		return c.chunks[i], nil
	}
	chunks, _, _ := b.source(c)
	if c.role == toRole {
		i += len(b.j.history.Batches)
	}
	left := make([]uint32, len(removes))
	for r := range removes {
		left[r] = removes[r].Row - start
	}
	var by arrow.Array
	if replaced != nil {
		by = array.NewSlice(f.cells, int64(from), int64(from)+int64(len(replaced)))
		defer by.Release()
	}
	arr, err := take.Edited(b.ctx, b.alloc, chunks[i], left, replaced, by)
	return arr, b.takeError(c.field.Name, err)
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
func (b *builder) flagsOf(c *column, rec arrow.Record, k int, start uint32, rows []uint32, edits []change) (arrow.Array, error) {
	if len(edits) == 0 && rows == nil {
		return shared(rec, k), nil
	}
	old := b.j.current
	if c.role == deletedRole {
		old = b.j.deleted
	}
	var flags, null []bool
	next := 0
	add := func(row uint32) {
		for next < len(edits) && edits[next].row < row {
			next++
		}
		if next < len(edits) && edits[next].row == row {
			flags, null = append(flags, edits[next].flag(c.role)), append(null, false)
			return
		}
		flags, null = append(flags, old.Match(isTrue, row)), append(null, old.Null(row))
	}
	if rows == nil {
		for row := range uint32(rec.NumRows()) {
			add(start + row)
		}
	} else {
		for _, row := range rows {
			add(row)
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
	joined, err := onerow.Take(b.ctx, b.alloc, out[first:], all)
	if err != nil {
		return out, err
	}
	for _, rec := range out[first:] {
		rec.Release()
	}
	return append(out[:first], joined), nil
}
