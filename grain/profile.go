package grain

import (
	"context"
	"errors"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/frame"
	"github.com/onerow-go/onerow/internal/keyset"
)

// ProfileOptions are the optional parts of [Profile].
type ProfileOptions struct {
	// Sums are the columns that are summed: integers, floats, decimals, durations, and truth values, of which true counts 1. Default none.
	Sums []string

	// Nulls says whether NULLs in key columns are equal to each other. Default NullsDistinct.
	Nulls Nulls

	// Resources bounds what the call may use. Default: all processors.
	Resources onerow.Resources
}

// TableProfile is a table in a few figures. It goes to JSON and comes back the same.
type TableProfile struct {
	// Rows is the number of rows.
	Rows int64 `json:"rows"`
	// Key are the key columns, none if the table was profiled without a key; then the figures of keys are 0.
	Key []string `json:"key,omitempty"`
	// NullsEqual says that NULL equals NULL in the key.
	NullsEqual bool `json:"nulls_equal,omitempty"`
	// Keys is the number of distinct keys, DuplicateRows the surplus: the number of rows beyond the first of each key. NullKeyRows is the number of
	// rows with NULL in the key. They are those of [Check].
	Keys          int64 `json:"keys"`
	DuplicateRows int64 `json:"duplicate_rows"`
	NullKeyRows   int64 `json:"null_key_rows"`
	// Columns has all columns of the table, in its order.
	Columns []ColumnProfile `json:"columns"`
	// Sums are the sums that were asked for, in that order.
	Sums []Sum `json:"sums,omitempty"`
}

// ColumnProfile is what is known of one column.
type ColumnProfile struct {
	Name string `json:"name"`
	// Type is the type, as Arrow writes it.
	Type string `json:"type"`
	// Nulls is the number of rows in which the column is NULL.
	Nulls int64 `json:"nulls"`
}

// Sum is the sum of a column.
type Sum struct {
	Column string `json:"column"`
	// Sum is the sum of the values that aren't NULL, as a decimal number: exact for integers, decimals, truth values and durations, which are in
	// seconds; for floats the float64 nearest to the exact sum, or NaN, Infinity, -Infinity. It is 0 without values.
	Sum string `json:"sum"`
	// Rows is the number of values.
	Rows int64 `json:"rows"`
}

// Profile takes the figures of a table that should not change much between one run of a job and the next, or between a table and its copy: rows, keys,
// surplus rows, NULLs of each column, and sums of chosen columns. [Compare] compares two of them.
//
// key names the key columns; without any, rows aren't counted by key.
//
// Sums are exact: no order of the rows, cut or number of workers changes them. Integers are added up in 128 bits, decimals in 320, and floats as
// fixed-point numbers that hold every float64, which are rounded once at the end. So sums of floats are those of no engine that adds in some order, but
// as near to each as that engine's own error allows.
//
// It costs one [Check], and a pass over each summed column; NULLs are counted where a column may have any. It returns ctx.Err() soon after the context
// ends. Errors wrap [onerow.ErrNoColumn], [onerow.ErrType], [onerow.ErrSchema], [onerow.ErrOption], [onerow.ErrTooManyRows] or
// [onerow.ErrMalformed].
func Profile(ctx context.Context, batches []arrow.Record, key []string, opts ProfileOptions) (p *TableProfile, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	err = keyset.Guard(func() error {
		p, err = profile(ctx, batches, key, opts)
		return err
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

func profile(ctx context.Context, batches []arrow.Record, key []string, opts ProfileOptions) (*TableProfile, error) {
	f, err := frame.New("batches", batches)
	if err != nil {
		return nil, err
	}
	t, err := frame.NewTable(frame.Part{Frame: f})
	if err != nil {
		return nil, err
	}
	sums, err := sumColumns(t, opts.Sums)
	if err != nil {
		return nil, err
	}
	p := &TableProfile{Rows: f.Rows}
	if len(key) > 0 {
		r, err := check(ctx, batches, key, Options{Nulls: opts.Nulls, Worst: -1, Resources: opts.Resources})
		if err != nil {
			return nil, err
		}
		p.NullsEqual = opts.Nulls == NullsEqual
		p.Key, p.Keys, p.DuplicateRows, p.NullKeyRows = r.Key, r.Keys, r.DuplicateRows, r.NullKeyRows
	} else if opts.Nulls > NullsEqual {
		return nil, fmt.Errorf("%w: Nulls has no value %d", onerow.ErrOption, opts.Nulls)
	}
	workers := opts.Resources.WorkerCount()
	if f.Schema != nil {
		if err := p.countNulls(ctx, t, f.Schema, workers); err != nil {
			return nil, err
		}
	}
	for _, c := range sums {
		s, err := sumOf(ctx, t, c, workers)
		if err != nil {
			return nil, err
		}
		p.Sums = append(p.Sums, s)
	}
	return p, nil
}

// sumColumns reads the columns to sum. What is wrong with several comes back together.
func sumColumns(t *frame.Table, names []string) (cols []*form.Column, err error) {
	seen := map[string]bool{}
	var errs []error
	for _, name := range names {
		if seen[name] {
			errs = append(errs, fmt.Errorf("%w: Sums names column %q twice", onerow.ErrOption, name))
			continue
		}
		seen[name] = true
		c, err := t.Column(name, hasSum)
		errs = append(errs, err)
		cols = append(cols, c)
	}
	return cols, errors.Join(errs...)
}

func hasSum(t arrow.DataType) (ok bool, why string) {
	switch form.FamilyOf(t) {
	case form.NullFamily, form.BoolFamily, form.IntFamily, form.FloatFamily, form.DecimalFamily, form.DurationFamily:
		return true, ""
	}
	return false, form.Logical(t).Name() + " has no sum"
}

// countNulls counts the NULLs of all columns, a column and batch a task.
func (p *TableProfile) countNulls(ctx context.Context, t *frame.Table, schema *arrow.Schema, workers int) error {
	type task struct {
		column int
		array  *form.Array
		keyset.Span
	}
	var tasks []task
	spans := keyset.Spans(t.Lens(), t.Start)
	for i, field := range schema.Fields() {
		c, err := t.ColumnAt(i)
		if err != nil {
			return err
		}
		p.Columns = append(p.Columns, ColumnProfile{Name: field.Name, Type: field.Type.String()})
		for _, s := range spans {
			if a := c.Chunks[s.Chunk]; a.MayNull() {
				tasks = append(tasks, task{i, a, s})
			}
		}
	}
	counts := make([]int64, len(tasks))
	err := keyset.Run(ctx, workers, len(tasks), func(_, n int) error {
		for i := range tasks[n].N {
			if tasks[n].array.Null(tasks[n].Lo + i) {
				counts[n]++
			}
		}
		return nil
	})
	for n, k := range counts {
		p.Columns[tasks[n].column].Nulls += k
	}
	return err
}
