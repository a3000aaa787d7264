package scd2_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/onerowtest"
	"github.com/onerow-go/onerow/scd2"
)

// What the options choose.
func TestPlanPolicies(t *testing.T) {
	late := func(l scd2.Late) scd2.Options { return events(func(o *scd2.Options) { o.Late = l }) }
	ties := func(p scd2.Ties) scd2.Options { return events(func(o *scd2.Options) { o.Ties = p }) }
	nulls := func(n onerow.NullKey) scd2.Options { return events(func(o *scd2.Options) { o.NullKey = n }) }
	tell(t, []story{{
		name: "late events ignored", opts: late(scd2.IgnoreLate), history: []string{"1 a 10 30", "2 a 10 20"}, inTurn: true,
		calls: []call{{changes: []string{"1 b 20 u", "1 - 25 d", "1 a 15 u", "1 c 40 u", "2 b 15 u", "3 x 5 u"},
			want: []string{"1 a 10 30", "1 c 40 -", "2 a 10 20", "3 x 5 -"}, plan: "insert 2 unchanged 1 ignored 3"}},
	}, {
		name: "late events refused", opts: late(scd2.RejectLate), history: []string{"7 a 10 -"}, inTurn: true,
		calls: []call{
			{changes: []string{"7 z 5 u", "8 a 10 u"}, err: onerow.ErrLate, says: []string{"id", "7"}},
			{changes: []string{"7 a 10 u", "7 b 20 u", "8 a 10 u"}, want: []string{"7 a 10 20", "7 b 20 -", "8 a 10 -"},
				plan: "insert 2 close 1 unchanged 1"},
		},
	}, {
		name: "ties refused", opts: ties(scd2.RejectTies), history: []string{"7 a 10 -"}, inTurn: true,
		calls: []call{
			{changes: []string{"7 b 20 u", "7 c 20 u"}, err: onerow.ErrTie, says: []string{"id", "7"}},
			{changes: []string{"7 b 10 u"}, err: onerow.ErrTie, says: []string{"id", "7"}},
		},
	}, {
		name: "ties by content", opts: ties(scd2.TiesByContent), history: []string{"1 a 10 -"},
		calls: []call{{changes: []string{"1 c 20 u", "1 b 20 u"}, want: []string{"1 a 10 20", "1 c 20 -"},
			plan: "insert 1 close 1 superseded 1"}},
	}, {
		name: "ties set aside", opts: ties(scd2.SetAsideTies), history: []string{"1 a 10 -", "2 a 10 -"}, inTurn: true,
		calls: []call{{changes: []string{"1 c 20 u", "1 b 20 u", "1 d 30 u", "2 b 20 u"}, want: []string{"1 a 10 -", "2 a 10 20", "2 b 20 -"},
			plan: "insert 1 close 1 rejected 3"}},
	}, {
		name: "NULL keys refused", opts: nulls(onerow.RejectNullKeys), inTurn: true,
		calls: []call{{changes: []string{"1 a 10 u", "- a 10 u", "- b 20 u"}, err: onerow.ErrNullKey, says: []string{"id", "2 rows"}}},
	}, {
		name: "NULL keys set aside", opts: nulls(onerow.SetAsideNullKeys), inTurn: true,
		calls: []call{{changes: []string{"1 a 10 u", "- a 10 u"}, want: []string{"1 a 10 -"}, plan: "insert 1 rejected 1"}},
	}, {
		name: "columns not tracked are corrected in place", columns: notedColumns, source: notedSource, opts: events(tracking("v")),
		history: []string{"1 a x 10 20", "1 b y 20 -", "2 a x 10 -"},
		calls: []call{{changes: []string{"1 a X 12 u", "1 b Y 30 u", "2 b z 30 u"},
			want: []string{"1 a X 10 20", "1 b Y 20 -", "2 a x 10 30", "2 b z 30 -"}, plan: "insert 1 close 1 rewrite 2"}},
	}, {
		name: "a wrong flag of a touched key is mended", table: scd2.Table{Current: "live"},
		columns: "id:int64 v:string live:bool valid_from:int64 valid_to:int64",
		opts:    events(), history: []string{"1 a true 10 20", "1 b true 20 -"},
		calls: []call{{changes: []string{"1 b 30 u"}, want: []string{"1 a false 10 20", "1 b true 20 -"}, plan: "rewrite 1 unchanged 1"}},
	}, {
		name: "the clock of the call", columns: "id:int64 v:string valid_from:timestamp[us,UTC] valid_to:timestamp[us,UTC]",
		source:  "id:int64 v:string",
		opts:    scd2.Options{Mode: scd2.Changes, Now: "2026-03-01T09:00:00Z"},
		history: []string{"1 a 2026-01-01 -", "2 a 2026-01-01 -"},
		calls: []call{{changes: []string{"1 b", "2 a", "3 c"},
			want: []string{"1 a 2026-01-01 2026-03-01T09:00Z", "1 b 2026-03-01T09:00Z -", "2 a 2026-01-01 -", "3 c 2026-03-01T09:00Z -"},
			plan: "insert 2 close 1 unchanged 1"}},
	}, {
		name: "broken histories of touched keys are refused", opts: events(), inTurn: true,
		history: []string{"1 a 10 -", "1 b 20 -", "2 a 10 30", "2 b 20 -", "3 a 10 5", "4 a 10 10", "5 a - -", "6 a 10 -"},
		calls: []call{
			{changes: []string{"6 b 30 u", "1 c 40 u"}, err: onerow.ErrBrokenHistory, says: []string{"id", "1"}},
			{changes: []string{"2 c 40 u"}, err: onerow.ErrBrokenHistory},
			{changes: []string{"3 c 40 u"}, err: onerow.ErrBrokenHistory},
			{changes: []string{"4 c 40 u"}, err: onerow.ErrBrokenHistory},
			{changes: []string{"5 c 40 u"}, err: onerow.ErrBrokenHistory},
		},
	}, {
		name: "events that can't be placed are refused", opts: events(), inTurn: true,
		calls: []call{{changes: []string{"1 a - u"}, err: onerow.ErrNullOrder, says: []string{`"at"`}}},
	}, {
		name: "types of another family are refused", opts: events(), source: "id:int64 v:int64 at:int64 op:string", inTurn: true,
		calls: []call{{changes: []string{"1 1 10 u"}, err: onerow.ErrType, says: []string{`"v"`}}},
	}, {
		name: "the mode must be said", opts: scd2.Options{At: []onerow.Order{onerow.Desc("at")}}, source: "id:int64 v:string at:int64",
		inTurn: true,
		calls:  []call{{changes: []string{"1 a 10"}, err: onerow.ErrMode}},
	}})
}

