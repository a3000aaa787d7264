package scd2_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/google/go-cmp/cmp"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/oracle"
	"github.com/onerow-go/onerow/scd2"
)

// Events before the last boundary of their key that would change something are ignored, or refused; all others are applied.
func ignoresLateEvents(st *stage) {
	first := st.set(may{})
	st.events = slices.DeleteFunc(st.events, func(e event) bool { return e.op == "t" })
	if len(st.events) == 0 || st.opts.Op.PreviousKey != nil || st.opts.Tracked != nil || st.stored || st.opts.Unchanged == scd2.KeepUnchanged { // corrections and repeats are never late
		return
	}
	last := st.lastBoundaries()
	before, err := st.replay(first, nil)
	if err != nil {
		st.t.Fatalf("%v", err)
	}
	var inTime []event
	early, late := map[int]bool{}, map[int]bool{}
	for i, e := range st.events {
		if early[i] = e.pos < last[e.key]; !early[i] {
			inTime = append(inTime, e)
			continue
		}
		var place []event // what comes at one position of one key
		for _, o := range st.events {
			if o.key == e.key && o.pos == e.pos {
				place = append(place, o)
			}
		}
		after, err := st.replay(first, place)
		if err != nil {
			st.t.Fatalf("%v", err)
		}
		late[i] = !slices.Equal(before, after)
		if !late[i] {
			delete(late, i)
		}
	}
	changes := st.changes(st.events)
	st.opts.Late = scd2.RejectLate
	_, err = st.plan(first, changes)
	if err != nil && !errors.Is(err, onerow.ErrLate) || err == nil && len(late) > 0 || err != nil && !slices.Contains(slices.Collect(maps.Values(early)), true) {
		st.t.Fatalf("got error %v for late events %v\n%v", err, late, st.scene)
	}
	st.opts.Late = scd2.IgnoreLate
	m, err := st.plan(first, changes)
	if err != nil {
		st.t.Fatalf("%v\n%v", err, st.scene)
	}
	for _, a := range m.Ignored {
		if !early[int(a.Row)] {
			st.t.Fatalf("ignores %v, late are %v\n%v", m.Ignored, late, st.scene)
		}
	}
	if len(m.Ignored) == 0 && len(late) > 0 {
		st.t.Fatalf("ignores nothing, late are %v\n%v", late, st.scene)
	}
	next := st.apply
	if len(m.Removes) == 0 { // else the boundary that made events late may be gone
		next = st.follow
	}
	st.same("late ones ignored", first, next(first, changes, m), inTime, nil)
}

// lastBoundaries are the last starts or ends of the keys.
func (st *stage) lastBoundaries() []int {
	last := make([]int, len(st.keys))
	at := slices.Index(names(st.given.columns), "valid_from")
	for k, key := range st.keys {
		last[k] = -1
		for _, row := range st.given.rows {
			for pos := range most + 1 {
				if cell := st.line.cell(pos); slices.Equal(row[:len(key)], key) && (row[at] == cell || row[at+1] == cell) {
					last[k] = max(last[k], pos)
				}
			}
		}
	}
	return last
}

// Snapshots one after the other make what the oracle makes of them.
func followsSnapshots(st *stage) {
	a := st.set(may{snapshots: true, ties: true})
	now := 4 + st.src.Choose("first clock", 2)
	if st.opts.Deletes == scd2.DeletesAsRows {
		now = 5
	}
	for _, rows := range st.arrivals(st.events) {
		if now > 9 {
			break
		}
		if st.src.Choose("nothing comes", 8) == 7 {
			rows = nil
		}
		st.opts.Now = st.line.value(now)
		now++
		if len(st.opts.At) > 0 {
			rows = oneOfEachKey(rows)
		}
		changes := st.changes(rows)
		table := st.table
		table.Batches = a.history
		want, wantErr := oracle.Snapshot(table, changes, st.opts)
		m, err := st.plan(a, changes)
		if (err == nil) != (wantErr == nil) || err != nil && !sameKind(err, wantErr) {
			st.t.Fatalf("got error %v, want %v\nafter %vcame %v\n%v", err, wantErr, rowsText(a), st.rows(rows), st.scene)
		}
		if err != nil {
			continue
		}
		next := st.follow(a, changes, m)
		if d := cmp.Diff(st.lines(want), st.lines(oracle.Rows(next.history...))); d != "" {
			st.t.Fatalf("snapshot (-oracle +got):\n%s\nafter %vcame %v\nmade %v\n%v", d, rowsText(a), st.rows(rows), rowsText(next), st.scene)
		}
		a = next
	}
}

// oneOfEachKey leaves the first event of each key.
func oneOfEachKey(events []event) (out []event) {
	for i, e := range events {
		if slices.IndexFunc(events, func(o event) bool { return o.key == e.key }) == i {
			out = append(out, e)
		}
	}
	return out
}

