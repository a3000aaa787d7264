package oracle

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
)

// table is the rows of some batches.
type table struct {
	input string
	names []string
	types []arrow.DataType
	rows  [][]Value
}

// Rows reads all cells of some batches, row by row.
func Rows(batches ...arrow.Record) [][]Value {
	var rows [][]Value
	for _, b := range batches {
		for i := range int(b.NumRows()) {
			row := make([]Value, b.NumCols())
			for c := range row {
				row[c] = decode(b.Column(c), i)
			}
			rows = append(rows, row)
		}
	}
	return rows
}

func readTable(input string, batches []arrow.Record) (*table, error) {
	t := &table{input: input}
	for i, b := range batches {
		if i == 0 {
			for _, f := range b.Schema().Fields() {
				t.names = append(t.names, f.Name)
				t.types = append(t.types, f.Type)
			}
			continue
		}
		if err := t.sameSchema(i, b.Schema()); err != nil {
			return nil, err
		}
	}
	t.rows = Rows(batches...)
	return t, nil
}

func (t *table) sameSchema(batch int, s *arrow.Schema) error {
	bad := func(why string) error { return &onerow.SchemaError{Input: t.input, Batch: batch, Why: why} }
	if s.NumFields() != len(t.names) {
		return bad(fmt.Sprintf("%d columns, not %d", s.NumFields(), len(t.names)))
	}
	for i, f := range s.Fields() {
		if f.Name != t.names[i] || !arrow.TypeEqual(f.Type, t.types[i]) {
			return bad(fmt.Sprintf("column %q of type %v", f.Name, f.Type))
		}
	}
	return nil
}

// find returns the number of a column, or -1.
func (t *table) find(name string) (column, found int) {
	column = -1
	for i, n := range t.names {
		if n == name {
			column = i
			found++
		}
	}
	return column, found
}

// column returns the number of a column that must be there, once.
func (t *table) column(name string) (int, error) {
	column, found := t.find(name)
	if found != 1 {
		return 0, &onerow.ColumnError{Column: name, Input: t.input, Found: found, Have: t.names}
	}
	return column, nil
}

func (t *table) columns(names []string, fits func(arrow.DataType) bool) ([]int, error) {
	var columns []int
	for _, name := range names {
		c, err := t.column(name)
		if err != nil {
			return nil, err
		}
		if !fits(t.types[c]) {
			return nil, &onerow.TypeError{Column: name, Type: t.types[c], Why: "unfit"}
		}
		columns = append(columns, c)
	}
	return columns, nil
}

// cells picks columns of a row.
func cells(row []Value, columns []int) []Value {
	picked := make([]Value, len(columns))
	for i, c := range columns {
		picked[i] = row[c]
	}
	return picked
}

func anyNull(vs []Value) bool {
	for _, v := range vs {
		if v.Null() {
			return true
		}
	}
	return false
}

func allNull(vs []Value) bool {
	for _, v := range vs {
		if !v.Null() {
			return false
		}
	}
	return true
}

// countNulls counts the rows with NULL per column, of the rows that are not skipped.
func (t *table) countNulls(columns []int, skip func(row int) bool, refused func(i int) bool) []onerow.ColumnNulls {
	var counts []onerow.ColumnNulls
	for i, c := range columns {
		if !refused(i) {
			continue
		}
		n := onerow.ColumnNulls{Column: t.names[c]}
		for r, row := range t.rows {
			if !row[c].Null() || skip(r) {
				continue
			}
			if n.Rows == 0 {
				n.First = uint32(r)
			}
			n.Rows++
		}
		if n.Rows > 0 {
			counts = append(counts, n)
		}
	}
	return counts
}