// NULL keys may be a key like any other: then a version of one is found again.
func TestPlanEqualNullKeys(t *testing.T) {
	k := keeper{table: scd2.Table{Key: []string{"id"}}, opts: events(func(o *scd2.Options) { o.NullKey = onerow.EqualNullKeys })}
	k.table.Batches = records(t, plainColumns, []string{"- a 10 -", "1 a 10 -"})
	changes := records(t, plainSource, []string{"- b 20 u", "- a 15 u"})
	k.take(t, changes)
	onerowtest.EqualHistory(t, records(t, plainColumns, []string{"- a 10 20", "- b 20 -", "1 a 10 -"}), k.table)
	k.again(t, changes)
}

// What is decided where the columns of source and history differ.
func TestPlanColumns(t *testing.T) {
	columns := func(c scd2.Columns, tracked ...string) scd2.Options {
		return events(func(o *scd2.Options) { o.Columns, o.Tracked = c, tracked })
	}
	const three, two = "id:int64 v:string w:string valid_from:int64 valid_to:int64", "id:int64 v:string at:int64 op:string"
	tell(t, []story{{
		name: "a column that the source lacks keeps its values", opts: columns(scd2.Columns{}), columns: three, source: two,
		history: []string{"1 a w1 10 -"},
		calls: []call{
			{changes: []string{"1 b 20 u", "2 a 20 u"}, want: []string{"1 a w1 10 20", "1 b w1 20 -", "2 a - 20 -"}, plan: "insert 2 close 1"},
			{changes: []string{"1 - 30 d"}, want: []string{"1 a w1 10 20", "1 b w1 20 30", "2 a - 20 -"}, plan: "close 1"},
			{changes: []string{"1 c 40 u"}, want: []string{"1 a w1 10 20", "1 b w1 20 30", "1 c w1 40 -", "2 a - 20 -"}, plan: "insert 1"},
		},
	}, {
		name: "unless it is tracked: then it must be there", opts: columns(scd2.Columns{}, "v", "w"), columns: three, source: two,
		history: []string{"1 a w1 10 -"}, inTurn: true,
		calls: []call{{changes: []string{"1 b 20 u"}, err: onerow.ErrNoColumn, says: []string{`"w"`}}},
	}, {
		name: "or be kept by choice", opts: columns(scd2.Columns{Missing: scd2.KeepMissing}, "v", "w"), columns: three, source: two,
		history: []string{"1 a w1 10 -"},
		calls:   []call{{changes: []string{"1 b 20 u"}, want: []string{"1 a w1 10 20", "1 b w1 20 -"}, plan: "insert 1 close 1"}},
	}, {
		name: "or be NULL by choice", opts: columns(scd2.Columns{Missing: scd2.NullMissing}), columns: three, source: two,
		history: []string{"1 a w1 10 -", "2 a - 10 -"},
		calls: []call{{changes: []string{"1 a 20 u", "2 a 20 u"}, want: []string{"1 a w1 10 20", "1 a - 20 -", "2 a - 10 -"},
			plan: "insert 1 close 1 unchanged 1"}},
	}, {
		name: "a column that the history lacks is refused", opts: columns(scd2.Columns{}),
		source: "id:int64 v:string tier:string at:int64 op:string", inTurn: true,
		calls: []call{{changes: []string{"1 a gold 10 u"}, err: onerow.ErrNoColumn, says: []string{`"tier"`, "history"}}},
	}, {
		name: "NULL in a column may mean that nothing was said", opts: columns(scd2.Columns{KeepNull: []string{"v"}}), columns: three,
		source: "id:int64 v:string w:string at:int64 op:string", history: []string{"1 a w1 10 -"},
		calls: []call{{changes: []string{"1 - w2 20 u", "1 - w2 30 u", "1 b w2 40 u", "2 - w 20 u"},
			want: []string{"1 a w1 10 20", "1 a w2 20 40", "1 b w2 40 -", "2 - w 20 -"}, plan: "insert 3 close 1 unchanged 1"}},
	}})
}

