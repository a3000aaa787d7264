package engines_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/cases"
	"github.com/onerow-go/onerow/scd2"
)

// handover is what a plan of a case hands to an engine, and what the engine's table was and should be.
type handover struct {
	target                scd2.Target
	before, staged, after rows
}

// The plans of all case files do in the engines what Apply does.
func TestCases(t *testing.T) {
	all := casePlans(t)
	onEach(t, func(t *testing.T, e *engine) {
		ran := 0
		for i, h := range all {
			if slices.ContainsFunc(h.after.schema.Fields(), func(f arrow.Field) bool { return arrow.IsNested(f.Type.ID()) }) {
				continue // these tests know no type of an engine for it
			}
			ran++
			t.Run(fmt.Sprint(i), func(t *testing.T) { // the schema goes with it
				e.schema(t, h.target.Name[0])
				e.create(t, h.before.schema, h.target.Name...)
				e.insert(t, h.before, h.target.Name...)
				e.handOver(t, h.target, h.before.schema, h.staged, h.after)
			})
		}
		if ran < 100 {
			t.Errorf("only %d plans of cases can be handed over", ran)
		}
	})
}

// errSeen ends a case in a form of its tables that it has been run in.
var errSeen = errors.New("seen in another form")

// casePlans runs the cases of scd2.plan, and takes along what each plan hands over. Only the first form of each case's tables goes the
// whole way: the values of others are the same.
func casePlans(t *testing.T) []handover {
	t.Helper()
	var all []handover
	seen := make(map[string]bool)
	histories := make(map[*scd2.Merge][]arrow.Record)
	api := cases.Public
	api.History.Plan = func(ctx context.Context, table scd2.Table, changes []arrow.Record, opts scd2.Options) (*scd2.Merge, error) {
		rest, given := opts, table
		rest.State, rest.Resources, given.Batches = nil, onerow.Resources{}, nil
		input := fmt.Sprint(sorted(table.Batches), sorted(changes), sorted(opts.State), given, rest)
		if seen[input] {
			return nil, errSeen
		}
		seen[input] = true
		m, err := scd2.Plan(ctx, table, changes, opts)
		if err == nil {
			histories[m] = table.Batches
		}
		return m, err
	}
	api.History.Staged = func(ctx context.Context, m *scd2.Merge, mem memory.Allocator) (arrow.Record, error) {
		staged, err := m.Staged(ctx, mem)
		if err != nil {
			return nil, err
		}
		next, err := m.Apply(ctx, memory.DefaultAllocator, histories[m])
		if err != nil {
			return nil, err
		}
		all = append(all, handover{m.Target("cases", historyTable), rowsOf(histories[m]...), rowsOf(staged), rowsOf(next...)})
		arrowtest.Release(next)
		return staged, nil
	}
	// What Main says of the cases is of no interest: they are tested elsewhere.
	cases.Main([]string{"../cases/testdata/scd2_plan"}, api, io.Discard, io.Discard)
	return all
}

// sorted are the rows of batches in an order that their numbers have no part in.
func sorted(batches []arrow.Record) []string {
	var out []string
	for _, row := range arrowtest.All(batches) {
		out = append(out, arrowtest.FormatRow(row))
	}
	slices.Sort(out)
	return out
}
