package spill

import (
	"encoding/binary"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// builder makes arrays of a layout and a body, whose checksum is right. It still trusts neither: what doesn't fit is an error or a bounds panic.
type builder struct {
	layout []byte
	body   *memory.Buffer
	at     int // in the body
	owned  []interface{ Release() }
}

// record makes the record of a frame, whose buffers are slices of the body.
func (r *reader) record(frame int, layout []byte, body *memory.Buffer) (rec arrow.Record, err error) {
	b := &builder{layout: layout, body: body}
	defer func() {
		if p := recover(); p != nil {
			rec, err = nil, damaged(r.partition.path, frame, fmt.Sprint(p))
		}
		for _, o := range b.owned {
			o.Release()
		}
	}()
	rows := int64(0)
	columns := make([]arrow.Array, r.schema.NumFields())
	for i := range columns {
		columns[i] = array.MakeFromData(b.array(r.schema.Field(i).Type))
		b.owned = append(b.owned, columns[i])
		if n := int64(columns[i].Len()); i == 0 {
			rows = n
		} else if n != rows {
			return nil, damaged(r.partition.path, frame, "columns differ in length")
		}
	}
	if len(b.layout) != 0 || b.at != body.Len() {
		return nil, damaged(r.partition.path, frame, "something is left over")
	}
	return array.NewRecord(r.schema, columns, rows), nil
}

func (b *builder) word() uint64 {
	v := binary.NativeEndian.Uint64(b.layout)
	b.layout = b.layout[8:]
	return v
}

// array makes the next array, of a type, and all below it.
func (b *builder) array(t arrow.DataType) *array.Data {
	n, nulls, offset, below, buffers := int(b.word()), int(b.word()), int(b.word()), int(b.word()), make([]*memory.Buffer, b.word())
	for i := range buffers {
		buffers[i] = b.buffer(b.word())
	}
	kinds := typesBelow(t)
	if below != len(kinds) {
		panic(fmt.Sprintf("%d arrays below one of type %v", below, t))
	}
	children := make([]arrow.ArrayData, below)
	for i := range children {
		children[i] = b.array(kinds[i])
	}
	var d *array.Data
	if storage(t).ID() == arrow.DICTIONARY {
		d = array.NewDataWithDictionary(t, n, buffers, nulls, offset, children[0].(*array.Data))
	} else {
		d = array.NewData(t, n, buffers, children, nulls, offset)
	}
	b.owned = append(b.owned, d)
	return d
}

func (b *builder) buffer(size uint64) *memory.Buffer {
	if size == absent {
		return nil
	}
	_ = b.body.Bytes()[b.at:][:size:size]
	buf := memory.SliceBuffer(b.body, b.at, int(size))
	b.owned = append(b.owned, buf)
	b.at += int(padded(size))
	return buf
}

func storage(t arrow.DataType) arrow.DataType {
	for {
		e, ok := t.(arrow.ExtensionType)
		if !ok {
			return t
		}
		t = e.StorageType()
	}
}

// typesBelow are the types of the arrays below one of a type.
func typesBelow(t arrow.DataType) (out []arrow.DataType) {
	switch t := storage(t).(type) {
	case *arrow.DictionaryType:
		return []arrow.DataType{t.ValueType}
	case *arrow.RunEndEncodedType:
		return []arrow.DataType{t.RunEnds(), t.Encoded()}
	case *arrow.MapType:
		return []arrow.DataType{t.Elem()}
	case arrow.NestedType:
		for _, f := range t.Fields() {
			out = append(out, f.Type)
		}
	}
	return out
}