// A column that only the source has is added to the history by choice.
func TestPlanNewColumn(t *testing.T) {
	k := keeper{table: scd2.Table{Key: []string{"id"}, Batches: records(t, plainColumns, []string{"1 a 10 -", "2 a 10 -"})},
		opts: events(func(o *scd2.Options) { o.Columns.New = scd2.AddNew })}
	changes := records(t, "id:int64 tier:string v:string at:int64 op:string", []string{"1 gold a 20 u", "2 - a 20 u"})
	k.take(t, changes)
	want := records(t, plainColumns+" tier:string", []string{"1 a 10 20 -", "1 a 20 - gold", "2 a 10 - -"})
	onerowtest.EqualHistory(t, want, k.table)
	k.again(t, changes)

	k.take(t, records(t, plainSource, []string{"1 b 30 u"})) // the old source again, which doesn't speak of it
	want = records(t, plainColumns+" tier:string", []string{"1 a 10 20 -", "1 a 20 30 gold", "1 b 30 - gold", "2 a 10 - -"})
	onerowtest.EqualHistory(t, want, k.table)
}

// Two sources speak for columns of their own, each on its own clock: a late change of one holds on past what the other said.
func TestPlanGroups(t *testing.T) {
	const columns = "id:int64 name:string score:int64 valid_from:int64 valid_to:int64"
	names, scores := records(t, "id:int64 name:string at:int64 op:string", []string{"1 ann 10 u", "1 bob 20 u"}),
		records(t, "id:int64 score:int64 at:int64 op:string", []string{"1 5 10 u", "1 7 15 u", "1 8 30 u"})
	want := records(t, columns, []string{"1 ann 5 10 15", "1 ann 7 15 20", "1 bob 7 20 30", "1 bob 8 30 -"})
	group := events(func(o *scd2.Options) { o.Columns.Group = true })

	for how, sources := range map[string][2][]arrow.Record{"names first": {names, scores}, "scores first": {scores, names}} {
		table := scd2.Table{Key: []string{"id"}, Batches: records(t, columns, nil)}
		for _, source := range sources {
			k := keeper{table: table, opts: group}
			k.take(t, source)
			table = k.table
		}
		if d := onerowtest.DiffHistory(want, table); d != "" {
			t.Errorf("%s:\n%s", how, d)
		}
		onerowtest.CheckHistory(t, table)
	}
	for name, late := range onerowtest.Arrivals(t, scores) {
		table := scd2.Table{Key: []string{"id"}, Batches: records(t, columns, []string{"1 ann - 10 20", "1 bob - 20 -"})}
		k := keeper{table: table, opts: group}
		for _, b := range late {
			k.take(t, []arrow.Record{b})
		}
		if d := onerowtest.DiffHistory(want, k.table); d != "" {
			t.Errorf("scores, %s:\n%s", name, d)
		}
	}
}

