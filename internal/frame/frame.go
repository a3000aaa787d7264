package frame

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/keyset"
)

// Frame is one input of a call: batches of one schema. It borrows them.
type Frame struct {
	// Input names it in errors: "batches", "against".
	Input string
	// Schema is that of the first batch; nil without batches.
	Schema  *arrow.Schema
	Batches []arrow.Record
	// Rows is the number of rows.
	Rows int64
}

// New checks that the batches have one schema: the same names and types in the same order. Metadata and nullability don't matter.
func New(input string, batches []arrow.Record) (*Frame, error) {
	f := &Frame{Input: input, Batches: batches}
	for i, b := range batches {
		if b == nil {
			return nil, &onerow.SchemaError{Input: input, Batch: i, Why: "it is nil"}
		}
		if n := b.NumRows(); n < 0 {
			return nil, fmt.Errorf("%w: %s: batch %d has %d rows", onerow.ErrMalformed, input, i, n)
		}
		if i == 0 {
			f.Schema = b.Schema()
		} else if why := form.SchemasDiffer(f.Schema, b.Schema()); why != "" {
			return nil, &onerow.SchemaError{Input: input, Batch: i, Why: why}
		}
		f.Rows += b.NumRows()
	}
	return f, nil
}

// Has says whether the frame has a column of the name.
func (f *Frame) Has(name string) bool { return f.Schema != nil && len(f.Schema.FieldIndices(name)) > 0 }

// Index returns the position of the column of the name, which must be the only one.
func (f *Frame) Index(name string) (int, error) {
	var at []int
	var have []string
	if f.Schema != nil {
		at = f.Schema.FieldIndices(name)
		for _, c := range f.Schema.Fields() {
			have = append(have, c.Name)
		}
	}
	if len(at) != 1 {
		return 0, &onerow.ColumnError{Column: name, Input: f.Input, Found: len(at), Have: have}
	}
	return at[0], nil
}

// Chunks returns the arrays of a column.
func (f *Frame) Chunks(i int) []arrow.Array {
	out := make([]arrow.Array, len(f.Batches))
	for b, rec := range f.Batches {
		out[b] = rec.Column(i)
	}
	return out
}

// Lens appends the lengths of the batches.
func (f *Frame) Lens(to []int) []int {
	for _, b := range f.Batches {
		to = append(to, int(b.NumRows()))
	}
	return to
}

// Part is a frame, and the columns of it that one column of a [Table] is made of.
type Part struct {
	*Frame
	// Names renames columns: a column that is asked for by a key of the map is read from the column of its value. Nil: none.
	Names map[string]string
	// Optional parts need not have a column: their rows are NULL then.
	Optional bool
}

// Table lays the rows of several parts one after the other.
type Table struct {
	*form.Layout
	parts []Part
	// arrays are the columns that were read, by part and place: some are asked for as keys, as orders and as content. lock guards them.
	arrays map[[2]int][]*form.Array
	lock   sync.Mutex
}

// NewTable fails when there are more rows than 32 bits can number.
func NewTable(parts ...Part) (*Table, error) {
	var lens []int
	var rows int64
	for _, p := range parts {
		lens = p.Lens(lens)
		rows += p.Rows
	}
	if rows > onerow.MaxRows {
		return nil, fmt.Errorf("%w: %d, of at most %d", onerow.ErrTooManyRows, rows, int64(onerow.MaxRows))
	}
	return &Table{Layout: form.NewLayout(lens), parts: parts, arrays: map[[2]int][]*form.Array{}}, nil
}

// Lens returns the number of rows of each batch, over all parts.
func (t *Table) Lens() []int {
	lens := make([]int, t.Chunks())
	for c := range lens {
		lens[c] = int(t.Start(c+1) - t.Start(c))
	}
	return lens
}

// Use says whether columns of a type can be used for something; if not, why. form.IsKey is one.
type Use func(arrow.DataType) (ok bool, why string)

