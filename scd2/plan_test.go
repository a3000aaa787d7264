package scd2_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/onerowtest"
	"github.com/onerow-go/onerow/scd2"
)

// A story is what becomes of a history, call by call. Rows are written as in package onerowtest.
type story struct {
	name string
	// table is how the history is described, without batches. Its key is id unless it says otherwise.
	table scd2.Table
	opts  scd2.Options
	// columns and source are the columns of history and changes, those of plainColumns and plainSource unless given.
	columns, source string
	history         []string
	calls           []call
	// inTurn is set where the outcome depends on the order of the calls, as it should.
	inTurn bool
}

// call is one call of Plan, and what comes of it.
type call struct {
	changes []string
	// want is the history after it, or err what the call is refused with, and says what the message names.
	want []string
	err  error
	says []string
	// plan has the counts that aren't zero.
	plan string
}

const (
	plainColumns = "id:int64 v:string valid_from:int64 valid_to:int64"
	plainSource  = "id:int64 v:string at:int64 op:string"
	notedColumns = "id:int64 v:string note:string valid_from:int64 valid_to:int64"
	notedSource  = "id:int64 v:string note:string at:int64 op:string"
)

// events are the options of a source whose rows are events, at the position in column at. An op of d deletes, t truncates.
func events(change ...func(*scd2.Options)) scd2.Options {
	opts := scd2.Options{Mode: scd2.Changes, At: []onerow.Order{onerow.Desc("at")},
		Op: scd2.Op{Column: "op", Delete: []onerow.Value{"d"}, Truncate: []onerow.Value{"t"}}}
	for _, c := range change {
		c(&opts)
	}
	return opts
}

func tracking(columns ...string) func(*scd2.Options) {
	return func(o *scd2.Options) { o.Tracked = columns }
}

// complete fills in what a story leaves out.
func (s story) complete() story {
	if s.columns == "" {
		s.columns = plainColumns
	}
	if s.source == "" {
		s.source = plainSource
	}
	if s.table.Key == nil {
		s.table.Key = []string{"id"}
	}
	return s
}

func records(t *testing.T, columns string, rows []string) []arrow.Record {
	t.Helper()
	return onerowtest.Records(t, columns+"\n"+strings.Join(rows, "\n"))
}

func tell(t *testing.T, stories []story) {
	t.Helper()
	for _, s := range stories {
		t.Run(s.name, func(t *testing.T) {
			s = s.complete()
			s.inCalls(t)
			if !s.inTurn {
				s.inAnyOrder(t)
			}
		})
	}
}

// inCalls makes the calls one after the other, each of them a second time as well, which must change nothing.
func (s story) inCalls(t *testing.T) {
	now := keeper{table: s.table, opts: s.opts}
	now.table.Batches = records(t, s.columns, s.history)
	for i, c := range s.calls {
		changes := records(t, s.source, c.changes)
		m, err := now.plan(t, changes)
		if c.err != nil {
			refused(t, err, c)
			continue
		}
		if err != nil {
			t.Fatalf("call %d: %v", i, err)
		}
		if got := counts(m.Report); c.plan != "-" && got != c.plan {
			t.Errorf("call %d: the plan has %q, want %q", i, got, c.plan)
		}
		if r := m.Report; m.Empty() && r.Insert+r.Close+r.Rewrite+r.Remove > 0 {
			t.Errorf("call %d: the plan is empty, and has %q", i, counts(r))
		}
		conserved(t, m)
		now.merge(t, m)
		onerowtest.EqualHistory(t, records(t, s.columns, c.want), now.table)
		onerowtest.CheckHistory(t, now.table)
		now.again(t, changes)
	}
}

// inAnyOrder delivers the changes of all calls in every way: at once, and batch by batch with the state handed on.
func (s story) inAnyOrder(t *testing.T) {
	var all []string
	for _, c := range s.calls {
		all = append(all, c.changes...)
	}
	history := records(t, s.columns, s.history)
	want := records(t, s.columns, s.calls[len(s.calls)-1].want)
	for name, batches := range onerowtest.Arrivals(t, records(t, s.source, all)) {
		atOnce, inSteps := keeper{table: s.table, opts: s.opts}, keeper{table: s.table, opts: s.opts}
		atOnce.table.Batches, inSteps.table.Batches = history, history
		atOnce.take(t, batches)
		for _, b := range batches {
			inSteps.take(t, []arrow.Record{b})
		}
		for how, table := range map[string]scd2.Table{"at once": atOnce.table, "batch by batch": inSteps.table} {
			if d := onerowtest.DiffHistory(want, table); d != "" {
				t.Errorf("%s, %s:\n%s", name, how, d)
			}
			onerowtest.CheckHistory(t, table)
		}
	}
}

