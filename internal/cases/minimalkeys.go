package cases

import (
	"context"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/grain"
	"github.com/onerow-go/onerow/internal/arrowtest"
)

// minimalKeys is a case of grain.keys.
type minimalKeys struct {
	spec    arrowtest.Spec
	shuffle bool
	opts    grain.KeysOptions
	want    minimalKeysWant
}

type minimalKeysWant struct {
	wantError
	Keys *[][]string `json:"keys"`
}

func newMinimalKeys(c Case) (test, error) {
	if err := c.inputs("table"); err != nil {
		return nil, err
	}
	k := &minimalKeys{spec: c.Input["table"], shuffle: !c.OrderMatters}
	var o struct {
		MaxColumns int    `json:"max_columns"`
		Nulls      string `json:"nulls"`
	}
	if err := strict(c.Options, &o); err != nil {
		return nil, fmt.Errorf("options: %w", err)
	}
	k.opts.MaxColumns = o.MaxColumns
	var err error
	if k.opts.Nulls, err = choose("nulls", o.Nulls, map[string]grain.Nulls{"distinct": grain.NullsDistinct, "equal": grain.NullsEqual}); err != nil {
		return nil, fmt.Errorf("options: %w", err)
	}
	if err := strict(c.Want, &k.want); err != nil {
		return nil, fmt.Errorf("want: %w", err)
	}
	if err := k.want.check(k.want.Keys != nil); err != nil {
		return nil, fmt.Errorf("want: %w", err)
	}
	return k, nil
}

func (k *minimalKeys) run(r *runner) {
	table, err := k.spec.Build(r.mem)
	if err != nil {
		r.fail("a table", err.Error())
		return
	}
	defer arrowtest.Release(table)
	r.forms(table, k.shuffle, func(batches []arrow.Record, _ bool) {
		r.call(func(_ memory.Allocator, res onerow.Resources) {
			opts := k.opts
			opts.Resources = res
			rep, err := r.api.Keys(context.Background(), batches, opts)
			if r.settled(k.want.wantError, err) {
				return
			}
			if rep == nil {
				r.fail("a report", "nil")
				return
			}
			if !slices.EqualFunc(*k.want.Keys, rep.Keys, slices.Equal) {
				r.fail(fmt.Sprint("keys ", *k.want.Keys), fmt.Sprint(rep.Keys))
			}
		})
	})
}
