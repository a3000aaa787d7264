package recast

import (
	"context"
	"fmt"
	"math"
	"sort"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/take"
)

// gather takes rows of an array, by form.SameType of its type. The row after its last is a NULL.
func (c *caster) gather(d arrow.ArrayData, picks []uint32) (arrow.ArrayData, error) {
	null, err := c.nulls(d.DataType(), 1)
	if err != nil {
		return nil, err
	}
	chunks := []arrow.Array{array.MakeFromData(d), array.MakeFromData(null)}
	defer chunks[0].Release()
	defer chunks[1].Release()
	out, err := take.Column(context.Background(), c.mem, chunks, picks)
	if err != nil {
		return nil, err
	}
	c.owned = append(c.owned, out)
	return out.Data(), nil
}

// expand converts values to a type and takes rows of the result: each value once, or where there are more values than rows, each row.
func (c *caster) expand(values arrow.ArrayData, picks []uint32, to arrow.DataType) (arrow.ArrayData, []int, error) {
	if int64(values.Len()) >= math.MaxUint32 {
		return nil, nil, &take.SizeError{Type: to, Size: int64(values.Len()), Limit: math.MaxUint32, Unit: take.Values}
	}
	if values.Len() > len(picks) {
		some, err := c.gather(values, picks)
		if err != nil {
			return nil, nil, err
		}
		return c.cast(some, to, nil)
	}
	values, bad, err := c.cast(values, to, nil)
	if err != nil {
		return nil, nil, err
	}
	out, err := c.gather(values, picks)
	if err != nil || len(bad) == 0 {
		return out, nil, err
	}
	isBad := map[uint32]bool{}
	for _, v := range bad {
		isBad[uint32(v)] = true
	}
	var unfit []int
	for i, p := range picks {
		if isBad[p] {
			unfit = append(unfit, i)
		}
	}
	return out, unfit, nil
}

// fromDictionary gathers the values.
func (c *caster) fromDictionary(r rows, from *arrow.DictionaryType, to arrow.DataType) (arrow.ArrayData, []int, error) {
	picks, err := indices(r, from)
	if err != nil {
		return nil, nil, err
	}
	return c.expand(r.data.Dictionary(), picks, to)
}

// indices reads the indices of a dictionary. That of a NULL is the number of values.
func indices(r rows, t *arrow.DictionaryType) ([]uint32, error) {
	dict, _ := r.data.Dictionary().(*array.Data)
	if dict == nil {
		return nil, &take.DataError{Type: t, Why: "no dictionary"}
	}
	size, unsigned := uint64(dict.Len()), arrow.IsUnsignedInteger(t.IndexType.ID())
	at := intAt(&r, t.Bytes(), unsigned)
	picks := make([]uint32, r.n)
	for i := range picks {
		e := size
		if r.has(i) {
			if e = uint64(at(i)); e >= size {
				return nil, &take.DataError{Type: t, Why: fmt.Sprintf("index %d of a dictionary of %d values", at(i), size)}
			}
		}
		picks[i] = uint32(e)
	}
	return picks, nil
}

// intAt reads integers of so many bytes.
func intAt(r *rows, width int, unsigned bool) func(i int) int64 {
	switch {
	case width == 1 && unsigned:
		return intsAt[uint8](r)
	case width == 1:
		return intsAt[int8](r)
	case width == 2 && unsigned:
		return intsAt[uint16](r)
	case width == 2:
		return intsAt[int16](r)
	case width == 4 && unsigned:
		return intsAt[uint32](r)
	case width == 4:
		return intsAt[int32](r)
	}
	return intsAt[int64](r)
}

func intsAt[T integer](r *rows) func(i int) int64 {
	src := words[T](r)
	return func(i int) int64 { return int64(src[i]) }
}

// fromRuns gathers the values of the runs.
func (c *caster) fromRuns(r rows, to arrow.DataType) (arrow.ArrayData, []int, error) {
	kids := r.data.Children()
	ends := rows{data: kids[0], n: kids[0].Len(), at: kids[0].Offset()}
	at := intAt(&ends, kids[0].DataType().(arrow.FixedWidthDataType).Bytes(), false)
	run := sort.Search(ends.n, func(k int) bool { return at(k) > int64(r.at) })
	picks := make([]uint32, r.n)
	for i := range picks {
		for at(run) <= int64(r.at+i) {
			run++
		}
		picks[i] = uint32(run)
		if !r.has(i) {
			picks[i] = uint32(kids[1].Len())
		} else if run >= kids[1].Len() {
			return nil, nil, &take.DataError{Type: r.data.DataType(), Why: fmt.Sprintf("no value for run %d", run)}
		}
	}
	return c.expand(kids[1], picks, to)
}

