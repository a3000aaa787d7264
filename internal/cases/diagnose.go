package cases

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/grain"
	"github.com/onerow-go/onerow/internal/arrowtest"
)

// Diagnose is called by cases of grain.diagnose.
type Diagnose func(context.Context, []arrow.Record, []string, grain.DiagnoseOptions) (*grain.Diagnosis, error)

// diagnose is a case of grain.diagnose.
type diagnose struct {
	spec    arrowtest.Spec
	shuffle bool
	key     []string
	opts    grain.DiagnoseOptions
	want    diagnoseWant
}

type diagnoseWant struct {
	wantError
	Causes *[]cause `json:"causes"`
}

type cause struct {
	Cause   grain.Cause `json:"cause"`
	Columns []string    `json:"columns"`
	Keys    int64       `json:"keys"`
}

func (c cause) String() string { return fmt.Sprintf("%v %q %d", c.Cause, c.Columns, c.Keys) }

func newDiagnose(c Case) (test, error) {
	if err := c.inputs("table"); err != nil {
		return nil, err
	}
	k := &diagnose{spec: c.Input["table"], shuffle: !c.OrderMatters}
	var o struct {
		Key          *[]string `json:"key"`
		Load         []string  `json:"load"`
		ValidFrom    string    `json:"valid_from"`
		ValidTo      string    `json:"valid_to"`
		Placeholders *[]any    `json:"placeholders"`
	}
	if err := strict(c.Options, &o); err != nil {
		return nil, fmt.Errorf("options: %w", err)
	}
	if o.Key == nil {
		return nil, errors.New("options: no key, not even an empty one")
	}
	k.key = *o.Key
	k.opts = grain.DiagnoseOptions{Load: o.Load, ValidFrom: o.ValidFrom, ValidTo: o.ValidTo}
	if o.Placeholders != nil {
		k.opts.Placeholders = []onerow.Value{}
		for _, cell := range *o.Placeholders {
			v, err := k.placeholder(cell)
			if err != nil {
				return nil, fmt.Errorf("options: placeholders: %w", err)
			}
			k.opts.Placeholders = append(k.opts.Placeholders, v)
		}
	}
	if err := strict(c.Want, &k.want); err != nil {
		return nil, fmt.Errorf("want: %w", err)
	}
	if err := k.want.check(k.want.Causes != nil); err != nil {
		return nil, fmt.Errorf("want: %w", err)
	}
	return k, nil
}

// placeholder reads a value as a cell of the first key column that can hold it.
func (k *diagnose) placeholder(cell any) (onerow.Value, error) {
	schema, err := arrowtest.Schema(k.spec.Columns)
	if err != nil {
		return nil, err
	}
	for _, name := range k.key {
		var v any
		if v, err = optionValue(schema, name, cell); err == nil {
			return v, nil
		}
	}
	return nil, err
}

func (k *diagnose) run(r *runner) {
	table, err := k.spec.Build(r.mem)
	if err != nil {
		r.fail("a table", err.Error())
		return
	}
	defer arrowtest.Release(table)
	r.forms(table, k.shuffle, func(batches []arrow.Record, _ bool) {
		r.call(func(_ memory.Allocator, res onerow.Resources) { k.call(r, batches, res) })
	})
}

func (k *diagnose) call(r *runner, batches []arrow.Record, res onerow.Resources) {
	opts := k.opts
	opts.Resources = res
	d, err := r.api.Diagnose(context.Background(), batches, k.key, opts)
	if r.settled(k.want.wantError, err) {
		return
	}
	if d == nil {
		r.fail("a diagnosis", "nil")
		return
	}
	var want, got []string
	for _, c := range *k.want.Causes {
		want = append(want, c.String())
	}
	for _, f := range d.Causes {
		got = append(got, cause{f.Cause, f.Columns, f.Keys}.String())
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(want, got) {
		r.fail("causes "+strings.Join(want, ", "), strings.Join(got, ", "))
	}
	r.sumsUp(d)
	for _, f := range d.Causes {
		r.shows(f, batches, k.key)
	}
}

// sumsUp checks that each key that repeats has one cause, and causes come once.
func (r *runner) sumsUp(d *grain.Diagnosis) {
	repeated := int64(0)
	for i, f := range d.Causes {
		if i > 0 && d.Causes[i-1].Cause >= f.Cause || f.Keys < 1 || f.Remedy == "" {
			r.fail("causes in order, each with keys and a remedy", fmt.Sprintf("%+v", d.Causes))
		}
		if f.Cause != grain.NullKey && f.Cause != grain.TextForm {
			repeated += f.Keys
		}
	}
	if repeated != d.DuplicateKeys || d.Keys+d.DuplicateKeys > d.Rows {
		r.fail("one cause for each key that repeats", fmt.Sprintf("%d explained, of %d of %d in %d rows", repeated, d.DuplicateKeys, d.Keys, d.Rows))
	}
}

// shows checks the samples of a cause.
func (r *runner) shows(f grain.Finding, batches []arrow.Record, key []string) {
	all, columns := arrowtest.All(batches), keyColumns(batches, key)
	if len(f.Samples) != int(min(f.Keys, grain.DefaultSamples)) {
		r.fail(fmt.Sprintf("samples of %d keys", f.Keys), fmt.Sprintf("%+v", f.Samples))
	}
	for i, k := range f.Samples {
		if len(k.Rows) == 0 || int64(len(k.Rows)) > k.Count || len(k.Values) != len(key) || i > 0 && f.Samples[i-1].Count < k.Count {
			r.fail("samples with rows and values, the largest first", fmt.Sprintf("%+v", f.Samples))
			return
		}
		for j, row := range k.Rows {
			same := int(row) < len(all) && keyText(all[row], columns) == keyText(all[k.Rows[0]], columns)
			if j > 0 && (k.Rows[j-1] >= row || same == (f.Cause == grain.TextForm)) {
				r.fail("ascending rows of one key, or of several of one form", fmt.Sprintf("%v %+v", f.Cause, k))
			}
		}
	}
}
