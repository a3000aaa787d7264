package scd2

import (
	"errors"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/frame"
	"github.com/onerow-go/onerow/internal/recast"
	"github.com/onerow-go/onerow/internal/take"
)

// read brings a column of changes and state to the history's type, and lays it out over all rows.
func (f *finder) read(c *column, history []arrow.Array) {
	changes, err := f.align(f.changes, c.field.Name, c.field.Name, c.field.Type)
	f.err(err)
	state, err2 := f.align(f.state, c.field.Name, c.field.Name, c.field.Type)
	f.err(err2)
	if err != nil || err2 != nil {
		return
	}
	none, err := recastNull(c.field.Type, 1)
	f.err(err)
	c.chunks = slices.Concat(history, changes, state, []arrow.Array{none})
	if c.cells, err = f.cellsOf("", c.field.Name, c.field.Type, c.chunks, f.lens); err != nil {
		f.err(err)
	}
	if f.changes.Schema != nil {
		for _, i := range f.changes.Schema.FieldIndices(c.field.Name) {
			c.field.Nullable = c.field.Nullable || f.changes.Schema.Field(i).Nullable
		}
	}
}

// cellsOf reads the arrays of a column of one input, or of all inputs in turn where none is named.
func (j *job) cellsOf(input, name string, t arrow.DataType, chunks []arrow.Array, lens []int) (*form.Column, error) {
	arrs, err := frame.Read(chunks)
	if err != nil {
		if input == "" {
			input = j.inputOf(slices.IndexFunc(chunks, func(arr arrow.Array) bool {
				_, err := frame.Read([]arrow.Array{arr})
				return err != nil
			}))
		}
		return nil, malformed(input, name, err)
	}
	return &form.Column{Name: name, Type: t, Chunks: arrs, Layout: form.NewLayout(lens)}, nil
}

// inputOf names the input that a batch is of, of those over all inputs; the changes come again after the others, for their previous keys.
func (j *job) inputOf(batch int) string {
	h, c, s := len(j.history.Batches), len(j.changes.Batches), len(j.state.Batches)
	switch {
	case batch < h:
		return j.history.Input
	case batch < h+c || batch > h+c+s:
		return j.changes.Input
	}
	return j.state.Input
}

// malformed says where an array is that can't be read.
func malformed(input, column string, err error) error {
	return fmt.Errorf("%s: column %q: %w", input, column, err)
}

// trim leaves of the arrays of a frame what its rows have: Arrow lets them be longer. Shorter ones are malformed.
func trim(f *frame.Frame) error {
	own := false // the list of batches
	for b, rec := range f.Batches {
		long := false
		for i, arr := range rec.Columns() {
			if n := int64(arr.Len()); n < rec.NumRows() {
				return malformed(f.Input, rec.ColumnName(i), fmt.Errorf("%w: batch %d has %d rows, and the column %d", onerow.ErrMalformed, b, rec.NumRows(), n))
			} else if n > rec.NumRows() {
				long = true
			}
		}
		if !long {
			continue
		}
		if !own {
			f.Batches, own = slices.Clone(f.Batches), true
		}
		cols := make([]arrow.Array, rec.NumCols())
		for i, arr := range rec.Columns() {
			part := array.NewSliceData(arr.Data(), 0, rec.NumRows())
			cols[i] = array.MakeFromData(unowned(part))
			part.Release()
		}
		f.Batches[b] = array.NewRecord(rec.Schema(), cols, rec.NumRows())
	}
	return nil
}

