package dedupe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/take"
)

// inPieces makes records of some rows: one, or several where one would be too large.
func inPieces(rows []uint32, take func(rows []uint32) (arrow.Record, error)) ([]arrow.Record, error) {
	if len(rows) > maxChunk {
		return inParts(rows, maxChunk, take)
	}
	rec, err := take(rows)
	if errors.Is(err, onerow.ErrTooLarge) && len(rows) > 1 {
		return inParts(rows, len(rows)/2, take)
	}
	if err != nil {
		return nil, err
	}
	return []arrow.Record{rec}, nil
}

func inParts(rows []uint32, n int, take func(rows []uint32) (arrow.Record, error)) (out []arrow.Record, err error) {
	for part := range slices.Chunk(rows, n) {
		recs, err := inPieces(part, take)
		if err != nil {
			return nil, err
		}
		out = append(out, recs...)
	}
	return out, nil
}

// owned makes a record plain, of buffers that nobody else holds. It takes the record over.
func owned(ctx context.Context, rec arrow.Record) (arrow.Record, error) {
	defer rec.Release()
	rows := make([]uint32, rec.NumRows())
	for i := range rows {
		rows[i] = uint32(i)
	}
	plain, err := take.PlainRecord(ctx, heap, rec.Schema(), []arrow.Record{rec}, rows, 1)
	if err != nil {
		var column *take.ColumnError
		if errors.As(err, &column) {
			return nil, castError(rec.ColumnName(column.Index), column.Err)
		}
		return nil, err
	}
	cols := slices.Clone(plain.Columns())
	for i, c := range cols {
		if encodedBelow(c.DataType()) {
			cols[i] = array.MakeFromData(cloned(c.Data()))
		}
	}
	defer plain.Release()
	return array.NewRecord(plain.Schema(), cols, plain.NumRows()), nil
}

// encodedBelow says whether a plain type has a dictionary in it, as one of maps and unions may.
func encodedBelow(t arrow.DataType) bool {
	switch t := t.(type) {
	case *arrow.DictionaryType:
		return true
	case arrow.ExtensionType:
		return encodedBelow(t.StorageType())
	case arrow.NestedType:
		return slices.ContainsFunc(t.Fields(), func(f arrow.Field) bool { return encodedBelow(f.Type) })
	}
	return false
}

// cloned copies the buffers of an array.
func cloned(d arrow.ArrayData) *array.Data {
	var buffers []*memory.Buffer
	for _, b := range d.Buffers() {
		if b != nil {
			b = memory.NewBufferBytes(bytes.Clone(b.Bytes()))
		}
		buffers = append(buffers, b)
	}
	var children []arrow.ArrayData
	for _, k := range d.Children() {
		children = append(children, cloned(k))
	}
	if dict, ok := d.Dictionary().(*array.Data); ok && dict != nil {
		return array.NewDataWithDictionary(d.DataType(), d.Len(), buffers, d.NullN(), d.Offset(), cloned(dict))
	}
	return array.NewData(d.DataType(), d.Len(), buffers, children, d.NullN(), d.Offset())
}

func bytesBelow(d arrow.ArrayData) (sum int64) {
	for _, b := range d.Buffers() {
		if b != nil {
			sum += int64(b.Len())
		}
	}
	for _, k := range d.Children() {
		sum += bytesBelow(k)
	}
	return sum
}

// castError names the column of an error of the kernel.
func castError(column string, err error) error {
	var size *take.SizeError
	if errors.As(err, &size) {
		return &onerow.SizeError{Column: column, Type: size.Type, Size: size.Size, Limit: size.Limit, Unit: size.Unit}
	}
	return fmt.Errorf("column %q: %w: %w", column, onerow.ErrMalformed, err)
}
