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

// Defaults of [KeysOptions].
const (
	DefaultMaxColumns = 4
	DefaultNearShare  = 0.001
	DefaultMaxNear    = 5
)

// maxMaxColumns bounds MaxColumns: the subsets of a set are gone through.
const maxMaxColumns = 32

// KeysOptions are the optional parts of [Keys].
type KeysOptions struct {
	// Columns are the columns that keys are made of. Default nil: all whose types are key types.
	Columns []string

	// MaxColumns is the greatest number of columns of a key, at most 32. Default 0: DefaultMaxColumns.
	MaxColumns int

	// Nulls says whether NULLs are equal to each other. Under NullsDistinct a column with NULL is part of no key, since it doesn't tell its
	// rows apart; of a near-key it may be, and its NULLs count against it. Default NullsDistinct.
	Nulls Nulls

	// NearShare is the share of rows that may violate a near-key, itself included, from 0 up to, but not including, 0.5. It is taken as the decimal
	// number that it is written as: 0.29 of 100 rows are 29. Default 0: DefaultNearShare.
	NearShare float64

	// MaxNear is the number of near-keys that the report lists. Once so many are found, sets of more columns are near-keys only if fewer rows violate
	// them than the worst of the best MaxNear. Default 0: DefaultMaxNear. Negative: none are looked for.
	MaxNear int

	// Worst is the number of keys that violate each near-key that the report lists. Default 0: DefaultWorst. Negative: none.
	Worst int

	// Resources bounds what the call may use. Progress is told of the reading of the columns, in cells. Default: all processors.
	Resources onerow.Resources
}

// KeysReport lists what can be a key of a table.
type KeysReport struct {
	// Rows is the number of rows of the table.
	Rows int64 `json:"rows"`
	// MaxColumns is the greatest number of columns that was looked for.
	MaxColumns int `json:"max_columns"`
	// Columns are the columns that were looked at, in the order of the options or the table.
	Columns []KeyColumn `json:"columns"`
	// Skipped are columns of the table whose types are no key types.
	Skipped []string `json:"skipped,omitempty"`
	// Keys are all minimal keys: sets of columns that tell all rows apart, and stop doing so when any column is left out. Those of fewer columns
	// come first, equal ones in the order of their columns, as do the columns of each. A table of fewer than two rows has none.
	Keys [][]string `json:"keys"`
	// Near are the minimal near-keys with the fewest violations; of equal ones those of fewer columns come first, then by the order of columns.
	Near []NearKey `json:"near,omitempty"`
}

// KeyColumn is what is known of one column.
type KeyColumn struct {
	Name string `json:"name"`
	// Distinct is the number of its values, NULL among them only under NullsEqual. NullRows is the number of rows in which it is NULL.
	Distinct int64 `json:"distinct"`
	NullRows int64 `json:"null_rows"`
}

// NearKey is a set of columns that tells nearly all rows apart. It holds no key, and no smaller near-key.
type NearKey struct {
	Columns []string `json:"columns"`
	// Violations is the number of rows that stand in the way: those beyond the first of each key, and under NullsDistinct those with NULL.
	Violations int64 `json:"violations"`
	// Report is what [Check] says of the columns, with the keys that repeat and the columns with NULL.
	Report *Report `json:"report"`
}

