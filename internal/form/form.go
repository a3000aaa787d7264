package form

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"sort"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/decimal256"
	"github.com/apache/arrow/go/v15/arrow/float16"
)

// Kind is a physical layout.
type Kind uint8

const (
	KindNull Kind = iota
	KindBool
	KindI8
	KindI16
	KindI32
	KindI64
	KindU8
	KindU16
	KindU32
	KindU64
	KindF16
	KindF32
	KindF64
	KindDec128
	KindDec256
	// Bytes behind 32-bit offsets, behind 64-bit offsets, of one width, behind views.
	KindBytes32
	KindBytes64
	KindFixed
	KindView
	// Kinds with children.
	KindStruct
	KindList32
	KindList64
	KindFixedList
	KindListView32
	KindListView64
	KindSparse
	KindDense
	// Adaptors: children[0] holds the values.
	KindDict
	KindRuns
)

// Array is one Arrow array, read by value. Fields are set by [Of] and never change.
type Array struct {
	Kind   Kind
	Family Family
	Type   arrow.DataType // as the column has it
	Len    int

	off   int    // of row 0 in the buffers and in the children of structs, fixed lists, sparse unions and runs
	valid []byte // nil: no slot of this array itself is NULL
	mul   uint64 // raw value × mul = value in the family's finest unit (ints of a time family)
	scale int32  // decimals
	width int    // KindFixed: bytes; KindFixedList: elements

	// One of these holds the values or indices of the kind; all hold the whole buffer, off not applied.
	bits []byte
	i8   []int8
	i16  []int16
	i32  []int32 // also offsets of KindBytes32, KindList32, KindListView32, KindDense
	i64  []int64 // also offsets of KindBytes64, KindList64, KindListView64
	u8   []uint8
	u16  []uint16
	u32  []uint32
	u64  []uint64
	f16  []float16.Num
	f32  []float32
	f64  []float64
	d128 []decimal128.Num
	d256 []decimal256.Num

	data    []byte   // bytes kinds: the bytes
	blocks  [][]byte // KindView: the buffers that long views point into
	views   []arrow.ViewHeader
	sizes32 []int32 // KindListView32
	sizes64 []int64 // KindListView64
	codes   []int8  // unions: type code of each row
	childOf [128]int8
	index   Kind // KindDict, KindRuns: the kind of the indices or run ends
	kids    []*Array
	rows    []struct{} // Len of nothing: indexing it is the check that a row exists
}

// Of reads an array. It fails when the array's type isn't known or its buffers are too few for its type.
func Of(arr arrow.Array) (*Array, error) { return OfData(arr.Data()) }

// OfData is [Of] for the data of an array.
func OfData(d arrow.ArrayData) (*Array, error) {
	a := &Array{Type: d.DataType(), Family: FamilyOf(d.DataType()), Len: d.Len(), off: d.Offset(), mul: 1}
	a.rows = make([]struct{}, a.Len)
	t := d.DataType()
	for e, ok := t.(arrow.ExtensionType); ok; e, ok = t.(arrow.ExtensionType) {
		t = e.StorageType()
	}
	if dec, ok := t.(arrow.DecimalType); ok && !saneScale(dec) {
		return nil, fmt.Errorf("type %v: the scale is out of range", t)
	}
	if len(d.Buffers()) < buffersOf(t) {
		return nil, fmt.Errorf("type %v: %d buffers, of %d", t, len(d.Buffers()), buffersOf(t))
	}
	if err := a.setKids(d, t); err != nil {
		return nil, err
	}
	a.mul = tick(t)
	if a.setValues(d, t); a.Kind == KindNull && t.ID() != arrow.NULL {
		return nil, fmt.Errorf("type %v isn't known", t)
	}
	a.setValid(d)
	if a.Kind == KindRuns {
		return a, a.checkRuns()
	}
	return a, nil
}

