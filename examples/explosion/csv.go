package main

import (
	"bufio"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	arrowcsv "github.com/apache/arrow/go/v15/arrow/csv"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// batchRows is the number of rows of a batch.
const batchRows = 1 << 16

// readCSV reads a file twice: once to see what its columns hold, in all rows, and once to make records. An empty cell is NULL; a line without anything
// is no row.
func (t *table) readCSV(path string, asText []string, alloc memory.Allocator) error {
	columns, err := lookAtCSV(path, asText)
	if err != nil {
		return err
	}
	t.text = map[string]string{}
	var fields []arrow.Field
	for _, c := range columns {
		fields = append(fields, arrow.Field{Name: c.name, Type: c.typ(), Nullable: true})
		t.text[c.name] = c.why
	}
	in, done, err := openCSV(path)
	if err != nil {
		return err
	}
	defer done()
	r := arrowcsv.NewReader(in, arrow.NewSchema(fields, nil), arrowcsv.WithHeader(true), arrowcsv.WithChunk(batchRows),
		arrowcsv.WithNullReader(true, ""), arrowcsv.WithAllocator(alloc))
	defer r.Release()
	for r.Next() && r.Err() == nil {
		t.batches = append(t.batches, withoutValues(r.Record(), columns))
	}
	if err := r.Err(); err != nil {
		return err
	}
	if len(t.batches) == 0 {
		none := emptyRecord(alloc, r.Schema())
		defer none.Release()
		t.batches = append(t.batches, withoutValues(none, columns))
	}
	return nil
}

// openCSV opens a file, decompresses it if its name ends in .gz, and skips a byte order mark.
func openCSV(path string) (io.Reader, func(), error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	var in io.Reader = f
	if strings.HasSuffix(strings.ToLower(path), ".gz") {
		if in, err = gzip.NewReader(f); err != nil {
			f.Close()
			return nil, nil, err
		}
	}
	text := bufio.NewReader(in)
	if mark, _ := text.Peek(3); string(mark) == "\ufeff" {
		text.Discard(3) //nolint:errcheck // they were there
	}
	return text, func() { f.Close() }, nil
}

// lookAtCSV finds what the columns look like, each by all of its cells. (Arrow's own inference looks at the first row, and fails at the first number after
// it that has a fraction.)
func lookAtCSV(path string, asText []string) ([]columnLook, error) {
	in, done, err := openCSV(path)
	if err != nil {
		return nil, err
	}
	defer done()
	r := csv.NewReader(in)
	r.ReuseRecord = true
	header, err := r.Read()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("the file is empty: there is no header")
	}
	if err != nil {
		return nil, err
	}
	columns := make([]columnLook, len(header))
	for i, name := range header {
		if slices.Contains(header[:i], name) {
			return nil, fmt.Errorf("line 1: two columns are named %q", name)
		}
		columns[i] = columnLook{name: strings.Clone(name), may: anyLook}
		if slices.Contains(asText, name) {
			columns[i].may, columns[i].why = 0, "-text"
		}
	}
	for {
		cells, err := r.Read()
		switch {
		case errors.Is(err, io.EOF):
			return columns, nil
		case errors.Is(err, csv.ErrFieldCount):
			line, _ := r.FieldPos(0)
			return nil, fmt.Errorf("line %d: %d cells, and the header has %d", line, len(cells), len(columns))
		case err != nil:
			return nil, err // has the line
		}
		for i, cell := range cells {
			columns[i].see(cell, func() int { line, _ := r.FieldPos(i); return line })
		}
	}
}

// look is a set of types that all cells so far look like.
type look uint8

const (
	intLook look = 1 << iota
	floatLook
	boolLook
	dateLook
	timeLook
	instantLook
	anyLook = 1<<iota - 1
)

// columnLook is a column and what it looks like.
type columnLook struct {
	name   string
	may    look
	filled bool
	// why says which cell made the column text.
	why string
}

func (c *columnLook) see(cell string, line func() int) {
	if cell == "" || c.may == 0 {
		return
	}
	c.filled = true
	for l := intLook; l < anyLook; l <<= 1 {
		if c.may&l != 0 && !l.fits(cell) {
			c.may &^= l
		}
	}
	if c.may == 0 {
		c.why = fmt.Sprintf("line %d: %q", line(), cell)
	}
}

var (
	integer  = regexp.MustCompile(`^(0|-?[1-9][0-9]*)$`)
	decimal  = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?$`)
	dateTime = regexp.MustCompile(`^\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d(:?\d\d)?)?$`)
)

// fits is careful: what would come back as another text stays text, such as 007, +1, 1e3 or a number of 20 digits.
func (l look) fits(cell string) bool {
	switch l {
	case intLook:
		_, err := strconv.ParseInt(cell, 10, 64)
		return err == nil && integer.MatchString(cell)
	case floatLook:
		return len(cell) <= 16 && decimal.MatchString(cell)
	case boolLook:
		return slices.Contains([]string{"true", "false", "TRUE", "FALSE", "True", "False"}, cell)
	case dateLook:
		_, err := time.Parse(time.DateOnly, cell)
		return err == nil
	case timeLook, instantLook:
		if !dateTime.MatchString(cell) {
			return l == timeLook && dateLook.fits(cell) // midnight
		}
		_, zoned, err := arrow.TimestampFromStringInLocation(cell, arrow.Microsecond, time.UTC)
		return err == nil && zoned == (l == instantLook)
	}
	return false
}

func (c *columnLook) typ() arrow.DataType {
	switch {
	case !c.filled, c.may == 0:
		return arrow.BinaryTypes.String
	case c.may&intLook != 0:
		return arrow.PrimitiveTypes.Int64
	case c.may&floatLook != 0:
		return arrow.PrimitiveTypes.Float64
	case c.may&boolLook != 0:
		return arrow.FixedWidthTypes.Boolean
	case c.may&dateLook != 0:
		return arrow.FixedWidthTypes.Date32
	case c.may&timeLook != 0:
		return &arrow.TimestampType{Unit: arrow.Microsecond}
	default:
		return &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}
	}
}

// withoutValues returns the record with columns that have no value in the whole file as columns of the null type, which goes with any other: nobody knows
// what would have been in them.
func withoutValues(rec arrow.Record, looks []columnLook) arrow.Record {
	fields, columns := slices.Clone(rec.Schema().Fields()), slices.Clone(rec.Columns())
	for i, c := range looks {
		if !c.filled && c.why == "" {
			fields[i].Type, columns[i] = arrow.Null, array.NewNull(int(rec.NumRows()))
			defer columns[i].Release()
		}
	}
	return array.NewRecord(arrow.NewSchema(fields, nil), columns, rec.NumRows())
}
