package dedupe

import (
	"context"
	"errors"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/frame"
	"github.com/onerow-go/onerow/internal/keyset"
	"github.com/onerow-go/onerow/internal/order"
)

// job is a call of Latest with its columns found and its options checked.
//
// Rows are numbered over three parts: the batches, the target's batches, and the batches once more for their
// previous keys. The first two have content and order, all three have a key.
type job struct {
	opts    Options
	batches *frame.Frame
	target  *frame.Frame
	rows    uint32 // of the batches: the target's rows begin here
	known   uint32 // rows of batches and target: previous keys begin here

	events  *frame.Table   // batches and target
	content []*form.Column // over events: all columns of the batches
	common  []*form.Column // those of content that the target has too
	order   *order.Order
	by      []order.By
	orders  []onerow.Order // as given, one a column of by
	op      *form.Column   // over events; nil without
	deletes *form.Matcher
	fills   []fill

	keyed   *frame.Table // all three parts
	keyCols []*form.Column
	keys    *keyset.Keys

	guard   *Guard   // that the plan is one of; nil: of none
	state   uint64   // of the guard
	settled *settled // rows that the guard has decided: no events; nil: none

	// undecided says that the rows which no other of their key is greater than are all to be found, and nothing is decided between them.
	undecided bool

	nullKey  keyset.Bitmap // rows of the batches left out for a NULL key; nil: none
	report   Report
	progress *frame.Progress
}

type fill struct {
	*form.Column      // over events
	at           int  // position in the batches' schema
	inTarget     bool // the target has the column
	gone         *form.Matcher
}

// grouped says whether the call needs all rows of a key together, and not just its winner.
func (j *job) grouped() bool {
	return j.target.Rows > 0 || len(j.fills) > 0 || j.opts.Op.PreviousKey != nil || j.settled != nil
}

func newJob(batches []arrow.Record, key []string, by []onerow.Order, opts Options) (*job, error) {
	j := &job{opts: opts, orders: by}
	if err := checkOptions(key, by, opts); err != nil {
		return nil, err
	}
	var err error
	if j.batches, err = frame.New("batches", batches); err != nil {
		return nil, err
	}
	if j.target, err = frame.New("against", opts.Against); err != nil {
		return nil, err
	}
	if len(batches) == 0 {
		return j, nil
	}
	if err := j.layOut(key); err != nil {
		return nil, err
	}
	// What is wrong with several columns comes back together.
	var errs []error
	j.keyCols, err = j.keyed.Keys(key)
	errs = append(errs, err, j.setOrder(by), j.setOp(), j.setFills())
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if err := j.setContent(); err != nil {
		return nil, err
	}
	snapshot, err := j.matcher(j.op, opts.Op.Snapshot)
	if err != nil {
		return nil, err
	}
	j.order = order.New(j.by, j.op, snapshot)
	j.keys = keyset.NewKeys(j.keyCols, opts.NullKey == onerow.EqualNullKeys)
	j.progress = frame.NewProgress(opts.Resources)
	return j, nil
}

func checkOptions(key []string, by []onerow.Order, opts Options) error {
	if len(key) == 0 {
		return onerow.ErrNoKey
	}
	var errs []error
	bad := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("%w: "+format, append([]any{onerow.ErrOption}, args...)...))
	}
	if opts.NullKey > onerow.SetAsideNullKeys {
		bad("NullKey has no value %d", opts.NullKey)
	}
	if opts.Ties > SetAsideTies {
		bad("Ties has no value %d", opts.Ties)
	}
	for _, o := range by {
		if o.Nulls > onerow.NullsAreHighest {
			bad("Order of %q: Nulls has no value %d", o.Column, o.Nulls)
		}
	}
	if opts.Op.Column == "" && len(opts.Op.Delete)+len(opts.Op.Snapshot) > 0 {
		bad("Op has values to delete or of snapshot reads, but no Column")
	}
	if p := opts.Op.PreviousKey; p != nil && len(p) != len(key) {
		bad("Op.PreviousKey has %d columns, and the key has %d", len(p), len(key))
	}
	busy := map[string]string{opts.Op.Column: "the op column"}
	for _, k := range append(append([]string(nil), key...), opts.Op.PreviousKey...) {
		busy[k] = "a key column"
	}
	for _, o := range by {
		busy[o.Column] = "an order column"
	}
	for _, f := range opts.Fill {
		if what := busy[f.Column]; what != "" || f.Column == "" {
			bad("Fill of %q: it is %s", f.Column, what)
		}
		busy[f.Column] = "filled already"
	}
	return errors.Join(errs...)
}