// Column reads a column from all parts. Its types must be fit for the use, nil being any, and comparable. What is wrong in several parts
// comes back together.
func (t *Table) Column(name string, use Use) (*form.Column, error) {
	c := &form.Column{Name: name, Layout: t.Layout}
	first, firstInput := "", ""
	var errs []error
	for part, p := range t.parts {
		own := name
		if n, ok := p.Names[name]; ok {
			own = n
		}
		if len(p.Batches) == 0 {
			continue
		}
		if p.Optional && !p.Has(own) {
			c.Chunks = append(c.Chunks, Nulls(p.Batches)...)
			continue
		}
		i, err := p.Index(own)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		typ := p.Schema.Field(i).Type
		if use != nil {
			if ok, why := use(typ); !ok {
				errs = append(errs, &onerow.TypeError{Column: own, Type: typ, Input: p.Input, Why: why})
				continue
			}
		}
		if c.Type == nil || form.FamilyOf(c.Type) == form.NullFamily {
			c.Type, first, firstInput = typ, own, p.Input
		} else if ok, why := form.Comparable(c.Type, typ); !ok {
			errs = append(errs, &onerow.TypeError{Column: first, Type: c.Type, Input: firstInput,
				OtherColumn: own, OtherType: typ, OtherInput: p.Input, Why: why})
			continue
		}
		arrs, err := t.read(part, i)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: column %q: %w", p.Input, own, err))
			continue
		}
		c.Chunks = append(c.Chunks, arrs...)
	}
	if c.Type == nil {
		c.Type = arrow.Null
	}
	return c, errors.Join(errs...)
}

// read reads column i of a part, if it wasn't read before.
func (t *Table) read(part, i int) ([]*form.Array, error) {
	at := [2]int{part, i}
	t.lock.Lock()
	arrs, ok := t.arrays[at]
	t.lock.Unlock()
	if ok {
		return arrs, nil
	}
	arrs, err := Read(t.parts[part].Chunks(i))
	if err != nil {
		return nil, err
	}
	arrs = slices.Clip(arrs)
	t.lock.Lock()
	t.arrays[at] = arrs
	t.lock.Unlock()
	return arrs, nil
}

// Read reads the arrays of one column, one a batch. What is wrong with their buffers wraps onerow.ErrMalformed.
func Read(chunks []arrow.Array) (out []*form.Array, err error) {
	err = keyset.Guard(func() error {
		out, err = form.OfAll(chunks)
		return err
	})
	if err != nil && !errors.Is(err, onerow.ErrMalformed) {
		err = fmt.Errorf("%w: %w", onerow.ErrMalformed, err)
	}
	return out, err
}

// Nulls are the chunks of a column that the batches lack.
func Nulls(batches []arrow.Record) []*form.Array {
	out := make([]*form.Array, len(batches))
	for i, b := range batches {
		out[i] = form.Nulls(int(b.NumRows()))
	}
	return out
}

// Keys reads the columns of a key, which must be of key types. Problems of several columns come back together.
func (t *Table) Keys(names []string) ([]*form.Column, error) {
	if len(names) == 0 {
		return nil, onerow.ErrNoKey
	}
	seen := map[string]bool{}
	var cols []*form.Column
	var errs []error
	for _, name := range names {
		if seen[name] {
			errs = append(errs, fmt.Errorf("%w: the key names column %q twice", onerow.ErrOption, name))
			continue
		}
		seen[name] = true
		c, err := t.Column(name, form.IsKey)
		errs = append(errs, err)
		cols = append(cols, c)
	}
	return cols, errors.Join(errs...)
}

// KeyRows makes the sample of a key for an error or a report: rows must have it and be ascending.
func KeyRows(key []*form.Column, count int64, rows []uint32) onerow.KeyRows {
	k := onerow.KeyRows{Count: count, Rows: append(onerow.Rows(nil), rows[:min(len(rows), onerow.MaxSampleRows)]...)}
	for _, c := range key {
		k.Values = append(k.Values, c.Format(rows[0]))
	}
	return k
}

// ColumnAt reads column i of the first part; the rows of other parts are NULL.
func (t *Table) ColumnAt(i int) (*form.Column, error) {
	p := t.parts[0]
	f := p.Schema.Field(i)
	arrs, err := t.read(0, i)
	if err != nil {
		return nil, fmt.Errorf("%s: column %q: %w", p.Input, f.Name, err)
	}
	for _, p := range t.parts[1:] {
		arrs = append(arrs, Nulls(p.Batches)...)
	}
	return &form.Column{Name: f.Name, Type: f.Type, Chunks: arrs, Layout: t.Layout}, nil
}
