package arrowtest

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// Variant is one form of a table. The caller releases it.
type Variant struct {
	Name    string
	Batches []arrow.Record
}

// Release releases the batches.
func (v Variant) Release() { Release(v.Batches) }

// VariantList is a list of variants that are released together.
type VariantList []Variant

// Release releases all of them.
func (l VariantList) Release() {
	for _, v := range l {
		v.Release()
	}
}

// Variants returns forms of one table that all have its rows, in its order: the same values under the same numbers.
//
//   - as given, with empty batches before, between and after, and with each array a slice of a larger one, which
//     holds garbage on both sides and under its NULL slots;
//   - cut into batches of 1, 2, 3 and all rows, and each of these with empty batches, and as slices;
//   - each of these without the buffers that hold no values;
//   - re-encoded, in clean and in garbage-ridden batches: dictionaries (of several index types, other ones in each batch,
//     with values that are listed twice, unused or NULL), run ends, other offset widths, views, plain; the children of
//     nested columns too; and a mixture of them by column.
//
// Only the named columns are re-encoded; none named means all. A table that has no batch has no variants.
func Variants(mem memory.Allocator, batches []arrow.Record, columns ...string) VariantList {
	if len(batches) == 0 {
		return nil
	}
	m := newMaker(mem, batches)
	m.given(batches)
	for _, n := range []int{0, 1, 2, 3} {
		if n > 0 && n >= len(m.rows) {
			continue
		}
		name := fmt.Sprintf("cut %d", n)
		if n == 0 {
			name = "one batch"
		}
		m.add(name, m.schema, form{cut: n})
		m.add(name+", empty between", m.schema, form{cut: n, empty: true})
		m.add(name+", sliced at 3", m.schema, form{cut: n, slice: 3})
		m.add(name+", sliced at 13, empty between", m.schema, form{cut: n, slice: 13, empty: true})
		m.add(name+", bare", m.schema, form{cut: n, empty: true, bare: true})
	}
	for _, e := range encodings {
		schema := reencode(m.schema, e, columns)
		if schema.Equal(m.schema) {
			continue
		}
		m.add(e.name, schema, form{})
		m.add(e.name+", cut 2, sliced at 13, empty between", schema, form{cut: 2, slice: 13, empty: true})
		m.add(e.name+", cut 3, sliced at 3", schema, form{cut: 3, slice: 3})
		m.add(e.name+", cut 1, bare", schema, form{cut: 1, bare: true})
	}
	return m.out
}

// Shuffled returns the table with its rows in another order, in batches of a length that depends on the seed too.
func Shuffled(mem memory.Allocator, batches []arrow.Record, seed uint64) Variant {
	if len(batches) == 0 {
		return Variant{Name: "shuffled"}
	}
	m := newMaker(mem, batches)
	rnd := rand.New(rand.NewPCG(seed, 1))
	rnd.Shuffle(len(m.rows), func(i, j int) { m.rows[i], m.rows[j] = m.rows[j], m.rows[i] })
	m.add(fmt.Sprintf("shuffled %d", seed), m.schema, form{cut: int(seed % 4), slice: int(seed % 2 * 3)})
	return m.out[0]
}

// form says how a table is laid out.
type form struct {
	cut   int  // rows of a batch; 0: all
	slice int  // offset of the arrays in larger ones; 0: none
	empty bool // empty batches at both ends and in between
	bare  bool // no buffers where there are no values
}

// maker makes the variants of one table.
type maker struct {
	mem    memory.Allocator
	schema *arrow.Schema
	rows   [][]any
	out    VariantList
}

func newMaker(mem memory.Allocator, batches []arrow.Record) *maker {
	m := &maker{mem: mem, schema: batches[0].Schema()}
	for _, b := range batches {
		m.rows = append(m.rows, Bits(b)...)
	}
	return m
}

// add makes a variant out of the values.
func (m *maker) add(name string, schema *arrow.Schema, f form) {
	if !m.indexable(schema, f) {
		return
	}
	size := f.cut
	if size == 0 {
		size = max(len(m.rows), 1)
	}
	v := Variant{Name: name}
	for rows := range slices.Chunk(m.rows, size) {
		v.Batches = append(v.Batches, m.batch(schema, rows, f, len(v.Batches)))
	}
	if len(v.Batches) == 0 {
		v.Batches = append(v.Batches, m.batch(schema, nil, f, 0))
	}
	if f.empty {
		v.Batches = m.spread(schema, v.Batches)
	}
	m.out = append(m.out, v)
}

