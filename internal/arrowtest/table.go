package arrowtest

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// Spec describes a table, in a case file or in Go. The package documentation says how columns and cells are written.
type Spec struct {
	Columns []string `json:"columns"`

	// Rows are the rows of the one batch of the table; Batches, given instead, are those of each batch.
	Rows    [][]any   `json:"rows"`
	Batches [][][]any `json:"batches"`

	// Dictionaries gives columns of a dict type the dictionary of each batch; their cells are then indices.
	Dictionaries map[string][][]any `json:"dictionaries"`
}

// Build makes the batches of the table. The caller releases them.
func (s Spec) Build(mem memory.Allocator) (batches []arrow.Record, err error) {
	schema, err := Schema(s.Columns)
	if err != nil {
		return nil, err
	}
	cut := s.Batches
	if cut == nil {
		cut = [][][]any{s.Rows}
	} else if s.Rows != nil {
		return nil, fmt.Errorf("a table has rows or batches, not both")
	}
	if err := s.checkDictionaries(schema, len(cut)); err != nil {
		return nil, err
	}
	for i, rows := range cut {
		rec, err := s.batch(mem, schema, i, rows)
		if err != nil {
			Release(batches)
			return nil, fmt.Errorf("batch %d: %w", i, err)
		}
		batches = append(batches, rec)
	}
	return batches, nil
}

func (s Spec) checkDictionaries(schema *arrow.Schema, batches int) error {
	for name, dicts := range s.Dictionaries {
		fields, _ := schema.FieldsByName(name)
		if len(fields) != 1 || fields[0].Type.ID() != arrow.DICTIONARY {
			return fmt.Errorf("column %q has dictionaries, and isn't the one dict column of this name", name)
		}
		if len(dicts) != batches {
			return fmt.Errorf("column %q has %d dictionaries for %d batches", name, len(dicts), batches)
		}
	}
	return nil
}

// Record makes a record of rows of cells, of the types of a schema. The caller releases it.
func Record(mem memory.Allocator, schema *arrow.Schema, rows [][]any) (arrow.Record, error) {
	return Spec{}.batch(mem, schema, 0, rows)
}

func (s Spec) batch(mem memory.Allocator, schema *arrow.Schema, number int, rows [][]any) (arrow.Record, error) {
	for i, r := range rows {
		if len(r) != len(schema.Fields()) {
			return nil, fmt.Errorf("row %d has %d cells for %d columns", i, len(r), len(schema.Fields()))
		}
	}
	cols := make([]arrow.Array, len(schema.Fields()))
	defer func() { releaseArrays(cols) }()
	for c, f := range schema.Fields() {
		cells := make([]any, len(rows))
		for i, r := range rows {
			cells[i] = r[c]
		}
		arr, err := s.column(mem, f, number, cells)
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", f.Name, err)
		}
		cols[c] = arr
	}
	return array.NewRecord(schema, cols, int64(len(rows))), nil
}

func (s Spec) column(mem memory.Allocator, f arrow.Field, batch int, cells []any) (arrow.Array, error) {
	b := builder{mem: mem}
	dicts, ok := s.Dictionaries[f.Name]
	if !ok {
		vals, err := columnValues(f.Type, cells)
		if err != nil {
			return nil, err
		}
		if err := checkRequired(f, vals); err != nil {
			return nil, err
		}
		return b.array(f.Type, vals), nil
	}
	dt := f.Type.(*arrow.DictionaryType)
	dict, err := columnValues(dt.ValueType, dicts[batch])
	if err != nil {
		return nil, err
	}
	indices, err := columnValues(dt.IndexType, cells)
	if err != nil {
		return nil, err
	}
	for row, i := range indices {
		if at, ok := i.(int64); i != nil && (!ok || at < 0 || at >= int64(len(dict))) {
			return nil, fmt.Errorf("row %d: index %v of a dictionary of %d", row, i, len(dict))
		}
	}
	data := b.indexed(dt, indices, dict)
	defer data.Release()
	return array.MakeFromData(data), nil
}

func columnValues(dt arrow.DataType, cells []any) ([]any, error) {
	vals := make([]any, len(cells))
	for i, c := range cells {
		v, err := Value(dt, c)
		if err != nil {
			return nil, fmt.Errorf("row %d: %w", i, err)
		}
		vals[i] = v
	}
	return vals, nil
}

func checkRequired(f arrow.Field, vals []any) error {
	for i, v := range vals {
		if v == nil && !f.Nullable {
			return fmt.Errorf("row %d is NULL in a column that isn't nullable", i)
		}
	}
	return nil
}

// Values reads rows of cells as the values of a table's columns: what [Cells] would give for them.
func Values(schema *arrow.Schema, rows [][]any) ([][]any, error) {
	out := make([][]any, len(rows))
	for i, r := range rows {
		if len(r) != len(schema.Fields()) {
			return nil, fmt.Errorf("row %d has %d cells for %d columns", i, len(r), len(schema.Fields()))
		}
		out[i] = make([]any, len(r))
		for c, f := range schema.Fields() {
			v, err := Value(f.Type, r[c])
			if err != nil {
				return nil, fmt.Errorf("row %d, column %q: %w", i, f.Name, err)
			}
			out[i][c] = canon(v)
		}
	}
	return out, nil
}

// TB is what [Table] and [Allocator] need of a testing.T, testing.B, testing.F or rapid.T.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Cleanup(func())
}

// Allocator returns an allocator that fails the test if something of it isn't released when the test has ended, after
// all cleanups registered later.
func Allocator(tb TB) *memory.CheckedAllocator {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	tb.Cleanup(func() { mem.AssertSize(tb, 0) })
	return mem
}

// Table makes a table of one batch, which the test releases at its end. It fails the test when a cell doesn't fit.
func Table(tb TB, mem memory.Allocator, columns []string, rows [][]any) []arrow.Record {
	tb.Helper()
	return Batches(tb, mem, columns, rows)
}

// Batches is [Table] with a batch for each list of rows.
func Batches(tb TB, mem memory.Allocator, columns []string, batches ...[][]any) []arrow.Record {
	tb.Helper()
	recs, err := Spec{Columns: columns, Batches: append([][][]any{}, batches...)}.Build(mem)
	if err != nil {
		tb.Fatalf("arrowtest: %v", err)
	}
	tb.Cleanup(func() { Release(recs) })
	return recs
}

// Release releases records.
func Release(recs []arrow.Record) {
	for _, r := range recs {
		r.Release()
	}
}

func releaseArrays(arrs []arrow.Array) {
	for _, a := range arrs {
		if a != nil {
			a.Release()
		}
	}
}

// UnmarshalJSON reads a table of a case file. Fields that a table doesn't have are errors, and so is a table without
// columns, or without both rows and batches.
func (s *Spec) UnmarshalJSON(text []byte) error {
	type plain Spec
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	d.DisallowUnknownFields()
	var p plain
	if err := d.Decode(&p); err != nil {
		return err
	}
	if p.Columns == nil || p.Rows == nil && p.Batches == nil {
		return fmt.Errorf("a table has columns, and rows or batches")
	}
	*s = Spec(p)
	return nil
}
