package scd2

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/recast"
)

// batch makes batch i of the new history, rows start to end of the old one, with the edits and removes that are in it.
func (b *builder) batch(i int, start, end uint32, edits []change, removes []Action) (arrow.Record, error) {
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
	return b.record(b.j.schema, n, func(k int) (arrow.Array, error) {
		c := &b.j.columns[k]
		if c.role == currentRole || c.role == deletedRole {
			return b.flagsOf(c, rec, k, start, rows, edits)
		}
		return b.cellsOf(c, rec, k, i, start, rows, edits)
	})
}

// cellsOf makes a column of a batch: the old one where nothing changes.
func (b *builder) cellsOf(c *column, rec arrow.Record, k, i int, start uint32, rows []uint32, edits []change) (arrow.Array, error) {
	chunks, own := c.chunks, uint32(0)
	sub := func(e *change) uint32 { return b.ref(e.version.refs, c.slot) }
	switch c.role {
	case keyRole:
		sub = func(e *change) uint32 { return e.row }
	case fromRole:
		chunks, sub = b.j.cells.from, func(e *change) uint32 { return e.version.from }
	case toRole:
		chunks, own, sub = b.j.cells.to, b.j.cells.history, func(e *change) uint32 { return e.version.to }
	}
	differs := false
	for e := range edits {
		if sub(&edits[e]) != edits[e].row+own {
			differs = true
			break
		}
	}
	if !differs && rows == nil {
		if k < int(rec.NumCols()) {
			return shared(rec, k), nil
		}
		chunks[i].Retain() // a column that the history didn't have
		return chunks[i], nil
	}
	picks := make([]uint32, 0, rec.NumRows())
	if rows == nil {
		for row := range uint32(rec.NumRows()) {
			picks = append(picks, own+start+row)
		}
	} else {
		for _, row := range rows {
			picks = append(picks, own+row)
		}
	}
	next := 0
	for p := range picks {
		for next < len(edits) && edits[next].row+own < picks[p] {
			next++
		}
		if next < len(edits) && edits[next].row+own == picks[p] {
			picks[p] = sub(&edits[next])
			next++
		}
	}
	return b.gather(c.field.Name, chunks, picks)
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
			flags, null = append(flags, edits[next].version.flag(c.role)), append(null, false)
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
