package scd2_test

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/scd2"
)

// TestApplyWorkers: batches that are joined make the same history by any number of workers; one is the caller's goroutine.
func TestApplyWorkers(t *testing.T) {
	mem := arrowtest.Allocator(t)
	var rows [2][][]any
	for b := range rows {
		for k := range 3000 {
			rows[b] = append(rows[b], []any{2*k + b, "value", 1, nil})
		}
	}
	history := arrowtest.Batches(t, mem, []string{"id:int64", "v:string", "valid_from:int64", "valid_to:int64"}, rows[:]...)
	said := [][]any{{7, "other", 5, "u"}}
	for k := range 3000 {
		said = append(said, []any{6000 + k, "new", 5, "u"})
	}
	changes := arrowtest.Table(t, mem, []string{"id:int64", "v:string", "at:int64", "op:string"}, said)
	var want [][]any
	for _, workers := range []int{1, 2, 8} {
		opts := events()
		opts.Resources = onerow.Resources{Workers: workers, Allocator: mem}
		m, err := scd2.Plan(t.Context(), scd2.Table{Key: []string{"id"}, Batches: history}, changes, opts)
		if err != nil {
			t.Fatal(err)
		}
		var after []arrow.Record
		started := arrowtest.GoroutinesStarted(func() {
			arrowtest.Release(after)
			if after, err = m.Apply(t.Context(), nil, history); err != nil {
				t.Fatal(err)
			}
		})
		if (started > 0) != (workers > 1) {
			t.Errorf("%d workers: %d goroutines", workers, started)
		}
		if len(after) != 1 {
			t.Errorf("%d workers: %d batches", workers, len(after))
		}
		if got := arrowtest.All(after); want == nil {
			want = got
		} else if d := arrowtest.DiffList(want, got); d != "" {
			t.Errorf("%d workers: %s", workers, d)
		}
		arrowtest.Release(after)
	}
}
