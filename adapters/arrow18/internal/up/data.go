package up

import (
	dst "github.com/apache/arrow-go/v18/arrow"
	dstarray "github.com/apache/arrow-go/v18/arrow/array"
	dstmemory "github.com/apache/arrow-go/v18/arrow/memory"

	src "github.com/apache/arrow/go/v15/arrow"
	srcarray "github.com/apache/arrow/go/v15/arrow/array"

	"github.com/onerow-go/onerow/adapters/arrow18/internal/fault"
)

// Converter converts arrays. A dictionary that several of them share is shared by their conversions too, for as long as it comes up
// again between two calls of Forget. The zero value is ready.
type Converter struct {
	// dictionaries are those of each source, which is several only where types that call it by other names share it.
	dictionaries map[*srcarray.Data][]*dictionary
}

// dictionary is a converted dictionary. It owns a reference to both sides: were that of the source let go, its address could come to
// mean another one.
type dictionary struct {
	to   *dstarray.Data
	used bool
}

// Forget lets go of the dictionaries that weren't used since it was last called.
func (c *Converter) Forget() {
	for from, list := range c.dictionaries {
		kept := list[:0]
		for _, d := range list {
			if d.used {
				d.used = false
				kept = append(kept, d)
				continue
			}
			d.to.Release()
			from.Release()
		}
		if c.dictionaries[from] = kept; len(kept) == 0 {
			delete(c.dictionaries, from)
		}
	}
}

// Release lets go of all dictionaries.
func (c *Converter) Release() {
	c.Forget()
	c.Forget()
}

// Columns converts the columns of a batch. The caller releases them.
func (c *Converter) Columns(s *Schema, from []src.Array) (to []dst.Array, err error) {
	to = make([]dst.Array, 0, len(from))
	defer func() {
		if err != nil {
			for _, a := range to {
				a.Release()
			}
			to = nil
		}
	}()
	if len(from) != len(s.columns) {
		return to, &fault.Error{Why: "the batch doesn't have as many columns as its schema", Malformed: true}
	}
	for i, a := range from {
		b, err := c.array(s.columns[i], a)
		if err != nil {
			return to, err
		}
		to = append(to, b)
	}
	return to, nil
}

// Array converts one array, whose type it converts by itself. The caller releases it.
func (c *Converter) Array(from src.Array) (to dst.Array, err error) {
	defer fault.Caught("", &err)
	if from == nil {
		return nil, &fault.Error{Why: "no array", Malformed: true}
	}
	s, err := shapeOf("", from.DataType())
	if err != nil {
		return nil, err
	}
	return c.array(s, from)
}

func (c *Converter) array(s *shape, from src.Array) (to dst.Array, err error) {
	defer fault.Caught(s.column, &err)
	if from == nil {
		return nil, s.malformed("no array")
	}
	d, err := c.data(s, from.Data())
	if err != nil {
		return nil, err
	}
	defer d.Release()
	return dstarray.MakeFromData(d), nil
}

// data converts the data of an array. The caller releases it.
func (c *Converter) data(s *shape, d src.ArrayData) (*dstarray.Data, error) {
	from, _ := d.(*srcarray.Data)
	if from == nil {
		return nil, s.malformed("no data: was it released?")
	}
	if why := s.check(from); why != "" {
		return nil, s.malformed(why)
	}
	var kids []dst.ArrayData
	defer func() {
		for _, kid := range kids {
			kid.Release()
		}
	}()
	var values *dstarray.Data
	var err error
	if s.from.ID() == src.DICTIONARY {
		if values, err = c.dictionary(s.kids[0], from.Dictionary()); err != nil {
			return nil, err
		}
	} else if len(s.kids) > 0 {
		kids = make([]dst.ArrayData, 0, len(s.kids))
		for i, kid := range s.kids {
			k, err := c.data(kid, from.Children()[i])
			if err != nil {
				return nil, err
			}
			kids = append(kids, k)
		}
	}
	buffers := share(from.Buffers())
	defer dstmemory.ReleaseBuffers(buffers)
	if values != nil {
		return dstarray.NewDataWithDictionary(s.to, from.Len(), buffers, from.NullN(), from.Offset(), values), nil
	}
	return dstarray.NewData(s.to, from.Len(), buffers, append([]dst.ArrayData(nil), kids...), from.NullN(), from.Offset()), nil
}

// dictionary converts the values of a dictionary, or finds that it has done so. The converter owns them.
func (c *Converter) dictionary(s *shape, d src.ArrayData) (*dstarray.Data, error) {
	from, _ := d.(*srcarray.Data)
	if from == nil {
		return nil, nil // as an array without rows may
	}
	for _, seen := range c.dictionaries[from] {
		if dst.TypeEqual(seen.to.DataType(), s.to) {
			seen.used = true
			return seen.to, nil
		}
	}
	to, err := c.data(s, from)
	if err != nil {
		return nil, err
	}
	if c.dictionaries == nil {
		c.dictionaries = map[*srcarray.Data][]*dictionary{}
	}
	from.Retain()
	c.dictionaries[from] = append(c.dictionaries[from], &dictionary{to: to, used: true})
	return to, nil
}
