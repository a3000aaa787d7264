package take_test

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/google/go-cmp/cmp"

	"github.com/onerow-go/onerow/internal/take"
)

// taggedType is an extension of any storage.
type taggedType struct{ arrow.ExtensionBase }

type taggedArray struct{ array.ExtensionArrayBase }

func tagged(storage arrow.DataType) *taggedType {
	return &taggedType{arrow.ExtensionBase{Storage: storage}}
}

func (*taggedType) ArrayType() reflect.Type { return reflect.TypeFor[taggedArray]() }
func (*taggedType) ExtensionName() string   { return "onerow.tagged" }
func (*taggedType) Serialize() string       { return "" }
func (*taggedType) Deserialize(s arrow.DataType, _ string) (arrow.ExtensionType, error) {
	return tagged(s), nil
}
func (t *taggedType) String() string { return "tagged<" + t.Storage.String() + ">" }
func (t *taggedType) ExtensionEquals(o arrow.ExtensionType) bool {
	return arrow.TypeEqual(t.Storage, o.StorageType())
}

func dict(index, value arrow.DataType) arrow.DataType {
	return &arrow.DictionaryType{IndexType: index, ValueType: value}
}

func field(name string, t arrow.DataType) arrow.Field {
	return arrow.Field{Name: name, Type: t, Nullable: true}
}

// everyType lists every type of Arrow 15, and nestings of those that need care.
func everyType() []arrow.DataType {
	p, f, s := arrow.PrimitiveTypes, arrow.FixedWidthTypes, arrow.BinaryTypes
	words := dict(p.Int8, s.String)
	runs := arrow.RunEndEncodedOf(p.Int32, s.String)
	pair := arrow.StructOf(field("a", p.Int32), field("b", s.String))
	members := []arrow.Field{field("i", p.Int64), field("s", s.String), field("d", words), field("r", runs), field("l", arrow.ListOf(p.Int8))}
	codes := []arrow.UnionTypeCode{7, 0, 3, 100, 42}
	dense, sparse := arrow.DenseUnionOf(members, codes), arrow.SparseUnionOf(members, codes)
	return []arrow.DataType{
		arrow.Null, f.Boolean, p.Int8, p.Int16, p.Int32, p.Int64, p.Uint8, p.Uint16, p.Uint32, p.Uint64, f.Float16,
		p.Float32, p.Float64, f.Date32, f.Date64, f.Time32s, f.Time64ns, f.Timestamp_us, f.Duration_ms, f.MonthInterval,
		f.DayTimeInterval, f.MonthDayNanoInterval, &arrow.Decimal128Type{Precision: 20, Scale: 2},
		&arrow.Decimal256Type{Precision: 50, Scale: 2},
		&arrow.FixedSizeBinaryType{ByteWidth: 0}, &arrow.FixedSizeBinaryType{ByteWidth: 3},
		&arrow.FixedSizeBinaryType{ByteWidth: 16}, &arrow.FixedSizeBinaryType{ByteWidth: 77},
		s.String, s.Binary, s.LargeString, s.LargeBinary, s.StringView, s.BinaryView,

		arrow.ListOf(p.Int32), arrow.ListOf(s.String), arrow.LargeListOf(f.Boolean), arrow.ListViewOf(s.String),
		arrow.LargeListViewOf(p.Int16), arrow.FixedSizeListOf(3, p.Int16), arrow.FixedSizeListOf(2, s.StringView),
		arrow.StructOf(), pair, arrow.MapOf(s.String, p.Int64), dense, sparse,
		words, dict(p.Uint8, s.LargeString), dict(p.Int16, p.Float64), dict(p.Uint16, s.StringView), dict(p.Int32, f.Boolean),
		dict(p.Uint32, &arrow.FixedSizeBinaryType{ByteWidth: 5}), dict(p.Int64, s.Binary), dict(p.Uint64, tagged(p.Int64)),
		runs, arrow.RunEndEncodedOf(p.Int16, p.Float64), arrow.RunEndEncodedOf(p.Int64, f.Boolean),

		arrow.ListOf(arrow.Null), arrow.ListOf(arrow.ListOf(words)), arrow.ListOf(runs), arrow.ListViewOf(dense),
		arrow.FixedSizeListOf(2, words), arrow.FixedSizeListOf(2, runs), arrow.FixedSizeListOf(2, dense),
		arrow.FixedSizeListOf(2, sparse), arrow.FixedSizeListOf(2, arrow.MapOf(p.Int8, pair)),
		arrow.StructOf(field("p", arrow.StructOf(field("q", pair), field("f", f.Boolean))), field("l", arrow.ListOf(pair))),
		arrow.StructOf(field("d", words), field("r", runs), field("u", dense), field("v", sparse), field("n", arrow.Null)),
		arrow.MapOf(words, arrow.ListOf(runs)), arrow.SparseUnionOf([]arrow.Field{field("u", dense), field("v", pair)}, []arrow.UnionTypeCode{1, 2}),
		dict(p.Int16, pair), dict(p.Int16, arrow.ListOf(p.Int8)), dict(p.Int16, words), dict(p.Int8, arrow.Null),
		dict(p.Int16, runs), dict(p.Int16, dense), dict(p.Int16, sparse), dict(p.Int16, arrow.MapOf(p.Int8, p.Int8)),
		arrow.RunEndEncodedOf(p.Int32, pair), arrow.RunEndEncodedOf(p.Int32, words), arrow.RunEndEncodedOf(p.Int32, dense),
		arrow.RunEndEncodedOf(p.Int32, runs), tagged(&arrow.FixedSizeBinaryType{ByteWidth: 16}), tagged(pair), tagged(words),
		tagged(runs), arrow.ListOf(tagged(tagged(s.String))), tagged(dense),
	}
}

