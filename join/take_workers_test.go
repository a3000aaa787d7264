package join_test

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/join"
)

// TestVersionsWorkers: versions are gathered by the workers of the call, and are the same for any number; one is the caller's goroutine.
func TestVersionsWorkers(t *testing.T) {
	mem := arrowtest.Allocator(t)
	var rows [][]any
	for i := range 20_000 {
		rows = append(rows, []any{i % 5, i % 3})
	}
	facts := arrowtest.Table(t, mem, []string{"k:int8", "t:int8"}, rows)
	versions := arrowtest.Table(t, mem, []string{"k:int8", "from:int8", "tag:string"}, [][]any{{0, 1, "a"}, {1, 0, "b"}, {3, 0, nil}, {1, 2, "c"}})
	var want [][]any
	for _, workers := range []int{1, 2, 8} {
		m, err := join.AsOf(t.Context(), join.Facts{Batches: facts, Key: []string{"k"}, At: "t"},
			join.Versions{Batches: versions, Key: []string{"k"}, ValidFrom: "from"}, join.RangeOptions{Resources: onerow.Resources{Workers: workers, Allocator: mem}})
		if err != nil {
			t.Fatal(err)
		}
		var right arrow.Record
		started := arrowtest.GoroutinesStarted(func() {
			if right != nil {
				right.Release()
			}
			if right, err = m.Versions(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
		})
		defer right.Release()
		if (started > 0) != (workers > 1) {
			t.Errorf("%d workers: %d goroutines", workers, started)
		}
		if got := arrowtest.Cells(right); want == nil {
			want = got
		} else if d := arrowtest.DiffList(want, got); d != "" {
			t.Errorf("%d workers: %s", workers, d)
		}
	}
}

// TestStreamWorkers: one worker is the caller's goroutine, where keys are held and where they go to files.
func TestStreamWorkers(t *testing.T) {
	mem := arrowtest.Allocator(t)
	for name, c := range map[string]struct {
		keys   int
		memory int64
	}{"held": {40_000, 0}, "in files": {250_000, 64 << 20}} {
		for _, workers := range []int{1, 2} {
			started := arrowtest.GoroutinesStarted(func() {
				left, right := newKeyStream(mem, "int64", 0, c.keys), newKeyStream(mem, "int64", 0, 1000)
				size, err := join.EstimateReaders(t.Context(), left, right, join.On("k"),
					join.Options{Resources: onerow.Resources{Workers: workers, Memory: c.memory, Dir: t.TempDir(), Allocator: mem}})
				if err != nil || size.Rows.Inner != join.CountOf(1000) {
					t.Fatalf("%s: %v, error %v", name, size, err)
				}
			})
			if (started > 0) != (workers > 1) {
				t.Errorf("%s, %d workers: %d goroutines", name, workers, started)
			}
		}
	}
}
