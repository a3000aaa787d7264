package down

import (
	"fmt"

	dst "github.com/apache/arrow/go/v15/arrow"

	src "github.com/apache/arrow-go/v18/arrow"

	"github.com/onerow-go/onerow/adapters/arrow18/internal/fault"
)

// shape says how data of one type is converted.
type shape struct {
	// column is the path to the column, for errors.
	column string
	// from is the type of the data, without extension types around it.
	from src.DataType
	// to is the type that the converted data gets.
	to dst.DataType
	// kids are the shapes of the children of nested types, and that of the values of a dictionary.
	kids []*shape
	// lost is the extension type that dst doesn't know, so that to is its storage; nil otherwise.
	lost src.ExtensionType
}

// plain are the types without parameters.
var plain = map[src.Type]dst.DataType{
	src.NULL:                    dst.Null,
	src.BOOL:                    dst.FixedWidthTypes.Boolean,
	src.INT8:                    dst.PrimitiveTypes.Int8,
	src.INT16:                   dst.PrimitiveTypes.Int16,
	src.INT32:                   dst.PrimitiveTypes.Int32,
	src.INT64:                   dst.PrimitiveTypes.Int64,
	src.UINT8:                   dst.PrimitiveTypes.Uint8,
	src.UINT16:                  dst.PrimitiveTypes.Uint16,
	src.UINT32:                  dst.PrimitiveTypes.Uint32,
	src.UINT64:                  dst.PrimitiveTypes.Uint64,
	src.FLOAT16:                 dst.FixedWidthTypes.Float16,
	src.FLOAT32:                 dst.PrimitiveTypes.Float32,
	src.FLOAT64:                 dst.PrimitiveTypes.Float64,
	src.STRING:                  dst.BinaryTypes.String,
	src.LARGE_STRING:            dst.BinaryTypes.LargeString,
	src.STRING_VIEW:             dst.BinaryTypes.StringView,
	src.BINARY:                  dst.BinaryTypes.Binary,
	src.LARGE_BINARY:            dst.BinaryTypes.LargeBinary,
	src.BINARY_VIEW:             dst.BinaryTypes.BinaryView,
	src.DATE32:                  dst.FixedWidthTypes.Date32,
	src.DATE64:                  dst.FixedWidthTypes.Date64,
	src.INTERVAL_MONTHS:         dst.FixedWidthTypes.MonthInterval,
	src.INTERVAL_DAY_TIME:       dst.FixedWidthTypes.DayTimeInterval,
	src.INTERVAL_MONTH_DAY_NANO: dst.FixedWidthTypes.MonthDayNanoInterval,
}

func shapeOf(column string, t src.DataType) (*shape, error) {
	if t == nil {
		return nil, &fault.Error{Column: column, Why: "a field without a type", Malformed: true}
	}
	if to, ok := plain[t.ID()]; ok {
		return &shape{column: column, from: t, to: to}, nil
	}
	s := &shape{column: column, from: t}
	var err error
	switch t := t.(type) {
	case src.ExtensionType:
		return extension(column, t)
	case *src.FixedSizeBinaryType:
		s.to = &dst.FixedSizeBinaryType{ByteWidth: t.ByteWidth}
	case *src.TimestampType:
		s.to = &dst.TimestampType{Unit: dst.TimeUnit(t.Unit), TimeZone: t.TimeZone}
	case *src.Time32Type:
		s.to = &dst.Time32Type{Unit: dst.TimeUnit(t.Unit)}
	case *src.Time64Type:
		s.to = &dst.Time64Type{Unit: dst.TimeUnit(t.Unit)}
	case *src.DurationType:
		s.to = &dst.DurationType{Unit: dst.TimeUnit(t.Unit)}
	case *src.Decimal128Type:
		s.to = &dst.Decimal128Type{Precision: t.Precision, Scale: t.Scale}
	case *src.Decimal256Type:
		s.to = &dst.Decimal256Type{Precision: t.Precision, Scale: t.Scale}
	case *src.DictionaryType:
		err = s.dictionary(t)
	case *src.RunEndEncodedType:
		err = s.runs(t)
	case src.NestedType:
		err = s.nested(t)
	}
	if err == nil && s.to == nil {
		err = &fault.Error{Column: column, Type: t, Why: fmt.Sprintf("Arrow %s has no such type", version)}
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (s *shape) dictionary(t *src.DictionaryType) error {
	index, err := shapeOf(s.column, t.IndexType)
	if err != nil {
		return err
	}
	if !dst.IsInteger(index.to.ID()) {
		return &fault.Error{Column: s.column, Type: t, Why: "its index type is no integer", Malformed: true}
	}
	values, err := shapeOf(s.column, t.ValueType)
	if err != nil {
		return err
	}
	s.kids = []*shape{values}
	s.to = &dst.DictionaryType{IndexType: index.to, ValueType: values.to, Ordered: t.Ordered}
	return nil
}

func (s *shape) runs(t *src.RunEndEncodedType) error {
	ends, err := shapeOf(s.column, t.RunEnds())
	if err != nil {
		return err
	}
	values, err := shapeOf(s.column, t.Encoded())
	if err != nil {
		return err
	}
	if !t.ValidRunEndsType(t.RunEnds()) {
		return &fault.Error{Column: s.column, Type: t, Why: "its run ends aren't int16, int32 or int64", Malformed: true}
	}
	s.kids = []*shape{ends, values}
	to := dst.RunEndEncodedOf(ends.to, values.to)
	to.ValueNullable = t.ValueNullable
	s.to = to
	return nil
}

// nested makes the shape of a type that has fields.
func (s *shape) nested(t src.NestedType) error {
	var entries *src.StructType
	from := t.Fields()
	if m, ok := t.(*src.MapType); ok {
		entries = m.Elem().(*src.StructType)
		from = entries.Fields()
	}
	fields := make([]dst.Field, len(from))
	kids := make([]*shape, len(from))
	for i, f := range from {
		var err error
		if fields[i], kids[i], err = fieldOf(s.column+"."+f.Name, f); err != nil {
			return err
		}
	}
	s.kids = kids
	switch t := t.(type) {
	case *src.ListType:
		s.to = dst.ListOfField(fields[0])
	case *src.LargeListType:
		s.to = dst.LargeListOfField(fields[0])
	case *src.ListViewType:
		s.to = dst.ListViewOfField(fields[0])
	case *src.LargeListViewType:
		s.to = dst.LargeListViewOfField(fields[0])
	case *src.FixedSizeListType:
		s.to = dst.FixedSizeListOfField(t.Len(), fields[0])
	case *src.StructType:
		s.to = dst.StructOf(fields...)
	case *src.SparseUnionType:
		s.to = dst.SparseUnionOf(fields, append([]dst.UnionTypeCode{}, t.TypeCodes()...))
	case *src.DenseUnionType:
		s.to = dst.DenseUnionOf(fields, append([]dst.UnionTypeCode{}, t.TypeCodes()...))
	case *src.MapType:
		key, item := fields[0], fields[1]
		to := dst.MapOfWithMetadata(key.Type, key.Metadata, item.Type, item.Metadata)
		to.SetItemNullable(item.Nullable)
		to.KeysSorted = t.KeysSorted
		s.to = to
		s.kids = []*shape{{column: s.column, from: entries, to: to.Elem(), kids: kids}}
	}
	return nil
}
