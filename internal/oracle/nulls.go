package oracle

import (
	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/dedupe"
)

// refuseNulls refuses NULL keys, then NULL order values, where the options say so.
func (l *latest) refuseNulls() error {
	for _, kind := range []error{onerow.ErrNullKey, onerow.ErrNullOrder} {
		for _, t := range []*table{l.batch, l.target} {
			if t == nil {
				continue
			}
			if columns := l.refused(kind, t); len(columns) > 0 {
				return &onerow.NullError{Kind: kind, Input: t.input, Columns: columns}
			}
		}
	}
	return nil
}

func (l *latest) refused(kind error, t *table) []onerow.ColumnNulls {
	at := l.placedIn(t)
	if kind == onerow.ErrNullKey {
		refuse := l.opts.NullKey == dedupe.RejectNullKeys
		return t.countNulls(at.key, func(int) bool { return false }, func(int) bool { return refuse })
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

// leftOut says whether a row takes no part for its NULL key.
func (l *latest) leftOut(t *table, row int) bool {
	return l.opts.NullKey == dedupe.SetAsideNullKeys && anyNull(cells(t.rows[row], l.placedIn(t).key))
}
