package down

import (
	dst "github.com/apache/arrow/go/v15/arrow"
	dstendian "github.com/apache/arrow/go/v15/arrow/endian"

	src "github.com/apache/arrow-go/v18/arrow"
	srcendian "github.com/apache/arrow-go/v18/arrow/endian"

	"github.com/onerow-go/onerow/adapters/arrow18/internal/fault"
)

// The keys under which the metadata of a field names its extension type, as in Arrow's IPC format and C data interface.
const (
	extensionName     = "ARROW:extension:name"
	extensionMetadata = "ARROW:extension:metadata"
)

// Schema is a schema of both versions, and how the columns of one become those of the other.
type Schema struct {
	From *src.Schema
	To   *dst.Schema

	columns []*shape
}

// SchemaOf converts a schema.
func SchemaOf(from *src.Schema) (s *Schema, err error) {
	defer fault.Caught("", &err)
	if from == nil {
		return nil, &fault.Error{Why: "no schema", Malformed: true}
	}
	s = &Schema{From: from, columns: make([]*shape, from.NumFields())}
	fields := make([]dst.Field, from.NumFields())
	for i := range fields {
		f := from.Field(i)
		if fields[i], s.columns[i], err = fieldOf(f.Name, f); err != nil {
			return nil, err
		}
	}
	order := dstendian.LittleEndian
	if from.Endianness() == srcendian.BigEndian {
		order = dstendian.BigEndian
	}
	md := metadata(from.Metadata())
	s.To = dst.NewSchemaWithEndian(fields, &md, order)
	return s, nil
}

func metadata(md src.Metadata) dst.Metadata { return dst.NewMetadata(md.Keys(), md.Values()) }

// fieldOf converts a field. An extension type that dst doesn't know goes on in the metadata, and one that is there comes back if
// dst knows it.
func fieldOf(column string, f src.Field) (dst.Field, *shape, error) {
	s, err := shapeOf(column, f.Type)
	if err != nil {
		return dst.Field{}, nil, err
	}
	md := metadata(f.Metadata)
	if s.lost != nil {
		md = with(md, s.lost.ExtensionName(), s.lost.Serialize())
	} else if name, ok := md.GetValue(extensionName); ok && f.Type.ID() != src.EXTENSION {
		serialized, _ := md.GetValue(extensionMetadata)
		if known := knownExtension(name, s.to, serialized); known != nil {
			s.to = known
			md = without(md)
		}
	}
	return dst.Field{Name: f.Name, Type: s.to, Nullable: f.Nullable, Metadata: md}, s, nil
}

// with names an extension type in a field's metadata.
func with(md dst.Metadata, name, serialized string) dst.Metadata {
	md = without(md)
	return dst.NewMetadata(append(md.Keys(), extensionName, extensionMetadata), append(md.Values(), name, serialized))
}

// without leaves out the name of an extension type.
func without(md dst.Metadata) dst.Metadata {
	var keys, values []string
	for i, key := range md.Keys() {
		if key != extensionName && key != extensionMetadata {
			keys, values = append(keys, key), append(values, md.Values()[i])
		}
	}
	return dst.NewMetadata(keys, values)
}

// extension makes the shape of an extension type: the type of that name that dst knows, or the storage.
func extension(column string, t src.ExtensionType) (*shape, error) {
	s, err := shapeOf(column, t.StorageType())
	if err != nil {
		return nil, err
	}
	if known := knownExtension(t.ExtensionName(), s.to, t.Serialize()); known != nil {
		s.to = known
	} else {
		s.lost = t
	}
	return s, nil
}

// knownExtension is the extension type that is registered with dst under the name, if it takes this storage; nil if not.
func knownExtension(name string, storage dst.DataType, serialized string) dst.DataType {
	registered := dst.GetExtensionType(name)
	if registered == nil {
		return nil
	}
	t, err := registered.Deserialize(storage, serialized)
	if err != nil || t == nil || !dst.TypeEqual(t.StorageType(), storage) {
		return nil // the name means something else there
	}
	return t
}