// The sources may come in turn, and their events in any order, if each keeps a state of its own.
func TestPlanGroupsInTurn(t *testing.T) {
	const columns = "id:int64 name:string score:int64 valid_from:int64 valid_to:int64"
	sources := map[string]string{"name": "id:int64 name:string at:int64 op:string", "score": "id:int64 score:int64 at:int64 op:string"}
	for _, test := range []struct {
		events [][2]string
		want   []string
	}{
		{[][2]string{{"name", "1 ann 10 u"}, {"score", "1 5 15 u"}, {"name", "1 bob 20 u"}, {"score", "1 7 30 u"}},
			[]string{"1 ann - 10 15", "1 ann 5 15 20", "1 bob 5 20 30", "1 bob 7 30 -"}},
		{[][2]string{{"score", "1 0 10 u"}, {"score", "1 0 80 u"}, {"name", "1 ann 80 u"}, {"score", "1 1 30 u"}},
			[]string{"1 - 0 10 30", "1 - 1 30 80", "1 ann 0 80 -"}},
		{[][2]string{{"score", "1 1 10 u"}, {"name", "1 ann 50 u"}, {"score", "1 1 50 u"}, {"score", "1 0 40 u"}},
			[]string{"1 - 1 10 40", "1 - 0 40 50", "1 ann 1 50 -"}},
	} {
		want := records(t, columns, test.want)
		for name, order := range onerowtest.Arrivals(t, records(t, "event:uint8", []string{"0", "1", "2", "3"})) {
			table, states := scd2.Table{Key: []string{"id"}, Batches: records(t, columns, nil)}, map[string][]arrow.Record{}
			for _, n := range arrowtest.All(order) {
				source, event := test.events[n[0].(int64)][0], test.events[n[0].(int64)][1]
				k := keeper{table: table, opts: events(func(o *scd2.Options) { o.Columns.Group, o.State = true, states[source] })}
				k.take(t, records(t, sources[source], []string{event}))
				table, states[source] = k.table, k.opts.State
			}
			if d := onerowtest.DiffHistory(want, table); d != "" {
				t.Errorf("%v, %s:\n%s", test.events, name, d)
			}
		}
	}
}

