package frame

import (
	"errors"
	"fmt"
	"sort"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/keyset"
	"github.com/onerow-go/onerow/internal/take"
)

// Sizes says how much memory rows of some records take once they are decoded and copied. Rows are numbered over all records.
type Sizes struct {
	cols   [][]*form.Array // by record, then column
	starts []uint32        // of the records, and the end
	most   int64           // no row takes more; 0: not looked for yet
}

// NewSizes reads the columns of records that have one schema; input names it in errors.
func NewSizes(input string, recs ...arrow.Record) (*Sizes, error) {
	s := &Sizes{starts: make([]uint32, 1, len(recs)+1)}
	for _, rec := range recs {
		var cols []*form.Array
		for i, c := range rec.Columns() {
			arrs, err := Read([]arrow.Array{c})
			if err != nil {
				return nil, fmt.Errorf("%s: column %q: %w", input, rec.ColumnName(i), err)
			}
			cols = append(cols, arrs[0])
		}
		s.cols = append(s.cols, cols)
		s.starts = append(s.starts, s.starts[len(s.starts)-1]+uint32(rec.NumRows()))
	}
	return s, nil
}

// Fit returns how many of the rows, from the first on, take no more than room bytes together: at least one.
func (s *Sizes) Fit(rows []uint32, room int64) (n int, err error) {
	err = keyset.Guard(func() error {
		if s.most == 0 {
			s.most = s.mostBytes()
		}
		if n = len(rows); int64(n) > room/s.most {
			n = s.fit(rows, room)
		}
		return nil
	})
	return n, err
}

func (s *Sizes) mostBytes() int64 {
	most := int64(1)
	for i, cols := range s.cols {
		sum := int64(0)
		for _, c := range cols {
			sum += c.MostBytes(0, int(s.starts[i+1]-s.starts[i]))
		}
		most = max(most, sum)
	}
	return most
}

func (s *Sizes) fit(rows []uint32, room int64) int {
	for at := 0; at < len(rows); {
		k := sort.Search(len(s.cols)-1, func(k int) bool { return s.starts[k+1] > rows[at] })
		n := 1
		for n < min(len(rows)-at, fitRows) && rows[at+n]-s.starts[k] < s.starts[k+1]-s.starts[k] {
			n++
		}
		bytes := s.bytes(k, rows[at:at+n])
		if bytes > room {
			return max(1, at+s.fitOne(k, rows[at:at+n], room))
		}
		room -= bytes
		at += n
	}
	return len(rows)
}

// fitRows is how many rows are looked at together.
const fitRows = 1 << 10

// fitOne is fit for rows of one record, of which not all have room.
func (s *Sizes) fitOne(k int, rows []uint32, room int64) int {
	for i := range rows {
		if room -= s.bytes(k, rows[i:i+1]); room < 0 {
			return i
		}
	}
	return len(rows)
}

// bytes is what rows of one record take.
func (s *Sizes) bytes(k int, rows []uint32) (sum int64) {
	for _, c := range s.cols[k] {
		sum += c.RowsBytes(rows, s.starts[k])
	}
	return sum
}

// Total is what all rows take.
func (s *Sizes) Total() (sum int64, err error) {
	err = keyset.Guard(func() error {
		for i, cols := range s.cols {
			for _, c := range cols {
				sum += c.PlainBytes(0, int(s.starts[i+1]-s.starts[i]))
			}
		}
		return nil
	})
	return sum, err
}

// Bytes is the size of a record's buffers, dictionaries included, whatever part of them its rows refer to.
func Bytes(rec arrow.Record) (sum int64) {
	for _, c := range rec.Columns() {
		sum += bytesBelow(c.Data())
	}
	return sum
}

func bytesBelow(d arrow.ArrayData) (sum int64) {
	for _, b := range d.Buffers() {
		if b != nil {
			sum += int64(b.Len())
		}
	}
	for _, c := range d.Children() {
		sum += bytesBelow(c)
	}
	if dict, ok := d.Dictionary().(*array.Data); ok && dict != nil {
		sum += bytesBelow(dict)
	}
	return sum
}

// TakeError gives an error of take.Record or take.PlainRecord the names of the input and of the column.
func TakeError(input string, schema *arrow.Schema, err error) error {
	var column *take.ColumnError
	if !errors.As(err, &column) {
		return err
	}
	name := schema.Field(column.Index).Name
	var size *take.SizeError
	if errors.As(err, &size) {
		return &onerow.SizeError{Column: name, Type: size.Type, Size: size.Size, Limit: size.Limit, Unit: size.Unit}
	}
	var data *take.DataError
	if errors.As(err, &data) {
		return fmt.Errorf("%s: column %q of type %v: %w: %s", input, name, data.Type, onerow.ErrMalformed, data.Why)
	}
	return fmt.Errorf("%s: column %q: %w", input, name, column.Err)
}
