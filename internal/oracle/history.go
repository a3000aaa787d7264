package oracle

import (
	"errors"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/scd2"
)

// History answers what becomes of a history when all events that ever come are given at once, in Changes mode: it replays them key by
// key, and the rows that are there already as events too. Rows come in the order of the columns of the history, then those that
// the source adds; open ends are the declared one. It knows neither late events (they are put where they belong), nor columns
// of other groups, nor partial histories. Errors wrap ErrTie, ErrNullKey, ErrNullOrder, ErrNoColumn, ErrType.
func History(table scd2.Table, changes []arrow.Record, opts scd2.Options) ([][]Value, error) {
	h, err := newHistory(table, changes, opts)
	if err != nil {
		return nil, err
	}
	if err := h.refuseNulls(); err != nil {
		return nil, err
	}
	h.gatherGiven()
	h.gatherEvents()
	var rows [][]Value
	var ties []onerow.KeyRows
	for _, k := range h.keys {
		l := h.lives[k]
		versions, tied := h.replay(l)
		if tied {
			ties = append(ties, onerow.KeyRows{})
		}
		for _, v := range versions {
			rows = append(rows, h.row(l, v))
		}
	}
	if len(ties) > 0 {
		return nil, &onerow.KeysError{Kind: onerow.ErrTie, Total: int64(len(ties))}
	}
	return append(rows, h.apart...), nil
}

// history is one call of History.
type history struct {
	opts         scd2.Options
	base, source *table

	key, sourceKey, previous         []int
	validFrom, validTo, flag, marker int // -1 where there is none
	order                            []int
	from                             int // which of order holds the positions; -1: all are at now
	op                               int
	now, open                        Value

	columns []stored

	deletes, truncates literals

	lives map[string]*life
	keys  []string  // in order of first appearance
	apart [][]Value // rows with a NULL key that nothing matches
}

// stored is a column of values: where it is in the history and in the source, -1 where it isn't.
type stored struct {
	base, source int
	tracked      bool
	silentNull   bool // NULL in the source says nothing
}

// life is all that happens to one key.
type life struct {
	key    []Value
	events []happening
}

// happening is an event, or a start or an end that the history gives.
type happening struct {
	at    Value
	place []Value // in the full order; nil if given
	gone  bool
	given bool
	// apart is set on a given version that repeats the one before it: they stay apart.
	apart bool
	vals  []Value
	says  []bool // which of vals are said
}

func newHistory(t scd2.Table, changes []arrow.Record, opts scd2.Options) (h *history, err error) {
	h = &history{opts: opts, lives: map[string]*life{}, from: -1, op: -1}
	if h.base, err = readTable("history", t.Batches); err != nil {
		return nil, err
	}
	if h.source, err = readTable("changes", changes); err != nil {
		return nil, err
	}
	if err := h.findBase(t); err != nil {
		return nil, err
	}
	if err := h.findSource(t); err != nil {
		return nil, err
	}
	if err := h.readValues(t); err != nil {
		return nil, err
	}
	return h, h.findStored()
}

func (h *history) findBase(t scd2.Table) (err error) {
	if h.key, err = h.base.columns(t.Key, canBeKey); err != nil {
		return err
	}
	for _, c := range []struct {
		name, otherwise string
		column          *int
	}{{t.ValidFrom, scd2.DefaultValidFrom, &h.validFrom}, {t.ValidTo, scd2.DefaultValidTo, &h.validTo}, {t.Current, "", &h.flag}, {t.Deleted, "", &h.marker}} {
		if *c.column = -1; c.name == "" {
			c.name = c.otherwise
		}
		if c.name == "" {
			continue
		}
		if *c.column, err = h.base.column(c.name); err != nil {
			return err
		}
	}
	return nil
}

func (h *history) findSource(t scd2.Table) (err error) {
	if h.sourceKey, err = h.source.columns(t.Key, canBeKey); err != nil {
		return err
	}
	if err := sameFamilies(h.source, h.sourceKey, h.base, h.key); err != nil {
		return err
	}
	if h.previous, err = h.source.columns(h.opts.Op.PreviousKey, canBeKey); err != nil {
		return err
	}
	for i, o := range h.opts.At {
		c, err := h.source.column(o.Column)
		if err != nil {
			return err
		}
		if h.order = append(h.order, c); o.Column == h.opts.From || h.opts.From == "" && i == 0 {
			h.from = i
		}
	}
	if h.opts.Op.Column != "" {
		if h.op, err = h.source.column(h.opts.Op.Column); err != nil {
			return err
		}
	}
	return nil
}

