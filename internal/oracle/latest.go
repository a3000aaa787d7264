package oracle

import (
	"errors"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/dedupe"
)

// Outcome is what dedupe.Latest should find, and what its plan should take.
type Outcome struct {
	Rows, SetAside, Stale, Ended onerow.Rows
	Report                       dedupe.Report

	// Taken are the kept rows with their filled values.
	Taken [][]Value
	// Filled are the values that were carried forward.
	Filled []Carried
}

// Carried is one value that was carried forward: from a row of the batches, or of the target.
type Carried struct {
	Row, From  int
	Column     string
	FromTarget bool
}

// latest is one call of Latest.
type latest struct {
	opts          dedupe.Options
	batch, target *table

	// columns and targetColumns say where the columns of the call are in either table.
	columns, targetColumns placed
	orders                 []onerow.Order

	// common pairs the columns that both tables have, in the order of the batches.
	common []pair

	deletes, snapshots literals
	fills              []fill

	groups map[string]*group
	keys   []string // in order of first appearance

	fates []fate
	ended []int
	ties  []onerow.KeyRows
	tally dedupe.Report
}

// placed are the columns that a table has for a call; op is -1 where there is none.
type placed struct {
	key, order, previous []int
	op                   int
}

type pair struct{ batch, target int }

type fill struct {
	column, target int // target is -1 when the target lacks the column
	unavailable    literals
}

// fate is what becomes of a row.
type fate uint8

const (
	superseded fate = iota
	kept
	duplicate
	setAside
	stale
)

// Latest answers what dedupe.Latest answers. Errors wrap the sentinels that the call's should wrap; null and tie errors have
// the counts that the call's should have.
func Latest(batches []arrow.Record, key []string, order []onerow.Order, opts dedupe.Options) (*Outcome, error) {
	l := &latest{opts: opts, orders: order, groups: map[string]*group{}}
	if err := l.setup(batches, key); err != nil {
		return nil, err
	}
	if err := l.refuseNulls(); err != nil {
		return nil, err
	}
	l.gather()
	for _, k := range l.keys {
		l.settle(l.groups[k])
	}
	if len(l.ties) > 0 && opts.Ties == dedupe.RejectTies {
		return nil, &onerow.KeysError{Kind: onerow.ErrTie, Columns: key, Total: int64(len(l.ties)), Keys: l.ties}
	}
	return l.outcome(), nil
}

func (l *latest) setup(batches []arrow.Record, key []string) error {
	if len(key) == 0 {
		return onerow.ErrNoKey
	}
	if err := l.checkOptions(key); err != nil {
		return err
	}
	var err error
	if l.batch, err = readTable("batches", batches); err != nil {
		return err
	}
	if l.columns, err = l.place(l.batch, key); err != nil {
		return err
	}
	if l.columns.previous, err = l.batch.columns(l.opts.Op.PreviousKey, canBeKey); err != nil {
		return err
	}
	if err := sameFamilies(l.batch, l.columns.key, l.batch, l.columns.previous); err != nil {
		return err
	}
	if l.opts.Op.Column != "" {
		if l.columns.op, err = l.batch.column(l.opts.Op.Column); err != nil {
			return err
		}
		if err := l.readOps(); err != nil {
			return err
		}
	}
	if err := l.readFills(); err != nil {
		return err
	}
	if len(l.opts.Against) == 0 {
		return nil
	}
	return l.setupTarget(key)
}

func (l *latest) checkOptions(key []string) error {
	op := l.opts.Op
	switch {
	case op.Column == "" && len(op.Delete)+len(op.Snapshot) > 0:
		return fmt.Errorf("%w: Op without a column", onerow.ErrOption)
	case op.PreviousKey != nil && len(op.PreviousKey) != len(key):
		return fmt.Errorf("%w: PreviousKey", onerow.ErrOption)
	case l.opts.NullKey > onerow.SetAsideNullKeys, l.opts.Ties > dedupe.SetAsideTies:
		return fmt.Errorf("%w: NullKey, Ties", onerow.ErrOption)
	}
	for _, o := range l.orders {
		if o.Nulls > onerow.NullsAreHighest {
			return fmt.Errorf("%w: Nulls", onerow.ErrOption)
		}
	}
	return nil
}

func (l *latest) place(t *table, key []string) (placed, error) {
	p := placed{op: -1}
	var err, orderErr error
	p.key, err = t.columns(key, canBeKey)
	names := make([]string, len(l.orders))
	for i, o := range l.orders {
		names[i] = o.Column
	}
	p.order, orderErr = t.columns(names, canBeOrder)
	return p, errors.Join(err, orderErr)
}

func (l *latest) readOps() (err error) {
	t := l.batch.types[l.columns.op]
	if l.deletes, err = readLiterals(l.opts.Op.Delete, l.opts.Op.Column, t); err != nil {
		return err
	}
	l.snapshots, err = readLiterals(l.opts.Op.Snapshot, l.opts.Op.Column, t)
	return err
}

func (l *latest) readFills() error {
	for _, f := range l.opts.Fill {
		c, err := l.batch.column(f.Column)
		if err != nil {
			return err
		}
		u, err := readLiterals([]onerow.Value{f.Unavailable}, f.Column, l.batch.types[c])
		if err != nil {
			return err
		}
		l.fills = append(l.fills, fill{column: c, target: -1, unavailable: u})
	}
	return nil
}

func (l *latest) setupTarget(key []string) (err error) {
	if l.target, err = readTable("against", l.opts.Against); err != nil {
		return err
	}
	if l.targetColumns, err = l.place(l.target, key); err != nil {
		return err
	}
	for i, name := range l.batch.names {
		if j, found := l.target.find(name); found == 1 {
			l.common = append(l.common, pair{i, j})
		}
	}
	for _, p := range l.common {
		if err := sameFamilies(l.batch, []int{p.batch}, l.target, []int{p.target}); err != nil {
			return err
		}
		if p.batch == l.columns.op {
			l.targetColumns.op = p.target
		}
		for i := range l.fills {
			if l.fills[i].column == p.batch {
				l.fills[i].target = p.target
			}
		}
	}
	return nil
}

func sameFamilies(a *table, as []int, b *table, bs []int) error {
	for i := range min(len(as), len(bs)) {
		if !canBeEqual(a.types[as[i]], b.types[bs[i]]) {
			return &onerow.TypeError{Column: a.names[as[i]], Type: a.types[as[i]],
				OtherColumn: b.names[bs[i]], OtherType: b.types[bs[i]], Why: "different families"}
		}
	}
	return nil
}
