package recast

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow/internal/form"
)

// Literal makes an array of one row of type t out of a Go value, read as form.Literal does. It fails on a value that no cell of the type can
// hold. The caller releases the array.
func Literal(mem memory.Allocator, t arrow.DataType, v any) (arrow.Array, error) {
	cell, err := form.Literal(t, v)
	if err != nil {
		return nil, err
	}
	c := &caster{mem: mem}
	defer c.release()
	plain := c.one(form.Logical(t), cell)
	defer plain.Release()
	out, unfit, err := Array(mem, plain, t)
	if err == nil && len(unfit) > 0 {
		out.Release()
		return nil, fmt.Errorf("no cell of type %v can hold the %T %v", t, v, v)
	}
	return out, err
}

// one makes an array of one row, of a type with the cell's family.
func (c *caster) one(t arrow.DataType, cell []byte) arrow.Array {
	buf := c.buffer(len(cell))
	copy(buf.Bytes(), cell)
	switch form.FamilyOf(t) {
	case form.TextFamily, form.BinaryFamily:
		large := arrow.DataType(arrow.BinaryTypes.LargeBinary)
		if form.FamilyOf(t) == form.TextFamily {
			large = arrow.BinaryTypes.LargeString
		}
		offsets := c.buffer(2 * 8)
		arrow.GetData[int64](offsets.Bytes())[1] = int64(len(cell))
		return array.MakeFromData(c.data(large, 1, 0, nil, nil, offsets, buf))
	}
	return array.MakeFromData(c.data(t, 1, 0, nil, nil, buf))
}