func (h *history) readValues(t scd2.Table) (err error) {
	positions := h.base.types[h.validFrom]
	if h.from >= 0 {
		if c := h.order[h.from]; !canBeEqual(h.source.types[c], positions) {
			return &onerow.TypeError{Column: h.source.names[c], Type: h.source.types[c], OtherColumn: h.base.names[h.validFrom], OtherType: positions, Why: "different families"}
		}
	}
	read := func(v onerow.Value, into *Value) error {
		if v == nil {
			return nil
		}
		var ok bool
		if *into, ok = readLiteral(v, plain(positions)); !ok {
			return &onerow.TypeError{Column: h.base.names[h.validFrom], Type: positions, Why: "can't hold an option's value"}
		}
		return nil
	}
	if err := errors.Join(read(h.opts.Now, &h.now), read(t.OpenEnd, &h.open)); err != nil || h.op < 0 {
		return err
	}
	name, typ := h.source.names[h.op], h.source.types[h.op]
	if h.deletes, err = readLiterals(h.opts.Op.Delete, name, typ); err != nil {
		return err
	}
	h.truncates, err = readLiterals(h.opts.Op.Truncate, name, typ)
	return err
}

// findStored finds the columns of values. Columns of the order and the op aren't tracked unless they are named.
func (h *history) findStored() error {
	special := slices.Concat(h.key, []int{h.validFrom, h.validTo, h.flag, h.marker})
	unnamed := map[string]bool{}
	for _, c := range append(slices.Clone(h.order), h.op) {
		if c >= 0 {
			unnamed[h.source.names[c]] = true
		}
	}
	tracked := func(name string) bool {
		return slices.Contains(h.opts.Tracked, name) || h.opts.Tracked == nil && !unnamed[name]
	}
	known := map[string]bool{}
	for c, name := range h.base.names {
		if known[name] = true; slices.Contains(special, c) {
			continue
		}
		s, _ := h.source.find(name)
		if s < 0 && h.opts.Columns.Missing == scd2.KeepUnlessTracked && slices.Contains(h.opts.Tracked, name) {
			return &onerow.ColumnError{Column: name, Input: "changes", Have: h.source.names}
		}
		if s >= 0 && !canBeEqual(h.source.types[s], h.base.types[c]) {
			return &onerow.TypeError{Column: name, Type: h.source.types[s], OtherColumn: name, OtherType: h.base.types[c], Why: "different families"}
		}
		h.columns = append(h.columns, stored{c, s, tracked(name), slices.Contains(h.opts.Columns.KeepNull, name)})
	}
	for s, name := range h.source.names {
		if known[name] || unnamed[name] || slices.Contains(h.previous, s) {
			continue
		}
		if h.opts.Columns.New != scd2.AddNew {
			return &onerow.ColumnError{Column: name, Input: "history", Have: h.base.names}
		}
		known[name] = true
		h.columns = append(h.columns, stored{-1, s, tracked(name), slices.Contains(h.opts.Columns.KeepNull, name)})
	}
	for _, name := range h.opts.Tracked {
		if !known[name] {
			return &onerow.ColumnError{Column: name, Input: "history", Have: h.base.names}
		}
	}
	return nil
}

// row writes a version as a row.
func (h *history) row(l *life, v version) []Value {
	row := make([]Value, len(h.base.names))
	for i, c := range h.key {
		row[c] = l.key[i]
	}
	row[h.validFrom] = v.from
	if row[h.validTo] = h.open; !v.open {
		row[h.validTo] = v.to
	}
	if h.flag >= 0 {
		row[h.flag] = boolean(v.open && !v.marker)
	}
	if h.marker >= 0 {
		row[h.marker] = boolean(v.marker)
	}
	var added []Value
	for i, c := range h.columns {
		if c.base < 0 {
			added = append(added, v.vals[i])
			continue
		}
		row[c.base] = v.vals[i]
	}
	return slices.Concat(row, added)
}
