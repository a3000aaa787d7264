package take

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// dictionary gathers a dictionary array. When all chunks that rows are taken from share one dictionary, it is the
// output's as it is. Else the output's dictionary holds the values that the rows refer to, in the order in which they do.
func (g *gather) dictionary(t arrow.DataType, layout *arrow.DictionaryType, cs []chunk, p *picks) (*array.Data, error) {
	v, err := g.validity(cs, p)
	if err != nil {
		return nil, err
	}
	dicts := dictionariesOf(cs, p)
	var values *array.Data
	var buf *memory.Buffer
	if len(dicts.data) == 1 {
		values = dicts.data[0]
		buf, err = g.words(layout.Bytes(), cs, 1, p, v.bits)
	} else {
		buf, values, err = g.unify(t, layout, dicts, cs, p, v.bits)
	}
	if err != nil {
		return nil, err
	}
	d := array.NewDataWithDictionary(t, len(p.rows), []*memory.Buffer{v.buffer, buf}, v.nulls, 0, values)
	g.owned = append(g.owned, d)
	return d, nil
}

// dictionaries are the distinct dictionaries of the chunks that rows are taken from.
type dictionaries struct {
	data []*array.Data
	// of is the number of each chunk's dictionary; -1 for a chunk that no row is taken from or that has none.
	of []int
}

func dictionariesOf(cs []chunk, p *picks) dictionaries {
	d := dictionaries{of: make([]int, len(cs))}
	for i := range d.of {
		d.of[i] = -1
	}
	numbers := map[*array.Data]int{}
	use := func(c int) {
		data, _ := cs[c].data.Dictionary().(*array.Data)
		if data == nil {
			return
		}
		n, ok := numbers[data]
		if !ok {
			n = len(d.data)
			numbers[data] = n
			d.data = append(d.data, data)
		}
		d.of[c] = n
	}
	for _, s := range p.segs {
		if d.of[s.chunk] < 0 {
			use(s.chunk)
		}
	}
	for c := 0; c < len(cs) && len(d.data) == 0; c++ {
		use(c) // no rows: any dictionary is right, and better than a new one
	}
	return d
}

// unify gathers the indices of chunks with several dictionaries and makes a dictionary for them.
func (g *gather) unify(t arrow.DataType, layout *arrow.DictionaryType, dicts dictionaries, cs []chunk, p *picks, valid []byte) (*memory.Buffer, *array.Data, error) {
	u := newUnifier(layout.ValueType, dicts)
	var buf *memory.Buffer
	var err error
	switch layout.Bytes() {
	case 1:
		buf, err = gatherIndices[uint8](g, t, u, cs, p, valid)
	case 2:
		buf, err = gatherIndices[uint16](g, t, u, cs, p, valid)
	case 4:
		buf, err = gatherIndices[uint32](g, t, u, cs, p, valid)
	default:
		buf, err = gatherIndices[uint64](g, t, u, cs, p, valid)
	}
	if err != nil {
		return nil, nil, err
	}
	if n, limit := int64(len(u.entries.rows)), indexLimit(layout.IndexType); n > limit {
		return nil, nil, &SizeError{Type: t, Size: n, Limit: limit, Unit: Values}
	}
	values, err := g.column(layout.ValueType, u.dicts, u.entries)
	return buf, values, err
}

// gatherIndices gathers indices, translated to the output's dictionary. NULLs have index 0. The indices are of no use when
// the dictionary has more values than a T can number.
func gatherIndices[T uint8 | uint16 | uint32 | uint64](g *gather, t arrow.DataType, u *unifier, cs []chunk, p *picks, valid []byte) (*memory.Buffer, error) {
	buf := g.buffer(len(p.rows) * widthOf[T]())
	out := arrow.GetData[T](buf.Bytes())
	clear(out)
	for _, s := range p.segs {
		if err := g.tick(s.hi - s.lo); err != nil {
			return nil, err
		}
		src, base := arrow.GetData[T](cs[s.chunk].bytes(1)), s.base+cs[s.chunk].at
		dict := u.of[s.chunk]
		var numbers []uint32
		if dict >= 0 {
			numbers = u.numbersOf(dict)
		}
		for k := s.lo; k < s.hi; k++ {
			if valid != nil && !bit(valid, k) {
				continue
			}
			i := uint64(src[int(p.rows[k])+base])
			if i >= uint64(len(numbers)) {
				return nil, &DataError{Type: t, Why: fmt.Sprintf("index %d of a dictionary of %d values", i, len(numbers))}
			}
			n := numbers[i]
			if n == 0 {
				n = u.number(dict, int(i)) + 1
				numbers[i] = n
			}
			out[k] = T(n - 1)
		}
	}
	return buf, nil
}

