package bench

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/onerow-go/onerow/internal/peer/duck"
)

// figures are what the results of both sides must have alike, by name: numbers of rows, checksums.
type figures map[string]uint64

// with adds others.
func (f figures) with(others figures) figures {
	maps.Copy(f, others)
	return f
}

// errDiffer says that both sides gave different results.
var errDiffer = errors.New("results differ")

// errNoChecksum says that a result has a column of a type that no workload has.
func errNoChecksum(col arrow.Array) error { return fmt.Errorf("no checksum for %v", col.DataType()) }

var seed = maphash.MakeSeed()

// checksum sums a hash of each row over columns, so that the order of rows doesn't matter. Only rows that keep accepts count; nil accepts all.
func checksum(recs []arrow.Record, columns []string, keep func(rec arrow.Record, row int) bool) (rows, sum uint64, err error) {
	for _, rec := range recs {
		cells := make([]func([]byte, int) []byte, len(columns))
		for i, name := range columns {
			at := rec.Schema().FieldIndices(name)
			if len(at) != 1 {
				return 0, 0, fmt.Errorf("a result has %d columns %q", len(at), name)
			}
			if cells[i], err = cellWriter(rec.Column(at[0])); err != nil {
				return 0, 0, fmt.Errorf("column %q: %w", name, err)
			}
		}
		var buf []byte
		for row := range int(rec.NumRows()) {
			if keep != nil && !keep(rec, row) {
				continue
			}
			buf = buf[:0]
			for _, cell := range cells {
				buf = cell(buf, row)
			}
			rows++
			sum += maphash.Bytes(seed, buf)
		}
	}
	return rows, sum, nil
}

// cellWriter gives a function that appends a cell of the column to bytes, so that different rows have different bytes.
func cellWriter(col arrow.Array) (func([]byte, int) []byte, error) {
	var word func(row int) uint64
	switch col := col.(type) {
	case *array.Int64:
		word = func(row int) uint64 { return uint64(col.Value(row)) }
	case *array.Int32:
		word = func(row int) uint64 { return uint64(col.Value(row)) }
	case *array.Date32:
		word = func(row int) uint64 { return uint64(col.Value(row)) }
	case *array.Timestamp:
		word = func(row int) uint64 { return uint64(col.Value(row)) }
	case *array.Float64:
		word = func(row int) uint64 { return math.Float64bits(col.Value(row)) }
	case *array.Boolean:
		word = func(row int) uint64 {
			if col.Value(row) {
				return 1
			}
			return 0
		}
	default:
		text, err := cellText(col)
		if err != nil {
			return nil, err
		}
		return textWriter(col, text), nil
	}
	return func(buf []byte, row int) []byte {
		if col.IsNull(row) {
			return append(buf, 0)
		}
		return binary.LittleEndian.AppendUint64(append(buf, 1), word(row))
	}, nil
}

// cellText reads a text column of either encoding.
func cellText(col arrow.Array) (func(row int) string, error) {
	switch col := col.(type) {
	case *array.String:
		return col.Value, nil
	case *array.Dictionary:
		if values, ok := col.Dictionary().(*array.String); ok {
			return func(row int) string { return values.Value(col.GetValueIndex(row)) }, nil
		}
	}
	return nil, errNoChecksum(col)
}

func textWriter(col arrow.Array, value func(row int) string) func([]byte, int) []byte {
	return func(buf []byte, row int) []byte {
		if col.IsNull(row) {
			return append(buf, 0)
		}
		text := value(row)
		return append(binary.LittleEndian.AppendUint64(append(buf, 1), uint64(len(text))), text...)
	}
}

// rowFigures are the number of rows and their checksum, under names that begin with name.
func rowFigures(name string, recs []arrow.Record, columns []string, keep func(rec arrow.Record, row int) bool) (figures, error) {
	rows, sum, err := checksum(recs, columns, keep)
	return figures{name + " rows": rows, name + " checksum": sum}, err
}

// tableFigures is rowFigures of a table in DuckDB.
func tableFigures(ctx context.Context, db *duck.DB, name, tableName string, columns []string) (figures, error) {
	recs, err := db.Query(ctx, "SELECT * FROM "+tableName)
	if err != nil {
		return nil, err
	}
	defer func() {
		for _, rec := range recs {
			rec.Release()
		}
	}()
	return rowFigures(name, recs, columns, nil)
}

// queryFigures are the numbers of the one row of a query, which are named in order.
func queryFigures(ctx context.Context, db *duck.DB, query string, names ...string) (figures, error) {
	values, into := make([]uint64, len(names)), make([]any, len(names))
	for i := range values {
		into[i] = &values[i]
	}
	if err := db.Row(ctx, query, into...); err != nil {
		return nil, err
	}
	out := figures{}
	for i, name := range names {
		out[name] = values[i]
	}
	return out, nil
}
