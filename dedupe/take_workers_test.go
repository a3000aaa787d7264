package dedupe_test

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/dedupe"
	"github.com/onerow-go/onerow/internal/arrowtest"
)

// renamed are changes of so many keys that several workers share what is taken of them: each key ends, and its value is in an older row.
func renamed(t *testing.T) []arrow.Record {
	t.Helper()
	const keys = 17_000
	rows := make([][]any, 0, 2*keys)
	for k := range keys {
		rows = append(rows, []any{k, nil, 1, "value"})
	}
	for k := range keys {
		rows = append(rows, []any{k + keys, k, 2, "?"})
	}
	return arrowtest.Table(t, arrowtest.Allocator(t), []string{"k:int64", "was:int64", "seq:int64", "v:string"}, rows)
}

// TestTakeWorkers: a plan takes rows by the workers that its options allow, and makes the same records with any number; one is the caller's goroutine.
func TestTakeWorkers(t *testing.T) {
	mem := arrowtest.Allocator(t)
	batches := renamed(t)
	var taken, ended [][]any
	for _, workers := range []int{1, 2, 8} {
		p, err := dedupe.Latest(t.Context(), batches, []string{"k"}, bySeq, dedupe.Options{
			Op:        dedupe.Op{PreviousKey: []string{"was"}},
			Fill:      []dedupe.Fill{{Column: "v", Unavailable: "?"}},
			Resources: onerow.Resources{Workers: workers},
		})
		if err != nil {
			t.Fatal(err)
		}
		for name, call := range map[string]struct {
			take func() (arrow.Record, error)
			want *[][]any
		}{
			"Take":      {func() (arrow.Record, error) { return p.Take(t.Context(), mem) }, &taken},
			"TakeEnded": {func() (arrow.Record, error) { return p.TakeEnded(t.Context(), mem) }, &ended},
		} {
			var rec arrow.Record
			started := arrowtest.GoroutinesStarted(func() {
				if rec != nil {
					rec.Release()
				}
				if rec, err = call.take(); err != nil {
					t.Fatal(err)
				}
			})
			defer rec.Release()
			if (started > 0) != (workers > 1) {
				t.Errorf("%s, %d workers: %d goroutines", name, workers, started)
			}
			if cells := arrowtest.Cells(rec); *call.want == nil {
				*call.want = cells
			} else if d := arrowtest.DiffList(*call.want, cells); d != "" {
				t.Errorf("%s, %d workers: %s", name, workers, d)
			}
		}
	}
}

// TestGuardWorkers: a guard whose options say so works on the caller's goroutine alone.
func TestGuardWorkers(t *testing.T) {
	var rows [][]any
	for k := range 20_000 {
		rows = append(rows, []any{k, 1, "value"})
	}
	mem, columns := arrowtest.Allocator(t), []string{"k:int64", "seq:int64", "v:string"}
	target := arrowtest.Table(t, mem, columns, rows)
	for _, r := range rows {
		r[1] = 2
	}
	batches := arrowtest.Table(t, mem, columns, rows)
	for _, workers := range []int{1, 4} {
		started := arrowtest.GoroutinesStarted(func() {
			g, err := dedupe.NewGuard(t.Context(), target, []string{"k"}, bySeq, dedupe.Options{Resources: onerow.Resources{Workers: workers}})
			if err != nil {
				t.Fatal(err)
			}
			p, err := g.Latest(t.Context(), batches)
			if err == nil {
				err = g.Advance(t.Context(), p)
			}
			if err != nil || g.Len() != len(rows) {
				t.Fatalf("%d keys, error %v", g.Len(), err)
			}
		})
		if (started > 0) != (workers > 1) {
			t.Errorf("%d workers: %d goroutines", workers, started)
		}
	}
}
