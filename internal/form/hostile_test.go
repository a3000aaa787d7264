package form

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// Buffers of these tests lie in larger ones, as those of a file do: what is behind one is another's.
func within(b []byte) *memory.Buffer {
	page := append(append([]byte{}, b...), []byte(strings.Repeat("another's", 40))...)
	return memory.NewBufferBytes(page[:len(b)])
}

func int32s(v ...int32) []byte { return arrow.Int32Traits.CastToBytes(v) }

func int64s(v ...int64) []byte { return arrow.Int64Traits.CastToBytes(v) }

// raw makes array data of so many rows; nil is a missing buffer.
func raw(t arrow.DataType, n int, bufs [][]byte, kids ...arrow.ArrayData) arrow.ArrayData {
	out := make([]*memory.Buffer, len(bufs))
	for i, b := range bufs {
		if b != nil {
			out[i] = within(b)
		}
	}
	return array.NewData(t, n, out, kids, 0, 0)
}

// part is a slice of array data: its buffers hold other rows around it.
func part(d arrow.ArrayData, lo, hi int64) arrow.ArrayData { return array.NewSliceData(d, lo, hi) }

func dictOf(index arrow.DataType, at []byte, n int, values arrow.ArrayData) arrow.ArrayData {
	t := &arrow.DictionaryType{IndexType: index, ValueType: values.DataType()}
	return array.NewDataWithDictionary(t, n, []*memory.Buffer{nil, within(at)}, 0, 0, values.(*array.Data))
}

func headers(set func(h *arrow.ViewHeader)) []byte {
	h := make([]arrow.ViewHeader, 1)
	h[0].SetString("longer than twelve bytes")
	set(&h[0])
	return arrow.ViewHeaderTraits.CastToBytes(h)
}

var (
	intType    = arrow.PrimitiveTypes.Int64
	textType   = arrow.BinaryTypes.String
	unionParts = []arrow.Field{{Name: "a", Type: intType}, {Name: "b", Type: intType}}
	sparse     = arrow.SparseUnionOf(unionParts, []arrow.UnionTypeCode{3, 7})
	dense      = arrow.DenseUnionOf(unionParts, []arrow.UnionTypeCode{3, 7})
)

func four() arrow.ArrayData { return raw(intType, 4, [][]byte{nil, int64s(1, 2, 3, 4)}) }

func twoOfFour() arrow.ArrayData { return part(four(), 1, 3) }

func nothings(n int) arrow.ArrayData {
	return array.NewData(arrow.Null, n, []*memory.Buffer{nil}, nil, n, 0)
}

func pairOf(a, b arrow.ArrayData, n int) arrow.ArrayData {
	t := arrow.StructOf(arrow.Field{Name: "a", Type: a.DataType()}, arrow.Field{Name: "b", Type: b.DataType()})
	return raw(t, n, [][]byte{nil}, a, b)
}

