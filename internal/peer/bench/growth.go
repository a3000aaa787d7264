package bench

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
)

// C1: L1 at growing sizes, keys a tenth. It is about our own growth, so DuckDB has no part in it: at 100 M rows the input takes 4.7 GB, once, and a
// call some 2.2 GB more. Results are compared with those of a plain model.

var growthSizes = []int{1_000_000, 3_000_000, 10_000_000, 30_000_000, 100_000_000}

// growthRows are the sizes asked for, or all, under the cap; where it leaves none but the first, two below it, so that there is something to compare.
func (c Config) growthRows() []int {
	sizes := growthSizes
	if len(c.Sizes) > 0 {
		sizes = c.Sizes
	}
	if c.Rows == 0 {
		return sizes
	}
	under := slices.DeleteFunc(slices.Clone(sizes), func(n int) bool { return n > c.Rows })
	if len(under) < 2 && len(c.Sizes) == 0 {
		under = []int{max(1, c.Rows/10), c.Rows}
	}
	return under
}

// growth measures L1 at each size.
func (r *run) growth(ctx context.Context) error {
	for _, rows := range r.growthRows() {
		rec, err := r.grown(ctx, rows)
		if err != nil {
			return fmt.Errorf("C1, %d rows: %w", rows, err)
		}
		r.add(rec)
		debug.FreeOSMemory() // the size before, whose table is the greater part of the next one's
	}
	return nil
}

// grown measures L1 at one size, after a warm-up that is checked. Garbage is collected between the calls, as it is where DuckDB has its turn.
func (r *run) grown(ctx context.Context, rows int) (rec Record, err error) {
	keys := max(1, rows/10)
	c := makeChanges(rows, keys, intKey, nil)
	t := c.latest(keys)
	got, err := t.check(ctx, r.Threads)
	if err != nil {
		return rec, err
	}
	want, err := c.newest(keys)
	if err != nil {
		return rec, err
	}
	if !maps.Equal(got, want) {
		return rec, fmt.Errorf("%w: ours %v, the model's %v", errDiffer, got, want)
	}
	var times []float64
	for range r.Runs {
		runtime.GC()
		s, err := t.timeOurs(ctx, r.Threads)
		if err != nil {
			return rec, err
		}
		times = append(times, s)
	}
	rec = Record{Workload: growthID, What: "growth", Threads: r.Threads, Rows: rows, Keys: keys, Checked: true}
	rec.oursAlone(times)
	return rec, nil
}

// newest finds the latest row of each key in an array with a place for each, and sums these rows.
func (c changes) newest(keys int) (figures, error) {
	best := make([]int32, keys)
	for i := range best {
		best[i] = -1
	}
	for i, id := range c.ids {
		if b := &best[gather(id)]; *b < 0 || c.at[i] > c.at[*b] || c.at[i] == c.at[*b] && c.seq[i] > c.seq[*b] {
			*b = int32(i)
		}
	}
	return rowFigures("latest", []arrow.Record{c.rec}, c.columns(), func(_ arrow.Record, row int) bool { return best[gather(c.ids[row])] == int32(row) })
}