// A snapshot is complete: what it doesn't have is closed, or kept.
func TestPlanSnapshots(t *testing.T) {
	snapshot := func(change ...func(*scd2.Options)) scd2.Options {
		opts := scd2.Options{Mode: scd2.Snapshot, Now: 100, Absent: scd2.AbsentCloses, MaxClose: 0.5}
		for _, c := range change {
			c(&opts)
		}
		return opts
	}
	const plain, timed = "id:int64 v:string", "id:int64 v:string at:int64"
	at := func(o *scd2.Options) { o.At = []onerow.Order{onerow.Desc("at")} }
	four := []string{"1 a 10 -", "2 b 10 -", "3 c 10 -", "4 d 10 -", "9 z 10 20"}
	tell(t, []story{{
		name: "new, changed, the same, absent", opts: snapshot(), source: plain, history: four, inTurn: true,
		calls: []call{{changes: []string{"1 a", "2 B", "5 e"},
			want: []string{"1 a 10 -", "2 b 10 100", "2 B 100 -", "3 c 10 100", "4 d 10 100", "5 e 100 -", "9 z 10 20"},
			plan: "insert 2 close 3 unchanged 1"}},
	}, {
		name: "absence kept", opts: snapshot(func(o *scd2.Options) { o.Absent, o.MaxClose = scd2.AbsentKept, 0 }), source: plain, history: four,
		inTurn: true,
		calls:  []call{{changes: []string{"1 A"}, want: append([]string{"1 a 10 100", "1 A 100 -"}, four[1:]...), plan: "insert 1 close 1"}},
	}, {
		name: "too many closed", opts: snapshot(func(o *scd2.Options) { o.MaxClose = 0.49 }), source: plain, history: four, inTurn: true,
		calls: []call{{changes: []string{"1 a", "2 b"}, err: onerow.ErrTooManyClosed}},
	}, {
		name: "an empty snapshot is refused", opts: snapshot(func(o *scd2.Options) { o.MaxClose = 1 }), source: plain, history: four,
		inTurn: true,
		calls:  []call{{err: onerow.ErrEmptySource}},
	}, {
		name: "unless it is allowed", opts: snapshot(func(o *scd2.Options) { o.MaxClose, o.AllowEmpty = 1, true }), source: plain,
		history: four[3:], inTurn: true,
		calls: []call{{want: []string{"4 d 10 100", "9 z 10 20"}, plan: "close 1"}},
	}, {
		name: "what absence means must be said", opts: snapshot(func(o *scd2.Options) { o.Absent = 0 }), source: plain, history: four,
		inTurn: true,
		calls:  []call{{changes: []string{"1 a"}, err: onerow.ErrMode}},
	}, {
		name: "a clock behind the history", opts: snapshot(func(o *scd2.Options) { o.Now = 10 }), source: plain, history: four, inTurn: true,
		calls: []call{{changes: []string{"1 A", "2 b", "3 c", "4 d"}, err: onerow.ErrLate}},
	}, {
		name: "versions start at the time of their rows, absence ends at the clock", opts: snapshot(at), source: timed,
		history: []string{"1 a 10 -", "2 b 10 -"}, inTurn: true,
		calls: []call{{changes: []string{"1 A 50"}, want: []string{"1 a 10 50", "1 A 50 -", "2 b 10 100"}, plan: "insert 1 close 2"}},
	}, {
		name: "a value that changed and isn't newer", opts: snapshot(at), source: timed, history: []string{"1 a 10 -"}, inTurn: true,
		calls: []call{{changes: []string{"1 A 10"}, want: []string{"1 a 10 -"}, plan: "ignored 1"}},
	}, {
		name: "back with an old time after a deletion", opts: snapshot(at), source: timed, history: []string{"1 a 10 20"}, inTurn: true,
		calls: []call{{changes: []string{"1 a 10"}, want: []string{"1 a 10 20", "1 a 20 -"}, plan: "insert 1"}},
	}, {
		name: "absence as rows", opts: snapshot(func(o *scd2.Options) { o.Deletes = scd2.DeletesAsRows }),
		table: scd2.Table{Current: "live", Deleted: "gone"}, source: plain,
		columns: "id:int64 v:string live:bool gone:bool valid_from:int64 valid_to:int64", inTurn: true,
		history: []string{"1 a true false 10 -", "2 b true false 10 -", "3 c false false 10 20", "3 c false true 20 -"},
		calls: []call{{changes: []string{"1 a", "3 c"}, want: []string{"1 a true false 10 -", "2 b false false 10 100", "2 b false true 100 -",
			"3 c false false 10 20", "3 c false true 20 100", "3 c true false 100 -"}, plan: "insert 2 close 2 unchanged 1"}},
	}, {
		name: "two rows of a key", opts: snapshot(), source: plain, history: four, inTurn: true,
		calls: []call{{changes: []string{"1 a", "1 b"}, err: onerow.ErrTie, says: []string{"id", "1"}}},
	}})
}

// A part of the history will do for what it holds; what would need the rest is refused.
func TestPlanPartialHistory(t *testing.T) {
	since := events(func(o *scd2.Options) { o.Since = 100 })
	given := []string{"1 a 50 -", "2 a 50 120", "2 b 120 -"}
	tell(t, []story{{
		name: "what is given is enough", opts: since, history: given,
		calls: []call{{changes: []string{"1 b 130 u", "2 x 110 u", "3 a 100 u"},
			want: []string{"1 a 50 130", "1 b 130 -", "2 a 50 110", "2 x 110 120", "2 b 120 -", "3 a 100 -"}, plan: "insert 3 close 1 rewrite 1"}},
	}, {
		name: "events from before it", opts: since, history: given, inTurn: true,
		calls: []call{{changes: []string{"1 b 99 u"}, err: onerow.ErrPartialHistory, says: []string{"id", "1"}}},
	}, {
		name: "last values that it may not hold", opts: since, columns: "id:int64 v:string w:string valid_from:int64 valid_to:int64",
		history: []string{"1 a w1 50 -"}, inTurn: true,
		calls: []call{
			{changes: []string{"3 a 130 u"}, err: onerow.ErrPartialHistory, says: []string{"id", "3"}},
			{changes: []string{"1 b 130 u"}, want: []string{"1 a w1 50 130", "1 b w1 130 -"}, plan: "insert 1 close 1"},
		},
	}})
}