// toDictionary converts to the type of the values, and numbers those that differ in bits, in the order in which they appear. A dictionary whose
// values all fit keeps them as they are numbered.
func (c *caster) toDictionary(r rows, to *arrow.DictionaryType, mask []byte) (arrow.ArrayData, []int, error) {
	if from, ok := r.data.DataType().(*arrow.DictionaryType); ok {
		if out, err := c.renumbered(r, from, to); out != nil || err != nil {
			return out, nil, err
		}
	}
	values, unfit, err := c.values(r.data, to.ValueType, mask)
	if err != nil {
		return nil, nil, err
	}
	n, err := newNumbers(values)
	if err != nil {
		return nil, nil, err
	}
	numbers := make([]int, r.n)
	none := rows{n: r.n}
	var nulls []int
	for i := range numbers {
		if numbers[i] = n.of(i); numbers[i] < 0 {
			numbers[i], nulls = 0, append(nulls, i)
		}
	}
	if limit := indexLimit(to.IndexType); int64(len(n.firsts)) > limit {
		return nil, nil, &take.SizeError{Type: to, Size: int64(len(n.firsts)), Limit: limit, Unit: take.Values}
	}
	dict, err := c.gather(values, n.firsts)
	if err != nil {
		return nil, nil, err
	}
	buf := c.buffer(r.n * to.Bytes())
	putInts(to.Bytes(), buf.Bytes(), r.n, func(i int) int { return numbers[i] })
	out, _, err := c.result(to, none, nulls, nil, buf)
	out.(*array.Data).SetDictionary(dict)
	return out, unfit, err
}

// values converts to a type, with NULL wherever the mask has a 0 bit.
func (c *caster) values(d arrow.ArrayData, to arrow.DataType, mask []byte) (arrow.ArrayData, []int, error) {
	out, unfit, err := c.cast(d, to, mask)
	if err != nil || mask == nil {
		return out, unfit, err
	}
	picks := make([]uint32, d.Len())
	for i := range picks {
		if picks[i] = uint32(i); !bit(mask, i) {
			picks[i] = uint32(d.Len())
		}
	}
	out, err = c.gather(out, picks)
	return out, unfit, err
}

// renumbered keeps the values of a dictionary and converts the indices. It gives nil when that can't be: values don't fit, are more than the
// index can number, or more than there are rows.
func (c *caster) renumbered(r rows, from, to *arrow.DictionaryType) (arrow.ArrayData, error) {
	picks, err := indices(r, from)
	if err != nil {
		return nil, err
	}
	values := r.data.Dictionary()
	if int64(values.Len()) > indexLimit(to.IndexType) || values.Len() > r.n && !form.SameType(from.ValueType, to.ValueType) {
		return nil, nil
	}
	values, unfit, err := c.cast(values, to.ValueType, nil)
	if err != nil || len(unfit) > 0 {
		return nil, err
	}
	buf := c.buffer(r.n * to.Bytes())
	putInts(to.Bytes(), buf.Bytes(), r.n, func(i int) int {
		if !r.has(i) {
			return 0
		}
		return int(picks[i])
	})
	out, _, err := c.result(to, r, nil, nil, buf)
	out.(*array.Data).SetDictionary(values)
	return out, err
}

// indexLimit returns how many values an index type can number.
func indexLimit(index arrow.DataType) int64 {
	bits := index.(arrow.FixedWidthDataType).BitWidth()
	if arrow.IsSignedInteger(index.ID()) {
		bits--
	}
	return 1 << min(bits, 32)
}

// toRuns converts to the type of the values, and makes a run of rows next to each other that don't differ in bits.
func (c *caster) toRuns(d arrow.ArrayData, to *arrow.RunEndEncodedType, mask []byte) (arrow.ArrayData, []int, error) {
	values, unfit, err := c.values(d, to.Encoded(), mask)
	if err != nil {
		return nil, nil, err
	}
	arr := array.MakeFromData(values)
	defer arr.Release()
	a, err := form.Of(arr)
	if err != nil {
		return nil, nil, err
	}
	var firsts []uint32
	var ends []int
	for i := range a.Len {
		if i == 0 || form.Compare(a, i-1, a, i, form.ByBits) != 0 {
			firsts, ends = append(firsts, uint32(i)), append(ends, i)
		}
		ends[len(ends)-1] = i + 1
	}
	below, err := c.gather(values, firsts)
	if err != nil {
		return nil, nil, err
	}
	out, err := c.runs(to, to, a.Len, ends, below)
	return out, unfit, err
}
