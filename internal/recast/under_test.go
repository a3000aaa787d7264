package recast

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/form"
)

// broken arrays have three rows, of which the second can't be read.
func brokenInTheMiddle() map[string]*array.Data {
	i8, text, fat := arrow.PrimitiveTypes.Int8, arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString
	four := raw(i8, 4, [][]byte{nil, {1, 2, 0x83, 4}})
	views := make([]arrow.ViewHeader, 3)
	for i := range views {
		views[i].SetString("longer than twelve bytes")
	}
	views[1].SetIndexOffset(7, -9)
	headers := arrow.ViewHeaderTraits.CastToBytes(views)
	dict := array.NewDataWithDictionary(dictionary(i8, i8), 3, buffers(nil, []byte{0, 77, 1}), 0, 0, four.(*array.Data))
	texts := func(at ...int32) *array.Data {
		return raw(text, 3, [][]byte{nil, int32s(at...), []byte("abcdef")}).(*array.Data)
	}
	return map[string]*array.Data{
		"text":       texts(0, 4, 1, 3),
		"large text": raw(fat, 3, [][]byte{nil, int64s(0, 5, 2, 6), []byte("abcdef")}).(*array.Data),
		"view":       raw(arrow.BinaryTypes.StringView, 3, [][]byte{nil, headers, []byte("longer than twelve bytes")}).(*array.Data),
		"dictionary": dict,
		"list view":  raw(arrow.ListViewOf(i8), 3, [][]byte{nil, int32s(0, 99, 1), int32s(2, 5, 1)}, four).(*array.Data),
		"numbers":    raw(i8, 3, [][]byte{nil, {1, 0x80, 3}}).(*array.Data),
		"decimals":   raw(&arrow.Decimal128Type{Precision: 2, Scale: 1}, 3, [][]byte{nil, int64s(10, 0, -1, 1<<62, 20, 0)}).(*array.Data),
		"times":      raw(&arrow.TimestampType{Unit: arrow.Second}, 3, [][]byte{nil, int64s(1, 1<<62, 3)}).(*array.Data),
	}
}

// What lies under a NULL isn't read, whether the array has the NULL or a parent of it.
func TestArrayUnderNulls(t *testing.T) {
	mem := arrowtest.Allocator(t)
	live := []byte{0b101}
	for name, data := range brokenInTheMiddle() {
		own := append(buffers(live), data.Buffers()[1:]...)
		withNull := array.NewData(data.DataType(), 3, own, data.Children(), 1, 0)
		if dict, _ := data.Dictionary().(*array.Data); dict != nil {
			withNull.SetDictionary(dict)
		}
		parent := arrow.StructOf(arrow.Field{Name: "a", Type: data.DataType(), Nullable: true})
		deeper := arrow.StructOf(arrow.Field{Name: "a", Type: parent, Nullable: true})
		inStruct := array.NewData(parent, 3, buffers(live), []arrow.ArrayData{data}, 1, 0)
		plainStruct := array.NewData(parent, 3, buffers(nil), []arrow.ArrayData{data}, 0, 0)
		below := array.NewData(deeper, 3, buffers(live), []arrow.ArrayData{plainStruct}, 1, 0)
		list := array.NewData(arrow.FixedSizeListOf(1, data.DataType()), 3, buffers(live), []arrow.ArrayData{data}, 1, 0)
		for _, to := range append(targets(data.DataType()), wider(data.DataType())...) {
			if ok, _ := form.Comparable(data.DataType(), to); !ok {
				continue
			}
			check := func(d arrow.ArrayData, to arrow.DataType) {
				t.Helper()
				arr := array.MakeFromData(d)
				defer arr.Release()
				out, unfit, err := Array(mem, arr, to)
				if err != nil {
					t.Errorf("%s: %v to %v: %v", name, arr.DataType(), to, err)
					return
				}
				defer out.Release()
				if got := bitsOf(out); got[1] != nil || len(unfit) > 0 && unfit[0] == 1 || len(unfit) > 1 && unfit[1] == 1 {
					t.Errorf("%s: %v to %v: %v, unfit %v", name, arr.DataType(), to, got[1], unfit)
				}
			}
			wrap := func(t arrow.DataType) arrow.DataType { return arrow.StructOf(arrow.Field{Name: "a", Type: t}) }
			check(withNull, to)
			check(inStruct, wrap(to))
			check(below, wrap(wrap(to)))
			check(list, arrow.ListOf(to))
			check(list, arrow.FixedSizeListOf(1, to))
			check(inStruct, dictionary(arrow.PrimitiveTypes.Int8, wrap(to)))
			check(below, arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, wrap(wrap(to))))
		}
	}
}

// wider gives types that hold more.
func wider(t arrow.DataType) []arrow.DataType {
	switch t.ID() {
	case arrow.INT8:
		return []arrow.DataType{arrow.PrimitiveTypes.Uint8, dictionary(arrow.PrimitiveTypes.Int8, t), arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int16, t)}
	case arrow.TIMESTAMP:
		return []arrow.DataType{&arrow.TimestampType{Unit: arrow.Nanosecond}}
	}
	return nil
}

// Views of many long texts have several buffers.
func TestArrayOfManyViewBuffers(t *testing.T) {
	mem := arrowtest.Allocator(t)
	defer func(n int) { viewBytes = n }(viewBytes)
	viewBytes = 60
	var cells []any
	for i := range 50 {
		cells = append(cells, long[:i], nil)
	}
	arr := plainColumn(t, mem, "string", cells)
	checkCast(t, mem, "views", arr, arrow.BinaryTypes.StringView)
	out, _, err := Array(mem, arr, arrow.BinaryTypes.StringView)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Release()
	if n := len(out.Data().Buffers()); n < 10 {
		t.Errorf("%d buffers", n)
	}
	for _, b := range out.Data().Buffers()[2:] {
		if b.Len() > 60 {
			t.Errorf("a buffer of %d bytes", b.Len())
		}
	}
}
