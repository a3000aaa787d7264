package take

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow/internal/form"
)

// Edited makes a copy of an array in which some elements are left out, and others replaced by the elements of another array, in turn. Both lists
// ascend, and have no number in common; by is of the type of base, by form.SameType, and has an element for each one that is replaced; nil when none is.
// Elements of one width are copied as the blocks of memory that they are, so that it costs little more than that. The caller releases the array.
//
// Errors are as those of [Column].
func Edited(ctx context.Context, mem memory.Allocator, base arrow.Array, left, replaced []uint32, by arrow.Array) (col arrow.Array, err error) {
	t := base.DataType()
	defer broken(t, &err)
	width := blockWidth(t)
	if !hasCells(base, width) || by != nil && (by.Len() < len(replaced) || !form.SameType(t, by.DataType()) || !hasCells(by, width)) {
		chunks := []arrow.Array{base}
		if by != nil {
			chunks = append(chunks, by)
		}
		return Column(ctx, mem, chunks, editedRows(base.Len(), left, replaced))
	}
	e := edit{gather: &gather{ctx: ctx, mem: mem}, base: newChunk(base.Data()), rows: base.Len(), left: left, replaced: replaced}
	defer e.release()
	if by != nil {
		e.by = newChunk(by.Data())
	}
	data, err := e.column(t, width)
	if err != nil {
		return nil, err
	}
	return array.MakeFromData(data), nil
}

// blockWidth is the number of bytes of the elements of a type that is a buffer of such, beside validity; else 0.
func blockWidth(t arrow.DataType) int {
	for t.ID() == arrow.EXTENSION {
		t = t.(arrow.ExtensionType).StorageType()
	}
	switch t := t.(type) {
	case *arrow.BooleanType, *arrow.DictionaryType, *arrow.FixedSizeListType:
		return 0
	case arrow.FixedWidthDataType:
		return t.Bytes()
	}
	return 0
}

// hasCells says whether an array is a buffer of elements of a width: one in which all is NULL may have none.
func hasCells(arr arrow.Array, width int) bool {
	c := newChunk(arr.Data())
	return width > 0 && len(c.bytes(1)) >= (c.at+arr.Len())*width
}

// editedRows are the rows of an edited array, of the base and what replaces them after it.
func editedRows(n int, left, replaced []uint32) []uint32 {
	rows := make([]uint32, 0, max(0, n-len(left)))
	l, r := 0, 0
	for i := range uint32(n) {
		switch {
		case l < len(left) && left[l] == i:
			l++
		case r < len(replaced) && replaced[r] == i:
			rows = append(rows, uint32(n+r))
			r++
		default:
			rows = append(rows, i)
		}
	}
	return rows
}

// edit is the making of one edited array.
type edit struct {
	*gather
	base, by       chunk
	rows           int // of the base
	left, replaced []uint32
}

func (e *edit) column(t arrow.DataType, width int) (*array.Data, error) {
	n := e.rows - len(e.left)
	buf := e.buffer(n * width)
	out, src := buf.Bytes(), e.base.bytes(1)
	err := e.runs(func(from, to, at int) {
		from, to = from+e.base.at, to+e.base.at
		copy(out[at*width:], src[from*width:to*width])
	})
	if err != nil {
		return nil, err
	}
	if e.by.data != nil {
		by := e.by.bytes(1)[e.by.at*width:]
		switch width {
		case 4:
			put(e, arrow.GetData[uint32](out), arrow.GetData[uint32](by))
		case 8:
			put(e, arrow.GetData[uint64](out), arrow.GetData[uint64](by))
		default:
			e.each(func(k, at int) { copy(out[at*width:(at+1)*width], by[k*width:(k+1)*width]) })
		}
	}
	v, err := e.validity(n)
	if err != nil {
		return nil, err
	}
	return e.data(t, n, v.nulls, nil, v.buffer, buf), nil
}

// runs calls f for each stretch of the base that stays, cut so that the context is looked at now and then; the last argument is where it goes.
func (e *edit) runs(f func(from, to, at int)) error {
	from, at := 0, 0
	for k := 0; k <= len(e.left); k++ {
		end := e.rows
		if k < len(e.left) {
			end = int(e.left[k])
		}
		for from < end {
			n := min(end-from, block)
			if err := e.tick(n); err != nil {
				return err
			}
			f(from, from+n, at)
			from, at = from+n, at+n
		}
		from = end + 1
	}
	return nil
}

// each calls f for each element that is replaced: its number, and where it goes.
func (e *edit) each(f func(k, at int)) {
	left := 0
	for k, row := range e.replaced {
		for left < len(e.left) && e.left[left] < row {
			left++
		}
		f(k, int(row)-left)
	}
}

// put writes the elements that are replaced.
func put[T uint32 | uint64](e *edit, out, by []T) {
	if len(e.left) > 0 {
		e.each(func(k, at int) { out[at] = by[k] })
		return
	}
	by = by[:len(e.replaced)]
	for k, row := range e.replaced {
		out[row] = by[k]
	}
}

func (e *edit) validity(n int) (validity, error) {
	mine, theirs := e.base.bytes(0), []byte(nil)
	if e.by.data != nil {
		theirs = e.by.bytes(0)
	}
	if len(mine)+len(theirs) == 0 || n == 0 {
		return validity{}, nil
	}
	v := validity{buffer: e.gather.buffer((n + 7) / 8)}
	v.bits = v.buffer.Bytes()
	clear(v.bits)
	err := e.runs(func(from, to, at int) {
		if len(mine) == 0 {
			bitutil.SetBitsTo(v.bits, int64(at), int64(to-from), true)
			return
		}
		bitutil.CopyBitmap(mine, e.base.at+from, to-from, v.bits, at)
	})
	if err != nil {
		return validity{}, err
	}
	e.each(func(k, at int) { bitutil.SetBitTo(v.bits, at, len(theirs) == 0 || bit(theirs, e.by.at+k)) })
	if v.nulls = n - bitutil.CountSetBits(v.bits, 0, n); v.nulls == 0 {
		return validity{}, nil
	}
	return v, nil
}
