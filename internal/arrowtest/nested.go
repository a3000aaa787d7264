package arrowtest

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// childOffset is where a dirty builder's children begin in their arrays.
const childOffset = 3

// child makes the data of an array below another one: of a dirty builder a slice of a larger one.
func (b *builder) child(dt arrow.DataType, vals []any) arrow.ArrayData {
	if !b.dirty {
		return b.data(dt, vals)
	}
	return b.slice(dt, vals, childOffset)
}

// slice makes the data of an array that begins at an offset in a larger one. Around it are copies of its values and
// others.
func (b *builder) slice(dt arrow.DataType, vals []any, offset int) arrow.ArrayData {
	around := func(i int) any {
		if i%2 == 0 && len(vals) > 0 {
			return vals[i/2%len(vals)]
		}
		return b.filler(dt, i+1)
	}
	var long []any
	for i := range offset {
		long = append(long, around(i))
	}
	long = append(long, vals...)
	for i := range 2 {
		long = append(long, around(i))
	}
	whole := b.data(dt, long)
	defer whole.Release()
	return array.NewSliceData(whole, int64(offset), int64(offset+len(vals)))
}

// nested makes the buffers after the validity, and the children. No value is nil.
func (b *builder) nested(dt arrow.DataType, vals []any) ([]*memory.Buffer, []arrow.ArrayData) {
	switch dt := dt.(type) {
	case *arrow.StructType:
		var children []arrow.ArrayData
		for f, field := range dt.Fields() {
			column := make([]any, len(vals))
			for i, v := range vals {
				column[i] = v.(Struct)[f].Value
			}
			children = append(children, b.child(field.Type, column))
		}
		return nil, children
	case *arrow.FixedSizeListType:
		var elems []any
		for _, v := range vals {
			elems = append(elems, v.(List)...)
		}
		return nil, []arrow.ArrayData{b.child(dt.Elem(), elems)}
	}
	elem := dt.(arrow.ListLikeType).Elem()
	wide := dt.ID() == arrow.LARGE_LIST
	var elems []any
	if b.dirty {
		elems = append(elems, b.filler(elem, 1), b.filler(elem, 2))
	}
	offsets := appendOffset(nil, len(elems), wide)
	for _, v := range vals {
		elems = append(elems, v.(List)...)
		offsets = appendOffset(offsets, len(elems), wide)
	}
	return []*memory.Buffer{b.buffer(offsets)}, []arrow.ArrayData{b.child(elem, elems)}
}

// dictionary makes a dictionary array. A clean builder lists each value once, in order of appearance; a dirty one lists
// values twice, adds one that no row uses, and points some of the NULL rows at a NULL among the values; each batch has
// an order of its own.
func (b *builder) dictionary(dt *arrow.DictionaryType, vals []any) arrow.ArrayData {
	var dict []any
	at := make(map[string]int)
	for _, v := range vals {
		if _, seen := at[exact(v)]; !seen && v != nil {
			at[exact(v)] = len(dict)
			dict = append(dict, v)
		}
	}
	nullAt, distinct := -1, len(dict)
	messy := b.dirty && fits(dt.IndexType, uint64(2*distinct+2))
	if messy {
		dict, nullAt = b.mess(dict, dt.ValueType)
	}
	indices := make([]any, len(vals))
	for i, v := range vals {
		j := at[exact(v)]
		switch {
		case v == nil && nullAt >= 0 && (i+b.batch)%2 == 0:
			indices[i] = int64(nullAt)
		case v == nil:
		case messy:
			indices[i] = int64(messIndex(j, i, b.batch, distinct))
		default:
			indices[i] = int64(j)
		}
	}
	return b.indexed(dt, indices, dict)
}

// mess returns values, twice each and rotated by the number of the batch, with a NULL and an unused value behind, and
// where the NULL is.
func (b *builder) mess(vals []any, dt arrow.DataType) (dict []any, nullAt int) {
	for range 2 {
		for i := range vals {
			dict = append(dict, vals[(i+b.batch)%len(vals)])
		}
	}
	return append(dict, nil, b.filler(dt, 7)), len(dict)
}

// messIndex returns where mess put value j, of n; which of its two places depends on the row.
func messIndex(j, row, batch, n int) int {
	return (j+n-batch%n)%n + row%2*n
}

// indexed makes a dictionary array of indices, which may be nil, and the values of the dictionary.
func (b *builder) indexed(dt *arrow.DictionaryType, indices, dict []any) arrow.ArrayData {
	index, values := b.data(dt.IndexType, indices), b.child(dt.ValueType, dict)
	defer index.Release()
	defer values.Release()
	return withDictionary(dt, index, values)
}

// withDictionary makes the data of a dictionary array.
func withDictionary(dt *arrow.DictionaryType, index, values arrow.ArrayData) arrow.ArrayData {
	return array.NewDataWithDictionary(dt, index.Len(), index.Buffers(), index.NullN(), index.Offset(), values.(*array.Data))
}

// exact is a map key that tells values apart by their bits.
func exact(v any) string { return Format(v) }

// runEnd makes a run-end encoded array: runs of equal values, cut after three rows.
func (b *builder) runEnd(dt *arrow.RunEndEncodedType, vals []any) arrow.ArrayData {
	var ends, runs []any
	start := 0
	for i, v := range vals {
		last := i == len(vals)-1
		if last || i-start == 2 || exact(vals[i+1]) != exact(v) {
			ends, runs = append(ends, int64(i+1)), append(runs, v)
			start = i + 1
		}
	}
	clean := builder{mem: b.mem}
	children := []arrow.ArrayData{clean.data(dt.RunEnds(), ends), b.child(dt.Encoded(), runs)}
	return adopt(dt, len(vals), []*memory.Buffer{nil}, children, 0)
}
