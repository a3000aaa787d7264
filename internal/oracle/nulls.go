package oracle

import (
	"errors"

	"github.com/onerow-go/onerow"
)

// refuseNulls refuses NULL keys, then NULL order values, where the options say so; first those of the batches.
func (l *latest) refuseNulls() error {
	for _, t := range []*table{l.batch, l.target} {
		if t == nil {
			continue
		}
		for _, kind := range []error{onerow.ErrNullKey, onerow.ErrNullOrder} {
			if columns := l.refused(kind, t); len(columns) > 0 {
				return &onerow.NullError{Kind: kind, Input: t.input, Columns: columns}
			}
		}
	}
	return nil
}

func (l *latest) refused(kind error, t *table) []onerow.ColumnNulls {
	at := l.placedIn(t)
	if errors.Is(kind, onerow.ErrNullKey) {
		refuse := func(int) bool { return t == l.batch && l.opts.NullKey == onerow.RejectNullKeys }
		columns := t.countNulls(at.key, func(int) bool { return false }, refuse)
		if len(columns) > 0 {
			return columns
		}
		// A previous key is refused as a key is, but for rows that have none.
		return t.countNulls(at.previous, func(row int) bool { return allNull(cells(t.rows[row], at.previous)) }, refuse)
	}
	return t.countNulls(at.order, func(row int) bool { return l.leftOut(t, row) },
		func(i int) bool { return l.orders[i].Nulls == onerow.RejectNulls })
}

func (l *latest) placedIn(t *table) placed {
	if t == l.batch {
		return l.columns
	}
	return l.targetColumns
}

// leftOut says whether a row takes no part for its NULL key. A target may hold such rows under any policy: unless NULL
// keys are equal, they match nothing.
func (l *latest) leftOut(t *table, row int) bool {
	return l.opts.NullKey != onerow.EqualNullKeys && anyNull(cells(t.rows[row], l.placedIn(t).key))
}
