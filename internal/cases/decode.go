package cases

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
)

// inputs checks that a case has the given tables and no others.
func (c Case) inputs(names ...string) error {
	for _, n := range names {
		if _, ok := c.Input[n]; !ok {
			return fmt.Errorf("the case has no input %q", n)
		}
	}
	if len(c.Input) != len(names) {
		return fmt.Errorf("the call takes the inputs %v only", names)
	}
	return nil
}

// choose returns the option that a text names; "" names the default.
func choose[T any](option, text string, names map[string]T) (T, error) {
	var none T
	if text == "" {
		return none, nil
	}
	if v, ok := names[text]; ok {
		return v, nil
	}
	return none, fmt.Errorf("the option %s has no value %q", option, text)
}

type orderOption struct {
	Column string `json:"column"`
	Dir    string `json:"dir"`
	Nulls  string `json:"nulls"`
}

func (o orderOption) order() (onerow.Order, error) {
	ascending, err := choose("dir", o.Dir, map[string]bool{"desc": false, "asc": true})
	if err != nil {
		return onerow.Order{}, err
	}
	nulls, err := choose("nulls", o.Nulls, map[string]onerow.NullOrder{
		"reject": onerow.RejectNulls, "lowest": onerow.NullsAreLowest, "highest": onerow.NullsAreHighest})
	return onerow.Order{Column: o.Column, Ascending: ascending, Nulls: nulls}, err
}

// optionValues makes the Go values for a column out of cells, as options take them: see onerow.Value.
func optionValues(schema *arrow.Schema, column string, cells ...any) ([]any, error) {
	var out []any
	for _, cell := range cells {
		v, err := optionValue(schema, column, cell)
		if err != nil {
			return nil, fmt.Errorf("value %v of column %q: %w", cell, column, err)
		}
		out = append(out, v)
	}
	return out, nil
}

func optionValue(schema *arrow.Schema, column string, cell any) (any, error) {
	switch cell.(type) {
	case string, bool: // as they are, for a column of any type
		return cell, nil
	}
	fields, _ := schema.FieldsByName(column)
	var dt arrow.DataType = arrow.PrimitiveTypes.Int64 // of a column that isn't there: the call must say so
	if len(fields) > 0 {
		dt = fields[0].Type
	}
	v, err := arrowtest.Value(dt, cell)
	if err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case int64, uint64:
		return v, nil
	case arrowtest.Float:
		return v.Float64(), nil
	case arrowtest.Bytes:
		return []byte(v), nil
	case arrowtest.Decimal:
		return string(v), nil
	}
	return nil, fmt.Errorf("no option can hold it")
}

// counts are the fields of a report that a case names.
type counts map[string]json.Number

// check says whether a report has the fields.
func (c counts) check(report any) error {
	have := fieldsOf(report)
	for name, n := range c {
		if _, ok := have[name]; !ok {
			return fmt.Errorf("the report has no field %q", name)
		}
		if _, err := n.Int64(); err != nil {
			return err
		}
	}
	return nil
}

// compare compares the fields.
func (c counts) compare(r *runner, report any) {
	have := fieldsOf(report)
	var want, got []string
	for name, n := range c {
		if fmt.Sprint(have[name]) != n.String() {
			want, got = append(want, name+" "+n.String()), append(got, fmt.Sprint(name, " ", have[name]))
		}
	}
	if want != nil {
		slices.Sort(want)
		slices.Sort(got)
		r.fail("report: "+strings.Join(want, ", "), strings.Join(got, ", "))
	}
}

// fieldsOf returns a report as its JSON. Fields that are left out when they are empty are no counts.
func fieldsOf(report any) map[string]any {
	text, err := json.Marshal(report)
	if err != nil {
		panic(fmt.Sprintf("a %s isn't JSON: %v", reflect.TypeOf(report), err))
	}
	out := make(map[string]any)
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&out); err != nil {
		panic(fmt.Sprintf("a %s is no JSON object: %v", reflect.TypeOf(report), err))
	}
	return out
}

// sameRows compares rows as a multiset.
func (r *runner) sameRows(what string, want, got [][]any) {
	if d := arrowtest.DiffRows(want, got); d != "" {
		r.fail(what+" "+rowList(want), rowList(got))
	}
}

func rowList(rows [][]any) string {
	out := make([]string, len(rows))
	for i, row := range rows {
		out[i] = arrowtest.FormatRow(row)
	}
	return "{" + strings.Join(out, " ") + "}"
}
