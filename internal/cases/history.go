package cases

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/scd2"
)

// HistoryAPI is what cases of scd2.plan call.
type HistoryAPI struct {
	Plan   func(context.Context, scd2.Table, []arrow.Record, scd2.Options) (*scd2.Merge, error)
	Empty  func(*scd2.Merge) bool
	Apply  func(context.Context, *scd2.Merge, memory.Allocator, []arrow.Record) ([]arrow.Record, error)
	State  func(context.Context, *scd2.Merge, memory.Allocator) (arrow.Record, error)
	Staged func(context.Context, *scd2.Merge, memory.Allocator) (arrow.Record, error)
}

var publicHistory = HistoryAPI{
	Plan:  scd2.Plan,
	Empty: (*scd2.Merge).Empty,
	Apply: func(ctx context.Context, m *scd2.Merge, mem memory.Allocator, history []arrow.Record) ([]arrow.Record, error) {
		return m.Apply(ctx, mem, history)
	},
	State: func(ctx context.Context, m *scd2.Merge, mem memory.Allocator) (arrow.Record, error) {
		return m.State(ctx, mem)
	},
	Staged: func(ctx context.Context, m *scd2.Merge, mem memory.Allocator) (arrow.Record, error) {
		return m.Staged(ctx, mem)
	},
}

// history is a case of scd2.plan.
type history struct {
	base    arrowtest.Spec
	changes arrowtest.Spec // of one call
	steps   []arrowtest.Spec
	state   *arrowtest.Spec
	shuffle bool

	table scd2.Table // without Batches
	opts  scd2.Options
	open  any // the sentinel as a value

	want historyWant
	rows [][]any // want.History as values
}

type historyWant struct {
	wantError
	History *[][]any `json:"history"`
	Plan    counts   `json:"plan"`
	Empty   *bool    `json:"empty"`
}

type historyOptions struct {
	Key       *[]string     `json:"key"`
	Mode      string        `json:"mode"`
	At        []orderOption `json:"at"`
	Now       any           `json:"now"`
	Tracked   []string      `json:"tracked"`
	ValidFrom string        `json:"valid_from"`
	ValidTo   string        `json:"valid_to"`
	Current   string        `json:"current"`
	Deleted   string        `json:"deleted"`
	OpenEnd   any           `json:"open_end"`
	Op        struct {
		Column   string `json:"column"`
		Delete   []any  `json:"delete"`
		Truncate []any  `json:"truncate"`
	} `json:"op"`
	Late       string      `json:"late"`
	Unchanged  string      `json:"unchanged"`
	Deletes    string      `json:"deletes"`
	Ties       string      `json:"ties"`
	Absent     string      `json:"absent"`
	MaxClose   json.Number `json:"max_close"`
	AllowEmpty bool        `json:"allow_empty"`
	NullKey    string      `json:"null_key"`
	Columns    struct {
		Missing string `json:"missing"`
	} `json:"columns"`
}

func newHistory(c Case) (test, error) {
	inputs := []string{"history", "changes"}
	h := &history{base: c.Input["history"], changes: c.Input["changes"], shuffle: !c.OrderMatters}
	if state, ok := c.Input["state"]; ok {
		h.state, inputs = &state, append(inputs, "state")
	}
	if err := c.inputs(inputs...); err != nil {
		return nil, err
	}
	schema, err := arrowtest.Schema(h.base.Columns)
	if err != nil {
		return nil, err
	}
	if err := h.readSteps(c); err != nil {
		return nil, fmt.Errorf("steps: %w", err)
	}
	if err := h.readOptions(c, schema); err != nil {
		return nil, fmt.Errorf("options: %w", err)
	}
	if err := h.readWant(c, schema); err != nil {
		return nil, fmt.Errorf("want: %w", err)
	}
	return h, nil
}

// readSteps reads the changes of each call.
func (h *history) readSteps(c Case) error {
	if c.Steps == nil {
		h.steps = []arrowtest.Spec{h.changes}
		return nil
	}
	if len(h.changes.Rows)+len(h.changes.Batches) > 0 {
		return fmt.Errorf("the changes have rows beside the steps")
	}
	var steps [][][]any
	if err := strict(c.Steps, &steps); err != nil {
		return err
	}
	for _, rows := range steps {
		h.steps = append(h.steps, arrowtest.Spec{Columns: h.changes.Columns, Rows: rows})
	}
	if len(h.steps) == 0 {
		return fmt.Errorf("there are none")
	}
	return nil
}

func (h *history) readOptions(c Case, schema *arrow.Schema) error {
	var o historyOptions
	if err := strict(c.Options, &o); err != nil {
		return err
	}
	if o.Key == nil {
		return fmt.Errorf("no key, not even an empty one")
	}
	h.table = scd2.Table{Key: *o.Key, ValidFrom: o.ValidFrom, ValidTo: o.ValidTo, Current: o.Current, Deleted: o.Deleted}
	h.opts.Tracked, h.opts.AllowEmpty = o.Tracked, o.AllowEmpty
	for _, one := range o.At {
		order, err := one.order()
		if err != nil {
			return err
		}
		h.opts.At = append(h.opts.At, order)
	}
	if o.MaxClose != "" {
		share, err := o.MaxClose.Float64()
		if err != nil {
			return err
		}
		h.opts.MaxClose = share
	}
	if err := h.readChoices(o); err != nil {
		return err
	}
	if err := h.readOp(o); err != nil {
		return err
	}
	return h.readTimes(o, schema)
}

