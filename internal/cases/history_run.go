package cases

import (
	"context"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/scd2"
)

// run makes the calls of the case with the history in all its forms, then with the changes of every call in theirs, then with
// the rows of both in other orders.
func (h *history) run(r *runner) {
	tables, err := h.build(r.mem)
	if err != nil {
		r.fail("tables", err.Error())
		return
	}
	defer tables.release()
	r.forms(tables.base, false, func(base []arrow.Record, _ bool) {
		r.variant = "history " + r.variant
		h.play(r, base, tables.steps, tables.state)
	})
	for _, f := range stepForms(r.mem, tables.steps) {
		r.variant = "changes " + f.name
		h.play(r, tables.base, f.steps, tables.state)
		f.release()
	}
	for seed := range uint64(seeds) {
		if !h.shuffle {
			break
		}
		base := arrowtest.Shuffled(r.mem, tables.base, seed)
		f := shuffledSteps(r.mem, tables.steps, seed)
		r.variant = "both " + f.name
		h.play(r, base.Batches, f.steps, tables.state)
		base.Release()
		f.release()
	}
}

// historyTables are the tables of a case.
type historyTables struct {
	base, state []arrow.Record
	steps       [][]arrow.Record
}

func (t *historyTables) release() {
	arrowtest.Release(t.base)
	arrowtest.Release(t.state)
	for _, s := range t.steps {
		arrowtest.Release(s)
	}
}

func (h *history) build(mem memory.Allocator) (_ *historyTables, err error) {
	t := &historyTables{}
	defer func() {
		if err != nil {
			t.release()
		}
	}()
	if t.base, err = h.base.Build(mem); err != nil {
		return nil, err
	}
	if h.state != nil {
		if t.state, err = h.state.Build(mem); err != nil {
			return nil, err
		}
	}
	for i, spec := range h.steps {
		batches, err := spec.Build(mem)
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", i, err)
		}
		t.steps = append(t.steps, batches)
	}
	return t, nil
}

// stepForm is one form of the changes of all calls.
type stepForm struct {
	name  string
	steps [][]arrow.Record
	owned []arrow.Record
}

func (f *stepForm) release() { arrowtest.Release(f.owned) }

// stepForms makes the forms of the changes of all calls. Short tables lack some forms; they stay as they are in these.
func stepForms(mem memory.Allocator, steps [][]arrow.Record) []*stepForm {
	var names []string
	byName := make([]map[string][]arrow.Record, len(steps))
	seen := make(map[string]bool)
	owned := make(map[string][]arrow.Record)
	for i, step := range steps {
		byName[i] = make(map[string][]arrow.Record)
		for _, v := range arrowtest.Variants(mem, step) {
			byName[i][v.Name] = v.Batches
			owned[v.Name] = append(owned[v.Name], v.Batches...)
			if !seen[v.Name] {
				seen[v.Name] = true
				names = append(names, v.Name)
			}
		}
	}
	var forms []*stepForm
	for _, name := range names {
		f := &stepForm{name: name, owned: owned[name]}
		for i, step := range steps {
			if batches, ok := byName[i][name]; ok {
				step = batches
			}
			f.steps = append(f.steps, step)
		}
		forms = append(forms, f)
	}
	return forms
}

func shuffledSteps(mem memory.Allocator, steps [][]arrow.Record, seed uint64) *stepForm {
	f := &stepForm{name: fmt.Sprint("shuffled ", seed)}
	for _, step := range steps {
		v := arrowtest.Shuffled(mem, step, seed+1)
		f.steps = append(f.steps, v.Batches)
		f.owned = append(f.owned, v.Batches...)
	}
	return f
}

// play makes the calls of the case, one a step, each on the history and with the state that the one before left.
func (h *history) play(r *runner, base []arrow.Record, steps [][]arrow.Record, state []arrow.Record) {
	r.call(func(mem memory.Allocator, res onerow.Resources) {
		c := &historyCalls{history: h, r: r, mem: mem, res: res, base: base, state: state}
		defer c.release()
		for i, changes := range steps {
			if !c.step(changes, i == len(steps)-1) {
				return
			}
		}
	})
}

// historyCalls are the calls of a case in one form.
type historyCalls struct {
	*history
	r   *runner
	mem memory.Allocator
	res onerow.Resources

	base, state []arrow.Record
	owned       []arrow.Record
}

func (c *historyCalls) release() { arrowtest.Release(c.owned) }

func (c *historyCalls) plan(base, changes, state []arrow.Record) (*scd2.Merge, error) {
	table, opts := c.table, c.opts
	table.Batches = base
	opts.State, opts.Resources = state, c.res
	return c.r.api.History.Plan(context.Background(), table, changes, opts)
}

// step makes one call and checks what came of it. It returns false if there is nothing to go on with.
func (c *historyCalls) step(changes []arrow.Record, last bool) bool {
	m, err := c.plan(c.base, changes, c.state)
	if err != nil || last {
		if c.r.settled(c.want.wantError, err) {
			return false
		}
	}
	next, state, ok := c.outcome(m, changes)
	if !ok {
		return false
	}
	c.again(changes, next, state)
	if last {
		if c.want.History != nil {
			c.r.sameRows("history", c.rows, arrowtest.All(next))
		}
		c.want.Plan.compare(c.r, m.Report)
		if empty := c.r.api.History.Empty(m); c.want.Empty != nil && empty != *c.want.Empty {
			c.r.fail(fmt.Sprint("empty ", *c.want.Empty), fmt.Sprint(empty))
		}
	}
	c.base, c.state = next, state
	return true
}

// outcome applies a plan, and checks it and what it leads to.
func (c *historyCalls) outcome(m *scd2.Merge, changes []arrow.Record) (next, state []arrow.Record, ok bool) {
	ctx := context.Background()
	if m == nil {
		c.r.fail("a plan", "nil")
		return nil, nil, false
	}
	check := &MergeCheck{Table: c.table, Changes: changes, Opts: c.opts, Open: c.open, Fail: c.r.fail}
	check.Table.Batches = c.base
	if !check.Plan(m) {
		return nil, nil, false
	}
	next, err := c.r.api.History.Apply(ctx, m, c.mem, c.base)
	if err != nil {
		c.r.settledApply(c.want.wantError, err)
		return nil, nil, false
	}
	c.owned = append(c.owned, next...)
	rec, err := c.r.api.History.State(ctx, m, c.mem)
	if err != nil {
		c.r.fail("a state", "error: "+err.Error())
		return nil, nil, false
	}
	c.owned = append(c.owned, rec)
	staged, err := c.r.api.History.Staged(ctx, m, c.mem)
	if err != nil {
		c.r.fail("staged rows", "error: "+err.Error())
		return nil, nil, false
	}
	defer staged.Release()
	if !check.Applied(m, next) {
		return nil, nil, false
	}
	check.Staged(m, staged, next)
	return next, []arrow.Record{rec}, true
}

// settledApply compares the error of applying a plan.
func (r *runner) settledApply(w wantError, err error) {
	if w.Error == "" {
		r.fail("a plan that can be applied", "error: "+err.Error())
		return
	}
	r.settled(w, err)
}

// again plans the same changes on what came of them: nothing may change.
func (c *historyCalls) again(changes, next, state []arrow.Record) {
	if c.opts.Mode != scd2.Changes {
		return
	}
	m, err := c.plan(next, changes, state)
	switch {
	case err != nil:
		c.r.fail("an empty plan for the same changes again", "error: "+err.Error())
	case !c.r.api.History.Empty(m):
		c.r.fail("an empty plan for the same changes again", fmt.Sprintf("%+v", m.Report))
	}
}