// layOut numbers the rows of the three parts.
func (j *job) layOut(key []string) error {
	batches, target := frame.Part{Frame: j.batches}, frame.Part{Frame: j.target}
	var err error
	if j.events, err = frame.NewTable(batches, target); err != nil {
		return err
	}
	parts := []frame.Part{batches, target}
	if prev := j.opts.Op.PreviousKey; prev != nil {
		names := map[string]string{}
		for i, k := range key {
			names[k] = prev[i]
		}
		parts = append(parts, frame.Part{Frame: j.batches, Names: names})
	}
	if j.keyed, err = frame.NewTable(parts...); err != nil {
		return err
	}
	j.rows, j.known = uint32(j.batches.Rows), uint32(j.batches.Rows+j.target.Rows)
	j.report.In = j.batches.Rows
	return nil
}

func (j *job) setOrder(by []onerow.Order) error {
	var errs []error
	for _, o := range by {
		c, err := j.events.Column(o.Column, form.IsOrder)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		b := order.By{Column: c, Ascending: o.Ascending}
		if o.Nulls == onerow.NullsAreHighest {
			b.Nulls = order.Highest
		}
		j.by = append(j.by, b)
	}
	return errors.Join(errs...)
}

// setOp reads the op column; in the target it may be missing.
func (j *job) setOp() error {
	if j.opts.Op.Column == "" {
		return nil
	}
	if _, err := j.batches.Index(j.opts.Op.Column); err != nil {
		return err
	}
	t, err := frame.NewTable(frame.Part{Frame: j.batches}, frame.Part{Frame: j.target, Optional: true})
	if err != nil {
		return err
	}
	if j.op, err = t.Column(j.opts.Op.Column, nil); err != nil {
		return err
	}
	j.deletes, err = j.matcher(j.op, j.opts.Op.Delete)
	return err
}

func (j *job) matcher(c *form.Column, values []onerow.Value) (*form.Matcher, error) {
	if c == nil || len(values) == 0 {
		return nil, nil
	}
	m, err := form.NewMatcher(c.Type, values)
	if err != nil {
		return nil, &onerow.TypeError{Column: c.Name, Type: c.Type, Why: err.Error()}
	}
	return m, nil
}

// setContent reads all columns of the batches, and finds which of them the target has.
func (j *job) setContent() error {
	var errs []error
	for i, f := range j.batches.Schema.Fields() {
		c, shared, err := j.contentColumn(i, f.Name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		j.content = append(j.content, c)
		if shared {
			j.common = append(j.common, c)
		}
	}
	return errors.Join(errs...)
}

// contentColumn reads column i by its place: a column that is neither key nor order may share its name with another. It is
// compared with the target's column of that name if there is one, and one only.
func (j *job) contentColumn(i int, name string) (c *form.Column, shared bool, err error) {
	if len(j.batches.Schema.FieldIndices(name)) == 1 && len(j.target.Batches) > 0 {
		if _, err := j.target.Index(name); err == nil {
			c, err := j.events.Column(name, nil)
			return c, true, err
		}
	}
	c, err = j.events.ColumnAt(i)
	return c, false, err
}

func (j *job) setFills() error {
	var errs []error
	for _, f := range j.opts.Fill {
		at, err := j.batches.Index(f.Column)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		c, shared, err := j.contentColumn(at, f.Column)
		if err == nil && shared {
			mine, i := j.batches.Schema.Field(at).Type, j.target.Schema.FieldIndices(f.Column)[0]
			if other := j.target.Schema.Field(i).Type; !form.SameType(mine, other) {
				err = &onerow.TypeError{Column: f.Column, Type: mine, Input: "batches", OtherColumn: f.Column, OtherType: other, OtherInput: "against",
					Why: "a column to carry forward needs one type in batches and against"}
			}
		}
		var m *form.Matcher
		if err == nil {
			m, err = j.matcher(c, []onerow.Value{f.Unavailable})
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		j.fills = append(j.fills, fill{Column: c, at: at, inTarget: shared, gone: m})
	}
	return errors.Join(errs...)
}

// isDelete says whether a row of the batches or the target is a delete.
func (j *job) isDelete(row uint32) bool {
	return j.deletes != nil && j.op.Match(j.deletes, row)
}

// tieError names the keys of ties: the first few, with their rows.
func (j *job) tieError(ties []tie) error {
	e := &onerow.KeysError{Kind: onerow.ErrTie, Total: int64(len(ties)), Why: whyTied(ties)}
	for _, c := range j.keyCols {
		e.Columns = append(e.Columns, c.Name)
	}
	for _, t := range firstTies(ties) {
		e.Keys = append(e.Keys, frame.KeyRows(j.keyCols, int64(len(t.rows)), t.rows))
	}
	return e
}

// run works tasks off on the call's workers.
func (j *job) run(ctx context.Context, n int, do func(worker, task int) error) error {
	return keyset.Run(ctx, j.workers(), n, do)
}

func (j *job) workers() int { return j.opts.Resources.WorkerCount() }