// keeper keeps a history and its state from call to call.
type keeper struct {
	table scd2.Table
	opts  scd2.Options
}

func (k *keeper) plan(t *testing.T, changes []arrow.Record) (*scd2.Merge, error) {
	t.Helper()
	return scd2.Plan(context.Background(), k.table, changes, k.opts)
}

// merge applies a plan.
func (k *keeper) merge(t *testing.T, m *scd2.Merge) {
	t.Helper()
	alloc := onerowtest.Allocator(t)
	next, err := m.Apply(context.Background(), alloc, k.table.Batches)
	if err != nil {
		t.Fatal(err)
	}
	onerowtest.Release(t, next...)
	state, err := m.State(context.Background(), alloc)
	if err != nil {
		t.Fatal(err)
	}
	onerowtest.Release(t, state)
	k.table.Batches, k.opts.State = next, []arrow.Record{state}
}

// take plans and merges.
func (k *keeper) take(t *testing.T, changes []arrow.Record) {
	t.Helper()
	m, err := k.plan(t, changes)
	if err != nil {
		t.Fatal(err)
	}
	k.merge(t, m)
}

// again plans the changes that have just been merged: nothing is left to do.
func (k *keeper) again(t *testing.T, changes []arrow.Record) {
	t.Helper()
	m, err := k.plan(t, changes)
	if err != nil {
		t.Errorf("the same changes again: %v", err)
		return
	}
	if r := m.Report; !m.Empty() || r.Insert+r.Close+r.Rewrite+r.Remove != 0 {
		t.Errorf("the same changes again: the plan has %q, empty %v", counts(r), m.Empty())
	}
	need := *k
	need.opts.RequireChange = true
	if _, err := need.plan(t, changes); !errors.Is(err, onerow.ErrNoChange) {
		t.Errorf("the same changes again, and a change is required: %v", err)
	}
}

func refused(t *testing.T, err error, c call) {
	t.Helper()
	if !errors.Is(err, c.err) {
		t.Errorf("%v: got the error %v, want %v", c.changes, err, c.err)
		return
	}
	for _, s := range c.says {
		if !strings.Contains(err.Error(), s) {
			t.Errorf("%v: the error doesn't name %s: %v", c.changes, s, err)
		}
	}
}

// counts writes those counts of a report that aren't zero.
func counts(r scd2.Report) string {
	var out []string
	for _, c := range []struct {
		name string
		n    int64
	}{{"insert", r.Insert}, {"close", r.Close}, {"rewrite", r.Rewrite}, {"remove", r.Remove}, {"unchanged", r.Unchanged},
		{"superseded", r.Superseded}, {"duplicates", r.Duplicates}, {"ignored", r.Ignored}, {"rejected", r.Rejected}} {
		if c.n != 0 {
			out = append(out, fmt.Sprintf("%s %d", c.name, c.n))
		}
	}
	return strings.Join(out, " ")
}

// conserved checks that each row is counted once, and that lists and counts agree.
func conserved(t *testing.T, m *scd2.Merge) {
	t.Helper()
	r := m.Report
	if sum := r.Applied + r.Unchanged + r.Superseded + r.Duplicates + r.Ignored + r.Rejected; sum != r.Events {
		t.Errorf("%d events, and the counts give %d: %+v", r.Events, sum, r)
	}
	lists := [][2]int64{{int64(len(m.Inserts)), r.Insert}, {int64(len(m.Closes)), r.Close}, {int64(len(m.Rewrites)), r.Rewrite},
		{int64(len(m.Removes)), r.Remove}, {int64(len(m.Unchanged)), r.Unchanged}, {int64(len(m.Ignored)), r.Ignored},
		{int64(len(m.Rejected)), r.Rejected}}
	for _, l := range lists {
		if l[0] != l[1] {
			t.Errorf("the lists of the plan don't have the counts of the report: %v, %+v", lists, r)
			return
		}
	}
}