// align reads a column of changes or state as one of a type of the history; rows are NULL where it is missing.
func (f *finder) align(from *frame.Frame, name, into string, t arrow.DataType) ([]arrow.Array, error) {
	if !from.Has(name) {
		return f.null(t, from), nil
	}
	i, err := from.Index(name)
	if err != nil {
		return nil, err
	}
	mine := from.Schema.Field(i).Type
	if ok, why := form.Comparable(mine, t); !ok && !form.SameType(mine, t) {
		return nil, &onerow.TypeError{Column: name, Type: mine, Input: from.Input, OtherColumn: into, OtherType: t, OtherInput: "history", Why: why}
	}
	out, err := convert(from.Chunks(i), t, func(row uint32, value string) error {
		return &onerow.ValueError{Column: name, Type: mine, Input: from.Input, Row: row, Value: value, Into: into, IntoType: t}
	})
	var size *onerow.SizeError
	switch {
	case errors.As(err, &size):
		size.Column = into
	case errors.Is(err, onerow.ErrMalformed):
		err = malformed(from.Input, name, err)
	}
	return out, err
}

// convert brings arrays to a type. The first cell that doesn't fit makes an error of unfit; nil leaves such cells NULL.
func convert(chunks []arrow.Array, t arrow.DataType, unfit func(row uint32, value string) error) ([]arrow.Array, error) {
	out := make([]arrow.Array, len(chunks))
	start := uint32(0)
	for k, arr := range chunks {
		to, bad, err := lend(arr, t)
		if err != nil {
			return nil, err
		}
		if len(bad) > 0 && unfit != nil {
			cells, err := form.Of(arr)
			if err != nil {
				return nil, fmt.Errorf("%w: %w", onerow.ErrMalformed, err)
			}
			return nil, unfit(start+uint32(bad[0]), form.Format(cells, bad[0]))
		}
		out[k] = to
		start += uint32(arr.Len())
	}
	return out, nil
}

// lend brings an array to a type. What it returns needs no release: its buffers are the array's, which is borrowed, or of the heap.
func lend(arr arrow.Array, t arrow.DataType) (arrow.Array, []int, error) {
	to, unfit, err := recast.Array(heap, arr, t)
	var size *take.SizeError
	switch {
	case errors.As(err, &size):
		return nil, nil, &onerow.SizeError{Type: size.Type, Size: size.Size, Limit: size.Limit, Unit: size.Unit}
	case err != nil:
		return nil, nil, fmt.Errorf("%w: %w", onerow.ErrMalformed, err)
	}
	defer to.Release()
	if to == arr {
		return arr, unfit, nil
	}
	return array.MakeFromData(unowned(to.Data())), unfit, nil
}

// unowned is data over the same bytes that holds no reference to their buffers.
func unowned(d arrow.ArrayData) *array.Data {
	buffers := make([]*memory.Buffer, len(d.Buffers()))
	for i, b := range d.Buffers() {
		if b != nil {
			buffers[i] = memory.NewBufferBytes(b.Bytes())
		}
	}
	children := make([]arrow.ArrayData, len(d.Children()))
	for i, c := range d.Children() {
		children[i] = unowned(c)
	}
	if dict, ok := d.Dictionary().(*array.Data); ok && dict != nil {
		return array.NewDataWithDictionary(d.DataType(), d.Len(), buffers, d.NullN(), d.Offset(), unowned(dict))
	}
	return array.NewData(d.DataType(), d.Len(), buffers, children, d.NullN(), d.Offset())
}

// null makes the chunks of a column that an input lacks; columns of one type share them.
func (f *finder) null(t arrow.DataType, in *frame.Frame) []arrow.Array {
	id := in.Input + " " + t.Fingerprint() + t.String()
	if out, ok := f.nulls[id]; ok {
		return out
	}
	var out []arrow.Array
	for _, b := range in.Batches {
		arr, err := recastNull(t, int(b.NumRows()))
		if err != nil {
			f.err(err)
			return nil
		}
		out = append(out, arr)
	}
	f.nulls[id] = out
	return out
}

func recastNull(t arrow.DataType, n int) (arrow.Array, error) {
	out, _, err := recast.Array(heap, array.NewNull(n), t)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", onerow.ErrType, err)
	}
	return out, nil
}