// sameKind says whether two errors have a sentinel in common.
func sameKind(a, b error) bool {
	for _, kind := range []error{onerow.ErrTie, onerow.ErrEmptySource, onerow.ErrTooManyClosed, onerow.ErrLate} {
		if errors.Is(a, kind) && errors.Is(b, kind) {
			return true
		}
	}
	return false
}

// A part of the history leads to what the whole leads to, or to a refusal.
func neverGuesses(st *stage) {
	a := st.set(may{})
	steps := st.arrivals(st.events)
	for _, s := range steps[:len(steps)-1] {
		a = st.play(a, s)
	}
	events := steps[len(steps)-1]
	changes := st.changes(events)
	m, err := st.plan(a, changes)
	if err != nil {
		st.t.Fatalf("%v\n%v", err, st.scene)
	}
	want := st.lines(oracle.Rows(st.apply(a, changes, m).history...))

	since := st.src.Choose("since", most+2)
	part, rest := st.from(a.history, since)
	st.opts.Since = st.line.value(since)
	m, err = st.plan(act{part, a.state}, changes)
	if err != nil {
		told := st.opts.Deletes == scd2.DeletesClose && !st.hasLost() && !slices.ContainsFunc(events, func(e event) bool { return e.pos < since })
		if !errors.Is(err, onerow.ErrPartialHistory) || told {
			st.t.Fatalf("since %d of %v came %v: %v\n%v", since, rowsText(a), st.rows(events), err, st.scene)
		}
		return
	}
	next := st.apply(act{part, a.state}, changes, m)
	rows := oracle.Rows(next.history...)
	for _, row := range oracle.Rows(rest...) { // a column that comes new is NULL in them
		rows = append(rows, append(row, make([]oracle.Value, int(next.history[0].NumCols())-len(row))...))
	}
	got := st.lines(rows)
	if d := cmp.Diff(want, got); d != "" {
		st.t.Fatalf("since %d (-whole +part):\n%s\nof %v came %v\n%v", since, d, rowsText(a), st.rows(events), st.scene)
	}
}

// from deals the rows of a history into those that are open or end at or after a position, and the others.
func (st *stage) from(history []arrow.Record, since int) (part, rest []arrow.Record) {
	ends := []any{st.openCell(), nil}
	at := slices.Index(names(st.given.columns), "valid_to")
	f, err := arrowtest.Field(st.given.columns[at])
	if err != nil {
		st.t.Fatalf("%v", err)
	}
	for pos := since; pos <= most+1; pos++ {
		v, err := arrowtest.Value(f.Type, st.line.cell(pos))
		if err != nil {
			st.t.Fatalf("%v", err)
		}
		ends = append(ends, v)
	}
	part = []arrow.Record{history[0].NewSlice(0, 0)}
	for _, b := range history {
		for i, row := range arrowtest.Cells(b) {
			one := b.NewSlice(int64(i), int64(i)+1)
			if slices.ContainsFunc(ends, func(end any) bool { return arrowtest.Equal(end, row[at]) }) {
				part = append(part, one)
			} else {
				rest = append(rest, one)
			}
		}
	}
	st.t.Cleanup(func() { arrowtest.Release(part); arrowtest.Release(rest) })
	return part, rest
}

// A state that is cut at a watermark refuses the events below, and makes the same of the others.
func appliesNothingBelow(st *stage) {
	first := st.set(may{})
	if st.opts.Tracked != nil || st.stored {
		return // what isn't tracked is forgotten with the events that said it
	}
	steps := st.arrivals(st.events)
	at, low := st.src.Choose("compact before", len(steps)), st.src.Choose("watermark", most+1)
	a, all := first, []event(nil)
	for i, s := range steps {
		if i == at && a.state != nil {
			state, err := scd2.Compact(context.Background(), st.alloc, a.state, st.line.value(low))
			if err != nil {
				st.t.Fatalf("compact: %v\n%v", err, st.scene)
			}
			st.t.Cleanup(state.Release)
			a.state = []arrow.Record{state}
		}
		changes := st.changes(s)
		m, err := st.plan(a, changes)
		if err != nil {
			st.t.Fatalf("%v\nafter %vcame %v\n%v", err, rowsText(a), st.rows(s), st.scene)
		}
		rejected := map[int]scd2.Reason{}
		for _, r := range m.Rejected {
			rejected[int(r.Row)] = r.Reason
		}
		for k, e := range s {
			below := i >= at && at > 0 && e.pos < low
			if (rejected[k] == scd2.BelowWatermark) != below {
				st.t.Fatalf("rejected %v below %d\nafter %vcame %v\n%v", m.Rejected, low, rowsText(a), st.rows(s), st.scene)
			}
			if !below {
				all = append(all, e)
			}
		}
		a = st.follow(a, changes, m)
	}
	st.same(fmt.Sprintf("compacted below %d before step %d", low, at), first, a, all, steps)
}
