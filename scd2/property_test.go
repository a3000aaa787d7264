package scd2_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/oracle"
	"github.com/onerow-go/onerow/scd2"
)

// TestPlanProperties runs the properties of Plan on random histories.
func TestPlanProperties(t *testing.T) { checkPlanProperties(t) }

// TestPlanUnderOneHash runs them again while every hash is the same: a hash may only ever reject.
func TestPlanUnderOneHash(t *testing.T) {
	form.ConstantHash(true)
	defer form.ConstantHash(false)
	checkPlanProperties(t)
	t.Run("larger", largerHistories)
}

// TestPlanLarger lets thousands of events come to hundreds of keys.
func TestPlanLarger(t *testing.T) { largerHistories(t) }

func largerHistories(t *testing.T) {
	for seed := range uint64(3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			st := &stage{t: t, src: random{rand.New(rand.NewPCG(seed, 0))}, alloc: arrowtest.Allocator(t)}
			st.scene = largerScene(st.src)
			first := act{history: st.build(st.given)}
			a := first
			for from := 0; from < len(st.events); {
				to := min(from+1+st.src.Choose("in one call", 1000), len(st.events))
				a = st.play(a, st.events[from:to])
				from = to
			}
			st.same("larger", first, a, st.events, nil)
		})
	}
}

func checkPlanProperties(t *testing.T) {
	for _, p := range planProperties {
		t.Run(p.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { p.holds(&stage{t: t, src: drawn{t}, alloc: arrowtest.Allocator(t)}) })
		})
	}
}

var planProperties = []struct {
	name  string
	holds func(st *stage)
}{
	{"oracle", agreesWithReplay},
	{"arrivals", sameForAllArrivals},
	{"forms", sameForAllForms},
	{"ties", refusesTies},
	{"late", ignoresLateEvents},
	{"snapshots", followsSnapshots},
	{"partial", neverGuesses},
	{"watermark", appliesNothingBelow},
	{"groups", keepsGroupsApart},
}

// stage is what one trial of a property works with. What it makes is released when the trial ends.
type stage struct {
	t     arrowtest.TB
	src   oracle.Source
	alloc *memory.CheckedAllocator
	*scene
	spoken []string // for keepsGroupsApart
	plans  int      // calls of Plan
}

func (st *stage) build(g grid) []arrow.Record {
	st.t.Helper()
	return arrowtest.Table(st.t, st.alloc, g.columns, g.rows)
}

// set makes the scene of the trial, and its first history.
func (st *stage) set(m may) act {
	st.scene = newScene(st.src, m)
	return act{history: st.build(st.given)}
}

// act is what a call leaves: a history and a state.
type act struct {
	history, state []arrow.Record
}

func (st *stage) changes(events []event) []arrow.Record {
	return st.build(grid{st.columns, st.rows(events)})
}

// plan calls Plan, and checks what holds of every plan.
func (st *stage) plan(a act, changes []arrow.Record) (*scd2.Merge, error) {
	st.t.Helper()
	table, opts := st.table, st.opts
	table.Batches, opts.State = a.history, a.state
	opts.Resources = onerow.Resources{Workers: []int{1, 2, 5}[st.src.Choose("workers", 3)], Allocator: st.alloc}
	m, err := scd2.Plan(context.Background(), table, changes, opts)
	if m != nil && err != nil {
		st.t.Fatalf("a plan beside the error %v\n%v", err, st.scene)
	}
	if st.plans++; st.plans%4 == 1 {
		sameEitherWay(st.t, table, changes, opts, st.alloc)
	}
	return m, err
}

// play plans events and applies the plan.
func (st *stage) play(a act, events []event) act {
	st.t.Helper()
	changes := st.changes(events)
	m, err := st.plan(a, changes)
	if err != nil {
		st.t.Fatalf("%v\nafter %v came %v\n%v", err, rowsText(a), st.rows(events), st.scene)
	}
	return st.follow(a, changes, m)
}

