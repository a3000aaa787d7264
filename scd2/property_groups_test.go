package scd2_test

import (
	"context"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/google/go-cmp/cmp"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/scd2"
)

// word is what a source says of a key at a time.
type word struct {
	source, key, at int
	value           string
}

// Two sources that speak for a column each, on clocks of their own, make the same history in whatever order and batches they come: at each
// time it has what either said last.
func keepsGroupsApart(st *stage) {
	words := st.chooseWords()
	a := act{history: st.build(grid{columns: []string{"k:int64", "a:string", "b:string", "valid_from:int64", "valid_to:int64"}})}
	states := [2][]arrow.Record{}
	var calls []any
	for len(words) > 0 {
		first := words[0]
		n := 1 + st.src.Choose("in one call", len(words))
		var rows [][]any
		rest := words[:0:0]
		for i, w := range words {
			if i >= n || w.source != first.source {
				rest = append(rest, w)
				continue
			}
			rows = append(rows, []any{w.key, w.at, w.value})
		}
		words = rest
		calls = append(calls, []string{"a", "b"}[first.source], rows)
		changes := st.build(grid{[]string{"k:int64", "t:int64", []string{"a", "b"}[first.source] + ":string"}, rows})
		opts := scd2.Options{Mode: scd2.Changes, At: []onerow.Order{onerow.Desc("t")}, Columns: scd2.Columns{Group: true}, State: states[first.source]}
		table := scd2.Table{Batches: a.history, Key: []string{"k"}}
		m, err := scd2.Plan(context.Background(), table, changes, opts)
		if err != nil {
			st.t.Fatalf("%v\nafter %vcalls %v", err, rowsText(a), calls)
		}
		a = st.takeOver(a, m)
		states[first.source] = a.state
		opts.State, table.Batches = a.state, a.history
		if again, err := scd2.Plan(context.Background(), table, changes, opts); err != nil || !again.Empty() {
			st.t.Fatalf("the same again: %v %v\nmade %vcalls %v", err, again, rowsText(a), calls)
		}
	}
	var got []string
	for _, row := range arrowtest.All(a.history) {
		got = append(got, arrowtest.FormatRow(row))
	}
	slices.Sort(got)
	if d := cmp.Diff(st.spoken, got); d != "" {
		st.t.Fatalf("(-said +got):\n%s\ncalls %v", d, calls)
	}
}

// takeOver applies a plan.
func (st *stage) takeOver(a act, m *scd2.Merge) act {
	st.t.Helper()
	next, err := m.Apply(context.Background(), st.alloc, a.history)
	if err != nil {
		st.t.Fatalf("%v", err)
	}
	st.t.Cleanup(func() { arrowtest.Release(next) })
	state, err := m.State(context.Background(), st.alloc)
	if err != nil {
		st.t.Fatalf("%v", err)
	}
	st.t.Cleanup(state.Release)
	return act{next, []arrow.Record{state}}
}

// chooseWords chooses what the sources say, in the order in which it comes, and what the history should be.
func (st *stage) chooseWords() (words []word) {
	said := map[string]string{}
	place := func(source, key, at int) string { return fmt.Sprint(source, key, at) }
	for n := st.src.Choose("words", 10) + 1; n > 0; n-- {
		w := word{st.src.Choose("source", 2), st.src.Choose("key", 2), st.src.Choose("at", most+1), []string{"x", "y", "z"}[st.src.Choose("value", 3)]}
		if v, ok := said[place(w.source, w.key, w.at)]; ok {
			w.value = v
		}
		said[place(w.source, w.key, w.at)] = w.value
		words = append(words, w)
	}
	st.spoken = nil
	for key := range 2 {
		var now [2]any
		var row []any
		for at := range most + 1 {
			then := now
			for source := range now {
				if v, ok := said[place(source, key, at)]; ok {
					then[source] = v
				}
			}
			if then == now {
				continue
			}
			if row != nil {
				st.spoken = append(st.spoken, arrowtest.FormatRow(append(row, int64(at))))
			}
			now, row = then, []any{int64(key), then[0], then[1], int64(at)}
		}
		if row != nil {
			st.spoken = append(st.spoken, arrowtest.FormatRow(append(row, nil)))
		}
	}
	slices.Sort(st.spoken)
	return words
}