// indexable says whether the index types of the schema can hold dictionaries of all values of a batch.
func (m *maker) indexable(schema *arrow.Schema, f form) bool {
	for _, field := range schema.Fields() {
		dt, ok := field.Type.(*arrow.DictionaryType)
		if ok && (f.cut == 0 || f.cut > 50) && !fits(dt.IndexType, uint64(len(m.rows))) {
			return false
		}
	}
	return true
}

// spread puts empty batches in front, behind and after every other batch. It takes the batches over.
func (m *maker) spread(schema *arrow.Schema, batches []arrow.Record) []arrow.Record {
	empty := func(bare bool) arrow.Record { return m.batch(schema, nil, form{bare: bare}, 0) }
	out := []arrow.Record{empty(true)}
	for i, b := range batches {
		if out = append(out, b); i%2 == 0 {
			out = append(out, empty(i%4 == 0))
		}
	}
	return append(out, empty(false))
}

// batch makes a record.
func (m *maker) batch(schema *arrow.Schema, rows [][]any, f form, number int) arrow.Record {
	b := builder{mem: m.mem, dirty: f.slice > 0, bare: f.bare, batch: number}
	cols := make([]arrow.Array, len(schema.Fields()))
	defer releaseArrays(cols)
	for c, field := range schema.Fields() {
		vals := make([]any, len(rows))
		for i, r := range rows {
			vals[i] = r[c]
		}
		if f.slice == 0 {
			cols[c] = b.array(field.Type, vals)
			continue
		}
		data := b.slice(field.Type, vals, f.slice)
		cols[c] = array.MakeFromData(data)
		data.Release()
	}
	return array.NewRecord(schema, cols, int64(len(rows)))
}

// given makes the variants that keep the batches, and the dictionaries, as they are.
func (m *maker) given(batches []arrow.Record) {
	keep := func() []arrow.Record {
		for _, b := range batches {
			b.Retain()
		}
		return slices.Clone(batches)
	}
	m.out = append(m.out,
		Variant{"as given", keep()},
		Variant{"as given, empty between", m.spread(m.schema, keep())})
	for _, offset := range []int{3, 13} {
		v := Variant{Name: fmt.Sprintf("as given, sliced at %d", offset)}
		for i, rec := range batches {
			v.Batches = append(v.Batches, m.sliced(rec, offset, i))
		}
		m.out = append(m.out, v)
	}
}

// sliced makes a record of the same rows in slices of larger arrays.
func (m *maker) sliced(rec arrow.Record, offset, number int) arrow.Record {
	b := builder{mem: m.mem, dirty: true, batch: number}
	cols := make([]arrow.Array, rec.NumCols())
	defer releaseArrays(cols)
	for c, col := range rec.Columns() {
		data := b.sliceOf(col, offset)
		cols[c] = array.MakeFromData(data)
		data.Release()
	}
	return array.NewRecord(rec.Schema(), cols, rec.NumRows())
}

// sliceOf makes an array of the same slots as a slice of a larger one. A dictionary keeps its values in their order.
func (b *builder) sliceOf(arr arrow.Array, offset int) arrow.ArrayData {
	dict, ok := arr.(*array.Dictionary)
	if !ok {
		return b.slice(arr.DataType(), bitsOf(arr), offset)
	}
	values := array.MakeFromData(dict.Data().Dictionary())
	defer values.Release()
	around := b.slice(values.DataType(), bitsOf(values), childOffset)
	defer around.Release()
	index := b.slice(dict.Indices().DataType(), bitsOf(dict.Indices()), offset)
	defer index.Release()
	return withDictionary(dict.DataType().(*arrow.DictionaryType), index, around)
}

func bitsOf(arr arrow.Array) []any {
	out := make([]any, arr.Len())
	for i := range out {
		out[i] = read(arr, i)
	}
	return out
}

// reencode returns the schema with the named columns, or all, in another encoding.
func reencode(schema *arrow.Schema, e encoding, columns []string) *arrow.Schema {
	fields := slices.Clone(schema.Fields())
	for i, f := range fields {
		if len(columns) == 0 || slices.Contains(columns, f.Name) {
			fields[i].Type = e.of(f.Type, i)
		}
	}
	meta := schema.Metadata()
	return arrow.NewSchema(fields, &meta)
}
