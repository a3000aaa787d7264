package grain

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/frame"
	"github.com/onerow-go/onerow/internal/keyset"
	"github.com/onerow-go/onerow/internal/placeholder"
)

// diagnosing is one call.
type diagnosing struct {
	ctx       context.Context
	opts      DiagnoseOptions
	diagnosis *Diagnosis
	limit     int // of samples
	workers   int
	table     *frame.Table
	spans     []keyset.Span
	columns   []*form.Column // all, by position
	key       []int          // positions of the key columns, in the order of the key
	inKey     columnSet
	listed    []*placeholder.Matches // of the key columns

	// given is the pair that the options name, load the columns; nil when they name none.
	given *rangePair
	load  columnSet

	watch   keyset.Watch // of the loops over keys
	sorted  *sorted
	found   [causes]evidence
	samples [causes][]onerow.KeyRows
}

func diagnose(ctx context.Context, batches []arrow.Record, key []string, opts DiagnoseOptions) (*Diagnosis, error) {
	f, err := frame.New("batches", batches)
	if err != nil {
		return nil, err
	}
	d := &diagnosing{ctx: ctx, watch: keyset.NewWatch(ctx), opts: opts, workers: opts.Resources.WorkerCount(), limit: opts.Samples,
		diagnosis: &Diagnosis{Key: slices.Clone(key), Rows: f.Rows, Causes: []Finding{}}}
	if d.limit == 0 {
		d.limit = DefaultSamples
	}
	d.limit = int(max(0, min(int64(d.limit), f.Rows)))
	if d.table, err = frame.NewTable(frame.Part{Frame: f}); err != nil {
		return nil, err
	}
	keys, err := d.table.Keys(key)
	if err != nil {
		return nil, err
	}
	if len(batches) == 0 {
		return d.diagnosis, ctx.Err()
	}
	if err := d.read(f, keys); err != nil {
		return nil, err
	}
	if err := d.run(keys); err != nil {
		return nil, err
	}
	return d.diagnosis, ctx.Err()
}

// read reads the columns and the options.
func (d *diagnosing) read(f *frame.Frame, keys []*form.Column) error {
	d.spans = keyset.Spans(d.table.Lens(), d.table.Start)
	d.columns = make([]*form.Column, f.Schema.NumFields())
	d.inKey = newColumnSet(len(d.columns))
	for i := range d.columns {
		var err error
		if d.columns[i], err = d.table.ColumnAt(i); err != nil {
			return err
		}
	}
	for _, c := range keys {
		at, err := f.Index(c.Name)
		if err != nil {
			return err
		}
		d.key, d.columns[at] = append(d.key, at), c
		d.inKey.add(at)
	}
	return errors.Join(d.readRange(f), d.readLoad(f), d.readPlaceholders(keys))
}

// outside returns the position of a column that an option names, which must be outside the key.
func (d *diagnosing) outside(f *frame.Frame, option, name string) (int, error) {
	at, err := f.Index(name)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", option, err)
	}
	if d.inKey.has(at) {
		return 0, fmt.Errorf("%w: %s names column %q, which is of the key", onerow.ErrOption, option, name)
	}
	return at, nil
}

func (d *diagnosing) readRange(f *frame.Frame) error {
	from, to := d.opts.ValidFrom, d.opts.ValidTo
	if from == "" && to == "" {
		return nil
	}
	if from == "" || to == "" || from == to {
		return fmt.Errorf("%w: ValidFrom and ValidTo name two columns or none, not %q and %q", onerow.ErrOption, from, to)
	}
	start, err1 := d.outside(f, "ValidFrom", from)
	end, err2 := d.outside(f, "ValidTo", to)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	for _, at := range []int{start, end} {
		switch form.FamilyOf(d.columns[at].Type) {
		case form.NullFamily, form.IntFamily, form.DateFamily, form.NaiveFamily, form.InstantFamily:
		default:
			return &onerow.TypeError{Column: d.columns[at].Name, Type: d.columns[at].Type, Input: f.Input,
				Why: "a validity range is of integers, dates or timestamps"}
		}
	}
	s, e := d.columns[start], d.columns[end]
	if ok, why := form.Comparable(s.Type, e.Type); !ok {
		return &onerow.TypeError{Column: from, Type: s.Type, Input: f.Input, OtherColumn: to, OtherType: e.Type, OtherInput: f.Input, Why: why}
	}
	d.given = &rangePair{newTimeColumn(start, s), newTimeColumn(end, e)}
	return nil
}

