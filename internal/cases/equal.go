package cases

import (
	"context"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/dedupe"
	"github.com/onerow-go/onerow/grain"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/join"
)

// equal is a case of keys.equal: do two tables of one row and one column hold the same key?
type equal struct {
	left, right arrowtest.Spec
	key         []string
	oneType     bool // of both columns
	want        equalWant
}

type equalWant struct {
	wantError
	Equal *bool `json:"equal"`
}

func newEqual(c Case) (test, error) {
	if err := c.inputs("left", "right"); err != nil {
		return nil, err
	}
	e := &equal{left: c.Input["left"], right: c.Input["right"]}
	if c.Options != nil {
		return nil, fmt.Errorf("options: the call takes none")
	}
	if err := strict(c.Want, &e.want); err != nil {
		return nil, fmt.Errorf("want: %w", err)
	}
	if err := e.want.check(e.want.Equal != nil); err != nil {
		return nil, fmt.Errorf("want: %w", err)
	}
	left, err := single(e.left)
	if err != nil {
		return nil, fmt.Errorf("left: %w", err)
	}
	right, err := single(e.right)
	if err != nil {
		return nil, fmt.Errorf("right: %w", err)
	}
	if left.Name != right.Name {
		return nil, fmt.Errorf("the columns are named %q and %q", left.Name, right.Name)
	}
	e.key = []string{left.Name}
	e.oneType = left.Equal(right)
	return e, nil
}

// single returns the one column of a table of one row.
func single(s arrowtest.Spec) (arrow.Field, error) {
	if len(s.Columns) != 1 || len(s.Rows) != 1 {
		return arrow.Field{}, fmt.Errorf("%d columns and %d rows, want one of each", len(s.Columns), len(s.Rows))
	}
	return arrowtest.Field(s.Columns[0])
}

// run asks whether one is a replay of the other, each being the target once: through all forms of each beside the other
// as given, and through all forms of both at once. Where the columns have one type, it asks as well how many keys the two
// rows have in one table.
func (e *equal) run(r *runner) {
	left, err := e.left.Build(r.mem)
	if err != nil {
		r.fail("a table", err.Error())
		return
	}
	defer arrowtest.Release(left)
	right, err := e.right.Build(r.mem)
	if err != nil {
		r.fail("a table", err.Error())
		return
	}
	defer arrowtest.Release(right)

	e.apart(r, left, right)
	if e.oneType {
		e.together(r, "left, right: ", left[0], right[0])
		e.together(r, "right, left: ", right[0], left[0])
	}
}

// apart asks about one row against the other, in the forms of both.
func (e *equal) apart(r *runner, left, right []arrow.Record) {
	lefts, rights := arrowtest.Variants(r.mem, left), arrowtest.Variants(r.mem, right)
	defer lefts.Release()
	defer rights.Release()
	for i := range max(len(lefts), len(rights)) {
		one, other := lefts[i%len(lefts)], rights[i%len(rights)]
		e.both(r, one, rights[0])
		e.both(r, lefts[0], other)
		e.both(r, one, other)
	}
}

// together asks about both rows in one table, in all its forms.
func (e *equal) together(r *runner, name string, rows ...arrow.Record) {
	r.forms(rows, false, func(batches []arrow.Record, _ bool) {
		r.variant = name + r.variant
		r.call(func(_ memory.Allocator, res onerow.Resources) { e.dedupe(r, batches, res) })
		r.call(func(_ memory.Allocator, res onerow.Resources) { e.grain(r, batches, res) })
	})
}

// both asks in both directions.
func (e *equal) both(r *runner, left, right arrowtest.Variant) {
	r.variant = fmt.Sprintf("left %s, against right %s", left.Name, right.Name)
	r.call(func(_ memory.Allocator, res onerow.Resources) { e.against(r, left.Batches, right.Batches, res) })
	r.call(func(_ memory.Allocator, res onerow.Resources) { e.join(r, left.Batches, right.Batches, res) })
	r.variant = fmt.Sprintf("right %s, against left %s", right.Name, left.Name)
	r.call(func(_ memory.Allocator, res onerow.Resources) { e.against(r, right.Batches, left.Batches, res) })
	r.call(func(_ memory.Allocator, res onerow.Resources) { e.join(r, right.Batches, left.Batches, res) })
}

// against asks whether the row of the batches is a replay of the target's.
func (e *equal) against(r *runner, batches, target []arrow.Record, res onerow.Resources) {
	plan, err := r.api.Latest(context.Background(), batches, e.key, nil,
		dedupe.Options{NullKey: onerow.EqualNullKeys, Against: target, Resources: res})
	if r.settled(e.want.wantError, err) {
		return
	}
	if !r.conserves(plan, batches, e.key) {
		return
	}
	p := plan.Report
	same := p.Kept == 0 && p.Stale == 1 && p.Replays == 1
	other := p.Kept == 1 && p.Stale == 0 && p.Replays == 0
	if same == other || same != *e.want.Equal {
		r.fail(fmt.Sprintf("equal %v", *e.want.Equal), fmt.Sprintf("kept %d, stale %d, replays %d", p.Kept, p.Stale, p.Replays))
	}
}

// join asks whether the two rows meet.
func (e *equal) join(r *runner, left, right []arrow.Record, res onerow.Resources) {
	size, err := r.api.Estimate(context.Background(), left, right, join.On(e.key...), join.Options{Nulls: join.NullsEqual, Resources: res})
	if r.settled(e.want.wantError, err) {
		return
	}
	if size == nil {
		r.fail("a size", "nil")
		return
	}
	r.soundSize(size, [2][]arrow.Record{left, right})
	if same := size.Rows.Inner == join.CountOf(1); size.Rows.Inner.Cmp(join.CountOf(1)) > 0 || same != *e.want.Equal {
		r.fail(fmt.Sprintf("equal %v", *e.want.Equal), fmt.Sprintf("inner %v", size.Rows.Inner))
	}
}

// dedupe asks how many rows of the table stay.
func (e *equal) dedupe(r *runner, batches []arrow.Record, res onerow.Resources) {
	plan, err := r.api.Latest(context.Background(), batches, e.key, nil,
		dedupe.Options{NullKey: onerow.EqualNullKeys, Ties: dedupe.TiesByContent, Resources: res})
	if r.settled(e.want.wantError, err) {
		return
	}
	if !r.conserves(plan, batches, e.key) {
		return
	}
	p := plan.Report
	same := p.Kept == 1 && p.Duplicates == 1
	other := p.Kept == 2 && p.Duplicates == 0
	if same == other || same != *e.want.Equal {
		r.fail(fmt.Sprintf("equal %v", *e.want.Equal), fmt.Sprintf("kept %d, duplicates %d, superseded %d", p.Kept, p.Duplicates, p.Superseded))
	}
}

// grain asks how many keys the table has.
func (e *equal) grain(r *runner, batches []arrow.Record, res onerow.Resources) {
	rep, err := r.api.Check(context.Background(), batches, e.key, grain.Options{Nulls: grain.NullsEqual, Resources: res})
	if r.settled(e.want.wantError, err) {
		return
	}
	if rep == nil {
		r.fail("a report", "nil")
		return
	}
	r.addsUp(rep, grain.NullsEqual, batches)
	if same := rep.Keys == 1; rep.Keys < 1 || rep.Keys > 2 || same != *e.want.Equal {
		r.fail(fmt.Sprintf("equal %v", *e.want.Equal), fmt.Sprintf("keys %d", rep.Keys))
	}
}