// What events make of a history, in whatever order they come.
func TestPlanEvents(t *testing.T) {
	tell(t, []story{{
		name: "a change ends one version where the next begins", opts: events(), history: []string{"1 a 10 -", "2 a 10 -"},
		calls: []call{{changes: []string{"1 b 20 u", "2 a 20 u"}, want: []string{"1 a 10 20", "1 b 20 -", "2 a 10 -"},
			plan: "insert 1 close 1 unchanged 1"}},
	}, {
		name: "the first versions of an empty history", opts: events(),
		calls: []call{{changes: []string{"1 a 10 u", "1 b 20 u", "2 a 15 -"}, want: []string{"1 a 10 20", "1 b 20 -", "2 a 15 -"},
			plan: "insert 3"}},
	}, {
		name: "copies of an event are one", opts: events(),
		calls: []call{{changes: []string{"1 a 10 u", "1 a 10 u", "1 a 10 u"}, want: []string{"1 a 10 -"}, plan: "insert 1 duplicates 2"}},
	}, {
		name: "NULL is a value like any other, NaN is one, and -0 is 0", opts: events(),
		columns: "id:int64 f:float64 s:string d:decimal(8,2) valid_from:int64 valid_to:int64",
		source:  "id:int64 s:large_string f:float32 d:decimal(5,3) at:int32 op:string",
		history: []string{"1 NaN - 1.50 10 -", "2 0 a 1.50 10 -", "3 1 a - 10 -"},
		calls: []call{{changes: []string{"1 - NaN 1.5 20 u", "2 a -0 1.5 20 u", "3 - 1 - 20 u"},
			want: []string{"1 NaN - 1.50 10 -", "2 0 a 1.50 10 -", "3 1 a - 10 20", "3 1 - - 20 -"}, plan: "insert 1 close 1 unchanged 2"}},
	}, {
		name: "a late event splits the version it falls in, and keeps the right edge", opts: events(), history: []string{"1 a 10 40", "1 c 40 -"},
		calls: []call{{changes: []string{"1 b 20 u"}, want: []string{"1 a 10 20", "1 b 20 40", "1 c 40 -"}, plan: "insert 1 rewrite 1"}},
	}, {
		name: "a late delete ends the version it falls in", opts: events(), history: []string{"1 a 10 40", "1 c 40 -"},
		calls: []call{{changes: []string{"1 - 20 d"}, want: []string{"1 a 10 20", "1 c 40 -"}, plan: "rewrite 1"}},
	}, {
		name: "a late event in a gap ends where the next version starts", opts: events(), history: []string{"1 a 10 20", "1 c 40 -"},
		calls: []call{{changes: []string{"1 b 30 u"}, want: []string{"1 a 10 20", "1 b 30 40", "1 c 40 -"}, plan: "insert 1"}},
	}, {
		name: "a late event before everything", opts: events(), history: []string{"1 b 20 -"},
		calls: []call{{changes: []string{"1 a 10 u"}, want: []string{"1 a 10 20", "1 b 20 -"}, plan: "insert 1"}},
	}, {
		name: "a late event that repeats the next version moves its start", opts: events(),
		history: []string{"1 a 10 40", "1 b 40 50", "1 c 50 -"},
		calls:   []call{{changes: []string{"1 b 30 u"}, want: []string{"1 a 10 30", "1 b 30 50", "1 c 50 -"}, plan: "rewrite 2"}},
	}, {
		name: "a delete closes, and a key that returns opens a new version behind the gap", opts: events(), history: []string{"1 a 10 -"},
		calls: []call{
			{changes: []string{"1 - 20 d"}, want: []string{"1 a 10 20"}, plan: "close 1"},
			{changes: []string{"1 a 30 u"}, want: []string{"1 a 10 20", "1 a 30 -"}, plan: "insert 1"},
		},
	}, {
		name: "a delete and an upsert of one position: the delete wins", opts: events(), history: []string{"1 a 10 -"},
		calls: []call{{changes: []string{"1 b 20 u", "1 - 20 d"}, want: []string{"1 a 10 20"}, plan: "close 1 superseded 1"}},
	}, {
		name: "born and deleted in one call", opts: events(),
		calls: []call{{changes: []string{"1 a 10 u", "1 - 20 d"}, want: []string{"1 a 10 20"}, plan: "insert 1"}},
	}, {
		name: "a truncate ends every open version, and wins at its position", opts: events(), history: []string{"1 a 10 -", "2 a 10 15"},
		calls: []call{{changes: []string{"3 x 20 u", "- - 30 t", "3 y 30 u", "1 b 40 u"},
			want: []string{"1 a 10 30", "1 b 40 -", "2 a 10 15", "3 x 20 30"}, plan: "insert 2 close 1 superseded 1"}},
	}, {
		name: "of one position the last in the full order is the version", source: "id:int64 v:string at:int64 n:int64 op:string",
		opts: events(func(o *scd2.Options) { o.At = append(o.At, onerow.Desc("n")) }), history: []string{"1 a 10 -"},
		calls: []call{
			{changes: []string{"1 c 20 2 u", "1 b 20 1 u"}, want: []string{"1 a 10 20", "1 c 20 -"}, plan: "insert 1 close 1 superseded 1"},
			{changes: []string{"1 d 20 3 u"}, want: []string{"1 a 10 20", "1 d 20 -"}, plan: "-"},
		},
	}, {
		name: "dates, a composite key, own column names and a flag", opts: events(),
		table:   scd2.Table{Key: []string{"org", "id"}, ValidFrom: "since", ValidTo: "until", Current: "live"},
		columns: "org:string id:int64 v:string live:bool since:date32 until:date32", source: "id:int64 org:string at:date32 v:string op:string",
		history: []string{"x 1 a true 2026-01-01 -", "y 1 a true 2026-01-01 -"},
		calls: []call{{changes: []string{"1 x 2026-02-01 b u", "1 y 2026-02-01 - d", "2 x 2026-02-01 a u"},
			want: []string{"x 1 a false 2026-01-01 2026-02-01", "x 1 b true 2026-02-01 -", "y 1 a false 2026-01-01 2026-02-01", "x 2 a true 2026-02-01 -"},
			plan: "insert 2 close 2"}},
	}, {
		name: "a sentinel is an open end like NULL, and is what new versions get", opts: events(), table: scd2.Table{OpenEnd: "9999-12-31"},
		columns: "id:int64 v:string valid_from:date32 valid_to:date32", source: "id:int64 v:string at:date32 op:string",
		history: []string{"1 a 2026-01-01 9999-12-31", "2 a 2026-01-01 -", "3 b 2026-01-10 -"},
		calls: []call{{changes: []string{"1 b 2026-02-01 u", "2 b 2026-02-01 u", "3 b 2026-01-05 u"},
			want: []string{"1 a 2026-01-01 2026-02-01", "1 b 2026-02-01 9999-12-31",
				"2 a 2026-01-01 2026-02-01", "2 b 2026-02-01 9999-12-31", "3 b 2026-01-05 -"}, plan: "insert 2 close 2 rewrite 1"}},
	}, {
		name: "a key change is a delete of the old key and an insert of the new", source: "id:int64 v:string at:int64 op:string old_id:int64",
		opts: events(func(o *scd2.Options) { o.Op.PreviousKey = []string{"old_id"} }), history: []string{"1 a 10 -", "3 a 10 -"},
		calls: []call{{changes: []string{"2 a 20 u 1", "3 b 20 u 3", "2 b 30 u -"},
			want: []string{"1 a 10 20", "2 a 20 30", "2 b 30 -", "3 a 10 20", "3 b 20 -"}, plan: "insert 3 close 2"}},
	}, {
		name: "equal neighbours that were there stay", opts: events(), history: []string{"1 a 10 20", "1 a 20 -"},
		calls: []call{{changes: []string{"1 a 30 u", "1 b 5 u"}, want: []string{"1 b 5 10", "1 a 10 20", "1 a 20 -"},
			plan: "insert 1 unchanged 1"}},
	}, {
		name: "columns not tracked take the last that was said in a version", columns: notedColumns, source: notedSource,
		opts:    events(tracking("v")),
		history: []string{"1 a x 10 -", "2 a x 10 20", "2 b x 20 -"},
		calls: []call{
			{changes: []string{"1 a X 12 u", "2 a y 10 u"}, want: []string{"1 a X 10 -", "2 a y 10 20", "2 b x 20 -"}, plan: "rewrite 2"},
			{changes: []string{"1 a Z 14 u"}, want: []string{"1 a Z 10 -", "2 a y 10 20", "2 b x 20 -"}, plan: "rewrite 1"},
			{changes: []string{"1 b w 13 u"}, want: []string{"1 a X 10 13", "1 b w 13 14", "1 a Z 14 -", "2 a y 10 20", "2 b x 20 -"}, plan: "-"},
		},
	}, {
		name: "kept, repeats make versions", opts: events(func(o *scd2.Options) { o.Unchanged = scd2.KeepUnchanged }),
		history: []string{"1 a 10 -"},
		calls: []call{{changes: []string{"1 a 20 u", "1 a 15 u"}, want: []string{"1 a 10 15", "1 a 15 20", "1 a 20 -"},
			plan: "insert 2 close 1"}},
	}, {
		name: "deletions as rows", opts: events(func(o *scd2.Options) { o.Deletes = scd2.DeletesAsRows }),
		table:   scd2.Table{Current: "live", Deleted: "gone"},
		columns: "id:int64 v:string live:bool gone:bool valid_from:int64 valid_to:int64", history: []string{"1 a true false 10 -"},
		calls: []call{
			{changes: []string{"1 - 20 d"}, want: []string{"1 a false false 10 20", "1 a false true 20 -"}, plan: "insert 1 close 1"},
			{changes: []string{"1 a 30 u"}, want: []string{"1 a false false 10 20", "1 a false true 20 30", "1 a true false 30 -"},
				plan: "insert 1 close 1"},
			{changes: []string{"1 b 15 u"},
				want: []string{"1 a false false 10 15", "1 b false false 15 20", "1 b false true 20 30", "1 a true false 30 -"}, plan: "-"},
		},
	}})
}

