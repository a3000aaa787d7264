package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/grain"
	"github.com/onerow-go/onerow/join"
)

// question is a join that nobody has run.
type question struct {
	left, right *table
	on          join.Key
	nulls       join.Nulls
	// time is the left column that says when; validFrom and validTo are the right ones of versions. All may be "".
	time, validFrom, validTo string
}

// result is all that there is to say: prediction, cause, remedy, and what the charts show.
type result struct {
	Left, Right string
	On          join.Key
	Size        *join.Size
	Diagnosis   *grain.Diagnosis
	// Steps are the join as it is, and after each remedy.
	Steps []step
	// Open are causes whose remedy isn't a step here, and why.
	Open []string
	// Versions are those of a few keys, or NoVersions says why there are none.
	Versions   *timeline
	NoVersions string
}

func answer(ctx context.Context, q question, alloc memory.Allocator) (*result, error) {
	if q.time != "" && !slices.Contains(q.left.columns(), q.time) {
		return nil, fmt.Errorf("-time: %w", &onerow.ColumnError{Column: q.time, Input: "left", Have: q.left.columns()})
	}
	a := &result{Left: q.left.name, Right: q.right.name, On: q.on}
	var err error
	if a.Size, err = join.Estimate(ctx, q.left.batches, q.right.batches, q.on, join.Options{Nulls: q.nulls}); err != nil {
		return nil, err
	}
	a.Diagnosis, err = grain.Diagnose(ctx, q.right.batches, q.on.Right, grain.DiagnoseOptions{ValidFrom: q.validFrom, ValidTo: q.validTo})
	if err != nil {
		return nil, err
	}
	c := newCure(q, a, alloc)
	defer c.release()
	return a, c.run(ctx)
}

// finding returns what the diagnosis says of a cause, or nil.
func (a *result) finding(cause grain.Cause) *grain.Finding {
	for i := range a.Diagnosis.Causes {
		if f := &a.Diagnosis.Causes[i]; f.Cause == cause {
			return f
		}
	}
	return nil
}
