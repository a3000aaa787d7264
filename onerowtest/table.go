package onerowtest

import (
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow/internal/arrowtest"
)

// table is what batches hold: values, by batch and row.
type table struct {
	columns []column
	batches [][][]any
}

// column is a column of a table.
type column struct {
	name     string
	dt       arrow.DataType
	nullable bool
}

// tableOf reads batches. An error begins with the table's name.
func tableOf(name string, batches []arrow.Record) (t *table, err error) {
	t = &table{}
	for i, b := range batches {
		rows, err := rowsOf(b)
		if err != nil {
			return nil, fmt.Errorf("%s: batch %d can't be read: %w", name, i, err)
		}
		var columns []column
		for _, f := range b.Schema().Fields() {
			columns = append(columns, column{f.Name, f.Type, f.Nullable})
		}
		if i == 0 {
			t.columns = columns
		} else if at, ok := sameColumns(t.columns, columns); !ok {
			return nil, fmt.Errorf("%s: batch %d differs from batch 0 in column %d", name, i, at)
		}
		t.batches = append(t.batches, rows)
	}
	return t, nil
}

// rowsOf reads a record. Arrays whose buffers contradict their shape are an error.
func rowsOf(rec arrow.Record) (rows [][]any, err error) {
	defer func() {
		if why := recover(); why != nil {
			err = fmt.Errorf("malformed: %v", why)
		}
	}()
	return arrowtest.Cells(rec), nil
}

// sameColumns says whether columns are alike in name and type, and if not where they differ first. They become nullable if
// the others are.
func sameColumns(columns, others []column) (at int, ok bool) {
	for i := range max(len(columns), len(others)) {
		if i >= len(columns) || i >= len(others) || columns[i].name != others[i].name || !arrow.TypeEqual(columns[i].dt, others[i].dt) {
			return i, false
		}
		columns[i].nullable = columns[i].nullable || others[i].nullable
	}
	return 0, true
}

// rows are those of all batches.
func (t *table) rows() [][]any {
	var out [][]any
	for _, rows := range t.batches {
		out = append(out, rows...)
	}
	return out
}

// header writes the columns.
func (t *table) header() []string {
	out := make([]string, len(t.columns))
	for i, c := range t.columns {
		out[i] = c.String()
	}
	return out
}

// texts writes the cells of a row.
func (t *table) texts(row []any) []string {
	out := make([]string, len(row))
	for i, v := range row {
		out[i] = cellText(t.columns[i].dt, v)
	}
	return out
}

// String writes a column as it stands in a header.
func (c column) String() string {
	name := c.name
	if needsQuotes(name) || strings.Contains(name, ":") {
		name = quote(name)
	}
	text := name + ":" + typeText(c.dt)
	if !c.nullable {
		text += "!"
	}
	return text
}

// typeText writes a type, that of a column without notation as Arrow does.
func typeText(dt arrow.DataType) string {
	text, ok := arrowtest.TypeText(dt)
	if !ok {
		text = strings.Join(strings.Fields(dt.String()), "")
	}
	return text
}