// A state shrinks by a watermark alone; events below it are set aside then.
func TestCompactedState(t *testing.T) {
	k := keeper{table: scd2.Table{Key: []string{"id"}, Batches: records(t, plainColumns, nil)}, opts: events()}
	k.take(t, records(t, plainSource, []string{"1 a 10 u", "1 a 15 u", "2 - 20 d", "1 a 40 u", "3 - 50 d"}))
	before := k.opts.State[0]
	state, err := scd2.Compact(context.Background(), onerowtest.Allocator(t), k.opts.State, 30)
	if err != nil {
		t.Fatal(err)
	}
	onerowtest.Release(t, state)
	if !state.Schema().Equal(before.Schema()) {
		t.Errorf("a compacted state has the columns %v, before %v", state.Schema(), before.Schema())
	}
	k.opts.State = []arrow.Record{state}
	m, err := k.plan(t, records(t, plainSource, []string{"2 x 19 u", "1 b 29 u", "1 b 30 u", "3 x 45 u"}))
	if err != nil {
		t.Fatal(err)
	}
	if want := []scd2.Action{{Row: 0, Reason: scd2.BelowWatermark}, {Row: 1, Reason: scd2.BelowWatermark}}; !slices.Equal(m.Rejected, want) {
		t.Errorf("rejected are %v, want %v", m.Rejected, want)
	}
	conserved(t, m)
	k.merge(t, m)
	onerowtest.EqualHistory(t, records(t, plainColumns, []string{"1 a 10 30", "1 b 30 40", "1 a 40 -", "3 x 45 50"}), k.table)
	again, err := k.plan(t, records(t, plainSource, []string{"1 c 29 u"}))
	if err != nil || again.Report.Rejected != 1 || !again.Empty() {
		t.Errorf("the next state forgot the watermark: %v, %v", again, err)
	}
}

// A plan fits the history that it was made for, however that is cut, and no other.
func TestStaleBase(t *testing.T) {
	history := records(t, plainColumns, []string{"1 a 10 -", "2 a 10 -"})
	k := keeper{table: scd2.Table{Key: []string{"id"}, Batches: history}, opts: events()}
	m, err := k.plan(t, records(t, plainSource, []string{"1 b 20 u"}))
	if err != nil {
		t.Fatal(err)
	}
	ctx, alloc := context.Background(), onerowtest.Allocator(t)
	for name, cut := range onerowtest.Cuts(t, history) {
		next, err := m.Apply(ctx, alloc, cut)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		onerowtest.Release(t, next...)
		onerowtest.Equal(t, records(t, plainColumns, []string{"1 a 10 20", "1 b 20 -", "2 a 10 -"}), next, "id", "valid_from")
	}
	for name, rows := range map[string][]string{"another value": {"1 a 10 -", "2 A 10 -"}, "a row more": {"1 a 10 -", "2 a 10 -", "3 a 10 -"},
		"a row less": {"1 a 10 -"}, "another order": {"2 a 10 -", "1 a 10 -"}, "a closed version": {"1 a 10 15", "2 a 10 -"}, "nothing": nil} {
		next, err := m.Apply(ctx, alloc, records(t, plainColumns, rows))
		if onerowtest.Release(t, next...); !errors.Is(err, onerow.ErrStaleBase) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A call without changes changes nothing; that is an error where the caller asks for a change.
func TestRequireChange(t *testing.T) {
	k := keeper{table: scd2.Table{Key: []string{"id"}, Batches: records(t, plainColumns, []string{"1 a 10 -"})}, opts: events()}
	m, err := k.plan(t, records(t, plainSource, nil))
	if err != nil || !m.Empty() {
		t.Fatalf("no changes: %v, %v", m, err)
	}
	k.opts.RequireChange = true
	if _, err := k.plan(t, records(t, plainSource, nil)); !errors.Is(err, onerow.ErrNoChange) {
		t.Errorf("no changes, and a change is required: %v", err)
	}
	if m, err = k.plan(t, records(t, plainSource, []string{"1 b 20 u"})); err != nil {
		t.Fatal(err)
	}
	if want := []scd2.Insert{{From: scd2.FromChanges, Row: 0, Reason: scd2.Changed}}; !slices.Equal(m.Inserts, want) {
		t.Errorf("inserts are %v, want %v", m.Inserts, want)
	}
	if want := []scd2.Action{{Row: 0, Reason: scd2.Changed}}; !slices.Equal(m.Closes, want) {
		t.Errorf("closes are %v, want %v", m.Closes, want)
	}
}
