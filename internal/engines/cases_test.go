package engines_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

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
			if !slices.ContainsFunc(h.after.schema.Fields(), func(f arrow.Field) bool { return arrow.IsNested(f.Type.ID()) }) {
				ran++
				t.Run(fmt.Sprint(i), func(t *testing.T) { // the schema goes with it
					e.schema(t, h.target.Name[0])
					e.create(t, h.before.schema, h.target.Name...)
					e.insert(t, h.before, h.target.Name...)
					e.handOver(t, h.target, h.before.schema, h.staged, h.after)
				})
			}
		}
		if ran < 100 {
			t.Errorf("only %d plans of cases can be handed over", ran)
		}
	})
}

// casePlans runs the cases of scd2.plan, and takes along what each plan hands over. Plans that differ only in the form of
// their tables count once.
func casePlans(t *testing.T) []handover {
	t.Helper()
	var all []handover
	seen := make(map[string]bool)
	histories := make(map[*scd2.Merge][]arrow.Record)
	api := cases.Public
	api.History.Plan = func(ctx context.Context, table scd2.Table, changes []arrow.Record, opts scd2.Options) (*scd2.Merge, error) {
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
		h := handover{target: m.Target("cases", historyTable), before: rowsOf(histories[m]...), staged: rowsOf(staged)}
		if text := arrowtest.FormatRows(h.before.values) + arrowtest.FormatRows(h.staged.values); !seen[text] {
			seen[text] = true
			next, err := m.Apply(ctx, memory.DefaultAllocator, histories[m])
			if err != nil {
				return nil, err
			}
			h.after = rowsOf(next...)
			arrowtest.Release(next)
			all = append(all, h)
		}
		return staged, nil
	}
	var out bytes.Buffer
	if code := cases.Main([]string{"../cases/testdata/scd2_plan"}, api, &out, &out); code != 0 {
		t.Fatalf("the cases fail without an engine:\n%s", out.String())
	}
	return all
}
