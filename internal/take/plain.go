package take

import (
	"context"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// PlainRecord is [Record] with every column decoded: what it returns has the schema that [PlainSchema] makes, and shares no memory with the
// batches, so that its size is that of its rows, whatever dictionaries they refer to. (Maps and unions keep what is below them as it is.)
func PlainRecord(ctx context.Context, mem memory.Allocator, schema *arrow.Schema, batches []arrow.Record, rows []uint32, workers int) (arrow.Record, error) {
	return gatherRecord(&work{ctx: ctx, mem: mem, schema: schema, batches: batches, plain: true}, rows, workers)
}

// PlainSchema is the schema with plain types: no dictionaries, no runs, no extension types, in the children of structs and lists neither.
func PlainSchema(s *arrow.Schema) *arrow.Schema {
	fields := slices.Clone(s.Fields())
	for i := range fields {
		fields[i] = plainField(fields[i])
	}
	return arrow.NewSchema(fields, nil)
}

func plainField(f arrow.Field) arrow.Field {
	return arrow.Field{Name: f.Name, Type: plainType(f.Type), Nullable: true}
}

// plainType is the type of the same values without adaptors.
func plainType(t arrow.DataType) arrow.DataType {
	switch t := t.(type) {
	case *arrow.DictionaryType:
		return plainType(t.ValueType)
	case *arrow.RunEndEncodedType:
		return plainType(t.Encoded())
	case arrow.ExtensionType:
		return plainType(t.StorageType())
	case *arrow.StructType:
		fields := slices.Clone(t.Fields())
		for i := range fields {
			fields[i] = plainField(fields[i])
		}
		return arrow.StructOf(fields...)
	case *arrow.ListType:
		return arrow.ListOfField(plainField(t.ElemField()))
	case *arrow.LargeListType:
		return arrow.LargeListOfField(plainField(t.ElemField()))
	case *arrow.ListViewType:
		return arrow.ListViewOfField(plainField(t.ElemField()))
	case *arrow.LargeListViewType:
		return arrow.LargeListViewOfField(plainField(t.ElemField()))
	case *arrow.FixedSizeListType:
		return arrow.FixedSizeListOfField(t.Len(), plainField(t.ElemField()))
	}
	return t
}

// plainColumn gathers a column of any type, decoded.
func (g *gather) plainColumn(t arrow.DataType, cs []chunk, p *picks) (*array.Data, error) {
	layout := t
	for layout.ID() == arrow.EXTENSION {
		layout = layout.(arrow.ExtensionType).StorageType()
	}
	switch layout := layout.(type) {
	case *arrow.DictionaryType:
		return g.decodeDictionary(t, layout, cs, p)
	case *arrow.RunEndEncodedType:
		return g.decodeRuns(t, layout, cs, p)
	case *arrow.MapType, arrow.UnionType:
		g.plain = false
		defer func() { g.plain = true }()
	}
	d, err := g.encodedColumn(t, cs, p)
	if err != nil {
		return nil, err
	}
	if plain := plainType(t); plain != t {
		d = g.data(plain, d.Len(), d.NullN(), d.Children(), d.Buffers()...)
	}
	return d, nil
}

func (g *gather) decodeDictionary(t arrow.DataType, layout *arrow.DictionaryType, cs []chunk, p *picks) (*array.Data, error) {
	v, err := g.validity(cs, p)
	if err != nil {
		return nil, err
	}
	dicts := dictionariesOf(cs, p)
	if len(dicts.data) == 0 && v.nulls == len(p.rows) {
		nulls := array.MakeArrayOfNull(g.mem, plainType(t), len(p.rows))
		g.owned = append(g.owned, nulls)
		return nulls.Data().(*array.Data), nil
	}
	below := newPicks(len(p.rows))
	switch layout.Bytes() {
	case 1:
		err = entryPicks[uint8](g, t, dicts, cs, p, v.bits, below)
	case 2:
		err = entryPicks[uint16](g, t, dicts, cs, p, v.bits, below)
	case 4:
		err = entryPicks[uint32](g, t, dicts, cs, p, v.bits, below)
	default:
		err = entryPicks[uint64](g, t, dicts, cs, p, v.bits, below)
	}
	if err != nil {
		return nil, err
	}
	var values []chunk
	for _, d := range dicts.data {
		values = append(values, newChunk(d))
	}
	return g.column(layout.ValueType, values, below)
}

// entryPicks picks the value of each row from the dictionary of its chunk.
func entryPicks[T uint8 | uint16 | uint32 | uint64](g *gather, t arrow.DataType, dicts dictionaries, cs []chunk, p *picks, valid []byte, below *picks) error {
	for _, s := range p.segs {
		if err := g.tick(s.hi - s.lo); err != nil {
			return err
		}
		src, base := arrow.GetData[T](cs[s.chunk].bytes(1)), s.base+cs[s.chunk].at
		dict, values := dicts.of[s.chunk], 0
		if dict >= 0 {
			values = dicts.data[dict].Len()
		}
		for k := s.lo; k < s.hi; k++ {
			if valid != nil && !bit(valid, k) {
				below.addNull(1)
				continue
			}
			i := uint64(src[int(p.rows[k])+base])
			if i >= uint64(values) {
				return &DataError{Type: t, Why: fmt.Sprintf("index %d of a dictionary of %d values", i, values)}
			}
			below.add(dict, int(i), 1)
		}
	}
	return nil
}

func (g *gather) decodeRuns(t arrow.DataType, layout *arrow.RunEndEncodedType, cs []chunk, p *picks) (*array.Data, error) {
	var below *picks
	var err error
	switch layout.RunEnds().ID() {
	case arrow.INT16:
		below, err = rowPicks[int16](g, t, cs, p)
	case arrow.INT32:
		below, err = rowPicks[int32](g, t, cs, p)
	default:
		below, err = rowPicks[int64](g, t, cs, p)
	}
	if err != nil {
		return nil, err
	}
	return g.column(layout.Encoded(), children(cs, 1), below)
}

// rowPicks picks the value of each row's run.
func rowPicks[T int16 | int32 | int64](g *gather, t arrow.DataType, cs []chunk, p *picks) (*picks, error) {
	below := newPicks(len(p.rows))
	for _, s := range p.segs {
		if err := g.tick(s.hi - s.lo); err != nil {
			return nil, err
		}
		src := runEnds[T](cs[s.chunk])
		base, run := s.base+cs[s.chunk].at, 0
		for k := s.lo; k < s.hi; k++ {
			if p.mask != nil && !bit(p.mask, k) {
				below.addNull(1)
				continue
			}
			e := int64(p.rows[k]) + int64(base)
			if run = findRun(src, e, run); run == len(src) {
				return nil, &DataError{Type: t, Why: fmt.Sprintf("no run holds element %d", e)}
			}
			below.add(s.chunk, run, 1)
		}
	}
	return below, nil
}

// DecodedType is the type of the same values without dictionaries and runs, inside structs and lists too. An extension type stays one, unless
// its storage is so encoded.
func DecodedType(t arrow.DataType) arrow.DataType {
	below := func(f arrow.Field) arrow.Field {
		f.Type = DecodedType(f.Type)
		return f
	}
	switch t := t.(type) {
	case *arrow.DictionaryType:
		return DecodedType(t.ValueType)
	case *arrow.RunEndEncodedType:
		return DecodedType(t.Encoded())
	case arrow.ExtensionType:
		if s := DecodedType(t.StorageType()); !arrow.TypeEqual(s, t.StorageType()) {
			return s
		}
	case *arrow.StructType:
		fields := slices.Clone(t.Fields())
		for i := range fields {
			fields[i] = below(fields[i])
		}
		return arrow.StructOf(fields...)
	case *arrow.ListType:
		return arrow.ListOfField(below(t.ElemField()))
	case *arrow.LargeListType:
		return arrow.LargeListOfField(below(t.ElemField()))
	case *arrow.ListViewType:
		return arrow.ListViewOfField(below(t.ElemField()))
	case *arrow.LargeListViewType:
		return arrow.LargeListViewOfField(below(t.ElemField()))
	case *arrow.FixedSizeListType:
		return arrow.FixedSizeListOfField(t.Len(), below(t.ElemField()))
	}
	return t
}

// Retyped is an array of plain type as one of the decoded type that it was made of: the same memory, with extension types where they were. The
// caller releases it.
func Retyped(a arrow.Array, t arrow.DataType) arrow.Array {
	d := retyped(a.Data(), t)
	defer d.Release()
	return array.MakeFromData(d)
}

func retyped(d arrow.ArrayData, t arrow.DataType) *array.Data {
	layout := t
	for layout.ID() == arrow.EXTENSION {
		layout = layout.(arrow.ExtensionType).StorageType()
	}
	children := slices.Clone(d.Children())
	if nested, ok := layout.(arrow.NestedType); ok && layout.ID() != arrow.MAP {
		if _, union := layout.(arrow.UnionType); !union {
			for i, f := range nested.Fields() {
				below := retyped(children[i], f.Type)
				defer below.Release()
				children[i] = below
			}
		}
	}
	return array.NewData(t, d.Len(), d.Buffers(), children, d.NullN(), d.Offset())
}