// hostile arrays contradict themselves in their last row.
var hostile = []struct {
	name string
	data func() arrow.ArrayData
}{
	{"text beyond the data", func() arrow.ArrayData { return raw(textType, 1, [][]byte{nil, int32s(0, 9), []byte("abc")}) }},
	{"long text beyond the data", func() arrow.ArrayData {
		return raw(textType, 1, [][]byte{nil, int32s(0, 40), []byte(strings.Repeat("a", 30))})
	}},
	{"text before the data", func() arrow.ArrayData { return raw(textType, 1, [][]byte{nil, int32s(-4, 2), []byte("abc")}) }},
	{"text of negative length", func() arrow.ArrayData {
		return raw(textType, 1, [][]byte{nil, int32s(3, 1), []byte("abcdefghijklmnopqrstuvwxyz")})
	}},
	{"text without data", func() arrow.ArrayData { return raw(textType, 1, [][]byte{nil, int32s(0, 3), nil}) }},
	{"too few offsets", func() arrow.ArrayData { return raw(textType, 3, [][]byte{nil, int32s(0, 1, 2), []byte("abc")}) }},
	{"no offsets", func() arrow.ArrayData { return raw(textType, 1, [][]byte{nil, nil, []byte("abc")}) }},
	{"large text beyond the data", func() arrow.ArrayData {
		return raw(arrow.BinaryTypes.LargeString, 1, [][]byte{nil, int64s(0, 1<<62), []byte("abc")})
	}},
	{"large binary before the data", func() arrow.ArrayData {
		return raw(arrow.BinaryTypes.LargeBinary, 1, [][]byte{nil, int64s(-1<<63, 1), []byte("abc")})
	}},
	{"view into no buffer", func() arrow.ArrayData {
		return raw(arrow.BinaryTypes.StringView, 1, [][]byte{nil, headers(func(h *arrow.ViewHeader) { h.SetIndexOffset(1, 0) }), []byte("longer than twelve bytes")})
	}},
	{"view into a buffer before the first", func() arrow.ArrayData {
		return raw(arrow.BinaryTypes.StringView, 1, [][]byte{nil, headers(func(h *arrow.ViewHeader) { h.SetIndexOffset(-1, 0) }), []byte("longer than twelve bytes")})
	}},
	{"view beyond its buffer", func() arrow.ArrayData {
		return raw(arrow.BinaryTypes.StringView, 1, [][]byte{nil, headers(func(h *arrow.ViewHeader) { h.SetIndexOffset(0, 1) }), []byte("longer than twelve bytes")})
	}},
	{"view before its buffer", func() arrow.ArrayData {
		return raw(arrow.BinaryTypes.BinaryView, 1, [][]byte{nil, headers(func(h *arrow.ViewHeader) { h.SetIndexOffset(0, -5) }), []byte("longer than twelve bytes")})
	}},
	{"view of negative length", func() arrow.ArrayData {
		h := headers(func(*arrow.ViewHeader) {})
		copy(h, int32s(-3))
		return raw(arrow.BinaryTypes.BinaryView, 1, [][]byte{nil, h, []byte("longer than twelve bytes")})
	}},
	{"too few fixed bytes", func() arrow.ArrayData {
		return raw(&arrow.FixedSizeBinaryType{ByteWidth: 4}, 2, [][]byte{nil, []byte("abcdef")})
	}},
	{"fixed bytes of negative width", func() arrow.ArrayData {
		return raw(&arrow.FixedSizeBinaryType{ByteWidth: -4}, 2, [][]byte{nil, []byte("abcdef")})
	}},
	{"too few integers", func() arrow.ArrayData { return raw(intType, 3, [][]byte{nil, int64s(1, 2)}) }},
	{"no integers", func() arrow.ArrayData { return raw(intType, 3, [][]byte{nil, nil}) }},
	{"half an integer", func() arrow.ArrayData { return raw(intType, 2, [][]byte{nil, int64s(1, 2)[:12]}) }},
	{"too few bytes", func() arrow.ArrayData { return raw(arrow.PrimitiveTypes.Uint8, 3, [][]byte{nil, {1, 2}}) }},
	{"too few bits", func() arrow.ArrayData { return raw(arrow.FixedWidthTypes.Boolean, 9, [][]byte{nil, {1}}) }},
	{"too few floats", func() arrow.ArrayData { return raw(arrow.FixedWidthTypes.Float16, 2, [][]byte{nil, {1, 2, 3}}) }},
	{"too few decimals", func() arrow.ArrayData {
		return raw(&arrow.Decimal128Type{Precision: 38}, 2, [][]byte{nil, int64s(1, 2, 3)})
	}},
	{"too few days", func() arrow.ArrayData { return raw(arrow.FixedWidthTypes.Date32, 2, [][]byte{nil, int32s(1)}) }},
	{"too few intervals", func() arrow.ArrayData {
		return raw(arrow.FixedWidthTypes.MonthDayNanoInterval, 1, [][]byte{nil, int32s(1, 2)})
	}},
	{"too few bits of validity", func() arrow.ArrayData { return raw(intType, 9, [][]byte{{0xff}, int64s(1, 2, 3, 4, 5, 6, 7, 8, 9)}) }},
	{"negative offset", func() arrow.ArrayData {
		return array.NewData(intType, 1, []*memory.Buffer{nil, within(int64s(1, 2))}, nil, 0, -1)
	}},

	{"index beyond the dictionary", func() arrow.ArrayData { return dictOf(arrow.PrimitiveTypes.Int32, int32s(0, 4), 2, four()) }},
	{"index beyond a slice that is the dictionary", func() arrow.ArrayData {
		return dictOf(arrow.PrimitiveTypes.Int32, int32s(0, 2), 2, twoOfFour())
	}},
	{"index before a slice that is the dictionary", func() arrow.ArrayData {
		return dictOf(arrow.PrimitiveTypes.Int32, int32s(0, -1), 2, twoOfFour())
	}},
	{"index beyond a dictionary of NULLs", func() arrow.ArrayData { return dictOf(arrow.PrimitiveTypes.Int32, int32s(0, 2), 2, nothings(2)) }},
	{"index above all integers", func() arrow.ArrayData {
		return dictOf(arrow.PrimitiveTypes.Uint64, arrow.Uint64Traits.CastToBytes([]uint64{0, 1<<64 - 1}), 2, four())
	}},
	{"index that 32 bits would wrap", func() arrow.ArrayData {
		return dictOf(arrow.PrimitiveTypes.Int64, int64s(0, 1<<32), 2, four())
	}},
	{"index that is no integer", func() arrow.ArrayData {
		return dictOf(arrow.PrimitiveTypes.Float32, int32s(0, 0), 2, four())
	}},
	{"too few indices", func() arrow.ArrayData { return dictOf(arrow.PrimitiveTypes.Int32, int32s(0), 2, four()) }},

	{"run ends that stop early", func() arrow.ArrayData {
		return runsOf(5, raw(arrow.PrimitiveTypes.Int32, 2, [][]byte{nil, int32s(1, 4)}), four())
	}},
	{"run ends in a slice that stop early", func() arrow.ArrayData {
		return runsOf(5, part(raw(arrow.PrimitiveTypes.Int32, 3, [][]byte{nil, int32s(1, 4, 5)}), 0, 2), four())
	}},
	{"no run ends", func() arrow.ArrayData {
		return runsOf(1, raw(arrow.PrimitiveTypes.Int32, 0, [][]byte{nil, nil}), four())
	}},
	{"more run ends than values", func() arrow.ArrayData {
		return runsOf(3, raw(arrow.PrimitiveTypes.Int32, 3, [][]byte{nil, int32s(1, 2, 3)}), twoOfFour())
	}},
	{"run ends that are text", func() arrow.ArrayData {
		return runsOf(1, raw(textType, 1, [][]byte{nil, int32s(0, 1), []byte("1")}), four())
	}},
	{"run ends that fall", func() arrow.ArrayData {
		return runsOf(5, raw(arrow.PrimitiveTypes.Int32, 3, [][]byte{nil, int32s(4, 2, -9)}), four())
	}},

	{"field shorter than its struct", func() arrow.ArrayData { return pairOf(four(), twoOfFour(), 3) }},
	{"field of NULLs shorter than its struct", func() arrow.ArrayData { return pairOf(four(), nothings(2), 3) }},
	{"struct without a field", func() arrow.ArrayData { return raw(pairOf(four(), four(), 1).DataType(), 1, [][]byte{nil}, four()) }},
	{"struct with a nil field", func() arrow.ArrayData {
		return raw(pairOf(four(), four(), 1).DataType(), 1, [][]byte{nil}, four(), nil)
	}},
	{"list beyond its elements", func() arrow.ArrayData { return raw(arrow.ListOf(intType), 1, [][]byte{nil, int32s(0, 3)}, twoOfFour()) }},
	{"list before its elements", func() arrow.ArrayData {
		return raw(arrow.ListOf(intType), 1, [][]byte{nil, int32s(-1, 1)}, twoOfFour())
	}},
	{"list of negative length", func() arrow.ArrayData { return raw(arrow.ListOf(intType), 1, [][]byte{nil, int32s(2, 1)}, twoOfFour()) }},
	{"list of far too many NULLs", func() arrow.ArrayData {
		return raw(arrow.LargeListOf(arrow.Null), 1, [][]byte{nil, int64s(0, 1<<62)}, nothings(2))
	}},
	{"list of far too many structs of nothing", func() arrow.ArrayData {
		return raw(arrow.LargeListOf(arrow.StructOf()), 1, [][]byte{nil, int64s(0, 1<<62)}, raw(arrow.StructOf(), 2, [][]byte{nil}))
	}},
	{"list without elements", func() arrow.ArrayData { return raw(arrow.ListOf(intType), 1, [][]byte{nil, int32s(0, 0)}) }},
	{"too few offsets of lists", func() arrow.ArrayData { return raw(arrow.ListOf(intType), 2, [][]byte{nil, int32s(0, 1)}, four()) }},
	{"fixed list beyond its elements", func() arrow.ArrayData { return raw(arrow.FixedSizeListOf(2, intType), 2, [][]byte{nil}, twoOfFour()) }},
	{"list view beyond its elements", func() arrow.ArrayData {
		return raw(arrow.ListViewOf(intType), 1, [][]byte{nil, int32s(1), int32s(2)}, twoOfFour())
	}},
	{"list view of negative size", func() arrow.ArrayData {
		return raw(arrow.ListViewOf(intType), 1, [][]byte{nil, int32s(1), int32s(-1)}, twoOfFour())
	}},
	{"large list view that wraps", func() arrow.ArrayData {
		return raw(arrow.LargeListViewOf(intType), 1, [][]byte{nil, int64s(1<<63 - 1), int64s(2)}, twoOfFour())
	}},
	{"map beyond its entries", func() arrow.ArrayData {
		return raw(arrow.MapOf(intType, intType), 1, [][]byte{nil, int32s(0, 3)}, pairOf(twoOfFour(), twoOfFour(), 2))
	}},

	{"union of a negative code", func() arrow.ArrayData { return raw(sparse, 1, [][]byte{nil, {0xff}}, four(), four()) }},
	{"union of another code", func() arrow.ArrayData { return raw(sparse, 1, [][]byte{nil, {5}}, four(), four()) }},
	{"union of code 0", func() arrow.ArrayData { return raw(dense, 1, [][]byte{nil, {0}, int32s(0)}, four(), four()) }},
	{"sparse union longer than its child", func() arrow.ArrayData { return raw(sparse, 3, [][]byte{nil, {3, 3, 7}}, four(), twoOfFour()) }},
	{"dense union beyond its child", func() arrow.ArrayData { return raw(dense, 1, [][]byte{nil, {7}, int32s(2)}, four(), twoOfFour()) }},
	{"dense union before its child", func() arrow.ArrayData { return raw(dense, 1, [][]byte{nil, {7}, int32s(-1)}, four(), twoOfFour()) }},
	{"too few codes", func() arrow.ArrayData { return raw(sparse, 2, [][]byte{nil, {3}}, four(), four()) }},
	{"union without a child", func() arrow.ArrayData { return raw(sparse, 1, [][]byte{nil, {3}}, four()) }},

	{"decimals of a scale beyond all reason", func() arrow.ArrayData {
		return raw(&arrow.Decimal128Type{Precision: 38, Scale: -1 << 31}, 1, [][]byte{nil, int64s(1, 0)})
	}},
	{"decimals of a great scale", func() arrow.ArrayData {
		return raw(&arrow.Decimal256Type{Precision: 76, Scale: 1<<31 - 1}, 1, [][]byte{nil, int64s(1, 0, 0, 0)})
	}},
}

