package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/dedupe"
	"github.com/onerow-go/onerow/grain"
	"github.com/onerow-go/onerow/join"
)

// step is what the join would make after a remedy, and those before it.
type step struct {
	// Name is what was done, Call the function that did it, "" for the join as it is, and Note what else there is to say.
	Name, Call, Note string
	// LeftRows and RightRows are the rows that are joined, Inner and LeftJoin what is made of them, and Growth the rows of the left join for
	// each left row. Most is the number of right rows that one left row meets at most.
	LeftRows, RightRows int64
	Inner, LeftJoin     join.Count
	Growth              float64
	Most                int64
}

// cure applies the remedies that the causes ask for, one after the other, and looks each time at what is left of the growth.
type cure struct {
	q           question
	a           *result
	alloc       memory.Allocator
	left, right []arrow.Record
	on          join.Key
	owned       []arrow.Record
}

func newCure(q question, a *result, alloc memory.Allocator) *cure {
	return &cure{q: q, a: a, alloc: alloc, left: q.left.batches, right: q.right.batches, on: q.on}
}

func (c *cure) release() {
	for _, rec := range c.owned {
		rec.Release()
	}
}

// run tries the remedies in an order in which none hides what the next is about: copies are no versions, and what is joined by time comes last.
func (c *cure) run(ctx context.Context) error {
	c.measured(step{Name: "as it is"}, c.a.Size)
	if err := c.split(ctx); err != nil {
		return err
	}
	for _, r := range []struct {
		cause grain.Cause
		apply func(context.Context, *grain.Finding) error
	}{
		{grain.ExactCopies, c.dropCopies},
		{grain.Retries, c.keepLastLoad},
		{grain.MissingColumn, c.addColumns},
		{grain.Versions, c.matchVersions},
	} {
		f := c.a.finding(r.cause)
		if f == nil {
			continue
		}
		err := r.apply(ctx, f)
		if errors.Is(err, onerow.ErrType) { // an option that doesn't fit, such as a time that is compared with a date
			c.a.Open = append(c.a.Open, fmt.Sprintf("%v isn't worked out: %s", f.Cause, strings.ReplaceAll(err.Error(), "\n", "; ")))
			err = nil
		}
		if err != nil {
			return err
		}
	}
	if c.a.finding(grain.Versions) == nil {
		c.a.NoVersions = "No key of " + c.a.Right + " has versions: no two columns say from when to when its rows are valid."
		if c.q.time != "" {
			c.a.Open = append(c.a.Open, "nothing is joined by "+c.q.time+": "+c.a.Right+" has no versions")
		}
	}
	for _, cause := range []grain.Cause{grain.Conflict, grain.TextForm} {
		if f := c.a.finding(cause); f != nil {
			c.a.Open = append(c.a.Open, fmt.Sprintf("%v (%s): %s", cause, count(f.Keys, "key"), f.Remedy))
		}
	}
	return nil
}

// measured adds a step whose outcome is a size.
func (c *cure) measured(s step, size *join.Size) {
	s.LeftRows, s.RightRows, s.Most = size.Left.Rows, size.Right.Rows, size.Left.MaxFanOut
	s.Inner, s.LeftJoin, s.Growth = size.Rows.Inner, size.Rows.Left, size.Growth()
	c.a.Steps = append(c.a.Steps, s)
}

func (c *cure) estimate(ctx context.Context, s step) error {
	size, err := join.Estimate(ctx, c.left, c.right, c.on, join.Options{Nulls: c.q.nulls})
	if err != nil {
		return err
	}
	c.measured(s, size)
	return nil
}

// take replaces a side by some of its rows.
func (c *cure) take(ctx context.Context, side *[]arrow.Record, rows onerow.Rows) error {
	rec, err := onerow.Take(ctx, *side, rows, onerow.Resources{Allocator: c.alloc})
	if err != nil {
		return err
	}
	c.owned = append(c.owned, rec)
	*side = []arrow.Record{rec}
	return nil
}

// split puts NULLs and placeholders of both sides into quarantine.
func (c *cure) split(ctx context.Context) error {
	d, err := join.Split(ctx, c.left, c.right, c.on, join.SplitOptions{Nulls: c.q.nulls})
	if err != nil {
		return err
	}
	left, right := len(d.Left.Quarantine()), len(d.Right.Quarantine())
	if left == 0 && right == 0 {
		return nil
	}
	if err := errors.Join(c.take(ctx, &c.left, d.Left.Join), c.take(ctx, &c.right, d.Right.Join)); err != nil {
		return err
	}
	what := "NULLs and placeholders"
	if c.q.nulls == join.NullsEqual {
		what = "placeholders"
	}
	return c.estimate(ctx, step{Name: "quarantine " + what, Call: "join.Split",
		Note: fmt.Sprintf("%s and %s are set aside", count(int64(left), "left row"), count(int64(right), "right row"))})
}

