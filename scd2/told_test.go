package scd2_test

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/onerowtest"
	"github.com/onerow-go/onerow/scd2"
)

// TestToldEventTaken: a history stores its order columns, and a row tells of an event that a truncate or a delete of the call takes. What
// the row says is later than what its start said, so that the same changes again correct nothing.
func TestToldEventTaken(t *testing.T) {
	for _, end := range []string{"- - 3 1 t", "1 - 3 2 d"} {
		alloc := onerowtest.Allocator(t)
		table := scd2.Table{Key: []string{"k"}, Batches: onerowtest.Records(t, "k:int64 v:string t:int64 seq:int64 valid_from:int64 valid_to:int64\n1 a 3 1 2 8")}
		changes := onerowtest.Records(t, "k:int64 v:string t:int64 seq:int64 op:string\n1 a 0 1 u\n"+end)
		opts := scd2.Options{Mode: scd2.Changes, At: []onerow.Order{onerow.Desc("t"), onerow.Desc("seq")},
			Op: scd2.Op{Column: "op", Delete: []onerow.Value{"d"}, Truncate: []onerow.Value{"t"}}}
		for i := range 3 {
			m, err := scd2.Plan(t.Context(), table, changes, opts)
			if err != nil {
				t.Fatal(err)
			}
			if i > 0 && !m.Empty() {
				t.Errorf("%s: the same changes again: %+v, %v", end, m.Report, m.Rewrites)
			}
			next, err := m.Apply(t.Context(), alloc, table.Batches)
			if err != nil {
				t.Fatal(err)
			}
			state, err := m.State(t.Context(), alloc)
			if err != nil {
				t.Fatal(err)
			}
			onerowtest.Release(t, append(next, state)...)
			table.Batches, opts.State = next, []arrow.Record{state}
			onerowtest.CheckHistory(t, table)
		}
	}
}
