package up

import (
	"fmt"
	"math"

	src "github.com/apache/arrow/go/v15/arrow"
	srcarray "github.com/apache/arrow/go/v15/arrow/array"
	srcmemory "github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow/adapters/arrow18/internal/fault"
)

func (s *shape) malformed(why string) error {
	return &fault.Error{Column: s.column, Type: s.from, Why: why, Malformed: true}
}

// check looks for what dst's constructors would refuse, with a panic half-way, and that the data is of the type that the schema says.
// It doesn't look at the values: its cost doesn't depend on rows. "" is good.
func (s *shape) check(d *srcarray.Data) string {
	n, at := d.Len(), d.Offset()
	if n < 0 || at < 0 || at > math.MaxInt-n-1 {
		return fmt.Sprintf("length %d at offset %d", n, at)
	}
	if have := storage(d.DataType()); have == nil || !readable(have, s.from) {
		return fmt.Sprintf("holds data of type %v", d.DataType())
	}
	if got, want := len(d.Buffers()), buffers(s.from.ID()); got < want.least || got > want.most {
		return fmt.Sprintf("%d buffers, of %d", got, want.least)
	}
	if s.from.ID() == src.DICTIONARY {
		return s.checkIndices(d)
	}
	if got, want := len(d.Children()), len(s.kids); got != want {
		return fmt.Sprintf("%d children, of %d", got, want)
	}
	return s.checkRoom(d)
}

// storage is the type below extension types.
func storage(t src.DataType) src.DataType {
	for {
		e, ok := t.(src.ExtensionType)
		if !ok {
			return t
		}
		t = e.StorageType()
	}
}

// readable says whether data of one type can be read as another's: names, nullability and metadata apart, which the schema decides.
// Children are compared on their own.
func readable(have, want src.DataType) bool {
	if have.ID() != want.ID() {
		return false
	}
	switch want := want.(type) {
	case *src.FixedSizeBinaryType, *src.TimestampType, *src.Time32Type, *src.Time64Type, *src.DurationType,
		*src.Decimal128Type, *src.Decimal256Type:
		return src.TypeEqual(have, want)
	case *src.FixedSizeListType:
		return have.(*src.FixedSizeListType).Len() == want.Len()
	case *src.DictionaryType:
		return have.(*src.DictionaryType).IndexType.ID() == want.IndexType.ID()
	case src.UnionType:
		got := have.(src.UnionType).TypeCodes()
		for i, code := range want.TypeCodes() {
			if i >= len(got) || got[i] != code {
				return false
			}
		}
		return len(got) == len(want.TypeCodes())
	}
	return true
}

// count bounds the number of buffers of a type, as dst does: views have as many as they like, and some types don't mind more.
type count struct{ least, most int }

func buffers(id src.Type) count {
	switch id {
	case src.NULL, src.RUN_END_ENCODED:
		return count{0, math.MaxInt}
	case src.STRUCT, src.FIXED_SIZE_LIST:
		return count{1, math.MaxInt}
	case src.STRING, src.BINARY, src.LARGE_STRING, src.LARGE_BINARY, src.DENSE_UNION:
		return count{3, 3}
	case src.LIST_VIEW, src.LARGE_LIST_VIEW:
		return count{3, math.MaxInt}
	case src.SPARSE_UNION:
		return count{2, 2}
	}
	return count{2, math.MaxInt}
}

// checkRoom compares the length with the buffers and the children.
func (s *shape) checkRoom(d *srcarray.Data) string {
	n, at := d.Len(), d.Offset()
	switch t := s.from.(type) {
	case *src.StringType, *src.BinaryType:
		return checkOffsets(n, at, d.Buffers(), src.Int32Traits.CastFromBytes, src.Int32SizeBytes)
	case *src.LargeStringType, *src.LargeBinaryType:
		return checkOffsets(n, at, d.Buffers(), src.Int64Traits.CastFromBytes, src.Int64SizeBytes)
	case *src.StructType:
		return checkFields(d)
	case *src.SparseUnionType, *src.DenseUnionType:
		return s.checkUnion(d)
	case *src.MapType:
		return checkEntries(d.Children()[0])
	case *src.RunEndEncodedType:
		if d.Children()[0].NullN() > 0 {
			return "NULL among the run ends"
		}
	case *src.BooleanType, *src.FixedSizeBinaryType, src.NestedType:
		// dst reads these value by value, and whoever does must look where.
	case src.FixedWidthDataType:
		return checkWidth(n, at, d.Buffers()[1], t.BitWidth()/8)
	}
	return ""
}

func (s *shape) checkIndices(d *srcarray.Data) string {
	if dict, _ := d.Dictionary().(*srcarray.Data); dict == nil && d.Len() > 0 {
		return "no dictionary"
	}
	return checkWidth(d.Len(), d.Offset(), d.Buffers()[1], s.from.(*src.DictionaryType).BitWidth()/8)
}

// checkWidth wants room for the values in a buffer, if there is one.
func checkWidth(n, at int, b *srcmemory.Buffer, width int) string {
	if b == nil || width == 0 {
		return ""
	}
	if room := b.Len() / width; at+n > room {
		return fmt.Sprintf("%d values at offset %d, in a buffer of %d", n, at, room)
	}
	return ""
}

// checkOffsets wants an offset for each value and one more, and the last within the data.
func checkOffsets[T int32 | int64](n, at int, buffers []*srcmemory.Buffer, cast func([]byte) []T, width int) string {
	if n == 0 {
		return ""
	}
	offsets, data := buffers[1], buffers[2]
	if offsets == nil || offsets.Len()/width < at+n+1 {
		return fmt.Sprintf("%d values at offset %d, with too few offsets", n, at)
	}
	size := 0
	if data != nil {
		size = data.Len()
	}
	if last := int64(cast(offsets.Bytes())[at+n]); last > int64(size) {
		return fmt.Sprintf("offset %d in %d bytes", last, size)
	}
	return ""
}

// checkFields wants fields as long as the rows they are of.
func checkFields(d *srcarray.Data) string {
	for i, kid := range d.Children() {
		if k, _ := kid.(*srcarray.Data); k != nil && k.Len() < d.Offset()+d.Len() {
			return fmt.Sprintf("%d rows at offset %d, and field %d has %d", d.Len(), d.Offset(), i, k.Len())
		}
	}
	return ""
}

func (s *shape) checkUnion(d *srcarray.Data) string {
	for i, b := range d.Buffers() {
		switch {
		case i == 0 && b != nil:
			return "a union with a validity bitmap"
		case i > 0 && b == nil && d.Len() > 0:
			return fmt.Sprintf("no buffer %d", i)
		}
	}
	if s.from.ID() == src.SPARSE_UNION {
		return checkFields(d)
	}
	return ""
}

// checkEntries wants entries and keys of a map of which it is known that none is NULL.
func checkEntries(entries src.ArrayData) string {
	e, _ := entries.(*srcarray.Data)
	if e == nil || len(e.Children()) != 2 {
		return "a map without entries"
	}
	keys, _ := e.Children()[0].(*srcarray.Data)
	if keys == nil {
		return "a map without keys"
	}
	if e.NullN() != 0 || keys.NullN() != 0 {
		return "NULL among the entries or keys of a map"
	}
	return ""
}
