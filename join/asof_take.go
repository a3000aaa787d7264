package join

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/frame"
	"github.com/onerow-go/onerow/internal/recast"
)

// Of returns the facts that have one of the statuses, in ascending order: those to set aside, for example, with [onerow.Take] of the facts.
func (m *Matches) Of(statuses ...Status) onerow.Rows {
	rows := onerow.Rows{}
	for i, s := range m.Status {
		if slices.Contains(statuses, s) {
			rows = append(rows, uint32(i))
		}
	}
	return rows
}

// Inner returns the rows of the inner join: the facts with a match, in ascending order, and the version of each. [onerow.Take] makes records of
// both that lie side by side.
func (m *Matches) Inner() (facts, versions onerow.Rows) {
	facts, versions = make(onerow.Rows, 0, m.Report.OK), make(onerow.Rows, 0, m.Report.OK)
	for i, row := range m.Rows {
		if row != NoMatch {
			facts, versions = append(facts, uint32(i)), append(versions, row)
		}
	}
	return facts, versions
}

// Versions makes the right side of the left join: a row for each fact, in their order, with the named columns of its version, or all if none is named; NULL
// where the fact has no match. Columns keep their types and encodings; all are nullable. A union has no NULL of its own: its first child is NULL there.
//
// alloc makes the record's buffers; nil is that of the call's resources, else memory.DefaultAllocator. The call's workers, by its resources, gather
// the rows, as those of [onerow.Take]. The caller releases the record. The versions are read again: the caller holds them until then.
//
// Errors wrap [onerow.ErrNoColumn], [onerow.ErrNoBatches] when there were no batches of versions, [onerow.ErrTooLarge], [onerow.ErrTooManyRows],
// [onerow.ErrMalformed], or are the context's.
func (m *Matches) Versions(ctx context.Context, alloc memory.Allocator, columns ...string) (arrow.Record, error) {
	res := m.res
	if alloc != nil {
		res.Allocator = alloc
	}
	var rec arrow.Record
	err := guard(ctx, func() (err error) {
		rec, err = m.takeVersions(ctx, columns, res)
		return err
	})
	if err != nil {
		return nil, err
	}
	return rec, nil
}

// Joined makes the left join: for each batch of facts a record of its rows, with its columns, and beside them those that [Matches.Versions] makes. The
// facts' columns are shared, not copied. [onerow.Take] of the records and of m.Of(OK) makes the inner join.
//
// alloc makes the buffers of the versions' columns, as in Versions. The caller releases the records. Facts and versions are read again: the
// caller holds them until then.
//
// Errors are those of Versions; a column of the versions whose name the facts have too wraps [onerow.ErrOption]: name the others.
func (m *Matches) Joined(ctx context.Context, alloc memory.Allocator, columns ...string) ([]arrow.Record, error) {
	right, err := m.Versions(ctx, alloc, columns...)
	if err != nil {
		return nil, err
	}
	defer right.Release()
	var joined []arrow.Record
	err = guard(ctx, func() (err error) {
		joined, err = m.beside(right)
		return err
	})
	if err != nil {
		return nil, err
	}
	return joined, nil
}

// beside puts a record of a row for each fact beside the batches of the facts.
func (m *Matches) beside(right arrow.Record) (joined []arrow.Record, err error) {
	f, err := frame.New("facts", m.facts)
	if err != nil || len(m.facts) == 0 {
		return nil, err
	}
	var errs []error
	for _, c := range right.Schema().Fields() {
		if f.Has(c.Name) {
			errs = append(errs, fmt.Errorf("%w: facts and versions both have a column %q", onerow.ErrOption, c.Name))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			for _, r := range joined {
				r.Release()
			}
		}
	}()
	first := int64(0)
	for n, b := range m.facts {
		// A batch may differ from the first in what doesn't matter, such as whether elements of a list can be NULL.
		fields, cols := b.Schema().Fields(), make([]arrow.Array, 0, len(f.Schema.Fields())+int(right.NumCols()))
		for i := range fields {
			c, err := columnOf(f, n, i)
			if err != nil {
				return joined, err
			}
			fields[i].Type = c.DataType()
			cols = append(cols, c)
		}
		part := right.NewSlice(first, first+b.NumRows())
		first += b.NumRows()
		meta := b.Schema().Metadata()
		schema := arrow.NewSchemaWithEndian(append(fields, right.Schema().Fields()...), &meta, b.Schema().Endianness())
		joined = append(joined, array.NewRecord(schema, append(cols, part.Columns()...), b.NumRows()))
		part.Release()
	}
	return joined, nil
}