func (h *history) readChoices(o historyOptions) (err error) {
	keep := func(e error) {
		if err == nil {
			err = e
		}
	}
	var e error
	h.opts.Mode, e = choose("mode", o.Mode, map[string]scd2.Mode{"changes": scd2.Changes, "snapshot": scd2.Snapshot})
	keep(e)
	h.opts.Late, e = choose("late", o.Late, map[string]scd2.Late{"rewrite": scd2.RewriteLate, "ignore": scd2.IgnoreLate, "reject": scd2.RejectLate})
	keep(e)
	h.opts.Unchanged, e = choose("unchanged", o.Unchanged, map[string]scd2.Unchanged{"collapse": scd2.CollapseUnchanged, "keep": scd2.KeepUnchanged})
	keep(e)
	h.opts.Deletes, e = choose("deletes", o.Deletes, map[string]scd2.Deletes{"close": scd2.DeletesClose, "row": scd2.DeletesAsRows})
	keep(e)
	h.opts.Ties, e = choose("ties", o.Ties, map[string]scd2.Ties{"reject": scd2.RejectTies, "content": scd2.TiesByContent, "set_aside": scd2.SetAsideTies})
	keep(e)
	h.opts.Absent, e = choose("absent", o.Absent, map[string]scd2.Absent{"close": scd2.AbsentCloses, "keep": scd2.AbsentKept})
	keep(e)
	h.opts.Columns.Missing, e = choose("missing", o.Columns.Missing, map[string]scd2.Missing{"keep": scd2.KeepMissing, "null": scd2.NullMissing})
	keep(e)
	h.opts.NullKey, e = choose("null_key", o.NullKey, map[string]onerow.NullKey{
		"reject": onerow.RejectNullKeys, "equal": onerow.EqualNullKeys, "set_aside": onerow.SetAsideNullKeys})
	keep(e)
	return err
}

func (h *history) readOp(o historyOptions) error {
	schema, err := arrowtest.Schema(h.changes.Columns)
	if err != nil {
		return err
	}
	h.opts.Op.Column = o.Op.Column
	if h.opts.Op.Delete, err = optionValues(schema, o.Op.Column, o.Op.Delete...); err != nil {
		return err
	}
	h.opts.Op.Truncate, err = optionValues(schema, o.Op.Column, o.Op.Truncate...)
	return err
}

// readTimes reads the clock and the open end as values of the boundary columns.
func (h *history) readTimes(o historyOptions, schema *arrow.Schema) (err error) {
	if o.Now != nil {
		if h.opts.Now, err = timeOption(schema, h.validFrom(), o.Now); err != nil {
			return err
		}
	}
	if o.OpenEnd == nil {
		return nil
	}
	if h.table.OpenEnd, err = timeOption(schema, h.validTo(), o.OpenEnd); err != nil {
		return err
	}
	fields, ok := schema.FieldsByName(h.validTo())
	if !ok {
		return nil
	}
	h.open, err = arrowtest.Value(fields[0].Type, o.OpenEnd)
	return err
}

// timeOption makes the Go value for a boundary column. A number for a date or timestamp is the raw value in the column's unit.
func timeOption(schema *arrow.Schema, column string, cell any) (any, error) {
	if _, isText := cell.(string); !isText {
		if fields, ok := schema.FieldsByName(column); ok {
			v, err := arrowtest.Value(fields[0].Type, cell)
			if err != nil {
				return nil, err
			}
			switch v := v.(type) {
			case arrowtest.Timestamp:
				return time.Unix(v.Sec, int64(v.Nano)).UTC(), nil
			case arrowtest.Date:
				return time.UnixMilli(int64(v)).UTC(), nil
			}
		}
	}
	return optionValue(schema, column, cell)
}

func (h *history) readWant(c Case, schema *arrow.Schema) (err error) {
	if err := strict(c.Want, &h.want); err != nil {
		return err
	}
	if err := h.want.check(h.want.History != nil || h.want.Plan != nil || h.want.Empty != nil); err != nil {
		return err
	}
	if h.want.History != nil {
		if h.rows, err = arrowtest.Values(schema, *h.want.History); err != nil {
			return err
		}
	}
	return h.want.Plan.check(scd2.Report{})
}

func (h *history) validFrom() string { return named(h.table.ValidFrom, scd2.DefaultValidFrom) }
func (h *history) validTo() string   { return named(h.table.ValidTo, scd2.DefaultValidTo) }

func named(name, otherwise string) string {
	if name == "" {
		return otherwise
	}
	return name
}
