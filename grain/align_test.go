package grain_test

import (
	"context"
	"errors"
	"testing"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/grain"
	"github.com/onerow-go/onerow/internal/arrowtest"
)

func TestAlign(t *testing.T) {
	rows := [][]any{
		{"a", 1, "x", 1},
		{"a", 2, "x", 2},
		{"b", 1, "y", 3},
		{"b", 1, "z", 3},
	}
	for _, test := range []struct {
		name           string
		deduped, on    []string
		coarser, finer bool
		missing, extra int
		duplicates     bool
	}{
		{"same columns", []string{"tenant", "id", "v"}, []string{"v", "tenant", "id"}, false, false, 0, 0, false},
		{"a column of the key is missing", []string{"tenant", "id", "v"}, []string{"tenant", "id"}, true, false, 1, 0, true},
		{"a column too many", []string{"tenant", "id"}, []string{"tenant", "id", "v"}, false, true, 0, 1, false},
		{"other columns, same rows apart", []string{"tenant", "id"}, []string{"seq"}, false, false, 2, 1, true},
		{"neither holds the other", []string{"id"}, []string{"tenant"}, true, true, 1, 1, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			mem := arrowtest.Allocator(t)
			batches := arrowtest.Table(t, mem, []string{"tenant:string", "id:int64", "v:string", "seq:int64"}, rows)

			a, err := grain.Align(context.Background(), batches, test.deduped, test.on, grain.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if a.Coarser() != test.coarser || a.Finer() != test.finer {
				t.Errorf("coarser %v, finer %v: want %v, %v", a.Coarser(), a.Finer(), test.coarser, test.finer)
			}
			if len(a.Missing) != test.missing || len(a.Extra) != test.extra {
				t.Errorf("missing %v, extra %v", a.Missing, a.Extra)
			}
			err = a.Err()
			if got := errors.Is(err, onerow.ErrGrain); got != (test.coarser || test.finer) {
				t.Errorf("error %v", err)
			}
			var dup *grain.DuplicateKeyError
			if errors.As(err, &dup) != test.duplicates {
				t.Errorf("duplicates in error: %v", err)
			}
		})
	}
}

func TestAlignRefusesUnknownColumns(t *testing.T) {
	mem := arrowtest.Allocator(t)
	batches := arrowtest.Table(t, mem, []string{"id:int64"}, [][]any{{1}})
	if _, err := grain.Align(context.Background(), batches, []string{"id"}, []string{"tenant"}, grain.Options{}); !errors.Is(err, onerow.ErrNoColumn) {
		t.Errorf("got %v", err)
	}
}