func (d *diagnosing) readLoad(f *frame.Frame) error {
	if d.opts.Load == nil {
		return nil
	}
	d.load = newColumnSet(len(d.columns))
	var errs []error
	for _, name := range d.opts.Load {
		at, err := d.outside(f, "Load", name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		d.load.add(at)
	}
	return errors.Join(errs...)
}

func (d *diagnosing) readPlaceholders(keys []*form.Column) error {
	if d.opts.Placeholders != nil {
		var err error
		if d.listed, err = placeholder.Given(keys, d.opts.Placeholders); err != nil {
			return fmt.Errorf("%w: %w", onerow.ErrType, err)
		}
		return nil
	}
	for _, c := range keys {
		d.listed = append(d.listed, placeholder.Usual(c))
	}
	return nil
}

func (d *diagnosing) keyColumns() []*form.Column {
	cols := make([]*form.Column, len(d.key))
	for i, at := range d.key {
		cols[i] = d.columns[at]
	}
	return cols
}

// run makes both passes.
func (d *diagnosing) run(keys []*form.Column) error {
	for c := range d.found {
		d.found[c].columns = newColumnSet(len(d.columns))
	}
	var err error
	if d.sorted, err = sortRows(d.ctx, d.table, keyset.NewKeys(keys, true), d.classify, d.opts.Resources); err != nil {
		return err
	}
	d.diagnosis.Keys = d.sorted.keys[plain] + d.sorted.keys[listed]
	var aside []uint32
	if d.sorted.groups != nil {
		open, err := d.setAside(&aside)
		if err != nil {
			return err
		}
		d.diagnosis.DuplicateKeys = int64(len(open)) + d.found[Placeholder].keys
		if err := d.judge(open); err != nil {
			return err
		}
		for c := range d.found {
			for _, id := range d.found[c].top(d.limit) {
				rows := d.sorted.groups.Of(id)
				d.samples[c] = append(d.samples[c], frame.KeyRows(keys, int64(len(rows)), rows))
			}
		}
	}
	if err := d.textForms(aside); err != nil {
		return err
	}
	d.conclude()
	return nil
}

// classify is the classify of the key columns.
func (d *diagnosing) classify(chunk, lo, n int, _ uint32, nulls []int, to []class) (other bool) {
	clear(to)
	for k, at := range d.key {
		if nulls[k] == 0 {
			continue
		}
		a := d.columns[at].Chunks[chunk]
		for i := range n {
			if a.Null(lo + i) {
				to[i], other = keyless, true
			}
		}
	}
	for _, m := range d.listed {
		m.Each(chunk, lo, n, func(i int) {
			if to[i-lo] == plain {
				to[i-lo], other = listed, true
			}
		})
	}
	return other
}

// setAside finds the keys with NULL and those that are placeholders, and returns the other keys that repeat.
func (d *diagnosing) setAside(aside *[]uint32) (open []uint32, err error) {
	groups, columns := d.sorted.groups, newColumnSet(len(d.columns))
	for id := range uint32(groups.Len()) {
		if d.watch.Over() {
			return nil, d.watch.Err()
		}
		rows, cause := groups.Of(id), NullKey
		for _, at := range d.key {
			if d.columns[at].Null(rows[0]) {
				columns.add(at)
			}
		}
		if columns.empty() && d.often(len(rows)) {
			cause = Placeholder
			for k, at := range d.key {
				if d.listed[k].Has(rows[0]) {
					columns.add(at)
				}
			}
		}
		if columns.empty() {
			open = append(open, id)
			continue
		}
		*aside = append(*aside, id)
		d.found[cause].add(d, id, len(rows), columns)
		clear(columns)
	}
	return open, nil
}

// often says whether a number of rows is what a placeholder has: 3, and 3 times the mean of plain keys.
func (d *diagnosing) often(rows int) bool {
	keys, all := uint64(d.sorted.keys[plain]), uint64(d.sorted.rows[plain])
	return rows >= 3 && uint64(rows)*keys >= 3*all
}

// judge finds the cause of each of some keys that repeat.
func (d *diagnosing) judge(ids []uint32) error {
	var outside []int
	for at := range d.columns {
		if !d.inKey.has(at) {
			outside = append(outside, at)
		}
	}
	differ, err := d.differing(d.sorted.groups, ids, outside)
	if err != nil {
		return err
	}
	rest := 0
	for i, id := range ids {
		if d.watch.Over() {
			return d.watch.Err()
		}
		if differ[i].empty() {
			d.found[ExactCopies].add(d, id, len(d.sorted.groups.Of(id)), nil)
			continue
		}
		ids[rest], differ[rest] = id, differ[i]
		rest++
	}
	if rest == 0 {
		return nil
	}
	return d.judgeDiffering(ids[:rest], differ[:rest])
}

// judgeDiffering finds the cause of keys whose rows differ.
func (d *diagnosing) judgeDiffering(ids []uint32, differ []columnSet) error {
	pairs, err := d.rangePairs()
	if err != nil {
		return err
	}
	fits, err := d.findVersions(ids, differ, pairs)
	if err != nil {
		return err
	}
	inRange := newColumnSet(len(d.columns))
	for _, p := range pairs {
		inRange.add(p.start.at)
		inRange.add(p.end.at)
	}
	load := d.loadColumns(inRange)
	rest := 0
	for i, id := range ids {
		if d.watch.Over() {
			return d.watch.Err()
		}
		rows := len(d.sorted.groups.Of(id))
		switch {
		case fits[i] < len(pairs):
			columns := newColumnSet(len(d.columns))
			columns.add(pairs[fits[i]].start.at)
			columns.add(pairs[fits[i]].end.at)
			d.found[Versions].add(d, id, rows, columns)
		case differ[i].within(load):
			d.found[Retries].add(d, id, rows, differ[i])
		default:
			ids[rest], differ[rest] = id, differ[i]
			rest++
		}
	}
	return d.judgeRest(ids[:rest], differ[:rest], inRange)
}

// loadColumns returns the columns in which retries may differ.
func (d *diagnosing) loadColumns(inRange columnSet) columnSet {
	if d.load != nil {
		return d.load
	}
	load := newColumnSet(len(d.columns))
	for at, c := range d.columns {
		switch form.FamilyOf(c.Type) {
		case form.NaiveFamily, form.InstantFamily:
			if !d.inKey.has(at) && !inRange.has(at) {
				load.add(at)
			}
		}
	}
	return load
}

// judgeRest decides between a missing column and conflicts, for all keys that are left.
func (d *diagnosing) judgeRest(ids []uint32, differ []columnSet, inRange columnSet) error {
	var missing columnSet
	if len(ids) > 1 {
		columns, err := d.missingColumns(ids, differ, inRange)
		if err != nil {
			return err
		}
		if columns != nil {
			missing = newColumnSet(len(d.columns))
			for _, at := range columns {
				missing.add(at)
			}
		}
	}
	for i, id := range ids {
		if d.watch.Over() {
			return d.watch.Err()
		}
		rows := len(d.sorted.groups.Of(id))
		if missing != nil {
			d.found[MissingColumn].add(d, id, rows, missing)
		} else {
			d.found[Conflict].add(d, id, rows, differ[i])
		}
	}
	return nil
}
