package bench

import (
	"context"
	"fmt"
	"slices"
)

// C1: L1 at growing sizes, keys a tenth.

var growthSizes = []int{1_000_000, 3_000_000, 10_000_000, 30_000_000, 100_000_000}

// manyRows is the size beyond which only the form counts that was the fastest at the size before.
const manyRows = 10_000_000

// growthRows are the sizes that a cap leaves; where it leaves none but the first, two below it, so that there is something to compare.
func growthRows(limit int) []int {
	if limit == 0 {
		return growthSizes
	}
	sizes := slices.DeleteFunc(slices.Clone(growthSizes), func(n int) bool { return n > limit })
	if len(sizes) < 2 {
		sizes = []int{max(1, limit/10), limit}
	}
	return sizes
}

// growth measures L1 at each size.
func (r *run) growth(ctx context.Context) error {
	best := ""
	for _, rows := range growthRows(r.Rows) {
		t := latest(rows, max(1, rows/10), intKey, nil)
		if rows > manyRows && best != "" {
			t.forms = slices.DeleteFunc(t.forms, func(f form) bool { return f.name != best })
		}
		m, err := t.measure(ctx, r.Threads, r.Runs)
		if err != nil {
			return fmt.Errorf("C1, %d rows: %w", rows, err)
		}
		best = m.form
		r.add(r.record(growthID, "growth", t.rows, t.keys, m))
	}
	return nil
}