func (m *Matches) takeVersions(ctx context.Context, columns []string, res onerow.Resources) (arrow.Record, error) {
	if len(m.versions) == 0 {
		return nil, fmt.Errorf("%w of versions", onerow.ErrNoBatches)
	}
	f, err := frame.New("versions", m.versions)
	if err != nil {
		return nil, err
	}
	picked, err := pick(f, columns)
	if err != nil {
		return nil, err
	}
	batches, err := narrow(f, picked)
	defer func() {
		for _, b := range batches {
			b.Release()
		}
	}()
	if err != nil {
		return nil, err
	}
	if f.Rows >= onerow.MaxRows {
		return nil, fmt.Errorf("%w: there is no number left for the row of NULLs", onerow.ErrTooManyRows)
	}
	rows := make(onerow.Rows, len(m.Rows))
	for i, row := range m.Rows {
		rows[i] = min(row, uint32(f.Rows)) // NoMatch is greater than any row
	}
	return onerow.Take(ctx, batches, rows, res)
}

// pick finds the columns by name.
func pick(f *frame.Frame, columns []string) ([]int, error) {
	var at []int
	if len(columns) == 0 {
		for i := range f.Schema.Fields() {
			at = append(at, i)
		}
		return at, nil
	}
	var errs []error
	for _, name := range columns {
		i, err := f.Index(name)
		at, errs = append(at, i), append(errs, err)
	}
	return at, errors.Join(errs...)
}

// narrow makes batches of the picked columns, and one more, with a row of NULLs. The caller releases them, on errors too.
func narrow(f *frame.Frame, picked []int) (batches []arrow.Record, err error) {
	nulls := make([]arrow.Array, 0, len(picked))
	defer func() {
		for _, a := range nulls {
			a.Release()
		}
	}()
	for _, i := range picked {
		a, err := nullRow(f.Schema.Field(i).Type, f.Batches, i)
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", f.Schema.Field(i).Name, err)
		}
		nulls = append(nulls, a)
	}
	cols := make([]arrow.Array, len(picked))
	for n, b := range f.Batches {
		for k, i := range picked {
			if cols[k], err = columnOf(f, n, i); err != nil {
				return batches, err
			}
		}
		batches = append(batches, nullable(f.Schema, picked, cols, b.NumRows()))
	}
	return append(batches, nullable(f.Schema, picked, nulls, 1)), nil
}

// columnOf is column i of batch n, which has a cell for each row.
func columnOf(f *frame.Frame, n, i int) (arrow.Array, error) {
	b := f.Batches[n]
	if c := b.Column(i); int64(c.Len()) >= b.NumRows() {
		return c, nil
	}
	return nil, fmt.Errorf("%s: column %q: %w: it has %d cells in batch %d of %d rows", f.Input, f.Schema.Field(i).Name, onerow.ErrMalformed,
		b.Column(i).Len(), n, b.NumRows())
}

// nullable makes a batch of picked columns of a schema.
func nullable(schema *arrow.Schema, picked []int, cols []arrow.Array, rows int64) arrow.Record {
	var fields []arrow.Field
	for k, i := range picked {
		field := schema.Field(i)
		field.Type, field.Nullable = cols[k].DataType(), true
		fields = append(fields, field)
	}
	meta := schema.Metadata()
	return array.NewRecord(arrow.NewSchemaWithEndian(fields, &meta, schema.Endianness()), cols, rows)
}

// nullRow makes a column of one row, NULL. A dictionary is that of the first batch, so that the record keeps it if all have the same.
func nullRow(t arrow.DataType, batches []arrow.Record, i int) (arrow.Array, error) {
	heap := memory.NewGoAllocator()
	if first := batches[0].Column(i); t.ID() == arrow.DICTIONARY && first.Data().Dictionary() != nil {
		index := make([]byte, t.(*arrow.DictionaryType).Bytes())
		d := array.NewDataWithDictionary(t, 1, []*memory.Buffer{memory.NewBufferBytes([]byte{0}), memory.NewBufferBytes(index)}, 1, 0,
			first.Data().Dictionary().(*array.Data))
		defer d.Release()
		return array.MakeFromData(d), nil
	}
	none := array.NewNull(1)
	defer none.Release()
	a, _, err := recast.Array(heap, none, t)
	return a, err
}