// checkRuns refuses run ends that don't ascend, or don't reach the last row: a search and a walk over them would differ.
func (a *Array) checkRuns() error {
	ends, last := a.kids[0], int64(0)
	for i := range ends.Len {
		end := ends.intAt(ends.Kind, ends.off+i)
		if end <= last {
			return fmt.Errorf("type %v: run %d ends at %d, the one before at %d", a.Type, i, end, last)
		}
		last = end
	}
	if rows := int64(a.off) + int64(a.Len); a.Len > 0 && last < rows {
		return fmt.Errorf("type %v: the runs end at %d, of %d rows", a.Type, last, rows)
	}
	return nil
}

func buffersOf(t arrow.DataType) int {
	switch t.ID() {
	case arrow.NULL, arrow.RUN_END_ENCODED:
		return 0
	case arrow.STRUCT, arrow.FIXED_SIZE_LIST:
		return 1
	case arrow.STRING, arrow.BINARY, arrow.LARGE_STRING, arrow.LARGE_BINARY, arrow.DENSE_UNION, arrow.LIST_VIEW, arrow.LARGE_LIST_VIEW:
		return 3
	}
	return 2
}

func (a *Array) setKids(d arrow.ArrayData, t arrow.DataType) error {
	kids := d.Children()
	switch t.ID() {
	case arrow.DICTIONARY:
		dict := d.Dictionary()
		if dict == nil || dict.(*array.Data) == nil {
			if d.Len() > 0 {
				return fmt.Errorf("type %v: no dictionary", t)
			}
			return nil
		}
		kids = []arrow.ArrayData{dict}
	case arrow.STRUCT, arrow.LIST, arrow.LARGE_LIST, arrow.LIST_VIEW, arrow.LARGE_LIST_VIEW, arrow.FIXED_SIZE_LIST, arrow.MAP,
		arrow.SPARSE_UNION, arrow.DENSE_UNION, arrow.RUN_END_ENCODED:
		if want := len(t.(arrow.NestedType).Fields()); len(kids) < want {
			return fmt.Errorf("type %v: %d children, of %d", t, len(kids), want)
		}
	default:
		return nil
	}
	for _, k := range kids {
		kid, err := OfData(k)
		if err != nil {
			return err
		}
		a.kids = append(a.kids, kid)
	}
	return nil
}

// buffer returns the bytes of a buffer, with no room behind them: slicing a slice checks its capacity, not its length, and
// behind it may be another buffer.
func buffer(d arrow.ArrayData, i int) []byte {
	if b := d.Buffers()[i]; b != nil {
		return slices.Clip(b.Bytes())
	}
	return nil
}

func (a *Array) setValid(d arrow.ArrayData) {
	switch a.Kind {
	case KindNull, KindSparse, KindDense, KindRuns:
		return
	}
	v := buffer(d, 0)
	if len(v) == 0 || a.Len == 0 {
		return
	}
	switch zeros := zerosIn(v, a.off, a.Len); {
	case zeros == a.Len:
		// Such an array may lack its other buffers; nothing of them may be read anyway.
		a.Kind = KindNull
	case zeros > 0:
		a.valid = v
	}
}

// zerosIn counts the clear bits among n bits of b from bit lo on.
func zerosIn(b []byte, lo, n int) int {
	ones := 0
	i := lo
	for ; i < lo+n && i&7 != 0; i++ {
		ones += int(b[i>>3]>>(i&7)) & 1
	}
	for ; i+64 <= lo+n; i += 64 {
		ones += bits.OnesCount64(binary.LittleEndian.Uint64(b[i>>3:]))
	}
	for ; i+8 <= lo+n; i += 8 {
		ones += bits.OnesCount8(b[i>>3])
	}
	for ; i < lo+n; i++ {
		ones += int(b[i>>3]>>(i&7)) & 1
	}
	return n - ones
}

func bit(b []byte, i int) bool { return b[i>>3]>>(i&7)&1 != 0 }

// intAt returns the integer at buffer position p as a 64-bit pattern; kind says which buffer holds it. Values of KindU64
// above the largest int64 come back negative.
func (a *Array) intAt(kind Kind, p int) int64 {
	switch kind {
	case KindI8:
		return int64(a.i8[p])
	case KindI16:
		return int64(a.i16[p])
	case KindI32:
		return int64(a.i32[p])
	case KindI64:
		return a.i64[p]
	case KindU8:
		return int64(a.u8[p])
	case KindU16:
		return int64(a.u16[p])
	case KindU32:
		return int64(a.u32[p])
	}
	return int64(a.u64[p])
}

