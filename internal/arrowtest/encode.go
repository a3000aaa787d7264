package arrowtest

import (
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
)

// An encoding gives a type another physical form of the same values. Column is the position of the column.
type encoding struct {
	name string
	of   func(dt arrow.DataType, column int) arrow.DataType
}

// pure makes an encoding that is the same for all columns.
func pure(name string, of func(arrow.DataType) arrow.DataType) encoding {
	return encoding{name, func(dt arrow.DataType, _ int) arrow.DataType { return of(dt) }}
}

var encodings = func() []encoding {
	all := []encoding{
		pure("plain", plain),
		pure("dict int8", dictOf(arrow.PrimitiveTypes.Int8)),
		pure("dict uint16", dictOf(arrow.PrimitiveTypes.Uint16)),
		pure("dict int32", dictOf(arrow.PrimitiveTypes.Int32)),
		pure("run-end int16", runEndOf(arrow.PrimitiveTypes.Int16)),
		pure("run-end int64", runEndOf(arrow.PrimitiveTypes.Int64)),
		pure("large", large),
		pure("view", view),
		pure("dict inside", inside(dictOf(arrow.PrimitiveTypes.Uint8))),
		pure("run-end inside", inside(runEndOf(arrow.PrimitiveTypes.Int32))),
		pure("dict of view", func(dt arrow.DataType) arrow.DataType { return dictOf(arrow.PrimitiveTypes.Uint32)(view(dt)) }),
	}
	turns := slices.Clone(all[1:8])
	return append(all, encoding{"mixed", func(dt arrow.DataType, column int) arrow.DataType {
		return turns[column*3%len(turns)].of(dt, column)
	}})
}()

// base returns the type of the values of an encoded column.
func base(dt arrow.DataType) arrow.DataType {
	switch dt := dt.(type) {
	case *arrow.DictionaryType:
		return base(dt.ValueType)
	case *arrow.RunEndEncodedType:
		return base(dt.Encoded())
	}
	return dt
}

// inside applies f to the types of the fields and elements of a nested type, to any depth.
func inside(f func(arrow.DataType) arrow.DataType) func(arrow.DataType) arrow.DataType {
	var in, child func(arrow.DataType) arrow.DataType
	child = func(dt arrow.DataType) arrow.DataType {
		if arrow.IsNested(base(dt).ID()) {
			return in(dt)
		}
		return f(dt)
	}
	in = func(dt arrow.DataType) arrow.DataType {
		switch dt := dt.(type) {
		case *arrow.StructType:
			fields := slices.Clone(dt.Fields())
			for i := range fields {
				fields[i].Type = child(fields[i].Type)
			}
			return arrow.StructOf(fields...)
		case *arrow.ListType:
			return arrow.ListOfField(inField(dt.ElemField(), child))
		case *arrow.LargeListType:
			return arrow.LargeListOfField(inField(dt.ElemField(), child))
		case *arrow.FixedSizeListType:
			return arrow.FixedSizeListOfField(dt.Len(), inField(dt.ElemField(), child))
		}
		return dt
	}
	return in
}

func inField(f arrow.Field, of func(arrow.DataType) arrow.DataType) arrow.Field {
	f.Type = of(f.Type)
	return f
}

func plain(dt arrow.DataType) arrow.DataType {
	switch dt := base(dt).(type) {
	case *arrow.StringViewType:
		return arrow.BinaryTypes.String
	case *arrow.BinaryViewType:
		return arrow.BinaryTypes.Binary
	default:
		return inside(plain)(dt)
	}
}

func dictOf(index arrow.DataType) func(arrow.DataType) arrow.DataType {
	return func(dt arrow.DataType) arrow.DataType {
		if base(dt).ID() == arrow.NULL {
			return dt
		}
		return &arrow.DictionaryType{IndexType: index, ValueType: base(dt)}
	}
}

func runEndOf(ends arrow.DataType) func(arrow.DataType) arrow.DataType {
	return func(dt arrow.DataType) arrow.DataType {
		if base(dt).ID() == arrow.NULL {
			return dt
		}
		return arrow.RunEndEncodedOf(ends, base(dt))
	}
}

// large exchanges 32-bit and 64-bit offsets.
func large(dt arrow.DataType) arrow.DataType {
	switch dt := base(dt).(type) {
	case *arrow.StringType:
		return arrow.BinaryTypes.LargeString
	case *arrow.LargeStringType:
		return arrow.BinaryTypes.String
	case *arrow.BinaryType:
		return arrow.BinaryTypes.LargeBinary
	case *arrow.LargeBinaryType:
		return arrow.BinaryTypes.Binary
	case *arrow.ListType:
		return arrow.LargeListOfField(inField(dt.ElemField(), large))
	case *arrow.LargeListType:
		return arrow.ListOfField(inField(dt.ElemField(), large))
	default:
		return inside(large)(dt)
	}
}

func view(dt arrow.DataType) arrow.DataType {
	switch dt := base(dt).(type) {
	case *arrow.StringType, *arrow.LargeStringType:
		return arrow.BinaryTypes.StringView
	case *arrow.BinaryType, *arrow.LargeBinaryType:
		return arrow.BinaryTypes.BinaryView
	default:
		return inside(view)(dt)
	}
}
