package dedupe

import (
	"context"
	"fmt"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/frame"
	"github.com/onerow-go/onerow/internal/keyset"
)

// checkNulls applies the NULL policies of key and order before any work is done: it refuses, or counts and marks the
// rows to leave out. Columns that hold no NULL cost nothing.
func (j *job) checkNulls(ctx context.Context) error {
	inKey, perKey, err := frame.NullRows(ctx, j.keyCols, 0, j.rows, nil)
	if err != nil {
		return err
	}
	if inKey != nil {
		j.report.NullKeyRows = int64(inKey.Count())
		switch j.opts.NullKey {
		case onerow.RejectNullKeys:
			return &onerow.NullError{Kind: onerow.ErrNullKey, Input: "batches", Columns: perKey}
		case onerow.SetAsideNullKeys:
			j.nullKey = inKey
		}
	}
	if err := j.checkPrevious(ctx); err != nil {
		return err
	}
	return j.checkOrderNulls(ctx)
}

func (j *job) checkOrderNulls(ctx context.Context) error {
	var cols, rejecting []*form.Column
	for i, b := range j.by {
		cols = append(cols, b.Column)
		if j.orders[i].Nulls == onerow.RejectNulls {
			rejecting = append(rejecting, b.Column)
		}
	}
	// A target may hold NULL keys under any policy; unless they are equal, they match nothing and don't matter.
	var unmatched keyset.Bitmap
	if j.opts.NullKey != onerow.EqualNullKeys {
		var err error
		if unmatched, _, err = frame.NullRows(ctx, j.keyCols, j.rows, j.known, nil); err != nil {
			return err
		}
	}
	for _, in := range []struct {
		input  string
		lo, hi uint32
		skip   keyset.Bitmap
	}{{"batches", 0, j.rows, j.nullKey}, {"against", j.rows, j.known, unmatched}} {
		null, perColumn, err := frame.NullRows(ctx, rejecting, in.lo, in.hi, in.skip)
		if err != nil {
			return err
		}
		if null != nil {
			return &onerow.NullError{Kind: onerow.ErrNullOrder, Input: in.input, Columns: perColumn}
		}
	}
	null, _, err := frame.NullRows(ctx, cols, 0, j.rows, j.nullKey)
	if err != nil {
		return err
	}
	j.report.NullOrderRows = int64(null.Count())
	return nil
}

// checkPrevious refuses previous keys that are NULL in part, where NULL keys are refused.
func (j *job) checkPrevious(ctx context.Context) error {
	if j.opts.Op.PreviousKey == nil || j.opts.NullKey != onerow.RejectNullKeys || len(j.keyCols) == 1 {
		return nil
	}
	e := &onerow.NullError{Kind: onerow.ErrNullKey, Input: "batches"}
	for _, name := range j.opts.Op.PreviousKey {
		e.Columns = append(e.Columns, onerow.ColumnNulls{Column: name})
	}
	found := false
	err := j.run(ctx, 1, func(int, int) error {
		for r := range j.rows {
			if r&0xffff == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			v := j.known + r
			if !j.keys.Null(v) || j.allNull(v) {
				continue
			}
			found = true
			for i, c := range j.keyCols {
				if c.Null(v) {
					frame.CountNull(&e.Columns[i], r)
				}
			}
		}
		return nil
	})
	if err != nil || !found {
		return err
	}
	e.Columns = nonZero(e.Columns)
	return fmt.Errorf("previous key: %w", e)
}

func (j *job) allNull(row uint32) bool {
	for _, c := range j.keyCols {
		if !c.Null(row) {
			return false
		}
	}
	return true
}

func nonZero(cols []onerow.ColumnNulls) []onerow.ColumnNulls {
	var out []onerow.ColumnNulls
	for _, c := range cols {
		if c.Rows > 0 {
			out = append(out, c)
		}
	}
	return out
}
