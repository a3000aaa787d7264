package scd2

import (
	"encoding/binary"
	"math"
	"slices"
	"sort"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/onerow-go/onerow/internal/form"
)

// hashArray is one Arrow array by its buffers. Where package form reads cells by value, the forms of Spark and dbt need them as they are: -0 and
// 0 have two texts, 1.5 and 1.50 as well. Its shape was checked by form.Of; buffers that contradict it end in a runtime bounds panic.
type hashArray struct {
	typ    arrow.DataType // below extension types
	id     arrow.Type     // of typ
	family form.Family
	cells  *form.Array // the same array by value

	rows  []struct{} // as many as there are: indexing it is the check that a row exists
	off   int        // of row 0 in the buffers, and in the children of structs, fixed lists and runs
	valid []byte     // nil: no slot of this array itself is NULL

	words  []byte // the buffer after the validity: values, indices, offsets or view headers
	width  int    // bytes of a value or index; elements of a fixed list
	signed bool
	more   []byte   // bytes behind offsets, sizes of list views
	blocks [][]byte // bytes behind views

	tick          int64 // of times: nanoseconds, of dates: milliseconds
	scale, digits int32 // of decimals

	kids []*hashArray // fields, elements, the dictionary, or run ends and values
	memo *hashMemo    // of the values of a dictionary or of runs
}

// newHashArray reads array data. A dictionary that several arrays share is read once: dicts remembers it.
func newHashArray(d arrow.ArrayData, dicts map[arrow.ArrayData]*hashArray) *hashArray {
	t := d.DataType()
	for e, ok := t.(arrow.ExtensionType); ok; e, ok = t.(arrow.ExtensionType) {
		t = e.StorageType()
	}
	a := &hashArray{typ: t, id: t.ID(), rows: make([]struct{}, d.Len()), off: d.Offset()}
	a.family = form.FamilyOf(t)
	a.cells, _ = form.OfData(d) // the column's own arrays have passed it
	switch a.id {
	case arrow.NULL, arrow.RUN_END_ENCODED:
	default:
		if v := hashBuffer(d, 0); len(v) > 0 {
			a.valid = v
		}
		a.words, a.more = hashBuffer(d, 1), hashBuffer(d, 2)
	}
	a.setType(d)
	if a.id == arrow.DICTIONARY {
		if dict, ok := d.Dictionary().(*array.Data); ok && dict != nil {
			if dicts[dict] == nil {
				dicts[dict] = newHashArray(dict, dicts)
			}
			a.kids = []*hashArray{dicts[dict]}
		}
		return a
	}
	for _, k := range d.Children() {
		a.kids = append(a.kids, newHashArray(k, dicts))
	}
	return a
}

// hashBuffer returns a buffer with no room behind it: slicing checks the capacity.
func hashBuffer(d arrow.ArrayData, i int) []byte {
	if b := d.Buffers(); i < len(b) && b[i] != nil {
		return slices.Clip(b[i].Bytes())
	}
	return nil
}

// setType notes what a reader of cells asks the type for.
func (a *hashArray) setType(d arrow.ArrayData) {
	t := a.typ
	if dict, ok := t.(*arrow.DictionaryType); ok {
		t = dict.IndexType
	}
	if w, ok := t.(arrow.FixedWidthDataType); ok {
		a.width = w.BitWidth() / 8
	}
	a.signed = !arrow.IsUnsignedInteger(t.ID())
	switch t := t.(type) {
	case arrow.DecimalType:
		a.scale, a.digits = t.GetScale(), t.GetPrecision()
	case *arrow.FixedSizeListType:
		a.width = int(t.Len())
	case *arrow.StringViewType, *arrow.BinaryViewType:
		for i := 2; i < len(d.Buffers()); i++ {
			a.blocks = append(a.blocks, hashBuffer(d, i))
		}
	case *arrow.Date32Type:
		a.tick = 86_400_000
	case *arrow.Date64Type:
		a.tick = 1
	case arrow.TemporalWithUnit:
		a.tick = int64(t.TimeUnit().Multiplier())
	}
}

// leaf follows dictionaries and runs down to the array that holds row i; it is nil for NULL.
func (a *hashArray) leaf(i int) (*hashArray, int) {
	for {
		_ = a.rows[i]
		if a.id == arrow.NULL || a.valid != nil && a.valid[(a.off+i)>>3]>>((a.off+i)&7)&1 == 0 {
			return nil, 0
		}
		switch a.id {
		case arrow.DICTIONARY:
			a, i = a.kids[0], a.entry(i)
		case arrow.RUN_END_ENCODED:
			a, i = a.kids[1], a.run(i)
		default:
			return a, i
		}
	}
}

