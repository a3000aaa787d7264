package onerowtest

import (
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow/internal/arrowtest"
)

// Records makes the batches of a table that is written as text, in the form that the package documentation describes. There is at
// least one batch, without rows if the table has none. The test releases them when it ends, and fails if something still holds
// on to them then. Text that is no table ends the test, with the line and column of what is wrong.
func Records(t TB, text string) []arrow.Record {
	t.Helper()
	schema, batches, err := parse(text)
	if err != nil {
		t.Fatalf("onerowtest: %v", err)
		return nil
	}
	mem := Allocator(t)
	var out []arrow.Record
	t.Cleanup(func() { arrowtest.Release(out) })
	for _, rows := range batches {
		rec, err := arrowtest.Record(mem, schema, rows)
		if err != nil {
			t.Fatalf("onerowtest: %v", err)
			return nil
		}
		out = append(out, rec)
	}
	return out
}

// parse reads a table: its columns, and for each batch its rows of cells.
func parse(text string) (schema *arrow.Schema, batches [][][]any, err error) {
	for i, line := range strings.Split(text, "\n") {
		s := &scanner{line: line, number: i + 1}
		switch s.skip(); {
		case s.done():
		case schema == nil:
			if schema, err = s.header(); err != nil {
				return nil, nil, err
			}
			batches = [][][]any{nil}
		case s.isCut():
			batches = append(batches, nil)
		default:
			row, err := s.row(schema)
			if err != nil {
				return nil, nil, err
			}
			last := len(batches) - 1
			batches[last] = append(batches[last], row)
		}
	}
	if schema == nil {
		return nil, nil, fmt.Errorf("the table has no header: its first line names the columns, each as name:type")
	}
	return schema, batches, nil
}

// isCut says whether the line stands between two batches.
func (s scanner) isCut() bool {
	dashes := s.word()
	s.skip()
	return isDashes(dashes) && s.done()
}

func isDashes(word string) bool { return len(word) >= 3 && strings.Trim(word, "-") == "" }

// header reads the columns of a table.
func (s *scanner) header() (*arrow.Schema, error) {
	var fields []arrow.Field
	for ; !s.done(); s.skip() {
		start := s.at
		f, err := s.column()
		if err != nil {
			return nil, s.errorf(start, "%w", err)
		}
		fields = append(fields, f)
	}
	return arrow.NewSchema(fields, nil), nil
}

// column reads a column of the header: its name, perhaps in quotes, a colon, its type.
func (s *scanner) column() (arrow.Field, error) {
	var name string
	if s.peek() == '"' {
		text, err := s.quoted()
		if err != nil {
			return arrow.Field{}, err
		}
		name = text
	} else {
		name = s.until(func(r rune) bool { return r == ':' || isBlank(r) })
	}
	if s.peek() != ':' {
		return arrow.Field{}, fmt.Errorf("column %q has no type: columns are written name:type", name)
	}
	s.at++
	text, required := strings.CutSuffix(s.typeText(), "!")
	dt, err := arrowtest.Type(text)
	if err != nil {
		return arrow.Field{}, fmt.Errorf("column %q: %w", name, err)
	}
	return arrow.Field{Name: name, Type: dt, Nullable: !required}, nil
}

// typeText reads the type of a column: up to the first blank outside of all brackets, without blanks.
func (s *scanner) typeText() string {
	depth := 0
	text := s.until(func(r rune) bool {
		switch r {
		case '(', '[', '<':
			depth++
		case ')', ']', '>':
			depth--
		}
		return depth <= 0 && isBlank(r)
	})
	return strings.Join(strings.Fields(text), "")
}

// row reads the cells of a row.
func (s *scanner) row(schema *arrow.Schema) ([]any, error) {
	fields := schema.Fields()
	row := make([]any, 0, len(fields))
	for ; !s.done(); s.skip() {
		if len(row) == len(fields) {
			return nil, s.errorf(s.at, "the row has more cells than the table has columns (%d)", len(fields))
		}
		f, start := fields[len(row)], s.at
		v, err := s.cell(f)
		if err != nil {
			return nil, s.errorf(start, "column %q: %w", f.Name, err)
		}
		row = append(row, v)
	}
	if len(row) < len(fields) {
		return nil, s.errorf(s.at, "the row has no cell for column %q: cells are separated by blanks, and NULL is -", fields[len(row)].Name)
	}
	return row, nil
}
