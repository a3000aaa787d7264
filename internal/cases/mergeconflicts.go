package cases

import (
	"context"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/grain"
	"github.com/onerow-go/onerow/internal/arrowtest"
)

// mergeConflicts is a case of grain.merge.
type mergeConflicts struct {
	target, source arrowtest.Spec
	shuffle        bool
	on             []string
	opts           grain.MergeOptions
	want           mergeConflictsWant
}

type mergeConflictsWant struct {
	wantError
	Conflicts           *int64 `json:"conflicts"`
	UnmatchedDuplicates *int64 `json:"unmatched_duplicates"`
}

func newMergeConflicts(c Case) (test, error) {
	if err := c.inputs("target", "source"); err != nil {
		return nil, err
	}
	k := &mergeConflicts{target: c.Input["target"], source: c.Input["source"], shuffle: !c.OrderMatters}
	var o struct {
		On       *[]string `json:"on"`
		NullSafe bool      `json:"null_safe"`
		Acts     []string  `json:"acts"`
	}
	if err := strict(c.Options, &o); err != nil {
		return nil, fmt.Errorf("options: %w", err)
	}
	if o.On == nil {
		return nil, fmt.Errorf("options: no on, not even an empty one")
	}
	k.on, k.opts.Acts = *o.On, o.Acts
	if o.NullSafe {
		k.opts.Nulls = grain.NullsEqual
	}
	if err := strict(c.Want, &k.want); err != nil {
		return nil, fmt.Errorf("want: %w", err)
	}
	if err := k.want.check(k.want.Conflicts != nil || k.want.UnmatchedDuplicates != nil); err != nil {
		return nil, fmt.Errorf("want: %w", err)
	}
	return k, nil
}

// run takes each side through its forms while the other stays as it is, and then both through the same forms.
func (k *mergeConflicts) run(r *runner) {
	var sides [2][]arrow.Record
	for i, spec := range []arrowtest.Spec{k.target, k.source} {
		batches, err := spec.Build(r.mem)
		if err != nil {
			r.fail("tables", err.Error())
			return
		}
		defer arrowtest.Release(batches)
		sides[i] = batches
	}
	r.forms(sides[0], k.shuffle, func(target []arrow.Record, _ bool) { k.call(r, target, sides[1]) })
	r.forms(sides[1], k.shuffle, func(source []arrow.Record, _ bool) { k.call(r, sides[0], source) })
	targets := arrowtest.Variants(r.mem, sides[0])
	defer targets.Release()
	sources := arrowtest.Variants(r.mem, sides[1])
	defer sources.Release()
	for i := range min(len(targets), len(sources)) {
		r.variant = targets[i].Name + " and " + sources[i].Name
		k.call(r, targets[i].Batches, sources[i].Batches)
	}
}

func (k *mergeConflicts) call(r *runner, target, source []arrow.Record) {
	r.call(func(_ memory.Allocator, res onerow.Resources) {
		opts := k.opts
		opts.Resources = res
		rep, err := r.api.MergeConflicts(context.Background(), target, source, k.on, opts)
		if r.settled(k.want.wantError, err) {
			return
		}
		if rep == nil {
			r.fail("a report", "nil")
			return
		}
		if n := k.want.Conflicts; n != nil && *n != rep.Conflicts {
			r.fail(fmt.Sprintf("%d conflicts", *n), fmt.Sprint(rep.Conflicts))
		}
		if n := k.want.UnmatchedDuplicates; n != nil && *n != rep.UnmatchedDuplicates {
			r.fail(fmt.Sprintf("%d unmatched duplicates", *n), fmt.Sprint(rep.UnmatchedDuplicates))
		}
		k.addsUp(r, rep)
	})
}

// addsUp checks what holds for every report.
func (k *mergeConflicts) addsUp(r *runner, rep *grain.MergeReport) {
	conflicts, duplicates := int64(0), int64(0)
	for _, c := range rep.WorstConflicts {
		conflicts += c.Conflicts
		if c.Hits < 2 || len(c.Values) != len(k.on) || len(c.Target) == 0 || len(c.Source) < 2 {
			r.fail("conflicts of two hits or more, with values and rows", fmt.Sprintf("%+v", c))
		}
	}
	for _, d := range rep.WorstDuplicates {
		duplicates += d.Count - 1
	}
	if rep.SourceRows != rep.MatchedRows+rep.UnmatchedRows || conflicts != rep.Conflicts || duplicates != rep.UnmatchedDuplicates {
		r.fail("counts that add up", fmt.Sprintf("%+v", rep))
	}
}
