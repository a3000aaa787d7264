package scd2_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/scd2"
)

// someHistories are of one key each: values, starts, ends.
var someHistories = [][][3]any{
	{},
	{{"a", 2, 6}},
	{{"a", 2, nil}},
	{{"a", 2, 4}, {"b", 4, nil}},
	{{"a", 2, 4}, {"b", 4, 8}},
	{{"a", 2, 4}, {"a", 4, nil}},
	{{"a", 2, 4}, {"b", 6, nil}},
	{{"a", 2, 4}, {"a", 6, 10}},
	{{"a", 2, 4}, {"b", 4, 6}, {"a", 6, 8}, {"b", 10, nil}},
	{{"b", 2, 4}, {"a", 6, 8}, {"b", 8, 10}},
}

// TestSplicedIsAsWorkedOff tries, on each of some histories, all lists of one, two and three events beside its boundaries, and some at them: what is spliced is
// what working the keys off makes, in all lists and records, and in those of a second call, which has the state of the first one.
func TestSplicedIsAsWorkedOff(t *testing.T) {
	for _, ordered := range []bool{false, true} {
		t.Run(fmt.Sprintf("ordered=%v", ordered), func(t *testing.T) {
			ctx, alloc := context.Background(), arrowtest.Allocator(t)
			var history, events [][]any
			key := 0
			with := func(versions [][3]any, said ...int) {
				for _, v := range versions {
					history = append(history, []any{key, v[0], v[1], v[2]})
				}
				for n, s := range said {
					kind := s % 3
					event := []any{key, []any{"a", "b", nil}[kind], s / 3, []any{"u", "u", "d"}[kind], n}
					events = append(events, event[:4+one01(ordered)])
				}
				key++
			}
			const all = 3 * 11
			for _, versions := range someHistories {
				for a := range all {
					with(versions, a)
					for b := a % 2; b < all; b++ {
						with(versions, a, b)
						if (a*all+b)%53 == 0 {
							for c := range all {
								with(versions, a, b, c)
							}
						}
					}
				}
			}
			said, at := []string{"id:int32", "v:string", "at:int64", "op:string"}, []onerow.Order{onerow.Desc("at")}
			if ordered {
				said, at = append(said, "seq:int64"), append(at, onerow.Desc("seq"))
			}
			table := scd2.Table{Key: []string{"id"}, Batches: arrowtest.Table(t, alloc, []string{"id:int32", "v:string", "valid_from:int64", "valid_to:int64"}, history)}
			changes := arrowtest.Table(t, alloc, said, events)
			opts := scd2.Options{Mode: scd2.Changes, At: at, Ties: scd2.TiesByContent, Op: scd2.Op{Column: "op", Delete: []onerow.Value{"d"}},
				Resources: onerow.Resources{Allocator: alloc}}
			sameEitherWay(t, table, changes, opts, alloc)
			m, err := scd2.Plan(ctx, table, changes, opts)
			if err != nil {
				t.Fatal(err)
			}
			if n := scd2.Spliced(m); n < int64(key/4) {
				t.Errorf("%d of %d keys were spliced", n, key)
			}
			next, err := m.Apply(ctx, alloc, table.Batches)
			if err != nil {
				t.Fatal(err)
			}
			defer arrowtest.Release(next)
			state, err := m.State(ctx, alloc)
			if err != nil {
				t.Fatal(err)
			}
			defer state.Release()
			table.Batches, opts.State = next, []arrow.Record{state}
			for i, e := range events { // the same events, elsewhere
				e[0] = (e[0].(int) + 7) % key
				e[2] = 12 - e[2].(int) + i%2
			}
			sameEitherWay(t, table, arrowtest.Table(t, alloc, said, events), opts, alloc)
		})
	}
}
