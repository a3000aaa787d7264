package scd2

import (
	"context"
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
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
		removes := make([]change, 0, len(m.out.removes))
		for _, r := range m.out.removes {
			removes = append(removes, b.asGiven(r.Row))
		}
		making, laying := b.versions(b.mergeColumns(), m.out.edits, removes, m.out.inserts)
		if err := b.all(laying); err != nil {
			return err
		}
		rec, err = b.record(making)
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
	c := change{row: row, key: row, from: j.cells.start(row), to: j.cells.end(row)}
	if len(j.used) > 0 {
		c.refs = uint32(len(b.refs) / len(j.used))
	}
	_, closed := j.line.At(atTo, row)
	word, _ := j.line.At(atTo, row)
	c.open = !closed || j.hasOpen && word == j.openEnd
	c.marker = j.deleted != nil && j.deleted.Match(isTrue, row)
	for range j.used {
		b.refs = append(b.refs, row)
	}
	return c
}

// mergeColumns are the action and the merge key of all changes; inserts match no row.
func (b *builder) mergeColumns() []stagedColumn {
	j, out := b.j, b.m.out
	cols := []stagedColumn{{arrow.Field{Name: ActionColumn, Type: arrow.BinaryTypes.String}, b.actions}}
	add := func(c *column, chunks []arrow.Array, none uint32) {
		field := arrow.Field{Name: MergeKeyPrefix + c.field.Name, Type: c.field.Type, Nullable: true}
		cols = append(cols, stagedColumn{field, func() (arrow.Array, error) {
			rows := make([]uint32, 0, len(out.edits)+len(out.removes)+len(out.inserts))
			for i := range out.edits {
				rows = append(rows, out.edits[i].row)
			}
			for i := range out.removes {
				rows = append(rows, out.removes[i].Row)
			}
			for range out.inserts {
				rows = append(rows, none)
			}
			return b.gather(field.Name, chunks, rows)
		}})
	}
	for _, name := range j.table.Key {
		c := j.columnOf(name)
		add(c, c.chunks, j.nothing)
	}
	add(j.column(fromRole), j.cells.from, j.cells.open)
	return cols
}

// actions is the column of actions. Few texts make up millions of cells: they are written right into buffers of their size.
func (b *builder) actions() (arrow.Array, error) {
	out := b.m.out
	n, size := len(out.edits)+len(out.removes)+len(out.inserts), len(ActionRemove)*len(out.removes)+len(ActionInsert)*len(out.inserts)
	for i := range out.edits {
		size += len(editAction(&out.edits[i]))
	}
	if size > math.MaxInt32 {
		return nil, &onerow.SizeError{Column: ActionColumn, Type: arrow.BinaryTypes.String, Size: int64(size), Limit: math.MaxInt32, Unit: "bytes"}
	}
	offsets, texts := memory.NewResizableBuffer(b.alloc), memory.NewResizableBuffer(b.alloc)
	defer offsets.Release()
	defer texts.Release()
	offsets.Resize(arrow.Int32Traits.BytesRequired(n + 1))
	texts.Resize(size)
	at, cells, bytes := 0, arrow.Int32Traits.CastFromBytes(offsets.Bytes()), texts.Bytes()
	add := func(i int, action string) {
		cells[i] = int32(at)
		at += copy(bytes[at:], action)
	}
	for i := range out.edits {
		add(i, editAction(&out.edits[i]))
	}
	repeat := func(i, count int, action string) {
		from := at
		for k := range count {
			cells[i+k] = int32(at + k*len(action))
		}
		if count > 0 {
			at += copy(bytes[at:], action)
		}
		for end := from + count*len(action); at < end; { // what is there already, again
			at += copy(bytes[at:end], bytes[from:at])
		}
	}
	repeat(len(out.edits), len(out.removes), ActionRemove)
	repeat(len(out.edits)+len(out.removes), len(out.inserts), ActionInsert)
	cells[n] = int32(at)
	data := array.NewData(arrow.BinaryTypes.String, n, []*memory.Buffer{nil, offsets, texts}, nil, 0, 0)
	defer data.Release()
	return array.NewStringData(data), nil
}

func editAction(c *change) string {
	if c.close {
		return ActionClose
	}
	return ActionRewrite
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
