package cases

import (
	"context"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/dedupe"
	"github.com/onerow-go/onerow/internal/arrowtest"
)

// latest is a case of dedupe.latest.
type latest struct {
	spec    arrowtest.Spec
	shuffle bool

	key   []string
	order []onerow.Order
	opts  dedupe.Options

	want     latestWant
	rows     [][]any // want.Rows and want.SetAside as values
	setAside [][]any
}

type latestWant struct {
	wantError
	Rows     *[][]any `json:"rows"`
	SetAside *[][]any `json:"set_aside"`
	Report   counts   `json:"report"`
}

type latestOptions struct {
	Key     *[]string     `json:"key"`
	Order   []orderOption `json:"order"`
	NullKey string        `json:"null_key"`
	Ties    string        `json:"ties"`
	Op      struct {
		Column   string `json:"column"`
		Delete   []any  `json:"delete"`
		Snapshot []any  `json:"snapshot"`
	} `json:"op"`
	Fill []struct {
		Column      string `json:"column"`
		Unavailable any    `json:"unavailable"`
	} `json:"fill"`
}

func newLatest(c Case) (test, error) {
	if err := c.inputs("changes"); err != nil {
		return nil, err
	}
	l := &latest{spec: c.Input["changes"], shuffle: !c.OrderMatters}
	schema, err := arrowtest.Schema(l.spec.Columns)
	if err != nil {
		return nil, err
	}
	if err := l.readOptions(c, schema); err != nil {
		return nil, fmt.Errorf("options: %w", err)
	}
	if err := l.readWant(c, schema); err != nil {
		return nil, fmt.Errorf("want: %w", err)
	}
	return l, nil
}

func (l *latest) readOptions(c Case, schema *arrow.Schema) (err error) {
	var o latestOptions
	if err := strict(c.Options, &o); err != nil {
		return err
	}
	if o.Key == nil {
		return fmt.Errorf("no key, not even an empty one")
	}
	l.key = *o.Key
	for _, one := range o.Order {
		order, err := one.order()
		if err != nil {
			return err
		}
		l.order = append(l.order, order)
	}
	if l.opts.NullKey, err = choose("null_key", o.NullKey, map[string]onerow.NullKey{
		"reject": onerow.RejectNullKeys, "equal": onerow.EqualNullKeys, "set_aside": onerow.SetAsideNullKeys}); err != nil {
		return err
	}
	if l.opts.Ties, err = choose("ties", o.Ties, map[string]dedupe.Ties{"reject": dedupe.RejectTies, "content": dedupe.TiesByContent,
		"first": dedupe.FirstTied, "last": dedupe.LastTied, "set_aside": dedupe.SetAsideTies}); err != nil {
		return err
	}
	l.opts.Op.Column = o.Op.Column
	if l.opts.Op.Delete, err = optionValues(schema, o.Op.Column, o.Op.Delete...); err != nil {
		return err
	}
	if l.opts.Op.Snapshot, err = optionValues(schema, o.Op.Column, o.Op.Snapshot...); err != nil {
		return err
	}
	for _, f := range o.Fill {
		v, err := optionValues(schema, f.Column, f.Unavailable)
		if err != nil {
			return err
		}
		l.opts.Fill = append(l.opts.Fill, dedupe.Fill{Column: f.Column, Unavailable: v[0]})
	}
	return nil
}

func (l *latest) readWant(c Case, schema *arrow.Schema) (err error) {
	if err := strict(c.Want, &l.want); err != nil {
		return err
	}
	if err := l.want.check(l.want.Rows != nil || l.want.SetAside != nil || l.want.Report != nil); err != nil {
		return err
	}
	if l.want.Rows != nil {
		if l.rows, err = arrowtest.Values(schema, *l.want.Rows); err != nil {
			return err
		}
	}
	if l.want.SetAside != nil {
		if l.setAside, err = arrowtest.Values(schema, *l.want.SetAside); err != nil {
			return err
		}
	}
	return l.want.Report.check(dedupe.Report{})
}

func (l *latest) run(r *runner) {
	table, err := l.spec.Build(r.mem)
	if err != nil {
		r.fail("a table", err.Error())
		return
	}
	defer arrowtest.Release(table)
	r.forms(table, l.shuffle, func(batches []arrow.Record, _ bool) {
		r.call(func(mem memory.Allocator, res onerow.Resources) { l.call(r, batches, mem, res) })
		r.call(func(_ memory.Allocator, res onerow.Resources) { l.stream(r, batches, res) })
	})
}

func (l *latest) call(r *runner, batches []arrow.Record, mem memory.Allocator, res onerow.Resources) {
	opts := l.opts
	opts.Resources = res
	plan, err := r.api.Latest(context.Background(), batches, l.key, l.order, opts)
	if r.settled(l.want.wantError, err) {
		return
	}
	if !r.conserves(plan, batches, l.key) {
		return
	}
	if l.want.SetAside != nil {
		r.sameRows("set aside", l.setAside, arrowtest.Rows(batches, plan.SetAside))
	}
	l.want.Report.compare(r, plan.Report)

	taken, err := r.api.Take(context.Background(), plan, mem)
	if err != nil {
		r.fail("rows taken", "error: "+err.Error())
		return
	}
	defer taken.Release()
	if r.isTaken(plan, taken, batches, l.filled) && l.want.Rows != nil {
		r.sameRows("rows", l.rows, arrowtest.Cells(taken))
	}
}

// filled says whether carry-forward may change a column.
func (l *latest) filled(column string) bool {
	for _, f := range l.opts.Fill {
		if f.Column == column {
			return true
		}
	}
	return false
}
