package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
)

// microBatch is what the consumer got in one delivery, as far as it is about one table.
type microBatch struct {
	number int
	rows   []row
}

// change is a line of the feed.
type change struct {
	Batch     int                `json:"batch"`
	CommitLSN uint64             `json:"commit_lsn"`
	SeqInTx   int64              `json:"seq_in_tx"`
	Table     string             `json:"table"`
	Op        string             `json:"op"`
	Key       map[string]*string `json:"key"`
	OldKey    map[string]*string `json:"old_key"`
	// After holds all columns but those in Unchanged. It is decoded for the lines of one table only.
	After     json.RawMessage `json:"after"`
	Unchanged []string        `json:"unchanged"`
}

// readFeed yields the micro-batches that have events of the table, in order of delivery. A batch that is delivered again has a
// number of its own. After an error it yields no more.
func readFeed(path string, t *table) iter.Seq2[microBatch, error] {
	return func(yield func(microBatch, error) bool) {
		file, err := openGzip(path)
		if err != nil {
			yield(microBatch{}, err)
			return
		}
		defer file.Close()
		var batch microBatch
		for line, err := range readLines(file) {
			var c change
			if err == nil {
				err = json.Unmarshal(line.text, &c)
			}
			var r row
			if err == nil && c.Table == t.name {
				r, err = t.changedRow(&c)
			}
			if err != nil {
				yield(microBatch{}, fmt.Errorf("%s: line %d: %w", path, line.number, err))
				return
			}
			if c.Batch != batch.number {
				if len(batch.rows) > 0 && !yield(batch, nil) {
					return
				}
				batch = microBatch{number: c.Batch}
			}
			if c.Table == t.name {
				batch.rows = append(batch.rows, r)
			}
		}
		if len(batch.rows) > 0 {
			yield(batch, nil)
		}
	}
}

type line struct {
	number int
	text   []byte
}

// readLines yields the lines of r. A line ends at LF and nowhere else: values may hold U+2028 and other breaks.
func readLines(r io.Reader) iter.Seq2[line, error] {
	return func(yield func(line, error) bool) {
		in := bufio.NewReaderSize(r, 1<<16)
		for n := 1; ; n++ {
			text, err := in.ReadBytes('\n')
			if errors.Is(err, io.EOF) {
				err = nil
				if len(text) == 0 {
					return
				}
			}
			if !yield(line{n, text}, err) || err != nil {
				return
			}
		}
	}
}

// changedRow makes a row of a line. Columns that the table doesn't have yet are added to it: the feed doesn't announce them.
func (t *table) changedRow(c *change) (r row, err error) {
	at := position{c.CommitLSN, c.SeqInTx}
	switch c.Op {
	case opTruncate:
		return row{op: opTruncate, at: at}, nil
	case opDelete:
		key, err := t.keyCells(c.Key)
		if err != nil {
			return row{}, err
		}
		r = t.tombstone(key, at)
	case "c", "u":
		r = row{op: c.Op, at: at}
		if r.cells, err = t.cells(c.After, c.Unchanged); err != nil {
			return row{}, err
		}
	default:
		return row{}, fmt.Errorf("op %q: none of c, u, d, t", c.Op)
	}
	if c.OldKey != nil {
		if r.previous, err = t.keyCells(c.OldKey); err != nil {
			return row{}, err
		}
	}
	return r, t.check(r)
}

func (t *table) keyCells(values map[string]*string) ([]cell, error) {
	key := make([]cell, len(t.key))
	for i, name := range t.key {
		value := values[name]
		if value == nil {
			return nil, fmt.Errorf("no value for the key column %q", name)
		}
		key[i] = text(*value)
	}
	return key, nil
}

// cells decodes the values of a row. A column that is neither there nor unchanged didn't exist when the row was written: NULL.
func (t *table) cells(after json.RawMessage, unchanged []string) ([]cell, error) {
	var values map[string]*string
	if err := json.Unmarshal(after, &values); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		t.addColumn(name)
	}
	cells := make([]cell, len(t.columns))
	for name, value := range values {
		if value != nil {
			cells[t.index[name]] = text(*value)
		}
	}
	for _, name := range unchanged {
		if !slices.Contains(t.large, name) {
			return nil, fmt.Errorf("column %q was left out, but the table declares it not as large", name)
		}
		cells[t.index[name]] = text(unavailable)
	}
	return cells, nil
}