// What the history doesn't show: with the state the outcome is the same for every order.
func TestPlanRemembers(t *testing.T) {
	tell(t, []story{{
		name: "a delete before its insert", opts: events(),
		calls: []call{
			{changes: []string{"1 - 20 d"}, want: nil, plan: "unchanged 1"},
			{changes: []string{"1 a 10 u"}, want: []string{"1 a 10 20"}, plan: "insert 1"},
		},
	}, {
		name: "a value that was said again", opts: events(),
		calls: []call{
			{changes: []string{"1 a 10 u"}, want: []string{"1 a 10 -"}, plan: "insert 1"},
			{changes: []string{"1 a 15 u"}, want: []string{"1 a 10 -"}, plan: "unchanged 1"},
			{changes: []string{"1 b 12 u"}, want: []string{"1 a 10 12", "1 b 12 15", "1 a 15 -"}, plan: "-"},
		},
	}, {
		name: "an upsert that comes after the delete of its position", opts: events(), history: []string{"1 a 10 -"},
		calls: []call{
			{changes: []string{"1 - 20 d"}, want: []string{"1 a 10 20"}, plan: "close 1"},
			{changes: []string{"1 b 20 u"}, want: []string{"1 a 10 20"}, plan: "-"},
		},
	}, {
		name: "a truncate, and what came before it", opts: events(), history: []string{"1 a 10 -"},
		calls: []call{
			{changes: []string{"- - 30 t"}, want: []string{"1 a 10 30"}, plan: "close 1"},
			{changes: []string{"2 x 20 u"}, want: []string{"1 a 10 30", "2 x 20 30"}, plan: "insert 1"},
		},
	}, {
		name: "a transaction over two calls, the last of its states first", source: "id:int64 v:string at:int64 n:int64 op:string",
		opts: events(func(o *scd2.Options) { o.At = append(o.At, onerow.Desc("n")) }),
		calls: []call{
			{changes: []string{"1 b 20 2 u"}, want: []string{"1 b 20 -"}, plan: "insert 1"},
			{changes: []string{"1 a 20 1 u"}, want: []string{"1 b 20 -"}, plan: "-"},
		},
	}, {
		name: "everything backwards", opts: events(),
		calls: []call{
			{changes: []string{"1 - 50 d"}, want: nil, plan: "unchanged 1"},
			{changes: []string{"1 b 40 u"}, want: []string{"1 b 40 50"}, plan: "insert 1"},
			{changes: []string{"1 b 30 u"}, want: []string{"1 b 30 50"}, plan: "rewrite 1"},
			{changes: []string{"1 a 20 u"}, want: []string{"1 a 20 30", "1 b 30 50"}, plan: "insert 1"},
			{changes: []string{"1 a 10 u"}, want: []string{"1 a 10 30", "1 b 30 50"}, plan: "rewrite 1"},
		},
	}})
}

