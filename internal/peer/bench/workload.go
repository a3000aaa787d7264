package bench

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow/internal/peer/duck"
)

// workload is one line of the table.
type workload struct {
	id, suite, what string
	// rows is the number of rows of its main table by default.
	rows int
	// make makes its data for so many rows, or fewer where they don't divide.
	make func(rows int) task
}

// task is a workload with its data.
type task struct {
	// rows is the number of rows that figures a row are for; keys that of their distinct keys.
	rows, keys int
	// tables are what DuckDB gets, by name.
	tables map[string]arrow.Record
	// ours does the work on so many workers.
	ours func(ctx context.Context, workers int) (result, error)
	// forms are the ways to ask DuckDB for the same. The fastest counts.
	forms []form
	// beside are what is measured beside both, on one goroutine: floorName, mapName.
	beside []yardstick
	// shares says that ours with one worker is measured as well.
	shares bool
}

// result is what our call gave: figures is called only to check it, outside the clock.
type result struct {
	figures func() (figures, error)
	release func()
	// bytes is the size of its records.
	bytes int64
}

// recordsResult is a result of records.
func recordsResult(figures func() (figures, error), recs ...arrow.Record) result {
	return result{figures, func() {
		for _, rec := range recs {
			rec.Release()
		}
	}, sizeOf(recs...)}
}

// countsResult is a result of numbers.
func countsResult(f figures) result {
	return result{func() (figures, error) { return f, nil }, func() {}, 0}
}

// form is one way of asking DuckDB: statements that leave their result in tables of the temp schema.
type form struct {
	name string
	sql  string
	// results are the tables that it leaves, which are dropped outside the clock.
	results []string
	// figures reads what result.figures gives for ours.
	figures func(ctx context.Context, db *duck.DB) (figures, error)
}

// yardstick is another way to spend time.
type yardstick struct {
	name string
	// run does it. It gives a number, so that the work can't be left out: that of one of the figures, or any.
	run    func() int64
	figure string
}

const (
	floorName = "floor"
	mapName   = "go map"
)

// workloads are all but those that are measured otherwise: microBatch, growth and outOfCore.
func workloads() []workload {
	var all []workload
	all = append(all, latestWorkloads()...)
	all = append(all, grainWorkloads()...)
	all = append(all, joinWorkloads()...)
	all = append(all, historyWorkloads()...)
	return all
}