// Keys finds all minimal keys of a table up to a number of columns, and near-keys with what violates them. A key found in one table is
// what may be a key: only who writes the table knows whether it is one tomorrow. A near-key is often the key that was meant.
//
// The answer is exact, whatever is pruned on the way. Each column is hashed once, and its values are numbered; all else goes by the numbers.
// Sets of columns are walked by size, as in the level-wise searches of the literature (TANE; HCA; DUCC; HyUCC). Passed over without a look at the
// rows are sets that hold a smaller key, sets that have too few combinations of values, or too few for the commonest value of one of their
// columns, and sets on whose columns two rows are known to agree, from a sample or from an earlier look. The others are looked at within
// the rows that share a value of their most telling column, until enough rows were found that agree.
//
// It takes some 8 bytes of memory a row and column, for columns that are neither unique nor constant, up to 32 bytes a row besides, and for each worker
// 16 to 24 bytes a row while a column is numbered, later up to 64 bytes for each row of the commonest value it looks into. Most tables take little more
// time than their columns need to be read. The worst case is that of the problem: n columns have n!/(k!(n-k)!) sets of size k, and each that can't be
// passed over takes up to some 60 ns a row; MaxColumns bounds k, and Columns n. A made-up table of 1 M rows and 50 columns, which has 7,147 keys of up
// to 4 columns, took 7 s on two cores. Keys returns ctx.Err() soon after the context ends. The outcome depends neither on the order of the rows (but
// for the rows listed), nor on how they are cut into batches, nor on encodings or workers.
//
// Errors wrap [onerow.ErrNoColumn], [onerow.ErrType], [onerow.ErrSchema], [onerow.ErrOption], [onerow.ErrTooManyRows] or
// [onerow.ErrMalformed].
func Keys(ctx context.Context, batches []arrow.Record, opts KeysOptions) (r *KeysReport, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	err = keyset.Guard(func() error {
		r, err = findKeys(ctx, batches, opts)
		return err
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

func (o *KeysOptions) complete() error {
	var errs []error
	if o.Nulls > NullsEqual {
		errs = append(errs, fmt.Errorf("%w: Nulls has no value %d", onerow.ErrOption, o.Nulls))
	}
	if o.MaxColumns < 0 || o.MaxColumns > maxMaxColumns {
		errs = append(errs, fmt.Errorf("%w: MaxColumns is %d, of at most %d", onerow.ErrOption, o.MaxColumns, maxMaxColumns))
	}
	if !(o.NearShare >= 0 && o.NearShare < 0.5) {
		errs = append(errs, fmt.Errorf("%w: NearShare is %v, not from 0 to 0.5", onerow.ErrOption, o.NearShare))
	}
	if o.MaxColumns == 0 {
		o.MaxColumns = DefaultMaxColumns
	}
	if o.NearShare == 0 {
		o.NearShare = DefaultNearShare
	}
	if o.MaxNear == 0 {
		o.MaxNear = DefaultMaxNear
	}
	return errors.Join(errs...)
}

func findKeys(ctx context.Context, batches []arrow.Record, opts KeysOptions) (*KeysReport, error) {
	if err := opts.complete(); err != nil {
		return nil, err
	}
	f, err := frame.New("batches", batches)
	if err != nil {
		return nil, err
	}
	t, err := frame.NewTable(frame.Part{Frame: f})
	if err != nil {
		return nil, err
	}
	r := &KeysReport{Rows: f.Rows, MaxColumns: opts.MaxColumns, Columns: []KeyColumn{}, Keys: [][]string{}}
	cols, err := keyColumns(t, f, opts.Columns, r)
	if err != nil || len(cols) == 0 {
		return r, err
	}
	s := &search{opts: opts, report: r, table: t, rows: f.Rows}
	if opts.MaxNear > 0 {
		s.limit = shareOf(f.Rows, opts.NearShare)
	}
	if err := s.numberColumns(ctx, cols); err != nil {
		return nil, err
	}
	if f.Rows < 2 {
		return r, nil
	}
	if err := s.walk(ctx); err != nil {
		return nil, err
	}
	return r, s.describe(ctx, batches)
}

// keyColumns reads the columns that are looked at.
func keyColumns(t *frame.Table, f *frame.Frame, names []string, r *KeysReport) ([]*form.Column, error) {
	if names == nil && f.Schema != nil {
		for _, field := range f.Schema.Fields() {
			if ok, _ := form.IsKey(field.Type); !ok {
				r.Skipped = append(r.Skipped, field.Name)
				continue
			}
			if _, err := f.Index(field.Name); err != nil {
				return nil, err
			}
			names = append(names, field.Name)
		}
	}
	if len(names) == 0 || f.Schema == nil {
		return nil, nil
	}
	return t.Keys(names)
}
