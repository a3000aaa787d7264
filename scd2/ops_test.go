package scd2_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/scd2"
)

// TestOpsOfAllTypes: changes are deletes where their op equals one of the values, whatever the type of the ops, the number of the values, and the way in which they are
// told apart; NULL equals none.
func TestOpsOfAllTypes(t *testing.T) {
	const long = "delete, in more than fifteen bytes"
	text := [][]any{{"d", long, "", nil, "D", "d ", "delete, in more than fifteen bytes!", "x"}}
	for _, c := range []struct {
		types []string
		cells [][]any
		del   []onerow.Value
	}{
		{[]string{"string", "large_string", "dict<int8,string>"}, text, []onerow.Value{"d"}},
		{[]string{"string", "large_string", "dict<int8,string>"}, text, []onerow.Value{"d", ""}},
		{[]string{"string", "large_string", "dict<int8,string>"}, text, []onerow.Value{"x", long}},
		{[]string{"string", "dict<int8,string>"}, text, []onerow.Value{"a", "b", "c", "d", "e", "x"}},
		{[]string{"int8", "uint32", "int64"}, [][]any{{0, 1, 2, nil, 3, 3, 100}}, []onerow.Value{0, 3}},
		{[]string{"float64"}, [][]any{{0.0, 1.5, nil, 3.0}}, []onerow.Value{1.5}},
		{[]string{"bool"}, [][]any{{true, false, nil}}, []onerow.Value{true}},
		{[]string{"bool"}, [][]any{{true, false, nil}}, []onerow.Value{true, false}},
		{[]string{"null"}, [][]any{{nil, nil}}, []onerow.Value{"d"}},
	} {
		for _, typ := range c.types {
			for _, same := range []bool{false, true} { // one hash for all
				t.Run(fmt.Sprintf("%s %v %v", typ, c.del, same), func(t *testing.T) {
					form.ConstantHash(same)
					defer form.ConstantHash(false)
					alloc := arrowtest.Allocator(t)
					var history, events [][]any
					want := int64(0)
					for k, op := range c.cells[0] {
						history, events = append(history, []any{k, 1, 1, nil}), append(events, []any{k, 1, 2, op})
						if slices.Contains(c.del, op) {
							want++
						}
					}
					at := len(events) / 2
					m, err := scd2.Plan(context.Background(),
						scd2.Table{Key: []string{"id"}, Batches: arrowtest.Table(t, alloc, []string{"id:int64", "v:int64", "valid_from:int64", "valid_to:int64"}, history)},
						arrowtest.Batches(t, alloc, []string{"id:int64", "v:int64", "at:int64", "op:" + typ}, events[:at], events[at:]),
						scd2.Options{Mode: scd2.Changes, At: []onerow.Order{onerow.Desc("at")}, Op: scd2.Op{Column: "op", Delete: c.del}})
					if err != nil {
						t.Fatal(err)
					}
					if m.Report.Close != want || m.Report.Unchanged != int64(len(events))-want {
						t.Errorf("%d deletes, want %d: %+v", m.Report.Close, want, m.Report)
					}
				})
			}
		}
	}
}