// follow applies a plan, and checks it, and that the same changes again change nothing.
func (st *stage) follow(a act, changes []arrow.Record, m *scd2.Merge) act {
	st.t.Helper()
	next := st.apply(a, changes, m)
	if st.opts.Mode != scd2.Changes {
		return next
	}
	again, err := st.plan(next, changes)
	if err != nil {
		st.t.Fatalf("the same changes again: %v\nafter %v\ncame %v twice\n%v", err, rowsText(a), arrowtest.FormatRows(arrowtest.All(changes)), st.scene)
	}
	if !again.Empty() {
		st.t.Fatalf("the same changes again: %+v\nafter %v\ncame %v twice, which makes %v\n%v", again.Report, rowsText(a),
			arrowtest.FormatRows(arrowtest.All(changes)), rowsText(next), st.scene)
	}
	return next
}

func rowsText(a act) string {
	text := "\n" + arrowtest.FormatRows(arrowtest.All(a.history))
	if a.state != nil {
		text += fmt.Sprintf("with state %v\n", a.state[0].Schema().Fields()) + arrowtest.FormatRows(arrowtest.All(a.state))
	}
	return text
}

// arrivals deals the events out over calls, in any order.
func (st *stage) arrivals(events []event) [][]event {
	var order []int
	for i := range events {
		order = slices.Insert(order, st.src.Choose("arrives", len(order)+1), i)
	}
	var steps [][]event
	for from := 0; from < len(order); {
		to := from + 1 + st.src.Choose("in one call", len(order)-from)
		steps = append(steps, pick(events, order[from:to]))
		from = to
	}
	return steps
}

// lines writes histories so that rows which are equal read alike, open ends too, in any order.
func (st *stage) lines(rows [][]oracle.Value) []string {
	end := slices.Index(names(st.given.columns), "valid_to")
	open := ""
	if st.table.OpenEnd != nil {
		open = oracle.Canonical(oracle.Rows(st.build(grid{[]string{"end:" + st.line.types[0]}, [][]any{{st.line.open}}})...)[0])
	}
	out := []string{}
	for _, r := range rows {
		line := slices.Clone(r)
		if oracle.Canonical(r[end:end+1]) == open {
			line[end] = oracle.Value{}
		}
		out = append(out, oracle.Canonical(line))
	}
	slices.Sort(out)
	return out
}

func names(columns []string) []string {
	out := make([]string, len(columns))
	for i, c := range columns {
		f, err := arrowtest.Field(c)
		if err != nil {
			panic(err)
		}
		out[i] = f.Name
	}
	return out
}

// replay asks the oracle for the history that all events make of the first.
func (st *stage) replay(first act, events []event) ([]string, error) {
	table := st.table
	table.Batches = first.history
	rows, err := oracle.History(table, st.changes(events), st.opts)
	return st.lines(rows), err
}

func (st *stage) same(what string, first, last act, events []event, steps [][]event) {
	st.t.Helper()
	want, err := st.replay(first, events)
	if err != nil {
		st.t.Fatalf("the oracle refuses: %v\n%v", err, st.scene)
	}
	if d := cmp.Diff(want, st.lines(oracle.Rows(last.history...))); d != "" {
		var came []any
		for _, s := range steps {
			came = append(came, st.rows(s))
		}
		st.t.Fatalf("%s (-oracle +got):\n%s\nsteps %v\nmade %v\n%v", what, d, came, rowsText(last), st.scene)
	}
}

// One call makes what the oracle makes.
func agreesWithReplay(st *stage) {
	first := st.set(may{silent: true})
	st.same("one call", first, st.play(first, st.events), st.events, nil)
}

// With state handed on, all orders and batchings of the same events make the same history, which is the oracle's.
func sameForAllArrivals(st *stage) {
	first := st.set(may{})
	steps := st.arrivals(st.events)
	a := first
	for _, s := range steps {
		a = st.play(a, s)
	}
	st.same("in steps", first, a, st.events, steps)
}

