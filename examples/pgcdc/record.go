package main

import (
	"math"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// A record has the table's columns, then these, then one for each key column that holds the key from before a key change.
const (
	columnOp        = "op"
	columnCommitLSN = "commit_lsn"
	columnSeqInTx   = "seq_in_tx"
	previousPrefix  = "previous_"
)

// previousKey names the columns that hold the key from before a key change, in the order of the key.
func (t *table) previousKey() []string {
	names := make([]string, len(t.key))
	for i, name := range t.key {
		names[i] = previousPrefix + name
	}
	return names
}

func (t *table) schema() *arrow.Schema {
	var fields []arrow.Field
	for _, name := range t.columns {
		fields = append(fields, arrow.Field{Name: name, Type: t.columnType(name), Nullable: true})
	}
	fields = append(fields,
		arrow.Field{Name: columnOp, Type: arrow.BinaryTypes.String},
		arrow.Field{Name: columnCommitLSN, Type: arrow.PrimitiveTypes.Uint64},
		arrow.Field{Name: columnSeqInTx, Type: arrow.PrimitiveTypes.Int64})
	for _, name := range t.key {
		fields = append(fields, arrow.Field{Name: previousPrefix + name, Type: t.columnType(name), Nullable: true})
	}
	return arrow.NewSchema(fields, nil)
}

func (t *table) columnType(name string) arrow.DataType {
	switch {
	case t.isInteger(name):
		return arrow.PrimitiveTypes.Int64
	case t.isDouble(name):
		return arrow.PrimitiveTypes.Float64
	}
	return arrow.BinaryTypes.String
}

// record makes a record of rows. The caller releases it.
func (t *table) record(rows []row, alloc memory.Allocator) arrow.Record {
	b := array.NewRecordBuilder(alloc, t.schema())
	defer b.Release()
	b.Reserve(len(rows))
	ops := len(t.columns)
	for _, r := range rows {
		for i := range t.columns {
			appendCell(b.Field(i), r.cell(i))
		}
		b.Field(ops).(*array.StringBuilder).Append(r.op)
		b.Field(ops + 1).(*array.Uint64Builder).Append(r.at.commitLSN)
		b.Field(ops + 2).(*array.Int64Builder).Append(r.at.seqInTx)
		for i := range t.key {
			var c cell
			if r.previous != nil {
				c = r.previous[i]
			}
			appendCell(b.Field(ops+3+i), c)
		}
	}
	return b.NewRecord()
}

func appendCell(b array.Builder, c cell) {
	if !c.valid {
		b.AppendNull()
		return
	}
	switch b := b.(type) {
	case *array.StringBuilder:
		b.Append(c.text)
	case *array.Int64Builder:
		n, _ := strconv.ParseInt(c.text, 10, 64) // checked when the row was read
		b.Append(n)
	case *array.Float64Builder:
		x, _ := strconv.ParseFloat(c.text, 64)
		b.Append(x)
	}
}

// rowsOf reads the rows of a record that has the schema of [table.record].
func (t *table) rowsOf(rec arrow.Record) []row {
	ops := len(t.columns)
	op := rec.Column(ops).(*array.String)
	commitLSN := rec.Column(ops + 1).(*array.Uint64)
	seqInTx := rec.Column(ops + 2).(*array.Int64)
	rows := make([]row, rec.NumRows())
	for i := range rows {
		r := row{
			op:    strings.Clone(op.Value(i)),
			at:    position{commitLSN.Value(i), seqInTx.Value(i)},
			cells: make([]cell, len(t.columns)),
		}
		for c := range t.columns {
			r.cells[c] = cellOf(rec.Column(c), i)
		}
		if !rec.Column(ops + 3).IsNull(i) {
			r.previous = make([]cell, len(t.key))
			for k := range t.key {
				r.previous[k] = cellOf(rec.Column(ops+3+k), i)
			}
		}
		rows[i] = r
	}
	return rows
}

// cellOf copies a value: the text of an array lives in the array's memory, which is gone once the record is released.
func cellOf(column arrow.Array, i int) cell {
	if column.IsNull(i) {
		return cell{}
	}
	switch column := column.(type) {
	case *array.Int64:
		return text(strconv.FormatInt(column.Value(i), 10))
	case *array.Uint64:
		return text(strconv.FormatUint(column.Value(i), 10))
	case *array.Float64:
		return text(formatDouble(column.Value(i)))
	default:
		return text(strings.Clone(column.(*array.String).Value(i)))
	}
}

// formatDouble prints a double as PostgreSQL does: the shortest digits that give it back, with an exponent where the number has more than
// 15 digits before the point, or more than three zeros after it.
func formatDouble(x float64) string {
	switch {
	case math.IsNaN(x):
		return "NaN"
	case math.IsInf(x, 1):
		return "Infinity"
	case math.IsInf(x, -1):
		return "-Infinity"
	}
	s := strconv.FormatFloat(x, 'e', -1, 64)
	if exponent, _ := strconv.Atoi(s[strings.IndexByte(s, 'e')+1:]); exponent < -4 || exponent >= 15 {
		return s
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}