// dropCopies keeps one of right rows that are equal in every column: the whole row is the key.
func (c *cure) dropCopies(ctx context.Context, _ *grain.Finding) error {
	return c.latest(ctx, columnNames(c.right), nil, step{Name: "keep one of exact copies", Call: "dedupe.Latest, by all columns"})
}

// keepLastLoad keeps the last of right rows that differ in load times alone.
func (c *cure) keepLastLoad(ctx context.Context, f *grain.Finding) error {
	var order []onerow.Order
	for _, column := range f.Columns {
		order = append(order, onerow.Desc(column).NullsLowest())
	}
	key := slices.DeleteFunc(columnNames(c.right), func(name string) bool { return slices.Contains(f.Columns, name) })
	return c.latest(ctx, key, order, step{Name: "keep the last load of each row", Call: "dedupe.Latest, ordered by " + strings.Join(f.Columns, ", ")})
}

// latest keeps the latest right row of each key. Rows that nothing tells apart are set aside.
func (c *cure) latest(ctx context.Context, key []string, order []onerow.Order, s step) error {
	plan, err := dedupe.Latest(ctx, c.right, key, order, dedupe.Options{NullKey: onerow.EqualNullKeys, Ties: dedupe.SetAsideTies})
	if err != nil {
		return err
	}
	s.Note = count(plan.Report.Superseded+plan.Report.Duplicates, "right row") + " dropped"
	if n := plan.Report.TiedRows; n > 0 {
		s.Note += ", " + count(n, "row") + " that nothing tells apart set aside"
	}
	if err := c.take(ctx, &c.right, plan.Rows); err != nil {
		return err
	}
	return c.estimate(ctx, s)
}

// addColumns joins by more columns, if the left side has them.
func (c *cure) addColumns(ctx context.Context, f *grain.Finding) error {
	on := c.on
	for _, column := range f.Columns {
		if !slices.Contains(c.q.left.columns(), column) {
			c.a.Open = append(c.a.Open, fmt.Sprintf("%v (%s): %s has no column %s", f.Cause, count(f.Keys, "key"), c.a.Left, column))
			return nil
		}
		on = on.And(column, column)
	}
	c.on = on
	return c.estimate(ctx, step{Name: "join by " + strings.Join(f.Columns, ", ") + " too", Call: "join.Key.And"})
}

// matchVersions gives each left row the version that was valid at its time; without a time, the latest version of each key is all that can be joined.
func (c *cure) matchVersions(ctx context.Context, f *grain.Finding) error {
	from, to := f.Columns[0], f.Columns[1]
	if err := c.drawVersions(ctx, from, to); err != nil {
		return err
	}
	if c.q.time == "" {
		return c.latest(ctx, c.on.Right, []onerow.Order{onerow.Desc(from)},
			step{Name: "keep the latest version of each key", Call: "dedupe.Latest, ordered by " + from})
	}
	facts := join.Facts{Batches: c.left, Key: c.on.Left, At: c.q.time}
	versions := join.Versions{Batches: c.right, Key: c.on.Right, ValidFrom: from, ValidTo: to}
	opts := join.RangeOptions{Nulls: c.q.nulls}
	between, err := join.Between(ctx, facts, versions, opts)
	if err != nil {
		return err
	}
	c.a.Steps = append(c.a.Steps, step{Name: "join by time: " + c.q.time + " within " + from + ", " + to, Call: "join.Between",
		LeftRows: between.Facts, RightRows: between.Versions.Rows, Inner: between.Inner, LeftJoin: between.Left,
		Growth: ratio(between.Left, between.Facts), Most: int64(between.Most)})
	matches, err := join.AsOf(ctx, facts, versions, opts)
	if err != nil {
		return err
	}
	r := matches.Report
	s := step{Name: "one version at most for each left row", Call: "join.AsOf", LeftRows: r.Facts, RightRows: r.Versions.Rows,
		Inner: join.CountOf(uint64(r.OK)), LeftJoin: join.CountOf(uint64(r.Facts)), Growth: 1, Most: min(1, r.OK)}
	var notes []string
	for _, n := range []struct {
		rows int64
		what string
	}{{r.Ambiguous, "met several versions"}, {r.BeforeFirst, "came before the first"}, {r.Gap, "fell into a gap"}, {r.NoKey, "had none"},
		{r.NullTime, "had no time"}} {
		if n.rows > 0 {
			notes = append(notes, fmt.Sprintf("%s %s", comma(n.rows), n.what))
		}
	}
	s.Note = strings.Join(notes, ", ")
	c.a.Steps = append(c.a.Steps, s)
	return nil
}

// ratio is rows for each of the left ones.
func ratio(n join.Count, rows int64) float64 {
	if rows == 0 {
		return 1
	}
	return n.Float64() / float64(rows)
}