func runsOf(n int, ends, values arrow.ArrayData) arrow.ArrayData {
	return array.NewData(arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, values.DataType()), n, []*memory.Buffer{nil}, []arrow.ArrayData{ends, values}, 0, 0)
}

// What reads the bad row of a hostile array ends in an error or a runtime panic, whatever reads it.
func TestHostileArrays(t *testing.T) {
	for _, h := range hostile {
		t.Run(h.name, func(t *testing.T) {
			data := h.data()
			last := data.Len() - 1
			uses := map[string]func(*Array){
				"Compare":    func(a *Array) { Compare(a, last, a, last, ByBits) },
				"Format":     func(a *Array) { Format(a, last) },
				"MatchValue": func(a *Array) { matchAny(t, a, last) },
			}
			if ok, _ := IsKey(data.DataType()); ok {
				uses["hash"] = func(a *Array) { hasher{}.cell(a, last) }
				uses["Digest"] = func(a *Array) { readLast(a, Digest, NewHashBlock) }
				uses["DigestOf"] = func(a *Array) { DigestOf(a, last) }
			}
			if ok, _ := IsOrder(data.DataType()); ok {
				uses["Ordinal"] = func(a *Array) { readLast(a, Ordinal, NewHashBlock) }
			}
			switch FamilyOf(data.DataType()) {
			case TextFamily, BinaryFamily:
				uses["Text"] = func(a *Array) { readLast(a, Text, NewHashBlock) }
				uses["Text without hashes"] = func(a *Array) { readLast(a, Text, NewBlock) }
			case IntFamily, FloatFamily, BoolFamily, DateFamily:
				uses["Word"] = func(a *Array) { readLast(a, Word, NewHashBlock) }
			}
			for name, use := range uses {
				if fails(t, data, use) == nil {
					t.Errorf("%s reads it", name)
				}
			}
		})
	}
}