// indexLimit returns how many values an index type can number.
func indexLimit(index arrow.DataType) int64 {
	bits := index.(arrow.FixedWidthDataType).BitWidth()
	if arrow.IsSignedInteger(index.ID()) {
		bits--
	}
	return 1 << min(bits, 32)
}

// unifier numbers the values of several dictionaries: by value where values are plain, else by dictionary and index.
type unifier struct {
	dicts []chunk
	of    []int
	// numbers holds, for each dictionary and index, the number of its value in the output plus 1, or 0 as long as it has
	// none. A dictionary's slice is made when it is first used.
	numbers [][]uint32
	// entries picks the values of the output's dictionary.
	entries *picks

	// value reads the bytes of a value; nil when values aren't plain.
	value func(c chunk, i int) []byte
	// known numbers the plain values; null is the number of NULL plus 1.
	known map[string]uint32
	null  uint32
}

func newUnifier(value arrow.DataType, d dictionaries) *unifier {
	u := &unifier{of: d.of, numbers: make([][]uint32, len(d.data)), entries: newPicks(0), value: plainValue(value), known: map[string]uint32{}}
	for _, data := range d.data {
		u.dicts = append(u.dicts, newChunk(data))
	}
	return u
}

func (u *unifier) numbersOf(dict int) []uint32 {
	if u.numbers[dict] == nil {
		u.numbers[dict] = make([]uint32, u.dicts[dict].data.Len())
	}
	return u.numbers[dict]
}

// number returns the number of a value that its dictionary has no number for yet.
func (u *unifier) number(dict, i int) uint32 {
	next := uint32(len(u.entries.rows))
	if u.value != nil {
		c := u.dicts[dict]
		if valid := c.bytes(0); len(valid) > 0 && !bit(valid, c.at+i) {
			if u.null > 0 {
				return u.null - 1
			}
			u.null = next + 1
		} else {
			v := u.value(c, i)
			if n, ok := u.known[string(v)]; ok {
				return n
			}
			u.known[string(v)] = next
		}
	}
	u.entries.add(dict, i, 1)
	return next
}

// plainValue returns how to read the bytes of a value of a type whose values are equal when their bytes are; nil for
// others.
func plainValue(t arrow.DataType) func(c chunk, i int) []byte {
	for t.ID() == arrow.EXTENSION {
		t = t.(arrow.ExtensionType).StorageType()
	}
	switch t := t.(type) {
	case *arrow.NullType, *arrow.DictionaryType:
		return nil
	case *arrow.BooleanType:
		return func(c chunk, i int) []byte {
			if bit(c.bytes(1), c.at+i) {
				return []byte{1}
			}
			return []byte{0}
		}
	case *arrow.StringType, *arrow.BinaryType:
		return offsetValue[int32]
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		return offsetValue[int64]
	case *arrow.StringViewType, *arrow.BinaryViewType:
		return func(c chunk, i int) []byte {
			h := &arrow.GetData[arrow.ViewHeader](c.bytes(1))[c.at+i]
			if h.IsInline() {
				return h.InlineBytes()
			}
			return (&viewReader{chunk: c}).bytes(h)
		}
	case arrow.FixedWidthDataType:
		width := t.Bytes()
		return func(c chunk, i int) []byte { return c.bytes(1)[(c.at+i)*width : (c.at+i+1)*width] }
	default:
		return nil
	}
}

func offsetValue[T offset](c chunk, i int) []byte {
	offsets := arrow.GetData[T](c.bytes(1))
	return c.bytes(2)[offsets[c.at+i]:offsets[c.at+i+1]]
}
