package main

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The operations of a row. PostgreSQL's feed has c, u, d and t; r is a row read by the snapshot.
const (
	opSnapshot = "r"
	opDelete   = "d"
	opTruncate = "t"
)

// row is one event, or what the target holds of a key: the newest event of the key. A row whose op is opDelete is a
// tombstone there: it stays, so that an older event that comes again is known to be old.
type row struct {
	op string
	at position
	// cells are the values in the order of the table's columns. A row from before a column was added is shorter.
	cells []cell
	// previous is the key that the row had before, when the event changed the key; else nil.
	previous []cell
}

// position is the order of truth. The position of a change alone (lsn) isn't: concurrent transactions interleave in the log,
// but take effect when they commit.
type position struct {
	commitLSN uint64
	seqInTx   int64
}

func (p position) compare(q position) int {
	return cmp.Or(cmp.Compare(p.commitLSN, q.commitLSN), cmp.Compare(p.seqInTx, q.seqInTx))
}

func (p position) before(q position) bool { return p.compare(q) < 0 }

// cell is a value as PostgreSQL prints it. The zero value is NULL.
type cell struct {
	text  string
	valid bool
}

func text(s string) cell { return cell{text: s, valid: true} }

// cell returns the value of column i; NULL where the row is older than the column.
func (r row) cell(i int) cell {
	if i < len(r.cells) {
		return r.cells[i]
	}
	return cell{}
}

// keyOf returns the cells of the primary key.
func (t *table) keyOf(r row) []cell {
	key := make([]cell, len(t.key))
	for i, name := range t.key {
		key[i] = r.cell(t.index[name])
	}
	return key
}

// tombstone is the delete row of a key.
func (t *table) tombstone(key []cell, at position) row {
	r := row{op: opDelete, at: at, cells: make([]cell, len(t.columns))}
	for i, name := range t.key {
		r.cells[t.index[name]] = key[i]
	}
	return r
}

// check refuses a row that a record couldn't hold: a NULL in the key, or a number that is none.
func (t *table) check(r row) error {
	for _, key := range [][]cell{t.keyOf(r), r.previous} {
		for i, c := range key {
			if !c.valid {
				return fmt.Errorf("key column %q is NULL", t.key[i])
			}
			if err := t.checkNumber(t.key[i], c); err != nil {
				return err
			}
		}
	}
	for _, name := range slices.Concat(t.integers, t.doubles) {
		if err := t.checkNumber(name, r.cell(t.index[name])); err != nil {
			return err
		}
	}
	return nil
}

func (t *table) checkNumber(column string, c cell) (err error) {
	switch {
	case !c.valid:
	case t.isInteger(column):
		_, err = strconv.ParseInt(c.text, 10, 64)
	case t.isDouble(column):
		_, err = strconv.ParseFloat(c.text, 64)
	}
	if err != nil {
		return fmt.Errorf("column %q: %w", column, err)
	}
	return nil
}

// compareKeys orders keys as the table's primary key does: numbers by value, text by bytes.
func (t *table) compareKeys(a, b []cell) int {
	for i, name := range t.key {
		c := strings.Compare(a[i].text, b[i].text)
		if t.isInteger(name) {
			x, _ := strconv.ParseInt(a[i].text, 10, 64)
			y, _ := strconv.ParseInt(b[i].text, 10, 64)
			c = cmp.Compare(x, y)
		}
		if c != 0 {
			return c
		}
	}
	return 0
}

// compareVersions orders versions by key, then start. They are the cells of the table, then the boundaries.
func (t *table) compareVersions(a, b []cell) int {
	from := len(t.columns)
	x, _ := strconv.ParseUint(a[from].text, 10, 64)
	y, _ := strconv.ParseUint(b[from].text, 10, 64)
	return cmp.Or(t.compareKeys(t.keyOf(row{cells: a}), t.keyOf(row{cells: b})), cmp.Compare(x, y))
}

// mapKey packs key cells into a string that differs for different keys. Lengths go in: ("a", "bc") isn't ("ab", "c").
func mapKey(key []cell) string {
	var b []byte
	for _, c := range key {
		b = binary.AppendUvarint(b, uint64(len(c.text)))
		b = append(b, c.text...)
	}
	return string(b)
}
