package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
)

// table is a file as batches of one schema: at least one, perhaps without rows.
type table struct {
	name    string
	batches []arrow.Record
	// text says of columns of a CSV file why they are text.
	text map[string]string
}

// read reads a whole file, by its extension: .csv, .csv.gz or .parquet. asText names columns that are text in a CSV file, whatever is in them.
func read(ctx context.Context, path string, asText []string, alloc memory.Allocator) (t *table, err error) {
	t = &table{name: filepath.Base(path)}
	switch lower := strings.ToLower(path); {
	case strings.HasSuffix(lower, ".csv"), strings.HasSuffix(lower, ".csv.gz"):
		err = t.readCSV(path, asText, alloc)
	case strings.HasSuffix(lower, ".parquet"):
		err = t.readParquet(ctx, path, alloc)
	default:
		err = errors.New("the name ends neither in .csv, .csv.gz nor .parquet")
	}
	if err != nil {
		t.release()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

func (t *table) release() {
	for _, b := range t.batches {
		b.Release()
	}
	t.batches = nil
}

func (t *table) rows() (n int64) { return countRows(t.batches) }

func countRows(batches []arrow.Record) (n int64) {
	for _, b := range batches {
		n += b.NumRows()
	}
	return n
}

func (t *table) columns() []string { return columnNames(t.batches) }

func columnNames(batches []arrow.Record) (out []string) {
	for _, f := range batches[0].Schema().Fields() {
		out = append(out, f.Name)
	}
	return out
}

// advise adds to an error about types that don't go together what can be done: the library never casts, and a CSV file has no types but those that
// its cells look like.
func advise(err error, tables ...*table) error {
	var clash *onerow.TypeError
	if !errors.As(err, &clash) {
		return err
	}
	lines := []string{err.Error()}
	for _, column := range []string{clash.Column, clash.OtherColumn} {
		for _, t := range tables {
			if why := t.text[column]; why != "" && slices.Contains(t.columns(), column) {
				line := fmt.Sprintf("%s: %s is text because of %s", t.name, column, why)
				if !slices.Contains(lines, line) {
					lines = append(lines, line)
				}
			}
		}
	}
	lines = append(lines, "write both in one type; or, where one is a CSV file and the other has text, read the former as text too, with -text COLUMN")
	return &advisedError{strings.Join(lines, "\n  "), err}
}

// advisedError is an error with more to say.
type advisedError struct {
	text string
	err  error
}

func (e *advisedError) Error() string { return e.text }
func (e *advisedError) Unwrap() error { return e.err }