// entry returns the place in the dictionary that row i, which isn't NULL, stands for.
func (a *hashArray) entry(i int) int {
	e := a.int(i)
	_ = a.kids[0].rows[e]
	return int(e)
}

// run returns the run that row i is in.
func (a *hashArray) run(i int) int {
	ends := a.kids[0]
	r := sort.Search(len(ends.rows), func(r int) bool { return ends.int(r) > int64(a.off+i) })
	_ = a.kids[1].rows[r]
	return r
}

// values returns what the rows of a dictionary or run-end array stand for; nil for others.
func (a *hashArray) values() *hashArray {
	switch {
	case a.id == arrow.DICTIONARY && len(a.kids) > 0:
		return a.kids[0]
	case a.id == arrow.RUN_END_ENCODED:
		return a.kids[1]
	}
	return nil
}

func (a *hashArray) bit(i int) bool { return a.words[(a.off+i)>>3]>>((a.off+i)&7)&1 != 0 }

// slot returns the bytes of a value of fixed width.
func (a *hashArray) slot(i int) []byte { return a.words[(a.off+i)*a.width : (a.off+i+1)*a.width] }

// int returns an integer of at most 64 bits, extended by its sign. Those from 2^63 on come back negative.
func (a *hashArray) int(i int) int64 {
	b := a.slot(i)
	switch a.width {
	case 1:
		if a.signed {
			return int64(int8(b[0]))
		}
		return int64(b[0])
	case 2:
		if a.signed {
			return int64(int16(binary.LittleEndian.Uint16(b)))
		}
		return int64(binary.LittleEndian.Uint16(b))
	case 4:
		if a.signed {
			return int64(int32(binary.LittleEndian.Uint32(b)))
		}
		return int64(binary.LittleEndian.Uint32(b))
	}
	return int64(binary.LittleEndian.Uint64(b))
}

// limbs returns a decimal's unscaled value as 256 bits, two's complement, lowest limb first.
func (a *hashArray) limbs(i int) (l [4]uint64) {
	b := a.slot(i)
	for k := range l {
		if 8*k < len(b) {
			l[k] = binary.LittleEndian.Uint64(b[8*k:])
		} else {
			l[k] = uint64(int64(l[1]) >> 63)
		}
	}
	return l
}

// bytes returns the bytes of text or binary. They are the array's own.
func (a *hashArray) bytes(i int) []byte {
	p := a.off + i
	switch a.id {
	case arrow.FIXED_SIZE_BINARY:
		return a.slot(i)
	case arrow.STRING, arrow.BINARY:
		return a.more[hashOffset32(a.words, p):hashOffset32(a.words, p+1)]
	case arrow.LARGE_STRING, arrow.LARGE_BINARY:
		return a.more[hashOffset64(a.words, p):hashOffset64(a.words, p+1)]
	}
	h := a.words[16*p : 16*p+16]
	n := int64(hashOffset32(h, 0))
	if n <= 12 {
		return h[4:][:n]
	}
	lo := int64(hashOffset32(h, 3))
	return a.blocks[hashOffset32(h, 2)][lo : lo+n]
}

func hashOffset32(b []byte, i int) int32 { return int32(binary.LittleEndian.Uint32(b[4*i : 4*i+4])) }
func hashOffset64(b []byte, i int) int64 { return int64(binary.LittleEndian.Uint64(b[8*i : 8*i+8])) }

// elements returns the rows of kids[0] that a list holds.
func (a *hashArray) elements(i int) (lo, hi int) {
	p := a.off + i
	var from, to int64 // not narrowed before they are checked
	switch a.id {
	case arrow.LIST:
		from, to = int64(hashOffset32(a.words, p)), int64(hashOffset32(a.words, p+1))
	case arrow.LARGE_LIST:
		from, to = hashOffset64(a.words, p), hashOffset64(a.words, p+1)
	case arrow.LIST_VIEW:
		from = int64(hashOffset32(a.words, p))
		to = from + int64(hashOffset32(a.more, p))
	case arrow.LARGE_LIST_VIEW:
		from = hashOffset64(a.words, p)
		to = from + hashOffset64(a.more, p)
	default:
		from, to = int64(p)*int64(a.width), int64(p+1)*int64(a.width)
	}
	_ = a.kids[0].rows[from:to]
	return int(from), int(to)
}

// float returns a float of any width.
func (a *hashArray) float(i int) float64 {
	switch a.id {
	case arrow.FLOAT16:
		return widenHalf(uint16(a.int(i)))
	case arrow.FLOAT32:
		return float64(math.Float32frombits(uint32(a.int(i))))
	}
	return math.Float64frombits(uint64(a.int(i)))
}

func canonicalFloat(f float64) uint64 {
	switch {
	case f != f:
		return 0x7ff8000000000000
	case f == 0:
		return 0
	}
	return math.Float64bits(f)
}