// Without the state a late event lasts to the next version, and the report says that this isn't sure.
func TestPlanWithoutState(t *testing.T) {
	s := story{}.complete()
	k := keeper{table: s.table, opts: events()}
	k.table.Batches = records(t, s.columns, []string{"1 a 10 40", "1 c 40 -"})
	m, err := k.plan(t, records(t, s.source, []string{"1 b 20 u", "1 d 50 u"}))
	if err != nil {
		t.Fatal(err)
	}
	if r := m.Report; r.Late != 1 || r.Unsure != 1 || r.Applied != 2 {
		t.Errorf("one late event, without a state: %+v", r)
	}
	k.merge(t, m)
	m, err = k.plan(t, records(t, s.source, []string{"1 e 45 u"}))
	if err != nil {
		t.Fatal(err)
	}
	if r := m.Report; r.Late != 1 || r.Unsure != 0 {
		t.Errorf("one late event, with a state: %+v", r)
	}

	// Where a delete closed the version, an upsert loses to it even so.
	k = keeper{table: s.table, opts: events()}
	k.table.Batches = records(t, s.columns, []string{"1 a 10 20"})
	k.take(t, records(t, s.source, []string{"1 b 20 u"}))
	onerowtest.EqualHistory(t, records(t, s.columns, []string{"1 a 10 20"}), k.table)
}