// Cuts, encodings, offsets and workers change nothing.
func sameForAllForms(st *stage) {
	a := st.set(may{})
	if steps := st.arrivals(st.events); len(steps) > 1 {
		a, st.events = st.play(a, steps[0]), steps[1]
	}
	changes := st.changes(st.events)
	m, err := st.plan(a, changes)
	if err != nil {
		st.t.Fatalf("%v\n%v", err, st.scene)
	}
	want := st.describe(a, changes, m)
	b, otherChanges := a, changes
	switch st.src.Choose("in another form", 3) {
	case 0:
		b.history = st.form(a.history)
	case 1:
		otherChanges = st.form(changes)
	case 2:
		b.state = st.form(a.state)
	}
	if m, err = st.plan(b, otherChanges); err != nil {
		st.t.Fatalf("in another form: %v\n%v", err, st.scene)
	}
	if d := cmp.Diff(want, st.describe(b, otherChanges, m)); d != "" {
		st.t.Fatalf("in another form (-as given +other):\n%s\nof %v and %v\n%v", d, b.history[0].Schema(), otherChanges[0].Schema(), st.scene)
	}
}

func (st *stage) form(batches []arrow.Record) []arrow.Record {
	if batches == nil {
		return nil
	}
	forms := arrowtest.Variants(st.alloc, batches)
	st.t.Cleanup(forms.Release)
	return forms[st.src.Choose("form", len(forms))].Batches
}

// describe writes a plan and what it leads to.
func (st *stage) describe(a act, changes []arrow.Record, m *scd2.Merge) map[string]any {
	st.t.Helper()
	next := st.apply(a, changes, m)
	text := map[string]any{"inserts": m.Inserts, "closes": m.Closes, "rewrites": m.Rewrites, "removes": m.Removes, "unchanged": m.Unchanged,
		"ignored": m.Ignored, "rejected": m.Rejected, "report": m.Report, "empty": m.Empty()}
	for name, recs := range map[string][]arrow.Record{"history": next.history, "state": next.state} {
		var rows []string
		for _, r := range oracle.Rows(recs...) {
			rows = append(rows, oracle.Canonical(r))
		}
		text[name] = rows
	}
	return text
}

// Ties are refused when the oracle refuses them, and only then; set aside, they leave their key alone.
func refusesTies(st *stage) {
	first := st.set(may{ties: true, events: 6})
	if st.orders > 0 && st.opts.Tracked != nil {
		return // whether it is a tie or a correction
	}
	changes := st.changes(st.events)
	_, wantErr := st.replay(first, st.events)
	m, err := st.plan(first, changes)
	if errors.Is(err, onerow.ErrTie) != errors.Is(wantErr, onerow.ErrTie) || (err == nil) != (wantErr == nil) {
		st.t.Fatalf("got error %v, want %v\n%v", err, wantErr, st.scene)
	}
	if err == nil {
		last := st.follow(first, changes, m)
		st.same("ties", first, last, st.events, nil)
		return
	}
	var keys *onerow.KeysError
	if !errors.As(err, &keys) || keys.Total == 0 {
		st.t.Fatalf("error %v without keys\n%v", err, st.scene)
	}
	if st.opts.Op.PreviousKey != nil || slices.ContainsFunc(st.events, func(e event) bool { return e.op == "t" }) {
		return
	}
	st.opts.Ties = scd2.SetAsideTies
	m, err = st.plan(first, changes)
	if err != nil {
		st.t.Fatalf("set aside: %v\n%v", err, st.scene)
	}
	aside := map[int]bool{}
	for _, r := range m.Rejected {
		aside[st.events[r.Row].key] = true
	}
	if len(aside) != int(keys.Total) {
		st.t.Fatalf("set aside: %v for %d keys\n%v", m.Rejected, keys.Total, st.scene)
	}
	var rest []event
	for i, e := range st.events {
		if !aside[e.key] {
			rest = append(rest, e)
		} else if !slices.ContainsFunc(m.Rejected, func(a scd2.Action) bool { return int(a.Row) == i }) {
			st.t.Fatalf("event %d of a tied key isn't set aside: %v\n%v", i, m.Rejected, st.scene)
		}
	}
	st.same("ties set aside", first, st.follow(first, changes, m), rest, nil)
}
