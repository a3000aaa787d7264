package scd2

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// Names of the first columns of a staged record.
const (
	// ActionColumn says what is to be done: ActionInsert, ActionClose, ActionRewrite or ActionRemove.
	ActionColumn = "onerow_action"
	// MergeKeyPrefix begins the names of the columns that a target row is found by: one for each key column, and one for its start, whose
	// name ends in that of the ValidFrom column. They are NULL for inserts, so that these match no row.
	MergeKeyPrefix = "onerow_merge_"
)

// The values of ActionColumn.
const (
	ActionInsert  = "insert"
	ActionClose   = "close"
	ActionRewrite = "rewrite"
	ActionRemove  = "remove"
)

// stagedColumn is a column before those of the history.
type stagedColumn struct {
	field arrow.Field
	make  func() (arrow.Array, error)
}

// Staged makes one record for a single MERGE (see [MergeSQL]): a row for each row of the target that is closed or rewritten, then removed,
// then inserted. Its columns are ActionColumn (text), the merge key (MergeKeyPrefix and a key column's name, for each; MergeKeyPrefix and
// the name of ValidFrom), then all columns of the new history, with the values that the row is to have; of a removed row, those it has. The
// caller releases the record. alloc makes its buffers, from several goroutines at once; nil is the allocator of Options.Resources. Errors
// are those of [onerow.Take].
func (m *Merge) Staged(ctx context.Context, alloc memory.Allocator) (rec arrow.Record, err error) {
	b := m.builder(ctx, alloc)
	err = b.guard(func() error {
		all := make([]change, 0, len(m.out.edits)+len(m.out.removes)+len(m.out.inserts))
		all = append(all, m.out.edits...)
		for _, r := range m.out.removes {
			all = append(all, b.asGiven(r.Row))
		}
		found := len(all)
		all = append(all, m.out.inserts...)
		rec, err = b.versions(all, b.mergeColumns(all, found))
		return err
	})
	if err != nil {
		return nil, err
	}
	return rec, nil
}

// asGiven is a row of the history as it is.
func (b *builder) asGiven(row uint32) change {
	j := b.j
	c := change{row: row, key: row, version: kept{from: j.cells.start(row), to: j.cells.end(row), refs: uint32(len(b.refs) / j.slots)}}
	_, closed := j.line.At(atTo, row)
	word, _ := j.line.At(atTo, row)
	c.version.open = !closed || j.hasOpen && word == j.openEnd
	c.version.marker = j.deleted != nil && j.deleted.Match(isTrue, row)
	for range j.slots {
		b.refs = append(b.refs, row)
	}
	return c
}

// mergeColumns are the action and the merge key of changes, of which those from found on match no row.
func (b *builder) mergeColumns(all []change, found int) []stagedColumn {
	j := b.j
	edits := len(b.m.out.edits)
	cols := []stagedColumn{{arrow.Field{Name: ActionColumn, Type: arrow.BinaryTypes.String}, func() (arrow.Array, error) {
		bld := array.NewStringBuilder(b.alloc)
		defer bld.Release()
		for i := range all {
			switch {
			case i >= found:
				bld.Append(ActionInsert)
			case i >= edits:
				bld.Append(ActionRemove)
			case all[i].close:
				bld.Append(ActionClose)
			default:
				bld.Append(ActionRewrite)
			}
		}
		return bld.NewArray(), nil
	}}}
	add := func(c *column, chunks []arrow.Array, none uint32) {
		rows := make([]uint32, len(all))
		for i := range rows {
			if rows[i] = none; i < found {
				rows[i] = all[i].row
			}
		}
		field := arrow.Field{Name: MergeKeyPrefix + c.field.Name, Type: c.field.Type, Nullable: true}
		cols = append(cols, stagedColumn{field, func() (arrow.Array, error) { return b.gather(field.Name, chunks, rows) }})
	}
	for _, name := range j.table.Key {
		c := j.columnOf(name)
		add(c, c.chunks, j.nothing)
	}
	add(j.column(fromRole), j.cells.from, j.cells.open)
	return cols
}

// columnOf returns the column of a name.
func (j *job) columnOf(name string) *column {
	for i := range j.columns {
		if j.columns[i].field.Name == name {
			return &j.columns[i]
		}
	}
	return nil
}