func TestEveryTypeIsTested(t *testing.T) {
	seen := map[arrow.Type]bool{}
	for _, typ := range everyType() {
		seen[typ.ID()] = true
	}
	for id := arrow.NULL; id <= arrow.LARGE_LIST_VIEW; id++ {
		if !seen[id] {
			t.Errorf("%v isn't tested", id)
		}
	}
}

// rowLists makes row lists of several kinds.
func rowLists(e *encoder, n int) [][]uint32 {
	ascending, random := []uint32{}, []uint32{}
	for i := range n {
		if e.IntN(3) == 0 {
			ascending = append(ascending, uint32(i))
		}
	}
	for range e.IntN(40) {
		if n > 0 {
			random = append(random, uint32(e.IntN(n)))
		}
	}
	all := make([]uint32, n)
	for i := range all {
		all[i] = uint32(i)
	}
	reverse := slices.Clone(all)
	slices.Reverse(reverse)
	return [][]uint32{ascending, random, all, reverse, {}}
}

// chunksOf encodes cells, cut at random.
func chunksOf(e *encoder, typ arrow.DataType, cells []any) []arrow.Array {
	var out []arrow.Array
	for len(cells) > 0 || len(out) == 0 {
		n := min(len(cells), e.IntN(12))
		out = append(out, e.array(typ, cells[:n]))
		cells = cells[n:]
	}
	return out
}

func TestColumn(t *testing.T) {
	for n, typ := range everyType() {
		t.Run(fmt.Sprint(n, "=", typ), func(t *testing.T) {
			for seed := range uint64(15) {
				mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
				e := newEncoder(mem, seed)
				cells := e.cells(typ, e.IntN(40), true)
				chunks := chunksOf(e, typ, cells)
				for _, rows := range rowLists(e, len(cells)) {
					compareColumn(t, mem, chunks, cells, rows)
				}
				e.release()
				mem.AssertSize(t, 0)
				if t.Failed() {
					t.Fatalf("seed %d", seed)
				}
			}
		})
	}
}

// dirty gives memory that isn't zeroed, as an allocator may.
type dirty struct{ memory.Allocator }

func (d dirty) Allocate(n int) []byte {
	b := d.Allocator.Allocate(n)
	for i := range b {
		b[i] = 0xa5
	}
	return b
}

func compareColumn(t *testing.T, mem memory.Allocator, chunks []arrow.Array, cells []any, rows []uint32) {
	t.Helper()
	got, err := take.Column(context.Background(), dirty{mem}, chunks, rows)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Release()
	want := make([]any, len(rows))
	for k, r := range rows {
		want[k] = cells[r]
	}
	if got.DataType() != chunks[0].DataType() {
		t.Errorf("type %v", got.DataType())
	}
	if d := cmp.Diff(want, decode(got), cmp.AllowUnexported(union{})); d != "" {
		t.Errorf("rows %v (-want +got):\n%s", rows, d)
	}
	checkArray(t, got)
}

// TestDeterministic gathers one table in two encodings, cut and sliced in different ways with other garbage. Every byte
// of the output is the same, but for dictionaries and runs, which follow the input's.
func TestDeterministic(t *testing.T) {
	for _, typ := range everyType() {
		if encoded(typ) {
			continue
		}
		for seed := range uint64(10) {
			mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
			e := newEncoder(mem, seed)
			cells := e.cells(typ, 30, true)
			rows := rowLists(e, len(cells))[1]
			one, err := take.Column(context.Background(), dirty{mem}, chunksOf(e, typ, cells), rows)
			if err != nil {
				t.Fatal(err)
			}
			other, err := take.Column(context.Background(), mem, chunksOf(e, typ, cells), rows)
			if err != nil {
				t.Fatal(err)
			}
			if !sameBytes(one.Data(), other.Data()) {
				t.Errorf("%v, seed %d: the output depends on cuts or garbage", typ, seed)
			}
			one.Release()
			other.Release()
			e.release()
			mem.AssertSize(t, 0)
		}
	}
}

// encoded says whether a type has a dictionary or runs in it.
func encoded(t arrow.DataType) bool {
	switch t := t.(type) {
	case *arrow.DictionaryType, *arrow.RunEndEncodedType:
		return true
	case arrow.ExtensionType:
		return encoded(t.StorageType())
	case arrow.NestedType:
		return slices.ContainsFunc(t.Fields(), func(f arrow.Field) bool { return encoded(f.Type) })
	}
	return false
}

func sameBytes(a, b arrow.ArrayData) bool {
	sameBuffers := slices.EqualFunc(a.Buffers(), b.Buffers(), func(a, b *memory.Buffer) bool {
		return a == nil && b == nil || a != nil && b != nil && bytes.Equal(a.Bytes(), b.Bytes())
	})
	return sameBuffers && a.NullN() == b.NullN() && slices.EqualFunc(a.Children(), b.Children(), sameBytes)
}
