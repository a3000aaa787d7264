package dedupe

import (
	"errors"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/frame"
)

// union is the plan of one call.
type union struct {
	sources []unionSource
	columns []unionColumn
	schema  *arrow.Schema
	// ranked is set when the schema has one field more than columns: the rank.
	ranked bool
}

// unionSource is a source that has a batch.
type unionSource struct {
	// label names the source in errors: source "crm".
	label string
	// rank is its position in the caller's list.
	rank    int
	batches []arrow.Record
	fields  []arrow.Field
}

// unionColumn is one column of the result.
type unionColumn struct {
	field arrow.Field
	// first is the source that gave the field its type.
	first int
	// at is the column's position in each source, or absent.
	at []int
}

const absent = -1

func planUnion(sources []Source, opts UnionOptions) (*union, error) {
	labels, err := checkUnion(sources, opts)
	if err != nil {
		return nil, err
	}
	u := &union{ranked: opts.RankColumn != ""}
	var errs []error
	for i, s := range sources {
		if len(s.Batches) == 0 {
			continue
		}
		fields, err := sourceFields(labels[i], s.Batches)
		errs = append(errs, err)
		u.sources = append(u.sources, unionSource{label: labels[i], rank: i, batches: s.Batches, fields: fields})
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if err := u.matchColumns(); err != nil {
		return nil, err
	}
	if err := u.rankIsFree(opts.RankColumn); err != nil {
		return nil, err
	}
	if err := u.settleMissing(opts.Missing); err != nil {
		return nil, err
	}
	fields := make([]arrow.Field, 0, len(u.columns)+1)
	for _, c := range u.columns {
		fields = append(fields, c.field)
	}
	if u.ranked {
		fields = append(fields, arrow.Field{Name: opts.RankColumn, Type: arrow.PrimitiveTypes.Int64})
	}
	u.schema = arrow.NewSchema(fields, nil)
	return u, nil
}

// checkUnion checks what needs no look at the batches, and names the sources.
func checkUnion(sources []Source, opts UnionOptions) (labels []string, err error) {
	var errs []error
	if opts.Missing > DropMissing {
		errs = append(errs, fmt.Errorf("%w Missing: no such value: %d", onerow.ErrOption, opts.Missing))
	}
	position := map[string]int{}
	for i, s := range sources {
		if s.Name == "" {
			labels = append(labels, fmt.Sprintf("source %d", i))
			continue
		}
		labels = append(labels, fmt.Sprintf("source %q", s.Name))
		if j, taken := position[s.Name]; taken {
			errs = append(errs, fmt.Errorf("%w Source.Name: sources %d and %d are both named %q", onerow.ErrOption, j, i, s.Name))
			continue
		}
		position[s.Name] = i
	}
	return labels, errors.Join(errs...)
}

// sourceFields checks that the batches of a source have one schema with distinct names, and returns its fields. A field may
// be NULL if it may be in one of the batches.
func sourceFields(label string, batches []arrow.Record) ([]arrow.Field, error) {
	f, err := frame.New(label, batches)
	if err != nil {
		return nil, err
	}
	fields := slices.Clone(f.Schema.Fields())
	for _, rec := range batches {
		for i := range fields {
			fields[i].Nullable = fields[i].Nullable || rec.Schema().Field(i).Nullable
		}
	}
	return fields, distinctNames(label, fields)
}

func distinctNames(label string, fields []arrow.Field) error {
	count := map[string]int{}
	for _, f := range fields {
		count[f.Name]++
	}
	var errs []error
	for _, f := range fields {
		if n := count[f.Name]; n > 1 {
			errs = append(errs, &onerow.ColumnError{Column: f.Name, Input: label, Found: n, Have: fieldNames(fields)})
			count[f.Name] = 0
		}
	}
	return errors.Join(errs...)
}

// matchColumns finds the columns of all sources by name, and one type for each.
func (u *union) matchColumns() error {
	index := map[string]int{}
	var errs []error
	for s, source := range u.sources {
		for pos, f := range source.fields {
			i, known := index[f.Name]
			if !known {
				i = len(u.columns)
				index[f.Name] = i
				u.columns = append(u.columns, newUnionColumn(f, s, len(u.sources)))
			}
			c := &u.columns[i]
			c.at[s] = pos
			nullable := c.field.Nullable || f.Nullable || isNull(c.field.Type) != isNull(f.Type)
			switch {
			case isNull(c.field.Type):
				c.field, c.first = f, s
			case !isNull(f.Type) && !arrow.TypeEqual(c.field.Type, f.Type):
				errs = append(errs, u.clash(c, s, f))
			}
			c.field.Nullable = nullable
		}
	}
	return errors.Join(errs...)
}

func newUnionColumn(f arrow.Field, first, sources int) unionColumn {
	c := unionColumn{field: f, first: first, at: make([]int, sources)}
	for i := range c.at {
		c.at[i] = absent
	}
	return c
}

func isNull(dt arrow.DataType) bool { return dt.ID() == arrow.NULL }

func (u *union) clash(c *unionColumn, s int, f arrow.Field) error {
	return fmt.Errorf("%s and %s: %w", u.sources[c.first].label, u.sources[s].label, &onerow.TypeError{
		Column: f.Name, Type: c.field.Type,
		OtherColumn: f.Name, OtherType: f.Type,
		Why: typeClash(c.field.Type, f.Type),
	})
}

// typeClash says how two types differ, and what to do.
func typeClash(a, b arrow.DataType) string {
	ta, okA := a.(*arrow.TimestampType)
	tb, okB := b.(*arrow.TimestampType)
	da, dictA := a.(*arrow.DictionaryType)
	db, dictB := b.(*arrow.DictionaryType)
	switch {
	case okA && okB && (ta.TimeZone == "") != (tb.TimeZone == ""):
		return "one is an instant and the other a local time: give the local one its zone first"
	case okA && okB && ta.Unit == tb.Unit:
		return "the zones differ, the instants don't: set one zone on both"
	case dictA != dictB && (dictA && arrow.TypeEqual(da.ValueType, b) || dictB && arrow.TypeEqual(db.ValueType, a)):
		return "only one is dictionary-encoded: decode it, or encode the other"
	case a.String() == b.String():
		return "they differ in names, nullability or metadata of nested fields: cast one to the other's type first"
	}
	return "a column has one type: cast one to the other's type first"
}

// rankIsFree checks that no source has a column of the rank's name.
func (u *union) rankIsFree(name string) error {
	for _, c := range u.columns {
		if c.field.Name == name && u.ranked {
			return fmt.Errorf("%w RankColumn: column %q is taken: %s has one", onerow.ErrOption, name, u.sources[c.first].label)
		}
	}
	return nil
}

// settleMissing treats the columns that some sources lack.
func (u *union) settleMissing(missing Missing) error {
	var kept []unionColumn
	var errs []error
	for _, c := range u.columns {
		lacking := c.lacking()
		if len(lacking) == 0 {
			kept = append(kept, c)
			continue
		}
		switch missing {
		case RejectMissing:
			for _, s := range lacking {
				errs = append(errs, u.missingError(c, s))
			}
		case NullMissing:
			c.field.Nullable = true
			kept = append(kept, c)
		case DropMissing:
		}
	}
	if len(errs) == 0 && len(kept) == 0 && len(u.columns) > 0 {
		c := u.columns[0]
		errs = append(errs, fmt.Errorf("no column is in every source, so none would be left; for one: %w", u.missingError(c, c.lacking()[0])))
	}
	u.columns = kept
	return joinSome(errs)
}

// lacking lists the sources that don't have the column.
func (c *unionColumn) lacking() []int {
	var out []int
	for s, pos := range c.at {
		if pos == absent {
			out = append(out, s)
		}
	}
	return out
}

func (u *union) missingError(c unionColumn, s int) error {
	return fmt.Errorf("%w, though %s has it: see UnionOptions.Missing", &onerow.ColumnError{
		Column: c.field.Name,
		Input:  u.sources[s].label,
		Have:   fieldNames(u.sources[s].fields),
	}, u.sources[c.first].label)
}

// joinSome joins the first errors, and counts the others: a wide table against a narrow one lacks hundreds of columns.
func joinSome(errs []error) error {
	if n := len(errs) - onerow.MaxSampleKeys; n > 0 {
		errs = append(errs[:onerow.MaxSampleKeys:onerow.MaxSampleKeys], fmt.Errorf("%w: %d more like these", onerow.ErrNoColumn, n))
	}
	return errors.Join(errs...)
}

func fieldNames(fields []arrow.Field) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
	}
	return names
}