// readLast reads the last row alone and all rows.
func readLast(a *Array, mode Mode, block func(n int) *Block) {
	r := NewReader([]*Array{a}, mode)
	r.Read(0, a.Len-1, 1, block(a.Len))
	r.Read(0, 0, a.Len, block(a.Len))
}

// matchAny matches a row with something that its type allows; where nothing is, it follows the cell down itself.
func matchAny(t *testing.T, a *Array, i int) {
	for _, v := range []any{"a", []byte("abcd"), 1, 1.5, true, "1", "2026-01-31"} {
		if m, err := NewMatcher(a.Type, []any{v}); err == nil {
			m.Match(a, i)
			return
		}
	}
	Compare(a, i, a, i, ByValue)
}

// fails returns the error or the runtime panic that the use of an array ends in, or nil. Another panic fails the test.
func fails(t *testing.T, data arrow.ArrayData, use func(*Array)) (err error) {
	defer func() {
		if p := recover(); p != nil {
			r, ok := p.(runtime.Error)
			if !ok {
				t.Errorf("panic with %v", p)
				r = &runtime.TypeAssertionError{}
			}
			err = r
		}
	}()
	a, err := OfData(data)
	if err == nil {
		use(a)
	}
	return err
}

// Too few buffers are an error that names the type, for each type.
func TestTooFewBuffers(t *testing.T) {
	for _, typ := range allTypes {
		n := buffersOf(typ)
		if e, ok := typ.(arrow.ExtensionType); ok {
			n = buffersOf(e.StorageType())
		}
		if n == 0 {
			continue
		}
		_, err := OfData(raw(typ, 1, make([][]byte, n-1)))
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%d buffers, of %d", n-1, n)) {
			t.Errorf("%v: %v", typ, err)
		}
	}
}