// entry returns the position in the dictionary that row i stands for.
func (a *Array) entry(i int) int {
	e := a.intAt(a.index, a.off+i)
	_ = a.kids[0].rows[e]
	return int(e)
}

// run returns the position in the values of a run-end array that row i stands for.
func (a *Array) run(i int) int {
	ends := a.kids[0]
	i += a.off
	r := sort.Search(ends.Len, func(r int) bool { return ends.intAt(ends.Kind, ends.off+r) > int64(i) })
	_ = ends.rows[r]
	return r
}

// MayNull is false when no row can be NULL.
func (a *Array) MayNull() bool {
	switch a.Kind {
	case KindNull:
		return a.Len > 0
	case KindDict:
		return a.valid != nil || len(a.kids) > 0 && a.kids[0].MayNull()
	case KindRuns:
		return a.kids[1].MayNull()
	case KindSparse, KindDense:
		for _, k := range a.kids {
			if k.MayNull() {
				return true
			}
		}
		return false
	}
	return a.valid != nil
}

// Null says whether row i is NULL, logically. It is what every reader of a cell asks first, at each array on its way down,
// and so the place where a row that doesn't exist ends in a bounds panic.
func (a *Array) Null(i int) bool {
	_ = a.rows[i]
	if a.valid != nil && !bit(a.valid, a.off+i) {
		return true
	}
	switch a.Kind {
	case KindNull:
		return true
	case KindDict:
		return a.kids[0].Null(a.entry(i))
	case KindRuns:
		return a.kids[1].Null(a.run(i))
	case KindSparse, KindDense:
		k, j := a.variant(i)
		return k.Null(j)
	}
	return false
}

// variant returns the child and its row that row i of a union holds.
func (a *Array) variant(i int) (*Array, int) {
	p := a.off + i
	k := a.kids[a.childOf[a.codes[p]]]
	if a.Kind == KindDense {
		return k, int(a.i32[p])
	}
	return k, p
}

// leaf follows dictionaries and run-ends down to the array that holds row i, which isn't NULL.
func (a *Array) leaf(i int) (*Array, int) {
	for {
		switch a.Kind {
		case KindDict:
			a, i = a.kids[0], a.entry(i)
		case KindRuns:
			a, i = a.kids[1], a.run(i)
		default:
			return a, i
		}
	}
}

// span returns the child rows from lo to hi that row i of a list holds.
func (a *Array) span(i int) (lo, hi int) {
	p := a.off + i
	var from, to int64 // not narrowed before they are checked
	switch a.Kind {
	case KindList32:
		from, to = int64(a.i32[p]), int64(a.i32[p+1])
	case KindList64:
		from, to = a.i64[p], a.i64[p+1]
	case KindListView32:
		from, to = int64(a.i32[p]), int64(a.i32[p])+int64(a.sizes32[p])
	case KindListView64:
		from, to = a.i64[p], a.i64[p]+a.sizes64[p]
	default:
		from, to = int64(p)*int64(a.width), int64(p+1)*int64(a.width)
	}
	_ = a.kids[0].rows[from:to]
	return int(from), int(to)
}

// bytes returns the bytes of row i of a bytes kind. They are the array's own: not to be written to.
func (a *Array) bytes(i int) []byte {
	p := a.off + i
	switch a.Kind {
	case KindBytes32:
		return a.data[a.i32[p]:a.i32[p+1]]
	case KindBytes64:
		return a.data[a.i64[p]:a.i64[p+1]]
	case KindFixed:
		return a.data[p*a.width : (p+1)*a.width]
	}
	h := &a.views[p]
	if h.IsInline() {
		return h.InlineBytes()
	}
	lo := int(h.BufferOffset())
	return a.blocks[h.BufferIndex()][lo : lo+h.Len()]
}
