package dedupe

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// Source is one of the inputs of [Union].
type Source struct {
	// Name names the source in errors; no two sources have one name. Default "": its position, as in "source 2".
	Name string

	// Batches are the rows, all of one schema. A source without a batch takes no part: it has no rows and lacks no
	// columns. A batch without rows does take part.
	Batches []arrow.Record
}

// Missing says what becomes of a column that some sources have and others lack.
type Missing uint8

const (
	// RejectMissing refuses the call, naming the sources and columns.
	RejectMissing Missing = iota
	// NullMissing makes the column NULL in the rows of the sources that lack it. In carry-forward and in ties by content
	// such a NULL is a value like any other: the row says NULL, though its source said nothing.
	NullMissing
	// DropMissing leaves the column out: the result has the columns that every source has.
	DropMissing
)

// UnionOptions are the optional parts of [Union]. The zero value is the documented default of each.
type UnionOptions struct {
	// Missing says what becomes of a column that some sources lack. A NULL that stands for "this source doesn't say" wins
	// over a value as soon as its row is the latest, and a column left out is gone: both lose data without a word, so
	// neither is the default. Default RejectMissing.
	Missing Missing

	// RankColumn adds a column of this name, int64 and last, that holds the position of the row's source in the list,
	// from 0. List the sources from the least trusted to the most, and onerow.Desc(RankColumn) in the order prefers the
	// most trusted. To give two sources one rank, make one source of their union. Default "": no such column.
	RankColumn string
}

// Union makes one input of several sources whose schemas differ: the columns are matched by name. The result has a batch
// for each batch of the sources, in order of the list, with the same rows; all have one schema, so they can be given to
// [Latest] or any other verb as they are. [onerow.Take] of all rows makes exactly one record of them.
//
// Columns come in the order in which they first appear, with the field metadata of that appearance; metadata of
// schemas is left out. A column is nullable if it is so in any source, or is missing from one. Columns are shared with
// the input, not copied. Cost: 8 bytes a row for the ranks, and one buffer for all NULLs, as large as the largest batch needs.
//
// A column must have one type in all sources that have it; only a column of the null type goes with any other, as rows of
// NULLs. A clash is a *[onerow.TypeError] that says which two sources have which types: cast one of them first, since what
// the cast should do with a value that doesn't fit is for the caller to say. Other errors: *[onerow.ColumnError] for a
// column that a source lacks (RejectMissing) or has twice, or when no column is in all sources (DropMissing);
// *[onerow.SchemaError] for batches of one source that differ in schema; [onerow.ErrOption] for a bad option;
// *[onerow.SizeError] for a batch of more rows than a missing column's type can hold. Those of one step come
// joined.
//
// The caller releases the records of the result; on an error there are none. Default for alloc nil:
// memory.DefaultAllocator.
func Union(alloc memory.Allocator, sources []Source, opts UnionOptions) ([]arrow.Record, error) {
	if alloc == nil {
		alloc = memory.DefaultAllocator
	}
	u, err := planUnion(sources, opts)
	if err != nil {
		return nil, fmt.Errorf("union: %w", err)
	}
	out, err := u.records(alloc)
	if err != nil {
		for _, rec := range out {
			rec.Release()
		}
		return nil, fmt.Errorf("union: %w", err)
	}
	return out, nil
}

// records makes the result. On an error the records made so far come with it.
func (u *union) records(alloc memory.Allocator) ([]arrow.Record, error) {
	nulls := nullMaker{alloc: alloc}
	defer nulls.release()
	var out []arrow.Record
	for s := range u.sources {
		for _, rec := range u.sources[s].batches {
			made, err := u.record(alloc, &nulls, s, rec)
			if err != nil {
				return out, err
			}
			out = append(out, made)
		}
	}
	return out, nil
}

func (u *union) record(alloc memory.Allocator, nulls *nullMaker, s int, rec arrow.Record) (arrow.Record, error) {
	cols := make([]arrow.Array, 0, len(u.columns)+1)
	var made []arrow.Array
	defer func() {
		for _, a := range made {
			a.Release()
		}
	}()
	for _, c := range u.columns {
		if pos := c.at[s]; pos != absent && isNull(rec.Column(pos).DataType()) == isNull(c.field.Type) {
			cols = append(cols, rec.Column(pos))
			continue
		}
		a, err := nulls.column(c.field, rec.NumRows())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", u.sources[s].label, err)
		}
		made = append(made, a)
		cols = append(cols, a)
	}
	if u.ranked {
		a := constant(alloc, int64(u.sources[s].rank), rec.NumRows())
		made = append(made, a)
		cols = append(cols, a)
	}
	return array.NewRecord(u.schema, cols, rec.NumRows()), nil
}

// constant is an array of one value.
func constant(alloc memory.Allocator, value, rows int64) arrow.Array {
	b := array.NewInt64Builder(alloc)
	defer b.Release()
	b.Reserve(int(rows))
	for range rows {
		b.UnsafeAppend(value)
	}
	return b.NewArray()
}