var allTypes = []arrow.DataType{
	arrow.Null, arrow.FixedWidthTypes.Boolean, arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Uint64, arrow.FixedWidthTypes.Float16,
	arrow.BinaryTypes.String, arrow.BinaryTypes.LargeBinary, arrow.BinaryTypes.StringView, &arrow.FixedSizeBinaryType{ByteWidth: 2},
	&arrow.Decimal128Type{Precision: 3}, &arrow.Decimal256Type{Precision: 3}, arrow.FixedWidthTypes.Date32, arrow.FixedWidthTypes.Date64,
	arrow.FixedWidthTypes.Time32s, arrow.FixedWidthTypes.Time64ns, arrow.FixedWidthTypes.Timestamp_us, arrow.FixedWidthTypes.Duration_ms,
	arrow.FixedWidthTypes.MonthInterval, arrow.FixedWidthTypes.DayTimeInterval, arrow.FixedWidthTypes.MonthDayNanoInterval,
	arrow.StructOf(), arrow.ListOf(intType), arrow.LargeListOf(intType), arrow.FixedSizeListOf(2, intType), arrow.ListViewOf(intType),
	arrow.LargeListViewOf(intType), arrow.MapOf(intType, intType), sparse, dense,
	&tagged{arrow.ExtensionBase{Storage: intType}}, &arrow.DictionaryType{IndexType: intType, ValueType: textType},
}

// What isn't there isn't read: arrays of no rows need no buffers, and no dictionary.
func TestNoRows(t *testing.T) {
	for _, typ := range allTypes {
		var kids []arrow.ArrayData
		if n, ok := typ.(arrow.NestedType); ok {
			for _, f := range n.Fields() {
				kid, err := emptyOf(f.Type)
				if err != nil {
					t.Fatal(err)
				}
				kids = append(kids, kid)
			}
		}
		data := raw(typ, 0, make([][]byte, 3), kids...)
		a, err := OfData(data)
		if err != nil {
			t.Errorf("%v: %v", typ, err)
			continue
		}
		b := NewHashBlock(0)
		b.AnyNull = true
		if NewReader([]*Array{a}, Digest).Read(0, 0, 0, b); b.AnyNull || a.Len != 0 || a.Kind != KindNull && a.Kind != KindSparse && a.Kind != KindDense && a.MayNull() {
			t.Errorf("%v: %+v", typ, b)
		}
	}
}

func emptyOf(t arrow.DataType) (arrow.ArrayData, error) {
	if s, ok := t.(*arrow.StructType); ok {
		var kids []arrow.ArrayData
		for _, f := range s.Fields() {
			kid, err := emptyOf(f.Type)
			if err != nil {
				return nil, err
			}
			kids = append(kids, kid)
		}
		return raw(t, 0, make([][]byte, 1), kids...), nil
	}
	if t.ID() != arrow.INT64 {
		return nil, fmt.Errorf("no empty %v", t)
	}
	return raw(t, 0, make([][]byte, 2)), nil
}
