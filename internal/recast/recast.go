package recast

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/take"
)

// Array converts an array to a type that its own is comparable with, by form.Comparable. An array of that type already, by
// form.SameType, is returned as it is, with a reference more. The caller releases the array.
//
// Cells with a value that the type can't hold exactly are NULL in the result, and their row numbers are in unfit, ascending: integers and times
// out of range, times and decimals that are too fine for the unit or the scale, floats that would be rounded, binary and lists that are not of the
// fixed size, and what contains such a value. NaN stays NaN, with as much of its bits as fit; -0 stays -0.
//
// Errors are *take.DataError for malformed arrays, *take.SizeError for a result that its type can't address, such as a dictionary with more
// values than its index can number, and plain ones for types that are not comparable or not known.
func Array(mem memory.Allocator, arr arrow.Array, to arrow.DataType) (out arrow.Array, unfit []int, err error) {
	from := arr.DataType()
	if form.SameType(from, to) {
		arr.Retain()
		return arr, nil, nil
	}
	c := &caster{mem: mem}
	defer c.release()
	defer broken(from, &err)
	if ok, why := form.Comparable(from, to); !ok {
		return nil, nil, fmt.Errorf("type %v can't become %v: %s", from, to, why)
	}
	if err := c.check(arr, to); err != nil {
		return nil, nil, err
	}
	data, unfit, err := c.cast(arr.Data(), to, nil)
	if err != nil {
		return nil, nil, err
	}
	return array.MakeFromData(data), unfit, nil
}

// broken, deferred, makes an error of a panic: Go's bounds checks are what finds a buffer that is too short.
func broken(t arrow.DataType, err *error) {
	if r := recover(); r != nil {
		*err = &take.DataError{Type: t, Why: fmt.Sprintf("its buffers are broken (%v)", r)}
	}
}

// check refuses arrays of the wrong shape and types that no array can have.
func (c *caster) check(arr arrow.Array, to arrow.DataType) error {
	if _, err := form.Of(arr); err != nil {
		return err
	}
	none, err := c.nulls(to, 0)
	if err != nil {
		return err
	}
	empty := array.MakeFromData(none)
	defer empty.Release()
	_, err = form.Of(empty)
	return err
}

// cast converts the rows of an array. Where mask, a bitmap, has a 0 bit the row lies below a NULL: it isn't read, and anything may stand
// in the result. A nil mask has 1 bits alone. The unfit rows are ascending.
func (c *caster) cast(d arrow.ArrayData, to arrow.DataType, mask []byte) (arrow.ArrayData, []int, error) {
	from := d.DataType()
	if form.SameType(from, to) {
		return d, nil, nil
	}
	if e, ok := to.(arrow.ExtensionType); ok {
		out, unfit, err := c.cast(d, e.StorageType(), mask)
		if err != nil {
			return nil, nil, err
		}
		return c.relabel(out, to), unfit, nil
	}
	if e, ok := from.(arrow.ExtensionType); ok {
		return c.cast(c.relabel(d, e.StorageType()), to, mask)
	}
	r := c.rows(d, mask)
	if r.nulls == r.n {
		out, err := c.nulls(to, r.n)
		return out, nil, err
	}
	switch to := to.(type) {
	case *arrow.DictionaryType:
		return c.toDictionary(r, to, mask)
	case *arrow.RunEndEncodedType:
		return c.toRuns(d, to, mask)
	}
	switch from := from.(type) {
	case *arrow.DictionaryType:
		return c.fromDictionary(r, from, to)
	case *arrow.RunEndEncodedType:
		return c.fromRuns(r, to)
	}
	return c.plain(r, to)
}

// plain converts between types of one family without encodings.
func (c *caster) plain(r rows, to arrow.DataType) (arrow.ArrayData, []int, error) {
	switch form.FamilyOf(to) {
	case form.NullFamily:
		return c.toNull(r, to)
	case form.IntFamily, form.DateFamily, form.TimeFamily, form.NaiveFamily, form.InstantFamily, form.DurationFamily:
		return c.ints(r, to)
	case form.FloatFamily:
		return c.floats(r, to)
	case form.DecimalFamily:
		return c.decimals(r, to.(arrow.DecimalType))
	case form.TextFamily, form.BinaryFamily:
		return c.bytes(r, to)
	case form.StructFamily:
		return c.structs(r, to.(*arrow.StructType))
	case form.ListFamily:
		return c.lists(r, to)
	}
	return nil, nil, fmt.Errorf("type %v can't become %v", r.data.DataType(), to)
}

// toNull finds a value in no row that has one.
func (c *caster) toNull(r rows, to arrow.DataType) (arrow.ArrayData, []int, error) {
	arr := array.MakeFromData(r.data)
	defer arr.Release()
	a, err := form.Of(arr)
	if err != nil {
		return nil, nil, err
	}
	var unfit []int
	r.each(func(i int) {
		if !a.Null(i) {
			unfit = append(unfit, i)
		}
	})
	return c.fill(to, r.n), unfit, nil
}
