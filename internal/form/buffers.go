package form

import (
	"github.com/apache/arrow/go/v15/arrow"
)

// setValues sets the kind and points at the buffers.
func (a *Array) setValues(d arrow.ArrayData, t arrow.DataType) {
	switch t := t.(type) {
	case *arrow.NullType:
		a.Kind = KindNull
	case *arrow.DictionaryType:
		a.Kind = KindDict
		a.index = a.setInts(t.IndexType.ID(), buffer(d, 1))
	case *arrow.RunEndEncodedType:
		a.Kind = KindRuns
		a.index = a.kids[0].Kind
	case *arrow.StructType:
		a.Kind = KindStruct
	case *arrow.FixedSizeListType:
		a.Kind, a.width = KindFixedList, int(t.Len())
	case *arrow.ListType, *arrow.MapType:
		a.Kind, a.i32 = KindList32, arrow.Int32Traits.CastFromBytes(buffer(d, 1))
	case *arrow.LargeListType:
		a.Kind, a.i64 = KindList64, arrow.Int64Traits.CastFromBytes(buffer(d, 1))
	case *arrow.ListViewType:
		a.Kind, a.i32 = KindListView32, arrow.Int32Traits.CastFromBytes(buffer(d, 1))
		a.sizes32 = arrow.Int32Traits.CastFromBytes(buffer(d, 2))
	case *arrow.LargeListViewType:
		a.Kind, a.i64 = KindListView64, arrow.Int64Traits.CastFromBytes(buffer(d, 1))
		a.sizes64 = arrow.Int64Traits.CastFromBytes(buffer(d, 2))
	case arrow.UnionType:
		a.setUnion(d, t)
	case *arrow.FixedSizeBinaryType:
		a.Kind, a.width, a.data = KindFixed, t.ByteWidth, buffer(d, 1)
	default:
		a.setLeaf(d, t)
	}
}

func (a *Array) setUnion(d arrow.ArrayData, t arrow.UnionType) {
	a.codes = arrow.Int8Traits.CastFromBytes(buffer(d, 1))
	for c := range a.childOf {
		a.childOf[c] = -1
	}
	for i, c := range t.TypeCodes() {
		a.childOf[c] = int8(i)
	}
	a.Kind = KindSparse
	if t.Mode() == arrow.DenseMode {
		a.Kind, a.i32 = KindDense, arrow.Int32Traits.CastFromBytes(buffer(d, 2))
	}
}

func (a *Array) setLeaf(d arrow.ArrayData, t arrow.DataType) {
	b := buffer(d, 1)
	switch t.ID() {
	case arrow.BOOL:
		a.Kind, a.bits = KindBool, b
	case arrow.FLOAT16:
		a.Kind, a.f16 = KindF16, arrow.Float16Traits.CastFromBytes(b)
	case arrow.FLOAT32:
		a.Kind, a.f32 = KindF32, arrow.Float32Traits.CastFromBytes(b)
	case arrow.FLOAT64:
		a.Kind, a.f64 = KindF64, arrow.Float64Traits.CastFromBytes(b)
	case arrow.DECIMAL128:
		a.Kind, a.d128, a.scale = KindDec128, arrow.Decimal128Traits.CastFromBytes(b), t.(arrow.DecimalType).GetScale()
	case arrow.DECIMAL256:
		a.Kind, a.d256, a.scale = KindDec256, arrow.Decimal256Traits.CastFromBytes(b), t.(arrow.DecimalType).GetScale()
	case arrow.STRING, arrow.BINARY:
		a.Kind, a.i32, a.data = KindBytes32, arrow.Int32Traits.CastFromBytes(b), buffer(d, 2)
	case arrow.LARGE_STRING, arrow.LARGE_BINARY:
		a.Kind, a.i64, a.data = KindBytes64, arrow.Int64Traits.CastFromBytes(b), buffer(d, 2)
	case arrow.STRING_VIEW, arrow.BINARY_VIEW:
		a.Kind, a.views = KindView, arrow.ViewHeaderTraits.CastFromBytes(b)
		for i := 2; i < len(d.Buffers()); i++ {
			a.blocks = append(a.blocks, buffer(d, i))
		}
	case arrow.INTERVAL_DAY_TIME:
		a.Kind, a.width, a.data = KindFixed, 8, b
	case arrow.INTERVAL_MONTH_DAY_NANO:
		a.Kind, a.width, a.data = KindFixed, 16, b
	case arrow.DATE32, arrow.TIME32, arrow.INTERVAL_MONTHS:
		a.Kind = a.setInts(arrow.INT32, b)
	case arrow.DATE64, arrow.TIME64, arrow.TIMESTAMP, arrow.DURATION:
		a.Kind = a.setInts(arrow.INT64, b)
	default:
		a.Kind = a.setInts(t.ID(), b)
	}
}

func (a *Array) setInts(id arrow.Type, b []byte) Kind {
	switch id {
	case arrow.INT8:
		a.i8 = arrow.Int8Traits.CastFromBytes(b)
		return KindI8
	case arrow.INT16:
		a.i16 = arrow.Int16Traits.CastFromBytes(b)
		return KindI16
	case arrow.INT32:
		a.i32 = arrow.Int32Traits.CastFromBytes(b)
		return KindI32
	case arrow.INT64:
		a.i64 = arrow.Int64Traits.CastFromBytes(b)
		return KindI64
	case arrow.UINT8:
		a.u8 = b
		return KindU8
	case arrow.UINT16:
		a.u16 = arrow.Uint16Traits.CastFromBytes(b)
		return KindU16
	case arrow.UINT32:
		a.u32 = arrow.Uint32Traits.CastFromBytes(b)
		return KindU32
	case arrow.UINT64:
		a.u64 = arrow.Uint64Traits.CastFromBytes(b)
		return KindU64
	}
	return KindNull
}
